// Impulses of joints in body coordinates, N s or N m s, one of each row: of the impact at the end of a step, or of all
// forces over the step where a scheme does not keep these apart. Not handled: which of redundant rows carries an
// impulse, which is the solver's choice.
#pragma once
#include "kernels/contact/equations.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct JointImpulses<System, SystemKind::body_coordinates> {
    using Real = typename System::Real;
    typename System::MultiplierVector joint_impulse;  // N s or N m s, of the rows; zero without an impact

    MYRIAD_HD void fit(typename System::Topology topology) { joint_impulse.fit(topology); }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.joint_impulse...);
    }
    MYRIAD_HD void clear() {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] = Real(0.0);
    }
    MYRIAD_HD void forces_follow(MaskOf<Real>) const {}
    // Those of the solution, in `lanes`: of an impact, or of all forces over a whole step.
    MYRIAD_HD void take(MaskOf<Real> lanes, const ContactEquations<System>& equations) {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] =
            select(lanes, equations.multiplier(r), joint_impulse[r]);
    }
    MYRIAD_HD void add_impact(MaskOf<Real> lanes, const ContactEquations<System>& equations) {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] =
            select(lanes, joint_impulse[r] + equations.multiplier(r), joint_impulse[r]);
    }
    MYRIAD_HD void take_step(MaskOf<Real> lanes, Real, const ContactEquations<System>& equations) {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] =
            select(lanes, equations.multiplier(r), Real(0.0));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
