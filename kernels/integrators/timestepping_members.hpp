// Members of timestepping with implicit steps between impacts: generalized-alpha, Bathe's method, ED-alpha.
//
//   nonsmooth_generalized_alpha   as in implicit.hpp, by the spectral radius, or with free alpha_m and alpha_f (HHT:
//                                 alpha_m = 0); gamma = 1/2 - alpha_m + alpha_f, beta = (1 - alpha_m + alpha_f)^2 / 4
//                                                                                        nonsmooth eqs. 20 to 26
//   nonsmooth_bathe               v_1/2 = v + h/4 (a + a_1/2), q_1/2 = q + h/4 (v + v_1/2), then
//                                 v+ = (q - 4 q_1/2 + 3 q+)/h, a+ = (v - 4 v_1/2 + 3 v+)/h       eqs. 56 to 62
//   nonsmooth_ed_alpha            v_j = v + h r (alpha (a_j - a) - a+ + a), v+ = v + h/2 (a_j + a+), q_j and q+ by the
//                                 same rule from v_j and v+; alpha = (1 - rho)/(1 + rho), r = alpha_AR   eqs. 77 to 84
//
// The unknowns are the accelerations, as in contact/stages.hpp, which needs none of eq. 90 (misprinted in c7 and c14).
// In each a contact counts as closed or open for the whole step, by its gap at the beginning.
#pragma once
#include "kernels/integrators/timestepping.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct NonsmoothGeneralizedAlpha {
    static constexpr const char* name = "nonsmooth_generalized_alpha";
    static constexpr const char* summary = "contact and impact on generalized-alpha";
    static constexpr MethodOrders orders = {2, 2};
    static constexpr MethodTraits traits{
        .implicit = true, .contact = true, .spectral_radius = true, .free_alphas = true};
    static constexpr bool impacts_apart = true, on_acceleration = false;

    template <class Real>
    static MYRIAD_HD ImplicitWeights<Real> weights(const Schedule& schedule) {
        if (schedule.free_alphas == 0.0) return GeneralizedAlpha::weights<Real>(schedule);
        const Real one(1.0), half(0.5), alpha_m(schedule.alpha_m), alpha_f(schedule.alpha_f);
        const Real gamma = half + (alpha_f - alpha_m), root = gamma + half, beta = Real(0.25) * (root * root);
        const Real scale = one / (one - alpha_m);
        return {half - beta, beta, one - gamma, gamma, (one - alpha_f) * scale, alpha_f * scale, -(alpha_m * scale)};
    }

    template <class System>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        step_on<System, on_acceleration>(step);
    }
    template <class System, bool acceleration_level, class Real = typename System::Real>
    static MYRIAD_HD void step_on(ContactStep<System>& step) {
        const ImplicitWeights<Real> w = weights<Real>(step.schedule);
        const Real h = step.h, square_h = h * h;
        ContactStages<System, 1> stage;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) {
            const Real old = step.before.algorithmic[i], v = step.begin.v[i];
            const Real known = fma(w.rate_old, step.before.acceleration[i], w.algorithmic_old * old);
            stage.fixed_velocity[0][i] = fma(h, fma(w.velocity_old, old, w.velocity_new * known), v);
            stage.fixed_increment[0][i] = fma(square_h, fma(w.position_old, old, w.position_new * known), h * v);
        }
        stage.acceleration[0] = step.before.acceleration;
        stage.by_velocity[0][0] = h * (w.velocity_new * w.rate_new);
        stage.by_increment[0][0] = square_h * (w.position_new * w.rate_new);
        stage.time_s[0] = step.begin_s + h, stage.weight[0] = Real(1.0);
        stage.force[0] = step.guessed_force();
        stage.solve(step.system, step.begin.q, h, step.masks, ContactSettings::of(step.schedule), step.active,
                    step.effort, acceleration_level);
        step.note(stage);
        step.end.q = step.system.settle(step.system.retract(step.begin.q, stage.increment[0]));
        step.end.v = stage.velocity[0];
        step.after.acceleration = stage.acceleration[0], step.after.force = stage.force[0];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) step.after.algorithmic[i] =
            fma(w.rate_new, stage.acceleration[0][i],
                fma(w.rate_old, step.before.acceleration[i], w.algorithmic_old * step.before.algorithmic[i]));
    }
};

// Bilateral contacts of constant direction held on acceleration level, for comparison (nonsmooth figs. 17, 18).
struct GeneralizedAlphaOnAcceleration : NonsmoothGeneralizedAlpha {
    template <class System>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        NonsmoothGeneralizedAlpha::step_on<System, true>(step);
    }
};

