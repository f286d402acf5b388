// A mechanism whose parameters have changed between two steps: what its memory holds of its state under the present
// ones.
//
//   M a + B^T lambda = f,   B a = -bias          at the time of the state; a and lambda are the state's own then
//
// Positions and velocities stay. Where the new parameters open a row, the pose is put onto its rows by the least change
// in the norm of the masses, and the velocities onto their rates, as at the start (assembly.hpp); in joint coordinates
// bodies hang on their joints anyhow, and driven coordinates take their functions' values. SI units. Not handled: rows
// that are open in their rates alone, which the next step meets.
#pragma once
#include "kernels/mechanism/memory.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Rows that are open by less were left so by assembly or by Newton's method, m or rad.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real left_open(const System& system, const Schedule& schedule) {
    return maximum(assembled_tolerance<Real>(), Real(schedule.newton_tolerance)) *
           maximum(Real(1.0), system.parameter(length_scale_parameter));
}

// Puts a state with a row that is open beyond `tolerance` onto its rows at time_s; says how far, or why it cannot.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Assembled<Real> close_rows(const System& system, Real time_s, Real tolerance,
                                           typename System::Scratch& scratch, Motion<System>& motion) {
    auto& work = scratch.work;
    system.functions_at(time_s, scratch.functions);
    system.place(motion.q, motion.v, work.bodies);
    const Real open =
        largest_residual(system, work, scratch.functions, motion.q.turned, Level::position, false).largest;
    if (!any(!(open <= tolerance))) return {Real(0.0), Real(0.0)};
    typename System::Velocity acceleration;
    typename System::MultiplierVector multipliers;
    acceleration.fit(system.topology), multipliers.fit(system.topology);
    return assemble_at(system, time_s, false, scratch, motion.q, motion.v, acceleration, multipliers);
}

// Leaves the functions of time in `scratch`.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real renew_mechanism(const System& system, const Schedule& schedule, typename System::Scratch& scratch,
                               Motion<System>& motion, MechanismMemory<System>& memory) {
    const Assembled<Real> closed = close_rows(system, memory.time_s, left_open(system, schedule), scratch, motion);
    memory.assembly_correction = memory.assembly_correction + closed.correction;
    Real reason = closed.reason;
    if constexpr (has_tree<System>) {
        const MaskOf<Real> lost = system.solve_acceleration(motion.q, motion.v, memory.time_s, scratch,
                                                            memory.acceleration, memory.multipliers);
        reason = reason_unless(!lost, Reason::matrix_singular, reason);
    } else {
        system.acceleration(motion.q, motion.v, memory.time_s, scratch, memory.acceleration, memory.multipliers);
    }
    memory.power = system.power(motion.q, motion.v, memory.acceleration, memory.multipliers, scratch);
    return reason;
}

}  // namespace myriad::inline MYRIAD_VARIANT
