// What damping within a system dissipates: a part of the memory of timestepping, empty for systems without it.
//
// A system has damping if it has `dissipation(q, v)`, the power in W that its own forces take from its energy. The
// power is summed by the trapezoidal rule over each step, from the velocities after the impact at its beginning to
// those before the impact at its end. Units SI. Not handled: dampers of mechanisms, whose work
// mechanism_timestepping.hpp counts.
#pragma once
#include "kernels/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
constexpr bool has_damping = requires(const System& system, const typename System::Configuration& q,
                                      const typename System::Velocity& v) {
    system.dissipation(q, v);
};

template <class System, bool = has_damping<System>>
struct DampingRecord {
    using Real = typename System::Real;

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&&, Self&...) {}
    MYRIAD_HD void start_power(const System&, const Motion<System>&) {}
    MYRIAD_HD void add_step(const System&, const Motion<System>&, Real) {}
    MYRIAD_HD Real with_losses(Real energy_J) const { return energy_J; }
};
template <class System>
struct DampingRecord<System, true> {
    using Real = typename System::Real;
    Real damping_loss_J, damping_power_W;  // so far; at the end of the step

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit(self.damping_loss_J...), visit(self.damping_power_W...);
    }
    // Where a step begins: at the start of a run, and after an impact.
    MYRIAD_HD void start_power(const System& system, const Motion<System>& now) {
        damping_power_W = system.dissipation(now.q, now.v);
    }
    MYRIAD_HD void add_step(const System& system, const Motion<System>& end, Real step_s) {
        const Real power = system.dissipation(end.q, end.v);
        damping_loss_J = fma(Real(0.5) * step_s, damping_power_W + power, damping_loss_J);
        damping_power_W = power;
    }
    MYRIAD_HD Real with_losses(Real energy_J) const { return energy_J + damping_loss_J; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
