// Kinematic analysis (kernels/integrators/kinematics.hpp) on a chart: corrections of poses go through its coordinates.
//
//   positions       Newton on phi(q, t) = 0 from where the velocities and accelerations before lead     rA eqs. 12, 14
//   velocities      B v = -phi_t
//   accelerations   B a = -bias, and the multipliers of inverse dynamics
#pragma once
#include "kernels/integrators/kinematics.hpp"
#include "papers/charts/kernels/charted_mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct KinematicsOnChart : Kinematics {
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            system.assemble(scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        return assembled.reason;
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        typename System::Scratch scratch;
        return system.renew(schedule, scratch, motion, memory);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        FixedStep<Real> step = FixedStep<Real>::of(schedule, progress);
        const Real one(1.0), zero(0.0), h = step.h, half_square = Real(0.5) * (h * h);
        const auto& topology = system.topology;
        const auto tree = system.tree();
        typename System::Scratch scratch;
        system.functions_at(step.time_s, scratch.functions);
        typename System::Velocity still, increment;
        system.set_still(still), increment.fit(topology);
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = zero;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < increment.size(); ++i) increment[i] =
            fma(half_square, before.acceleration[i], h * begin.v[i]);
        system.retract(begin.q, increment, end.q);
        // Pivots by length are squares of what a radian or a length changes in a row.
        const Real length = minimum(one, system.parameter(length_scale_parameter)),
                   least_pivot = weakest_pivot<Real>() * (length * length);
        typename System::TreeState seen;
        const auto solve = [&](Level level) {
            tree.equations().evaluate(seen.motion.q, seen.motion.v, seen.acceleration, after.multipliers.e,
                                      {zero, zero, one, level, false, true, true}, scratch);
            scratch.weak_place = scratch.system.factor();
            MYRIAD_EACH(r, topology, rows)
                scratch.weak_place = first_weak_pivot(topology.freedoms() + r,
                                                      least_pivot < scratch.system.row_pivot(r), scratch.weak_place);
            scratch.system.solve(scratch.solution.e, scratch.row_solution);
        };
        Real& first_weak = step.attempt.weak_place;
        const auto note = [&](MaskOf<Real> lanes) {
            first_weak = select(lanes & (first_weak < zero), scratch.weak_place, first_weak);
            return zero <= scratch.weak_place;
        };
        NewtonOutcome<Real> outcome = newton<Real>(
            active, static_cast<int>(schedule.most_newton_iterations), Real(schedule.newton_tolerance),
            [&](MaskOf<Real> going, bool) {
                system.to_tree(end.q, still, still, seen);
                solve(Level::position);
                Correction<Real> correction{zero, note(going)};
                tree.measure(seen.motion.q, seen.acceleration, scratch.solution, one, correction);
                correction.leave_out_round_off();
                MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
                    increment.set(b, select(going, system.translation(scratch.solution, b), still.linear(b)),
                                  select(going, system.rates_of(end.q, b, system.rotation(scratch.solution, b)),
                                         still.turning(b)));
                }
                system.retract(end.q, increment, end.q);
                return correction;
            });
        // Beside a singular pose corrections throw the pose about.
        outcome.perturbed = outcome.perturbed | ((!outcome.converged) & (zero <= first_weak));
        system.settle(end.q);
        system.to_tree(end.q, still, still, seen);
        solve(Level::velocity);
        MaskOf<Real> lost = note(active);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b)
            end.v.set(b, system.translation(scratch.solution, b),
                      system.rates_of(end.q, b, system.rotation(scratch.solution, b)));
        system.acceleration(end.q, end.v, step.time_s, scratch, after.acceleration, after.multipliers);
        lost = lost | note(active);
        after.follow(system, before, step.time_s, h, end, scratch, outcome.iterations, false);
        judge(outcome, all_finite(end.q), lost, step.attempt.reason);
        return step.attempt;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
