// Impacts of a system: impulses of its closed contacts and of its joints.
//
//   M (v^+ - v^-) + B^T L_B = W L,   B v^+ + phi_t = 0          joints stay on their constraints, facts F
//   u^+ + eps u^-  by the laws of prox.hpp with the impulses L    nonsmooth eqs. 46 to 54
//
// The rest B v^- + phi_t, of second order in the step, is taken from v^- first: u^- belongs to the result. Force
// elements give no impulse. Drivers do: contacts lose T^- + W - T^+, W being their work, p . v_p and -L_B . B v of
// driven rows, with the mean of v^- and v^+. Not handled: impacts of joints with a play of their own.
#pragma once
#include "kernels/contact/loads.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/rates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Friction's work as a loss: power with forces and the velocities at a moment, energy with impulses and the means of
// the velocities before and after. A row without a load does no work, whatever its velocity: which contacts have
// directions depends on other lanes, and those of open ones may not be finite.
template <class Places, class Topology, class Velocity, class Real = typename Places::Real>
MYRIAD_HD FrictionWork<Real> friction_work(const Places& places, const ContactLoads<Real, Topology>& loads,
                                           const Velocity& v) {
    FrictionWork<Real> work{Real(0.0), Real(0.0)};
    MYRIAD_EACH(c, places.topology, contacts) {
        Real own(0.0);
        MYRIAD_UNROLL for (int k = 1; k < Topology::directions; ++k) {
            const int row = c * Topology::directions + k;
            const Real u = places.velocity(row, v);
            own = select(loads[row] == Real(0.0), own, fma(-loads[row], u, own));
        }
        work.lost = work.lost + own, work.worn = work.worn + absolute(own);
    }
    // Joints have no coefficient of wear.
    MYRIAD_EACH(i, places.topology, set_frictions) {
        const int row = friction_row(places.topology, i);
        const Real lost = fma(-loads[row], places.velocity(row, v), work.lost);
        work.lost = select(loads[row] == Real(0.0), work.lost, lost);
    }
    return work;
}

template <class S>
struct Impact {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Equations = ContactEquations<System>;
    using Topology = typename Equations::Topology;

    const System& system;
    const typename Equations::Places& places;
    const ClosedContacts<Real, Topology>& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;
    Real noise;
    // J, in lanes that were struck
    Real loss_J = Real(0.0), wear_J = Real(0.0);  // of contacts; |L_T . u_T| with the mean of u before and after
    Real work_J = Real(0.0);                      // of drivers, by their impulses
    Mask solved = true_mask<Real>(), singular = !true_mask<Real>();
    bool rebounds = true;  // false: eps is 0
    bool follows = false;  // another impact of the same time: its impulses are added to

    // Takes motion.v of the lanes in `lanes` from v^- to v^+, with the functions of time in scratch.
    MYRIAD_NOINLINE void resolve(Equations& equations, Mask lanes, Motion<System>& motion,
                                 ContactLoads<Real, Topology>& impulse, JointImpulses<System>& of_joints) {
        const auto& topology = contact_topology(system);
        const Real zero(0.0), half(0.5);
        singular = lanes & equations.of_impulses(motion.q, motion.v, lanes);
        Real left = equations.kinetic_energy_here(motion.q, motion.v);
        ContactLoads<Real, Topology> given;
        given.fit(topology);
        ContactLoads<Real, Topology> former;
        former.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
            given[i] = places.velocity(i, motion.v);
            former[i] = impulse[i];
            impulse[i] = select(lanes, zero, impulse[i]);
        }
        ContactLoadProblem<System> problem{system, places, masks, settings, effort, noise};
        problem.rebounds = rebounds;
        solved = problem.solve(equations, lanes, Real(1.0), given, nullptr, impulse);

        typename System::Velocity mean;
        fit_to(system, mean);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            const Real v = motion.v[i], to_v = select(lanes, v + equations.rate(i), v);
            mean[i] = half * (v + to_v);
            motion.v[i] = to_v;
        }
        if (follows)
            of_joints.add_impact(lanes, equations);
        else
            of_joints.take(lanes, equations);
        if constexpr (has_topology<System>)
            if (has_drivers(topology)) {
                work_J = select(lanes, equations.work_of_drivers(motion.q, mean, zero, impulse, places), zero);
                left = left + work_J;
            }
        loss_J = select(lanes, left - equations.kinetic_energy_here(motion.q, motion.v), zero);
        wear_J = select(lanes, friction_work(places, impulse, mean).worn, zero);
        if (follows)
            MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) impulse[i] =
                select(lanes, former[i] + impulse[i], impulse[i]);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
