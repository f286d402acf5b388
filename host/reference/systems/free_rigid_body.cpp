#include "host/reference/systems/free_rigid_body.hpp"

#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

namespace {

class FreeRigidBody : public System {
  public:
    explicit FreeRigidBody(const Parameters& parameters) {
        const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
        ParameterReader reader("free_rigid_body", parameters);
        mass_ = reader.mass();
        inertia_ = reader.inertia();
        gravity_ = reader.optional_vector("gravity_m_s2", zero);
        initial_position_ = reader.optional_vector("initial_position_m", zero);
        initial_rotation_vector_ = reader.optional_vector("initial_rotation_vector_rad", zero);
        initial_velocity_ = reader.optional_vector("initial_velocity_m_s", zero);
        initial_angular_velocity_ = reader.required_vector("initial_angular_velocity_rad_s");
        reader.refuse_unknown_names();
        factored_inertia_.compute(inertia_);
        if (factored_inertia_.info() != Eigen::Success) throw InvalidParameter("inertia_kg_m2 is singular");
    }

    Configuration initial_configuration() const override {
        return {initial_position_, rotation_exponential(initial_rotation_vector_)};
    }
    Eigen::VectorXd initial_velocity() const override {
        Eigen::VectorXd velocity(6);
        velocity << initial_velocity_, initial_angular_velocity_;
        return velocity;
    }

    Eigen::VectorXd acceleration(const Configuration&, const Eigen::VectorXd& velocity) const override {
        const Eigen::Vector3d w = velocity.tail<3>();
        Eigen::VectorXd acceleration(6);
        acceleration << gravity_, factored_inertia_.solve(-w.cross(inertia_ * w));
        return acceleration;
    }

    Observables observe(const Configuration& configuration, const Eigen::VectorXd& velocity) const override {
        const Eigen::Vector3d v = velocity.head<3>(), w = velocity.tail<3>();
        const Eigen::Vector3d momentum = inertia_ * w;
        const double kinetic = 0.5 * mass_ * v.squaredNorm() + 0.5 * w.dot(momentum),
                     energy = kinetic - mass_ * gravity_.dot(configuration.position);
        return {{"position", configuration.position},
                {"velocity", v},
                {"orientation", quaternion_of(configuration.orientation)},
                {"angular_velocity", w},
                {"energy", Eigen::VectorXd::Constant(1, energy)},
                {"kinetic_energy", Eigen::VectorXd::Constant(1, kinetic)},
                {"rotational_energy", Eigen::VectorXd::Constant(1, 0.5 * w.dot(momentum))},
                {"angular_momentum", configuration.orientation * momentum}};
    }

  private:
    double mass_;
    Eigen::Vector3d gravity_, initial_position_, initial_rotation_vector_, initial_velocity_, initial_angular_velocity_;
    Eigen::Matrix3d inertia_;
    Eigen::LLT<Eigen::Matrix3d> factored_inertia_;
};

}  // namespace

std::unique_ptr<System> free_rigid_body(const Parameters& parameters) {
    return std::make_unique<FreeRigidBody>(parameters);
}

}  // namespace myriad::reference
