// A ball that falls on the ground and bounces, as a mass point at height y.
//
//   m y'' = -m g + l,   gap = y
//   impacts at t_0 = (v_0 + sqrt(v_0^2 + 2 g y_0))/g, then 2 w e^k/g apart, w the speed of the first; at rest from
//   t_0 + 2 w e/(g (1 - e)) on
//
// Source: textbook; the defaults are assumed. Not handled: drag, spin, the ball's radius.
#pragma once
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct BouncingBallParameters {
    using Real = R;
    Real mass, gravity, restitution, initial_height, initial_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"});
        visit(restitution, {"normal_restitution", "1", 0.5, "Newton's coefficient of restitution (assumed)"});
        visit(initial_height, {"initial_height_m", "m", 1.0, "initial gap (assumed)"});
        visit(initial_velocity, {"initial_velocity_m_s", "m/s", 0.0, "initial velocity, upwards (assumed)"});
    }
};

template <class R, template <class> class ChartOf>
struct BouncingBall : VectorCoordinates<1, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<1, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 1, tangents = 0, invariant_count = 0, bodies = 1, channel_count = body_channels + 1;
    using NamedParameters = BouncingBallParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "bouncing_ball";

    Real mass_kg, gravity, restitution;

    static MYRIAD_HD Prepared<BouncingBall> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        Prepared<BouncingBall> made{{{}, p.mass, p.gravity, p.restitution}, finite_reason(values), Real(0.0)};
        made.reason = reason_unless(Real(0.0) < p.mass, Reason::mass_not_positive, made.reason);
        check_contact_laws(made.system, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q[0] = p.initial_height, v[0] = p.initial_velocity;
    }

    MYRIAD_HD SquareMatrix<1, Real> mass(const Configuration&) const { return {{{mass_kg}}}; }
    MYRIAD_HD Velocity force(const Configuration&, const Velocity&, Real) const { return {-(mass_kg * gravity)}; }
    MYRIAD_HD TangentMatrices<1, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {zero_matrix<1, Real>(), zero_matrix<1, Real>()};
    }
    MYRIAD_HD ContactState<1, 1, 0, Real> contact_state(const Configuration& q) const {
        return {{q[0]}, {{Real(1.0)}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return {Real(0.0), restitution, Real(0.0)}; }
    MYRIAD_HD MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        return mass_kg * fma(Real(0.5) * v[0], v[0], gravity * q[0]);
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        const Real zero(0.0);
        if (index < body_channels) return planar_body(zero, q[0], zero, zero, v[0], zero).channel(index);
        return energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "ball that falls on the ground and bounces, gravity along -y";
    static constexpr const char* source = "textbook; defaults assumed";
    static constexpr const char* body_names[bodies] = {"ball"};
    static constexpr const auto& parameters = parameter_list<BouncingBallParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "lowest point of the ball"},
        {"orientation", "1", "body to world", "w x y z", true, "always the identity"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "always zero"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential on the ground"},
    };
    static constexpr NoChannels invariants_kept{};
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
