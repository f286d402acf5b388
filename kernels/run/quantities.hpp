// Quantities of a study: channels condensed over all accepted steps, inside the loop, so that no trajectory is stored.
//
// Each quantity owns some sums of the record, whose number and meaning its reduction knows. A Plan says which channels
// and reductions there are: a table read at run time on the CPU, constants on a GPU.
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/math/norm.hpp"
#include "kernels/mechanism/table_topology.hpp"
#include "kernels/run/reductions.hpp"
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A plan read at run time. The compiled form offers the same functions over constants.
struct TablePlan {
    static constexpr int sum_capacity = Reductions::most_kept * most_quantities;
    // Whether channels are looked at after steps, before jumps in them, for rows, at the end of a run: code for what no
    // study of the plan asks for is not even compiled.
    static constexpr bool looks_at_steps = true, looks_before_jumps = true, looks_at_rows = true, looks_at_end = true;
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
    MYRIAD_HD Between between(int quantity) const { return table->between[quantity]; }
    MYRIAD_HD int quantity_rate(int quantity) const { return table->quantity_rates[quantity]; }
    // The place of its first sum; behind the last quantity that of all.
    MYRIAD_HD int first_sum(int quantity) const { return myriad::first_sum(*table, quantity); }
    MYRIAD_HD int sums() const { return first_sum(quantities()); }
    MYRIAD_HD int observed() const { return table->observed_count; }
    MYRIAD_HD int observed_channel(int entry) const { return table->observed_channels[entry]; }
};

// The value of a channel, or a norm of some.
template <class Real, class Channels>
MYRIAD_HD Real value_of(const Channels& channels, int channel) {
    return channel_or_norm<Real>([&](int index) MYRIAD_INLINE { return channels.channel(index); }, channel);
}

// The same, and its rate:
//   (x . x)'/2 = x . x',   q' = q (0, w) / 2 with the angular velocity w of the body
template <class R>
struct ValueAndRate {
    using Real = R;
    Real value, rate;    // of a norm the rate of half its square
    Real parts[6] = {};  // of a norm: its components, then their rates

    // `channel` is called in one place only, because the code of channels is large.
    template <class Channels>
    static MYRIAD_HD ValueAndRate of(const Channels& channels, int channel, int rate) {
        constexpr int of_quaternion = 4, most_numbers = 7;
        const bool turns = rate == rate_of_orientation;
        const int part = channel % body_channels - orientation_channel;
        const int values = turns              ? of_quaternion
                           : is_norm(channel) ? norm_components(channel)
                                              : 1,
                  first = turns              ? channel - part
                          : is_norm(channel) ? first_of_norm(channel)
                                             : channel,
                  first_rate = turns ? first + angular_velocity_channel - orientation_channel : rate,
                  count = turns ? most_numbers : 2 * values;
        Real seen[most_numbers];
        MYRIAD_UNROLL_PLAN for (int k = 0; k < count; ++k) seen[k] =
            channels.channel(k < values ? first + k : first_rate + (k - values));
        if (turns) return {seen[part], turning(seen, part), {}};
        if (!is_norm(channel)) return {seen[0], seen[1], {}};
        Real squares(0.0), products(0.0);
        ValueAndRate norm;
        MYRIAD_UNROLL for (int k = 0; k < most_norm_components; ++k) {
            const bool is_one = k < values;
            norm.parts[k] = is_one ? seen[k] : Real(0.0);
            norm.parts[most_norm_components + k] = is_one ? seen[values + k] : Real(0.0);
            squares = fma(norm.parts[k], norm.parts[k], squares);
            products = fma(norm.parts[k], norm.parts[most_norm_components + k], products);
        }
        norm.value = sqrt(squares), norm.rate = products;
        return norm;
    }

  private:
    static MYRIAD_HD Real turning(const Real* q, int part) {
        const Real *x = q + 1, *w = q + 4, half(0.5);
        if (part == 0) return -half * fma(x[0], w[0], fma(x[1], w[1], x[2] * w[2]));
        const int i = part - 1, j = part % 3, k = (part + 1) % 3;
        return half * fma(q[0], w[i], fma(x[j], w[k], -(x[k] * w[j])));
    }
};

// A step of the lanes in `moved` (those whose step was accepted), from `before_s` to `now_s`, or the part of one up to
// a jump or behind one; `ends`: it is at its end. At the end of those in `jumps` rates jump, and the state is the one
// before that; in those in `is_straight` no rates are to be used. `is_jump`: the jump itself. Quantities whose channels
// have rates were last looked at at `within_s`; `is_within`: they alone are looked at now, before the step ends.
template <class R>
struct SeenStep {
    using Real = R;
    MaskOf<Real> moved, ends, jumps, is_straight;
    Real before_s, within_s, now_s;
    bool is_within, is_jump;
};

