// Kinematic analysis of a driven mechanism without freedoms, at times a step apart.
//
//   positions       Newton on phi(q, t) = 0 from the pose before; R <- R exp(z) on the group       rA paper eqs. 12, 14
//   velocities      B v = -phi_t
//   accelerations   B a = -bias, and the multipliers of inverse dynamics: M a + B^T lambda = f
//
// Each is one solve with the saddle-point matrix [M B^T; B 0]; where B is square, its lower rows alone decide. A row
// that no coordinate moves, as the height of a crank at its highest point, is singular. Not handled: mechanisms with
// freedoms left, which are refused when the study is read.
#pragma once
#include "kernels/integrators/implicit.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/tree/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct Kinematics {
    static constexpr const char* name = "kinematics";
    static constexpr const char* summary =
        "position, velocity and acceleration analysis of a driven mechanism, with its reactions";
    static constexpr MethodOrders orders = {0, 0};
    static constexpr MethodTraits traits{.implicit = true, .kinematic = true};
    template <class System>
    using Memory = MechanismMemory<System>;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        return assembled.reason;
    }
    template <class Topology>
    static MYRIAD_HD bool passes_lost_rank(const Schedule&, const Topology&) {
        return true;
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        typename System::Scratch scratch;
        return renew_mechanism(system, schedule, scratch, motion, memory);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        FixedStep<Real> step = FixedStep<Real>::of(schedule, progress);
        const Real one(1.0), zero(0.0), h = step.h, half_square = Real(0.5) * (h * h);
        const auto& topology = system.topology;
        typename System::Scratch scratch;
        system.functions_at(step.time_s, scratch.functions);
        typename System::Velocity still, increment;
        system.set_still(still), increment.fit(topology);
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = zero;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < increment.size(); ++i) increment[i] =
            fma(half_square, before.acceleration[i], h * begin.v[i]);
        system.retract(begin.q, increment, end.q);
        system.set_still(end.v);
        system.prescribe(scratch.functions, end.q, end.v);
        // Pivots by length are squares of what a radian or a length changes in a row.
        const Real length = minimum(one, system.parameter(length_scale_parameter)),
                   least_pivot = weakest_pivot<Real>() * (length * length);
        const auto solve = [&](Level level, const typename System::Velocity& v, bool by_length) {
            system.equations().evaluate(end.q, v, still, after.multipliers.e,
                                        {zero, zero, one, level, false, true, by_length}, scratch);
            scratch.weak_place = scratch.system.factor();
            if (by_length) {
                MYRIAD_EACH(r, topology, rows)
                    scratch.weak_place = first_weak_pivot(
                        topology.freedoms() + r, least_pivot < scratch.system.row_pivot(r), scratch.weak_place);
            }
            scratch.system.solve(scratch.solution.e, scratch.row_solution);
        };
        Real& first_weak = step.attempt.weak_place;
        const auto note = [&](MaskOf<Real> lanes) {
            first_weak = select(lanes & (first_weak < zero), scratch.weak_place, first_weak);
            return zero <= scratch.weak_place;
        };
        NewtonOutcome<Real> outcome = newton<Real>(active, static_cast<int>(schedule.most_newton_iterations),
                                                   Real(schedule.newton_tolerance), [&](MaskOf<Real> going, bool) {
                                                       solve(Level::position, still, true);
                                                       Correction<Real> correction{zero, note(going)};
                                                       system.measure(end.q, still, scratch.solution, one, correction);
                                                       correction.leave_out_round_off();
                                                       MYRIAD_UNROLL_PLAN for (int i = 0; i < increment.size(); ++i)
                                                           increment[i] = select(going, scratch.solution[i], zero);
                                                       system.retract(end.q, increment, end.q);
                                                       return correction;
                                                   });
        // Beside a singular pose corrections throw the pose about.
        outcome.perturbed = outcome.perturbed | ((!outcome.converged) & (zero <= first_weak));
        system.settle(end.q);
        solve(Level::velocity, end.v, false);
        const MaskOf<Real> lost = note(active);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < end.v.size(); ++i) end.v[i] = end.v[i] + scratch.solution[i];
        system.accelerate(end.q, end.v, false, scratch, after.acceleration, after.multipliers);
        after.follow(system, before, step.time_s, step.h, end, scratch, outcome.iterations, true);
        judge(outcome, all_finite(end.q), lost, step.attempt.reason);
        return step.attempt;
    }

  protected:
    template <class Real>
    static MYRIAD_HD void judge(const NewtonOutcome<Real>& outcome, MaskOf<Real> finite, MaskOf<Real> lost,
                                Real& reason) {
        reason = reason_unless(outcome.converged | (!outcome.perturbed), Reason::matrix_singular, reason);
        reason = reason_unless(outcome.converged | finite, Reason::state_not_finite, reason);
        reason = reason_unless(outcome.converged, Reason::newton_did_not_converge, reason);
        reason = reason_unless(!(outcome.perturbed | lost), Reason::matrix_singular, reason);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
