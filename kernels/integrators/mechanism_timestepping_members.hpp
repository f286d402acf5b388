// Members of mechanism_timestepping.hpp: those of timestepping_members.hpp for bodies with joints.
//
//   nonsmooth_generalized_alpha   as in implicit.hpp, by the spectral radius, or with free alpha_m and alpha_f (HHT)
//   nonsmooth_bathe               both half steps solved one after the other, each with joints and contacts; between
//                                 them q counts in local coordinates about the last pose
//
// Source: nonsmooth eqs. 20 to 26, 56 to 62; lgim alg. 4, 5 for the joints. Not handled: ED-alpha, whose two stages are
// coupled, so that the factors of one step's matrix do not serve it.
#pragma once
#include "kernels/integrators/mechanism_timestepping.hpp"
#include "kernels/integrators/timestepping_members.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct MechanismGeneralizedAlpha {
    static constexpr const char* name = NonsmoothGeneralizedAlpha::name;
    static constexpr const char* type_name = "MechanismTimestepping<MechanismGeneralizedAlpha>";
    static constexpr const char* summary = NonsmoothGeneralizedAlpha::summary;
    static constexpr bool impacts_apart = true;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        const ImplicitWeights<Real> w = NonsmoothGeneralizedAlpha::weights<Real>(step.schedule);
        const Real h = step.h, square_h = h * h;
        const auto& before = step.before;
        step.by_velocity = h * (w.velocity_new * w.rate_new);
        step.by_increment = square_h * (w.position_new * w.rate_new);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            const Real old = before.algorithmic[i], v = step.begin.v[i];
            const Real known = fma(w.rate_old, before.acceleration[i], w.algorithmic_old * old);
            step.fixed_velocity[i] = fma(h, fma(w.velocity_old, old, w.velocity_new * known), v);
            step.fixed_increment[i] = fma(square_h, fma(w.position_old, old, w.position_new * known), h * v);
        }
        step.solve_stage(step.time_s);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) step.after.algorithmic[i] =
            fma(w.rate_new, step.after.acceleration[i],
                fma(w.rate_old, before.acceleration[i], w.algorithmic_old * before.algorithmic[i]));
    }
};

struct MechanismBathe {
    static constexpr const char* name = NonsmoothBathe::name;
    static constexpr const char* type_name = "MechanismTimestepping<MechanismBathe>";
    static constexpr const char* summary = NonsmoothBathe::summary;
    static constexpr bool impacts_apart = true;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        const Real h = step.h, quarter = Real(0.25) * h, third(1.0 / 3.0), third_h = h * third, four(4.0);
        step.by_velocity = quarter, step.by_increment = quarter * quarter;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            step.fixed_velocity[i] = fma(quarter, step.before.acceleration[i], step.begin.v[i]);
            step.fixed_increment[i] = quarter * (step.begin.v[i] + step.fixed_velocity[i]);
        }
        step.solve_stage(step.time_s - Real(0.5) * h);
        step.by_velocity = third_h, step.by_increment = third_h * third_h;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            step.fixed_velocity[i] = third * (four * step.end.v[i] - step.begin.v[i]);
            step.fixed_increment[i] = fma(third_h, step.fixed_velocity[i], (four * third) * step.increment[i]);
        }
        step.solve_stage(step.time_s);
        copy_rates(step.system, step.after.acceleration, step.after.algorithmic);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
