// The Puma 560 robot in its joint angles: six links in standard Denavit-Hartenberg frames under PD control.
//
//   M(q) q'' = torque(t, q, q') - h(q, q'),    torque_i = P_i (u_i - q_i) + D_i (u_i' - q_i')
//
// h is the recursive Newton-Euler algorithm in the frames of the links (Luh, Walker, Paul 1980) at q'' = 0, and a
// column of M the same at one unit acceleration without rates and gravity (Walker, Orin 1982, method 1). u: profile of
// constant acceleration 4 (goal - start)/T^2, then as much deceleration. Source: lgim sect. 4.4; facts A.4. Not
// handled: friction.
//
// The configuration's position holds the six angles and the time, its velocity their rates and 1; there is no
// orientation.
#pragma once
#include <memory>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// Parameters: for links 1..6 link_1.offset_m, .length_m, .twist_rad, .mass_kg, .centre_of_mass_m[0..2],
// .inertia_kg_m2.xx .yy .zz; joint_1.proportional_N_m_rad, .derivative_N_m_s_rad; initial_angle_rad[0..5],
// initial_rate_rad_s[0..5], goal_angle_rad[0..5], profile_duration_s, gravity_m_s2. All required.
// Observables: position, velocity (centres of mass, world), orientation, angular_velocity (link's frame), of the six
// links one after the other; joint_angle, joint_rate, joint_torque, tool_position, energy.
std::unique_ptr<System> puma560(const Parameters& parameters);

}  // namespace myriad::reference
