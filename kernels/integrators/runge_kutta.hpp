// Explicit Runge-Kutta-Munthe-Kaas methods with a fixed step, from a table of coefficients.
//
//   u_i = h sum_j a_ij K_j,  v_i = v + h sum_j a_ij A_j,  q_i = retract(q, u_i)
//   A_i = acceleration(q_i, v_i),  K_i = local_rate(q, u_i, v_i)                  lgim algorithm 3, eqs. 24, 25
//   q+  = retract(q, h sum_i b_i K_i),  v+ = v + h sum_i b_i A_i
//
// On a chart or a vector space retract is + and the method is the classical one (lgim algorithm 2). A step that turns a
// body by more than the exponential's series allows is refused, not approximated.
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/integrators/runge_kutta_tables.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Of |u / 2|^2, as System::reach gives it.
constexpr double largest_reach = largest_step_rotation_rad * largest_step_rotation_rad / 4;

// The stages of one step, for every lane: fills K_i and A_i, given A_0 = acceleration(q, v), and returns the largest
// reach of any u_i. `stages` may leave out the last ones, which a caller does not need.
template <class Table, class System, class Real = typename System::Real>
MYRIAD_HD Real runge_kutta_stages(const System& system, const Motion<System>& begin, Real h,
                                  typename System::Velocity (&group)[Table::stages],
                                  typename System::Velocity (&rate)[Table::stages]) {
    Real reach(0.0);
    group[0] = begin.v;
    MYRIAD_UNROLL for (int stage = 1; stage < Table::stages; ++stage) {
        typename System::Velocity u{}, v = begin.v;
        MYRIAD_UNROLL for (int j = 0; j < stage; ++j) {
            if (Table::a(stage, j) == 0.0) continue;
            const Real ha = Real(Table::a(stage, j)) * h;
            u = fma(ha, group[j], u), v = fma(ha, rate[j], v);
        }
        reach = maximum(System::reach(u), reach);
        rate[stage] = system.acceleration(System::retract(begin.q, u), v);
        group[stage] = System::local_rate(begin.q, u, v);
    }
    return reach;
}

// The end of the step by the weights of the table; returns the reach of its u.
template <class Table, class System, class Real = typename System::Real>
MYRIAD_HD Real runge_kutta_end(const Motion<System>& begin, Real h,
                               const typename System::Velocity (&group)[Table::stages],
                               const typename System::Velocity (&rate)[Table::stages], Motion<System>& end) {
    typename System::Velocity u{};
    end.v = begin.v;
    MYRIAD_UNROLL for (int j = 0; j < Table::stages; ++j) {
        if (Table::b(j) == 0.0) continue;
        const Real hb = Real(Table::b(j)) * h;
        u = fma(hb, group[j], u), end.v = fma(hb, rate[j], end.v);
    }
    end.q = System::settle(System::retract(begin.q, u));
    return System::reach(u);
}

template <class Table>
struct RungeKutta {
    static constexpr bool adaptive = false;
    static constexpr const char* name = Table::name;
    static constexpr const char* type_name = Table::type_name;
    static constexpr const char* summary = Table::summary;
    template <class System>
    using Memory = NoMemory<System>;

    template <class System>
    static MYRIAD_HD typename System::Real initialize(const System&, const Schedule&, Motion<System>&,
                                                      Memory<System>&) {
        return typename System::Real(0.0);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>&, Memory<System>&,
                                           MaskOf<Real>) {
        const MaskOf<Real> whole = progress.steps < Real(schedule.full_steps);
        const Real h = select(whole, Real(schedule.step_s), Real(schedule.last_step_s));
        typename System::Velocity group[Table::stages], rate[Table::stages];
        rate[0] = system.acceleration(begin.q, begin.v);
        const Real stage_reach = runge_kutta_stages<Table>(system, begin, h, group, rate);
        const Real reach = maximum(runge_kutta_end<Table>(begin, h, group, rate, end), stage_reach);
        const Real steps = progress.steps + Real(1.0);
        Attempt<Real> attempt;
        attempt.accepted = true_mask<Real>();
        attempt.time_s = select(whole, steps * Real(schedule.step_s), Real(schedule.end_s));
        attempt.finished = Real(schedule.total_steps) <= steps;
        attempt.row_due = steps == (progress.rows * Real(schedule.observe_steps));
        attempt.reason =
            select(reach <= Real(largest_reach), Real(0.0), Real(static_cast<double>(Reason::rotation_beyond_series)));
        return attempt;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
