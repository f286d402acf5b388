// Shape functions of a straight planar beam along its length, 0 <= s <= 1, as integrals over products of them: finite
// elements of Euler and Bernoulli in a frame that moves with the beam.
//
//   axial displacement linear, transverse displacement cubic in each element              nonsmooth eqs. 108 to 110
//   coordinates: axial displacements of the nodes; then displacement and slope, node by node, without those that the
//   frame fixes. Displacements are parts of the beam's length, so that slopes are angles and no integral has a unit.
//   tangential frame: no displacement and no slope at s = 0                               nonsmooth eq. 184
//   pinned frame: no displacement at s = 0, no transverse displacement at s = 1           nonsmooth eq. 185
//
// The integrals are closed forms, computed at compile time. Not handled: shear, elements of different lengths.
#pragma once
#include "kernels/math/real.hpp"
#if !defined(__CUDACC_RTC__)
#include "kernels/systems/beam_coordinate.hpp"
#endif

namespace myriad::inline MYRIAD_VARIANT {

// The integrals that a beam's inertia and elasticity need for `A` axial functions and then `T` transverse ones. All
// functions vanish at s = 0. Products between functions of different kinds are in `coupling`.
template <int A, int T>
struct BeamTable {
    static constexpr int axial = A, transverse = T, count = A + T;
    double mean[count], first[count], end[count];  // integrals of f and s f; f(1)
    double product[count][count];                  // integrals of f_i f_j
    double elastic[count][count];                  // of f_i' f_j' for axial functions, f_i'' f_j'' for transverse ones
    double slope_product[T][T];                    // of f_i' f_j' for transverse ones
    double coupling[A][T];                         // of an axial times a transverse one
    double root_curvature[T];                      // f''(0)
};

enum class BeamFrame { tangential, pinned };

template <int n, BeamFrame frame>
struct BeamElements {
    static constexpr int axial = n, transverse = 2 * n;
    using Table = BeamTable<axial, transverse>;

    static MYRIAD_HD constexpr Table table() {
        Table t{};
        constexpr double h = 1.0 / n;
        constexpr double axial_mean[2] = {h / 2, h / 2}, axial_first[2] = {h / 6, h / 3};
        constexpr double axial_product[2][2] = {{h / 3, h / 6}, {h / 6, h / 3}};
        constexpr double axial_elastic[2][2] = {{1 / h, -1 / h}, {-1 / h, 1 / h}};
        constexpr double mean[4] = {h / 2, h * h / 12, h / 2, -h * h / 12};
        constexpr double first[4] = {3 * h / 20, h * h / 30, 7 * h / 20, -h * h / 20};  // of f x/h
        constexpr double product[4][4] = {
            {156 * h / 420, 22 * h * h / 420, 54 * h / 420, -13 * h * h / 420},
            {22 * h * h / 420, 4 * h * h * h / 420, 13 * h * h / 420, -3 * h * h * h / 420},
            {54 * h / 420, 13 * h * h / 420, 156 * h / 420, -22 * h * h / 420},
            {-13 * h * h / 420, -3 * h * h * h / 420, -22 * h * h / 420, 4 * h * h * h / 420}};
        constexpr double slopes[4][4] = {{36 / (30 * h), 3.0 / 30, -36 / (30 * h), 3.0 / 30},
                                         {3.0 / 30, 4 * h / 30, -3.0 / 30, -h / 30},
                                         {-36 / (30 * h), -3.0 / 30, 36 / (30 * h), -3.0 / 30},
                                         {3.0 / 30, -h / 30, -3.0 / 30, 4 * h / 30}};
        constexpr double elastic[4][4] = {{12 / (h * h * h), 6 / (h * h), -12 / (h * h * h), 6 / (h * h)},
                                          {6 / (h * h), 4 / h, -6 / (h * h), 2 / h},
                                          {-12 / (h * h * h), -6 / (h * h), 12 / (h * h * h), -6 / (h * h)},
                                          {6 / (h * h), 2 / h, -6 / (h * h), 4 / h}};
        constexpr double coupling[2][4] = {{7 * h / 20, h * h / 20, 3 * h / 20, -h * h / 30},
                                           {3 * h / 20, h * h / 30, 7 * h / 20, -h * h / 20}};
        constexpr double curvature[4] = {-6 / (h * h), -4 / h, 6 / (h * h), -2 / h};
        for (int e = 0; e < n; ++e) {
            const double begin = e * h;
            for (int i = 0; i < 2; ++i) {
                const int at = e + i - 1;
                if (at < 0) continue;
                t.mean[at] += axial_mean[i], t.first[at] += begin * axial_mean[i] + h * axial_first[i];
                for (int j = 0; j < 2; ++j) {
                    if (e + j < 1) continue;
                    t.product[at][e + j - 1] += axial_product[i][j], t.elastic[at][e + j - 1] += axial_elastic[i][j];
                }
                for (int j = 0; j < 4; ++j)
                    if (0 <= place(e, j)) t.coupling[at][place(e, j)] += coupling[i][j];
            }
            for (int i = 0; i < 4; ++i) {
                const int own = place(e, i), at = n + own;
                if (own < 0) continue;
                t.mean[at] += mean[i], t.first[at] += begin * mean[i] + h * first[i];
                if (e == 0) t.root_curvature[own] += curvature[i];
                for (int j = 0; j < 4; ++j) {
                    const int other = place(e, j);
                    if (other < 0) continue;
                    t.product[at][n + other] += product[i][j], t.elastic[at][n + other] += elastic[i][j];
                    t.slope_product[own][other] += slopes[i][j];
                }
            }
        }
        t.end[n - 1] = 1.0;
        if (frame == BeamFrame::tangential) t.end[n + place(n - 1, 2)] = 1.0;
        return t;
    }

#if !defined(__CUDACC_RTC__)
    static constexpr BeamCoordinate coordinate(int i) {
        if (i < axial) return {BeamCoordinateKind::axial_displacement, i + 1};
        for (int node = 0; node <= n; ++node)
            for (int kind = 0; kind < 2; ++kind)
                if (place(node == 0 ? 0 : node - 1, node == 0 ? kind : 2 + kind) == i - axial)
                    return {kind == 0 ? BeamCoordinateKind::transverse_displacement : BeamCoordinateKind::slope, node};
        return {};
    }
#endif

  private:
    // Where displacement (0) and slope (1) of the first node of element e, or of its second (2, 3), stand among the
    // transverse coordinates; negative: fixed by the frame.
    static MYRIAD_HD constexpr int place(int e, int local) {
        const int node = e + local / 2, kind = local % 2;
        if (frame == BeamFrame::tangential) return 2 * (node - 1) + kind;
        if (node == 0) return kind == 0 ? -1 : 0;
        if (node == n) return kind == 0 ? -1 : 2 * n - 1;
        return 2 * node - 1 + kind;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
