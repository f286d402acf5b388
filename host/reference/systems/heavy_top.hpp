// A rigid body with one point fixed at the world's origin, under uniform gravity.
//
//   J_O w' = c x R^T (m g) - w x J_O w        J_O = J + m (|c|^2 I - c c^T)
//   E = w . J_O w / 2 - m g . R c             L = R J_O w  (about the fixed point, world)
//
// w: angular velocity, body; c: centre of mass from the fixed point, body; g: gravity, world; J: inertia about the
// centre of mass, body axes. E and the component of L along g are kept; the other two components of L are not.
// Source: lgim sect. 4.1.1; parameters and values in the facts, A.1 and D.4. Not handled: friction, moving pivots.
#pragma once
#include <memory>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// Parameters: mass_kg, centre_of_mass_m[0..2] (body, from the fixed point), inertia_kg_m2.xx .yy .zz .xy .xz .yz (about
// the centre of mass), gravity_m_s2 (downwards, along -z), initial_rotation_vector_rad[0..2] (0; orientation = its
// exponential), initial_angular_velocity_rad_s[0..2] (body). Observables: position, velocity (of the centre of mass,
// world), orientation, angular_velocity (body), energy, angular_momentum (kg m^2/s), tilt (rad, between the centre of
// mass and the direction against gravity; of world z where there is no gravity).
std::unique_ptr<System> heavy_top(const Parameters& parameters);

}  // namespace myriad::reference
