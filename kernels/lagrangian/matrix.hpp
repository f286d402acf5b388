// Matrices of any fixed small size over Real, for systems in n coordinates with m constraints; m may be 0.
#pragma once
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int R, int C, class Real>
struct Matrix {
    static constexpr int rows = R, columns = C;
    Real e[R > 0 ? R : 1][C > 0 ? C : 1];
};

template <int N, class Real>
MYRIAD_HD Real dot_product(const Vec<N, Real>& a, const Vec<N, Real>& b) {
    Real sum(0.0);
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) sum = fma(a[i], b[i], sum);
    return sum;
}
template <int R, int C, class Real>
MYRIAD_HD Vec<R, Real> operator*(const Matrix<R, C, Real>& m, const Vec<C, Real>& v) {
    Vec<R, Real> r{};
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) r[i] =
        fma(m.e[i][j], v[j], r[i]);
    return r;
}
// m^T v
template <int R, int C, class Real>
MYRIAD_HD Vec<C, Real> transposed_times(const Matrix<R, C, Real>& m, const Vec<R, Real>& v) {
    Vec<C, Real> r{};
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) r[j] =
        fma(m.e[i][j], v[i], r[j]);
    return r;
}
// a^T b
template <int R, int C, int D, class Real>
MYRIAD_HD Matrix<C, D, Real> transposed_times(const Matrix<R, C, Real>& a, const Matrix<R, D, Real>& b) {
    Matrix<C, D, Real> r{};
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j)
        MYRIAD_UNROLL for (int k = 0; k < D; ++k) r.e[j][k] = fma(a.e[i][j], b.e[i][k], r.e[j][k]);
    return r;
}
template <int R, int C, class Real>
MYRIAD_HD Matrix<C, R, Real> transpose(const Matrix<R, C, Real>& m) {
    Matrix<C, R, Real> r{};
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) r.e[j][i] = m.e[i][j];
    return r;
}
// c + s a
template <int R, int C, class Real>
MYRIAD_HD Matrix<R, C, Real> fma(Real s, const Matrix<R, C, Real>& a, Matrix<R, C, Real> c) {
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) c.e[i][j] =
        fma(s, a.e[i][j], c.e[i][j]);
    return c;
}
template <int R, int C, class Real>
MYRIAD_HD Matrix<R, C, Real> operator*(Real s, Matrix<R, C, Real> a) {
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) a.e[i][j] = s * a.e[i][j];
    return a;
}
// m + a b^T
template <int R, int C, class Real>
MYRIAD_HD Matrix<R, C, Real> add_dyad(const Vec<R, Real>& a, const Vec<C, Real>& b, Matrix<R, C, Real> m) {
    MYRIAD_UNROLL for (int i = 0; i < R; ++i) MYRIAD_UNROLL for (int j = 0; j < C; ++j) m.e[i][j] =
        fma(a[i], b[j], m.e[i][j]);
    return m;
}
template <int N, class Real>
MYRIAD_HD Matrix<N, N, Real> unit_times(Real s) {
    Matrix<N, N, Real> m{};
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) m.e[i][i] = s;
    return m;
}

}  // namespace myriad::inline MYRIAD_VARIANT
