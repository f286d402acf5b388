// Dense systems of linear equations of fixed small size, by elimination.
//
//   solve_symmetric(M, b)   M = L D L^T, of which the lower triangle is read; M symmetric and positive definite
//   solve(M, b)             M = L U; safe where the symmetric part of M is positive definite, as that of a mass matrix
//                           and small multiples of its damping and stiffness (Golub, Van Loan, sect. 4.3)
//   solve_with_exchange(M, b)   any regular M: the largest entry of a column comes to its pivot's row. Each lane
//                           exchanges for itself, by selects: row by row, the larger of two entries moves up
//
// A zero pivot gives results that are not finite. The first two handle no matrix that needs an exchange of rows.
#pragma once
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class Real>
struct SquareMatrix {
    Real e[N][N];
};

template <int N, class Real>
MYRIAD_HD Vec<N, Real> solve_symmetric(SquareMatrix<N, Real> m, Vec<N, Real> b) {
    Real reciprocal[N];
    MYRIAD_UNROLL for (int k = 0; k < N; ++k) {
        reciprocal[k] = Real(1.0) / m.e[k][k];
        MYRIAD_UNROLL for (int i = k + 1; i < N; ++i) {
            const Real l = m.e[i][k] * reciprocal[k];
            MYRIAD_UNROLL for (int j = k + 1; j <= i; ++j) m.e[i][j] = fma(-l, m.e[j][k], m.e[i][j]);
            b[i] = fma(-l, b[k], b[i]);
        }
    }
    MYRIAD_UNROLL for (int k = N - 1; k >= 0; --k) {
        MYRIAD_UNROLL for (int i = k + 1; i < N; ++i) b[k] = fma(-m.e[i][k], b[i], b[k]);
        b[k] = b[k] * reciprocal[k];
    }
    return b;
}

template <int N, class Real>
MYRIAD_HD Vec<N, Real> solve(SquareMatrix<N, Real> m, Vec<N, Real> b) {
    Real reciprocal[N];
    MYRIAD_UNROLL for (int k = 0; k < N; ++k) {
        reciprocal[k] = Real(1.0) / m.e[k][k];
        MYRIAD_UNROLL for (int i = k + 1; i < N; ++i) {
            const Real l = m.e[i][k] * reciprocal[k];
            MYRIAD_UNROLL for (int j = k + 1; j < N; ++j) m.e[i][j] = fma(-l, m.e[k][j], m.e[i][j]);
            b[i] = fma(-l, b[k], b[i]);
        }
    }
    MYRIAD_UNROLL for (int k = N - 1; k >= 0; --k) {
        MYRIAD_UNROLL for (int j = k + 1; j < N; ++j) b[k] = fma(-m.e[k][j], b[j], b[k]);
        b[k] = b[k] * reciprocal[k];
    }
    return b;
}

template <int N, class Real>
MYRIAD_HD Vec<N, Real> solve_with_exchange(SquareMatrix<N, Real> m, Vec<N, Real> b) {
    Real reciprocal[N];
    MYRIAD_UNROLL for (int k = 0; k < N; ++k) {
        MYRIAD_UNROLL for (int i = k + 1; i < N; ++i) {
            const MaskOf<Real> larger = absolute(m.e[k][k]) < absolute(m.e[i][k]);
            MYRIAD_UNROLL for (int j = k; j < N; ++j) {
                const Real up = m.e[i][j], down = m.e[k][j];
                m.e[k][j] = select(larger, up, down), m.e[i][j] = select(larger, down, up);
            }
            const Real up = b[i], down = b[k];
            b[k] = select(larger, up, down), b[i] = select(larger, down, up);
        }
        reciprocal[k] = Real(1.0) / m.e[k][k];
        MYRIAD_UNROLL for (int i = k + 1; i < N; ++i) {
            const Real l = m.e[i][k] * reciprocal[k];
            MYRIAD_UNROLL for (int j = k + 1; j < N; ++j) m.e[i][j] = fma(-l, m.e[k][j], m.e[i][j]);
            b[i] = fma(-l, b[k], b[i]);
        }
    }
    MYRIAD_UNROLL for (int k = N - 1; k >= 0; --k) {
        MYRIAD_UNROLL for (int j = k + 1; j < N; ++j) b[k] = fma(-m.e[k][j], b[j], b[k]);
        b[k] = b[k] * reciprocal[k];
    }
    return b;
}

}  // namespace myriad::inline MYRIAD_VARIANT
