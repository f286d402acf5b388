// Cardan (Tait-Bryan) angles rho = (alpha, beta, gamma): R = R_x(alpha) R_y(beta) R_z(gamma), body to world ("Rxyz").
//
//   w = G(rho) rho'      G = [ cos b cos g   sin g  0 ;  -cos b sin g   cos g  0 ;  sin b   0  1 ]
//
// w: angular velocity in the body frame, rad/s. Singular where cos beta = 0: there G has no inverse.
// Source: lgim sect. 2.1 (eqs. 7, 13); the columns of G are the three axes of rotation seen from the body.
#pragma once
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

inline Eigen::Matrix3d cardan_rotation(const Eigen::Vector3d& rho) {
    using Eigen::AngleAxisd, Eigen::Vector3d;
    return (AngleAxisd(rho[0], Vector3d::UnitX()) * AngleAxisd(rho[1], Vector3d::UnitY()) *
            AngleAxisd(rho[2], Vector3d::UnitZ()))
        .toRotationMatrix();
}

// beta in [-pi/2, pi/2].
inline Eigen::Vector3d cardan_angles_of(const Eigen::Matrix3d& R) {
    return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), std::hypot(R(0, 0), R(0, 1))),
            std::atan2(-R(0, 1), R(0, 0))};
}

inline Eigen::Matrix3d cardan_rate_matrix(const Eigen::Vector3d& rho) {
    const double cb = std::cos(rho[1]), sb = std::sin(rho[1]), cg = std::cos(rho[2]), sg = std::sin(rho[2]);
    Eigen::Matrix3d G;
    G << cb * cg, sg, 0.0, -cb * sg, cg, 0.0, sb, 0.0, 1.0;
    return G;
}

// dG/dt along rho' = rho_dot.
inline Eigen::Matrix3d cardan_rate_matrix_derivative(const Eigen::Vector3d& rho, const Eigen::Vector3d& rho_dot) {
    const double cb = std::cos(rho[1]), sb = std::sin(rho[1]), cg = std::cos(rho[2]), sg = std::sin(rho[2]);
    const double db = rho_dot[1], dg = rho_dot[2];
    Eigen::Matrix3d derivative;
    derivative << -sb * cg * db - cb * sg * dg, cg * dg, 0.0,  //
        sb * sg * db - cb * cg * dg, -sg * dg, 0.0,            //
        cb * db, 0.0, 0.0;
    return derivative;
}

}  // namespace myriad::reference
