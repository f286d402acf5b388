// The equations of one correction in joint coordinates, and their solution along the tree.
//
//   H z + B^T x = f          z: of the freedoms, x: of the rows' multipliers, B: the rows' gradient
//   s B T z - e x = g        a constraint: s = 1, e = 0; a force element: s = c_q k + c_v d, e = 1
//
// T = T_exp(u) of orientations at the end of a step by local coordinates u, which z changes; else the identity.
// H has the pattern of the tree and is eliminated from its leaves (kernels/tree/elimination.hpp). The rows come last,
// by their Schur complement: with Y = H^-1 B^T,  (s B T Y + e) x = s B T H^-1 f - g,  z = H^-1 f - Y x. The complement
// of constraints is positive definite where H is and T near the identity, so nothing is exchanged. H is symmetric but
// for gyroscopic terms. Units: those of the freedoms and rows. R may be a complex number, with a complex H and s. Not
// handled: an H that is singular without the rows.
#pragma once
#include "kernels/joint_coordinates/topology.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/tree/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R, class T>
struct SaddlePoint {
    using Real = R;
    using Weak = PivotMeasure<Real>;
    TreeMatrix<Real, T> matrix;                          // H; its factors
    Real gradient[T::most_rows * T::most_freedoms];      // B, then B T, row by row, as long as the tree has freedoms
    Real deflection[T::most_rows * T::most_freedoms];    // Y^T
    Real complement[T::most_rows * T::most_rows];        // as long as there are rows; its factors
    Real scale[T::most_rows], compliance[T::most_rows];  // s, e

    MYRIAD_HD Real* gradient_of(int row) { return gradient + row * matrix.topology.freedoms(); }
    MYRIAD_HD const Real* gradient_of(int row) const { return gradient + row * matrix.topology.freedoms(); }

