// Members of timestepping.hpp.
//
//   nonsmooth_generalized_alpha   as in ../implicit.hpp, by the spectral radius, or with free alpha_m and alpha_f (HHT:
//                                 alpha_m = 0); gamma = 1/2 - alpha_m + alpha_f, beta = (1 - alpha_m + alpha_f)^2 / 4
//                                                                                        nonsmooth eqs. 20 to 26
//   nonsmooth_bathe               v_1/2 = v + h/4 (a + a_1/2), q_1/2 = q + h/4 (v + v_1/2), then
//                                 v+ = (q - 4 q_1/2 + 3 q+)/h, a+ = (v - 4 v_1/2 + 3 v+)/h       eqs. 56 to 62
//                                 both solved one after the other, with q in local coordinates about the last pose
//   moreau_midpoint               q_M = q o (h/2 v),  M (v+ - v) + B^T Z = h f(q_M, v, t + h/2) + W L,  B v+ = -phi_t,
//                                 u+ + eps u by the laws for the contacts closed at q_M,  q+ = q o (h/2 (v + v+)),
//                                 put back on the joints: those on velocity level alone would drift apart. Impacts and
//                                 contact forces are one [30], told apart for the record by StruckContacts, or apart
//                                 where contacts strike within steps, of which the middle then has no impact; order 2
//                                 only where no force depends on the velocity. A body that no joint holds turns by
//                                 kernels/joint_coordinates/free_turning.hpp
//
// Others have files of their own: half_explicit.hpp, ed_alpha.hpp. In each a contact counts as closed or open for the
// whole step. Sources: nonsmooth; lgim alg. 4, 5 for the joints. Not handled: stiff systems by Moreau's rule, which is
// unstable beyond h = 2 / omega.
#pragma once
#include "kernels/integrators/contact/timestepping.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct NonsmoothGeneralizedAlpha {
    static constexpr const char* name = "nonsmooth_generalized_alpha";
    static constexpr const char* summary = "contact and impact on generalized-alpha";
    static constexpr MethodOrders orders = {2, 2};
    static constexpr MethodTraits traits{
        .implicit = true, .contact = true, .spectral_radius = true, .free_alphas = true};
    static constexpr bool impacts_apart = true;

    template <class Real>
    static MYRIAD_HD ImplicitWeights<Real> weights(const Schedule& schedule) {
        if (schedule.free_alphas == 0.0) return GeneralizedAlpha::weights<Real>(schedule);
        const Real one(1.0), half(0.5), alpha_m(schedule.alpha_m), alpha_f(schedule.alpha_f);
        const Real gamma = half + (alpha_f - alpha_m), root = gamma + half, beta = Real(0.25) * (root * root);
        const Real scale = one / (one - alpha_m);
        return {half - beta, beta, one - gamma, gamma, (one - alpha_f) * scale, alpha_f * scale, -(alpha_m * scale)};
    }

    template <class Step>
    static MYRIAD_HD void step(Step& step) {
        step_on<false>(step);
    }
    template <bool acceleration_level, class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step_on(Step& step) {
        const ImplicitWeights<Real> w = weights<Real>(step.schedule);
        const Real h = step.h, square_h = h * h;
        const auto& before = step.before;
        step.by_velocity = h * (w.velocity_new * w.rate_new);
        step.by_increment = square_h * (w.position_new * w.rate_new);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            const Real old = before.algorithmic[i], v = step.begin.v[i];
            const Real known = fma(w.rate_old, before.acceleration[i], w.algorithmic_old * old);
            step.fixed_velocity[i] = fma(h, fma(w.velocity_old, old, w.velocity_new * known), v);
            step.fixed_increment[i] = fma(square_h, fma(w.position_old, old, w.position_new * known), h * v);
        }
        step.template solve_stage<acceleration_level>(step.time_s);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) step.after.algorithmic[i] =
            fma(w.rate_new, step.after.acceleration[i],
                fma(w.rate_old, before.acceleration[i], w.algorithmic_old * before.algorithmic[i]));
    }
};

