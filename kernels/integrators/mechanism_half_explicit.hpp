// The half-explicit scheme of timestepping_explicit.hpp for bodies with joints: a member of mechanism_timestepping.hpp.
//
//   q* = q o (h v),  M(q) (v* - v) + B(q)^T Z_1 = h f(q, v, t) + W(q) L_1,  B(q*) v* = -phi_t,  W(q*)^T v* by the laws
//   q+ = q o (h/2 (v + v*)), put back on the joints,
//   M(q*) (v- - (v + v*)/2) + B(q*)^T Z_2 = h/2 f(q*, v*, t + h) + W(q*) L_2,  B(q+) v- = -phi_t,  W(q+)^T v- by the
//   laws of the contacts closed at q; then impacts
//
// Reactions act where the stage begins and hold the velocities where it ends (Brasey, Hairer: half-explicit Runge-Kutta
// methods for index 2): order 2, order 1 for reactions and contact forces. Force elements count as forces. NOT written
// out in the paper that compares with it: see timestepping_explicit.hpp. Not handled: stiff force elements, for which
// it is unstable beyond h = 2 / omega.
#pragma once
#include "kernels/integrators/mechanism_timestepping.hpp"
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
        using Topology = typename Step::System::Topology;
        const auto& system = step.system;
        const Topology& topology = system.topology;
        auto& work = step.scratch.work;
        auto& after = step.after;
        const Real one(1.0), zero(0.0), reciprocal = one / over_s;
        system.functions_at(at_s, step.scratch.functions);
        system.place(q, v, work.bodies);
        step.places.find(topology, work.bodies, *system.parameters);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) work.acceleration[b] =
            work.angular_acceleration[b] = Vec<3, Real>{};
        MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) after.multipliers[r] = zero;
        const Linearization<Real> by{one, zero, zero, one, Level::velocity, true, false, false, true};
        system.equations(step.scratch.functions)
            .evaluate(work, by, after.multipliers.e, step.begin.q.turned, step.scratch.matrix);
        const int unknowns = 6 * topology.bodies() + topology.rows();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) work.right_hand_side[i] =
            over_s * work.right_hand_side[i];

        Bodies<Real, Topology::most_bodies> bodies;
        system.functions_at(step.time_s, step.scratch.functions);
        system.place(held, from, bodies);
        hold(step, bodies);
        step.perturbed = step.perturbed | topology.template factor<Real>(step.scratch.matrix);

        ContactPlaces<Real, Topology> seen;
        ContactLoads<Real, Topology> given, load;
        given.fit(topology), load.fit(topology);
        seen.find(topology, bodies, *system.parameters);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
            given[i] = seen.velocity(i, from);
            load[i] = over_s * after.force[i];
        }
        const Real noise = contact_noise(system, step.schedule, step.h);
        ContactLoadProblem<typename Step::System> problem{system,        step.places, step.masks,
                                                          step.settings, step.effort, noise};
        problem.seen = &seen;
        const auto solved = problem.solve(step.scratch, step.active, one, given, nullptr, load);
        step.contacts_solved = step.contacts_solved & (solved | !step.active);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> x = system.solved_translation(work, b), z = system.solved_rotation(work, b);
            result.set(b, from.linear(b) + x, from.turning(b) + z);
            after.acceleration.set(b, reciprocal * x, reciprocal * z);
        }
        MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) after.multipliers[r] =
            reciprocal * work.solution[6 * topology.bodies() + r];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) after.force[i] = reciprocal * load[i];
    }

    // The constraint rows of the matrix and of the right-hand side belong to the pose `bodies`, their columns to
    // another one.
    template <class Step, class Held>
    static MYRIAD_HD void hold(Step& step, const Held& bodies) {
        using Real = typename Step::Real;
        const auto& topology = step.system.topology;
        const auto equations = step.system.equations(step.scratch.functions);
        MYRIAD_UNROLL_PLAN for (int e = 0; e < topology.elements(); ++e) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor) continue;
            const Rows<Real> rows = equations.rows(element, bodies, step.begin.q.turned);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row < 0) continue;
                step.scratch.work.right_hand_side[6 * topology.bodies() + row] =
                    -(row_rate(element, rows, k, bodies) + rows.partial_rate[k]);
                MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                    if (element.body[side] < 0) continue;
                    const Real sign(side == 0 ? -1.0 : 1.0);
                    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                        if (row_entries(element.kind, k) >> i & 1u)
                            step.scratch.matrix[topology.row_slot(row, side, i)] = sign * rows.direction[k][i];
                        step.scratch.matrix[topology.row_slot(row, side, 3 + i)] = rows.turn[side][k][i];
                    }
                }
            }
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
