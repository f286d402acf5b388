// Two masses in a line on nonlinear springs, in redundant coordinates.
//
//   q = (x1, q2, x2): elongation of spring 1, place where subsystem 2 begins, elongation of spring 2
//   T = m1 x1'^2 / 2 + m2 (q2' + x2')^2 / 2          M is constant and of rank 2
//   V = f (k1 (x1^2 + x1^4) + k2 (x2^2 + x2^4))      f: potential_factor
//   g = ((q2 - x1)^2 - (l + w)^2) / 2 = 0            l: rest length of spring 1, w: width of mass 1
//
// Source: livens eqs. 106 to 109; values in the facts, D.1. The paper prints f = 1/4, its code and its figures have
// f = 1/2. E = T + V is kept; the mass being constant, so is the generalized energy, which is the same.
#pragma once
#include <memory>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// Parameters: mass_kg[0..1], stiffness_N_m[0..1], rest_length_m[0..1], width_m, potential_factor,
// initial_elongation_m[0..1] (x1, x2), initial_rate_m_s[0..2] (x1, q2, x2; moved onto g' = 0). Observables:
// coordinates, rates, energy; position, velocity, orientation and angular_velocity of both masses, which lie on the
// world's x axis.
std::unique_ptr<System> mass_spring(const Parameters& parameters);

}  // namespace myriad::reference