struct NonsmoothBathe {
    static constexpr const char* name = "nonsmooth_bathe";
    static constexpr const char* summary = "contact and impact on Bathe's method; annihilates high frequencies";
    static constexpr MethodOrders orders = {2, 2};
    static constexpr MethodTraits traits{.implicit = true, .contact = true};
    static constexpr bool impacts_apart = true;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        const ContactSettings settings = ContactSettings::of(step.schedule);
        const Real h = step.h, quarter = Real(0.25) * h, third = Real(1.0 / 3.0), third_h = h * third;
        ContactStages<System, 1> half, whole;
        half.fixed_velocity[0] = fma(quarter, step.before.acceleration, step.begin.v);
        half.fixed_increment[0] = quarter * (step.begin.v + half.fixed_velocity[0]);
        half.acceleration[0] = step.before.acceleration;
        half.by_velocity[0][0] = quarter, half.by_increment[0][0] = quarter * quarter;
        half.time_s[0] = fma(Real(0.5), h, step.begin_s), half.weight[0] = Real(1.0);
        half.force[0] = step.guessed_force();
        half.solve(step.system, step.begin.q, h, step.masks, settings, step.active, step.effort);
        step.note(half);

        const Real four(4.0);
        whole.fixed_velocity[0] = third * (four * half.velocity[0] - step.begin.v);
        whole.fixed_increment[0] = fma(third_h, whole.fixed_velocity[0], (four * third) * half.increment[0]);
        whole.acceleration[0] = half.acceleration[0];
        whole.by_velocity[0][0] = third_h, whole.by_increment[0][0] = third_h * third_h;
        whole.time_s[0] = step.begin_s + h, whole.weight[0] = Real(1.0);
        whole.force[0] = half.force[0];
        whole.solve(step.system, step.begin.q, h, step.masks, settings, step.active, step.effort);
        step.note(whole);
        step.end.q = step.system.settle(step.system.retract(step.begin.q, whole.increment[0]));
        step.end.v = whole.velocity[0];
        step.after.acceleration = step.after.algorithmic = whole.acceleration[0], step.after.force = whole.force[0];
    }
};

struct NonsmoothEdAlpha {
    static constexpr const char* name = "nonsmooth_ed_alpha";
    static constexpr const char* summary =
        "contact and impact on ED-alpha (order 3 for linear systems); damps by its spectral radius";
    static constexpr MethodOrders orders = {2, 1};
    static constexpr MethodTraits traits{
        .implicit = true, .contact = true, .spectral_radius = true, .ed_alpha_ratio = true};
    static constexpr bool impacts_apart = true;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void step(ContactStep<System>& step) {
        constexpr int last = 0, jump = 1;  // the end of the step first: its pivots are those of a mass matrix
        const Real h = step.h, half_h = Real(0.5) * h, one(1.0);
        const Real radius(step.schedule.spectral_radius), alpha = (one - radius) / (one + radius);
        const Real ratio(step.schedule.ed_alpha_ratio), ratio_h = ratio * h, rest = one - alpha;
        ContactStages<System, 2> stages;
        auto& v = stages.fixed_velocity;
        auto& x = stages.fixed_increment;
        v[last] = step.begin.v;
        v[jump] = fma(ratio_h * rest, step.before.acceleration, step.begin.v);
        x[last] = half_h * (v[last] + v[jump]);
        x[jump] = ratio_h * fma(alpha, v[jump], fma(rest, step.begin.v, -v[last]));
        stages.by_velocity[last][last] = stages.by_velocity[last][jump] = half_h;
        stages.by_velocity[jump][last] = -ratio_h, stages.by_velocity[jump][jump] = alpha * ratio_h;
        MYRIAD_UNROLL for (int t = 0; t < 2; ++t) {
            const Real of_last = stages.by_velocity[last][t], of_jump = stages.by_velocity[jump][t];
            stages.by_increment[last][t] = half_h * (of_last + of_jump);
            stages.by_increment[jump][t] = ratio_h * fma(alpha, of_jump, -of_last);
            stages.acceleration[t] = step.before.acceleration;
        }
        stages.time_s[last] = step.begin_s + h, stages.time_s[jump] = step.begin_s;
        // G then is a skew-symmetric matrix plus a diagonal one, each times a Delassus matrix.
        stages.weight[last] = one, stages.weight[jump] = Real(0.5) / ratio;
        stages.force[last] = stages.force[jump] = step.guessed_force();
        stages.solve(step.system, step.begin.q, h, step.masks, ContactSettings::of(step.schedule), step.active,
                     step.effort);
        step.note(stages);
        step.end.q = step.system.settle(step.system.retract(step.begin.q, stages.increment[last]));
        step.end.v = stages.velocity[last];
        step.after.acceleration = step.after.algorithmic = stages.acceleration[last];
        step.after.force = stages.force[last];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
