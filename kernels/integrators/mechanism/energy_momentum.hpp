// Energy-momentum integration of mechanisms on (R^3 x S^3)^n, with a fixed step.
//
//   energy_momentum              p . v - T + V (livens eq. 74) is kept, joints included; p . v - T is T only as long
//                                as p = M v, which the method's parasitic mode undoes in long runs
//   livens_midpoint              nothing is kept but the momenta of a free body; stays near in long runs
//   energy_momentum_convective   T + V, linear and angular momentum of the whole mechanism; no mode of its own
//
// All hold up to the Newton tolerance, where loads, dampers and drivers do no work; else they hold less the exact
// discrete work of these, which is kept in `work`, J. Unknowns of a step are (v+ - v)/h, an angular acceleration
// (energy_momentum_members.hpp) and the multipliers of the middle of the step: they and the accelerations belong to t +
// h/2. Velocities satisfy the constraints to second order only. Not handled: other charts than `rotation`.
#pragma once
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/mechanism/momentum_certificate.hpp"
#include "kernels/mechanism/energy_momentum/energy_momentum.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The cosine of half the largest turn of a step. These maps have no series that would end at largest_step_rotation_rad,
// but beyond a third of a turn a step has nothing to do with the motion.
constexpr double least_step_cosine = 0.5;

template <class System, class Member>
struct EnergyMomentumMemory : MechanismMemory<System> {
    using Real = typename System::Real;
    using Layout = DiscreteLayout<System>;
    KeptSpin<Real> spin[Layout::most_bodies];  // only for a member that keeps a rate or a momentum

    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        MechanismMemory<System>::fields(visit, first, self...);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < Layout::bodies(first.acceleration.topology); ++b) {
            if constexpr (Member::keeps_rate) visit(first.spin[b].along, self.spin[b].along...);
            if constexpr (Member::keeps_moment) visit_fields(visit, first.spin[b].moment, self.spin[b].moment...);
        }
    }
};

template <class Member>
struct MechanismEnergyMomentum : Member {
    static constexpr MethodOrders orders = {2, 1};  // accelerations and multipliers belong to the middle of the step
    template <class System>
    using Memory = EnergyMomentumMemory<System, Member>;
    template <class System>
    static constexpr int certificate_count = mechanism_momentum_count;