template <class R, class Plan>
struct Quantities {
    using Real = R;
    using Number = NumberOf<Real>;
    Real sums[Plan::sum_capacity + 1];  // one more, so that no quantities is no special case

    // `channels.channel(index)` is the value of a channel in the state that is looked at.
    template <class Channels>
    MYRIAD_HD void begin(const Plan& plan, const Channels& channels, const Launch<Number>& launch) {
        Visited visited;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const bool windowed = plan.windowed(i);
            if (!Reductions::looks_at_steps(plan.reduction(i), windowed)) continue;
            const ValueAndRate<Real> seen = see(plan, channels, i, visited);
            const bool counts = window_of(plan, launch, i).from_s <= 0.0;
            const ReductionStart<Real> start{seen.value, seen.rate, threshold(launch, i),
                                             counts ? true_mask<Real>() : !true_mask<Real>(), seen.parts};
            Reductions::begin(plan.reduction(i), plan.between(i), sums + visited.sums, start);
            visited.sums += Reductions::kept(plan.reduction(i), plan.between(i), windowed);
        }
    }

    template <class Channels>
    MYRIAD_HD void update(const Plan& plan, const Channels& channels, const Launch<Number>& launch,
                          const SeenStep<Real>& step) {
        Visited visited;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const bool windowed = plan.windowed(i), is_cubic = Between::cubic <= plan.between(i);
            if (!Reductions::looks_at_steps(plan.reduction(i), windowed)) continue;
            if (step.is_within && !is_cubic) {
                visited.sums += Reductions::kept(plan.reduction(i), plan.between(i), windowed);
                continue;
            }
            const ValueAndRate<Real> seen = see(plan, channels, i, visited);
            const Window window = window_of(plan, launch, i);
            const Real before_s = is_cubic ? step.within_s : step.before_s;
            const bool sees_jumps = Reductions::looks_before_jumps(plan.reduction(i), plan.between(i), windowed);
            const ReductionStep<Real> reduced{seen.value,      seen.rate,        threshold(launch, i),
                                              before_s,        step.now_s,       sees_jumps ? step.moved : step.ends,
                                              step.jumps,      step.is_straight, step.is_jump,
                                              plan.between(i), windowed,         window.from_s,
                                              window.to_s,     seen.parts,       is_norm(plan.quantity_channel(i))};
            visited.sums += Reductions::update(plan.reduction(i), sums + visited.sums, reduced);
        }
    }
    // Parameters have changed.
    MYRIAD_HD void forget_rates(const Plan& plan) {
        Real* own = sums;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
            const bool windowed = plan.windowed(i) != 0;
            Reductions::forget_rates(plan.reduction(i), plan.between(i), windowed, own);
            own += Reductions::kept(plan.reduction(i), plan.between(i), windowed);
        }
    }

    // The present value of quantity i.
    template <class Channels>
    MYRIAD_HD Real value(const Plan& plan, int i, const Channels& channels, const Launch<Number>& launch,
                         Real time_s) const {
        const bool windowed = plan.windowed(i);
        if (!Reductions::looks_at_steps(plan.reduction(i), windowed))
            return value_of<Real>(channels, plan.quantity_channel(i));
        const Window window = window_of(plan, launch, i);
        return Reductions::value(plan.reduction(i), sums + plan.first_sum(i),
                                 ReductionEnd<Real>{time_s, windowed, window.from_s, window.to_s});
    }

  private:
    // Quantities are visited in their order; some that follow each other have the same channel.
    struct Visited {
        int sums = 0, last = -1;
        ValueAndRate<Real> seen;  // of the last one
    };
    struct Window {
        double from_s, to_s;
    };
    template <class Channels>
    static MYRIAD_HD ValueAndRate<Real> see(const Plan& plan, const Channels& channels, int quantity,
                                            Visited& visited) {
        const int channel = plan.quantity_channel(quantity), last = visited.last;
        const bool has_rate = Between::cubic <= plan.between(quantity);
        const bool is_known =
            last >= 0 && plan.quantity_channel(last) == channel && (!has_rate || Between::cubic <= plan.between(last));
        visited.last = quantity;
        if (is_known) return visited.seen;
        visited.seen = has_rate ? ValueAndRate<Real>::of(channels, channel, plan.quantity_rate(quantity))
                                : ValueAndRate<Real>{value_of<Real>(channels, channel), Real(0.0)};
        return visited.seen;
    }
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
