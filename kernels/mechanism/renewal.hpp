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

// Leaves the functions of time in `scratch`.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real renew_mechanism(const System& system, const Schedule& schedule, typename System::Scratch& scratch,
                               Motion<System>& motion, MechanismMemory<System>& memory) {
    const Assembled<Real> closed = close_rows(system, memory.time_s, left_open(system, schedule), scratch, motion);
    memory.assembly_correction = memory.assembly_correction + closed.correction;
    const MaskOf<Real> lost =
        system.solve_acceleration(motion.q, motion.v, memory.time_s, scratch, memory.acceleration, memory.multipliers);
    const Real reason = reason_unless(!lost, Reason::matrix_singular, closed.reason);
    memory.power = system.power(motion.q, motion.v, memory.acceleration, memory.multipliers, scratch);
    return reason;
}

}  // namespace myriad::inline MYRIAD_VARIANT
