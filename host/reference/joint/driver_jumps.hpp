// Jumps of the rates of drivers: where they are, and the impulse that takes the coordinates across one.
//
//   [M_ff G_f^T; G_f 0] (dv_f, L) = (-M_fp dv_p, -G v - phi_t),   p = J_p^T (M dV + B^T L)
//   work   p . (v_p^- + v_p^+)/2 + L . (phi_t^- + phi_t^+)/2
//
// A corner is where an argument, by intervals of times, comes to another branch; a rate jumps there where the functions
// of both branches have different ones. Not handled: two corners within a moment.
#pragma once
#include <optional>

#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

struct FoundJump {
    double before_s, time_s;  // the last time known to have the branches from before the jump, and the first behind it
    bool lies_before(double end_s) const;  // beyond round-off
};

// Which jumps of an acceleration count in a step: those that an adaptive method ends it at, or at its end.
enum class Bends { none, at_its_end, within };

// The first jump of a driver's rate, or acceleration, behind `begin_s`, up to `end_s`. Throws StepFailure
// (invalid_parameter) where a driver's value jumps, or where it has a corner that no branch names.
std::optional<FoundJump> first_jump(const MechanismModel& model, double begin_s, double end_s, Bends bends);

// Gives all functions the branches of the time before a jump within the step; without a jump the branches of their own
// time. Returns the jump.
std::optional<FoundJump> keep_branches(const MechanismModel& model, double begin_s, double end_s, Bends bends);

}  // namespace myriad::reference
