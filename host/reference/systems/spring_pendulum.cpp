#include "host/reference/systems/spring_pendulum.hpp"

#include "host/reference/energy_momentum/livens_formula.hpp"
#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Vector3d, Eigen::VectorXd;

struct SpringPendulum {
    double mass, axial_stiffness, rest_length;
    Vector3d initial_coordinates, initial_rate, load;
    double load_rate;

    explicit SpringPendulum(const Parameters& parameters) {
        ParameterReader reader("spring_pendulum", parameters);
        mass = reader.mass();
        axial_stiffness = reader.required("axial_stiffness_N_m");
        rest_length = reader.required("rest_length_m");
        if (!(rest_length > 0.0)) throw InvalidParameter("rest_length_m is not positive");
        initial_coordinates = {reader.required("initial_length_m"), reader.required("initial_angle_rad[0]"),
                               reader.required("initial_angle_rad[1]")};
        initial_rate = {reader.required("initial_length_rate_m_s"), reader.required("initial_rate_rad_s[0]"),
                        reader.required("initial_rate_rad_s[1]")};
        load = reader.optional_vector("load_N", Vector3d::Zero());
        load_rate = reader.optional("load_rate_rad_s", 0.0);
        reader.refuse_unknown_names();
    }

    // F . position, whose gradient at the time is the load.
    template <class Vector>
    auto pushed(const Vector& q) const {
        using std::sin, std::cos;
        const auto across = q[0] * sin(q[1]);
        return load[0] * (across * cos(q[2])) + load[1] * (across * sin(q[2])) + load[2] * (q[0] * cos(q[1]));
    }

    // The diagonal of M(q).
    template <class Vector>
    Vector masses(const Vector& q) const {
        using std::sin;
        const auto of_theta = mass * q[0] * q[0], sine = sin(q[1]);
        Vector diagonal(3);
        diagonal << typename Vector::Scalar(mass), of_theta, of_theta * sine * sine;
        return diagonal;
    }
    template <class Vector>
    auto kinetic(const Vector& q, const Vector& v) const {
        return 0.5 * v.dot(masses<Vector>(q).cwiseProduct(v));
    }
    template <class Vector>
    auto potential(const Vector& q) const {
        const auto strain = (q[0] * q[0] - rest_length * rest_length) * (0.5 / (rest_length * rest_length));
        return 0.5 * axial_stiffness * (strain * strain);
    }
};

class SpringPendulumSystem final : public System {
  public:
    explicit SpringPendulumSystem(const Parameters& parameters) : model_(parameters) {}

    Configuration initial_configuration() const override { return {model_.initial_coordinates}; }
    VectorXd initial_velocity() const override { return model_.initial_rate; }

    VectorXd acceleration(const Configuration& configuration, const VectorXd& v) const override {
        if (!model_.load.isZero()) throw std::logic_error("this acceleration knows no time, so no load either");
        const double r = configuration.position[0], theta = configuration.position[1], l = model_.rest_length;
        const double sine = std::sin(theta), cosine = std::cos(theta);
        const double tension = model_.axial_stiffness * 0.5 * (r * r - l * l) / (l * l) * r / (l * l);
        return Vector3d(r * (v[1] * v[1] + sine * sine * v[2] * v[2]) - tension / model_.mass,
                        sine * cosine * v[2] * v[2] - 2.0 * v[0] * v[1] / r,
                        -2.0 * v[2] * (v[0] / r + v[1] * cosine / sine));
    }

    Observables observe(const Configuration& configuration, const VectorXd& v) const override {
        const VectorXd& q = configuration.position;
        const double r = q[0], sine = std::sin(q[1]), cosine = std::cos(q[1]);
        const Vector3d outwards(sine * std::cos(q[2]), sine * std::sin(q[2]), cosine),
            down(cosine * std::cos(q[2]), cosine * std::sin(q[2]), -sine), around(-std::sin(q[2]), std::cos(q[2]), 0.0);
        return {{"position", r * outwards},
                {"orientation", Eigen::Vector4d::Unit(0)},
                {"velocity", v[0] * outwards + r * v[1] * down + r * sine * v[2] * around},
                {"angular_velocity", Vector3d::Zero()},
                {"coordinates", q},
                {"rates", v},
                {"energy", VectorXd::Constant(1, model_.kinetic(q, v) + model_.potential(q))},
                {"kinetic_energy", VectorXd::Constant(1, model_.kinetic(q, v))},
                {"angular_momentum_z", VectorXd::Constant(1, model_.masses(q)[2] * v[2])}};
    }

