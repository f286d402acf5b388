#include "host/reference/energy_momentum/discrete_rows.hpp"

#include <numbers>

#include "host/reference/mathematics/logarithm.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Vector3d;

namespace {

Number length(const NumberVector& u) { return sqrt(u.dot(u)); }

// log(F_i^T R_i^T R F_j).
template <class Scalar>
std::array<Scalar, 3> relative_rotation(const ModelElement& element, const Eigen::Matrix<Scalar, 3, 3>& R_i,
                                        const Eigen::Matrix<Scalar, 3, 3>& R_j) {
    const Eigen::Matrix<Scalar, 3, 3> C =
        (R_i * element.frame[0].cast<Scalar>()).transpose() * (R_j * element.frame[1].cast<Scalar>());
    std::array<std::array<Scalar, 3>, 3> rows;
    for (Index r = 0; r < 3; ++r)
        for (Index c = 0; c < 3; ++c) rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = C(r, c);
    return logarithm(rows);
}

// The gradients of its components by a turn of body j about the axes of the world.
std::array<NumberVector, 3> gradients(const ModelElement& element, const EndPair& at) {
    using Turned = Differentiated<Number, 3>;
    Eigen::Matrix<Turned, 3, 3> R_i, R_j;
    for (Index r = 0; r < 3; ++r)
        for (Index c = 0; c < 3; ++c) {
            R_i(r, c) = R_j(r, c) = Turned(0.0);
            R_i(r, c).value = at.i.R(r, c), R_j(r, c).value = at.j.R(r, c);
            // (e_k x column c) of R_j
            for (Index k = 0; k < 3; ++k) {
                const Vector3d across = Vector3d::Unit(r).cross(Vector3d::Unit(k));
                R_j(r, c).derivative[static_cast<std::size_t>(k)] =
                    NumberVector(at.j.R.col(c)).dot(across.cast<Number>());
            }
        }
    const std::array<Turned, 3> u = relative_rotation<Turned>(element, R_i, R_j);
    std::array<NumberVector, 3> rows;
    for (std::size_t row = 0; row < 3; ++row)
        rows[row] << u[row].derivative[0], u[row].derivative[1], u[row].derivative[2];
    return rows;
}

}  // namespace

DiscreteRows::DiscreteRows(const MechanismModel& model, const ModelElement& element, const EndPair& start,
                           const EndPair& end, double start_s, double end_s, double counted)
    : model_(model),
      element_(element),
      start_(start),
      end_(end),
      start_s_(start_s),
      end_s_(end_s),
      phi_(rows(start, start_s, counted)),
      phi_end_(rows(end, end_s, counted)) {}

Number DiscreteRows::function(double time_s) const {
    return element_.function < 0 ? Number(0.0)
                                 : model_.functions[static_cast<std::size_t>(element_.function)](Number(time_s));
}

NumberVector DiscreteRows::relative_other(const EndPair& at) const {
    return at.i.R.transpose() * at.j.turned(element_.other);
}

std::vector<Number> DiscreteRows::rows(const EndPair& at, double time_s, double counted) const {
    const Number f = function(time_s);
    const auto seen = [&](const Vector3d& of) { return NumberVector(of.cast<Number>()).dot(relative_other(at)); };
    switch (element_.kind) {
        case RowKind::point: {
            const NumberVector d = at.gap(element_);
            return {d[0], d[1], d[2]};
        }
        case RowKind::coordinate_difference:
            return {NumberVector(element_.direction.cast<Number>()).dot(at.gap(element_)) - f};
        case RowKind::dot_1:
            return {seen(element_.first) - f};
        case RowKind::dot_2:
            return {at.i.turned(element_.first).dot(at.gap(element_)) - f};
        case RowKind::distance:
            return {length(at.gap(element_)) - f};
        case RowKind::driven_angle:
            return {cos(f) * seen(element_.second) - sin(f) * seen(element_.first)};
        case RowKind::angle: {
            const Number angle = atan2(seen(element_.second), seen(element_.first));
            const double turn = 2.0 * std::numbers::pi;
            return {angle + Number(turn * std::round((counted - angle.value) / turn)) - f};
        }
        default: {
            const std::array<Number, 3> u = relative_rotation<Number>(element_, at.i.R, at.j.R);
            return {u[0], u[1], u[2]};
        }
    }
}

