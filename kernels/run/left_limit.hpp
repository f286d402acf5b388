// The state just before rates jump in a step, by an impact or because the rate of a driver does.
//
//   at the end of a step   an impact, after which only velocities are others, and a jump of drivers
//   in its middle          an impact by Moreau's rule, whose positions have the velocities of the begin up to there
//                          and the velocities of the end behind it: q+ = q o (h/2 (v + v+))
//   within it              strikes of integrators/contact/strikes.hpp, with the velocities behind each
//
// Quantities follow a step to this state, and go on from the state behind the jump. It is kept in steps with a jump
// alone, where a quantity asks for it. SI units. Not handled: a jump of drivers at the end of a step with an impact in
// its middle, which the quantities of that step follow as a smooth motion.
#pragma once
#include "kernels/integrators/integrator.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// What is to be looked at: a trial step, or the part of one up to a jump, the jump, the part behind it. The lanes whose
// instance moved; of these, whose step ends with it, and at whose end rates jump; those that a row is due for after the
// step. The time before it, the last time within it at which a state was looked at, and its end.
template <class R>
struct TakenStep {
    using Real = R;
    MaskOf<Real> moved, ends, jumps, row_due;
    Real before_s, within_s, now_s;
    bool is_jump;

    static MYRIAD_HD TakenStep nothing() {
        const MaskOf<Real> none = !true_mask<Real>();
        return {none, none, none, none, Real(0.0), Real(0.0), Real(0.0), false};
    }
};

// A jump that follows another one in a step.
template <class S, class M>
struct LaterJump {
    using Real = typename S::Real;
    MaskOf<Real> lanes, in_middle;
    Real time_s;
    Motion<S> motion;
    M memory;
    typename S::Velocity rates;
};
template <class S, class M>
struct LaterJumps {
    static constexpr int most = 8;
    LaterJump<S, M> of[most];
    int count = 0, passed = 0;
    MYRIAD_HD LaterJump<S, M>& last() { return of[count - 1]; }
};
struct NoLaterJumps {
    int count = 0, passed = 0;
};

template <class S, class M>
struct LeftLimit {
    using System = S;
    using Memory = M;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    static constexpr bool is_kept = true;
    // Strikes are kernels' on numbers.
    static constexpr bool may_strike = !is_traced<Real> && has_topology<System> && requires(Memory memory) {
        memory.crowded;
    };

    bool is_asked = false;
    Mask jumps, in_middle;            // lanes
    Mask is_straight;                 // a driver has its corner inside of the step: between its ends motions are lines
    Mask struck;                      // within a step
    typename System::Velocity rates;  // behind a strike
    Real time_s, side_s;              // of the jump; functions of time have the branches of up to then
    Motion<System> motion;
    Memory memory;
    typename Either<may_strike, LaterJumps<System, Memory>, NoLaterJumps>::Type later;

