#include "host/reference/formulation/formulation.hpp"

#include <algorithm>

#include "host/reference/mathematics/cardan_angles.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

// Below this, cos beta has lost half of its digits and G^-1 with it.
constexpr double smallest_cosine = 1e-9;

Eigen::VectorXd larger(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return a.cwiseAbs().cwiseMax(b.cwiseAbs());
}

class RotationGroup : public Formulation {
  public:
    RotationGroup(const System& system, double largest_step_rotation, DexpInverse dexp_inverse)
        : system_(system),
          largest_step_rotation_(largest_step_rotation),
          dexp_inverse_(dexp_inverse),
          configuration_(system.initial_configuration()),
          velocity_(system.initial_velocity()),
          translations_(configuration_.position.size()) {}

    Eigen::Index size() const override { return 2 * (translations_ + 3); }

    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override {
        const Eigen::Vector3d u = y.segment<3>(translations_);
        const bool is_full = dexp_inverse_ == DexpInverse::full;
        return slope(y, is_full ? at(y) : Configuration{at(y).position, short_turn(u)});
    }
    Eigen::VectorXd slope_at_end(const Eigen::VectorXd& y) const override { return slope(y, at(y)); }

    void advance(const Eigen::VectorXd& y) override {
        configuration_ = at(y);
        configuration_.orientation = orthonormalized(configuration_.orientation);
        velocity_ += y.tail(velocity_.size());
    }

    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override {
        Eigen::VectorXd magnitude(size());
        const Eigen::VectorXd& x = configuration_.position;
        magnitude << larger(x, x + y.head(translations_)), Eigen::Vector3d::Ones(),
            larger(velocity_, velocity_ + y.tail(velocity_.size()));
        return magnitude;
    }

    Configuration configuration() const override { return configuration_; }
    Eigen::VectorXd velocity() const override { return velocity_; }

  private:
    Configuration at(const Eigen::VectorXd& y) const {
        return {configuration_.position + y.head(translations_),
                configuration_.orientation * rotation_exponential(y.segment<3>(translations_))};
    }
    // By the product of quaternions, which is nearly of unit length, taken as if it were.
    Eigen::Matrix3d short_turn(const Eigen::Vector3d& u) const {
        const Eigen::Vector4d q = quaternion_of(configuration_.orientation);
        return (Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * quaternion_exponential_to_sixth_power(u))
            .toRotationMatrix();
    }
    Eigen::VectorXd slope(const Eigen::VectorXd& y, const Configuration& configuration) const {
        const Eigen::Vector3d u = y.segment<3>(translations_);
        if (!(u.norm() <= largest_step_rotation_))
            throw StepFailure{"step_rotation_too_large", "a stage of the step turns by more than the largest rotation"};
        const Eigen::VectorXd velocity = velocity_ + y.tail(velocity_.size());
        const Eigen::Vector3d w = velocity.tail<3>();
        Eigen::VectorXd slope(size());
        slope << velocity.head(translations_),
            dexp_inverse_ == DexpInverse::full ? tangent_inverse(u, w) : tangent_inverse_to_two_commutators(u, w),
            system_.acceleration(configuration, velocity);
        return slope;
    }

    const System& system_;
    double largest_step_rotation_;
    DexpInverse dexp_inverse_;
    Configuration configuration_;
    Eigen::VectorXd velocity_;
    Eigen::Index translations_;
};

class UnitQuaternion : public Formulation {
  public:
    explicit UnitQuaternion(const System& system)
        : system_(system),
          position_(system.initial_configuration().position),
          p_(quaternion_of(system.initial_configuration().orientation)),
          velocity_(system.initial_velocity()),
          translations_(position_.size()) {}

