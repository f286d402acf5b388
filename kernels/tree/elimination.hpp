// Matrices over the freedoms of a tree and their elimination from the leaves to the root, which fills nothing in.
//
//   symmetric     M = L^T D L, of which the lower triangle is read
//   any           M = U L with the same pattern, where gyroscopic terms or dampers make M unsymmetric
//
// for k from the last freedom to the first, i and j among the ancestors of k:  m(i, j) -= m(i, k) m(k, j) / m(k, k)
//
// without exchanges: safe where the symmetric part of M is positive definite (Golub, Van Loan, sect. 4.3), and for
// M + a D + a^2 K with such parts and a complex a, Re a > 0: the pivots stay in the sector of 1, a and a^2. Source:
// Featherstone 2008, sect. 6.5. The order of operations is that of the freedoms. Not handled: exchanges of rows.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/tree/configuration.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R, class T>
struct SymmetricTreeMatrix {
    using Real = R;
    T topology;
    Real lower[T::most_entries];  // (row, column) with the column at or above the row; reciprocal pivots once factored

    MYRIAD_HD Real& at(int row, int ancestor) { return lower[topology.entry(row, ancestor)]; }
    MYRIAD_HD const Real& at(int row, int ancestor) const { return lower[topology.entry(row, ancestor)]; }
};
template <class R, class T>
struct TreeMatrix : SymmetricTreeMatrix<R, T> {
    R upper[T::most_entries];  // (column, row) of the same pair
};

// A pivot below this share of its diagonal entry has lost nearly all its digits.
template <class Real>
MYRIAD_HD Real weakest_pivot() {
    return constant<Real>(1e-13, 1e-5);
}

// The answer of an elimination: the place of the first pivot that was weak or NaN, of freedoms counted from the leaves;
// -1: none was.
template <class Real>
MYRIAD_HD Real first_weak_pivot(int place, MaskOf<Real> is_sound, Real so_far) {
    return select((so_far < Real(0.0)) & !is_sound, Real(static_cast<double>(place)), so_far);
}
// What a pivot is compared by: a Real itself, a complex number's size (kernels/mechanism/complex.hpp).
template <class Real>
MYRIAD_HD Real pivot_measure(Real x) {
    return x;
}
template <class Number>
using PivotMeasure = decltype(pivot_measure(Number(0.0)));
template <class Real>
MYRIAD_HD Real weak_freedom(int freedom, Real pivot, Real diagonal, Real so_far) {
    return first_weak_pivot(freedom, (weakest_pivot<Real>() * diagonal < pivot) & (Real(0.0) < pivot), so_far);
}

// Of a symmetric matrix a pivot that is not positive is weak.
template <class Real, class T>
MYRIAD_NOINLINE PivotMeasure<Real> factor_symmetric(SymmetricTreeMatrix<Real, T>& m) {
    const T tree = m.topology;
    Real diagonal[T::most_freedoms];
    PivotMeasure<Real> weak(-1.0);
    MYRIAD_UNROLL_PLAN for (int k = 0; k < tree.freedoms(); ++k) diagonal[k] = m.at(k, k);
    MYRIAD_UNROLL_PLAN for (int k = tree.freedoms() - 1; k >= 0; --k) {
        weak = weak_freedom(k, pivot_measure(m.at(k, k)), pivot_measure(diagonal[k]), weak);
        const Real reciprocal = Real(1.0) / m.at(k, k);
        m.at(k, k) = reciprocal;
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) {
            const Real l = reciprocal * m.at(k, i);
            MYRIAD_UNROLL_PLAN for (int j = i; j >= 0; j = tree.freedom_parent(j)) m.at(i, j) =
                fma(-l, m.at(k, j), m.at(i, j));
            m.at(k, i) = l;
        }
    }
    return weak;
}
// x becomes M^-1 x.
template <class Real, class T>
MYRIAD_NOINLINE void solve_symmetric(const SymmetricTreeMatrix<Real, T>& m, Real* x) {
    const T tree = m.topology;
    MYRIAD_UNROLL_PLAN for (int k = tree.freedoms() - 1; k >= 0; --k) {
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) x[i] =
            fma(-m.at(k, i), x[k], x[i]);
    }
    MYRIAD_UNROLL_PLAN for (int k = 0; k < tree.freedoms(); ++k) {
        Real sum = x[k] * m.at(k, k);
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) sum =
            fma(-m.at(k, i), x[i], sum);
        x[k] = sum;
    }
}

// The upper triangle of a symmetric matrix, before unsymmetric terms are added.
template <class Real, class T>
MYRIAD_NOINLINE void mirror(TreeMatrix<Real, T>& m) {
    MYRIAD_UNROLL_PLAN for (int i = 0; i < m.topology.entries(); ++i) m.upper[i] = m.lower[i];
}
template <class Real, class T>
MYRIAD_NOINLINE PivotMeasure<Real> factor(TreeMatrix<Real, T>& m) {
    const T tree = m.topology;
    Real diagonal[T::most_freedoms];
    PivotMeasure<Real> weak(-1.0);
    MYRIAD_UNROLL_PLAN for (int k = 0; k < tree.freedoms(); ++k) diagonal[k] = m.at(k, k);
    MYRIAD_UNROLL_PLAN for (int k = tree.freedoms() - 1; k >= 0; --k) {
        const Real pivot = absolute(m.at(k, k)), of_matrix = absolute(diagonal[k]);
        weak = weak_freedom(k, pivot_measure(pivot), pivot_measure(of_matrix), weak);
        const Real reciprocal = Real(1.0) / m.at(k, k);
        m.at(k, k) = reciprocal;
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) {
            const Real up = reciprocal * m.upper[tree.entry(k, i)], low = reciprocal * m.at(k, i);
            m.at(i, i) = fma(-up, m.at(k, i), m.at(i, i));
            MYRIAD_UNROLL_PLAN for (int j = tree.freedom_parent(i); j >= 0; j = tree.freedom_parent(j)) {
                const int place = tree.entry(i, j);
                m.lower[place] = fma(-up, m.at(k, j), m.lower[place]);
                m.upper[place] = fma(-low, m.upper[tree.entry(k, j)], m.upper[place]);
            }
            m.upper[tree.entry(k, i)] = up;
            m.at(k, i) = low;
        }
    }
    return weak;
}
template <class Real, class T>
MYRIAD_NOINLINE void solve(const TreeMatrix<Real, T>& m, Real* x) {
    const T tree = m.topology;
    MYRIAD_UNROLL_PLAN for (int k = tree.freedoms() - 1; k >= 0; --k) {
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) x[i] =
            fma(-m.upper[tree.entry(k, i)], x[k], x[i]);
    }
    MYRIAD_UNROLL_PLAN for (int k = 0; k < tree.freedoms(); ++k) {
        Real sum = x[k] * m.at(k, k);
        MYRIAD_UNROLL_PLAN for (int i = tree.freedom_parent(k); i >= 0; i = tree.freedom_parent(i)) sum =
            fma(-m.at(k, i), x[i], sum);
        x[k] = sum;
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
