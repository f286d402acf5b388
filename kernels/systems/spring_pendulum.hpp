// A mass on a nonlinear elastic spring that turns freely about the origin, in spherical coordinates q = (r, theta,
// phi).
//
//   position = r (sin theta cos phi, sin theta sin phi, cos theta)
//   T = m (r'^2 + r^2 theta'^2 + r^2 sin^2(theta) phi'^2) / 2,   M = m diag(1, r^2, r^2 sin^2 theta)
//   V = EA e^2 / 2,  e = (r^2 - l0^2)/(2 l0^2)                    EA in N m, as the source writes it (no factor l0)
//   load F cos(w t) at the mass, world: Q_i = F . dposition/dq_i cos(w t)
//
// Source: livens sect. 5.2, eqs. 110 to 112; defaults: its code package metis; the load is ours and zero by default.
// Without it the exact motion keeps the energy and the angular momentum about z. Not handled: gravity; theta at 0 or
// pi, where phi has no meaning (chart_singular).
#pragma once
#include "kernels/lagrangian/lagrangian_system.hpp"
#include "kernels/math/elementary.hpp"
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct SpringPendulumParameters {
    using Real = R;
    Real mass, stiffness, rest_length, initial_length, initial_length_rate, load_rate;
    Vec<2, Real> initial_angles, initial_angle_rates;
    Vec<3, Real> load;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass"});
        visit(stiffness,
              {"axial_stiffness_N_m", "N m", 300.0, "EA of the source, times its unit of length: V = EA e^2 / 2"});
        visit(rest_length, {"rest_length_m", "m", 1.0, "length of the spring at rest, l0"});
        visit(initial_length, {"initial_length_m", "m", 1.05, "r at the start"});
        visit(initial_angles[0],
              {"initial_angle_rad[0]", "rad", 1.5707963267948966, "theta at the start, from the z axis"});
        visit(initial_angles[1], {"initial_angle_rad[1]", "rad", 0.0, "phi at the start, about the z axis"});
        visit(initial_length_rate, {"initial_length_rate_m_s", "m/s", 0.0, "rate of r at the start"});
        visit(initial_angle_rates[0], {"initial_rate_rad_s[0]", "rad/s", 1.0, "rate of theta"});
        visit(initial_angle_rates[1], {"initial_rate_rad_s[1]", "rad/s", 1.0, "rate of phi"});
        visit(load[0],
              {"load_N[0]", "N", 0.0, "force on the mass along x, times cos(load_rate_rad_s t); not in the source"});
        visit(load[1],
              {"load_N[1]", "N", 0.0, "force on the mass along y, times cos(load_rate_rad_s t); not in the source"});
        visit(load[2],
              {"load_N[2]", "N", 0.0, "force on the mass along z, times cos(load_rate_rad_s t); not in the source"});
        visit(load_rate, {"load_rate_rad_s", "rad/s", 0.0, "0: the force is constant"});
    }
};

// It has coordinates of its own, no chart.
template <class R, template <class> class ChartOf>
struct SpringPendulum : VectorCoordinates<3, R> {
    using Real = R;
    using typename VectorCoordinates<3, R>::Configuration;
    using typename VectorCoordinates<3, R>::Velocity;
    using Coordinates = Configuration;
    using Lagrangian = SpringPendulum;
    using Square = Matrix<3, 3, Real>;
    static constexpr int invariant_count = 2, bodies = 1, channel_count = bodies * body_channels + 8;
    static constexpr int coordinates = 3, constraints = 0;
    static constexpr bool potential_is_quadratic = false;
    using NamedParameters = SpringPendulumParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "spring_pendulum";
    // Below this |r sin theta| / l0 the rate of phi has lost nine digits, in single precision all but one.
    static MYRIAD_HD Real smallest_sine() { return constant<Real>(1e-9, 1e-6); }

    Real mass, stiffness, rest_length;  // kg, N m, m
    Vec<3, Real> force;                 // N
    Real load_rate;                     // rad/s

