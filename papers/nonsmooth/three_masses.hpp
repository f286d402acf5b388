// Three masses hanging in a chain of springs under gravity: the last one on a stiff spring, or held by a constraint.
//
//   m_i q_i'' + (K q)_i = m_i g,  K = [[k1 + k2, -k2, 0], [-k2, k2 + k3, -k3], [0, -k3, k3 + k0]]   nonsmooth eq. 91
//   three_masses: as it stands; three_masses_held: k0 = 0 and q_3' = 0 as a bilateral contact       nonsmooth fig. 14
//
// Coordinates count downwards from the unstressed springs. For schemes and first accelerations that no study can name;
// ensembles/mechanisms/ has both as mechanisms. Source: nonsmooth sect. 2.8. Not handled: damping.
#pragma once
#include "kernels/integrators/contact/members.hpp"
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Contacts of constant direction that are held, held on acceleration level, for comparison (nonsmooth figs. 17, 18).
struct GeneralizedAlphaOnAcceleration : NonsmoothGeneralizedAlpha {
    template <class Step>
    static MYRIAD_HD void step(Step& step) {
        step_on<true>(step);
    }
};

template <class R>
struct ThreeMassParameters {
    using Real = R;
    Vec<3, Real> masses, stiffness;  // springs 1, 2, 3
    Real last_stiffness, gravity;
    Vec<3, Real> initial_displacement, initial_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(masses[0], {"mass_1.mass_kg", "kg", 1.0, "mass"});
        visit(masses[1], {"mass_2.mass_kg", "kg", 1.0, "mass"});
        visit(masses[2], {"mass_3.mass_kg", "kg", 1.0, "mass"});
        visit(stiffness[0], {"stiffness_1_N_m", "N/m", 1.0, "spring from the ceiling to mass 1"});
        visit(stiffness[1], {"stiffness_2_N_m", "N/m", 1.0, "spring from mass 1 to mass 2"});
        visit(stiffness[2], {"stiffness_3_N_m", "N/m", 1.0, "spring from mass 2 to mass 3"});
        visit(last_stiffness,
              {"stiffness_0_N_m", "N/m", 1e7, "stiff spring from mass 3 to the ground; no part where mass 3 is held"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along the coordinates"});
        visit(initial_displacement[0],
              {"initial_displacement_m[0]", "m", 0.0, "initial displacement of mass 1, downwards"});
        visit(initial_displacement[1],
              {"initial_displacement_m[1]", "m", 0.0, "initial displacement of mass 2, downwards"});
        visit(initial_displacement[2],
              {"initial_displacement_m[2]", "m", 0.0, "initial displacement of mass 3, downwards"});
        visit(initial_velocity[0], {"initial_velocity_m_s[0]", "m/s", 0.0, "initial velocity of mass 1, downwards"});
        visit(initial_velocity[1], {"initial_velocity_m_s[1]", "m/s", 0.0, "initial velocity of mass 2, downwards"});
        visit(initial_velocity[2], {"initial_velocity_m_s[2]", "m/s", 0.0, "initial velocity of mass 3, downwards"});
    }
};

template <class R, bool is_held>
struct ThreeMassChain : VectorCoordinates<3, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<3, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = is_held ? 1 : 0, tangents = 0, invariant_count = 0, channel_count = 0;
    using NamedParameters = ThreeMassParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;

    Vec<3, Real> masses;
    Vec<3, Real> stiffness;  // k1, k2, k3
    Real last_stiffness, gravity;

    MYRIAD_HD Real fill(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        Real reason = finite_reason(values);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            masses[i] = p.masses[i], stiffness[i] = p.stiffness[i];
            reason = reason_unless(Real(0.0) < p.masses[i], Reason::mass_not_positive, reason);
        }
        last_stiffness = is_held ? Real(0.0) : p.last_stiffness, gravity = p.gravity;
        return reason;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q = p.initial_displacement, v = p.initial_velocity;
    }

    MYRIAD_HD SquareMatrix<3, Real> mass(const Configuration&) const {
        const Real o(0.0);
        return {{{masses[0], o, o}, {o, masses[1], o}, {o, o, masses[2]}}};
    }
    MYRIAD_HD SquareMatrix<3, Real> stiffness_matrix() const {
        const Vec<3, Real>& k = stiffness;
        const Real o(0.0);
        return {{{k[0] + k[1], -k[1], o}, {-k[1], k[1] + k[2], -k[2]}, {o, -k[2], k[2] + last_stiffness}}};
    }
    MYRIAD_HD Velocity force(const Configuration& q, const Velocity&, Real) const {
        const Vec<3, Real> elastic = stiffness_matrix() * q;
        Velocity h;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) h[i] = fma(masses[i], gravity, -elastic[i]);
        return h;
    }
    MYRIAD_HD TangentMatrices<3, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {stiffness_matrix(), zero_matrix<3, Real>()};
    }
    MYRIAD_HD ContactState<3, contacts, 0, Real> contact_state(const Configuration& q) const {
        const Real o(0.0);
        return {{q[2]}, {{o, o, Real(1.0)}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return {Real(0.0), Real(0.0), Real(0.0)}; }
    MYRIAD_HD MaskOf<Real> held(int) const { return true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        Real sum = inner(q, stiffness_matrix() * q);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) sum =
            fma(masses[i], fma(v[i], v[i], Real(-2.0) * (gravity * q[i])), sum);
        return Real(0.5) * sum;
    }
    static constexpr const auto& parameters = parameter_list<ThreeMassParameters<double>>;
};

template <class R, template <class> class ChartOf>
struct ThreeMasses : ThreeMassChain<R, false> {
    static constexpr const char* name = "three_masses";
    using Chain = ThreeMassChain<R, false>;
    static MYRIAD_HD Prepared<ThreeMasses> prepare(const Vec<Chain::parameter_count, R>& p) {
        Prepared<ThreeMasses> made{{}, R(0.0), R(0.0)};
        made.reason = made.system.fill(p);
        return made;
    }
};

template <class R, template <class> class ChartOf>
struct ThreeMassesHeld : ThreeMassChain<R, true> {
    static constexpr const char* name = "three_masses_held";
    using Chain = ThreeMassChain<R, true>;
    static MYRIAD_HD Prepared<ThreeMassesHeld> prepare(const Vec<Chain::parameter_count, R>& p) {
        Prepared<ThreeMassesHeld> made{{}, R(0.0), R(0.0)};
        made.reason = made.system.fill(p);
        return made;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
