// A function of one argument given by points, made without the kernels' pieces.
//
//   straight lines    y_i + (y_(i+1) - y_i) (u - x_i) / h_i
//   monotone cubics   Hermite's form of y_i, y_(i+1) and the slopes of Fritsch and Butland (1984)
//   cubic splines     by moments M = f'' at the points:  f = M_i (x_(i+1) - u)^3 / (6 h_i)
//                     + M_(i+1) (u - x_i)^3 / (6 h_i) + (y_i / h_i - M_i h_i / 6) (x_(i+1) - u)
//                     + (y_(i+1) / h_i - M_(i+1) h_i / 6) (u - x_i);
//                     de Boor (2001), ch. IV. The kernels solve for slopes instead.
//
// Outside the points: NaN, the nearest value, or a straight line. Units are those of whoever uses it. Not handled:
// arguments that do not rise.
#pragma once
#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "host/reference/mathematics/forward_derivative.hpp"
#include "host/reference/mathematics/interval.hpp"

namespace myriad::reference {

class TabulatedFunction {
  public:
    enum class Form { lines, monotone_cubics, spline };
    enum class Outside { nothing, nearest, line };

    // `end_slopes` of a spline; without them its third derivative has no jump at the points beside the ends.
    TabulatedFunction(std::vector<double> arguments, std::vector<double> values, Form form, Outside outside,
                      const std::optional<std::array<double, 2>>& end_slopes = {});

    template <class Scalar>
    Scalar operator()(const Scalar& u) const;

    // -1 before the points, behind them their number, or which interval an argument lies in; 0 for all of these where
    // the slope is continuous inside.
    int branch_of(double argument) const;
    // The function of one branch, continued to all arguments.
    TabulatedFunction of_branch(int branch) const;
    // Its values between two arguments; all numbers where more than one cubic lies between them.
    Interval over(const Interval& arguments) const;

  private:
    int points() const { return static_cast<int>(x_.size()); }
    std::size_t interval_of(double argument) const;
    template <class Scalar>
    Scalar inside(std::size_t i, const Scalar& u) const;

    std::vector<double> x_, y_;
    Form form_;
    Outside outside_;
    std::optional<int> branch_;
    Eigen::VectorXd at_points_;  // slopes of monotone cubics, moments of a spline
};

template <class Scalar>
Scalar TabulatedFunction::inside(std::size_t i, const Scalar& u) const {
    const double h = x_[i + 1] - x_[i];
    const Scalar from = u - Scalar(x_[i]), to = Scalar(x_[i + 1]) - u;
    if (form_ == Form::lines) return Scalar(y_[i]) + from * Scalar((y_[i + 1] - y_[i]) / h);
    const auto at = static_cast<Eigen::Index>(i);
    const double left = at_points_[at], right = at_points_[at + 1];
    if (form_ == Form::spline)
        return to * to * to * Scalar(left / (6.0 * h)) + from * from * from * Scalar(right / (6.0 * h)) +
               to * Scalar(y_[i] / h - left * h / 6.0) + from * Scalar(y_[i + 1] / h - right * h / 6.0);
    const Scalar p = from * Scalar(1.0 / h), q = to * Scalar(1.0 / h);
    return q * q * (Scalar(1.0) + p * Scalar(2.0)) * Scalar(y_[i]) +
           p * p * (Scalar(1.0) + q * Scalar(2.0)) * Scalar(y_[i + 1]) + q * q * p * Scalar(h * left) -
           p * p * q * Scalar(h * right);
}

template <class Scalar>
Scalar TabulatedFunction::operator()(const Scalar& u) const {
    using EndSlope = Differentiated<double, 1>;
    const double argument = plain_value(u), rounding = 1e-9 * (x_.back() - x_.front());
    if (branch_ && 0 <= *branch_ && *branch_ < points())
        return inside(form_ == Form::lines ? static_cast<std::size_t>(*branch_) : interval_of(argument), u);
    const bool is_before = branch_ ? *branch_ < 0 : argument < x_.front(),
               is_behind = branch_ ? *branch_ >= points() : x_.back() < argument;
    const bool is_near = x_.front() - rounding <= argument && argument < x_.back() + rounding;
    if ((!is_before && !is_behind) || (outside_ == Outside::nothing && is_near))
        return inside(interval_of(argument), u);
    if (outside_ == Outside::nothing || argument != argument) return Scalar(std::numeric_limits<double>::quiet_NaN());
    const double end = is_before ? x_.front() : x_.back(), value = is_before ? y_.front() : y_.back();
    if (outside_ == Outside::nearest) return Scalar(value);
    EndSlope at_end(end);
    at_end.derivative[0] = 1.0;
    return Scalar(value) + (u - Scalar(end)) * Scalar(inside(interval_of(end), at_end).derivative[0]);
}

}  // namespace myriad::reference
