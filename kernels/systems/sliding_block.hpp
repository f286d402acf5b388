// A block on an incline with dry friction: slides in any direction of the plane, sticks, bounces.
//
//   coordinates: s down the incline, w across it, z along its normal;  m q'' = m g (sin a, 0, -cos a) + W l,  gap = z
//   it sticks where tan a <= mu; else it slides down with g (sin a - mu cos a); thrown straight uphill or downhill with
//   v it decelerates by g (mu cos a +- sin a)
//
// Source: textbook; the defaults are assumed. Not handled: tipping and turning of the block.
#pragma once
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct SlidingBlockParameters {
    using Real = R;
    Real mass, gravity, incline;
    ContactLaw<Real> law;
    Vec<3, Real> initial_position, initial_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity, downwards"});
        visit(incline, {"incline_rad", "rad", 0.3, "angle of the incline (assumed)"});
        visit(law.friction, {"friction", "1", 0.2, "coefficient of Coulomb's friction (assumed)"});
        visit(law.normal_restitution,
              {"normal_restitution", "1", 0.0, "Newton's coefficient of restitution, normal (assumed)"});
        visit(law.tangential_restitution,
              {"tangential_restitution", "1", 0.0, "Newton's coefficient of restitution, tangential (assumed)"});
        visit(initial_position[0], {"initial_position_m[0]", "m", 0.0, "initial position down the incline"});
        visit(initial_position[1], {"initial_position_m[1]", "m", 0.0, "initial position across the incline"});
        visit(initial_position[2],
              {"initial_position_m[2]", "m", 0.0, "initial position along the incline's normal: the initial gap"});
        visit(initial_velocity[0],
              {"initial_velocity_m_s[0]", "m/s", 1.0, "initial velocity down the incline (assumed)"});
        visit(initial_velocity[1], {"initial_velocity_m_s[1]", "m/s", 0.0, "initial velocity across the incline"});
        visit(initial_velocity[2],
              {"initial_velocity_m_s[2]", "m/s", 0.0, "initial velocity along the incline's normal"});
    }
};

template <class R, template <class> class ChartOf>
struct SlidingBlock : VectorCoordinates<3, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<3, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 1, tangents = 2, invariant_count = 0, bodies = 1, channel_count = body_channels + 8;
    using NamedParameters = SlidingBlockParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "sliding_block";

    Real mass_kg, gravity, sine, cosine;
    ContactLaw<Real> contact_law;

    static MYRIAD_HD Prepared<SlidingBlock> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const SineCosine<Real> incline = sincos(p.incline);
        Prepared<SlidingBlock> made{
            {{}, p.mass, p.gravity, incline.sine, incline.cosine, p.law}, finite_reason(values), Real(0.0)};
        made.reason = reason_unless(Real(0.0) < p.mass, Reason::mass_not_positive, made.reason);
        check_contact_laws(made.system, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q = p.initial_position, v = p.initial_velocity;
    }

    MYRIAD_HD SquareMatrix<3, Real> mass(const Configuration&) const {
        const Real o(0.0);
        return {{{mass_kg, o, o}, {o, mass_kg, o}, {o, o, mass_kg}}};
    }
    MYRIAD_HD Velocity force(const Configuration&, const Velocity&, Real) const {
        const Real weight = mass_kg * gravity;
        return {weight * sine, Real(0.0), -(weight * cosine)};
    }
    MYRIAD_HD TangentMatrices<3, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {zero_matrix<3, Real>(), zero_matrix<3, Real>()};
    }
    MYRIAD_HD ContactState<3, 1, 2, Real> contact_state(const Configuration& q) const {
        const Real o(0.0), l(1.0);
        return {{q[2]}, {{o, o, l}, {l, o, o}, {o, l, o}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return contact_law; }
    MYRIAD_HD MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real height(const Configuration& q) const { return fma(cosine, q[2], -(sine * q[0])); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        return mass_kg * fma(Real(0.5), inner(v, v), gravity * height(q));
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    // World: x along the horizontal of the fall line, y across, z upwards.
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < body_channels) {
            const Real o(0.0);
            const BodyState<Real> body{{fma(cosine, q[0], sine * q[2]), q[1], height(q)},
                                       exp_any(Vec<3, Real>{o, o, o}),
                                       {fma(cosine, v[0], sine * v[2]), v[1], height(v)},
                                       {o, o, o}};
            return body.channel(index);
        }
        const int own = index - body_channels;
        if (own < 3) return q[own];
        if (own < 6) return v[own - 3];
        return own == 6 ? sqrt(fma(v[0], v[0], v[1] * v[1])) : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "block on an incline with dry friction, which sticks, slides and bounces";
    static constexpr const char* source = "textbook; defaults assumed";
    static constexpr const char* body_names[bodies] = {"block"};
    static constexpr const auto& parameters = parameter_list<SlidingBlockParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "the block; x horizontal along the fall line, z upwards"},
        {"orientation", "1", "body to world", "w x y z", true, "always the identity"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "always zero"},
        {"place", "m", "incline", "x y z", false, "down the incline, across it, along its normal"},
        {"rate", "m/s", "incline", "x y z", false, "its rate"},
        {"slip", "m/s", "", "", false, "speed along the incline"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential at the origin"},
    };
    static constexpr NoChannels invariants_kept{};
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
