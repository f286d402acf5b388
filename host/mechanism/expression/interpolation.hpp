// The tables of a mechanism: functions of one argument that are given by points, as pieces of polynomials.
//
//   linear          straight lines                                                            continuous
//   monotone_cubic  cubics with the slopes of Fritsch and Butland (1984): no piece leaves     once differentiable
//                   the range of its two points, and there are no new extrema
//   cubic_spline    the interpolating cubic spline, not-a-knot (de Boor 2001, ch. IV) unless  twice differentiable
//                   the slopes at its ends are given
//
// Outside the points there is no value (NaN), or that of the nearest point, or a straight line with the slope at the
// end; a billionth of the points' span beside them counts as inside. Arguments and values have the units of whoever
// uses a table. Not handled: arguments that do not rise strictly.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

enum class Interpolation { linear, monotone_cubic, cubic_spline };
enum class Outside { refuse, hold, extend };

struct Table {
    std::string name;
    std::vector<double> arguments, values;  // two or more
    Interpolation interpolation = Interpolation::cubic_spline;
    Outside outside = Outside::refuse;
    std::optional<std::array<double, 2>> end_slopes;  // of a cubic spline
};

// Where its slope jumps, or the curvature where a straight line goes on.
Corners corners_of(const Table& table);

class Tables {
  public:
    void add(Table table);
    const std::vector<Table>& all() const { return tables_; }
    std::vector<std::string> names() const;
    std::optional<int> find(std::string_view name) const;

    // Value and derivatives of table i, as the kernels compute them in double.
    PolynomialValue<double> at(int table, double argument) const;

    // Puts them into the table of the kernels, which points to what stands here.
    void put_into(MechanismTable& table) const;
    // What the kernels read.
    const PiecewisePolynomial& interpolant(int i) const { return interpolants_[static_cast<std::size_t>(i)]; }
    const PolynomialPiece& piece(int i) const { return pieces_[static_cast<std::size_t>(i)]; }
    const std::vector<PolynomialPiece>& pieces() const { return pieces_; }

  private:
    std::vector<Table> tables_;
    std::vector<PiecewisePolynomial> interpolants_;
    std::vector<PolynomialPiece> pieces_;
};

}  // namespace myriad::mechanism
