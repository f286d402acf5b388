// Reductions: how a quantity of a study condenses a channel over all accepted steps, the initial state included, or
// over those in a window of time. Kernels, studies and their schema know of reductions what stands here; the twin is
// host/backends/interface/instance_watch.cpp.
//
// In a window of time a state counts where from_s <= t <= to_s. A mean is the integral of the line through the states
// over the part of the window that was reached, its two ends between states included, over the length of that part.
// A quantity without a state that counts is NaN.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/system/reduction.hpp"

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
//   begin, update, value       of the two numbers that it keeps in the record of an instance

// At time 0; `counts` says whether that lies in the window.
template <class Real>
struct ReductionStart {
    Real value, threshold;
    bool counts;
    // Most reductions begin with these: the value and the time of the first state that counts, or NaN.
    MYRIAD_HD Real value_if_it_counts() const { return counts ? value : quiet_nan<Real>(); }
    MYRIAD_HD Real time_if_it_counts() const { return counts ? Real(0.0) : quiet_nan<Real>(); }
};

// After a step of the lanes in `moved`, those among them that end it in the window in `counts`.
template <class Real>
struct ReductionStep {
    Real value, threshold, before_s, now_s;
    MaskOf<Real> moved, counts;
    bool windowed;
    double from_s, to_s;  // where it is windowed
};

template <class Real>
struct ReductionEnd {
    Real time_s;
    bool windowed;
    double from_s, to_s;
};

struct FinalValue {
    static constexpr Reduction reduction = Reduction::final;
    static constexpr ReductionDescription description{"final", false, false, "value at the end"};
    static MYRIAD_HD constexpr bool looks_at_steps(bool windowed) { return windowed; }
    template <class Real>
    static MYRIAD_HD void begin(Real& last, Real& unused, const ReductionStart<Real>& start) {
        last = start.value_if_it_counts(), unused = start.time_if_it_counts();
    }
    template <class Real>
    static MYRIAD_HD void update(Real& last, Real&, const ReductionStep<Real>& step) {
        last = select(step.counts, step.value, last);
    }
    template <class Real>
    static MYRIAD_HD Real value(Real last, Real, const ReductionEnd<Real>&) {
        return last;
    }
};

template <bool is_largest>
struct Extremum {
    static constexpr Reduction reduction = is_largest ? Reduction::maximum : Reduction::minimum;
    static constexpr ReductionDescription description{is_largest ? "max" : "min", false, false,
                                                      is_largest ? "largest value" : "smallest value"};
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    template <class Real>
    static MYRIAD_HD void begin(Real& extremum, Real& time_s, const ReductionStart<Real>& start) {
        extremum = start.value_if_it_counts(), time_s = start.time_if_it_counts();
    }
    template <class Real>
    static MYRIAD_HD void update(Real& extremum, Real& time_s, const ReductionStep<Real>& step) {
        MaskOf<Real> better = step.counts & (is_largest ? extremum < step.value : step.value < extremum);
        if (step.windowed) better = better | (step.counts & !(time_s == time_s));
        extremum = select(better, step.value, extremum), time_s = select(better, step.now_s, time_s);
    }
    template <class Real>
    static MYRIAD_HD Real value(Real extremum, Real, const ReductionEnd<Real>&) {
        return extremum;
    }
};

template <bool is_largest>
struct TimeOfExtremum : Extremum<is_largest> {
    static constexpr Reduction reduction = is_largest ? Reduction::time_of_maximum : Reduction::time_of_minimum;
    static constexpr ReductionDescription description{
        is_largest ? "time_of_max" : "time_of_min", false, true,
        is_largest ? "when the largest value was first reached" : "when the smallest value was first reached"};
    template <class Real>
    static MYRIAD_HD Real value(Real, Real time_s, const ReductionEnd<Real>&) {
        return time_s;
    }
};

