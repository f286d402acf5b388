#include "host/reference/mathematics/tabulated_function.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::VectorXd;

// Beside an end the parabola through three points, with the sign of the chord and at most three times as steep.
double limited(double parabola, double chord, double other_chord) {
    if (std::signbit(parabola) != std::signbit(chord) || parabola == 0.0) return 0.0;
    const bool turns = std::signbit(chord) != std::signbit(other_chord) || other_chord == 0.0;
    return turns ? std::copysign(std::min(std::abs(parabola), 3.0 * std::abs(chord)), chord) : parabola;
}

VectorXd slopes_of_monotone_cubics(const VectorXd& h, const VectorXd& chord) {
    const Index last = h.size();
    VectorXd slope = VectorXd::Constant(last + 1, chord[0]);
    if (last == 1) return slope;
    for (Index i = 1; i < last; ++i) {
        const double a = chord[i - 1], b = chord[i], share = (h[i - 1] + 2.0 * h[i]) / (3.0 * (h[i - 1] + h[i]));
        slope[i] = a * b > 0.0 ? a * b / (share * b + (1.0 - share) * a) : 0.0;
    }
    const auto end = [&](Index near, Index next) {
        return limited(chord[near] + (chord[near] - chord[next]) * h[near] / (h[near] + h[next]), chord[near],
                       chord[next]);
    };
    slope[0] = end(0, 1), slope[last] = end(last - 1, last - 2);
    return slope;
}

VectorXd moments_of_spline(const VectorXd& h, const VectorXd& chord,
                           const std::optional<std::array<double, 2>>& end_slopes) {
    const Index last = h.size();
    if (!end_slopes && last == 1) return VectorXd::Zero(2);
    if (!end_slopes && last == 2) return VectorXd::Constant(3, 2.0 * (chord[1] - chord[0]) / (h[0] + h[1]));
    std::vector<Eigen::Triplet<double>> entries;
    VectorXd right = VectorXd::Zero(last + 1);
    const auto put = [&](Index row, Index column, double value) { entries.emplace_back(row, column, value); };
    for (Index i = 1; i < last; ++i) {
        put(i, i - 1, h[i - 1]), put(i, i, 2.0 * (h[i - 1] + h[i])), put(i, i + 1, h[i]);
        right[i] = 6.0 * (chord[i] - chord[i - 1]);
    }
    if (end_slopes) {
        put(0, 0, 2.0 * h[0]), put(0, 1, h[0]);
        put(last, last, 2.0 * h[last - 1]), put(last, last - 1, h[last - 1]);
        right[0] = 6.0 * (chord[0] - (*end_slopes)[0]), right[last] = 6.0 * ((*end_slopes)[1] - chord[last - 1]);
    } else {  // (M_1 - M_0) / h_0 = (M_2 - M_1) / h_1
        put(0, 0, h[1]), put(0, 1, -h[0] - h[1]), put(0, 2, h[0]);
        put(last, last, h[last - 2]), put(last, last - 1, -h[last - 1] - h[last - 2]);
        put(last, last - 2, h[last - 1]);
    }
    Eigen::SparseMatrix<double> matrix(last + 1, last + 1);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return Eigen::SparseLU<Eigen::SparseMatrix<double>>(matrix).solve(right);
}

}  // namespace

TabulatedFunction::TabulatedFunction(std::vector<double> arguments, std::vector<double> values, Form form,
                                     Outside outside, const std::optional<std::array<double, 2>>& end_slopes)
    : x_(std::move(arguments)), y_(std::move(values)), form_(form), outside_(outside) {
    const auto intervals = static_cast<Index>(x_.size()) - 1;
    const Eigen::Map<const VectorXd> x(x_.data(), intervals + 1), y(y_.data(), intervals + 1);
    const VectorXd h = x.tail(intervals) - x.head(intervals);
    const VectorXd chord = (y.tail(intervals) - y.head(intervals)).cwiseQuotient(h);
    if (form == Form::monotone_cubics) at_points_ = slopes_of_monotone_cubics(h, chord);
    if (form == Form::spline) at_points_ = moments_of_spline(h, chord, end_slopes);
}

// The interval that begins at a point has it, the last one also its end.
std::size_t TabulatedFunction::interval_of(double argument) const {
    const auto behind = std::upper_bound(x_.begin() + 1, x_.end() - 1, argument);
    return static_cast<std::size_t>(behind - x_.begin()) - 1;
}

int TabulatedFunction::branch_of(double argument) const {
    if (argument < x_.front()) return -1;
    if (x_.back() < argument) return points();
    return form_ == Form::lines ? static_cast<int>(interval_of(argument)) : 0;
}

TabulatedFunction TabulatedFunction::of_branch(int branch) const {
    TabulatedFunction other = *this;
    other.branch_ = branch;
    return other;
}

// A cubic lies between its coefficients by Bernstein's polynomials, which follow from four of its values.
Interval TabulatedFunction::over(const Interval& arguments) const {
    const double low = arguments.low, third = (arguments.high - low) / 3.0;
    if (!std::isfinite(third)) return {};
    const bool is_one = branch_of(low) == branch_of(arguments.high) &&
                        (branch_of(low) != 0 || interval_of(low) == interval_of(arguments.high));
    if (!is_one && !(branch_ && (form_ == Form::lines || *branch_ != 0))) return {};
    double f[4];
    for (int i = 0; i < 4; ++i) f[i] = (*this)(low + i * third);
    const double b[] = {f[0], (-5.0 * f[0] + 18.0 * f[1] - 9.0 * f[2] + 2.0 * f[3]) / 6.0,
                        (2.0 * f[0] - 9.0 * f[1] + 18.0 * f[2] - 5.0 * f[3]) / 6.0, f[3]};
    for (const double value : b)
        if (std::isnan(value)) return {};
    return {*std::min_element(b, b + 4), *std::max_element(b, b + 4)};
}

}  // namespace myriad::reference
