// A rigid body free in space under uniform gravity, on R^3 x SO(3).
//
//   x'' = g,   J w' = -w x J w          E = m |x'|^2 / 2 + w . J w / 2 - m g . x,   L = R J w (about the centre, world)
//
// x: centre of mass, world; w: angular velocity, body; J: inertia about the centre of mass, body axes. E and all of L
// are kept, there being no torque. Source: lgim eqs. 11 (the gyroscopic term with its sign: facts F), 18, 23; values in
// the facts, D.3. Not handled: applied forces and torques.
#pragma once
#include <memory>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// Parameters: mass_kg, inertia_kg_m2.xx .yy .zz .xy .xz .yz, gravity_m_s2[0..2] (0; world), initial_position_m[0..2]
// (0), initial_rotation_vector_rad[0..2] (0; orientation = its exponential), initial_velocity_m_s[0..2] (0; world),
// initial_angular_velocity_rad_s[0..2] (body).
// Observables: position, velocity (of the centre of mass, world), orientation, angular_velocity (body), energy,
// rotational_energy, angular_momentum (kg m^2/s).
std::unique_ptr<System> free_rigid_body(const Parameters& parameters);

}  // namespace myriad::reference
