// Reductions: how a quantity of a study condenses a channel over all accepted steps, the initial state included, or
// over those in a window of time. Kernels, studies and their schema know of reductions what stands here; the twin is
// host/backends/interface/instance_watch.cpp.
//
// Between two states a channel is what course.hpp says, if the quantity asks for it: extremes, their times and
// crossings may then lie within a step, and a window of time cuts its first and last step where they stand. Where rates
// jump, in an impact or by a driver, a step leads to the value before the jump. The value behind it counts from then
// on, at the same time; a window that ends there has the former alone, one that begins there the latter. By steps, a
// state counts where from_s <= t <= to_s, behind a jump; a mean is the integral of the line through the states on both
// sides of jumps. A mean in a window is over the part that was reached. A quantity without a state that counts is NaN.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/run/course.hpp"
#include "kernels/system/launch.hpp"

namespace myriad {

struct ReductionDescription {
    const char* name;  // in studies
    bool has_threshold, is_time;
    const char* meaning;
};

}  // namespace myriad

namespace myriad::inline MYRIAD_VARIANT {

// A reduction is a struct with its place in the list below, its description, and
//   looks_at_steps(windowed)   false where the last state says all
//   results, history(between)  how many numbers it keeps in the record of an instance: results, and behind them what it
//                              knows of the states before: value; then its rate, or slope and length of the last step
//   begin, update, value       of these numbers

// What a reduction keeps of the state before: value, rate, and of a norm the components and their rates.
constexpr int numbers_of_norm = 6;
MYRIAD_HD constexpr int states_kept(Between between) {
    return between == Between::steps   ? 0
           : between == Between::line  ? 1
           : between == Between::cubic ? 2
                                       : 2 + numbers_of_norm;
}

// At time 0; `counts` says whether that lies in the window.
template <class Real>
struct ReductionStart {
    Real value, rate, threshold;
    MaskOf<Real> counts;
    const Real* parts;  // of a norm: its components, then their rates
    // Most reductions begin with these: the value and the time of the first state that counts, or NaN.
    MYRIAD_HD Real value_if_it_counts() const { return select(counts, value, quiet_nan<Real>()); }
    MYRIAD_HD Real time_if_it_counts() const { return select(counts, Real(0.0), quiet_nan<Real>()); }
};

// The part of a step that lies in a window: times, and places in the step.
template <class Real>
struct PartOfStep {
    MaskOf<Real> exists;
    Real begin_s, end_s, from, to;
};

// After a step of the lanes in `moved`: quantities.hpp.
template <class R>
struct ReductionStep {
    using Real = R;
    using Mask = MaskOf<Real>;
    Real value, rate, threshold, before_s, now_s;
    Mask moved, jumps, is_straight;
    bool is_jump;
    Between between;
    bool windowed;
    double from_s, to_s;  // where it is windowed
    const Real* parts;    // of a norm: its components, then their rates
    bool is_norm;

