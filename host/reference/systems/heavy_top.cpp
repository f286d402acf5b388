#include "host/reference/systems/heavy_top.hpp"

#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

namespace {

class HeavyTop : public System {
  public:
    explicit HeavyTop(const Parameters& parameters) {
        ParameterReader reader("heavy_top", parameters);
        mass_ = reader.mass();
        centre_of_mass_ = reader.required_vector("centre_of_mass_m");
        inertia_about_fixed_point_ =
            reader.inertia() + mass_ * (centre_of_mass_.squaredNorm() * Eigen::Matrix3d::Identity() -
                                        centre_of_mass_ * centre_of_mass_.transpose());
        gravity_ = Eigen::Vector3d(0.0, 0.0, -reader.required("gravity_m_s2"));
        initial_rotation_vector_ = reader.optional_vector("initial_rotation_vector_rad", Eigen::Vector3d::Zero());
        initial_angular_velocity_ = reader.required_vector("initial_angular_velocity_rad_s");
        reader.refuse_unknown_names();
        factored_inertia_.compute(inertia_about_fixed_point_);
        if (factored_inertia_.info() != Eigen::Success)
            throw InvalidParameter("the inertia about the fixed point is singular");
    }

    Configuration initial_configuration() const override {
        return {Eigen::VectorXd(0), rotation_exponential(initial_rotation_vector_)};
    }
    Eigen::VectorXd initial_velocity() const override { return initial_angular_velocity_; }

    Eigen::VectorXd acceleration(const Configuration& configuration, const Eigen::VectorXd& velocity) const override {
        const Eigen::Vector3d w = velocity;
        const Eigen::Vector3d weight = configuration.orientation.transpose() * (mass_ * gravity_);
        return factored_inertia_.solve(centre_of_mass_.cross(weight) - w.cross(inertia_about_fixed_point_ * w));
    }

    Observables observe(const Configuration& configuration, const Eigen::VectorXd& velocity) const override {
        const Eigen::Matrix3d& R = configuration.orientation;
        const Eigen::Vector3d w = velocity;
        const Eigen::Vector3d momentum = inertia_about_fixed_point_ * w, position = R * centre_of_mass_;
        const double energy = 0.5 * w.dot(momentum) - mass_ * gravity_.dot(position);
        const double tilt = std::atan2(position.head<2>().norm(), position.z());
        return {{"position", position},
                {"velocity", R * w.cross(centre_of_mass_)},
                {"orientation", quaternion_of(R)},
                {"angular_velocity", w},
                {"energy", Eigen::VectorXd::Constant(1, energy)},
                {"kinetic_energy", Eigen::VectorXd::Constant(1, 0.5 * w.dot(momentum))},
                {"angular_momentum", R * momentum},
                {"tilt", Eigen::VectorXd::Constant(1, tilt)}};
    }

  private:
    double mass_;
    Eigen::Vector3d centre_of_mass_, gravity_, initial_rotation_vector_, initial_angular_velocity_;
    Eigen::Matrix3d inertia_about_fixed_point_;
    Eigen::LLT<Eigen::Matrix3d> factored_inertia_;
};

}  // namespace

std::unique_ptr<System> heavy_top(const Parameters& parameters) { return std::make_unique<HeavyTop>(parameters); }

}  // namespace myriad::reference