struct NonsmoothBathe {
    static constexpr const char* name = "nonsmooth_bathe";
    static constexpr const char* summary = "contact and impact on Bathe's method; annihilates high frequencies";
    static constexpr MethodOrders orders = {2, 2};
    static constexpr MethodTraits traits{.implicit = true, .contact = true};
    static constexpr bool impacts_apart = true;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        const Real h = step.h, quarter = Real(0.25) * h, third(1.0 / 3.0), third_h = h * third, four(4.0);
        MYRIAD_ROLL for (int stage = 0; stage < 2; ++stage) {
            const bool is_first = stage == 0;
            step.by_velocity = is_first ? quarter : third_h;
            step.by_increment = step.by_velocity * step.by_velocity;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
                const Real v = step.begin.v[i];
                if (is_first) {
                    step.fixed_velocity[i] = fma(quarter, step.before.acceleration[i], v);
                    step.fixed_increment[i] = quarter * (v + step.fixed_velocity[i]);
                } else {
                    step.fixed_velocity[i] = third * (four * step.end.v[i] - v);
                    step.fixed_increment[i] = fma(third_h, step.fixed_velocity[i], (four * third) * step.increment[i]);
                }
            }
            step.solve_stage(is_first ? step.time_s - Real(0.5) * h : step.time_s);
        }
        copy_rates(step.system, step.after.acceleration, step.after.algorithmic);
    }
};