    MYRIAD_HD Real length_s() const { return now_s - before_s; }
    MYRIAD_HD Mask counts() const { return windowed ? moved & (Real(from_s) <= now_s) & (now_s <= Real(to_s)) : moved; }
    MYRIAD_HD PartOfStep<Real> part() const {
        const Real zero(0.0), one(1.0);
        if (!windowed) {
            if (is_jump) return {moved, now_s, now_s, one, one};
            return {moved, before_s, now_s, zero, one};
        }
        // Times of jumps and ends of windows that differ by round-off are the same.
        constexpr double moment = sizeof(NumberOf<Real>) == sizeof(float) ? 0x1p-19 : 0x1p-39;
        const Mask is_open = (is_jump ? now_s : before_s) < Real(to_s * (1.0 - moment));
        if (is_jump) {
            const Mask exists = moved & is_open & (Real(from_s * (1.0 - moment)) <= now_s);
            return {exists, now_s, now_s, one, one};
        }
        const Real first(from_s), last(to_s), length = length_s();
        const Mask begins = before_s < first, ends = last < now_s,
                   is_jump_first = jumps & (now_s <= Real(from_s * (1.0 + moment)));
        const Real begin_s = select(begins, first, before_s), end_s = select(ends, last, now_s);
        const Mask exists = moved & is_open & (begin_s <= end_s) & !is_jump_first;
        return {exists, begin_s, end_s, select(begins, (first - before_s) / length, zero),
                select(ends, (last - before_s) / length, one)};
    }
    MYRIAD_HD Course<Real> course(const Real* history) const {
        if (between == Between::line || is_jump) return Course<Real>::line(history[0], value);
        if (between == Between::norm)
            return Course<Real>::of_norm(!is_straight, history[0], value, length_s(), history[1], rate, history + 2,
                                         parts);
        return Course<Real>::of(!is_straight, history[0], value, length_s(), history[1], rate);
    }
    MYRIAD_HD void remember(Real* history) const {
        history[0] = select(moved, value, history[0]);
        if (Between::cubic <= between) history[1] = select(moved, rate, history[1]);
        if (between == Between::norm)
            MYRIAD_UNROLL for (int k = 0; k < numbers_of_norm; ++k) history[2 + k] =
                select(moved, parts[k], history[2 + k]);
    }
};

template <class Real>
struct ReductionEnd {
    Real time_s;
    bool windowed;
    double from_s, to_s;
};

// The smallest value is minus the largest of the mirrored channel.
template <bool is_upward, class Real>
MYRIAD_HD Real upright(Real value) {
    return is_upward ? value : -value;
}

struct FinalValue {
    static constexpr Reduction reduction = Reduction::final;
    static constexpr ReductionDescription description{"final", false, false, "value at the end"};
    static constexpr int results = 1;
    static MYRIAD_HD constexpr bool looks_at_steps(bool windowed) { return windowed; }
    static MYRIAD_HD constexpr int history(Between between) { return states_kept(between); }
    template <class Real>
    static MYRIAD_HD void begin(Real* kept, const ReductionStart<Real>& start) {
        kept[0] = start.value_if_it_counts();
    }
    template <class Real>
    static MYRIAD_HD void update(Real* kept, const ReductionStep<Real>& step) {
        if (step.between == Between::steps) {
            kept[0] = select(step.counts(), step.value, kept[0]);
            return;
        }
        const PartOfStep<Real> part = step.part();
        kept[0] = select(part.exists, step.course(kept + 1).value(part.to), kept[0]);
        step.remember(kept + 1);
    }
    template <class Real>
    static MYRIAD_HD Real value(const Real* kept, const ReductionEnd<Real>&) {
        return kept[0];
    }
};

template <bool is_largest>
struct Extremum {
    static constexpr Reduction reduction = is_largest ? Reduction::maximum : Reduction::minimum;
    static constexpr ReductionDescription description{is_largest ? "max" : "min", false, false,
                                                      is_largest ? "largest value" : "smallest value"};
    static constexpr int results = 2;  // value, time
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    static MYRIAD_HD constexpr int history(Between between) {
        return between == Between::line ? 3 : states_kept(between);
    }
    template <class Real>
    static MYRIAD_HD void begin(Real* kept, const ReductionStart<Real>& start) {
        kept[0] = start.value_if_it_counts(), kept[1] = start.time_if_it_counts();
    }
    template <class Real>
    static MYRIAD_HD void update(Real* kept, const ReductionStep<Real>& step) {
        if (step.between == Between::steps)
            consider(kept, step, step.counts(), upright<is_largest>(step.value), step.now_s);
        else if (step.between == Between::line)
            follow_line(kept, step);
        else
            follow_course(kept, step);
    }
    template <class Real>
    static MYRIAD_HD Real value(const Real* kept, const ReductionEnd<Real>&) {
        return kept[0];
    }

