// Coordinates of one body's orientation for integrators that treat them as numbers: R = R(rho), body to world.
//
//   "rotation"          R = R_n exp(rho), rho = 0 at the start of every step; rates and second rates are the angular
//                       velocity and acceleration themselves (the Lie group method)          lgim eqs. 24, 30
//   "euler_parameters"  R(p / |p|), p = (w, x, y, z), with the row (p.p - 1) / 2 = 0 and w = G(p) p', whatever p.p' is
//                       (an index-3 method leaves a p.p' of the order of its error)          rA paper eqs. 19, 22
//   "euler_zxz"         R = R_z(rho_0) R_x(rho_1) R_z(rho_2) Q^T, Q constant; singular at sin rho_1 = 0. Q is chosen
//                       from the orientation R_0 at the start, Q = R_0^T R_z(pi/2) R_x(pi/2): rho = (pi/2, pi/2, 0)
//                       there
//   "cardan_xyz"        R = R_x(rho_0) R_y(rho_1) R_z(rho_2); singular at cos rho_1 = 0      lgim sect. 2.1
//   "cardan_xyz_body_rate"  the same angles; rates and second rates are the angular velocity and acceleration: the
//                       classical formulation 1, for explicit methods only                   lgim sect. 2.1.1
//
// The three before it give the classical formulation 2 (lgim eqs. 12 to 14): the rates are rho', and the angular
// velocity w = vee(R^T R') and its derivative follow from R(rho(t)) by differentiation alone. Angles in rad, w in the
// body frame.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

// Orientation and angular motion, and how they change with the coordinates, rates and second rates.
struct ChartMotion {
    Eigen::Matrix3d orientation;
    Eigen::Vector3d angular_velocity, angular_acceleration;
    // 3 x size(). A displacement e is that of R exp(e).
    Eigen::MatrixXd displacement_by_coordinates, velocity_by_coordinates, velocity_by_rates,
        acceleration_by_coordinates, acceleration_by_rates, acceleration_by_second_rates;
};

class OrientationChart {
  public:
    virtual ~OrientationChart() = default;

    virtual Eigen::Index size() const = 0;
    // At coordinates `increment` away from those of the step's start. Throws StepFailure (chart_singular).
    virtual ChartMotion motion(const Eigen::VectorXd& increment, const Eigen::VectorXd& rates,
                               const Eigen::VectorXd& second_rates) const = 0;
    // Rows c(rho) = 0 that the coordinates have to meet, and their derivatives by the coordinates.
    virtual Eigen::VectorXd condition(const Eigen::VectorXd& increment) const = 0;
    virtual Eigen::MatrixXd condition_jacobian(const Eigen::VectorXd& increment) const = 0;
    virtual void advance(const Eigen::VectorXd& increment) = 0;
    // Throws StepFailure (chart_singular) where coordinates of this orientation are singular.
    virtual void require_regular(const Eigen::Matrix3d& orientation) const = 0;

    // The derivative of the coordinates in time: the rates, but T_exp^-1 w for the group, G^-1 w for body rates.
    virtual Eigen::VectorXd slope(const Eigen::VectorXd& increment, const Eigen::VectorXd& rates) const = 0;

    // Rates and second rates of the angular velocity w and acceleration w_dot; of those possible the ones that keep the
    // condition. Throw StepFailure.
    Eigen::VectorXd rates(const Eigen::VectorXd& increment, const Eigen::Vector3d& w) const;
    Eigen::VectorXd second_rates(const Eigen::VectorXd& increment, const Eigen::VectorXd& rates,
                                 const Eigen::Vector3d& w_dot) const;
};

// All charts, those that only implicit methods take included.
std::vector<std::string> orientation_chart_names();

// Throw UserError for an unknown name; the second takes cardan_xyz_body_rate as well.
std::unique_ptr<OrientationChart> make_orientation_chart(const std::string& name, const Eigen::Matrix3d& orientation);
std::unique_ptr<OrientationChart> make_explicit_chart(const std::string& name, const Eigen::Matrix3d& orientation);

}  // namespace myriad::reference
