// energy_momentum_convective: a rigid body's step that keeps T + V and the angular momentum, with the orientation and
// the angular velocity W (body frame) alone as its state.
//
//   R+ = R C(b),  C(b) = I + 2 (b^ + b^ b^) / (1 + |b|^2)        Cayley: a turn by 2 atan |b| about b
//   W_half = 2 b / h,   W+ = 2 W_half - W
//   (R+ J W+ - R J W) / h = torque (world)                       balance of angular momentum over the step
//
// Why the energy is kept: b is the axis of the turn, C^T b = b, so b . C J W+ = b . J W+ and the balance times
// 2 R b = h R W_half gives h torque . R W_half = W_half . J (W+ - W) = T+ - T. A point s of the body moves by
// (R+ - R) s = 2 R b x (R + R+) s / 2 exactly: a force f at it with the arm (R + R+) s / 2 does the work
// f . (R+ - R) s. Translation: v+ = 2 (x+ - x) / h - v, m (v+ - v) / h = force.
// Source: Simo, Wong 1991; Lewis, Simo 1994; the algorithm ALGO_C1. Half a turn in a step is beyond the map.
#pragma once
#include "host/reference/energy_momentum/livens_numbers.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

inline constexpr const char* convective_method = "energy_momentum_convective";

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, 3, 3>;

template <class Scalar>
MatrixOf<Scalar> cayley(const VectorOf<Scalar>& b) {
    MatrixOf<Scalar> hat;
    hat << Scalar(0.0), -b[2], b[1], b[2], Scalar(0.0), -b[0], -b[1], b[0], Scalar(0.0);
    const Scalar factor = Scalar(2.0) / (Scalar(1.0) + b.dot(b));
    return MatrixOf<Scalar>::Identity() + (hat + hat * hat) * factor;
}

// A body at both ends of a step.
struct ConvectiveTurn {
    MatrixOf<Number> start, end;        // R, R+
    VectorOf<Number> angular_velocity;  // W+
    VectorOf<Number> torque;            // (R+ J W+ - R J W) / h: what must act
    VectorOf<Number> mean(const Eigen::Vector3d& s) const { return (start + end) * s.cast<Number>() * Number(0.5); }
};

inline ConvectiveTurn convective_turn(const Eigen::Matrix3d& R, const Eigen::Vector3d& W,
                                      const Eigen::Matrix3d& inertia, double h, const VectorOf<Number>& b) {
    ConvectiveTurn turn;
    turn.start = R.cast<Number>();
    turn.end = turn.start * cayley<Number>(b);
    turn.angular_velocity = b * Number(4.0 / h) - W.cast<Number>();
    turn.torque = (turn.end * (inertia.cast<Number>() * turn.angular_velocity) -
                   Eigen::Vector3d(R * (inertia * W)).cast<Number>()) *
                  Number(1.0 / h);
    return turn;
}

// The angle of the turn (rad) changes by this for a correction of b.
inline double turn_of(const Eigen::VectorXd& correction) { return 2.0 * correction.norm(); }

}  // namespace myriad::reference
