// Contacts that overlap at the start: whether there are some, and the way out of them.
//
//   dq = M^-1 W_N l,   g + W_N^T dq >= 0,  l >= 0,  l (g + W_N^T dq) = 0       repeated, as gaps are not linear in q
//
// the smallest step, measured by the mass matrix, to where no gap is negative; bilateral contacts stay as they are, and
// no contact is pushed into another. Velocities are left alone. Not handled: overlaps that no small step leaves: the
// caller asks `penetrates` afterwards.
#pragma once
#include "kernels/contact/impulse.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Lanes where a unilateral contact is deeper than the gap tolerance; a gap that is NaN counts.
template <class System, class Real = typename System::Real>
MYRIAD_HD MaskOf<Real> penetrates(const System& system, const ContactStateOf<System>& contact,
                                  const ContactSettings& settings) {
    MaskOf<Real> some = !true_mask<Real>();
    MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
        const MaskOf<Real> held = system.held(k), unused = system.unused(k), unilateral = !(held | unused);
        some = some | (unilateral & (!(Real(-settings.gap_tolerance_m) <= contact.gap[k])));
    }
    return some;
}

template <class System, class Real = typename System::Real>
MYRIAD_HD void leave_penetration(const System& system, const ContactSettings& settings, Motion<System>& motion) {
    constexpr int contacts = System::contacts, directions = 1 + System::tangents, most_steps = 20;
    using Velocity = typename System::Velocity;
    ContactEffort<Real> effort = ContactEffort<Real>::none();
    Velocity rest;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) rest[i] = Real(0.0);
    for (int step = 0; step < most_steps; ++step) {
        const ContactStateOf<System> contact = contact_state_of(system, motion.q);
        const MaskOf<Real> going = penetrates(system, contact, settings);
        if (!any(going)) return;
        ContactMasks<contacts, Real> masks;
        ContactImpulse<System> push;
        ContactRows<System> gaps;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < contacts; ++k) {
            masks.bilateral[k] = system.held(k), masks.closed[k] = !system.unused(k);
            MYRIAD_UNROLL_PLAN for (int i = k * directions; i < (k + 1) * directions; ++i) {
                push.impulse[i] = gaps[i] = Real(0.0);
                if (i == k * directions) gaps[i] = select(masks.bilateral[k], gaps[i], contact.gap[k]);
            }
        }
        push.friction_share = Real(0.0);
        SmallFactors<System::freedoms, Real> mass;
        mass.factor(system.mass(motion.q));
        push.resolve(system, mass, contact, contact, Real(1.0), rest, gaps, masks, settings, going, effort);
        Motion<System> moved{system.settle(system.retract(motion.q, push.velocity)), motion.v};
        keep(going, moved, motion);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
