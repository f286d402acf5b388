// A disc in a vertical plane that is thrown onto a floor: slides, then rolls.
//
//   coordinates x, y of the centre and the angle a about z;  M = diag(m, m, J),  gap = y - r,  slip u = x' + r a'
//   sliding with u_0 > 0 on the floor it decelerates by mu g and its rate grows by -mu g m r / J, until after
//   t = u_0 / (mu g (1 + m r^2 / J)) it rolls, x' = x_0' - mu g t and r a' = -x' from then on
//
// Source: textbook; the defaults (a uniform disc) are assumed. Not handled: rolling resistance.
#pragma once
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct RollingDiscParameters {
    using Real = R;
    Real mass, inertia, radius, gravity, initial_angle, initial_rate;
    ContactLaw<Real> law;
    Vec<2, Real> initial_position, initial_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(inertia, {"inertia_kg_m2", "kg m^2", 0.005, "about the centre of mass (assumed: a uniform disc)"});
        visit(radius, {"radius_m", "m", 0.1, "radius (assumed)"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"});
        visit(law.friction, {"friction", "1", 0.2, "coefficient of Coulomb's friction (assumed)"});
        visit(law.normal_restitution,
              {"normal_restitution", "1", 0.0, "Newton's coefficient of restitution, normal (assumed)"});
        visit(law.tangential_restitution,
              {"tangential_restitution", "1", 0.0, "Newton's coefficient of restitution, tangential (assumed)"});
        visit(initial_position[0], {"initial_position_m[0]", "m", 0.0, "initial position of the centre, x"});
        visit(initial_position[1], {"initial_position_m[1]", "m", 0.0, "initial gap"});
        visit(initial_angle, {"initial_angle_rad", "rad", 0.0, "initial angle about z"});
        visit(initial_velocity[0],
              {"initial_velocity_m_s[0]", "m/s", 1.0, "initial velocity of the centre, x (assumed)"});
        visit(initial_velocity[1], {"initial_velocity_m_s[1]", "m/s", 0.0, "initial velocity of the centre, y"});
        visit(initial_rate, {"initial_rate_rad_s", "rad/s", 0.0, "initial rate about z"});
    }
};

template <class R, template <class> class ChartOf>
struct RollingDisc : VectorCoordinates<3, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<3, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 1, tangents = 1, invariant_count = 0, bodies = 1, channel_count = body_channels + 7;
    using NamedParameters = RollingDiscParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "rolling_disc";

    Real mass_kg, inertia, radius, gravity;
    ContactLaw<Real> contact_law;

    static MYRIAD_HD Prepared<RollingDisc> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        Prepared<RollingDisc> made{
            {{}, p.mass, p.inertia, p.radius, p.gravity, p.law}, finite_reason(values), Real(0.0)};
        made.reason = reason_unless(Real(0.0) < p.mass, Reason::mass_not_positive, made.reason);
        made.reason = reason_unless(Real(0.0) < p.inertia, Reason::inertia_singular, made.reason);
        check_contact_laws(made.system, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q = {p.initial_position[0], p.initial_position[1] + p.radius, p.initial_angle};
        v = {p.initial_velocity[0], p.initial_velocity[1], p.initial_rate};
    }

    MYRIAD_HD SquareMatrix<3, Real> mass(const Configuration&) const {
        const Real o(0.0);
        return {{{mass_kg, o, o}, {o, mass_kg, o}, {o, o, inertia}}};
    }
    MYRIAD_HD Velocity force(const Configuration&, const Velocity&, Real) const {
        return {Real(0.0), -(mass_kg * gravity), Real(0.0)};
    }
    MYRIAD_HD TangentMatrices<3, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {zero_matrix<3, Real>(), zero_matrix<3, Real>()};
    }
    MYRIAD_HD ContactState<3, 1, 1, Real> contact_state(const Configuration& q) const {
        const Real o(0.0), l(1.0);
        return {{q[1] - radius}, {{o, l, o}, {l, o, radius}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return contact_law; }
    MYRIAD_HD MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        const Real moving = fma(v[0], v[0], v[1] * v[1]), height = q[1] - radius;
        return fma(Real(0.5), fma(mass_kg, moving, inertia * (v[2] * v[2])), mass_kg * (gravity * height));
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < body_channels) return planar_body(q[0], q[1], q[2], v[0], v[1], v[2]).channel(index);
        const int own = index - body_channels;
        return own < 3 ? q[own] : own < 6 ? v[own - 3] : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "disc thrown onto a floor: slides, then rolls";
    static constexpr const char* source = "textbook; defaults assumed";
    static constexpr const char* body_names[bodies] = {"disc"};
    static constexpr const auto& parameters = parameter_list<RollingDiscParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of the disc"},
        {"orientation", "1", "body to world", "w x y z", true, "about z"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"coordinates", "1", "", "x y z", false, "x and y of the centre, m, and the angle, rad"},
        {"rates", "1", "", "x y z", false, "their rates"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential on the floor"},
    };
    static constexpr NoChannels invariants_kept{};
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