  private:
    template <class Real>
    static MYRIAD_HD void consider(Real* kept, const ReductionStep<Real>& step, MaskOf<Real> counts, Real value,
                                   Real time_s) {
        MaskOf<Real> better = counts & (upright<is_largest>(kept[0]) < value);
        if (step.windowed) better = better | (counts & !(kept[1] == kept[1]));
        kept[0] = select(better, upright<is_largest>(value), kept[0]), kept[1] = select(better, time_s, kept[1]);
    }
    template <class Real>
    static MYRIAD_HD void follow_course(Real* kept, const ReductionStep<Real>& step) {
        const Course<Real> given = step.course(kept + 2), course = is_largest ? given : given.mirrored();
        const PartOfStep<Real> part = step.part();
        if (step.windowed) consider(kept, step, part.exists, course.value(part.from), part.begin_s);
        const Real bound = course.bound_within();
        MaskOf<Real> may_be_within = part.exists & (upright<is_largest>(kept[0]) < bound);
        if (!step.windowed) may_be_within = may_be_within & (course.end < bound);
        MYRIAD_WHEN(may_be_within) {
            const PlaceInStep<Real> peak = course.peak(part.from, part.to);
            consider(kept, step, may_be_within & peak.exists, peak.value, fma(peak.at, step.length_s(), step.before_s));
        }
        consider(kept, step, part.exists, course.value(part.to), part.end_s);
        step.remember(kept + 2);
    }
    template <class Real>
    static MYRIAD_HD void follow_line(Real* kept, const ReductionStep<Real>& step) {
        Real* const history = kept + 2;
        const Real before = upright<is_largest>(history[0]), now = upright<is_largest>(step.value),
                   length_s = step.length_s(), slope = (now - before) / length_s;
        const PartOfStep<Real> part = step.part();
        const Course<Real> course = Course<Real>::line(before, now);
        if (step.windowed) consider(kept, step, part.exists, course.value(part.from), part.begin_s);
        const Real zero(0.0);
        const MaskOf<Real> turns = step.moved & (zero < history[1]) & (slope < zero);
        if (!step.is_jump) MYRIAD_WHEN(turns) {
                const auto parabola = Parabola<Real>::of(history[2], history[1], length_s, slope);
                const Real top_s = step.before_s + parabola.after_s;
                MaskOf<Real> counts = turns & parabola.has_top;
                if (step.windowed) counts = counts & (Real(step.from_s) <= top_s) & (top_s <= Real(step.to_s));
                const Real top = before + parabola.above;
                consider(kept, step, counts, step.is_norm && !is_largest ? minimum(top, zero) : top, top_s);
            }
        consider(kept, step, part.exists, course.value(part.to), part.end_s);
        step.remember(history);
        history[1] = select(step.moved, step.is_jump ? quiet_nan<Real>() : slope, history[1]);
        history[2] = select(step.moved, length_s, history[2]);
    }
};

template <bool is_largest>
struct TimeOfExtremum : Extremum<is_largest> {
    static constexpr Reduction reduction = is_largest ? Reduction::time_of_maximum : Reduction::time_of_minimum;
    static constexpr ReductionDescription description{
        is_largest ? "time_of_max" : "time_of_min", false, true,
        is_largest ? "when the largest value was first reached" : "when the smallest value was first reached"};
    template <class Real>
    static MYRIAD_HD Real value(const Real* kept, const ReductionEnd<Real>&) {
        return kept[1];
    }
};

struct MeanOverTime {
    static constexpr Reduction reduction = Reduction::mean;
    static constexpr ReductionDescription description{"mean", false, false, "mean over time"};
    static constexpr int results = 1;  // the integral
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    static MYRIAD_HD constexpr int history(Between between) {
        return Between::cubic <= between ? states_kept(between) : 1;
    }
    template <class Real>
    static MYRIAD_HD void begin(Real* kept, const ReductionStart<Real>&) {
        kept[0] = Real(0.0);
    }
    template <class Real>
    static MYRIAD_HD void update(Real* kept, const ReductionStep<Real>& step) {
        if (!step.is_jump) kept[0] = select(step.moved, kept[0] + area_of(step, kept), kept[0]);
        step.remember(kept + 1);
    }
    template <class Real>
    static MYRIAD_HD Real value(const Real* kept, const ReductionEnd<Real>& end) {
        const Real integral = kept[0], last = kept[1];
        if (!end.windowed) return select(Real(0.0) < end.time_s, integral / end.time_s, last);
        const Real to_s(end.to_s), reached_s = select(to_s < end.time_s, to_s, end.time_s) - Real(end.from_s);
        return select(Real(0.0) < reached_s, integral / reached_s, quiet_nan<Real>());
    }