  private:
    SpringPendulum model_;
};

class LivensSpringPendulum final : public LivensFormula {
  public:
    explicit LivensSpringPendulum(const Parameters& parameters) : model_(parameters) {}

    Index coordinates() const override { return 3; }
    Index constraints() const override { return 0; }
    VectorXd initial_coordinates() const override { return model_.initial_coordinates; }
    VectorXd initial_rate() const override { return model_.initial_rate; }

    // Partitioned: by v with q at either end, by q with v at either end, averaged (livens eq. 83, appendix A).
    LivensDerivatives kinetic(LivensRule rule, const LivensStep& step) const override {
        const auto T_of_q = [&](const Numbers& v) {
            return [&](const auto& q) {
                using Vector = std::decay_t<decltype(q)>;
                Vector rate(3);
                for (Index i = 0; i < 3; ++i) rate[i] = typename Vector::Scalar(), lift(v[i], rate[i]);
                return model_.kinetic<Vector>(q, rate);
            };
        };
        const Numbers half = step.v_half();
        if (rule == LivensRule::midpoint)
            return {model_.masses(step.q_half()).cwiseProduct(half), gradient_of(T_of_q(half), step.q_half())};
        const Numbers mean_mass = (model_.masses(step.q) + model_.masses(step.q_end)) * Number(0.5);
        return {mean_mass.cwiseProduct(half), (gonzalez_gradient(T_of_q(step.v), step.q, step.q_end) +
                                               gonzalez_gradient(T_of_q(step.v_end), step.q, step.q_end)) *
                                                  Number(0.5)};
    }
    Numbers force(LivensRule rule, const LivensStep& step) const override {
        const auto V = [&](const auto& q) { return model_.potential(q); };
        return load(step) - (rule == LivensRule::midpoint ? gradient_of(V, step.q_half())
                                                          : gonzalez_gradient(V, step.q, step.q_end));
    }
    double work(LivensRule, const LivensStep& step) const override {
        return plain(load(step)).dot(plain(step.q_end - step.q));
    }
    Numbers constraint(const LivensStep&) const override { return Numbers(0); }
    VectorXd momentum(const VectorXd& q, const VectorXd& v) const override { return model_.masses(q).cwiseProduct(v); }
    VectorXd rate(const VectorXd& q, const VectorXd& p, const VectorXd&) const override {
        return p.cwiseQuotient(model_.masses(q));
    }
    double kinetic_energy(const VectorXd& q, const VectorXd& v) const override { return model_.kinetic(q, v); }
    double potential_energy(const VectorXd& q) const override { return model_.potential(q); }
    double constraint_residual(const VectorXd&) const override { return 0.0; }
    Configuration configuration(const VectorXd& q) const override { return {q}; }
    VectorXd velocity(const VectorXd&, const VectorXd& v) const override { return v; }

  private:
    Numbers load(const LivensStep& step) const {
        return gradient_of([&](const auto& q) { return model_.pushed(q); }, step.q_half()) *
               Number(std::cos(model_.load_rate * step.mid_s));
    }
    static void lift(const Number& v, Number& rate) { rate = v; }
    static void lift(const Number& v, Differentiated<Number, 1>& rate) { rate.value = v; }

    SpringPendulum model_;
};

}  // namespace

std::unique_ptr<System> spring_pendulum(const Parameters& parameters) {
    return std::make_unique<SpringPendulumSystem>(parameters);
}

std::unique_ptr<LivensFormula> livens_spring_pendulum(const Parameters& parameters) {
    return std::make_unique<LivensSpringPendulum>(parameters);
}

}  // namespace myriad::reference
