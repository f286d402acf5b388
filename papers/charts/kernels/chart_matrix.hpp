// Matrices of mechanisms on charts: the derivative of the equations of the tree along the unknowns of bodies.
//
//   of a step            z of a body: its position by c_q x, its rotation by c_q z_theta, dv = c_v x, dw = V z_theta,
//                        dw' = A z_theta with V and A of the chart (kernels/orientation/implicit_chart.hpp)
//   of accelerations     dv' = x, dw' = z_theta
//
// Sizes: kernels/joint_coordinates/exact_matrix.hpp. Not handled: sparsity.
#pragma once
#include "kernels/joint_coordinates/exact_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Slopes of the state of the tree by the unknowns of a step.
template <class System>
struct ChartSlopes {
    using Real = typename System::Real;
    using T = typename System::Topology;
    using D = Dual<Real>;
    const System& system;
    const typename System::Tree::Configuration& q;
    const typename System::Chart::Correction* corrections;  // of each body
    Real velocity, position;                                // c_v, c_q

    MYRIAD_HD void set(int freedom, Real size, JointConfiguration<D, T>& dual_q, TreeRates<D, T>& dual_v,
                       TreeRates<D, T>& dual_a) const {
        const T& topology = system.topology;
        const int l = topology.link_of_freedom(freedom), part = freedom - topology.link(l).freedom;
        if (part < 3) {
            dual_q[topology.field_of(freedom)].slope = size * position;
            dual_v[freedom].slope = size * velocity, dual_a[freedom].slope = size;
            return;
        }
        const auto& by = corrections[topology.body_of_link(l)];
        const int first = topology.link(l).freedom + 3;
        turn_orientation(q, topology.link(l).field + 3, (Real(0.5) * (size * position)) * unit_vector<Real>(part - 3),
                         dual_q);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            dual_v[first + i].slope = size * by.velocity.e[i][part - 3];
            dual_a[first + i].slope = size * by.acceleration.e[i][part - 3];
        }
    }
};

// Slopes by accelerations alone.
template <class System>
struct AccelerationSlopes {
    using Real = typename System::Real;
    using T = typename System::Topology;
    using D = Dual<Real>;
    MYRIAD_HD void set(int freedom, Real size, JointConfiguration<D, T>&, TreeRates<D, T>&,
                       TreeRates<D, T>& dual_a) const {
        dual_a[freedom].slope = size;
    }
};

// The dense matrix of a saddle point [H C; B 0] of bodies and rows, and its factors, without the exchange of pivots.
template <class System>
struct ChartMatrix : ExactMatrix<typename System::Real, typename System::Topology, typename System::Parameters> {
    using Real = typename System::Real;
    using Exact = ExactMatrix<Real, typename System::Topology, typename System::Parameters>;
    using Exact::at, Exact::entries, Exact::equations, Exact::freedoms, Exact::in_order, Exact::unknowns;
    using Exact::Exact;

    // H + C D B in place of H, with the right-hand sides of both: the solution stays, and a body without inertia about
    // an axis that rows hold has a pivot. D: the largest mass, of rows of angles times a squared length. To be called
    // before factor().
    MYRIAD_NOINLINE void add_rows(typename Exact::Scratch& s) {
        const auto& topology = equations.topology;
        const auto& p = equations.p;
        const Real length = p[length_scale_parameter];
        Real mass(0.0);
        for (int b = 0; b < topology.bodies(); ++b) mass = maximum(p[parameters_of_body(b) + body_mass], mass);
        for (int e = 0; e < topology.elements(); ++e) {
            const Element& element = topology.element(e);
            for (int k = 0; k < rows_of(element.kind) && !element.has_law; ++k) {
                if (element.row[k] < 0) continue;
                const int row = freedoms() + element.row[k];
                const Real weight = (row_entries(element.kind, k) & 7u) ? mass : mass * (length * length);
                for (int i = 0; i < freedoms(); ++i) {
                    const Real share = weight * at(i, row);
                    for (int j = 0; j < freedoms(); ++j) at(i, j) = fma(share, at(row, j), at(i, j));
                    s.solution[i] = fma(share, s.row_solution[element.row[k]], s.solution[i]);
                }
            }
        }
    }
    // Factors in place, shares of pivot rows below the diagonal. True: a pivot is lost.
    MYRIAD_NOINLINE MaskOf<Real> factor() {
        MaskOf<Real> lost = !true_mask<Real>();
        for (int step = 0; step < unknowns(); ++step) {
            const int k = in_order(step);
            Real size(0.0);
            for (int beside = step; beside < unknowns(); ++beside)
                size = maximum(absolute(at(k, in_order(beside))), size);
            lost = lost | !(weakest_pivot<Real>() * size < absolute(at(k, k)));
            const Real reciprocal = Real(1.0) / at(k, k);
            for (int below = step + 1; below < unknowns(); ++below) {
                const int i = in_order(below);
                const Real share = at(i, k) * reciprocal;
                at(i, k) = share;
                for (int beside = step + 1; beside < unknowns(); ++beside) {
                    const int j = in_order(beside);
                    at(i, j) = fma(-share, at(k, j), at(i, j));
                }
            }
        }
        return lost;
    }
    // s.solution and s.row_solution, the right-hand sides, become z and x.
    MYRIAD_NOINLINE void solve_by_factors(typename Exact::Scratch& s) {
        const int count = unknowns(), from = freedoms();
        const auto right = [&](int k) -> Real& { return k < from ? s.solution[k] : s.row_solution[k - from]; };
        for (int step = 0; step < count; ++step)
            for (int below = step + 1; below < count; ++below) {
                const int k = in_order(step), i = in_order(below);
                right(i) = fma(-at(i, k), right(k), right(i));
            }
        for (int step = count - 1; step >= 0; --step) {
            const int k = in_order(step);
            Real sum = right(k);
            for (int beside = step + 1; beside < count; ++beside)
                sum = fma(-at(k, in_order(beside)), right(in_order(beside)), sum);
            right(k) = sum / at(k, k);
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