struct MoreauMidpoint {
    static constexpr const char* name = "moreau_midpoint";
    static constexpr const char* summary = "Moreau's midpoint rule: contact and impact in one, explicit";
    static constexpr MethodOrders orders = {1, 1};
    static constexpr MethodTraits traits{.contact = true};
    static constexpr bool impacts_apart = false;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        using System = typename Step::System;
        using Mask = MaskOf<Real>;
        const System& system = step.system;
        const auto& topology = contact_topology(system);
        auto& equations = step.equations;
        auto& after = step.after;
        const int rates = rate_count(system);
        const Real h = step.h, half_h = Real(0.5) * h, reciprocal = Real(1.0) / h, zero(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) step.increment[i] = half_h * step.begin.v[i];
        retract_to(system, step.begin.q, step.increment, step.end.q);
        equations.set_time(step.time_s - half_h);
        // What drivers prescribe moves as in the middle of the step.
        typename System::Velocity begin, mean;
        copy_rates(system, step.begin.v, begin), fit_to(system, mean);
        equations.prescribe(step.end.q, begin);
        step.perturbed = equations.of_velocities(step.end.q, begin, h, step.active, after.multipliers);
        equations.find_gaps_here(step.end.q, step.places);
        auto masks = Step::Closed::of(equations, step.places, step.settings);
        const bool within = step.strikes_within();
        if (within) {
            MYRIAD_EACH(c, topology, contacts) masks.closed[c] = masks.closed[c] & step.masks.closed[c];
        } else {
            look_for_jumps(step);
        }
        const Mask touching = step.active & masks.any_acts();
        ContactLoads<Real, typename Step::Topology> given;
        given.fit(topology), given.clear();
        MYRIAD_UNROLL_PLAN for (int row = 0; row < given.size(); ++row) after.impulse[row] =
            select(touching, h * step.before.force[row], zero);
        MYRIAD_WHEN(touching) {
            equations.find_directions(step.places,
                                      [&](int c) MYRIAD_INLINE { return is_wanted(masks.closed[c] & touching); });
            MYRIAD_EACH(c, topology, contacts) {
                MYRIAD_UNROLL for (int k = 0; k < topology.directions; ++k) {
                    const int row = c * topology.directions + k;
                    const Real u = step.places.velocity(row, begin);
                    given[row] = within ? u : fma(restitution_along(equations, c, k), u, u);
                }
            }
            MYRIAD_EACH(i, topology, set_frictions) {
                const int row = friction_row(topology, i);
                given[row] = step.places.velocity(row, begin);
            }
        }
        ContactLoadProblem<System> problem{system,        step.places, masks,
                                           step.settings, step.effort, contact_noise(equations, step.schedule, h)};
        problem.dry = &step.dry, problem.over_s = h;
        step.contacts_solved = problem.solve(equations, touching, Real(1.0), given, nullptr, after.impulse);
        step.newton_converged = !(step.active & step.perturbed);  // nothing further would make up for a weak pivot

        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
            const Real v = begin[i], change = equations.rate(i);
            step.end.v[i] = v + change;
            mean[i] = fma(Real(0.5), change, v);
            after.acceleration[i] = reciprocal * change;
        }
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = reciprocal * equations.multiplier(r);
        if constexpr (has_topology<System>)
            if (has_drivers(topology))
                step.driver_work_J = equations.work_of_drivers(step.end.q, mean, h, after.impulse, step.places);
        if (!within) after.of_joints().take_step(step.active & masks.any_closed(), h, equations);
        FrictionWork<Real> lost{zero, zero};
        MYRIAD_WHEN(touching) {
            MYRIAD_EACH(c, topology, contacts) {
                const int normal = c * topology.directions;
                const Mask acts = touching & masks.closed[c], closed = acts & equations.is_unilateral(c);
                step.met = step.met | closed;
                if (!within)
                    step.impact.look_at(closed, step.places.gap(c), step.places.velocity(normal, begin), h,
                                        Real(step.settings.gap_tolerance_m), h * step.before.force[normal],
                                        after.impulse[normal]);
                const Real loss = fma(-after.impulse[normal], step.places.velocity(normal, mean), after.impact_loss_J);
                after.impact_loss_J = select(acts, loss, after.impact_loss_J);
            }
            lost = friction_work(step.places, after.impulse, mean);
        }
        after.friction_loss_J = after.friction_loss_J + lost.lost, after.wear_work_J = after.wear_work_J + lost.worn;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < after.force.size(); ++i) after.force[i] = reciprocal * after.impulse[i];
        if (within) after.impulse.clear();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) step.increment[i] = h * mean[i];
        step.reach = system.reach(step.increment);
        retract_to(system, step.begin.q, step.increment, step.end.q);
        // Of the middle, as all accelerations are that the step has found.
        equations.prescribe_acceleration(after.acceleration);
        equations.set_time(step.time_s);
        copy_rates(system, after.acceleration, after.algorithmic);
        step.put_on_joints();
        step.renew_laws();
    }

  private:
    // The middles of steps alone see contacts. The last one lies as far behind the beginning as this one before it, but
    // where the contact has changed the velocities, so that it was seen, and at the start.
    template <class Step>
    static MYRIAD_HD void look_for_jumps(Step& step) {
        using Real = typename Step::Real;
        if constexpr (Step::Equations::has_surfaces) {
            const Real back = select(step.time_s < Real(1.5) * step.h, Real(0.0), Real(1.0));
            step.look_for_jumps(
                [&](int c) MYRIAD_INLINE { return step.apart[c] - back * (step.places.of[c].apart - step.apart[c]); },
                Real(0.5) * (step.h + back * step.h),
                [&](int c) MYRIAD_INLINE { return step.before.force[c * Step::Topology::directions] == Real(0.0); });
        }
    }
};

// In a mechanism joints have reactions of order 1, and bodies are put back on their joints by Newton's method.
struct BatheWithJoints : NonsmoothBathe {
    static constexpr MethodOrders orders = {2, 1};
};
struct MoreauWithJoints : MoreauMidpoint {
    static constexpr MethodTraits traits{.implicit = true, .contact = true};
};

}  // namespace myriad::inline MYRIAD_VARIANT
