// The spatial slider-crank of the IFToMM library, as one writes it by hand: rk4 on its only freedom, the crank's angle
// t from up, turning towards -y.
//
//   M t'' = -M_t t'^2 / 2 - V_t                       a subscript t: the derivative by the angle
//   M = Jc + L^2 (mr/4 + Jt/l^2) + x_t^2 (ms + mr/4 + Jt/l^2) + Jx (f_t x/l)^2;  V = g L cos t (mc + mr)/2
//   B = (0, py - L sin t, pz + L cos t);  x = sqrt(l^2 - B.B);  x_t = -B.B_t / x
//
// L, l: crank and rod, m; Jc: crank about its pivot; Jx, Jt: rod along and across; f: angle of the universal joint's
// cross in the y-z plane. The rod's y axis (0, Bz, -By) / |B| stays across the slider's line: its spin about itself is
// f_t x/l. Source: kinetic energy of ensembles/mechanisms/slider_crank_iftomm.json. Not handled: B = 0, |B| = l.
#pragma once
#include "bench/by_hand/launch.hpp"

namespace myriad::by_hand {

struct SpatialSliderCrank {
    static constexpr int parameters = 8;  // L, l, py, pz; constant part of M; factor of x_t^2, kg; Jx; g L (mc + mr)/2
    static constexpr int fields = 2;      // t, t'

    double crank, rod, pivot_y, pivot_z, constant, sliding, axial, weight;
    BY_HAND explicit SpatialSliderCrank(const double* p)
        : crank(p[0]),
          rod(p[1]),
          pivot_y(p[2]),
          pivot_z(p[3]),
          constant(p[4]),
          sliding(p[5]),
          axial(p[6]),
          weight(p[7]) {}

    BY_HAND double slider_position(double angle) const {
        const SineCosine turn = sine_and_cosine(angle);
        const double y = pivot_y - crank * turn.sine, z = pivot_z + crank * turn.cosine;
        return root(rod * rod - y * y - z * z);
    }
    BY_HAND void rate(const double* s, double* rate) const {
        const SineCosine turn = sine_and_cosine(s[0]);
        const double ls = crank * turn.sine, lc = crank * turn.cosine;
        const double y = pivot_y - ls, z = pivot_z + lc;  // of B; B_t = (0, -lc, -ls), B_tt = (0, ls, -lc)
        const double square = y * y + z * z, x = root(rod * rod - square), inverse_x = 1.0 / x;
        const double along = -y * lc - z * ls, along_t = crank * crank + y * ls - z * lc;  // B.B_t
        const double x_t = -along * inverse_x, x_tt = -(along_t + x_t * x_t) * inverse_x;
        const double cross = lc * z - ls * y, cross_t = -y * lc - ls * z;  // By Bz_t - By_t Bz
        const double inverse_square = 1.0 / square, f_t = cross * inverse_square,
                     f_tt = (cross_t - 2.0 * along * f_t) * inverse_square, inverse_rod = 1.0 / rod;
        const double spin = f_t * x * inverse_rod, spin_t = (f_tt * x + f_t * x_t) * inverse_rod;
        const double mass = constant + sliding * x_t * x_t + axial * spin * spin;
        const double half_mass_t = sliding * x_t * x_tt + axial * spin * spin_t;
        rate[0] = s[1], rate[1] = (weight * turn.sine - half_mass_t * s[1] * s[1]) / mass;
    }
    BY_HAND void step(double (&s)[fields], double h) const { runge_kutta_step(*this, s, h); }
};

}  // namespace myriad::by_hand
