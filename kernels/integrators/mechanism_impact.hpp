// Impacts of a mechanism: impulses of its closed contacts and of its joints.
//
//   M (v^+ - v^-) + B^T L_B = W L,   B v^+ + phi_t = 0          joints stay on their constraints, facts F
//   u^+ + eps u^-  by the laws of prox.hpp with the impulses L    nonsmooth eqs. 46 to 54
//
// The rest B v^- + phi_t, of second order in the step, is taken from v^- first: u^- belongs to the result. Force
// elements give no impulse. Not handled: impacts of joints with a play of their own.
#pragma once
#include "kernels/mechanism/contact_loads.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Friction's work, as friction_work of contact/impulse.hpp has it.
template <class Real, class Topology, class Velocity>
MYRIAD_HD FrictionWork<Real> friction_work(const ContactPlaces<Real, Topology>& places,
                                           const ContactLoads<Real, Topology>& loads, const Velocity& v) {
    FrictionWork<Real> work{Real(0.0), Real(0.0)};
    MYRIAD_UNROLL_PLAN for (int c = 0; c < places.topology.contacts(); ++c) {
        const int tangent = c * contact_directions + 1;
        const Real first = -loads[tangent] * places.velocity(tangent, v),
                   own = fma(-loads[tangent + 1], places.velocity(tangent + 1, v), first);
        work.lost = work.lost + own, work.worn = work.worn + absolute(own);
    }
    return work;
}

template <class System, class Real = typename System::Real>
MYRIAD_HD Real kinetic_energy(const System& system, const Bodies<Real, System::Topology::most_bodies>& bodies) {
    Real twice(0.0);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
        const Place<Real>& body = bodies.of[b];
        const int at = parameters_of_body(b);
        const Vec<3, Real> w = body.angular_velocity;
        const Vec<3, Real> moment = symmetric_at<Real>(*system.parameters, at + body_inertia) * w;
        twice = twice + fma(system.parameter(at + body_mass), dot(body.velocity, body.velocity), dot(w, moment));
    }
    return Real(0.5) * twice;
}

template <class S>
struct MechanismImpact {
    using System = S;
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Mask = MaskOf<Real>;

    const System& system;
    const ContactPlaces<Real, Topology>& places;
    const ClosedContacts<Real, Topology>& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;
    Real noise;
    // J, in lanes that were struck
    Real loss_J = Real(0.0), wear_J = Real(0.0);  // kinetic energy; |L_T . u_T| with the mean of u before and after
    Mask solved = true_mask<Real>(), singular = !true_mask<Real>();

    // Takes motion.v of the lanes in `lanes` from v^- to v^+, with the functions of time in `scratch`.
    MYRIAD_NOINLINE void resolve(typename System::Scratch& scratch, Mask lanes, Motion<System>& motion,
                                 ContactLoads<Real, Topology>& impulse,
                                 typename System::MultiplierVector& joint_impulse) {
        const Topology& topology = system.topology;
        auto& work = scratch.work;
        const Real zero(0.0), half(0.5);
        system.place(motion.q, motion.v, work.bodies);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) work.moved[b] = work.turned[b] = Vec<3, Real>{};
        const Linearization<Real> by{Real(1.0), zero, zero, Real(1.0), Level::velocity, false, false, false, true};
        system.equations(scratch.functions).evaluate(work, by, nullptr, motion.q.turned, scratch.matrix);
        singular = lanes & topology.template factor<Real>(scratch.matrix);
        const Real before = kinetic_energy(system, work.bodies);
        ContactLoads<Real, Topology> given;
        given.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
            given[i] = places.velocity(i, motion.v);
            impulse[i] = select(lanes, zero, impulse[i]);
        }
        ContactLoadProblem<System> problem{system, places, masks, settings, effort, noise};
        problem.rebounds = true;
        solved = problem.solve(scratch, lanes, Real(1.0), given, nullptr, impulse);

        typename System::Velocity mean;
        mean.fit(topology);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> v = motion.v.linear(b), w = motion.v.turning(b),
                               to_v = select(lanes, v + system.solved_translation(work, b), v),
                               to_w = select(lanes, w + system.solved_rotation(work, b), w);
            mean.set(b, half * (v + to_v), half * (w + to_w));
            motion.v.set(b, to_v, to_w);
        }
        MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) joint_impulse[r] =
            select(lanes, work.solution[6 * topology.bodies() + r], joint_impulse[r]);
        system.place(motion.q, motion.v, work.bodies);
        loss_J = select(lanes, before - kinetic_energy(system, work.bodies), zero);
        wear_J = select(lanes, friction_work(places, impulse, mean).worn, zero);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
