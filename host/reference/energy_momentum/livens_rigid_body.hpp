// One body's share in the equations of Livens' principle, its orientation a quaternion.
//
//   T = W . J W / 2,   W(q, v) = 2 G(q) v = -2 G(v) q: the angular velocity in the body frame       livens eqs. 43, 45
//   energy_momentum   D_v T = 2 G(q_half)^T J W_half,   D_q T = -2 G(v_half)^T J W_half,
//                     W_half = (W(q, v) + W(q+, v+)) / 2                                            livens eqs. 87, 88
//   midpoint          the same with W_half = W(q_half, v_half)                                      livens eq. 48
//
//   T* = pi . J^-1 pi / 2 + s^2 / (4 tr J),   pi = G(q) p / 2,   s = q . p: the inverse of the regularised mass
//   4 G^T J G + 2 tr(J) q q^T at unit length; the exact inverse has T* / |q|^4                      livens eq. 140
//
// J: inertia about the point that q turns about, body axes.
#pragma once
#include "host/reference/energy_momentum/livens_integrator.hpp"

namespace myriad::reference {

using Quaternion = QuaternionOf<double>;
using NumberQuaternion = QuaternionOf<Number>;
using NumberVector = VectorOf<Number>;

struct RotationDerivatives {
    NumberQuaternion by_rate, by_coordinates;
};

RotationDerivatives rotation_kinetic(LivensRule rule, const Eigen::Matrix3d& inertia, const NumberQuaternion& q,
                                     const NumberQuaternion& v, const NumberQuaternion& q_end,
                                     const NumberQuaternion& v_end);

Quaternion rotation_momentum(const Eigen::Matrix3d& inertia, const Quaternion& q, const Quaternion& v);
// The angular velocity of a rate, and of a momentum; the rate of an angular velocity.
inline Eigen::Vector3d angular_velocity_of_rate(const Quaternion& q, const Quaternion& v) {
    return 2.0 * G_times<double>(q, v);
}
Eigen::Vector3d angular_velocity_of_momentum(const Eigen::Matrix3d& inertia, const Quaternion& q, const Quaternion& p);
inline Quaternion rate_of_angular_velocity(const Quaternion& q, const Eigen::Vector3d& angular_velocity) {
    return 0.5 * G_transposed_times<double>(q, angular_velocity);
}

// Body to world, of a quaternion near unit length.
inline Eigen::Matrix3d rotation_matrix_of(const Quaternion& q) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

}  // namespace myriad::reference
