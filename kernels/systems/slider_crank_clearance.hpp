// A planar slider-crank whose slider has clearance in its slot: three rigid bodies, angles of crank, rod and slider.
//
//   slider at s = l1 e(a1) + l2 e(a2);  with A = m2/2 + m3 and D = a1 - a2:
//   M = [[J1 + (m1/4 + m2 + m3) l1^2, A l1 l2 cos D, 0], [., J2 + (m2/4 + m3) l2^2, 0], [0, 0, J3]]
//   h = (-A l1 l2 sin D a2'^2 - g l1 (m1/2 + m2 + m3) cos a1 + torque, A l1 l2 sin D a1'^2 - g l2 A cos a2, 0)
//   corners at s + R(a3) (+-a, +-b): the lower two above y = -(b + c), the upper two below y = b + c, friction along x
//   clearance 0: the two lower corners are held at their height, which is the mechanism without clearance
//
// Sources: nonsmooth Tables 1 and 2; Flores, Leine, Glocker 2010 for the equations. The paper's appendix has m1 l1^2 /
// 2 for the crank's inertia about its pivot. Here it is that of a bar whose centre of mass is half way, m1 l1^2 / 4
// (facts C.1: possible misprint). Not handled: clearance in the hinges; a flexible rod.
#pragma once
#include "kernels/systems/slider_crank_parameters.hpp"
#include "kernels/systems/vector_coordinates.hpp"
#if !defined(__CUDACC_RTC__)
#include "kernels/systems/slider_crank_clearance_description.hpp"
#endif

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct SliderCrankClearanceParameters {
    using Real = R;
    SliderCrankBodies<Real> bodies;
    SliderCrankMotion<Real> motion;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        bodies.describe(visit), motion.describe(visit);
    }
};

