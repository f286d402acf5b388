// Quantities of a study: channels condensed over all accepted steps, inside the loop, so that no trajectory is stored.
//
// Each quantity owns two sums of the record: extremum and its time, integral and last value, or first time and unused.
// A final value in a window is kept in the first. A Plan says which channels and reductions there are: a table read at
// run time on the CPU, constants on a GPU.
//
// In a window of time a state counts where from_s <= t <= to_s. A mean is the integral of the line through the states
// over the part of the window that was reached, its two ends between states included, over the length of that part.
// A quantity is NaN if no state counted.
#pragma once
#include "kernels/elementary.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/mechanism/table_topology.hpp"
#include "kernels/norm.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A plan read at run time. The compiled form offers the same functions over constants.
struct TablePlan {
    static constexpr int quantity_capacity = most_quantities;
    const PlanTable& table;

    MYRIAD_HD TableTopology topology() const { return TableTopology(table.mechanism, table.keeps_factors); }
    MYRIAD_HD int varied_fields() const { return table.varied_count; }
    MYRIAD_HD int varied_field(int parameter) const { return table.varied[parameter]; }
    MYRIAD_HD int quantities() const { return table.quantity_count; }
    MYRIAD_HD Reduction reduction(int quantity) const { return table.reductions[quantity]; }
    MYRIAD_HD int quantity_channel(int quantity) const { return table.quantity_channels[quantity]; }
    MYRIAD_HD bool windowed(int quantity) const { return table.windowed[quantity] != 0; }
    MYRIAD_HD int observed() const { return table.observed_count; }
    MYRIAD_HD int observed_channel(int entry) const { return table.observed_channels[entry]; }
};

template <class R, class Plan>
struct Quantities {
    using Real = R;
    using Number = NumberOf<Real>;
    Real sums[2 * Plan::quantity_capacity + 1];  // one more, so that no quantities is no special case

    // `channel(index)` is the value of a channel in the state that is looked at.
    template <class Channels>
    MYRIAD_HD void begin(const Plan& plan, const Channels& channel, const Launch<Number>& launch) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const Real value = channel_or_norm<Real>(channel, plan.quantity_channel(i));
            const Real threshold(static_cast<double>(launch.thresholds[i])), never = quiet_nan<Real>(), zero(0.0);
            const bool counts = !plan.windowed(i) || Window(launch, i).from_s <= 0.0;
            Real& first = sums[2 * i];
            Real& second = sums[2 * i + 1];
            first = counts ? value : never, second = counts ? zero : never;
            if (plan.reduction(i) == Reduction::mean) first = zero, second = value;
            if (plan.reduction(i) == Reduction::first_time_above)
                first = counts ? select(threshold < value, zero, never) : never;
            if (plan.reduction(i) == Reduction::first_time_below)
                first = counts ? select(value < threshold, zero, never) : never;
        }
    }

    // Counts a step of the lanes in `moved` (those whose step was accepted), from `before_s` to `now_s`.
    template <class Channels>
    MYRIAD_HD void update(const Plan& plan, const Channels& channel, const Launch<Number>& launch, MaskOf<Real> moved,
                          Real before_s, Real now_s) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const Reduction reduction = plan.reduction(i);
            const bool windowed = plan.windowed(i);
            if (reduction == Reduction::final && !windowed) continue;
            const Real value = channel_or_norm<Real>(channel, plan.quantity_channel(i));
            const Real threshold(static_cast<double>(launch.thresholds[i]));
            Real& first = sums[2 * i];
            Real& second = sums[2 * i + 1];
            MaskOf<Real> counts = moved;
            if (windowed && reduction != Reduction::mean) {
                const Window window(launch, i);
                counts = counts & (Real(window.from_s) <= now_s) & (now_s <= Real(window.to_s));
            }
            if (reduction == Reduction::mean) {
                const Real area = windowed ? area_inside(Window(launch, i), before_s, now_s, second, value)
                                           : Real(0.5) * (now_s - before_s) * (second + value);
                first = select(moved, first + area, first), second = select(moved, value, second);
            } else if (reduction == Reduction::maximum || reduction == Reduction::time_of_maximum) {
                MaskOf<Real> better = counts & (first < value);
                if (windowed) better = better | (counts & !(second == second));
                first = select(better, value, first), second = select(better, now_s, second);
            } else if (reduction == Reduction::minimum || reduction == Reduction::time_of_minimum) {
                MaskOf<Real> better = counts & (value < first);
                if (windowed) better = better | (counts & !(second == second));
                first = select(better, value, first), second = select(better, now_s, second);
            } else if (reduction == Reduction::final) {
                first = select(counts, value, first);
            } else {
                const MaskOf<Real> never = !(first == first);
                const MaskOf<Real> beyond =
                    reduction == Reduction::first_time_above ? threshold < value : value < threshold;
                first = select(counts & never & beyond, now_s, first);
            }
        }
    }

    // The present value of quantity i.
    template <class Channels>
    MYRIAD_HD Real value(const Plan& plan, int i, const Channels& channel, const Launch<Number>& launch,
                         Real time_s) const {
        const Reduction reduction = plan.reduction(i);
        const bool windowed = plan.windowed(i);
        if (reduction == Reduction::final && !windowed) return channel_or_norm<Real>(channel, plan.quantity_channel(i));
        if (reduction == Reduction::mean && windowed) {
            const Window window(launch, i);
            const Real to_s(window.to_s), reached_s = select(to_s < time_s, to_s, time_s) - Real(window.from_s);
            return select(Real(0.0) < reached_s, sums[2 * i] / reached_s, quiet_nan<Real>());
        }
        if (reduction == Reduction::mean) return select(Real(0.0) < time_s, sums[2 * i] / time_s, sums[2 * i + 1]);
        if (reduction == Reduction::time_of_maximum || reduction == Reduction::time_of_minimum) return sums[2 * i + 1];
        return sums[2 * i];
    }

  private:
    struct Window {
        double from_s, to_s;
        MYRIAD_HD Window(const Launch<Number>& launch, int quantity)
            : from_s(static_cast<double>(launch.windows[2 * quantity])),
              to_s(static_cast<double>(launch.windows[2 * quantity + 1])) {}
    };

    // The integral of the line from `before` to `now` over the part of the step that lies in the window: the length of
    // that part times the value in its middle.
    static MYRIAD_HD Real area_inside(const Window& window, Real before_s, Real now_s, Real before, Real now) {
        const Real from_s(window.from_s), to_s(window.to_s);
        const Real begin_s = select(before_s < from_s, from_s, before_s), end_s = select(to_s < now_s, to_s, now_s);
        const Real share = (Real(0.5) * (begin_s + end_s) - before_s) / (now_s - before_s);
        const Real area = (end_s - begin_s) * (before + share * (now - before));
        return select(begin_s < end_s, area, Real(0.0));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
