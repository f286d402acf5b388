// Dense systems of linear equations of the sizes that contact problems have: loops stay loops on a CPU, because the
// matrices are larger than those of small_solve.hpp.
//
//   SmallFactors                    M = L U without exchanges, once for many right-hand sides; safe where the symmetric
//                                   part of M is positive definite (as in small_solve.hpp)
//   solve_large_with_exchange(M, b) any regular M
// A zero pivot gives results that are not finite. Not handled: sparsity.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/math/small_solve.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class R>
class SmallFactors {
  public:
    using Real = R;

    MYRIAD_NOINLINE void factor(const SquareMatrix<N, Real>& matrix) {
        m_ = matrix;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < N; ++k) {
            reciprocal_[k] = Real(1.0) / m_.e[k][k];
            MYRIAD_UNROLL_PLAN for (int i = k + 1; i < N; ++i) {
                const Real l = m_.e[i][k] * reciprocal_[k];
                m_.e[i][k] = l;
                MYRIAD_UNROLL_PLAN for (int j = k + 1; j < N; ++j) m_.e[i][j] = fma(-l, m_.e[k][j], m_.e[i][j]);
            }
        }
    }
    MYRIAD_HD Vec<N, Real> solve(Vec<N, Real> b) const {
        MYRIAD_UNROLL_PLAN for (int i = 1; i < N; ++i) {
            MYRIAD_UNROLL_PLAN for (int k = 0; k < i; ++k) b[i] = fma(-m_.e[i][k], b[k], b[i]);
        }
        MYRIAD_UNROLL_PLAN for (int i = N - 1; i >= 0; --i) {
            MYRIAD_UNROLL_PLAN for (int k = i + 1; k < N; ++k) b[i] = fma(-m_.e[i][k], b[k], b[i]);
            b[i] = b[i] * reciprocal_[i];
        }
        return b;
    }

  private:
    SquareMatrix<N, Real> m_;
    Vec<N, Real> reciprocal_;
};

// Solves m x = b for any regular m, as solve_with_exchange of small_solve.hpp does, exchanging rows wherever that
// enlarges the pivot. m is used up. `size` says how large m is where there is room for more.
template <int N>
struct WholeSize {
    MYRIAD_HD constexpr int operator()() const { return N; }
};
template <int N, class Real, class Size = WholeSize<N>>
MYRIAD_NOINLINE Vec<N, Real> solve_large_with_exchange(SquareMatrix<N, Real>& m, Vec<N, Real> b, Size size = {}) {
    [[maybe_unused]] constexpr int rows_at_once = rows_at_once_of<Size>;
    MYRIAD_UNROLL_ROWS for (int k = 0; k < size(); ++k) {
        MYRIAD_UNROLL_ROWS for (int i = k + 1; i < size(); ++i) {
            const MaskOf<Real> exchange = absolute(m.e[k][k]) < absolute(m.e[i][k]);
            if (is_wanted(exchange)) {
                MYRIAD_UNROLL_ROWS for (int j = k; j < size(); ++j) {
                    const Real upper = m.e[k][j];
                    m.e[k][j] = select(exchange, m.e[i][j], upper), m.e[i][j] = select(exchange, upper, m.e[i][j]);
                }
                const Real upper = b[k];
                b[k] = select(exchange, b[i], upper), b[i] = select(exchange, upper, b[i]);
            }
            const Real l = m.e[i][k] / m.e[k][k];
            MYRIAD_UNROLL_ROWS for (int j = k + 1; j < size(); ++j) m.e[i][j] = fma(-l, m.e[k][j], m.e[i][j]);
            b[i] = fma(-l, b[k], b[i]);
        }
    }
    MYRIAD_UNROLL_ROWS for (int k = size() - 1; k >= 0; --k) {
        MYRIAD_UNROLL_ROWS for (int j = k + 1; j < size(); ++j) b[k] = fma(-m.e[k][j], b[j], b[k]);
        b[k] = b[k] / m.e[k][k];
    }
    return b;
}

}  // namespace myriad::inline MYRIAD_VARIANT
