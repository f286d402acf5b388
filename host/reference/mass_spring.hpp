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

#include "host/reference/system.hpp"

namespace myriad::reference {

// Parameters: mass_1_kg, mass_2_kg, stiffness_1_n_m, stiffness_2_n_m, rest_length_1_m, width_m, potential_factor,
// initial_coordinates_m[0..2], initial_rates_m_s[0..2]. Observables: coordinates, rates, energy.
std::unique_ptr<System> mass_spring(const Parameters& parameters);

}  // namespace myriad::reference
