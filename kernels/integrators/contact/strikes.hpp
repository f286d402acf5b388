// Strikes within a step: contacts that were open at its begin, and close or pass in it, strike where they touch.
//
//   way      q = q_0 o exp(T r v_0 + r^2 (x - T v_0)),  v = v_0 + r (v_1 - v_0)    r: share, x: from q_0 to q_1
//   touch    the first r with g + d = 0, before the closest approach of what passes: passing.hpp.  d = 0 with a
//            restitution, else T |W (v_1 - v_0)| / 2, so that round-off opens no contact that stays; W: at q_0
//   strike   an impact there of the contacts that are closed or touch: impact.hpp. Then accelerations a by the laws of
//            u + D a at the end after D = (1 - r) T: start.hpp. A contact that rebounds has no force
//   rest     q_1 = q_r o exp(D v + D^2 a / 2),  v_1 = v_r + D a,  put back on the rows: a new way
//
// The step itself moves with the contacts that are closed at its begin alone. Not handled: what is traced, which leaves
// these steps behind; systems without joint coordinates; gaps that close and open again on a way, but between round
// surfaces; impulses of joints at the poses of touch, which are shown at the pose of the end.
#pragma once
#include "kernels/integrators/contact/start.hpp"
#include "kernels/math/root.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Step, bool impacts_apart>
struct Strikes {
    using System = typename Step::System;
    using Real = typename Step::Real;
    using Mask = typename Step::Mask;
    using Velocity = typename Step::Velocity;
    using Topology = typename Step::Topology;
    using Closed = typename Step::Closed;
    using Places = typename Step::Equations::Places;
    static constexpr double most_strikes = 8.0, never = 2.0;
    // A share of the step. Over a shorter time, the velocities that an impact's problem leaves would be large
    // accelerations. Contacts that depend on each other do not meet these.
    static constexpr double least_rest = 0x1p-6;

    Step& step;
    Motion<System> from;      // the begin of the way
    Places here;              // there
    Velocity way;             // x
    Real time_s, length;      // of its begin; T, s
    Closed barred, rebounds;  // closed at the begin of the way or just struck; struck with restitution in this step
    Real shares[Topology::most_contacts], share;  // of the touches; of the first
    Mask solved = true_mask<Real>(), singular = !true_mask<Real>();

    MYRIAD_HD explicit Strikes(Step& given) : step(given) {
        fit_to(step.system, from.q), fit_to(step.system, from.v), fit_to(step.system, way);
    }

    // Places the strikes of the lanes that touch something; the others keep the step as it is. After too many strikes,
    // the contacts that are closed at the end strike there. Work is that of the step up to the first touch, then powers
    // of the end of each way.
    template <class Left>
    MYRIAD_NOINLINE void meet(Mask lanes, Left& left) {
        const Real zero(0.0), one(1.0);
        auto& after = step.after;
        from = step.begin, time_s = step.time_s - step.h, length = step.h;
        step.equations.find(from.q, here);
        barred = rebounds = step.masks;
        MYRIAD_EACH(c, here.topology, contacts) rebounds.closed[c] = !true_mask<Real>();
        arrive();
        find_touch(lanes);
        const Mask met = lanes & (share <= one);
        arrive();
        keep_share(met);
        Mask going = met, crowded = !true_mask<Real>();
        Real strikes(0.0);
        MYRIAD_REPEAT(going) {
            strike(going, !any(zero < strikes), left);
            strikes = strikes + one;
            go_on(going);
            find_touch(going);
            const Mask again = going & (share <= one), is_last = Real(most_strikes) <= strikes;
            crowded = crowded | (again & is_last);
            add_powers(going, select(again & !is_last, share * length, length));
            going = again & !is_last;
        }
        arrive();
        MYRIAD_WHEN(crowded) {
            const Closed closed = Closed::of(step.equations, step.places, step.settings);
            after.crowded = select(crowded, after.crowded + one, after.crowded);
            after.of_joints().forces_precede(crowded);
            if constexpr (Left::is_kept) left.keep_strike(crowded, false, true, step.time_s, step.end, after);
            take_impact(crowded, closed, step.places, step.end, true);
            after.record().template renew_power<impacts_apart>(step.equations, crowded, after.forces_are_old(),
                                                               step.end, after.force, step.places);
            arrive();
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) after.algorithmic[i] =
            select(met, after.acceleration[i], after.algorithmic[i]);
    }

  private:
    Real power_W, friction_W, wear_W;  // at the end of the way

