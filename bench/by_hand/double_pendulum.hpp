// Two rods on hinges with parallel axes, as one writes them by hand: rk4 on the angles a1, a2 of the rods from level.
//
//   [M1, K cos D; K cos D, M2] a'' = (-K sin D a2'^2 - g l1 (m1/2 + m2) cos a1, K sin D a1'^2 - g l2 m2/2 cos a2)
//   D = a1 - a2;  K = m2 l1 l2 / 2;  M1 = J1 + (m1/4 + m2) l1^2;  M2 = J2 + m2 l2^2 / 4;  J: about the rod's middle
//
// SI units. Source: Lagrange's equations of two rods. Not handled: anything but weight.
#pragma once
#include "bench/by_hand/launch.hpp"

namespace myriad::by_hand {

struct DoublePendulum {
    static constexpr int parameters = 5;  // M1, M2, K, kg m^2; g l1 (m1/2 + m2), g l2 m2/2, N m
    static constexpr int fields = 4;      // a1, a2, their rates

    double upper_inertia, lower_inertia, coupling, upper_weight, lower_weight;
    BY_HAND explicit DoublePendulum(const double* p)
        : upper_inertia(p[0]), lower_inertia(p[1]), coupling(p[2]), upper_weight(p[3]), lower_weight(p[4]) {}

    BY_HAND void rate(const double* s, double* rate) const {
        const SineCosine upper = sine_and_cosine(s[0]), lower = sine_and_cosine(s[1]);
        const double cosine = upper.cosine * lower.cosine + upper.sine * lower.sine,
                     sine = upper.sine * lower.cosine - upper.cosine * lower.sine;
        const double between = coupling * cosine, swing = coupling * sine;
        const double first = -swing * s[3] * s[3] - upper_weight * upper.cosine,
                     second = swing * s[2] * s[2] - lower_weight * lower.cosine;
        const double scale = 1.0 / (upper_inertia * lower_inertia - between * between);
        rate[0] = s[2], rate[1] = s[3];
        rate[2] = scale * (lower_inertia * first - between * second);
        rate[3] = scale * (upper_inertia * second - between * first);
    }
    BY_HAND void step(double (&s)[fields], double h) const { runge_kutta_step(*this, s, h); }
};

}  // namespace myriad::by_hand
