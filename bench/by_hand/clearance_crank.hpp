// A slider-crank whose slider has clearance in its slot, as one writes it by hand: Moreau's midpoint rule on the angles
// of crank, rod and slider, the two corners of a wall as a pair whose normal impulses have a closed form.
//
//   q_m = q + h/2 v;  M(q_m) (v+ - v) = h f(q_m, v) + W P;  q+ = q_m + h/2 v+
//   0 <= P_N, u_N+ + e u_N >= 0, their product 0;  |P_T| <= mu P_N against u_T+   where the gap at q_m is not positive
//
// Sweeps over the walls and then over the friction of each corner end where no impulse changes by more than 1e-12 N s.
// SI units. Equations: kernels/systems/slider_crank_clearance.hpp. Not handled: restitution along the walls, a slot
// without clearance, sweeps that do not end.
#pragma once
#include "bench/by_hand/launch.hpp"

namespace myriad::by_hand {

struct ClearanceCrank {
    // l1, l2; half length and half height of the slider, clearance, m; M11, M22, J3, K, kg m^2; weights of crank and
    // rod, N m; friction, restitution
    static constexpr int parameters = 13;
    static constexpr int fields = 6;  // angles, rates
    static constexpr int most_sweeps = 200;
    static constexpr double smallest_change_N_s = 1e-12;

    const double* p;
    BY_HAND explicit ClearanceCrank(const double* given) : p(given) {}

    struct Row {
        double w[3], y[3];  // direction; what an impulse of 1 does to the rates
        double impulse;
    };
    static BY_HAND Row row_along(double first, double second, double third, double i11, double i12, double i22,
                                 double i33) {
        return {{first, second, third}, {i11 * first + i12 * second, i12 * first + i22 * second, i33 * third}, 0.0};
    }
    static BY_HAND double along(const double* w, const double* v) { return w[0] * v[0] + w[1] * v[1] + w[2] * v[2]; }
    static BY_HAND double changed(Row& row, double impulse, double* v) {
        const double change = impulse - row.impulse;
        row.impulse = impulse;
        for (int k = 0; k < 3; ++k) v[k] += row.y[k] * change;
        return magnitude(change);
    }

    // The normal impulses of two corners from their coupling g: both, the first, the second or none.
    static BY_HAND double settle_pair(Row& a, Row& b, bool a_closed, bool b_closed, double a_bounce, double b_bounce,
                                      double* v) {
        const double g_aa = along(a.w, a.y), g_ab = along(a.w, b.y), g_bb = along(b.w, b.y);
        const double u_a = along(a.w, v) + a_bounce - (g_aa * a.impulse + g_ab * b.impulse),
                     u_b = along(b.w, v) + b_bounce - (g_ab * a.impulse + g_bb * b.impulse);
        double first = a_closed ? larger(0.0, -u_a / g_aa) : 0.0, second = b_closed ? larger(0.0, -u_b / g_bb) : 0.0;
        if (a_closed && b_closed) {
            const double scale = 1.0 / (g_aa * g_bb - g_ab * g_ab);
            const double both_a = scale * (g_ab * u_b - g_bb * u_a), both_b = scale * (g_ab * u_a - g_aa * u_b);
            if (both_a >= 0.0 && both_b >= 0.0)
                first = both_a, second = both_b;
            else if (u_b + g_ab * first >= 0.0)
                second = 0.0;
            else
                first = 0.0;
        }
        return larger(changed(a, first, v), changed(b, second, v));
    }

    BY_HAND void step(double (&s)[fields], double h) const {
        const double half = 0.5 * h;
        const double q[3] = {s[0] + half * s[3], s[1] + half * s[4], s[2] + half * s[5]};
        const SineCosine crank = sine_and_cosine(q[0]), rod = sine_and_cosine(q[1]), slider = sine_and_cosine(q[2]);
        const double cosine = crank.cosine * rod.cosine + crank.sine * rod.sine,
                     sine = crank.sine * rod.cosine - crank.cosine * rod.sine;
        const double m11 = p[5], m22 = p[6], m12 = p[8] * cosine, swing = p[8] * sine;
        const double scale = 1.0 / (m11 * m22 - m12 * m12), i11 = scale * m22, i12 = -scale * m12, i22 = scale * m11,
                     i33 = 1.0 / p[7];
        const double f1 = -swing * s[4] * s[4] - p[9] * crank.cosine, f2 = swing * s[3] * s[3] - p[10] * rod.cosine;
        double v[3] = {s[3] + h * (i11 * f1 + i12 * f2), s[4] + h * (i12 * f1 + i22 * f2), s[5]};

        const double height = p[0] * crank.sine + p[1] * rod.sine, wall = p[3] + p[4];
        const double a_s = p[2] * slider.sine, a_c = p[2] * slider.cosine, b_s = p[3] * slider.sine,
                     b_c = p[3] * slider.cosine;
        // Corners of the lower wall, then of the upper one; x, y from the slider's centre.
        const double x[4] = {-a_c + b_s, a_c + b_s, -a_c - b_s, a_c - b_s},
                     y[4] = {-a_s - b_c, a_s - b_c, -a_s + b_c, a_s + b_c};
        bool closed[4];
        for (int k = 0; k < 4; ++k) closed[k] = wall + (k < 2 ? 1.0 : -1.0) * (height + y[k]) <= 0.0;
        if (closed[0] || closed[1] || closed[2] || closed[3]) {
            Row normal[4], tangent[4];
            double bounce[4], effective_mass[4];
            for (int k = 0; k < 4; ++k) {
                const double side = k < 2 ? 1.0 : -1.0;
                normal[k] =
                    row_along(side * p[0] * crank.cosine, side * p[1] * rod.cosine, side * x[k], i11, i12, i22, i33);
                tangent[k] = row_along(-p[0] * crank.sine, -p[1] * rod.sine, -y[k], i11, i12, i22, i33);
                bounce[k] = p[12] * along(normal[k].w, s + 3);
                effective_mass[k] = 1.0 / along(tangent[k].w, tangent[k].y);
            }
            for (int sweep = 0; sweep < most_sweeps; ++sweep) {
                double change = 0.0;
                for (int k = 0; k < 4; k += 2)
                    change = larger(change, settle_pair(normal[k], normal[k + 1], closed[k], closed[k + 1], bounce[k],
                                                        bounce[k + 1], v));
                for (int k = 0; k < 4; ++k) {
                    if (!closed[k]) continue;
                    const double limit = p[11] * normal[k].impulse;
                    const double wanted = tangent[k].impulse - effective_mass[k] * along(tangent[k].w, v);
                    change = larger(change, changed(tangent[k],
                                                    wanted > limit    ? limit
                                                    : wanted < -limit ? -limit
                                                                      : wanted,
                                                    v));
                }
                if (!(change > smallest_change_N_s)) break;
            }
        }
        for (int k = 0; k < 3; ++k) s[k] = q[k] + half * v[k], s[3 + k] = v[k];
    }
};

}  // namespace myriad::by_hand