struct MeanOverTime {
    static constexpr Reduction reduction = Reduction::mean;
    static constexpr ReductionDescription description{"mean", false, false, "mean over time"};
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    template <class Real>
    static MYRIAD_HD void begin(Real& integral, Real& last, const ReductionStart<Real>& start) {
        integral = Real(0.0), last = start.value;
    }
    template <class Real>
    static MYRIAD_HD void update(Real& integral, Real& last, const ReductionStep<Real>& step) {
        const Real area =
            step.windowed ? area_inside(step, last) : Real(0.5) * (step.now_s - step.before_s) * (last + step.value);
        integral = select(step.moved, integral + area, integral), last = select(step.moved, step.value, last);
    }
    template <class Real>
    static MYRIAD_HD Real value(Real integral, Real last, const ReductionEnd<Real>& end) {
        if (!end.windowed) return select(Real(0.0) < end.time_s, integral / end.time_s, last);
        const Real to_s(end.to_s), reached_s = select(to_s < end.time_s, to_s, end.time_s) - Real(end.from_s);
        return select(Real(0.0) < reached_s, integral / reached_s, quiet_nan<Real>());
    }

  private:
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
    static MYRIAD_HD constexpr bool looks_at_steps(bool) { return true; }
    template <class Real>
    static MYRIAD_HD MaskOf<Real> is_beyond(Real value, Real threshold) {
        return is_above ? threshold < value : value < threshold;
    }
    template <class Real>
    static MYRIAD_HD void begin(Real& first_s, Real& unused, const ReductionStart<Real>& start) {
        first_s = select(is_beyond(start.value, start.threshold), start.time_if_it_counts(), quiet_nan<Real>());
        unused = start.time_if_it_counts();
    }
    template <class Real>
    static MYRIAD_HD void update(Real& first_s, Real&, const ReductionStep<Real>& step) {
        const MaskOf<Real> never = !(first_s == first_s), beyond = is_beyond(step.value, step.threshold);
        first_s = select(step.counts & never & beyond, step.now_s, first_s);
    }
    template <class Real>
    static MYRIAD_HD Real value(Real first_s, Real, const ReductionEnd<Real>&) {
        return first_s;
    }
};

// Calls the functions of the struct that `reduction` names.
template <class... Each>
struct ReductionList {
    static constexpr int count = sizeof...(Each);
    static constexpr ReductionDescription descriptions[count] = {Each::description...};

    template <class Real>
    static MYRIAD_HD void begin(Reduction reduction, Real& first, Real& second, const ReductionStart<Real>& start) {
        (void)((reduction == Each::reduction && (Each::begin(first, second, start), true)) || ...);
    }
    template <class Real>
    static MYRIAD_HD void update(Reduction reduction, Real& first, Real& second, const ReductionStep<Real>& step) {
        (void)((reduction == Each::reduction && (Each::update(first, second, step), true)) || ...);
    }
    template <class Real>
    static MYRIAD_HD Real value(Reduction reduction, Real first, Real second, const ReductionEnd<Real>& end) {
        Real value = quiet_nan<Real>();
        (void)((reduction == Each::reduction && (value = Each::value(first, second, end), true)) || ...);
        return value;
    }
    static MYRIAD_HD constexpr bool looks_at_steps(Reduction reduction, bool windowed) {
        return ((reduction == Each::reduction && Each::looks_at_steps(windowed)) || ...);
    }
    static MYRIAD_HD constexpr bool stand_in_their_order() {
        int place = 0;
        return ((static_cast<int>(Each::reduction) == place++) && ...);
    }
};

using Reductions = ReductionList<FinalValue, Extremum<true>, Extremum<false>, MeanOverTime, TimeOfExtremum<true>,
                                 TimeOfExtremum<false>, FirstTime<true>, FirstTime<false>>;
static_assert(Reductions::stand_in_their_order());

}  // namespace myriad::inline MYRIAD_VARIANT
