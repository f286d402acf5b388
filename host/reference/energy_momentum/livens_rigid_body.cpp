#include "host/reference/energy_momentum/livens_rigid_body.hpp"

#include "host/reference/energy_momentum/livens_formula.hpp"
#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

RotationDerivatives rotation_kinetic(LivensRule rule, const Matrix3d& inertia, const NumberQuaternion& q,
                                     const NumberQuaternion& v, const NumberQuaternion& q_end,
                                     const NumberQuaternion& v_end) {
    const Number half(0.5), two(2.0);
    const NumberQuaternion q_half = (q + q_end) * half, v_half = (v + v_end) * half;
    const NumberVector turning = rule == LivensRule::energy_momentum
                                     ? NumberVector(G_times<Number>(q, v) + G_times<Number>(q_end, v_end))
                                     : NumberVector(G_times<Number>(q_half, v_half) * two);
    const NumberVector spin = inertia.cast<Number>() * turning;
    return {G_transposed_times<Number>(q_half, spin) * two, G_transposed_times<Number>(v_half, spin) * Number(-2.0)};
}

Quaternion rotation_momentum(const Matrix3d& inertia, const Quaternion& q, const Quaternion& v) {
    return 2.0 * G_transposed_times<double>(q, inertia * angular_velocity_of_rate(q, v));
}

Vector3d angular_velocity_of_momentum(const Matrix3d& inertia, const Quaternion& q, const Quaternion& p) {
    return inertia.fullPivLu().solve(0.5 * G_times<double>(q, p));
}

namespace {

// T* of quaternion and momentum, stacked.
template <class Vector>
auto rotation_cokinetic(const Matrix3d& inverse_inertia, double trace, InverseMass inverse_mass, const Vector& qp) {
    using Scalar = typename Vector::Scalar;
    const QuaternionOf<Scalar> q = qp.template head<4>(), p = qp.template tail<4>();
    const VectorOf<Scalar> pi = G_times<Scalar>(q, p) * Scalar(0.5);
    const Scalar s = q.dot(p), length = q.dot(q);
    const Scalar energy = pi.dot(inverse_inertia.cast<Scalar>() * pi) * Scalar(0.5) + s * s * Scalar(0.25 / trace);
    return inverse_mass == InverseMass::exact ? energy / (length * length) : energy;
}

// A body about a fixed point, or free with the position of its centre of mass before the quaternion.
class LivensRigidBody final : public LivensFormula {
  public:
    double mass = 0.0;
    Matrix3d inertia;
    Vector3d weight = Vector3d::Zero();          // world
    Vector3d centre_of_mass = Vector3d::Zero();  // from the point q turns about
    bool is_free = false;
    Vector3d position = Vector3d::Zero(), velocity_of_position = Vector3d::Zero(), rotation_vector, angular_velocity;
    InverseMass inverse_mass = InverseMass::at_unit_length;

    Index coordinates() const override { return translations() + 4; }
    Index constraints() const override { return 1; }
    VectorXd initial_coordinates() const override {
        return stacked(position, quaternion_of(rotation_exponential(rotation_vector)));
    }
    VectorXd initial_rate() const override {
        const Quaternion q = initial_coordinates().tail<4>();
        return stacked(velocity_of_position, rate_of_angular_velocity(q, angular_velocity));
    }

    LivensDerivatives kinetic(LivensRule rule, const LivensStep& step) const override {
        const RotationDerivatives rotation = rotation_kinetic(rule, inertia, step.q.tail<4>(), step.v.tail<4>(),
                                                              step.q_end.tail<4>(), step.v_end.tail<4>());
        LivensDerivatives result{constants(VectorXd::Zero(coordinates())), constants(VectorXd::Zero(coordinates()))};
        result.by_rate.head(translations()) = step.v_half().head(translations()) * Number(mass);
        result.by_rate.tail<4>() = rotation.by_rate;
        result.by_coordinates.tail<4>() = rotation.by_coordinates;
        return result;
    }

    LivensDerivatives cokinetic(LivensRule rule, const LivensStep& step) const override {
        const Matrix3d inverse = inertia.inverse();
        const double trace = inertia.trace();
        const auto stack = [](const Numbers& q, const Numbers& p) {
            Numbers both(8);
            both << q.tail<4>(), p.tail<4>();
            return both;
        };
        const NumberQuaternion q = step.q_half().tail<4>(), p = step.p_half().tail<4>();
        LivensDerivatives result{constants(VectorXd::Zero(coordinates())), constants(VectorXd::Zero(coordinates()))};
        result.by_rate.head(translations()) = step.p_half().head(translations()) * Number(1.0 / mass);
        if (rule == LivensRule::midpoint) {
            const Numbers gradient =
                gradient_of([&](const auto& x) { return rotation_cokinetic(inverse, trace, inverse_mass, x); },
                            stack(step.q_half(), step.p_half()));
            result.by_coordinates.tail<4>() = gradient.head<4>();
            result.by_rate.tail<4>() = gradient.tail<4>();
            return result;
        }
        // (pi, s) is bilinear in q and p, like W in q and v.
        const NumberVector pi = (G_times<Number>(step.q.tail<4>(), step.p.tail<4>()) +
                                 G_times<Number>(step.q_end.tail<4>(), step.p_end.tail<4>())) *
                                Number(0.25);
        const Number s = (step.q.tail<4>().dot(step.p.tail<4>()) + step.q_end.tail<4>().dot(step.p_end.tail<4>())) *
                         Number(0.25 / trace);
        const NumberVector turning = inverse.cast<Number>() * pi * Number(0.5);
        result.by_rate.tail<4>() = G_transposed_times<Number>(q, turning) + q * s;
        result.by_coordinates.tail<4>() = p * s - G_transposed_times<Number>(p, turning);
        return result;
    }

