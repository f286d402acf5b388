// Rotation matrices, written with the standard functions and a linear solve, as a check on the series of the kernels.
//
//   exp(u)   = I + sin a / a U + (1 - cos a) / a^2 U^2              a = |u|, U = skew(u): Rodrigues
//   T_exp(u) = I - (1 - cos a) / a^2 U + (a - sin a) / a^3 U^2      w = T_exp(u) u', where R = R_0 exp(u) and
//                                                                   R' = R skew(w)
//
// Frames: R takes body coordinates to world coordinates, w is the angular velocity in the body frame, rad/s.
// Source: lgim eqs. 18, 25. T_exp is singular at a = 2 pi; its inverse is not handled near there.
#pragma once
#include <Eigen/Dense>
#include <cmath>

namespace myriad::reference {

inline Eigen::Matrix3d skew(const Eigen::Vector3d& u) {
    Eigen::Matrix3d matrix;
    matrix << 0.0, -u.z(), u.y(), u.z(), 0.0, -u.x(), -u.y(), u.x(), 0.0;
    return matrix;
}

inline Eigen::Matrix3d rotation_exponential(const Eigen::Vector3d& u) {
    const double a = u.norm();
    if (a == 0.0) return Eigen::Matrix3d::Identity();
    // 1 - cos a = 2 sin^2(a/2), which does not cancel at small angles; as a quotient, its square does not underflow.
    const double ratio = std::sin(0.5 * a) / (0.5 * a);
    const Eigen::Matrix3d U = skew(u);
    return Eigen::Matrix3d::Identity() + std::sin(a) / a * U + 0.5 * ratio * ratio * U * U;
}

// Below this (a - sin a) / a^3, whose parts underflow in the end, is 1/6: what is left out is a^4 / 120 of the
// identity.
constexpr double small_turn_rad = 1e-4;

// a - sin a cancels at small angles, but its factor U^2 is as small: the error stays an ulp of the identity.
inline Eigen::Matrix3d tangent_operator(const Eigen::Vector3d& u) {
    const double a = u.norm();
    if (a == 0.0) return Eigen::Matrix3d::Identity();
    const double ratio = std::sin(0.5 * a) / (0.5 * a);
    const double of_square = a < small_turn_rad ? 1.0 / 6.0 : (a - std::sin(a)) / (a * a * a);
    const Eigen::Matrix3d U = skew(u);
    return Eigen::Matrix3d::Identity() - 0.5 * ratio * ratio * U + of_square * U * U;
}

// T_exp(u)^-1 w.
Eigen::Vector3d tangent_inverse(const Eigen::Vector3d& u, const Eigen::Vector3d& w);

// The first terms of dexp^-1 = T_exp^-1: w + [u, w] B_1 + [u, [u, w]] B_2 / 2!, with Bernoulli's numbers B_1 = 1/2 (in
// the body frame) and B_2 = 1/6; B_3 is 0. Source: Munthe-Kaas 1999.
inline Eigen::Vector3d tangent_inverse_to_two_commutators(const Eigen::Vector3d& u, const Eigen::Vector3d& w) {
    const Eigen::Vector3d commutator = u.cross(w);
    return w + commutator / 2.0 + u.cross(commutator) / 12.0;
}

// The first terms of exp(u) as a quaternion: those of cos(a/2) to the sixth power of a, of sin(a/2) u/a to the fifth.
inline Eigen::Quaterniond quaternion_exponential_to_sixth_power(const Eigen::Vector3d& u) {
    const Eigen::Vector3d half = u / 2.0;
    const double a = half.squaredNorm();
    const Eigen::Vector3d vector = (1.0 - a / 6.0 + a * a / 120.0) * half;
    return {1.0 - a / 2.0 + a * a / 24.0 - a * a * a / 720.0, vector.x(), vector.y(), vector.z()};
}

// The nearest rotation matrix to first order: a product of rotation matrices is off by a few ulp only.
inline Eigen::Matrix3d orthonormalized(const Eigen::Matrix3d& R) {
    return 0.5 * R * (3.0 * Eigen::Matrix3d::Identity() - R.transpose() * R);
}

// (w, x, y, z) with w >= 0. A rotation has two quaternions: whoever follows one through time compares up to the sign.
inline Eigen::Vector4d quaternion_of(const Eigen::Matrix3d& R) {
    Eigen::Quaterniond q(R);
    q.normalize();
    const double sign = q.w() < 0.0 ? -1.0 : 1.0;
    return sign * Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
}

}  // namespace myriad::reference
