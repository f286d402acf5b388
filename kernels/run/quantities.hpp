// Quantities of a study: channels condensed over all accepted steps, inside the loop, so that no trajectory is stored.
//
// Each quantity owns two sums of the record, whose meaning its reduction knows. A Plan says which channels and
// reductions there are: a table read at run time on the CPU, constants on a GPU.
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/math/norm.hpp"
#include "kernels/mechanism/table_topology.hpp"
#include "kernels/run/reductions.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A plan read at run time. The compiled form offers the same functions over constants.
struct TablePlan {
    static constexpr int quantity_capacity = most_quantities;
    // Whether channels are looked at after steps, for rows, at the end of a run, and the most that they need then (a
    // View's bits): code for what no study of the plan asks for is not even compiled.
    static constexpr bool looks_at_steps = true, looks_at_rows = true, looks_at_end = true;
    static constexpr int most_needs = -1;
    static constexpr bool is_table = true;
    const PlanTable* table = nullptr;

    TablePlan() = default;  // to be assigned before use
    MYRIAD_HD explicit TablePlan(const PlanTable& of) : table(&of) {}

    template <class Topology>
    MYRIAD_HD Topology topology() const {
        if constexpr (requires { Topology(table->mechanism, table->keeps_factors, table->axes_codes); })
            return Topology(table->mechanism, table->keeps_factors, table->axes_codes);
        else
            return Topology(table->mechanism, table->keeps_factors);
    }
    MYRIAD_HD int varied_fields() const { return table->varied_count; }
    MYRIAD_HD const int* varied() const { return table->varied; }
    MYRIAD_HD int varied_field(int parameter) const { return table->varied[parameter]; }
    MYRIAD_HD int quantities() const { return table->quantity_count; }
    MYRIAD_HD Reduction reduction(int quantity) const { return table->reductions[quantity]; }
    MYRIAD_HD int quantity_channel(int quantity) const { return table->quantity_channels[quantity]; }
    MYRIAD_HD bool windowed(int quantity) const { return table->windowed[quantity] != 0; }
    MYRIAD_HD int observed() const { return table->observed_count; }
    MYRIAD_HD int observed_channel(int entry) const { return table->observed_channels[entry]; }
    // Calls visit.at<needs>(i) for each quantity, and for each observed channel; `needs` are those of its channel.
    template <class Visit>
    MYRIAD_HD void each_quantity(const Visit& visit) const {
        for (int i = 0; i < table->quantity_count; ++i) visit.template at<most_needs>(i);
    }
    template <class Visit>
    MYRIAD_HD void each_observed(const Visit& visit) const {
        for (int i = 0; i < table->observed_count; ++i) visit.template at<most_needs>(i);
    }
};

// The value of a channel, or a norm of some, that needs what `needs` says.
template <class Real, int needs, class Channels>
MYRIAD_HD Real value_of(const Channels& channels, int channel) {
    return channel_or_norm<Real>([&](int index) MYRIAD_INLINE { return channels.template channel<needs>(index); },
                                 channel);
}

template <class R, class Plan>
struct Quantities {
    using Real = R;
    using Number = NumberOf<Real>;
    Real sums[2 * Plan::quantity_capacity + 1];  // one more, so that no quantities is no special case

    // `channels.channel<needs>(index)` is the value of a channel in the state that is looked at.
    template <class Channels>
    MYRIAD_HD void begin(const Plan& plan, const Channels& channels, const Launch<Number>& launch) {
        plan.each_quantity(Begin<Channels>{*this, plan, channels, launch});
    }

    // Counts a step of the lanes in `moved` (those whose step was accepted), from `before_s` to `now_s`.
    template <class Channels>
    MYRIAD_HD void update(const Plan& plan, const Channels& channels, const Launch<Number>& launch, MaskOf<Real> moved,
                          Real before_s, Real now_s) {
        plan.each_quantity(Update<Channels>{*this, plan, channels, launch, moved, before_s, now_s});
    }

    // The present value of quantity i.
    template <int needs, class Channels>
    MYRIAD_HD Real value(const Plan& plan, int i, const Channels& channels, const Launch<Number>& launch,
                         Real time_s) const {
        const bool windowed = plan.windowed(i);
        if (!Reductions::looks_at_steps(plan.reduction(i), windowed))
            return value_of<Real, needs>(channels, plan.quantity_channel(i));
        const Window window = window_of(plan, launch, i);
        return Reductions::value(plan.reduction(i), sums[2 * i], sums[2 * i + 1],
                                 ReductionEnd<Real>{time_s, windowed, window.from_s, window.to_s});
    }

  private:
    struct Window {
        double from_s, to_s;
    };
    template <class Channels>
    struct Begin {
        Quantities& quantities;
        const Plan& plan;
        const Channels& channels;
        const Launch<Number>& launch;
        template <int needs>
        MYRIAD_HD void at(int i) const {
            const Real value = value_of<Real, needs>(channels, plan.quantity_channel(i));
            const ReductionStart<Real> start{value, threshold(launch, i), window_of(plan, launch, i).from_s <= 0.0};
            Reductions::begin(plan.reduction(i), quantities.sums[2 * i], quantities.sums[2 * i + 1], start);
        }
    };
    template <class Channels>
    struct Update {
        Quantities& quantities;
        const Plan& plan;
        const Channels& channels;
        const Launch<Number>& launch;
        const MaskOf<Real> moved;
        const Real before_s, now_s;
        template <int needs>
        MYRIAD_HD void at(int i) const {
            const bool windowed = plan.windowed(i);
            if (!Reductions::looks_at_steps(plan.reduction(i), windowed)) return;
            const Real value = value_of<Real, needs>(channels, plan.quantity_channel(i));
            const Window window = window_of(plan, launch, i);
            MaskOf<Real> counts = moved;
            if (windowed) counts = counts & (Real(window.from_s) <= now_s) & (now_s <= Real(window.to_s));
            const ReductionStep<Real> step{value,    threshold(launch, i), before_s,   now_s, moved, counts,
                                           windowed, window.from_s,        window.to_s};
            Reductions::update(plan.reduction(i), quantities.sums[2 * i], quantities.sums[2 * i + 1], step);
        }
    };
    // The launch has windows only where the plan says so.
    static MYRIAD_HD Window window_of(const Plan& plan, const Launch<Number>& launch, int quantity) {
        if (!plan.windowed(quantity)) return {0.0, 0.0};
        return {static_cast<double>(launch.windows[2 * quantity]),
                static_cast<double>(launch.windows[2 * quantity + 1])};
    }
    static MYRIAD_HD Real threshold(const Launch<Number>& launch, int quantity) {
        return Real(static_cast<double>(launch.thresholds[quantity]));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