    // Calls `use` with the column and the value of each entry of H in a row.
    template <class Use>
    MYRIAD_HD void each_of_row(int row, Use use) const {
        const T& tree = matrix.topology;
        const bool symmetric = tree.is_symmetric();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < tree.freedoms(); ++i) {
            MYRIAD_UNROLL_PLAN for (int j = i; j >= 0; j = tree.freedom_parent(j)) {
                if (i == row) use(j, matrix.at(i, j));
                if (j == row && i != row) use(i, symmetric ? matrix.at(i, j) : matrix.upper[tree.entry(i, j)]);
            }
        }
    }
    // A prescribed coordinate: its unknown is nought.
    MYRIAD_HD void hold(int freedom) {
        const T& tree = matrix.topology;
        const Real zero(0.0);
        const bool symmetric = tree.is_symmetric();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < tree.freedoms(); ++i) {
            MYRIAD_UNROLL_PLAN for (int j = i; j >= 0; j = tree.freedom_parent(j)) {
                if (i != freedom && j != freedom) continue;
                const int place = tree.entry(i, j);
                matrix.lower[place] = Real(i == j ? 1.0 : 0.0);
                if (!symmetric) matrix.upper[place] = matrix.lower[place];
            }
        }
        MYRIAD_EACH(r, tree, rows) gradient_of(r)[freedom] = zero;
    }

    // Factors in place. Returns the place of the first weak pivot: a freedom, or behind all of them a row; -1: none is.
    MYRIAD_HD Weak factor() { return factor_rows(factor_columns()); }
    // The same at the end of a step by local coordinates u.
    MYRIAD_HD Weak factor_after(const TreeRates<Real, T>& increments) {
        const Weak weak = factor_columns();
        turn_gradient(increments);
        return factor_rows(weak);
    }
    // The two parts of this. Between them B may be replaced, so that its rows and its columns differ.
    MYRIAD_NOINLINE Weak factor_columns() {
        const T& tree = matrix.topology;
        const int rows = tree.rows(), freedoms = tree.freedoms();
        const Weak weak = tree.is_symmetric() ? factor_symmetric(matrix) : myriad::factor(matrix);
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
            Real* const column = deflection + r * freedoms;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms; ++i) column[i] = gradient_of(r)[i];
            solve_tree(column);
        }
        return weak;
    }
    MYRIAD_NOINLINE Weak factor_rows(Weak weak) {
        const T& tree = matrix.topology;
        const int rows = tree.rows(), freedoms = tree.freedoms();
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) MYRIAD_UNROLL_PLAN for (int c = 0; c < rows; ++c) {
            const Real product = along(gradient_of(r), deflection + c * freedoms);
            complement[r * rows + c] = r == c ? fma(scale[r], product, compliance[r]) : scale[r] * product;
        }
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows; ++k) {
            const Real size = absolute(fma(scale[k], along(gradient_of(k), deflection + k * freedoms), compliance[k]));
            const Real pivot = complement[k * rows + k];
            const auto is_sound = weakest_pivot<Weak>() * pivot_measure(size) < pivot_measure(absolute(pivot));
            weak = first_weak_pivot(freedoms + k, is_sound, weak);
            const Real reciprocal = Real(1.0) / pivot;
            complement[k * rows + k] = reciprocal;
            MYRIAD_UNROLL_PLAN for (int i = k + 1; i < rows; ++i) {
                const Real l = complement[i * rows + k] * reciprocal;
                complement[i * rows + k] = l;
                MYRIAD_UNROLL_PLAN for (int j = k + 1; j < rows; ++j) complement[i * rows + j] =
                    fma(-l, complement[k * rows + j], complement[i * rows + j]);
            }
        }
        return weak;
    }

    // f becomes z, g becomes x.
    MYRIAD_NOINLINE void solve(Real* f, Real* g) const {
        const T& tree = matrix.topology;
        const int rows = tree.rows(), freedoms = tree.freedoms();
        solve_tree(f);
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
            Real sum = fma(scale[r], along(gradient_of(r), f), -g[r]);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < r; ++k) sum = fma(-complement[r * rows + k], g[k], sum);
            g[r] = sum;
        }
        solve_upper(g);
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms; ++i) f[i] =
            fma(-deflection[r * freedoms + i], g[r], f[i]);
    }
    // How `row` is made of the constraints' gradients, in the metric of H: share C^-1 row, C being the complement.
    MYRIAD_HD void shares_of(const Real* row, Real* share) const {
        const int rows = matrix.topology.rows(), freedoms = matrix.topology.freedoms();
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
            Real sum = scale[r] * along(row, deflection + r * freedoms);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < r; ++k) sum = fma(-complement[r * rows + k], share[k], sum);
            share[r] = sum;
        }
        solve_upper(share);
    }
    MYRIAD_HD Real row_pivot(int row) const { return Real(1.0) / complement[row * matrix.topology.rows() + row]; }

  private:
    MYRIAD_HD void solve_upper(Real* g) const {
        const int rows = matrix.topology.rows();
        MYRIAD_UNROLL_PLAN for (int r = rows - 1; r >= 0; --r) {
            Real sum = g[r];
            MYRIAD_UNROLL_PLAN for (int k = r + 1; k < rows; ++k) sum = fma(-complement[r * rows + k], g[k], sum);
            g[r] = complement[r * rows + r] * sum;
        }
    }
    // B becomes B T.
    MYRIAD_HD void turn_gradient(const TreeRates<Real, T>& increments) {
        const T& tree = matrix.topology;
        MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
            const TreeLink& link = tree.link(l);
            if (link.turning != TreeTurning::any) continue;
            const int freedom = link.freedom + link.slides;
            const Vec<3, Real> half = Real(0.5) * increments.turning(freedom);
            MYRIAD_EACH(r, tree, rows) {
                Real* const row = gradient_of(r) + freedom;
                const Vec<3, Real> turned = tangent_transposed_of_twice(half, Vec<3, Real>{row[0], row[1], row[2]});
                MYRIAD_UNROLL for (int i = 0; i < 3; ++i) row[i] = turned[i];
            }
        }
    }
    MYRIAD_HD Real along(const Real* a, const Real* b) const {
        Real sum(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < matrix.topology.freedoms(); ++i) sum = fma(a[i], b[i], sum);
        return sum;
    }
    MYRIAD_HD void solve_tree(Real* x) const {
        if (matrix.topology.is_symmetric())
            solve_symmetric(matrix, x);
        else
            myriad::solve(matrix, x);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
