// The steadily precessing top of livens sect. 5.4: parameters of its Table 4 and the closed form of eqs. 118 and 120.
//
//   R(t) = Rz(Omega t) Rx(theta) Rz(sigma t),   x(t) = l (sin theta sin Omega t, -sin theta cos Omega t, cos theta)
//   sigma = m g l / (J3 Omega) + (J1 - J3) / J3 Omega cos theta
//
// theta: nutation angle; Omega: precession rate; sigma: spin rate; l: distance of the centre of mass from the tip; J1,
// J3: transverse and axial moment about the tip. Printed eq. 114 attaches m l^2 to the axial moment; with it on the
// transverse one eq. 118 gives the published spin rate.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace myriad::validation {

// A cone of density 2700 kg/m^3, height 0.1 m and radius 0.05 m.
constexpr double precessing_top_nutation_rad = std::numbers::pi / 3, precessing_top_precession_rad_s = 10.0;
constexpr double precessing_top_gravity_m_s2 = 9.81, precessing_top_arm_m = 0.075;
constexpr double precessing_top_mass_kg = 2700.0 * std::numbers::pi * 0.05 * 0.05 * 0.1 / 3.0;
// About every axis through the centre, as the height is twice the radius.
constexpr double precessing_top_inertia_kg_m2 = 0.3 * precessing_top_mass_kg * 0.05 * 0.05;

double precessing_top_spin_rad_s();
std::array<double, 3> precessing_top_position(double time_s);
// The parameters of the system heavy_top, as members of a study's "parameters".
std::string precessing_top_parameters();

}  // namespace myriad::validation