    // Finds the way to the end of the step, and its contacts.
    MYRIAD_HD void arrive() {
        step.equations.set_time(step.time_s);
        step.equations.find(step.end.q, step.places);
        step.system.increment_to(from.q, step.end.q, way);
    }
    MYRIAD_HD void go_to(Real r, Motion<System>& at) {
        Velocity u;
        fit_to(step.system, u), fit_to(step.system, at.v);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            const Real straight = length * from.v[i];
            u[i] = r * fma(r, way[i] - straight, straight);
            at.v[i] = fma(r, step.end.v[i] - from.v[i], from.v[i]);
        }
        move(from.q, u, at.q);
        step.equations.set_time(fma(r, length, time_s));
        step.equations.prescribe(at.q, at.v);
    }
    MYRIAD_HD void move(const typename System::Configuration& q, const Velocity& u,
                        typename System::Configuration& to) const {
        fit_to(step.system, to);
        retract_to(step.system, q, u, to);
    }

    MYRIAD_NOINLINE void find_touch(Mask lanes) {
        const auto& end = step.places;
        const Real one(1.0), zero(0.0), half_length = Real(0.5) * length;
        Velocity change;
        fit_to(step.system, change);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) change[i] = step.end.v[i] - from.v[i];
        share = Real(never);
        MYRIAD_EACH(c, end.topology, contacts) {
            const int normal = c * Topology::directions;
            const Mask open = lanes & !barred.closed[c], is_shut = end.gap(c) <= Real(step.settings.gap_tolerance_m),
                       falls_back = lanes & barred.closed[c] & rebounds.closed[c] & is_shut &
                                    (here.velocity(normal, step.end.v) < zero),
                       closes = (open & is_shut) | falls_back;
            Mask looks = closes;
            Real last = one;
            if (step.equations.is_round(c)) {
                const Passing<Real> passing = step.equations.passing(c, here.of[c].apart, end.of[c].apart);
                looks = looks | (open & passing.passes);
                last = select(closes, one, passing.nearest);
            }
            shares[c] = Real(never);
            MYRIAD_WHEN(looks) {
                const Real stays = half_length * absolute(here.velocity(normal, change));
                const Mask is_left = (zero < step.equations.law(c).normal_restitution) & !falls_back;
                const Real depth = select(is_left, zero, stays);
                shares[c] = select(looks, touch(c, looks, last, depth), shares[c]);
                share = minimum(shares[c], share);
            }
        }
    }
    // Where the gap is -depth, up to `last`; if it is nowhere, never, or at the end of the way.
    MYRIAD_NOINLINE Real touch(int c, Mask lanes, Real last, Real depth) {
        const Real one(1.0), zero(0.0);
        Motion<System> at;
        Places places;
        const auto above_depth = [&](Real r) MYRIAD_INLINE {
            go_to(r, at);
            step.equations.find_gaps(at.q, places);
            return places.gap(c) + depth;
        };
        const Real of_last = above_depth(last);
        const Mask is_touched = lanes & (of_last <= zero);
        return select(is_touched, root_between(is_touched, zero, here.gap(c) + depth, last, of_last, above_depth),
                      select(last < one, Real(never), one));
    }

    // An impact of the `closed` contacts, without restitution unless they rebound.
    MYRIAD_NOINLINE void take_impact(Mask lanes, const Closed& closed, const Places& places, Motion<System>& motion,
                                     bool contacts_rebound) {
        auto& after = step.after;
        ContactLoads<Real, Topology> blow;
        blow.fit(places.topology), blow.clear();
        Impact<System> impact{step.system,   places,      closed,
                              step.settings, step.effort, contact_noise(step.equations, step.schedule, step.h)};
        impact.follows = true, impact.rebounds = contacts_rebound;
        impact.resolve(step.equations, lanes, motion, blow, after.of_joints());
        MYRIAD_UNROLL_PLAN for (int i = 0; i < blow.size(); ++i) after.impulse[i] =
            select(lanes, after.impulse[i] + blow[i], after.impulse[i]);
        after.impact_loss_J = after.impact_loss_J + impact.loss_J;
        after.wear_work_J = after.wear_work_J + impact.wear_J;
        after.record().add_work(step.equations, impact.work_J);
        after.count_impact(lanes, largest_normal(step.equations, blow), step.schedule.impact_threshold_N_s);
        solved = solved & (impact.solved | !lanes), singular = singular | impact.singular;
    }
    // Takes the begin of the way to the first touch and behind the impact there, with the accelerations that follow. If
    // a contact that has rebounded falls back in the rest of the step, this impact has no restitution.
    template <class Left>
    MYRIAD_NOINLINE void strike(Mask lanes, bool is_first, Left& left) {
        auto& after = step.after;
        const Real zero(0.0), one(1.0), step_s(step.schedule.step_s);
        const Real part = minimum(share, one);  // that of lanes without a touch is anything
        Motion<System> at;
        go_to(part, at);
        settle(step.system, at.q);
        step.equations.find(at.q, here);
        time_s = fma(part, length, time_s), length = (one - part) * length;
        Closed closed = Closed::of(step.equations, here, step.settings), held = closed;
        const auto is_struck = [&](int c) MYRIAD_INLINE {
            return lanes & ((shares[c] == share) | ((shares[c] <= one) & closed.closed[c]));
        };
        Mask falls_back = !true_mask<Real>();
        MYRIAD_EACH(c, here.topology, contacts) falls_back = falls_back | (is_struck(c) & barred.closed[c]);
        MYRIAD_EACH(c, here.topology, contacts) {
            const Mask struck = is_struck(c),
                       rebounds_now = struck & !falls_back & (zero < step.equations.law(c).normal_restitution);
            closed.closed[c] = closed.closed[c] | struck;
            rebounds.closed[c] = (rebounds.closed[c] & !struck) | rebounds_now;
            held.closed[c] = closed.closed[c] & !rebounds.closed[c];
        }
        barred = closed;
        after.first_contact_s = select(lanes & (after.first_contact_s < zero), time_s, after.first_contact_s);
        if constexpr (Left::is_kept) left.keep_strike(lanes, is_first, false, time_s, at, after);
        MYRIAD_WHEN(lanes & !falls_back) take_impact(lanes & !falls_back, closed, here, at, true);
        MYRIAD_WHEN(falls_back) take_impact(falls_back, closed, here, at, false);
        if constexpr (Left::is_kept) left.keep_behind(lanes, at.v);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < after.force.size(); ++i) after.force[i] =
            select(lanes & !held.acts(i), zero, after.force[i]);
        using Start = ContactStart<System>;
        Start start(step.schedule, step.equations);
        start.effort = step.effort, start.dry = step.dry;
        start.moment_share = maximum(length, Real(least_rest) * step.h) / step_s;
        const Mask has_forces = start.solve_forces(held, lanes, at, after.acceleration, after.multipliers, after.force);
        step.effort = start.effort;
        step.contacts_solved = step.contacts_solved & (has_forces | !lanes);
        after.of_joints().forces_follow(lanes);
        from = at;
    }
    MYRIAD_NOINLINE void go_on(Mask lanes) {
        auto& after = step.after;
        const Real half(0.5);
        Motion<System> end;
        Velocity u;
        fit_to(step.system, u), fit_to(step.system, end.v);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            const Real change = length * after.acceleration[i];
            u[i] = length * fma(half, change, from.v[i]), end.v[i] = from.v[i] + change;
        }
        step.reach = select(lanes, maximum(step.system.reach(u), step.reach), step.reach);
        move(from.q, u, end.q);
        step.equations.set_time(step.time_s);
        step.equations.prescribe(end.q, end.v);
        const Mask is_placed = step.equations.put_on_rows(lanes, step.time_s, end.q, end.v);
        step.newton_converged = step.newton_converged & (is_placed | !lanes);
        keep(lanes, end, step.end);
        Velocity acceleration = after.acceleration;
        auto multipliers = after.multipliers;
        step.equations.prescribe_acceleration(acceleration);
        step.equations.renew_laws(step.end.q, step.end.v, multipliers);
        keep(lanes, acceleration, after.acceleration), keep(lanes, multipliers, after.multipliers);
        arrive();
        find_powers(lanes);
    }

    MYRIAD_HD void find_powers(Mask lanes) {
        auto& after = step.after;
        const Mask none = !true_mask<Real>();
        after.record().template renew_power<true>(step.equations, lanes, none, step.end, after.force, step.places);
        power_W = after.power;
        if constexpr (!impacts_apart)
            after.record().template renew_power<false>(step.equations, lanes, none, step.end, after.force, step.places);
        const FrictionWork<Real> power = friction_work(step.places, after.force, step.end.v);
        friction_W = power.lost, wear_W = power.worn;
        after.friction_power_W = select(lanes, friction_W, after.friction_power_W);
        after.wear_power_W = select(lanes, wear_W, after.wear_power_W);
    }
    MYRIAD_HD void add_powers(Mask lanes, Real over_s) {
        auto& after = step.after;
        const auto add = [&](Real& sum, Real power) { sum = select(lanes, fma(over_s, power, sum), sum); };
        add(after.work, power_W), add(after.friction_loss_J, friction_W), add(after.wear_work_J, wear_W);
    }
    // Keeps the share of the step's sums up to the first touch.
    MYRIAD_HD void keep_share(Mask lanes) {
        auto& after = step.after;
        const auto& before = step.before;
        const Real part = share * step.h, half = Real(0.5) * share;
        after.record().template keep_share<impacts_apart>(step.equations, before, lanes, share, step.h, step.end,
                                                          after.force, step.places, step.driver_work_J);
        const auto keep = [&](Real& sum, Real was, Real to) {
            sum = select(lanes, impacts_apart ? fma(part, to, was) : fma(share, sum - was, was), sum);
        };
        const Mask are_old = step.forces_precede_jump();
        const auto mean = [&](Real begin_W, Real end_W) {
            return select(are_old, end_W, fma(half, end_W - begin_W, begin_W));
        };
        keep(after.friction_loss_J, before.friction_loss_J, mean(before.friction_power_W, after.friction_power_W));
        keep(after.wear_work_J, before.wear_work_J, mean(before.wear_power_W, after.wear_power_W));
        if constexpr (!impacts_apart)
            after.impact_loss_J =
                select(lanes, fma(share, after.impact_loss_J - before.impact_loss_J, before.impact_loss_J),
                       after.impact_loss_J);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
