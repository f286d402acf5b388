// A dense matrix of fixed small size, factored once and solved with many right-hand sides: M = L U without exchanges.
//
// Safe where the symmetric part of M is positive definite (as in small_solve.hpp). A zero pivot gives results that are
// not finite. Loops stay loops on a CPU: the matrices of two coupled stages are larger than those of small_solve.hpp.
// Not handled: matrices that need an exchange of rows.
#pragma once
#include "kernels/small_solve.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class R>
class SmallFactors {
  public:
    using Real = R;

    MYRIAD_ROOM void factor(const SquareMatrix<N, Real>& matrix) {
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

}  // namespace myriad::inline MYRIAD_VARIANT