    Numbers force(LivensRule, const LivensStep& step) const override {
        Numbers result = constants(VectorXd::Zero(coordinates()));
        const NumberQuaternion q = step.q_half().tail<4>();
        result.head(translations()) = constants(weight.head(translations()));
        result.tail<4>() = q * (-step.multipliers[0]);
        if (!is_free)
            result.tail<4>() += gradient_of_turned<Number>(weight.cast<Number>(), q, centre_of_mass.cast<Number>());
        return result;
    }
    Numbers constraint(const LivensStep& step) const override {
        const NumberQuaternion q = step.q_end.tail<4>();
        return Numbers::Constant(1, (q.dot(q) - Number(1.0)) * Number(0.5));
    }

    VectorXd momentum(const VectorXd& q, const VectorXd& v) const override {
        return stacked(mass * v.head(translations()), rotation_momentum(inertia, q.tail<4>(), v.tail<4>()));
    }
    VectorXd rate(const VectorXd& q, const VectorXd& p, const VectorXd&) const override {
        const Vector3d turning = angular_velocity_of_momentum(inertia, q.tail<4>(), p.tail<4>());
        return stacked(p.head(translations()) / mass, rate_of_angular_velocity(q.tail<4>(), turning));
    }
    double kinetic_energy(const VectorXd& q, const VectorXd& v) const override {
        const Vector3d turning = angular_velocity_of_rate(q.tail<4>(), v.tail<4>());
        return 0.5 * mass * v.head(translations()).squaredNorm() + 0.5 * turning.dot(inertia * turning);
    }
    double potential_energy(const VectorXd& q) const override {
        return is_free ? -weight.dot(q.head<3>()) : -weight.dot(turned<double>(q.tail<4>(), centre_of_mass));
    }
    double constraint_residual(const VectorXd& q) const override {
        return 0.5 * std::abs(q.tail<4>().squaredNorm() - 1.0);
    }
    double constraint_rate(const VectorXd& q, const VectorXd& v) const override {
        return std::abs(q.tail<4>().dot(v.tail<4>()));
    }
    VectorXd momentum_map(const VectorXd& q, const VectorXd& p) const override {
        return 0.5 * E_times<double>(q.tail<4>(), p.tail<4>());
    }
    Configuration configuration(const VectorXd& q) const override {
        return {q.head(translations()), rotation_matrix_of(q.tail<4>())};
    }
    VectorXd velocity(const VectorXd& q, const VectorXd& v) const override {
        VectorXd result(translations() + 3);
        result << v.head(translations()), angular_velocity_of_rate(q.tail<4>(), v.tail<4>());
        return result;
    }

  private:
    Index translations() const { return is_free ? 3 : 0; }
    VectorXd stacked(const VectorXd& translation, const Quaternion& rotation) const {
        VectorXd result(coordinates());
        result << translation.head(translations()), rotation;
        return result;
    }
};

}  // namespace

std::unique_ptr<LivensFormula> livens_heavy_top(const Parameters& parameters, InverseMass inverse_mass) {
    ParameterReader reader("heavy_top", parameters);
    auto body = std::make_unique<LivensRigidBody>();
    const double mass = reader.mass();
    const Vector3d s = reader.required_vector("centre_of_mass_m");
    body->centre_of_mass = s;
    body->inertia = reader.inertia() + mass * (s.squaredNorm() * Matrix3d::Identity() - s * s.transpose());
    body->weight = {0.0, 0.0, -mass * reader.required("gravity_m_s2")};
    body->rotation_vector = reader.optional_vector("initial_rotation_vector_rad", Vector3d::Zero());
    body->angular_velocity = reader.required_vector("initial_angular_velocity_rad_s");
    body->inverse_mass = inverse_mass;
    return body;
}

std::unique_ptr<LivensFormula> livens_free_rigid_body(const Parameters& parameters, InverseMass inverse_mass) {
    const Vector3d zero = Vector3d::Zero();
    ParameterReader reader("free_rigid_body", parameters);
    auto body = std::make_unique<LivensRigidBody>();
    body->is_free = true;
    body->mass = reader.mass();
    body->inertia = reader.inertia();
    body->weight = body->mass * reader.optional_vector("gravity_m_s2", zero);
    body->position = reader.optional_vector("initial_position_m", zero);
    body->velocity_of_position = reader.optional_vector("initial_velocity_m_s", zero);
    body->rotation_vector = reader.optional_vector("initial_rotation_vector_rad", zero);
    body->angular_velocity = reader.required_vector("initial_angular_velocity_rad_s");
    body->inverse_mass = inverse_mass;
    return body;
}

}  // namespace myriad::reference