    template <class Topology>
    MYRIAD_HD void fit(Topology topology) {
        motion.q.fit(topology), motion.v.fit(topology), memory.fit(topology), rates.fit(topology);
    }
    MYRIAD_HD void clear() {
        jumps = in_middle = is_straight = struck = !true_mask<Real>();
        visit_fields([](Real& rate) { rate = Real(0.0); }, rates);
        time_s = Real(0.0), side_s = infinity<Real>();
        later.count = later.passed = 0;
    }
    MYRIAD_HD Mask pending() const { return jumps | in_middle; }
    // Of several jumps in a step the first is kept.
    MYRIAD_HD void keep(Mask lanes, Real at_s, const Motion<System>& now, const Memory& memory_now) {
        if (!is_asked) return;
        const Mask first = lanes & !jumps;
        const auto take = [&](Real& kept, const Real& given) { kept = select(first, given, kept); };
        visit_fields(take, motion, now), visit_fields(take, memory, memory_now);
        time_s = select(first, at_s, time_s), jumps = jumps | first;
        set_time(first, time_s, memory);
    }
    MYRIAD_HD void keep_middle(Mask lanes, Real at_s, const Motion<System>& now, const Memory& memory_now) {
        keep(lanes, at_s, now, memory_now);
        in_middle = jumps & lanes;
    }
    // A strike within the step, or, if nothing moves behind it, at the end: an impact behind other strikes.
    MYRIAD_HD void keep_strike(Mask lanes, bool is_first, bool at_end, Real at_s, const Motion<System>& now,
                               const Memory& memory_now) {
        if (!is_asked) return;
        if (is_first) return keep_middle(lanes, at_s, now, memory_now);
        if (later.count == later.most) return;
        ++later.count;
        auto& jump = later.last();
        jump = {lanes, at_end ? !true_mask<Real>() : lanes, at_s, now, memory_now, now.v};
        set_time(lanes, at_s, jump.memory);
    }
    // The velocities behind the strike that was kept.
    MYRIAD_HD void keep_behind(Mask lanes, const typename System::Velocity& behind) {
        if (!is_asked) return;
        if (later.count > 0) {
            later.last().rates = behind;
            return;
        }
        visit_fields([&](Real& kept, const Real& given) { kept = select(lanes, given, kept); }, rates, behind);
        struck = struck | lanes;
    }
    MYRIAD_HD void keep_side(Mask lanes, Real last_side_s, Mask is_inside) {
        if (!is_asked) return;
        side_s = select(lanes, last_side_s, side_s), is_straight = lanes & is_inside;
    }
    // After a step: the instance is in the state before the jump, and this keeps the one of the end. Lanes that did not
    // move have no jump.
    template <class Instance>
    MYRIAD_HD void go_before_jump(Instance& instance, TakenStep<Real>& taken) {
        jumps = jumps & taken.moved, in_middle = in_middle & taken.moved;
        exchange(instance.motion, instance.memory);
        taken.ends = taken.moved & !jumps, taken.jumps = jumps;
        taken.now_s = select(jumps, time_s, taken.now_s);
    }
    // The instance goes behind the jump, and from a jump in the middle on to the end.
    template <class Instance>
    MYRIAD_HD void go_behind_jump(Instance& instance, TakenStep<Real>& taken) {
        if (any(jumps)) {
            pass_jump(instance, taken);
            if (any(in_middle)) go_to_middle(instance);
        } else {
            go_on_from_middle(instance, taken);
        }
    }
    template <class Instance>
    MYRIAD_HD void pass_jump(Instance& instance, TakenStep<Real>& taken) {
        const Mask none = !true_mask<Real>();
        exchange(instance.motion, instance.memory);
        taken.is_jump = true, taken.jumps = none, taken.before_s = taken.within_s = time_s;
        taken.moved = jumps, taken.ends = jumps & !in_middle, jumps = none;
    }
    template <class Instance>
    MYRIAD_HD void go_to_middle(Instance& instance) {
        exchange_poses(time_s, instance);
    }
    template <class Instance>
    MYRIAD_HD void go_on_from_middle(Instance& instance, TakenStep<Real>& taken) {
        const Mask none = !true_mask<Real>();
        taken.is_jump = false, taken.jumps = none, taken.before_s = taken.within_s = time_s;
        exchange_poses(instance.progress.time_s, instance);
        taken.moved = taken.ends = in_middle, taken.now_s = instance.progress.time_s, in_middle = none;
        if constexpr (may_strike)
            if (later.passed < later.count) go_before_next(instance, taken);
    }

  private:
    template <class Instance>
    MYRIAD_HD void go_before_next(Instance& instance, TakenStep<Real>& taken) {
        const auto& next = later.of[later.passed++];
        jumps = struck = next.lanes, in_middle = next.in_middle;
        time_s = next.time_s, motion = next.motion, memory = next.memory, rates = next.rates;
        go_before_jump(instance, taken);
    }
    MYRIAD_HD void exchange(Motion<System>& now, Memory& memory_now) {
        const auto swap = [&](Real& a, Real& b) { swap_in(jumps, a, b); };
        visit_fields(swap, motion, now), visit_fields(swap, memory, memory_now);
    }
    // Poses of the middle and of the end, and rates behind a strike.
    template <class Instance>
    MYRIAD_HD void exchange_poses(Real now_s, Instance& instance) {
        const auto swap = [&](Real& a, Real& b) { swap_in(in_middle, a, b); };
        visit_fields(swap, motion.q, instance.motion.q);
        visit_fields([&](Real& a, Real& b) { swap_in(in_middle & struck, a, b); }, rates, instance.motion.v);
        set_time(in_middle, now_s, instance.memory);
    }
    static MYRIAD_HD void swap_in(Mask lanes, Real& a, Real& b) {
        const Real was = a;
        a = select(lanes, b, a), b = select(lanes, was, b);
    }
    static MYRIAD_HD void set_time(Mask lanes, Real at_s, Memory& of) {
        if constexpr (has_topology<System>) of.time_s = select(lanes, at_s, of.time_s);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
