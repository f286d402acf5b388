// The energy that damping within a system takes: a part of the memory of timestepping, empty without damping.
//
// A system has damping if it has `damping_work(begin, end)`, J: the energy that its damping takes between two motions.
// It is the mean of the damping forces at both times the way between them. Where a vibration dies away within a step,
// as after an impact, the way is short and so is the work; the power at the beginning times the step would be many
// times as much. A step ends with the velocities before its impact. Not handled: dampers of mechanisms, whose work
// mechanism/memory.hpp counts.
#pragma once
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
constexpr bool has_damping = requires(const System& system, const Motion<System>& motion) {
    system.damping_work(motion, motion);
};

template <class System, bool = has_damping<System>>
struct DampingRecord {
    using Real = typename System::Real;

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&&, Self&...) {}
    MYRIAD_HD void add_damping(const System&, const Motion<System>&, const Motion<System>&) {}
    MYRIAD_HD Real with_losses(Real energy_J) const { return energy_J; }
};
template <class System>
struct DampingRecord<System, true> {
    using Real = typename System::Real;
    Real damping_loss_J;  // so far

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit(self.damping_loss_J...);
    }
    MYRIAD_HD void add_damping(const System& system, const Motion<System>& begin, const Motion<System>& end) {
        damping_loss_J = damping_loss_J + system.damping_work(begin, end);
    }
    MYRIAD_HD Real with_losses(Real energy_J) const { return energy_J + damping_loss_J; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