    static MYRIAD_HD Prepared<SpringPendulum> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real zero(0.0);
        Prepared<SpringPendulum> made{
            {{}, p.mass, p.stiffness, p.rest_length, p.load, p.load_rate}, finite_reason(values), zero};
        made.reason = reason_unless(zero < p.mass, Reason::mass_not_positive, made.reason);
        made.reason = reason_unless(zero < p.rest_length, Reason::length_not_positive, made.reason);
        made.reason = reason_unless(zero < p.initial_length, Reason::length_not_positive, made.reason);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q = {p.initial_length, p.initial_angles[0], p.initial_angles[1]};
        v = {p.initial_length_rate, p.initial_angle_rates[0], p.initial_angle_rates[1]};
    }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration& q) {
        return smallest_sine() <= absolute(sincos(q[1]).sine);
    }
    MYRIAD_HD const SpringPendulum& lagrangian() const { return *this; }

    MYRIAD_HD Real potential(const Coordinates& q) const {
        const Real e = strain(q[0]);
        return Real(0.5) * stiffness * (e * e);
    }
    MYRIAD_HD Coordinates potential_gradient(const Coordinates& q) const {
        const Real o(0.0), per_square = stiffness / (rest_length * rest_length);
        return {per_square * (strain(q[0]) * q[0]), o, o};
    }
    MYRIAD_HD Square potential_hessian(const Coordinates& q) const {
        const Real square = rest_length * rest_length;
        Square hessian{};
        hessian.e[0][0] = stiffness / square * (strain(q[0]) + q[0] * q[0] / square);
        return hessian;
    }

    MYRIAD_HD Coordinates load(const Coordinates& q, Real time_s) const {
        const Directions at = directions(q);
        const Vec<3, Real> f = now(time_s);
        return {dot(f, at.along), q[0] * dot(f, at.down), q[0] * (at.polar.sine * dot(f, at.across))};
    }
    MYRIAD_HD Square load_by_coordinate(const Coordinates& q, Real time_s) const {
        const Directions at = directions(q);
        const Vec<3, Real> f = now(time_s);
        const Real o(0.0), r = q[0], along = dot(f, at.along), down = dot(f, at.down), across = dot(f, at.across);
        const Real rp = at.polar.sine * across, tp = r * (at.polar.cosine * across),
                   pp = -r * (at.polar.sine * fma(at.polar.sine, along, at.polar.cosine * down));
        return {{{o, down, rp}, {down, -r * along, tp}, {rp, tp, pp}}};
    }

    static MYRIAD_HD Vec<0, Real> constraint(const Coordinates&) { return {}; }
    static MYRIAD_HD Matrix<0, 3, Real> constraint_jacobian(const Coordinates&) { return {}; }
    static MYRIAD_HD Square constraint_hessian(const Vec<0, Real>&) { return {}; }

    MYRIAD_HD Square mass_matrix(const Coordinates& q) const {
        const Real o(0.0), sine = sincos(q[1]).sine, of_theta = mass * (q[0] * q[0]);
        return {{{mass, o, o}, {o, of_theta, o}, {o, o, of_theta * (sine * sine)}}};
    }
    MYRIAD_HD Real kinetic_energy(const Coordinates& q, const Coordinates& v) const {
        return Real(0.5) * dot_product(v, momentum(q, v));
    }
    MYRIAD_HD Coordinates momentum(const Coordinates& q, const Coordinates& v) const { return mass_matrix(q) * v; }
    MYRIAD_HD Coordinates kinetic_gradient(const Coordinates& q, const Coordinates& v) const {
        const SineCosine<Real> s = sincos(q[1]);
        const Real turn = v[2] * v[2];
        return {mass * q[0] * fma(s.sine * s.sine, turn, v[1] * v[1]),
                mass * (q[0] * q[0]) * (s.sine * s.cosine) * turn, Real(0.0)};
    }
    MYRIAD_HD Square kinetic_hessian(const Coordinates& q, const Coordinates& v) const {
        const SineCosine<Real> s = sincos(q[1]);
        const Real o(0.0), turn = mass * (v[2] * v[2]), square = q[0] * q[0];
        const Real rr = fma(s.sine * s.sine, turn, mass * (v[1] * v[1])),
                   rt = Real(2.0) * q[0] * (s.sine * s.cosine) * turn,
                   tt = square * fma(s.cosine, s.cosine, -(s.sine * s.sine)) * turn;
        return {{{rr, rt, o}, {rt, tt, o}, {o, o, o}}};
    }
    MYRIAD_HD Square momentum_by_coordinate(const Coordinates& q, const Coordinates& v) const {
        const SineCosine<Real> s = sincos(q[1]);
        const Real o(0.0), twice = Real(2.0) * mass * q[0], of_phi = s.sine * v[2];
        return {{{o, o, o}, {twice * v[1], o, o}, {twice * (s.sine * of_phi), twice * q[0] * (s.cosine * of_phi), o}}};
    }
    MYRIAD_HD Coordinates rate_of(const Coordinates& q, const Coordinates& p, const Coordinates&) const {
        const Square m = mass_matrix(q);
        return {p[0] / m.e[0][0], p[1] / m.e[1][1], p[2] / m.e[2][2]};
    }
    static MYRIAD_HD Coordinates guess(const Coordinates& q, const Coordinates& v, Real h) { return fma(h, v, q); }
    MYRIAD_HD Real correction_square(const Coordinates& dq) const {
        const Real r = dq[0] / rest_length;
        return fma(r, r, fma(dq[1], dq[1], dq[2] * dq[2]));
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration& q, const Velocity& v) const {
        return {kinetic_energy(q, v) + potential(q), momentum(q, v)[2]};
    }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < body_channels) {
            const Real o(0.0), l(1.0);
            const Directions at = directions(q);
            const Vec<3, Real> velocity =
                fma(v[0], at.along, fma(q[0] * v[1], at.down, (q[0] * at.polar.sine * v[2]) * at.across));
            return BodyState<Real>{q[0] * at.along, {l, o, o, o}, velocity, {o, o, o}}.channel(index);
        }
        const int own = index - body_channels;
        return own < 3 ? q[own] : own < 6 ? v[own - 3] : invariants(q, v)[own - 6];
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "mass on a nonlinear spring about a fixed point, in spherical coordinates";
    static constexpr const char* source = "Kinon, Betsch 2024, sect. 5.2; numbers: code package metis";
    // Units of the momenta; there are no constraints.
    static constexpr const char* certificate_units[] = {"mixed", "1", "1"};
    static constexpr const char* body_names[bodies] = {"mass"};
    static constexpr const auto& parameters = parameter_list<SpringPendulumParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "the mass"},
        {"orientation", "1", "body to world", "w x y z", true, "unit quaternion, scalar first; constant"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the mass"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "zero"},
        {"coordinates", "mixed", "", "r theta phi", false, "length in m, angles in rad"},
        {"rates", "mixed", "", "r theta phi", false, "rates of the coordinates"},
        {"energy", "J", "", "", false, "kinetic and potential energy; kept without a load"},
        {"angular_momentum_z", "kg m^2/s", "world", "", false,
         "about the z axis through the origin; kept without a load"},
    };
    static constexpr ChannelDescription invariants_kept[invariant_count] = {
        {"energy", "J", "", "", false, "total energy"},
        {"angular_momentum_z", "kg m^2/s", "world", "", false, "about the z axis"},
    };
#endif

  private:
    // The world directions in which r, theta and phi grow; sine and cosine of theta.
    struct Directions {
        SineCosine<Real> polar;
        Vec<3, Real> along, down, across;
    };
    static MYRIAD_HD Directions directions(const Coordinates& q) {
        const SineCosine<Real> t = sincos(q[1]), f = sincos(q[2]);
        return {t,
                {t.sine * f.cosine, t.sine * f.sine, t.cosine},
                {t.cosine * f.cosine, t.cosine * f.sine, -t.sine},
                {-f.sine, f.cosine, Real(0.0)}};
    }
    MYRIAD_HD Vec<3, Real> now(Real time_s) const { return sincos(load_rate * time_s).cosine * force; }
    MYRIAD_HD Real strain(Real r) const {
        return (r - rest_length) * (r + rest_length) / (Real(2.0) * (rest_length * rest_length));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
