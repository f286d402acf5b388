// ED-alpha: a member of timestepping.hpp.
//
//   v_j = v + h r (alpha (a_j - a) - a+ + a),   v+ = v + h/2 (a_j + a+),   q_j and q+ by the same rule from v_j and v+
//   alpha = (1 - rho)/(1 + rho),  r = alpha_AR                                            nonsmooth eqs. 77 to 84
//
// Joints are held on velocity level at both stages, as the paper holds contacts, and q+ is put back on them. The
// position of the jump is only h^2 a r away from that of the beginning; it would determine the velocity badly. Stages:
// stage_pair.hpp, whose matrix asks for r above 1/8 where rho may be 1. Order 2; reactions and contact forces
// of order 1. The unknowns are accelerations, which needs none of eq. 90 (misprinted in c7 and c14). Not handled:
// contact that is lost within a step.
#pragma once
#include "kernels/integrators/contact/stage_pair.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct NonsmoothEdAlpha {
    static constexpr const char* name = "nonsmooth_ed_alpha";
    static constexpr const char* summary =
        "contact and impact on ED-alpha (order 3 for linear systems); damps by its spectral radius";
    static constexpr MethodOrders orders = {2, 1};
    static constexpr MethodTraits traits{
        .implicit = true, .contact = true, .spectral_radius = true, .ed_alpha_ratio = true};
    static constexpr bool impacts_apart = true;
    static constexpr int coupled_stages = 2;

    template <class Step, class Real = typename Step::Real>
    static MYRIAD_HD void step(Step& step) {
        using Stages = StagePair<typename Step::System>;
        constexpr int last = Stages::last, jump = Stages::jump;
        const auto& topology = contact_topology(step.system);
        const Real h = step.h, half(0.5), one(1.0), radius(step.schedule.spectral_radius),
                   alpha = (one - radius) / (one + radius), ratio(step.schedule.ed_alpha_ratio), rest = one - alpha;
        Stages stages(step);
        auto& a = stages.coefficient;
        a[last][last] = a[last][jump] = half, a[jump][last] = -ratio, a[jump][jump] = alpha * ratio;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) {
            const Real v = step.begin.v[i], old = step.before.acceleration[i], v_jump = fma(ratio * h * rest, old, v);
            stages.fixed_velocity[last][i] = v, stages.fixed_velocity[jump][i] = v_jump;
            stages.fixed_increment[last][i] = half * h * (v + v_jump);
            stages.fixed_increment[jump][i] = ratio * h * fma(alpha, v_jump, fma(rest, v, -v));
            stages.acceleration[last][i] = stages.acceleration[jump][i] = old;
        }
        MYRIAD_EACH(r, topology, rows)
            stages.multipliers[last][r] = stages.multipliers[jump][r] = step.before.multipliers[r];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < step.after.force.size(); ++i) stages.force[last][i] =
            stages.force[jump][i] = step.after.force[i];
        stages.time_s[last] = step.time_s, stages.time_s[jump] = step.time_s - h;
        // G then is a skew-symmetric matrix plus a diagonal one, each times a Delassus matrix.
        stages.weight[last] = one, stages.weight[jump] = half / ratio;
        stages.solve();

        step.put_on_joints();
        copy_rates(step.system, stages.velocity[last], step.end.v);
        copy_rates(step.system, stages.acceleration[last], step.after.acceleration);
        copy_rates(step.system, stages.acceleration[last], step.after.algorithmic);
        MYRIAD_EACH(r, topology, rows) step.after.multipliers[r] = stages.multipliers[last][r];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < step.after.force.size(); ++i) step.after.force[i] =
            stages.force[last][i];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
