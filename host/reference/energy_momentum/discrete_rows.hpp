// The rows of an element over a step as energy-momentum integrators need them, whatever their coordinates.
//
//   phi               as in mechanism_model.hpp, of rotation matrices that carry derivatives
//   turning row       dot_1, driven_angle and angle are a . (R_i^T R_j b) with an a of their own per step:
//     dot_1           first
//     driven_angle    cos f second - sin f first at mid-step
//     angle           with (c, s) = (first, second) . R_i^T R_j b:  (c_mean second - s_mean first) d / (c s+ - s c+),
//                     d the increment of the angle: the discrete gradient of atan2(s, c), since
//                     c_mean (s+ - s) - s_mean (c+ - c) = c s+ - s c+
//   rotation_vector   row k: g + w (u+ - u - g . w) / |w|^2, g the mean of the gradients by a turn (world) of body j
//                     at both ends, w how far body j turns beyond body i
//   a law             lambda = k (phi + phi+) / 2 + c (phi+ - phi) / h
//   work              of dampers -c (phi+ - phi)^2 / h; of functions of time in laws -lambda (f+ - f);
//                     of those in constraints -lambda (f+ - f);
//                     of driven_angle -lambda (change of the turning row with its a)
// Source: livens sects. 2.4, 5.5. Not handled: half a turn of an angle in a step.
#pragma once
#include "host/reference/energy_momentum/livens_numbers.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

using NumberVector = VectorOf<Number>;
using NumberMatrix = Eigen::Matrix<Number, 3, 3>;

// A body, or the ground, at one end of a step.
struct BodyEnd {
    NumberVector x = NumberVector::Zero();
    NumberMatrix R = NumberMatrix::Identity();
    NumberVector turned(const NumberVector& s) const { return R * s; }
    NumberVector turned(const Eigen::Vector3d& s) const { return R * s.cast<Number>(); }
    NumberVector point(const Eigen::Vector3d& s) const { return x + turned(s); }
};
struct EndPair {
    BodyEnd i, j;
    NumberVector gap(const ModelElement& element) const {
        return j.point(element.point[1]) - i.point(element.point[0]);
    }
};

// An element over a step from start_s to end_s; `counted` is the angle when the step began.
class DiscreteRows {
  public:
    DiscreteRows(const MechanismModel& model, const ModelElement& element, const EndPair& start, const EndPair& end,
                 double start_s, double end_s, double counted);

    const std::vector<Number>& phi() const { return phi_; }
    const std::vector<Number>& phi_end() const { return phi_end_; }
    // The force of a law.
    std::vector<Number> law() const;
    bool turns() const;          // a turning row
    NumberVector first() const;  // its a, in the axes of body i
    // The torque between the bodies of a rotation vector: sum of multipliers times gradients; `turn` is w.
    NumberVector rotation_vector_torque(const std::vector<Number>& multipliers, const NumberVector& turn) const;
    double work(const std::vector<Number>& multipliers) const;

    // Both for a force along the row: distance, coordinate_difference, dot_2.
    NumberVector direction() const;
    NumberVector mean_gap() const;

  private:
    Number function(double time_s) const;
    std::vector<Number> rows(const EndPair& at, double time_s, double counted) const;
    NumberVector relative_other(const EndPair& at) const;  // R_i^T R_j other

    const MechanismModel& model_;
    const ModelElement& element_;
    const EndPair &start_, &end_;
    double start_s_, end_s_;
    std::vector<Number> phi_, phi_end_;
};

}  // namespace myriad::reference
