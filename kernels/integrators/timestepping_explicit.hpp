// Members of timestepping without Newton's method: Moreau's midpoint rule and a half-explicit scheme.
//
//   moreau_midpoint   q_M = q + h/2 v,  v+ = v + M(q_M)^-1 (h h(q_M, v, t + h/2) + W(q_M) L),  q+ = q_M + h/2 v+
//                     u+ + eps u by the laws with the impulses L of all contacts that are closed at q_M; impacts and
//                     contact forces are one (nonsmooth [30]), told apart for the record by StruckContacts; order 2
//                     only where no force depends on the velocity
//   half_explicit     a_1 = M(q)^-1 (h(q, v, t) + W(q) l_1),  v* = v + h a_1,  q* = q + h v,  W(q*)^T v* admissible,
//                     a_2 = M(q*)^-1 (h(q*, v*, t + h) + W(q*) l_2),  q+ = q + h/2 (v + v*),
//                     v- = v + h/2 (a_1 + a_2),  W(q+)^T v- admissible; then impacts as in timestepping.hpp
//
// The half-explicit scheme is NOT written out in the paper, which compares with it: this one is built from its
// definition (a time-discontinuous Galerkin method with linear velocities, evaluated by the trapezoidal rule, contact
// on velocity level: INRIA report hal-01078398; Schindler, Rezaei, Kursawe, Acary 2015). Both of its contact forces
// have the direction of the slip at the end, so that it is of order 1 where the slip turns. Not handled: stiff systems,
// for which both schemes are unstable beyond h = 2 / omega.
#pragma once
#include "kernels/integrators/timestepping.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct MoreauMidpoint {
    static constexpr const char* name = "moreau_midpoint";
    static constexpr const char* summary = "Moreau's midpoint rule: contact and impact in one, explicit";
    static constexpr MethodOrders orders = {1, 1};
    static constexpr MethodTraits traits{.contact = true};
    static constexpr bool impacts_apart = false;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        constexpr int n = System::freedoms, directions = 1 + System::tangents;
        const System& system = step.system;
        const Real h = step.h, half_h = Real(0.5) * h;
        const auto middle = system.retract(step.begin.q, half_h * step.begin.v);
        SmallFactors<n, Real> factors;
        factors.factor(system.mass(middle));
        step.end.v = fma(h, factors.solve(system.force(middle, step.begin.v, step.begin_s + half_h)), step.begin.v);
        if constexpr (System::contacts > 0) {
            const ContactStateOf<System> contact = contact_state_of(system, middle);
            const ContactSettings settings = ContactSettings::of(step.schedule);
            const auto masks = closed_contacts(system, contact.gap, settings);
            const MaskOf<Real> touching = step.active & masks.any_closed();
            ContactImpulse<System> impact;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < impact.rows; ++i) impact.impulse[i] = h * step.before.force[i];
            impact.resolve(system, factors, contact, contact, Real(1.0), step.end.v,
                           restitution(system, contact, masks, step.begin.v), masks, ContactSettings::of(step.schedule),
                           touching, step.effort);
            step.contacts_solved = impact.solved;
            step.end.v = impact.velocity;
            const Real reciprocal = Real(1.0) / h;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
                const int normal = k * directions;
                const Real before = contact.velocity(normal, step.begin.v);
                const Real mean = Real(0.5) * (before + contact.velocity(normal, step.end.v));
                const MaskOf<Real> closed = touching & masks.closed[k] & !masks.bilateral[k];
                step.met = step.met | closed;
                step.impact.look_at(closed, contact.gap[k], before, h, Real(settings.gap_tolerance_m),
                                    h * step.before.force[normal], impact.impulse[normal]);
                MYRIAD_UNROLL_PLAN for (int i = normal; i < normal + directions; ++i) {
                    const Real impulse = select(touching, impact.impulse[i], Real(0.0));
                    step.after.impulse[i] = impulse, step.after.force[i] = reciprocal * impulse;
                }
                step.after.impact_loss_J = fma(-step.after.impulse[normal], mean, step.after.impact_loss_J);
            }
            const FrictionWork<Real> work =
                friction_work<System>(contact, step.after.impulse, Real(0.5) * (step.begin.v + step.end.v));
            step.after.friction_loss_J = step.after.friction_loss_J + work.lost;
            step.after.wear_work_J = step.after.wear_work_J + work.worn;
        }
        const typename System::Velocity increment = half_h * (step.begin.v + step.end.v);
        step.note_reach(increment);
        step.end.q = system.settle(system.retract(step.begin.q, increment));
        step.after.acceleration = step.after.algorithmic = (Real(1.0) / h) * (step.end.v - step.begin.v);
    }
};

struct HalfExplicit {
    static constexpr const char* name = "half_explicit";
    static constexpr const char* summary =
        "contact and impact on the explicit trapezoidal rule (not written out in the paper)";
    static constexpr MethodOrders orders = {2, 1};
    static constexpr MethodTraits traits{.contact = true};
    static constexpr bool impacts_apart = true;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        const System& system = step.system;
        const Real h = step.h, half_h = Real(0.5) * h;
        const typename System::Velocity prediction = h * step.begin.v;
        step.note_reach(prediction);
        const auto predicted = system.retract(step.begin.q, prediction);
        typename System::Velocity first;
        Vec<ContactMemory<System>::rows, Real> force = step.guessed_force();
        const auto star =
            advanced(step, step.begin.q, step.begin.v, step.begin_s, step.begin.v, h, predicted, force, first);
        typename System::Velocity second;
        step.end.q = system.settle(system.retract(step.begin.q, half_h * (step.begin.v + star)));
        step.end.v = advanced(step, predicted, star, step.begin_s + h, fma(half_h, first, step.begin.v), half_h,
                              step.end.q, force, second);
        step.after.acceleration = step.after.algorithmic = second, step.after.force = force;
    }

  private:
    // The velocity from + time a, a = M^-1 (h + W l) at (q, v), with W(end)^T of the result admissible
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD typename System::Velocity advanced(
        ContactStep<System>& step, const typename System::Configuration& q, const typename System::Velocity& v,
        Real at_s, const typename System::Velocity& from, Real time_s, const typename System::Configuration& end,
        Vec<ContactMemory<System>::rows, Real>& force, typename System::Velocity& acceleration) {
        const System& system = step.system;
        SmallFactors<System::freedoms, Real> factors;
        factors.factor(system.mass(q));
        acceleration = factors.solve(system.force(q, v, at_s));
        typename System::Velocity result = fma(time_s, acceleration, from);
        if constexpr (System::contacts > 0) {
            const MaskOf<Real> touching = step.active & step.masks.any_closed();
            if (any(touching)) {
                ContactImpulse<System> contact;
                Vec<ContactMemory<System>::rows, Real> none;
                MYRIAD_UNROLL_PLAN for (int i = 0; i < contact.rows; ++i) none[i] = Real(0.0);
                contact.impulse = force;
                contact.resolve(system, factors, contact_state_of(system, q), contact_state_of(system, end), time_s,
                                result, none, step.masks, ContactSettings::of(step.schedule), touching, step.effort);
                step.contacts_solved = step.contacts_solved & contact.solved;
                force = select(touching, contact.impulse, force);
                const Real reciprocal = Real(1.0) / time_s;
                acceleration = select(touching, reciprocal * (contact.velocity - from), acceleration);
                result = contact.velocity;
            }
        }
        return result;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
