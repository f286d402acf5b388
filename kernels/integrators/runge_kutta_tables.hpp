// Tables of coefficients of explicit Runge-Kutta methods: a(i, j), b(i), and for embedded pairs the difference e(i) of
// the two rows of weights. They are written as fractions and read at compile time only, so that their zeros vanish.
//
//   Rk4     order 4, 4 stages     Kutta's classical method
//   Rk67    order 6, 7 stages     Butcher 1964, the member with sqrt(5): abscissae at the Lobatto points
//   Ode23   order 3(2), 4 stages  Bogacki, Shampine 1989
//   Dopri5  order 5(4), 7 stages  Dormand, Prince 1980
//
// The last stage of an embedded pair here is the first of the next step.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct Rk4 {
    static constexpr int stages = 4, order = 4;
    static constexpr const char* name = "rk4";
    static constexpr const char* summary = "explicit, 4 stages, fixed step";
    static MYRIAD_HD constexpr double a(int i, int j) { return i == j + 1 ? (i == 3 ? 1.0 : 0.5) : 0.0; }
    static MYRIAD_HD constexpr double b(int i) { return i == 0 || i == 3 ? 1.0 / 6 : 1.0 / 3; }
};

struct Rk67 {
    static constexpr int stages = 7, order = 6;
    static constexpr const char* name = "rk67";
    static constexpr const char* summary = "explicit, 7 stages, fixed step";
    static MYRIAD_HD constexpr double a(int i, int j) {
        constexpr double r = 2.23606797749978969640917366873;  // sqrt(5)
        constexpr double rows[7][6] = {{},
                                       {(5 - r) / 10},
                                       {-r / 10, (5 + 2 * r) / 10},
                                       {(-15 + 7 * r) / 20, (-1 + r) / 4, (15 - 7 * r) / 10},
                                       {(5 - r) / 60, 0, 1.0 / 6, (15 + 7 * r) / 60},
                                       {(5 + r) / 60, 0, (9 - 5 * r) / 12, 1.0 / 6, (-5 + 3 * r) / 10},
                                       {1.0 / 6, 0, (-55 + 25 * r) / 12, (-25 - 7 * r) / 12, 5 - 2 * r, (5 + r) / 2}};
        return rows[i][j];
    }
    static MYRIAD_HD constexpr double b(int i) {
        return i == 0 || i == 6 ? 1.0 / 12 : i == 4 || i == 5 ? 5.0 / 12 : 0.0;
    }
};

struct Ode23 {
    static constexpr int stages = 4, order = 3;
    static constexpr const char* name = "ode23";
    static constexpr const char* summary = "explicit, Bogacki-Shampine 3(2), own step control";
    static MYRIAD_HD constexpr double a(int i, int j) {
        constexpr double rows[4][3] = {{}, {1.0 / 2}, {0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
        return rows[i][j];
    }
    static MYRIAD_HD constexpr double b(int i) { return i < 3 ? a(3, i) : 0.0; }
    static MYRIAD_HD constexpr double e(int i) {
        constexpr double embedded[4] = {7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8};
        return b(i) - embedded[i];
    }
};

struct Dopri5 {
    static constexpr int stages = 7, order = 5;
    static constexpr const char* name = "dopri5";
    static constexpr const char* summary = "explicit, Dormand-Prince 5(4), own step control";
    static MYRIAD_HD constexpr double a(int i, int j) {
        constexpr double rows[7][6] = {{},
                                       {1.0 / 5},
                                       {3.0 / 40, 9.0 / 40},
                                       {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                       {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
        return rows[i][j];
    }
    static MYRIAD_HD constexpr double b(int i) { return i < 6 ? a(6, i) : 0.0; }
    static MYRIAD_HD constexpr double e(int i) {
        constexpr double embedded[7] = {5179.0 / 57600, 0,       7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
                                        187.0 / 2100,   1.0 / 40};
        return b(i) - embedded[i];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
