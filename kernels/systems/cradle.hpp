// Newton's cradle with two balls: pendulums side by side that touch when both hang straight down.
//
//   m_i l^2 a_i'' = -m_i g l sin a_i + W l,   centres p_i = (i d + l sin a_i, -l cos a_i),  gap = |p_2 - p_1| - d
//   d: the diameter of a ball. With one restitution e, masses m_1, m_2 and ball 2 at rest below, ball 1 of speed v
//   leaves with (m_1 - e m_2) v / (m_1 + m_2), ball 2 with (1 + e) m_1 v / (m_1 + m_2)
//
// Source: textbook; the defaults are assumed. Not handled: more balls, whose simultaneous impacts Newton's law does not
// describe; friction between the balls.
#pragma once
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct CradleParameters {
    using Real = R;
    Vec<2, Real> masses, initial_angles, initial_rates;
    Real length, diameter, gravity, restitution;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(masses[0], {"ball_1.mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(masses[1], {"ball_2.mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(length, {"length_m", "m", 1.0, "from the suspension to the centre of a ball (assumed)"});
        visit(diameter, {"diameter_m", "m", 0.05, "of a ball, and between the suspensions (assumed)"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"});
        visit(restitution, {"normal_restitution", "1", 1.0, "Newton's coefficient of restitution (assumed)"});
        visit(initial_angles[0],
              {"initial_angle_rad[0]", "rad", -0.5, "initial angle of ball 1, towards ball 2 (assumed)"});
        visit(initial_angles[1], {"initial_angle_rad[1]", "rad", 0.0, "initial angle of ball 2, away from ball 1"});
        visit(initial_rates[0], {"initial_rate_rad_s[0]", "rad/s", 0.0, "initial rate of ball 1"});
        visit(initial_rates[1], {"initial_rate_rad_s[1]", "rad/s", 0.0, "initial rate of ball 2"});
    }
};

template <class R, template <class> class ChartOf>
struct Cradle : VectorCoordinates<2, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<2, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 1, tangents = 0, invariant_count = 0, bodies = 2,
                         channel_count = bodies * body_channels + 5;
    using NamedParameters = CradleParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "cradle";

    Vec<2, Real> masses;
    Real length, diameter, gravity, restitution;

    static MYRIAD_HD Prepared<Cradle> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        Prepared<Cradle> made{
            {{}, p.masses, p.length, p.diameter, p.gravity, p.restitution}, finite_reason(values), Real(0.0)};
        MYRIAD_UNROLL for (int i = 0; i < 2; ++i) made.reason =
            reason_unless(Real(0.0) < p.masses[i], Reason::mass_not_positive, made.reason);
        check_contact_laws(made.system, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q = p.initial_angles, v = p.initial_rates;
    }

    MYRIAD_HD SquareMatrix<2, Real> mass(const Configuration&) const {
        const Real o(0.0), square = length * length;
        return {{{masses[0] * square, o}, {o, masses[1] * square}}};
    }
    MYRIAD_HD Velocity force(const Configuration& q, const Velocity&, Real) const {
        Velocity h;
        MYRIAD_UNROLL for (int i = 0; i < 2; ++i) h[i] = -((masses[i] * gravity) * (length * sincos(q[i]).sine));
        return h;
    }
    MYRIAD_HD TangentMatrices<2, Real> tangents_of(const Configuration& q, const Velocity&, const Velocity&,
                                                   Real) const {
        TangentMatrices<2, Real> tangent{zero_matrix<2, Real>(), zero_matrix<2, Real>()};
        MYRIAD_UNROLL for (int i = 0; i < 2; ++i) tangent.stiffness.e[i][i] =
            (masses[i] * gravity) * (length * sincos(q[i]).cosine);
        return tangent;
    }
    MYRIAD_HD ContactState<2, 1, 0, Real> contact_state(const Configuration& q) const {
        const SineCosine<Real> left = sincos(q[0]), right = sincos(q[1]);
        const Real x = fma(length, right.sine - left.sine, diameter), y = length * (left.cosine - right.cosine);
        const Real distance = sqrt(fma(x, x, y * y)), scale = length / distance;
        // d|p|/da_i = p . dp/da_i / |p|
        return {{distance - diameter},
                {{-scale * fma(x, left.cosine, y * left.sine), scale * fma(x, right.cosine, y * right.sine)}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return {Real(0.0), restitution, Real(0.0)}; }
    MYRIAD_HD MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        Real sum(0.0);
        MYRIAD_UNROLL for (int i = 0; i < 2; ++i) {
            const Real speed = length * v[i], height = length * (Real(1.0) - sincos(q[i]).cosine);
            sum = fma(masses[i], fma(Real(0.5) * speed, speed, gravity * height), sum);
        }
        return sum;
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < bodies * body_channels) {
            const int i = index / body_channels;
            const SineCosine<Real> turn = sincos(q[i]);
            const Real speed = length * v[i], place = i == 0 ? Real(0.0) : diameter;
            return planar_body(fma(length, turn.sine, place), -(length * turn.cosine), q[i], speed * turn.cosine,
                               speed * turn.sine, v[i])
                .channel(index % body_channels);
        }
        const int own = index - bodies * body_channels;
        return own < 2 ? q[own] : own < 4 ? v[own - 2] : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "Newton's cradle with two balls";
    static constexpr const char* source = "textbook; defaults assumed";
    static constexpr const char* body_names[bodies] = {"ball_1", "ball_2"};
    static constexpr const auto& parameters = parameter_list<CradleParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of a ball, from the first suspension; y upwards"},
        {"orientation", "1", "body to world", "w x y z", true, "about z, with the pendulum"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "of the pendulum"},
        {"angle", "rad", "", "x y", false, "of the pendulums, components by ball"},
        {"rate", "rad/s", "", "x y", false, "its rate"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential with both balls down"},
    };
    static constexpr NoChannels invariants_kept{};
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
