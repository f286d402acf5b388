// A heavy top in unit quaternions, as one writes it by hand: rk4 on quaternion and angular velocity.
//
//   J w' = X x R^T (-m g e3) - w x J w    w: body frame, rad/s;  J: about the fixed point;  q' = q (0, w) / 2
//
// The quaternion goes back to length 1 by one Newton step after each step. Source: lgim sect. 4.1.1, the classical
// method on quaternions. Not handled: steps of a rotation so large that one Newton step does not suffice.
#pragma once
#include "bench/by_hand/launch.hpp"

namespace myriad::by_hand {

struct HeavyTop {
    static constexpr int parameters = 15;  // J, J^-1: xx, yy, zz, xy, xz, yz, kg m^2; m g X, N m
    static constexpr int fields = 7;       // quaternion w, x, y, z; angular velocity

    const double* p;
    BY_HAND explicit HeavyTop(const double* given) : p(given) {}

    static BY_HAND void multiply(const double* j, double x, double y, double z, double* product) {
        product[0] = j[0] * x + j[3] * y + j[4] * z;
        product[1] = j[3] * x + j[1] * y + j[5] * z;
        product[2] = j[4] * x + j[5] * y + j[2] * z;
    }
    BY_HAND void rate(const double* s, double* rate) const {
        const double w = s[0], x = s[1], y = s[2], z = s[3], a = s[4], b = s[5], c = s[6];
        rate[0] = -0.5 * (x * a + y * b + z * c), rate[1] = 0.5 * (w * a + y * c - z * b);
        rate[2] = 0.5 * (w * b + z * a - x * c), rate[3] = 0.5 * (w * c + x * b - y * a);
        const double up[3] = {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)};
        const double* const weight = p + 12;
        double l[3];
        multiply(p, a, b, c, l);
        multiply(p + 6, up[1] * weight[2] - up[2] * weight[1] - (b * l[2] - c * l[1]),
                 up[2] * weight[0] - up[0] * weight[2] - (c * l[0] - a * l[2]),
                 up[0] * weight[1] - up[1] * weight[0] - (a * l[1] - b * l[0]), rate + 4);
    }
    BY_HAND void step(double (&s)[fields], double h) const {
        runge_kutta_step(*this, s, h);
        const double scale = 1.5 - 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
        for (int k = 0; k < 4; ++k) s[k] *= scale;
    }
};

}  // namespace myriad::by_hand
