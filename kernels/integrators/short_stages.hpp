// Steps of explicit Runge-Kutta methods on orientations with the fewest operations: the method of runge_kutta.hpp by
// the maps of kernels/orientation/short_maps.hpp.
//
//   s_i = origin(q) + h/2 sum_j a_ij K_j,  v_i = v + h sum_j a_ij A_j,  q_i = stage(q, s_i),  K_i = rate(q_i, s_i, v_i)
//   q+ = end(q, origin(q) + h/2 sum_i b_i K_i),  v+ = v + h sum_i b_i A_i,  stages of equal weight added first
//
// Where each stage needs the one before it alone (rk4), the momentum p = J w of the rotation goes along: with the
// torque t, p_i = p + h a_ij t_j and A = J^-1 t. That costs less than J w_i and is the same but for round-off.
//
// A system takes part by Maps (those of its chart, for its whole configuration), momentum(v), torque(q, v, p) and
// acceleration_by(torque). Not handled: systems with a topology.
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/integrators/runge_kutta_tables.hpp"
#include "kernels/orientation/short_maps.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// True where each stage needs the one before it alone, as in rk4.
template <class Table>
MYRIAD_HD constexpr bool is_chain() {
    for (int i = 1; i < Table::stages; ++i)
        for (int j = 0; j + 1 < i; ++j)
            if (Table::a(i, j) != 0.0) return false;
    return true;
}

// Whether a method takes short stages on a system: never, unless the study asks for dexp^-1 in full, or always.
enum class ShortStages { never, unless_full, always };
template <class Table, class System>
MYRIAD_HD constexpr ShortStages short_stages_of() {
    if constexpr (requires { System::Maps::greatest_order; }) {
        if (Table::order <= System::Maps::greatest_order)
            return is_rotation_group<typename System::Chart> ? ShortStages::unless_full : ShortStages::always;
    }
    return ShortStages::never;
}
// A GPU's kernel, which is compiled for a study, has the code of one form.
template <class Table, class System>
MYRIAD_HD constexpr bool takes_short_stages([[maybe_unused]] const Schedule& schedule) {
    constexpr ShortStages which = short_stages_of<Table, System>();
#if defined(MYRIAD_FULL_DEXP_INVERSE)
    return which == ShortStages::always;
#elif defined(__CUDACC_RTC__)
    return which != ShortStages::never;
#else
    return which == ShortStages::always || (which == ShortStages::unless_full && schedule.full_dexp_inverse == 0.0);
#endif
}

// The first stage whose weight is that of stage i.
template <class Table>
MYRIAD_HD constexpr int first_of_weight(int i) {
    for (int j = 0; j < i; ++j)
        if (Table::b(j) == Table::b(i)) return j;
    return i;
}

// True where the last stage stands at the end of the step and is the first one of the next.
template <class Table>
MYRIAD_HD constexpr bool last_stage_is_the_end() {
    for (int j = 0; j < Table::stages; ++j)
        if (Table::b(j) != (j + 1 < Table::stages ? Table::a(Table::stages - 1, j) : 0.0)) return false;
    return true;
}

// The rates and local coordinates of one step on a system: those of runge_kutta.hpp, by short maps.
template <class Table, class System>
struct ShortStep {
    using Real = typename System::Real;
    using Maps = typename System::Maps;
    using Velocity = typename System::Velocity;
    using Sum = typename Maps::Sum;

