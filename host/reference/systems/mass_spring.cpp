#include "host/reference/systems/mass_spring.hpp"

#include "host/reference/energy_momentum/livens_formula.hpp"
#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Vector3d, Eigen::VectorXd;

struct MassSpring {
    Eigen::Matrix3d mass = Eigen::Matrix3d::Zero();
    double stiffness_1, stiffness_2, factor, rest_length_1, rest_length_2, distance;
    Vector3d initial_coordinates, initial_rate;

    explicit MassSpring(const Parameters& parameters) {
        ParameterReader reader("mass_spring", parameters);
        const double mass_1 = reader.required("mass_kg[0]"), mass_2 = reader.required("mass_kg[1]");
        if (!(mass_1 > 0.0 && mass_2 > 0.0)) throw InvalidParameter("mass_kg is not positive");
        mass << mass_1, 0.0, 0.0, 0.0, mass_2, mass_2, 0.0, mass_2, mass_2;
        stiffness_1 = reader.required("stiffness_N_m[0]"), stiffness_2 = reader.required("stiffness_N_m[1]");
        rest_length_1 = reader.required("rest_length_m[0]"), rest_length_2 = reader.required("rest_length_m[1]");
        distance = rest_length_1 + reader.required("width_m");
        if (!(distance > 0.0)) throw InvalidParameter("rest_length_m[0] and width_m have no positive sum");
        factor = reader.required("potential_factor");
        const double x1 = reader.required("initial_elongation_m[0]"), x2 = reader.required("initial_elongation_m[1]");
        initial_coordinates = {x1, x1 + distance, x2};
        initial_rate = reader.required_vector("initial_rate_m_s");
        // Onto g' = 0, moved least.
        initial_rate.head<2>().setConstant(0.5 * (initial_rate[0] + initial_rate[1]));
        reader.refuse_unknown_names();
    }

    template <class Vector>
    auto potential(const Vector& q) const {
        const auto first = q[0] * q[0], second = q[2] * q[2];
        return factor * (stiffness_1 * (first + first * first) + stiffness_2 * (second + second * second));
    }
    template <class Vector>
    auto constraint(const Vector& q) const {
        const auto gap = q[1] - q[0];
        return 0.5 * (gap * gap - distance * distance);
    }
};

class MassSpringSystem final : public System {
  public:
    explicit MassSpringSystem(const Parameters& parameters) : model_(parameters) {}

    Configuration initial_configuration() const override { return {model_.initial_coordinates}; }
    VectorXd initial_velocity() const override { return model_.initial_rate; }

    // M q'' + B^T lambda = -V', B q'' = -(q2' - x1')^2.
    VectorXd acceleration(const Configuration& configuration, const VectorXd& v) const override {
        const VectorXd& q = configuration.position;
        const double gap = q[1] - q[0];
        Eigen::Matrix4d matrix = Eigen::Matrix4d::Zero();
        matrix.topLeftCorner<3, 3>() = model_.mass;
        matrix.topRightCorner<3, 1>() = Vector3d(-gap, gap, 0.0);
        matrix.bottomLeftCorner<1, 3>() = matrix.topRightCorner<3, 1>().transpose();
        const auto slope = [&](double k, double x) { return model_.factor * k * (2.0 * x + 4.0 * x * x * x); };
        const double gap_rate = v[1] - v[0];
        const Eigen::Vector4d right(-slope(model_.stiffness_1, q[0]), 0.0, -slope(model_.stiffness_2, q[2]),
                                    -gap_rate * gap_rate);
        return matrix.fullPivLu().solve(right).head<3>();
    }

    Observables observe(const Configuration& configuration, const VectorXd& v) const override {
        const VectorXd& q = configuration.position;
        VectorXd places = VectorXd::Zero(6), speeds = VectorXd::Zero(6), still(8);
        places[0] = model_.rest_length_1 + q[0], places[3] = q[1] + model_.rest_length_2 + q[2];
        speeds[0] = v[0], speeds[3] = v[1] + v[2];
        still << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
        return {{"position", places},
                {"orientation", still},
                {"velocity", speeds},
                {"angular_velocity", VectorXd::Zero(6)},
                {"coordinates", q},
                {"rates", v},
                {"energy", VectorXd::Constant(1, 0.5 * v.dot(model_.mass * v) + model_.potential(q))},
                {"kinetic_energy", VectorXd::Constant(1, 0.5 * v.dot(model_.mass * v))}};
    }

  private:
    MassSpring model_;
};

class LivensMassSpring final : public LivensFormula {
  public:
    explicit LivensMassSpring(const Parameters& parameters) : model_(parameters) {}

    Index coordinates() const override { return 3; }
    Index constraints() const override { return 1; }
    VectorXd initial_coordinates() const override { return model_.initial_coordinates; }
    VectorXd initial_rate() const override { return model_.initial_rate; }

    LivensDerivatives kinetic(LivensRule, const LivensStep& step) const override {
        return {model_.mass.cast<Number>() * step.v_half(), Numbers(constants(VectorXd::Zero(3)))};
    }
    // The constraint is quadratic: its gradient at mid-step is Gonzalez'.
    Numbers force(LivensRule rule, const LivensStep& step) const override {
        const auto V = [&](const auto& q) { return model_.potential(q); };
        const auto g = [&](const auto& q) { return model_.constraint(q); };
        const Numbers half = step.q_half();
        const Numbers slope =
            rule == LivensRule::midpoint ? gradient_of(V, half) : gonzalez_gradient(V, step.q, step.q_end);
        return -slope - gradient_of(g, half) * step.multipliers[0];
    }
    Numbers constraint(const LivensStep& step) const override {
        return Numbers::Constant(1, model_.constraint(step.q_end));
    }
    VectorXd momentum(const VectorXd&, const VectorXd& v) const override { return model_.mass * v; }
    VectorXd rate(const VectorXd&, const VectorXd&, const VectorXd& v) const override { return v; }
    double kinetic_energy(const VectorXd&, const VectorXd& v) const override { return 0.5 * v.dot(model_.mass * v); }
    double potential_energy(const VectorXd& q) const override { return model_.potential(q); }
    double constraint_residual(const VectorXd& q) const override { return std::abs(model_.constraint(q)); }
    double constraint_rate(const VectorXd& q, const VectorXd& v) const override {
        return std::abs((q[1] - q[0]) * (v[1] - v[0]));
    }
    Configuration configuration(const VectorXd& q) const override { return {q}; }
    VectorXd velocity(const VectorXd&, const VectorXd& v) const override { return v; }

  private:
    MassSpring model_;
};

}  // namespace

std::unique_ptr<System> mass_spring(const Parameters& parameters) {
    return std::make_unique<MassSpringSystem>(parameters);
}

std::unique_ptr<LivensFormula> livens_mass_spring(const Parameters& parameters) {
    return std::make_unique<LivensMassSpring>(parameters);
}

}  // namespace myriad::reference
