// A half-explicit scheme: a member of timestepping.hpp.
//
//   q* = q o (h v), with what drivers prescribe at t + h,
//   M(q) (v* - v) + B(q)^T Z_1 = h f(q, v, t) + W(q) L_1,  B(q*) v* = -phi_t,  W(q*)^T v* by the laws
//   q+ = q o (h/2 (v + v*)), put back on the joints,
//   M(q*) (v- - (v + v*)/2) + B(q*)^T Z_2 = h/2 f(q*, v*, t + h) + W(q*) L_2,  B(q+) v- = -phi_t,  W(q+)^T v- by the
//   laws of the contacts closed at q; then impacts
//
// Reactions act where the stage begins and hold the velocities where it ends (Brasey, Hairer: half-explicit Runge-Kutta
// methods for index 2): order 2, order 1 for reactions and contact forces. Force elements count as forces. NOT written
// out in the paper, which compares with it: this one is built from its definition (a time-discontinuous Galerkin method
// with linear velocities, evaluated by the trapezoidal rule, contact on velocity level: INRIA report hal-01078398;
// Schindler, Rezaei, Kursawe, Acary 2015). Both of its contact forces have the direction of the slip at the end, so
// that it is of order 1 where the slip turns. Not handled: stiff force elements: it multiplies an undamped vibration by
// sqrt(1 + (h omega)^4 / 4) in each step.
#pragma once
#include "kernels/integrators/contact/timestepping.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct HalfExplicit {
    static constexpr const char* name = "half_explicit";
    static constexpr const char* summary =
        "contact and impact on the explicit trapezoidal rule (not written out in the paper); order 1 where a slip "
        "turns: with steps of 1 ms 1.7e-4 m off on a turntable, moreau_midpoint 7e-8 m";
    static constexpr MethodOrders orders = {2, 1};
    static constexpr MethodTraits traits{.contact = true};
    static constexpr bool impacts_apart = true;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        using System = typename Step::System;
        const System& system = step.system;
        const Real h = step.h, half_h = Real(0.5) * h;
        typename System::Configuration predicted;
        typename System::Velocity star, mean;
        fit_to(system, predicted), fit_to(system, star), fit_to(system, mean);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) step.increment[i] = h * step.begin.v[i];
        step.reach = system.reach(step.increment);
        retract_to(system, step.begin.q, step.increment, predicted);
        if constexpr (has_topology<System>) system.prescribe_at(step.time_s, predicted, star);
        push(step, step.begin.q, step.begin.v, step.time_s - h, step.begin.v, h, predicted, star);

        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            mean[i] = Real(0.5) * (step.begin.v[i] + star[i]);
            step.increment[i] = h * mean[i];
        }
        step.reach = maximum(system.reach(step.increment), step.reach);
        retract_to(system, step.begin.q, step.increment, step.end.q);
        step.put_on_joints();
        push(step, predicted, star, step.time_s, mean, half_h, step.end.q, step.end.v);
        step.equations.prescribe(step.end.q, step.end.v);
        step.equations.prescribe_acceleration(step.after.acceleration);
        copy_rates(system, step.after.acceleration, step.after.algorithmic);
        step.renew_laws();
        step.newton_converged = step.newton_converged & !(step.active & step.perturbed);  // nothing would refine it
    }

  private:
    // `result` from `from`, with forces at (q, v, at_s) over `over_s`, admissible at (held, step.time_s). The scratch
    // is left with the functions of the end, step.after with accelerations, reactions and contact forces.
    template <class Step, class Real = typename Step::Real>
    static MYRIAD_NOINLINE void push(Step& step, const typename Step::System::Configuration& q,
                                     const typename Step::Velocity& v, Real at_s, const typename Step::Velocity& from,
                                     Real over_s, const typename Step::System::Configuration& held,
                                     typename Step::Velocity& result) {
        using System = typename Step::System;
        const System& system = step.system;
        const auto& topology = contact_topology(system);
        auto& equations = step.equations;
        auto& after = step.after;
        const Real reciprocal = Real(1.0) / over_s;
        typename Step::Equations::Places seen;
        const auto touching = step.active & step.masks.any_acts();
        step.perturbed =
            step.perturbed | equations.of_half_step(q, v, at_s, over_s, held, from, step.time_s, step.begin.q,
                                                    step.active, after.multipliers, touching, step.places, seen);
        ContactLoads<Real, ContactTopologyOf<System>> given, load;
        given.fit(topology), load.fit(topology), given.clear();
        MYRIAD_WHEN(touching)
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] = seen.velocity(i, from);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] = over_s * after.force[i];
        const Real noise = contact_noise(equations, step.schedule, step.h);
        ContactLoadProblem<System> problem{system, step.places, step.masks, step.settings, step.effort, noise};
        problem.seen = &seen, problem.dry = &step.dry, problem.over_s = over_s;
        const auto solved = problem.solve(equations, step.active, Real(1.0), given, nullptr, load);
        step.contacts_solved = step.contacts_solved & (solved | !step.active);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            const Real change = equations.rate(i);
            result[i] = from[i] + change;
            after.acceleration[i] = reciprocal * change;
        }
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = reciprocal * equations.multiplier(r);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) after.force[i] = reciprocal * load[i];
    }
};

// Bodies are put back on their joints by Newton's method.
struct HalfExplicitWithJoints : HalfExplicit {
    static constexpr MethodTraits traits{.implicit = true, .contact = true};
};

}  // namespace myriad::inline MYRIAD_VARIANT
