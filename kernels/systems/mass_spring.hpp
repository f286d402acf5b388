// Two masses on a line joined by two nonlinear springs, in redundant coordinates q = (x1, q2, x2), m.
//
//   T = m1 x1'^2 / 2 + m2 (q2' + x2')^2 / 2              x1, x2: elongations of the springs; q2: begin of spring 2
//   V = f (k1 (x1^2 + x1^4/m^2) + k2 (x2^2 + x2^4/m^2))  f: potential_factor
//   g = ((q2 - x1)^2 - (l10 + w)^2) / 2 = 0              l10: rest length of spring 1;  w: width of mass 1
//
// The mass matrix is constant and singular. Masses lie at l10 + x1 and q2 + l20 + x2 along the world's x axis. Source:
// livens sect. 5.1, whose eq. 109 has f = 1/4, while its figures were computed with f = 1/2: the default; the same
// energy at the start, another motion. Not handled: loads, damping.
#pragma once
#include "kernels/lagrangian/lagrangian_system.hpp"
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct MassSpringParameters {
    using Real = R;
    Vec<2, Real> mass, stiffness, rest_length, initial_elongation;
    Real width, potential_factor;
    Vec<3, Real> initial_rate;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass[0], {"mass_kg[0]", "kg", 2.0, "mass 1"});
        visit(mass[1], {"mass_kg[1]", "kg", 1.0, "mass 2"});
        visit(stiffness[0], {"stiffness_N_m[0]", "N/m", 1.0, "constant of spring 1"});
        visit(stiffness[1], {"stiffness_N_m[1]", "N/m", 3.0, "constant of spring 2"});
        visit(rest_length[0], {"rest_length_m[0]", "m", 1.0, "rest length of spring 1"});
        visit(rest_length[1], {"rest_length_m[1]", "m", 1.0, "rest length of spring 2"});
        visit(width, {"width_m", "m", 0.1, "width of mass 1: spring 2 begins at its far side"});
        visit(potential_factor,
              {"potential_factor", "1", 0.5,
               "of both potentials: 0.5 as in the code that made the published results, 0.25 as eq. 109 is printed"});
        visit(initial_elongation[0], {"initial_elongation_m[0]", "m", 0.0, "elongation of spring 1 at the start"});
        visit(initial_elongation[1], {"initial_elongation_m[1]", "m", 0.0, "elongation of spring 2 at the start"});
        visit(initial_rate[0], {"initial_rate_m_s[0]", "m/s", 1.0, "rate of x1 at the start"});
        visit(initial_rate[1], {"initial_rate_m_s[1]", "m/s", 1.0,
                                "rate of q2; one that differs from x1's is moved onto the constraint"});
        visit(initial_rate[2], {"initial_rate_m_s[2]", "m/s", -1.0, "rate of x2"});
    }
};

// It has coordinates of its own, no chart. Its mass is singular, so only energy-momentum methods can run it.
template <class R, template <class> class ChartOf>
struct MassSpring : VectorCoordinates<3, R> {
    using Real = R;
    using typename VectorCoordinates<3, R>::Configuration;
    using typename VectorCoordinates<3, R>::Velocity;
    using Coordinates = Configuration;
    using Lagrangian = MassSpring;
    using Square = Matrix<3, 3, Real>;
    static constexpr int invariant_count = 1, bodies = 2, channel_count = bodies * body_channels + 7;
    static constexpr int coordinates = 3, constraints = 1, bilinear_invariants = 2;
    static constexpr bool potential_is_quadratic = false;
    using NamedParameters = MassSpringParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "mass_spring";

    Vec<2, Real> mass, stiffness, rest_length;  // kg, N/m (times the factor), m
    Real distance;                              // l10 + w, m

