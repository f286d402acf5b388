// The interface of a mechanical system to the reference integrators: where it starts, how it accelerates, what is seen
// of it.
//
// Configuration: a position in R^p (p = 0 for a body with a fixed point, 3 for a free one, metres, world frame) and an
// orientation (rotation matrix, body to world). Velocity: p components of the position's rate (m/s, world), then the
// angular velocity (rad/s, body): lgim eqs. 15, 18, 23. A system in coordinates of its own has them as its position,
// and a velocity of p components: its orientation means nothing.
#pragma once
#include <map>
#include <stdexcept>
#include <string>

#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

// Values by name, as in a study file: "mass_kg", "inertia_kg_m2.xx", "initial_velocity_m_s[0]".
using Parameters = std::map<std::string, double>;

// The numbers describe no such body: the instance ends as `invalid_parameter`, with this reason.
class InvalidParameter : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

struct Configuration {
    Eigen::VectorXd position;
    Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();
};

// By name; SI units. Vectors have three components, the orientation is a quaternion (w, x, y, z) with w >= 0, scalars
// have one component.
using Observables = std::map<std::string, Eigen::VectorXd>;

class System {
  public:
    virtual ~System() = default;

    virtual Configuration initial_configuration() const = 0;
    virtual Eigen::VectorXd initial_velocity() const = 0;
    virtual Eigen::VectorXd acceleration(const Configuration& configuration, const Eigen::VectorXd& velocity) const = 0;
    virtual Observables observe(const Configuration& configuration, const Eigen::VectorXd& velocity) const = 0;
};

}  // namespace myriad::reference