  private:
    template <class Real>
    static MYRIAD_HD Real area_of(const ReductionStep<Real>& step, const Real* kept) {
        if (Between::cubic <= step.between) {
            const Course<Real> course = step.course(kept + 1);
            const PartOfStep<Real> part = step.part();
            const Real share =
                step.windowed ? course.integral(part.to) - course.integral(part.from) : course.integral(part.to);
            return select(part.exists, step.length_s() * share, Real(0.0));
        }
        return step.windowed ? area_inside(step, kept[1]) : Real(0.5) * step.length_s() * (kept[1] + step.value);
    }
    // Area under the line from `before` to the step's value, over the part of the step that lies in the window: its
    // length times the value in its middle.
    template <class Real>
    static MYRIAD_HD Real area_inside(const ReductionStep<Real>& step, Real before) {
        const Real from_s(step.from_s), to_s(step.to_s), before_s = step.before_s, now_s = step.now_s;
        const Real begin_s = select(before_s < from_s, from_s, before_s), end_s = select(to_s < now_s, to_s, now_s);
        const Real share = (Real(0.5) * (begin_s + end_s) - before_s) / (now_s - before_s);
        const Real area = (end_s - begin_s) * (before + share * (step.value - before));
        return select(begin_s < end_s, area, Real(0.0));
    }
};

template <bool is_above>
struct FirstTime {
    static constexpr Reduction reduction = is_above ? Reduction::first_time_above : Reduction::first_time_below;
    static constexpr ReductionDescription description{
        is_above ? "first_time_above" : "first_time_below", true, true,
        is_above ? "when the channel first exceeded the threshold; undefined where it never did"
                 : "when it first fell below; undefined where it never did"};
    static constexpr int results = 1;
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    static MYRIAD_HD constexpr int history(Between between) { return states_kept(between); }
    template <class Real>
    static MYRIAD_HD void begin(Real* kept, const ReductionStart<Real>& start) {
        kept[0] = select(upright<is_above>(start.threshold) < upright<is_above>(start.value), start.time_if_it_counts(),
                         quiet_nan<Real>());
    }
    template <class Real>
    static MYRIAD_HD void update(Real* kept, const ReductionStep<Real>& step) {
        using Mask = MaskOf<Real>;
        const Real threshold = upright<is_above>(step.threshold);
        const Mask never = !(kept[0] == kept[0]);
        if (step.between == Between::steps) {
            const Mask counts = step.counts(), is_above_now = threshold < upright<is_above>(step.value);
            kept[0] = select(counts & never & is_above_now, step.now_s, kept[0]);
            return;
        }
        const Course<Real> given = step.course(kept + 1), course = is_above ? given : given.mirrored();
        const PartOfStep<Real> part = step.part();
        const Mask open = part.exists & never, ends_above = threshold < course.value(part.to),
                   begins_above = threshold < course.value(part.from);
        MYRIAD_WHEN(open & (begins_above | ends_above | (threshold < course.bound_within()))) {
            Mask passes = ends_above;
            Real high = part.to;
            if (Between::cubic <= step.between) {
                const PlaceInStep<Real> peak = course.peak(part.from, part.to);
                const Mask peaks_above = peak.exists & (threshold < peak.value);
                passes = passes | peaks_above, high = select(peaks_above, peak.at, high);
            }
            Real time_s = part.begin_s;
            MYRIAD_WHEN(open & passes & !begins_above) {
                const Real at = course.first_above(threshold, part.from, high);
                const Real within_s = fma(at, step.length_s(), step.before_s);
                time_s = select(begins_above, time_s, select(at < part.to, within_s, part.end_s));
            }
            kept[0] = select(open & (begins_above | passes), time_s, kept[0]);
        }
        step.remember(kept + 1);
    }
    template <class Real>
    static MYRIAD_HD Real value(const Real* kept, const ReductionEnd<Real>&) {
        return kept[0];
    }
};

// Calls the functions of the struct that `reduction` names.
template <class... Each>
struct ReductionList {
    static constexpr int count = sizeof...(Each);
    static constexpr ReductionDescription descriptions[count] = {Each::description...};

