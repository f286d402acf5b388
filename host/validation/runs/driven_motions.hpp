// The motions of the mechanisms whose drivers leave no freedom, in closed form: those of ensembles/mechanisms/ that the
// rA paper uses (rA paper sect. 4.2; four link and slider-crank after Haug 1989, ch. 10). World frame, SI units.
#pragma once
#include <array>
#include <string_view>

#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

// The multiplier of the mechanism's driver: "multiplier.motor.0".
const char* driver_multiplier(std::string_view mechanism);

// All bodies and the driver's multiplier. Every run of a driven mechanism observes these, so that on a GPU the runs by
// one method share their kernels.
Observed everything_of_driven(std::string_view mechanism, double every_s);

// The motion of a point, at a time.
struct PointMotion {
    std::array<double, 3> position_m, velocity_m_s, acceleration_m_s2;
};

// The rod's centre of mass: 2 (0, sin u, -cos u) with u = pi/4 cos(2 t).
PointMotion pendulum_rod(double time_s);
// The multiplier of the driver phi = (body y) . (-z) - f = -sin(angle) - f, from the rod's equation about the hinge:
// I u'' + m g 2 sin u + (d phi / d u) lambda = 0. In N m.
double pendulum_multiplier(double time_s);

// The centres of mass of coupler and rocker: the rocker's end is where its circle about D meets the coupler's sphere.
PointMotion four_link_coupler(double time_s);
PointMotion four_link_rocker(double time_s);

// The slider, and the middle of the rod: x^2 = l^2 - y^2 - z^2 with the crank's end at (0, y, z).
PointMotion slider_crank_slider(double time_s);
PointMotion slider_crank_rod(double time_s);

}  // namespace myriad::validation
