// One trial step of an integrator, taken across the jump of drivers' rates that lies in it.
//
// The step is that of a system whose functions of time keep the branches from before the jump; then its end, state and
// memory, is taken across: kernels/joint_coordinates/driver_jumps.hpp. Systems without such drivers pay nothing. Not
// handled: drivers of other systems than trees of joints, which the host refuses where their rates jump.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/mechanism/tape.hpp"
#include "kernels/run/left_limit.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class System, class Memory, class Left, class Real = typename System::Real>
MYRIAD_HD Attempt<Real> attempt_by(const System& system, const Schedule& schedule, const Progress<Real>& progress,
                                   const Motion<System>& begin, Motion<System>& end, const Memory& before,
                                   Memory& after, MaskOf<Real> active, [[maybe_unused]] Left& left) {
    if constexpr (meets_impacts<Integrator>)
        return Integrator::attempt(system, schedule, progress, begin, end, before, after, active, left);
    else
        return Integrator::attempt(system, schedule, progress, begin, end, before, after, active);
}

// As Integrator::attempt; the state just before a jump goes into `left`.
template <class Integrator, class System, class Memory, class Left, class Real = typename System::Real>
MYRIAD_HD Attempt<Real> attempt_of(const System& system, const Schedule& schedule, const Progress<Real>& progress,
                                   const Motion<System>& begin, Motion<System>& end, const Memory& before,
                                   Memory& after, MaskOf<Real> active, Left& left) {
    if constexpr (drivers_may_jump<System>) {
        constexpr bool has_contact = meets_impacts<Integrator>;
        constexpr bool chooses_steps = requires { before.step_s; };
        constexpr Bends bends = chooses_steps ? Bends::within : has_contact ? Bends::none : Bends::at_its_end;
        System until_jump = system;
        const bool has_corners = system.topology.corners() > 0;
        DriverJump<Real> jump;
        if (has_corners) {
            jump = first_jump(system, active, progress.time_s, latest_end(schedule, progress, before), bends);
            until_jump.corner.last_side_s = select(jump.jumps, jump.before_s, system.corner.last_side_s);
            until_jump.corner.stop_s = select(jump.jumps, jump.time_s, system.corner.stop_s);
        }
        Attempt<Real> attempt =
            attempt_by<Integrator>(until_jump, schedule, progress, begin, end, before, after, active, left);
        if (!has_corners) return attempt;
        attempt.reason = select(jump.breaks, Real(static_cast<double>(Reason::driver_breaks)), attempt.reason);
        const MaskOf<Real> is_within = (jump.jumps & attempt.accepted) & (jump.time_s <= attempt.time_s),
                           lanes = (is_within & active) & (attempt.reason <= Real(0.0));
        MYRIAD_WHEN(lanes) {
            if constexpr (Left::is_kept) {
                const Real moment = Real(moments_unseen) * (moment_after(attempt.time_s) - attempt.time_s);
                left.keep_side(lanes, jump.before_s, jump.time_s < attempt.time_s - moment);
            }
            Real refused(0.0);
            if constexpr (has_contact)
                refused = Integrator::take_jump(system, until_jump, schedule, lanes, end, after, left);
            else
                refused = take_jump(system, until_jump, lanes, attempt.time_s, end, after, left, attempt.weak_place);
            attempt.reason = select(lanes, refused, attempt.reason);
        }
        return attempt;
    } else {
        return attempt_by<Integrator>(system, schedule, progress, begin, end, before, after, active, left);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
