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
    KeptSpin<Real> spin[System::Topology::most_bodies];  // only for a member that keeps a rate or a momentum

    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        MechanismMemory<System>::fields(visit, first, self...);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < first.acceleration.topology.bodies(); ++b) {
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
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
            const Symmetric3<Real> inertia = inertia_of(system, b);
            const Vec<3, Real> twice = Real(2.0) * (inertia * motion.v.turning(b));
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
        FixedStep<Real> step = FixedStep<Real>::of(schedule, progress);
        const auto& topology = system.topology;
        const int bodies = topology.bodies(), rates = rate_count(system);
        const Real h = step.h;
        DiscreteScratch<System, Member> scratch;
        if (topology.functions() > 0) {
            system.functions_at(step.time_s - h, scratch.functions_before);
            system.functions_at(step.time_s - Real(0.5) * h, scratch.functions_between);
            system.functions_at(step.time_s, scratch.solver.functions);
        }
        system.place(begin.q, scratch.begin);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) after.acceleration[i] = before.acceleration[i];
        if constexpr (Member::traits.parasitic_mode)
            MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b)
                after.acceleration.set(b, before.acceleration.linear(b), -before.acceleration.turning(b));
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = before.multipliers[r];
        MYRIAD_EACH(i, topology, angles) end.q.turned[i] = begin.q.turned[i];

        const NewtonStep<System> newton_step{system, begin, before, after, end, scratch, h, schedule.fp32_solve != 0.0};
        const NewtonOutcome<Real> outcome = newton<Real>(active, static_cast<int>(schedule.most_newton_iterations),
                                                         Real(schedule.newton_tolerance), newton_step);
        place_end(system, begin, before, after.acceleration, h, end.q, scratch);
        const DiscreteEquations<System, Member> equations{{system, begin.q, h, scratch}};
        after.work = before.work + equations.work_of_step(end.q, after.multipliers.e);
        Real least_cosine(1.0), sum(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            const Turn<Real>& turn = scratch.turn[b];
            least_cosine = select(least_cosine <= turn.r.w, least_cosine, turn.r.w);  // NaN is the least
            Vec<3, Real> omega = begin.v.turning(b);
            if constexpr (Member::keeps_rate) after.spin[b].along = before.spin[b].along;
            if constexpr (Member::keeps_moment) after.spin[b].moment = before.spin[b].moment;
            Member::finish(turn, inertia_of(system, b), omega, after.spin[b]);
            end.v.set(b, fma(h, after.acceleration.linear(b), begin.v.linear(b)), omega);
            after.acceleration.set(b, after.acceleration.linear(b), (Real(1.0) / h) * (omega - begin.v.turning(b)));
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

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Symmetric3<Real> inertia_of(const System& system, int b) {
        return symmetric_at<Real>(*system.parameters, parameters_of_body(b) + body_inertia);
    }

    // The end of the step for the unknowns `b`, and all that the equations read there.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void place_end(const System& system, const Motion<System>& begin, const Memory<System>& before,
                                    const typename System::Velocity& b, Real h, typename System::Configuration& end,
                                    DiscreteScratch<System, Member>& scratch) {
        const Real half(0.5), position = half * (h * h);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.bodies(); ++i) {
            const Turn<Real> turn = Member::turn(begin.v.turning(i), b.turning(i), h, before.spin[i]);
            const Rotation<Real>& q = begin.q.orientation[i];
            end.orientation[i] = q * turn.r;
            end.position[i] = fma(position, b.linear(i), fma(h, begin.v.linear(i), begin.q.position[i]));
            Place<Real>& place = scratch.solver.work.bodies.of[i];
            place.matrix = matrix_of(end.orientation[i]), place.position = end.position[i];
            if constexpr (Member::has_relative_quaternions) {
                const Rotation<Real>& e = end.orientation[i];
                scratch.middle[i] = {half * (q.w + e.w), half * (q.x + e.x), half * (q.y + e.y), half * (q.z + e.z)};
            }
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
        const System& system;
        const Motion<System>& begin;
        const Memory<System>& before;
        Memory<System>& after;
        Motion<System>& end;
        DiscreteScratch<System, Member>& scratch;
        Real h;
        bool single_precision;

        MYRIAD_HD Correction<Real> operator()(MaskOf<Real> going, bool) const {
            place_end(system, begin, before, after.acceleration, h, end.q, scratch);
            const DiscreteEquations<System, Member> equations{{system, begin.q, h, scratch}};
            equations.evaluate(begin.v, before.spin, after.acceleration, after.multipliers.e, scratch.solver.matrix);
            auto& work = scratch.solver.work;
            Correction<Real> correction;
            if (single_precision) {
                correction.perturbed = system.solve_in_single_precision(scratch.solver);
            } else {
                correction.perturbed = system.topology.template factor<Real>(scratch.solver.matrix);
                system.solve(work, scratch.solver.matrix);
            }
            correction.square = system.square_of(work, Real(0.5) * (h * h));
            const int bodies = system.topology.bodies();
            MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
                const Vec<3, Real> old = after.acceleration.linear(b), turning = after.acceleration.turning(b),
                                   z = scratch.turn[b].unknown_by * system.solved_rotation(work, b);
                after.acceleration.set(b, select(going, old + system.solved_translation(work, b), old),
                                       select(going, turning + z, turning));
            }
            MYRIAD_EACH(r, system.topology, rows)
                after.multipliers[r] =
                    select(going, after.multipliers[r] + work.solution[6 * bodies + r], after.multipliers[r]);
            return correction;
        }
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