    Eigen::Index size() const override { return 2 * translations_ + 7; }

    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override {
        return slope(y, p_ + y.segment<4>(translations_));
    }
    Eigen::VectorXd slope_at_end(const Eigen::VectorXd& y) const override {
        return slope(y, (p_ + y.segment<4>(translations_)).normalized());
    }
    void advance(const Eigen::VectorXd& y) override {
        position_ += y.head(translations_), velocity_ += y.tail(velocity_.size());
        p_ = (p_ + y.segment<4>(translations_)).normalized();
    }
    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override {
        Eigen::VectorXd magnitude(2 * velocity_.size());
        magnitude << larger(position_, position_ + y.head(translations_)), Eigen::Vector3d::Ones(),
            larger(velocity_, velocity_ + y.tail(velocity_.size()));
        return magnitude;
    }
    // d p is the rotation by twice the vector part of p conjugate d p, in the body frame.
    Eigen::VectorXd distance(const Eigen::VectorXd& difference) const override {
        const Eigen::Quaterniond turn = quaternion(p_).conjugate() * quaternion(difference.segment<4>(translations_));
        Eigen::VectorXd distance(2 * velocity_.size());
        distance << difference.head(translations_), 2.0 * turn.vec(), difference.tail(velocity_.size());
        return distance;
    }
    Configuration configuration() const override { return {position_, quaternion(p_).toRotationMatrix()}; }
    Eigen::VectorXd velocity() const override { return velocity_; }

  private:
    static Eigen::Quaterniond quaternion(const Eigen::Vector4d& p) { return {p[0], p[1], p[2], p[3]}; }
    Eigen::VectorXd slope(const Eigen::VectorXd& y, const Eigen::Vector4d& p) const {
        const Eigen::VectorXd velocity = velocity_ + y.tail(velocity_.size());
        const Eigen::Vector3d w = velocity.tail<3>();
        const Eigen::Quaterniond rate = quaternion(p) * Eigen::Quaterniond(0.0, w.x(), w.y(), w.z());
        Eigen::VectorXd slope(size());
        slope << velocity.head(translations_), 0.5 * rate.w(), 0.5 * rate.vec(),
            system_.acceleration({position_ + y.head(translations_), quaternion(p).toRotationMatrix()}, velocity);
        return slope;
    }

    const System& system_;
    Eigen::VectorXd position_;
    Eigen::Vector4d p_;
    Eigen::VectorXd velocity_;
    Eigen::Index translations_;
};

class OwnCoordinates : public Formulation {
  public:
    explicit OwnCoordinates(const System& system)
        : system_(system), position_(system.initial_configuration().position), velocity_(system.initial_velocity()) {}

    Eigen::Index size() const override { return 2 * position_.size(); }
    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override {
        const Eigen::VectorXd velocity = velocity_ + y.tail(velocity_.size());
        Eigen::VectorXd slope(size());
        slope << velocity, system_.acceleration({position_ + y.head(position_.size())}, velocity);
        return slope;
    }
    void advance(const Eigen::VectorXd& y) override {
        position_ += y.head(position_.size()), velocity_ += y.tail(velocity_.size());
    }
    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override {
        Eigen::VectorXd magnitude(size());
        magnitude << Eigen::VectorXd::Ones(position_.size()), larger(velocity_, velocity_ + y.tail(velocity_.size()));
        return magnitude;
    }
    Configuration configuration() const override { return {position_}; }
    Eigen::VectorXd velocity() const override { return velocity_; }

  private:
    const System& system_;
    Eigen::VectorXd position_, velocity_;
};

enum class ChartRate { angle_rates, body_rates };

class CardanChart : public Formulation {
  public:
    CardanChart(const System& system, ChartRate rate) : system_(system), rate_(rate) {
        const Configuration start = system.initial_configuration();
        const Eigen::VectorXd velocity = system.initial_velocity();
        translations_ = start.position.size();
        state_.resize(2 * (translations_ + 3));
        state_ << start.position, cardan_angles_of(start.orientation), velocity;
        if (rate_ == ChartRate::angle_rates) state_.tail<3>() = angle_rates(rho(state_), velocity.tail<3>());
    }

