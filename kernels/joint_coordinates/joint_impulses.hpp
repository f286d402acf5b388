// Impulses of joints in joint coordinates: those of rows are kept, those of the tree's joints follow from the jump of
// the rates.
//
//   M dv + B^T Z = W^T L      Z: of the rows, N s or N m s;  dv: of the coordinates
//
// They are those of an impact, or of all forces over a step where a scheme does not keep these apart. Not handled:
// which of redundant rows carries an impulse, which is the solver's choice.
#pragma once
#include "kernels/contact/equations.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct JointImpulses<System, SystemKind::joint_coordinates> {
    using Real = typename System::Real;
    typename System::MultiplierVector joint_impulse;
    typename System::Velocity jump;  // of the rates in the impact; zero without one
    // s: the time over which the impulses are those of all forces; 0: those of an impact, or none; below 0: those of an
    // impact before the state in which the forces were found.
    Real over_s;

    MYRIAD_HD void fit(typename System::Topology topology) { joint_impulse.fit(topology), jump.fit(topology); }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.joint_impulse...), visit_fields(visit, self.jump...);
        visit(self.over_s...);
    }
    MYRIAD_HD void clear() {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] = Real(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < jump.size(); ++i) jump[i] = Real(0.0);
        over_s = Real(0.0);
    }
    MYRIAD_HD void take(MaskOf<Real> lanes, const ContactEquations<System>& equations) {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] =
            select(lanes, equations.multiplier(r), joint_impulse[r]);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < jump.size(); ++i) jump[i] = select(lanes, equations.rate(i), jump[i]);
    }
    MYRIAD_HD void take_step(MaskOf<Real> lanes, Real h, const ContactEquations<System>& equations) {
        take(lanes, equations);
        over_s = select(lanes, h, Real(0.0));
    }
    // The impulses of one more impact.
    MYRIAD_HD void add_impact(MaskOf<Real> lanes, const ContactEquations<System>& equations) {
        MYRIAD_UNROLL_PLAN for (int r = 0; r < joint_impulse.size(); ++r) joint_impulse[r] =
            select(lanes, joint_impulse[r] + equations.multiplier(r), joint_impulse[r]);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < jump.size(); ++i) jump[i] =
            select(lanes, jump[i] + equations.rate(i), jump[i]);
    }
    // Those of a jump of drivers, which follows an impact.
    MYRIAD_HD void take_jump(MaskOf<Real> lanes, const ContactEquations<System>& equations) {
        add_impact(lanes, equations);
        over_s = select(lanes, Real(0.0), over_s);
    }
    // Lanes in which an impact or a jump of drivers has changed the rates since the forces were found.
    MYRIAD_HD MaskOf<Real> forces_are_old() const {
        MaskOf<Real> changed = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < jump.size(); ++i) changed = changed | !(jump[i] == Real(0.0));
        return changed & (over_s == Real(0.0));
    }
    // In `lanes` the forces are those of the rates of now, after any impact.
    MYRIAD_HD void forces_follow(MaskOf<Real> lanes) {
        over_s = select(lanes & (over_s == Real(0.0)), Real(-1.0), over_s);
    }
    // In `lanes` an impact comes after the forces.
    MYRIAD_HD void forces_precede(MaskOf<Real> lanes) { over_s = select(lanes, Real(0.0), over_s); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
