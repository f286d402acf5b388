// A mass on a nonlinear spring that swings about the origin in space without gravity, in spherical coordinates.
//
//   q = (r, theta, phi): distance (m), angle from the polar axis, angle about it (rad)
//   T = m (r'^2 + r^2 theta'^2 + r^2 sin^2(theta) phi'^2) / 2        M depends on q
//   V = EA e^2 / 2,   e = (r^2 - l^2) / (2 l^2)                      l: rest length; e: Green-Lagrange strain
//
//   load F cos(w t) at the mass, world                               not in the source; at mid-step
//
// Source: livens eqs. 110 to 112; values in the facts, D.2. Kept without a load: E = T + V and m r^2 sin^2(theta) phi'.
// Singular on the polar axis.
#pragma once
#include <memory>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// Parameters: mass_kg, axial_stiffness_N_m (EA, as the source writes V), rest_length_m, initial_length_m,
// initial_angle_rad[0..1] (theta, phi), initial_length_rate_m_s, initial_rate_rad_s[0..1], load_N[0..2] and
// load_rate_rad_s (0, and not for `acceleration`). Observables: coordinates,
// rates, energy, angular_momentum_z (about the polar axis); position, velocity, orientation, angular_velocity.
std::unique_ptr<System> spring_pendulum(const Parameters& parameters);

}  // namespace myriad::reference
