#include "host/reference/systems/convective_rigid_body.hpp"

#include "host/reference/energy_momentum/convective_step.hpp"
#include "host/reference/formulation/parameters.hpp"
#include "host/reference/systems/free_rigid_body.hpp"
#include "host/reference/systems/heavy_top.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

ConvectiveRigidBody::ConvectiveRigidBody(const std::string& system, const Parameters& parameters,
                                         int most_newton_iterations)
    : most_newton_iterations_(most_newton_iterations) {
    if (system != "heavy_top" && system != "free_rigid_body")
        throw UserError(ExitCode::usage_or_input, "system " + system, "is no rigid body",
                        "energy_momentum_convective runs heavy_top, free_rigid_body and mechanisms");
    const std::unique_ptr<System> body = system == "heavy_top" ? heavy_top(parameters) : free_rigid_body(parameters);
    configuration_ = body->initial_configuration();
    velocity_ = body->initial_velocity();
    ParameterReader reader(system, parameters);
    const double mass = reader.mass();
    inertia_ = reader.inertia();
    if (system == "heavy_top") {
        const Vector3d s = centre_of_mass_ = reader.required_vector("centre_of_mass_m");
        inertia_ += mass * (s.squaredNorm() * Matrix3d::Identity() - s * s.transpose());
        weight_ = {0.0, 0.0, -mass * reader.required("gravity_m_s2")};
    } else {
        gravity_ = reader.optional_vector("gravity_m_s2", Vector3d::Zero());
    }
}

void ConvectiveRigidBody::step(double h) {
    const Vector3d W = velocity_.tail<3>();
    const Matrix3d R = configuration_.orientation;
    const NewtonSolution solution = solved_by_newton(
        [&](const Numbers& b) {
            const ConvectiveTurn turn = convective_turn(R, W, inertia_, h, b);
            const VectorOf<Number> arm = turn.mean(centre_of_mass_), weight = weight_.cast<Number>();
            return Numbers(turn.torque - arm.cross(weight));
        },
        0.5 * h * W, turn_of, most_newton_iterations_);
    const Vector3d b = solution.unknowns;
    configuration_.orientation = orthonormalized(R * cayley<double>(b));
    velocity_.tail<3>() = 4.0 / h * b - W;
    if (configuration_.position.size() == 0) return;
    const Vector3d v = velocity_.head<3>(), v_end = v + h * gravity_;
    configuration_.position += 0.5 * h * (v + v_end);
    velocity_.head<3>() = v_end;
}

}  // namespace myriad::reference