    Eigen::Index size() const override { return state_.size(); }

    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override {
        const Eigen::VectorXd state = state_ + y;
        const Eigen::VectorXd velocity = velocity_at(state);
        Eigen::VectorXd acceleration = system_.acceleration(configuration_at(state), velocity);
        Eigen::Vector3d rho_dot = state.tail<3>();
        if (rate_ == ChartRate::angle_rates) {
            const Eigen::Vector3d w_dot = acceleration.tail<3>();
            acceleration.tail<3>() =
                angle_rates(rho(state), w_dot - cardan_rate_matrix_derivative(rho(state), rho_dot) * rho_dot);
        } else {
            rho_dot = angle_rates(rho(state), velocity.tail<3>());
        }
        Eigen::VectorXd slope(size());
        slope << velocity.head(translations_), rho_dot, acceleration;
        return slope;
    }

    void advance(const Eigen::VectorXd& y) override { state_ += y; }

    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override {
        Eigen::VectorXd magnitude = larger(state_, state_ + y);
        magnitude.segment<3>(translations_).setOnes();
        return magnitude;
    }

    Configuration configuration() const override { return configuration_at(state_); }
    Eigen::VectorXd velocity() const override { return velocity_at(state_); }

  private:
    Eigen::Vector3d rho(const Eigen::VectorXd& state) const { return state.segment<3>(translations_); }

    Configuration configuration_at(const Eigen::VectorXd& state) const {
        return {state.head(translations_), cardan_rotation(rho(state))};
    }
    Eigen::VectorXd velocity_at(const Eigen::VectorXd& state) const {
        Eigen::VectorXd velocity = state.tail(translations_ + 3);
        if (rate_ == ChartRate::angle_rates) velocity.tail<3>() = cardan_rate_matrix(rho(state)) * state.tail<3>();
        return velocity;
    }
    // G(rho)^-1 w.
    static Eigen::Vector3d angle_rates(const Eigen::Vector3d& rho, const Eigen::Vector3d& w) {
        if (!(std::abs(std::cos(rho[1])) >= smallest_cosine))
            throw StepFailure{"chart_singular", "cos beta is zero: the Cardan angles have no rates there"};
        return cardan_rate_matrix(rho).partialPivLu().solve(w);
    }

    const System& system_;
    ChartRate rate_;
    Eigen::Index translations_;
    Eigen::VectorXd state_;
};

}  // namespace

namespace {

using Made = std::unique_ptr<Formulation>;
struct NamedFormulation {
    const char* name;
    Made (*make)(const System& system, double largest_step_rotation_rad, DexpInverse dexp_inverse);
};
constexpr NamedFormulation formulations[] = {
    {"rotation",
     [](const System& system, double largest, DexpInverse dexp_inverse) -> Made {
         return std::make_unique<RotationGroup>(system, largest, dexp_inverse);
     }},
    {"euler_parameters",
     [](const System& system, double, DexpInverse) -> Made { return std::make_unique<UnitQuaternion>(system); }},
    {"cardan_xyz",
     [](const System& system, double, DexpInverse) -> Made {
         return std::make_unique<CardanChart>(system, ChartRate::angle_rates);
     }},
    {"cardan_xyz_body_rate", [](const System& system, double, DexpInverse) -> Made {
         return std::make_unique<CardanChart>(system, ChartRate::body_rates);
     }}};

}  // namespace

std::vector<std::string> formulation_names() {
    std::vector<std::string> names;
    for (const NamedFormulation& formulation : formulations) names.emplace_back(formulation.name);
    return names;
}

std::unique_ptr<Formulation> make_formulation(const std::string& name, const System& system,
                                              double largest_step_rotation_rad, DexpInverse dexp_inverse) {
    const bool has_own_coordinates = system.initial_velocity().size() == system.initial_configuration().position.size();
    std::string list;
    for (const NamedFormulation& formulation : formulations) {
        if (name == formulation.name)
            return has_own_coordinates ? std::make_unique<OwnCoordinates>(system)
                                       : formulation.make(system, largest_step_rotation_rad, dexp_inverse);
        list += (list.empty() ? "" : ", ") + std::string(formulation.name);
    }
    throw UserError(ExitCode::usage_or_input, "chart " + name, "there is no such chart", "the charts are: " + list);
}

}  // namespace myriad::reference