    template <class System>
    static MYRIAD_HD auto certificate(const System& system, const Motion<System>& motion,
                                      const Memory<System>& memory) {
        return mechanism_momentum_certificate<Member>(system, motion, memory);
    }
    template <class Topology>
    static MYRIAD_HD bool passes_lost_rank(const Schedule&, const Topology&) {
        return true;
    }
    static MYRIAD_HD constexpr bool certificate_drifts(int i) { return mechanism_momentum_drifts(i); }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        return begin_spin(system, motion, memory, assembled.reason);
    }
    // Momenta begin anew, without a parasitic part.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        typename System::Scratch scratch;
        return begin_spin(system, motion, memory, renew_mechanism(system, schedule, scratch, motion, memory));
    }
    // What the method keeps of the spins in the state; returns `reason`, or why it cannot.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real begin_spin(const System& system, const Motion<System>& motion, Memory<System>& memory,
                                     Real reason) {
        memory.power = Real(0.0);
        using Layout = DiscreteLayout<System>;
        MYRIAD_UNROLL_PLAN for (int b = 0; b < Layout::bodies(system.topology); ++b) {
            const Symmetric3<Real> inertia = Layout::inertia(system, b);
            const Vec<3, Real> twice = Real(2.0) * (inertia * Layout::turning(motion.v, b));
            memory.spin[b] = {Real(0.0), pure_quaternion(twice)};
            if constexpr (Member::inverts_inertia) {
                const Real trace = inertia.xx + inertia.yy + inertia.zz;
                reason = reason_unless(semidefinite_slack<Real>() * (trace * trace * trace) < determinant(inertia),
                                       Reason::inertia_singular, reason);
            }
        }
        return reason;
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        using Layout = DiscreteLayout<System>;
        FixedStep<Real> step = FixedStep<Real>::of(schedule, progress);
        const auto& topology = system.topology;
        const int bodies = Layout::bodies(topology), rates = rate_count(system);
        const Real h = step.h;
        DiscreteScratch<System, Member> scratch;
        if (topology.functions() > 0) {
            system.functions_at(step.time_s - h, scratch.functions_before);
            system.functions_at(step.time_s - Real(0.5) * h, scratch.functions_between);
            system.functions_at(step.time_s, scratch.solver.functions);
        }
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            scratch.begin.of[b].position = Layout::position(begin.q, b);
            scratch.begin.of[b].matrix = matrix_of(Layout::orientation(begin.q, b));
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) after.acceleration[i] = before.acceleration[i];
        if constexpr (Member::traits.parasitic_mode)
            MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b)
                Layout::set_rates(after.acceleration, b, Layout::linear(before.acceleration, b),
                                  -Layout::turning(before.acceleration, b));
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = before.multipliers[r];
        MYRIAD_EACH(i, topology, angles) end.q.turned[i] = begin.q.turned[i];

        const NewtonStep<System> newton_step{system, begin, before, after, end, scratch, h};
        const NewtonOutcome<Real> outcome = newton<Real>(active, static_cast<int>(schedule.most_newton_iterations),
                                                         Real(schedule.newton_tolerance), newton_step);
        place_end(system, begin, before, after.acceleration, h, end.q, scratch);
        const DiscreteEquations<System, Member> equations{{system, begin.q, h, scratch}};
        after.work = before.work + equations.work_of_step(end.q, after.multipliers.e);
        Real least_cosine(1.0), sum(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            const Turn<Real>& turn = scratch.turn[b];
            least_cosine = select(least_cosine <= turn.r.w, least_cosine, turn.r.w);  // NaN is the least
            const Vec<3, Real> accelerated = Layout::linear(after.acceleration, b),
                               before_step = Layout::turning(begin.v, b);
            Vec<3, Real> omega = before_step;
            if constexpr (Member::keeps_rate) after.spin[b].along = before.spin[b].along;
            if constexpr (Member::keeps_moment) after.spin[b].moment = before.spin[b].moment;
            Member::finish(turn, Layout::inertia(system, b), omega, after.spin[b]);
            Layout::set_rates(end.v, b, fma(h, accelerated, Layout::linear(begin.v, b)), omega);
            Layout::set_rates(after.acceleration, b, accelerated, (Real(1.0) / h) * (omega - before_step));
        }
        settle(system, end.q);
        after.time_s = step.time_s, after.power = Real(0.0);
        after.iterations = before.iterations + outcome.iterations, after.last_iterations = outcome.iterations;
        after.most_iterations = maximum(outcome.iterations, before.most_iterations);
        after.assembly_correction = before.assembly_correction;
        after.velocity_correction = before.velocity_correction;

        Real& reason = step.attempt.reason;
        reason = reason_unless(Real(least_step_cosine) <= least_cosine, Reason::rotation_beyond_series, reason);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) sum = finite_term(after.acceleration[i], sum);
        reason = reason_unless(outcome.converged | (sum <= Real(0.0)), Reason::state_not_finite, reason);
        reason = reason_unless(outcome.converged | (!outcome.perturbed), Reason::matrix_singular, reason);
        reason = reason_unless(outcome.converged, Reason::newton_did_not_converge, reason);
        return step.attempt;
    }

    // The end of the step for the unknowns `b`, and all that the equations read there.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void place_end(const System& system, const Motion<System>& begin, const Memory<System>& before,
                                    const typename System::Velocity& b, Real h, typename System::Configuration& end,
                                    DiscreteScratch<System, Member>& scratch) {
        using Layout = DiscreteLayout<System>;
        const Real half(0.5), position = half * (h * h);
        auto& places = scratch.layout(system).places();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < Layout::bodies(system.topology); ++i) {
            const Turn<Real> turn = Member::turn(Layout::turning(begin.v, i), Layout::turning(b, i), h, before.spin[i]);
            const Rotation<Real> q = Layout::orientation(begin.q, i), e = q * turn.r;
            Place<Real>& place = places.of[i];
            place.matrix = matrix_of(e);
            place.position =
                fma(position, Layout::linear(b, i), fma(h, Layout::linear(begin.v, i), Layout::position(begin.q, i)));
            Layout::set_pose(end, i, place.position, e);
            if constexpr (Member::has_relative_quaternions)
                scratch.middle[i] = {half * (q.w + e.w), half * (q.x + e.x), half * (q.y + e.y), half * (q.z + e.z)};
            scratch.rotation[i] =
                Member::template DiscreteRotation<Real>::of(scratch.begin.of[i].matrix, place.matrix, q, turn.r);
            scratch.turn[i] = turn;
        }
    }

  private:
    // One correction. It is a struct because a compiler for GPUs need not inline a lambda; all that the lambda refers
    // to would then lie in memory.
    template <class System>
    struct NewtonStep {
        using Real = typename System::Real;
        using Layout = DiscreteLayout<System>;
        const System& system;
        const Motion<System>& begin;
        const Memory<System>& before;
        Memory<System>& after;
        Motion<System>& end;
        DiscreteScratch<System, Member>& scratch;
        Real h;

        MYRIAD_HD Correction<Real> operator()(MaskOf<Real> going, bool) const {
            place_end(system, begin, before, after.acceleration, h, end.q, scratch);
            const DiscreteEquations<System, Member> equations{{system, begin.q, h, scratch}};
            equations.evaluate(begin.v, before.spin, after.acceleration, after.multipliers.e);
            const Layout layout = scratch.layout(system);
            const Correction<Real> correction = layout.solve(end.q, after.acceleration, Real(0.5) * (h * h));
            MYRIAD_UNROLL_PLAN for (int b = 0; b < Layout::bodies(system.topology); ++b) {
                const Vec<3, Real> old = Layout::linear(after.acceleration, b),
                                   turning = Layout::turning(after.acceleration, b),
                                   z = scratch.turn[b].unknown_by * layout.solved_rotation(b);
                Layout::set_rates(after.acceleration, b, select(going, old + layout.solved_translation(b), old),
                                  select(going, turning + z, turning));
            }
            MYRIAD_EACH(r, system.topology, rows)
                after.multipliers[r] =
                    select(going, after.multipliers[r] + layout.solved_multiplier(r), after.multipliers[r]);
            return correction;
        }
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
