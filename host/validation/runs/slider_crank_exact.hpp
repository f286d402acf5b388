// The slider-crank without clearance and friction as one freedom: energy gives the crank's rate as a function of its
// angle, and a Runge-Kutta method of order 4 with small steps the angle as a function of time.
#pragma once
#include <cmath>
#include <map>
#include <string>

namespace myriad::validation {

struct SliderCrankExact {
    double l1 = 0.153, l2 = 0.306, m1 = 0.038, m2 = 0.038, m3 = 0.076, j1 = 7.4e-5, j2 = 5.9e-4, g = 9.81;
    double torque = 0.0, first_rate = 150.0;

    double rod_angle(double crank) const { return -std::asin(l1 / l2 * std::sin(crank)); }
    double rod_rate(double crank) const {  // per rate of the crank
        return -l1 * std::cos(crank) / (l2 * std::cos(rod_angle(crank)));
    }
    double potential(double crank) const {
        return g * (m1 * 0.5 * l1 * std::sin(crank) + m2 * 0.5 * l1 * std::sin(crank)) - torque * crank;
    }
    // Twice the kinetic energy per squared rate of the crank, from the velocities of the three middles.
    double inertia(double crank) const {
        const double rod = rod_angle(crank), r = rod_rate(crank);
        const double x = -l1 * std::sin(crank) - 0.5 * l2 * std::sin(rod) * r,
                     y = l1 * std::cos(crank) + 0.5 * l2 * std::cos(rod) * r,
                     slider = -l1 * std::sin(crank) - l2 * std::sin(rod) * r;
        return j1 + m1 * 0.25 * l1 * l1 + m2 * (x * x + y * y) + j2 * r * r + m3 * slider * slider;
    }
    double rate(double crank) const {
        const double energy = 0.5 * inertia(0.0) * first_rate * first_rate + potential(0.0);
        return std::sqrt(2.0 * (energy - potential(crank)) / inertia(crank));
    }
    // The force of the slot on the slider, upwards: the rod's equation of motion with A = m2/2 + m3, where the second
    // derivatives are differences over 2e-5 rad of the functions above.
    double slot_force(double crank) const {
        constexpr double d = 1e-5;
        const double w = rate(crank), rod = rod_angle(crank), turn = crank - rod, carried = 0.5 * m2 + m3;
        const double acceleration = w * (rate(crank + d) - rate(crank - d)) / (2.0 * d),
                     rod_acceleration = rod_rate(crank) * acceleration +
                                        w * w * (rod_rate(crank + d) - rod_rate(crank - d)) / (2.0 * d);
        const double inertia_forces = carried * l1 * l2 * (std::cos(turn) * acceleration - std::sin(turn) * w * w) +
                                      (j2 + (0.25 * m2 + m3) * l2 * l2) * rod_acceleration;
        return (inertia_forces + g * l2 * carried * std::cos(rod)) / (l2 * std::cos(rod));
    }
    // The angle a time `span_s` later.
    double advanced(double crank, double span_s, int steps) const {
        const double h = span_s / steps;
        for (int i = 0; i < steps; ++i) {
            const double k1 = rate(crank), k2 = rate(crank + 0.5 * h * k1), k3 = rate(crank + 0.5 * h * k2),
                         k4 = rate(crank + h * k3);
            crank += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        }
        return crank;
    }
};

}  // namespace myriad::validation