    // Fills K_i and A_i, given A_0; returns the largest reach of a stage.
    static MYRIAD_HD Real stages(const System& system, const Motion<System>& begin, Real h, Sum (&group)[Table::stages],
                                 Velocity (&rate)[Table::stages]) {
        group[0] = Maps::rate_at_start(begin.q, begin.v);
        Real reach(0.0);
        MYRIAD_UNROLL for (int stage = 1; stage < Table::stages; ++stage) {
            Sum sum = origin(begin);
            Velocity v = begin.v;
            MYRIAD_UNROLL for (int j = 0; j < stage; ++j) {
                if (Table::a(stage, j) == 0.0) continue;
                const Real ha = Real(Table::a(stage, j)) * h;
                sum = fma(Real(0.5) * ha, group[j], sum), v = fma(ha, rate[j], v);
            }
            reach = maximum(Maps::reach(sum), reach);
            const bool is_end = last_stage_is_the_end<Table>() && stage == Table::stages - 1;
            const auto q = is_end ? Maps::end(begin.q, sum) : Maps::stage(begin.q, sum);
            rate[stage] = system.acceleration(q, v);
            group[stage] = Maps::rate(q, sum, v);
        }
        return reach;
    }
    // The end of the step; returns its reach.
    static MYRIAD_HD Real end_at(const Motion<System>& begin, Real h, const Sum (&group)[Table::stages],
                                 const Velocity (&rate)[Table::stages], Motion<System>& end) {
        Sum sum = origin(begin);
        end.v = begin.v;
        MYRIAD_UNROLL for (int j = 0; j < Table::stages; ++j) {
            if (Table::b(j) == 0.0) continue;
            const Real hb = Real(Table::b(j)) * h;
            sum = fma(Real(0.5) * hb, group[j], sum), end.v = fma(hb, rate[j], end.v);
        }
        end.q = Maps::end(begin.q, sum);
        return Maps::reach(sum);
    }
    // The difference of an embedded pair: lengths and rotations (m, rad) beside rates.
    static MYRIAD_HD void errors(const Motion<System>& begin, Real h, const Sum (&group)[Table::stages],
                                 const Velocity (&rate)[Table::stages], Velocity& of_group, Velocity& of_rate) {
        Sum difference{};
        of_rate = {};
        MYRIAD_UNROLL for (int j = 0; j < Table::stages; ++j) {
            if (Table::e(j) == 0.0) continue;
            const Real he = Real(Table::e(j)) * h;
            difference = fma(Real(0.5) * he, group[j], difference), of_rate = fma(he, rate[j], of_rate);
        }
        of_group = Maps::moved(begin.q, difference);
    }

    // A whole step of a chain, A_0 included; returns its largest reach. Stages of equal weight are added first.
    static MYRIAD_HD Real chain(const System& system, const Motion<System>& begin, Real h, Motion<System>& end) {
        Sum group[Table::stages];
        Velocity rate[Table::stages];
        const auto momentum = system.momentum(begin.v);
        auto torque = system.torque(begin.q, begin.v, momentum);
        rate[0] = system.acceleration_by(torque);
        group[0] = Maps::rate_at_start(begin.q, begin.v);
        Real reach(0.0);
        MYRIAD_UNROLL for (int stage = 1; stage < Table::stages; ++stage) {
            const Real ha = Real(Table::a(stage, stage - 1)) * h;
            const Sum sum = first_sum(begin, Real(0.5) * ha, group[stage - 1]);
            const Velocity v = fma(ha, rate[stage - 1], begin.v);
            reach = maximum(Maps::reach(sum), reach);
            const auto q = Maps::stage(begin.q, sum);
            torque = system.torque(q, v, fma(ha, torque, momentum));
            rate[stage] = system.acceleration_by(torque);
            group[stage] = Maps::rate(q, sum, v);
        }
        Sum sum = first_sum(begin, Real(0.5 * Table::b(0)) * h, of_weight(group, 0));
        end.v = fma(Real(Table::b(0)) * h, of_weight(rate, 0), begin.v);
        MYRIAD_UNROLL for (int i = 1; i < Table::stages; ++i) {
            if (first_of_weight<Table>(i) != i) continue;
            sum = fma(Real(0.5 * Table::b(i)) * h, of_weight(group, i), sum);
            end.v = fma(Real(Table::b(i)) * h, of_weight(rate, i), end.v);
        }
        end.q = Maps::end(begin.q, sum);
        return maximum(Maps::reach(sum), reach);
    }

  private:
    static MYRIAD_HD Sum origin(const Motion<System>& begin) {
        if constexpr (Maps::has_origin)
            return Maps::origin(begin.q);
        else
            return Sum{};
    }
    static MYRIAD_HD Sum first_sum(const Motion<System>& begin, Real c, const Sum& rate) {
        if constexpr (Maps::has_origin)
            return fma(c, rate, Maps::origin(begin.q));
        else
            return c * rate;
    }
    // The sum over the stages that have the weight of stage `first`.
    template <class Vector>
    static MYRIAD_HD Vector of_weight(const Vector (&all)[Table::stages], int first) {
        Vector sum = all[first];
        MYRIAD_UNROLL for (int j = first + 1; j < Table::stages; ++j) if (first_of_weight<Table>(j) == first) sum =
            sum + all[j];
        return sum;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
