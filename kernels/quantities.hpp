// Quantities of a study: channels condensed over all accepted steps, inside the loop, so that no trajectory is stored.
//
// Each quantity owns two sums of the record: extremum and its time, integral and last value, or first time and unused.
// A Plan says which channels and reductions there are: a table read at run time on the CPU, constants on a GPU.
#pragma once
#include "kernels/elementary.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/mechanism/table_topology.hpp"

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
    MYRIAD_HD int observed() const { return table.observed_count; }
    MYRIAD_HD int observed_channel(int entry) const { return table.observed_channels[entry]; }
};

template <class R, class Plan>
struct Quantities {
    using Real = R;
    Real sums[2 * Plan::quantity_capacity + 1];  // one more, so that no quantities is no special case

    // `channel(index)` is the value of a channel in the state that is looked at.
    template <class Channels>
    MYRIAD_HD void begin(const Plan& plan, const Channels& channel, const NumberOf<Real>* thresholds) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const Real value = channel(plan.quantity_channel(i));
            const Real threshold(static_cast<double>(thresholds[i])), never = quiet_nan<Real>(), zero(0.0);
            Real& first = sums[2 * i];
            Real& second = sums[2 * i + 1];
            first = value, second = zero;
            if (plan.reduction(i) == Reduction::mean) first = zero, second = value;
            if (plan.reduction(i) == Reduction::first_time_above) first = select(threshold < value, zero, never);
            if (plan.reduction(i) == Reduction::first_time_below) first = select(value < threshold, zero, never);
        }
    }

    // After a step of the lanes in `moved`, from `before_s` to `now_s`.
    template <class Channels>
    MYRIAD_HD void update(const Plan& plan, const Channels& channel, const NumberOf<Real>* thresholds,
                          MaskOf<Real> moved, Real before_s, Real now_s) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const Reduction reduction = plan.reduction(i);
            if (reduction == Reduction::final) continue;
            const Real value = channel(plan.quantity_channel(i));
            const Real threshold(static_cast<double>(thresholds[i]));
            Real& first = sums[2 * i];
            Real& second = sums[2 * i + 1];
            if (reduction == Reduction::mean) {
                const Real area = Real(0.5) * (now_s - before_s) * (second + value);
                first = select(moved, first + area, first), second = select(moved, value, second);
            } else if (reduction == Reduction::maximum || reduction == Reduction::time_of_maximum) {
                const MaskOf<Real> better = moved & (first < value);
                first = select(better, value, first), second = select(better, now_s, second);
            } else if (reduction == Reduction::minimum || reduction == Reduction::time_of_minimum) {
                const MaskOf<Real> better = moved & (value < first);
                first = select(better, value, first), second = select(better, now_s, second);
            } else {
                const MaskOf<Real> never = !(first == first);
                const MaskOf<Real> beyond =
                    reduction == Reduction::first_time_above ? threshold < value : value < threshold;
                first = select(moved & never & beyond, now_s, first);
            }
        }
    }

    // The value of quantity i as it stands.
    template <class Channels>
    MYRIAD_HD Real value(const Plan& plan, int i, const Channels& channel, Real time_s) const {
        const Reduction reduction = plan.reduction(i);
        if (reduction == Reduction::final) return channel(plan.quantity_channel(i));
        if (reduction == Reduction::mean) return select(Real(0.0) < time_s, sums[2 * i] / time_s, sums[2 * i + 1]);
        if (reduction == Reduction::time_of_maximum || reduction == Reduction::time_of_minimum) return sums[2 * i + 1];
        return sums[2 * i];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
