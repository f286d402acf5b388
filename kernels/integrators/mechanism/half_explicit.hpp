// The half-explicit scheme of ../timestepping_explicit.hpp for bodies with joints: a member of timestepping.hpp.
//
//   q* = q o (h v),  M(q) (v* - v) + B(q)^T Z_1 = h f(q, v, t) + W(q) L_1,  B(q*) v* = -phi_t,  W(q*)^T v* by the laws
//   q+ = q o (h/2 (v + v*)), put back on the joints,
//   M(q*) (v- - (v + v*)/2) + B(q*)^T Z_2 = h/2 f(q*, v*, t + h) + W(q*) L_2,  B(q+) v- = -phi_t,  W(q+)^T v- by the
//   laws of the contacts closed at q; then impacts
//
// Reactions act where the stage begins and hold the velocities where it ends (Brasey, Hairer: half-explicit Runge-Kutta
// methods for index 2): order 2, order 1 for reactions and contact forces. Force elements count as forces. NOT written
// out in the paper that compares with it: see ../timestepping_explicit.hpp. Not handled: stiff force elements, for
// which it is unstable beyond h = 2 / omega.
#pragma once
#include "kernels/integrators/mechanism/timestepping.hpp"
#include "kernels/integrators/timestepping_explicit.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct MechanismHalfExplicit {
    static constexpr const char* name = HalfExplicit::name;
    static constexpr const char* summary = HalfExplicit::summary;
    static constexpr MethodOrders orders = HalfExplicit::orders;
    static constexpr MethodTraits traits{.implicit = true,
                                         .contact = true};  // in putting the bodies back on their joints
    static constexpr bool impacts_apart = true;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        using System = typename Step::System;
        const System& system = step.system;
        const Real h = step.h, half_h = Real(0.5) * h;
        typename System::Configuration predicted;
        typename System::Velocity star, mean;
        predicted.fit(system.topology), star.fit(system.topology), mean.fit(system.topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) step.increment[i] = h * step.begin.v[i];
        step.reach = system.reach(step.increment);
        system.retract(step.begin.q, step.increment, predicted);
        push(step, step.begin.q, step.begin.v, step.time_s - h, step.begin.v, h, predicted, star);

        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            mean[i] = Real(0.5) * (step.begin.v[i] + star[i]);
            step.increment[i] = h * mean[i];
        }
        step.reach = maximum(system.reach(step.increment), step.reach);
        system.retract(step.begin.q, step.increment, step.end.q);
        step.put_on_joints();
        push(step, predicted, star, step.time_s, mean, half_h, step.end.q, step.end.v);
        step.equations.prescribe(step.end.q, step.end.v);
        step.equations.prescribe_acceleration(step.after.acceleration);
        copy_rates(system, step.after.acceleration, step.after.algorithmic);
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
        const auto& topology = system.topology;
        auto& equations = step.equations;
        auto& after = step.after;
        const Real reciprocal = Real(1.0) / over_s;
        typename Step::Equations::Places seen;
        step.perturbed =
            step.perturbed | equations.of_half_step(q, v, at_s, over_s, held, from, step.time_s, step.begin.q.turned,
                                                    step.active, after.multipliers, step.places, seen);
        ContactLoads<Real, typename System::Topology> given, load;
        given.fit(topology), load.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
            given[i] = seen.velocity(i, from);
            load[i] = over_s * after.force[i];
        }
        const Real noise = contact_noise(system, step.schedule, step.h);
        ContactLoadProblem<System> problem{system, step.places, step.masks, step.settings, step.effort, noise};
        problem.seen = &seen, problem.joints_rub = true, problem.over_s = over_s;
        const auto solved = problem.solve(equations, step.active, Real(1.0), given, nullptr, load);
        step.contacts_solved = step.contacts_solved & (solved | !step.active);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            const Real change = equations.rate(i);
            result[i] = from[i] + change;
            after.acceleration[i] = reciprocal * change;
        }
        MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) after.multipliers[r] =
            reciprocal * equations.multiplier(r);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) after.force[i] = reciprocal * load[i];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
