// The rigid bodies with a formula under energy_momentum_convective (convective_step.hpp).
//
//   heavy_top         about the fixed point, torque = (R + R+) s / 2 x weight; T + V and L along gravity are kept
//   free_rigid_body   no torque: T and L are kept; its centre of mass moves under the weight alone
#pragma once
#include <string>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

class ConvectiveRigidBody {
  public:
    // Throws UserError for another system.
    ConvectiveRigidBody(const std::string& system, const Parameters& parameters, int most_newton_iterations);

    // Throws StepFailure: newton_stalled, singular_matrix, not_finite; the state stays.
    void step(double h);

    const Configuration& configuration() const { return configuration_; }
    const Eigen::VectorXd& velocity() const { return velocity_; }

  private:
    int most_newton_iterations_;
    Eigen::Matrix3d inertia_;
    Eigen::Vector3d centre_of_mass_ = Eigen::Vector3d::Zero(), weight_ = Eigen::Vector3d::Zero(),
                    gravity_ = Eigen::Vector3d::Zero();
    Configuration configuration_;
    Eigen::VectorXd velocity_;
};

}  // namespace myriad::reference