template <class R, template <class> class ChartOf>
struct SliderCrankClearance : VectorCoordinates<3, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<3, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 4, tangents = 1, invariant_count = 0, bodies = 3,
                         channel_count = bodies * body_channels + 7;
    using NamedParameters = SliderCrankClearanceParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "slider_crank_clearance";

    Real crank_length, rod_length, half_length, half_height, clearance;
    Real crank_inertia, rod_inertia, slider_inertia, coupling;  // M11, M22, J3, A l1 l2, kg m^2
    Real crank_weight, rod_weight, torque;                      // N m; weights: moments where crank and rod lie flat
    ContactLaw<Real> contact_law;

    static MYRIAD_HD Prepared<SliderCrankClearance> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real half(0.5), quarter(0.25), zero(0.0);
        const Real m1 = p.bodies.masses[0], m2 = p.bodies.masses[1], m3 = p.bodies.masses[2],
                   l1 = p.bodies.crank_length, l2 = p.bodies.rod_length, carried = fma(half, m2, m3);
        Prepared<SliderCrankClearance> made;
        SliderCrankClearance& s = made.system;
        s.crank_length = l1, s.rod_length = l2, s.clearance = p.bodies.clearance;
        s.half_length = p.bodies.half_length, s.half_height = p.bodies.half_height;
        s.crank_inertia = fma(fma(quarter, m1, m2 + m3), l1 * l1, p.bodies.inertias[0]);
        s.rod_inertia = fma(fma(quarter, m2, m3), l2 * l2, p.bodies.inertias[1]);
        s.slider_inertia = p.bodies.inertias[2], s.coupling = carried * (l1 * l2);
        s.crank_weight = (p.motion.gravity * l1) * fma(half, m1, m2 + m3);
        s.rod_weight = (p.motion.gravity * l2) * carried;
        s.torque = p.motion.torque, s.contact_law = p.motion.law;
        made.reason = finite_reason(values), made.warnings = zero;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            made.reason = reason_unless(zero < p.bodies.masses[i], Reason::mass_not_positive, made.reason);
            made.reason = reason_unless(zero < p.bodies.inertias[i], Reason::inertia_singular, made.reason);
        }
        made.reason = reason_unless(zero <= s.clearance, Reason::length_not_positive, made.reason);
        check_contact_laws(s, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const SliderCrankMotion<Real> motion = named<NamedParameters>(values).motion;
        q = motion.initial_angles, v = motion.initial_rates;
    }

    MYRIAD_HD SquareMatrix<3, Real> mass(const Configuration& q) const {
        const Real o(0.0), between = coupling * bend(q).cosine;
        return {{{crank_inertia, between, o}, {between, rod_inertia, o}, {o, o, slider_inertia}}};
    }
    MYRIAD_HD Velocity force(const Configuration& q, const Velocity& v, Real) const {
        const Real swing = coupling * bend(q).sine;
        return {fma(-swing, v[1] * v[1], fma(-crank_weight, sincos(q[0]).cosine, torque)),
                fma(swing, v[0] * v[0], -(rod_weight * sincos(q[1]).cosine)), Real(0.0)};
    }
    MYRIAD_HD TangentMatrices<3, Real> tangents_of(const Configuration& q, const Velocity& v, const Velocity& a,
                                                   Real) const {
        TangentMatrices<3, Real> tangent{zero_matrix<3, Real>(), zero_matrix<3, Real>()};
        const SineCosine<Real> turn = bend(q);
        const Real sine = coupling * turn.sine, cosine = coupling * turn.cosine;
        const Real of_crank = fma(cosine, v[1] * v[1], -(sine * a[1])), of_rod = -fma(cosine, v[0] * v[0], sine * a[0]);
        tangent.stiffness.e[0][0] = fma(-crank_weight, sincos(q[0]).sine, of_crank);
        tangent.stiffness.e[0][1] = -of_crank, tangent.stiffness.e[1][0] = of_rod;
        tangent.stiffness.e[1][1] = fma(-rod_weight, sincos(q[1]).sine, -of_rod);
        tangent.damping.e[0][1] = Real(2.0) * (sine * v[1]), tangent.damping.e[1][0] = Real(-2.0) * (sine * v[0]);
        return tangent;
    }
    MYRIAD_HD ContactState<3, 4, 1, Real> contact_state(const Configuration& q) const {
        const SineCosine<Real> crank = sincos(q[0]), rod = sincos(q[1]), slider = sincos(q[2]);
        const Real height = fma(crank_length, crank.sine, rod_length * rod.sine), wall = half_height + clearance;
        ContactState<3, 4, 1, Real> state;
        MYRIAD_UNROLL for (int k = 0; k < 4; ++k) {
            const Real side(k < 2 ? 1.0 : -1.0), along = (k & 1) != 0 ? half_length : -half_length,
                                                 across = k < 2 ? -half_height : half_height;
            const Real x = fma(slider.cosine, along, -(slider.sine * across)),
                       y = fma(slider.sine, along, slider.cosine * across);  // from the slider's centre
            state.gap[k] = fma(side, height + y, wall);
            state.direction[2 * k] = {side * (crank_length * crank.cosine), side * (rod_length * rod.cosine), side * x};
            state.direction[2 * k + 1] = {-(crank_length * crank.sine), -(rod_length * rod.sine), -y};
        }
        return state;
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return contact_law; }
    MYRIAD_HD MaskOf<Real> held(int k) const { return k < 2 ? clearance <= Real(0.0) : !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int k) const { return k < 2 ? !true_mask<Real>() : clearance <= Real(0.0); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        const Real potential =
            fma(crank_weight, sincos(q[0]).sine, fma(rod_weight, sincos(q[1]).sine, -(torque * q[0])));
        return fma(Real(0.5), inner(v, mass(q) * v), potential);
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < bodies * body_channels) return body(index / body_channels, q, v).channel(index % body_channels);
        const int own = index - bodies * body_channels;
        return own < 3 ? q[own] : own < 6 ? v[own - 3] : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "planar slider-crank whose slider has clearance and friction in its slot";
    static constexpr const char* source =
        "Rezaei, Schindler: mixed timestepping schemes, Table 1; after Flores, Leine, Glocker 2010";
    static constexpr const char* body_names[bodies] = {"crank", "rod", "slider"};
    static constexpr const char* contact_names[contacts] = {"lower_left", "lower_right", "upper_left", "upper_right"};
    static constexpr const auto& parameters = parameter_list<SliderCrankClearanceParameters<double>>;
    static constexpr const auto& channels = SliderCrankClearanceDescription::channels;
    static constexpr NoChannels invariants_kept{};
#endif

  private:
    // Of a1 - a2. Others want the functions of a1 and a2, too.
    static MYRIAD_HD SineCosine<Real> bend(const Configuration& q) {
        const SineCosine<Real> crank = sincos(q[0]), rod = sincos(q[1]);
        return {fma(crank.sine, rod.cosine, -(crank.cosine * rod.sine)),
                fma(crank.cosine, rod.cosine, crank.sine * rod.sine)};
    }
    // The middle of the crank, of the rod, of the slider.
    MYRIAD_HD BodyState<Real> body(int index, const Configuration& q, const Velocity& v) const {
        const SineCosine<Real> crank = sincos(q[0]), rod = sincos(q[1]);
        const Real first = crank_length * (index == 0 ? Real(0.5) : Real(1.0));
        const Real second = rod_length * (index == 0 ? Real(0.0) : index == 1 ? Real(0.5) : Real(1.0));
        return planar_body(fma(first, crank.cosine, second * rod.cosine), fma(first, crank.sine, second * rod.sine),
                           q[index], -fma(first * v[0], crank.sine, (second * v[1]) * rod.sine),
                           fma(first * v[0], crank.cosine, (second * v[1]) * rod.cosine), v[index]);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