    static MYRIAD_HD Prepared<MassSpring> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real zero(0.0);
        Prepared<MassSpring> made{
            {{}, p.mass, p.potential_factor * p.stiffness, p.rest_length, p.rest_length[0] + p.width},
            finite_reason(values),
            zero};
        made.reason = reason_unless(zero < p.mass[0], Reason::mass_not_positive, made.reason);
        made.reason = reason_unless(zero < p.mass[1], Reason::mass_not_positive, made.reason);
        made.reason = reason_unless(zero < made.system.distance, Reason::length_not_positive, made.reason);
        made.warnings = select(p.initial_rate[0] == p.initial_rate[1], zero,
                               Real(static_cast<double>(Warning::initial_velocity_projected)));
        return made;
    }
    // q2 follows from x1; rates that pull mass 1 and spring 2 apart are moved onto the constraint, both by half.
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        const Vec<2, Real> x = p.initial_elongation;
        const Vec<3, Real> rate = p.initial_rate;
        const Real apart = Real(0.5) * (rate[1] - rate[0]);
        q = {x[0], x[0] + (p.rest_length[0] + p.width), x[1]};
        v = {rate[0] + apart, rate[1] - apart, rate[2]};
    }
    MYRIAD_HD const MassSpring& lagrangian() const { return *this; }

    MYRIAD_HD Real potential(const Coordinates& q) const {
        return fma(stiffness[0], quartic(q[0]), stiffness[1] * quartic(q[2]));
    }
    MYRIAD_HD Coordinates potential_gradient(const Coordinates& q) const {
        return {stiffness[0] * quartic_slope(q[0]), Real(0.0), stiffness[1] * quartic_slope(q[2])};
    }
    MYRIAD_HD Square potential_hessian(const Coordinates& q) const {
        const Real two(2.0), twelve(12.0);
        Square hessian{};
        hessian.e[0][0] = stiffness[0] * fma(twelve * q[0], q[0], two);
        hessian.e[2][2] = stiffness[1] * fma(twelve * q[2], q[2], two);
        return hessian;
    }

    MYRIAD_HD Vec<1, Real> constraint(const Coordinates& q) const {
        const Real apart = q[1] - q[0];
        return {Real(0.5) * ((apart - distance) * (apart + distance))};
    }
    static MYRIAD_HD Matrix<1, 3, Real> constraint_jacobian(const Coordinates& q) {
        const Real apart = q[1] - q[0];
        return {{{-apart, apart, Real(0.0)}}};
    }
    static MYRIAD_HD Square constraint_hessian(const Vec<1, Real>& multiplier) {
        const Real o(0.0), l = multiplier[0];
        return {{{l, -l, o}, {-l, l, o}, {o, o, o}}};
    }

    // w = (x1', q2' + x2'), J = diag(m1, m2)
    static MYRIAD_HD Vec<2, Real> invariant(const Coordinates&, const Coordinates& v) { return {v[0], v[1] + v[2]}; }
    static MYRIAD_HD Matrix<2, 3, Real> invariant_by_rate(const Coordinates&) {
        const Real o(0.0), l(1.0);
        return {{{l, o, o}, {o, l, l}}};
    }
    static MYRIAD_HD Matrix<2, 3, Real> invariant_by_coordinate(const Coordinates&) { return {}; }
    static MYRIAD_HD Square pairing(const Vec<2, Real>&) { return {}; }
    MYRIAD_HD Vec<2, Real> inertia_times(const Vec<2, Real>& w) const { return {mass[0] * w[0], mass[1] * w[1]}; }
    MYRIAD_HD Matrix<2, 3, Real> inertia_times(Matrix<2, 3, Real> w) const {
        MYRIAD_UNROLL for (int i = 0; i < 2; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) w.e[i][j] =
            mass[i] * w.e[i][j];
        return w;
    }
    MYRIAD_HD Real kinetic_energy(const Coordinates& q, const Coordinates& v) const {
        const Vec<2, Real> w = invariant(q, v);
        return Real(0.5) * dot_product(w, inertia_times(w));
    }
    MYRIAD_HD Coordinates momentum(const Coordinates& q, const Coordinates& v) const {
        return transposed_times(invariant_by_rate(q), inertia_times(invariant(q, v)));
    }
    static MYRIAD_HD Coordinates rate_of(const Coordinates&, const Coordinates&, const Coordinates& v) { return v; }
    static MYRIAD_HD Coordinates guess(const Coordinates& q, const Coordinates& v, Real h) { return fma(h, v, q); }
    MYRIAD_HD Real correction_square(const Coordinates& dq) const {
        return dot_product(dq, dq) / (distance * distance);
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration& q, const Velocity& v) const {
        return {kinetic_energy(q, v) + potential(q)};
    }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        const Real o(0.0), l(1.0);
        const int own = index - bodies * body_channels;
        if (own < 0) {
            const bool first = index < body_channels;
            const Real place = first ? rest_length[0] + q[0] : q[1] + rest_length[1] + q[2];
            const Real speed = first ? v[0] : v[1] + v[2];
            return BodyState<Real>{{place, o, o}, {l, o, o, o}, {speed, o, o}, {o, o, o}}.channel(index %
                                                                                                  body_channels);
        }
        return own < 3 ? q[own] : own < 6 ? v[own - 3] : invariants(q, v)[0];
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary =
        "two masses and two nonlinear springs in redundant coordinates, singular mass";
    static constexpr const char* source = "Kinon, Betsch 2024, sect. 5.1; numbers: code package metis";
    // Units of momenta, rates of the constraint and the constraint.
    static constexpr const char* certificate_units[] = {"kg m/s", "m^2/s", "m^2"};
    static constexpr const char* body_names[bodies] = {"mass_1", "mass_2"};
    static constexpr const auto& parameters = parameter_list<MassSpringParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of the mass"},
        {"orientation", "1", "body to world", "w x y z", true, "unit quaternion, scalar first; constant"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the mass"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "zero"},
        {"coordinates", "m", "", "x1 q2 x2", false, "elongations of the springs; where spring 2 begins"},
        {"rates", "m/s", "", "x1 q2 x2", false, "rates of the coordinates"},
        {"energy", "J", "", "", false, "kinetic and potential energy; kept"},
    };
    static constexpr ChannelDescription invariants_kept[invariant_count] = {
        {"energy", "J", "", "", false, "total energy"}};
#endif

  private:
    static MYRIAD_HD Real quartic(Real x) {
        const Real square = x * x;
        return fma(square, square, square);
    }
    static MYRIAD_HD Real quartic_slope(Real x) { return x * fma(Real(4.0) * x, x, Real(2.0)); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