std::vector<Number> DiscreteRows::law() const {
    std::vector<Number> lambda(phi_.size());
    for (std::size_t r = 0; r < phi_.size(); ++r) {
        const auto k = static_cast<Index>(r);
        lambda[r] = element_.stiffness[k] * 0.5 * (phi_[r] + phi_end_[r]) +
                    element_.damping[k] / (end_s_ - start_s_) * (phi_end_[r] - phi_[r]);
    }
    return lambda;
}

bool DiscreteRows::turns() const {
    return element_.kind == RowKind::dot_1 || element_.kind == RowKind::driven_angle || element_.kind == RowKind::angle;
}

NumberVector DiscreteRows::first() const {
    const NumberVector first = element_.first.cast<Number>(), second = element_.second.cast<Number>();
    if (element_.kind == RowKind::dot_1) return first;
    if (element_.kind == RowKind::driven_angle) {
        const Number f = function(0.5 * (start_s_ + end_s_));
        return second * cos(f) - first * sin(f);
    }
    const NumberVector before = relative_other(start_), after = relative_other(end_);
    const Number c = first.dot(before), s = second.dot(before), c_end = first.dot(after), s_end = second.dot(after);
    const Number across = c * s_end - s * c_end, along = c * c_end + s * s_end;
    // d / sin d is 1 + d^2 / 6 and more.
    constexpr double small = 1e-9;
    const Number factor = std::abs(across.value) < small ? Number(1.0) / along : Number(atan2(across, along) / across);
    return (second * (c + c_end) - first * (s + s_end)) * (factor * 0.5);
}

NumberVector DiscreteRows::rotation_vector_torque(const std::vector<Number>& multipliers,
                                                  const NumberVector& turn) const {
    const std::array<NumberVector, 3> before = gradients(element_, start_), after = gradients(element_, end_);
    const Number squared = turn.dot(turn);
    NumberVector torque = NumberVector::Zero();
    for (std::size_t r = 0; r < 3; ++r) {
        NumberVector g = (before[r] + after[r]) * Number(0.5);
        if (squared.value > least_squared_difference) g += turn * ((phi_end_[r] - phi_[r] - g.dot(turn)) / squared);
        torque += g * multipliers[r];
    }
    return torque;
}

double DiscreteRows::work(const std::vector<Number>& multipliers) const {
    const double h = end_s_ - start_s_;
    if (!element_.has_law && element_.function < 0) return 0.0;
    if (element_.kind == RowKind::driven_angle) {
        const NumberVector a = first();
        return -multipliers[0].value * (a.dot(relative_other(end_)) - a.dot(relative_other(start_))).value;
    }
    const double change_of_function = function(end_s_).value - function(start_s_).value;
    double work = 0.0;
    for (std::size_t r = 0; r < phi_.size(); ++r) {
        const double change = phi_end_[r].value - phi_[r].value;
        work -= multipliers[r].value * change_of_function;
        if (element_.has_law) work -= element_.damping[static_cast<Index>(r)] / h * change * change;
    }
    return work;
}

NumberVector DiscreteRows::direction() const {
    switch (element_.kind) {
        case RowKind::coordinate_difference:
            return element_.direction.cast<Number>();
        case RowKind::dot_2:
            return (start_.i.turned(element_.first) + end_.i.turned(element_.first)) * Number(0.5);
        default: {
            const NumberVector d = start_.gap(element_), d_end = end_.gap(element_);
            return (d + d_end) * (Number(1.0) / (length(d) + length(d_end)));
        }
    }
}

NumberVector DiscreteRows::mean_gap() const { return (start_.gap(element_) + end_.gap(element_)) * Number(0.5); }

}  // namespace myriad::reference