    // How many numbers a reduction keeps, and the most that any does.
    static MYRIAD_HD constexpr int kept(Reduction reduction, Between between, bool windowed) {
        int numbers = 0;
        (void)((reduction == Each::reduction &&
                (numbers = Each::looks_at_steps(windowed) ? Each::results + Each::history(between) : 0, true)) ||
               ...);
        return numbers;
    }
    static constexpr int most_kept = 4 + numbers_of_norm;

    template <class Real>
    static MYRIAD_HD void begin(Reduction reduction, Between between, Real* kept, const ReductionStart<Real>& start) {
        (void)((reduction == Each::reduction &&
                (Each::begin(kept, start), begin_history<Each>(between, kept + Each::results, start), true)) ||
               ...);
    }
    // Returns how many numbers these were.
    template <class Real>
    static MYRIAD_HD int update(Reduction reduction, Real* kept, const ReductionStep<Real>& step) {
        int numbers = 0;
        (void)((reduction == Each::reduction &&
                (Each::update(kept, step), numbers = Each::results + Each::history(step.between), true)) ||
               ...);
        return numbers;
    }
    // Rates and slopes of the past say nothing about a motion under other parameters.
    template <class Real>
    static MYRIAD_HD void forget_rates(Reduction reduction, Between between, bool windowed, Real* kept) {
        (void)((reduction == Each::reduction && (!Each::looks_at_steps(windowed) || Each::history(between) < 2 ||
                                                 (kept[Each::results + 1] = quiet_nan<Real>(), true))) ||
               ...);
    }
    template <class Real>
    static MYRIAD_HD Real value(Reduction reduction, const Real* kept, const ReductionEnd<Real>& end) {
        Real value = quiet_nan<Real>();
        (void)((reduction == Each::reduction && (value = Each::value(kept, end), true)) || ...);
        return value;
    }
    static MYRIAD_HD constexpr bool looks_at_steps(Reduction reduction, bool windowed) {
        return ((reduction == Each::reduction && Each::looks_at_steps(windowed)) || ...);
    }
    // A quantity of values at the ends of steps alone counts the value behind a jump; its mean uses both.
    static MYRIAD_HD constexpr bool looks_before_jumps(Reduction reduction, Between between, bool windowed) {
        return looks_at_steps(reduction, windowed) && (between != Between::steps || reduction == Reduction::mean);
    }
    static MYRIAD_HD constexpr bool stand_in_their_order() {
        int place = 0;
        return ((static_cast<int>(Each::reduction) == place++) && ...);
    }

  private:
    template <class One, class Real>
    static MYRIAD_HD void begin_history(Between between, Real* history, const ReductionStart<Real>& start) {
        const int numbers = One::history(between);
        if (numbers > 0) history[0] = start.value;
        if (numbers > 1) history[1] = Between::cubic <= between ? start.rate : quiet_nan<Real>();
        if (between == Between::norm)
            MYRIAD_UNROLL for (int k = 0; k < numbers_of_norm; ++k) history[2 + k] = start.parts[k];
        else if (numbers > 2)
            history[2] = Real(0.0);
    }
};

using Reductions = ReductionList<FinalValue, Extremum<true>, Extremum<false>, MeanOverTime, TimeOfExtremum<true>,
                                 TimeOfExtremum<false>, FirstTime<true>, FirstTime<false>>;
static_assert(Reductions::stand_in_their_order());

// The place of a quantity's first number in the list of all quantities; behind the last quantity the list's length.
MYRIAD_HD constexpr int first_sum(const PlanTable& plan, int quantity) {
    int sums = 0;
    MYRIAD_ROLL for (int i = 0; i < quantity; ++i) sums +=
        Reductions::kept(plan.reductions[i], plan.between[i], plan.windowed[i] != 0);
    return sums;
}

}  // namespace myriad::inline MYRIAD_VARIANT
