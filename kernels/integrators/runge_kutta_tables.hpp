// Tables of coefficients of explicit Runge-Kutta methods: a(i, j), b(i), and for embedded pairs the difference e(i) of
// the two sets of weights. Each is a fraction written out, so that the compiler drops its zeros.
//
//   Rk4    the classical method, order 4
//   Ode23  Bogacki, Shampine 1989, order 3(2), 4 stages, the last equal to the first of the next step
//   Dopri5 Dormand, Prince 1980, order 5(4), 7 stages, the last equal to the first of the next step
#pragma once
#include "kernels/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct Rk4 {
    static constexpr int stages = 4, order = 4;
    static MYRIAD_HD constexpr double a(int i, int j) { return i == j + 1 ? (i == 3 ? 1.0 : 0.5) : 0.0; }
    static MYRIAD_HD constexpr double b(int i) { return i == 0 || i == 3 ? 1.0 / 6 : 1.0 / 3; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
