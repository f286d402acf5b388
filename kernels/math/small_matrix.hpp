// Vec<N>, 3x3 matrices and symmetric 3x3 matrices over Real: plain arrays, sizes in the type, every loop unrolled.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class Real>
struct Vec {
    Real e[N > 0 ? N : 1];
    MYRIAD_HD constexpr Real& operator[](int i) { return e[i]; }
    MYRIAD_HD constexpr const Real& operator[](int i) const { return e[i]; }
};

template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator+(Vec<N, Real> a, Vec<N, Real> b) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = a[i] + b[i];
    return a;
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator-(Vec<N, Real> a, Vec<N, Real> b) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = a[i] - b[i];
    return a;
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator-(Vec<N, Real> a) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = -a[i];
    return a;
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator*(Real s, Vec<N, Real> a) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = s * a[i];
    return a;
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> fma(Real s, Vec<N, Real> a, Vec<N, Real> b) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) b[i] = fma(s, a[i], b[i]);
    return b;
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> select(MaskOf<Real> mask, Vec<N, Real> a, Vec<N, Real> b) {
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = select(mask, a[i], b[i]);
    return a;
}
template <class Real>
MYRIAD_HD Real dot(Vec<3, Real> a, Vec<3, Real> b) {
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
}
template <class Real>
MYRIAD_HD Real dot(Vec<4, Real> a, Vec<4, Real> b) {
    return fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], a[3] * b[3])));
}
template <class Real>
MYRIAD_HD Vec<3, Real> cross(Vec<3, Real> a, Vec<3, Real> b) {
    return {fma(a[1], b[2], -(a[2] * b[1])), fma(a[2], b[0], -(a[0] * b[2])), fma(a[0], b[1], -(a[1] * b[0]))};
}
// a x b + c
template <class Real>
MYRIAD_HD Vec<3, Real> add_cross(Vec<3, Real> a, Vec<3, Real> b, Vec<3, Real> c) {
    return {fma(a[1], b[2], fma(a[2], -b[1], c[0])), fma(a[2], b[0], fma(a[0], -b[2], c[1])),
            fma(a[0], b[1], fma(a[1], -b[0], c[2]))};
}

// Symmetric 3x3 matrix, stored as xx yy zz xy xz yz.
template <class Real>
struct Symmetric3 {
    Real xx, yy, zz, xy, xz, yz;
    friend MYRIAD_HD Vec<3, Real> operator*(const Symmetric3& m, Vec<3, Real> v) {
        return {fma(m.xx, v[0], fma(m.xy, v[1], m.xz * v[2])), fma(m.xy, v[0], fma(m.yy, v[1], m.yz * v[2])),
                fma(m.xz, v[0], fma(m.yz, v[1], m.zz * v[2]))};
    }
};

template <class Real>
MYRIAD_HD Real determinant(const Symmetric3<Real>& m) {
    return fma(m.xx, fma(m.yy, m.zz, -(m.yz * m.yz)),
               fma(m.xy, fma(m.xz, m.yz, -(m.xy * m.zz)), m.xz * fma(m.xy, m.yz, -(m.xz * m.yy))));
}

// Inverse by cofactors; the caller has checked positive definiteness.
template <class Real>
MYRIAD_HD Symmetric3<Real> inverse(const Symmetric3<Real>& m) {
    const Real a = fma(m.yy, m.zz, -(m.yz * m.yz)), b = fma(m.xz, m.yz, -(m.xy * m.zz)),
               c = fma(m.xy, m.yz, -(m.xz * m.yy));
    const Real r = Real(1.0) / fma(m.xx, a, fma(m.xy, b, m.xz * c));
    return {r * a, r * fma(m.xx, m.zz, -(m.xz * m.xz)), r * fma(m.xx, m.yy, -(m.xy * m.xy)), r * b,
            r * c, r * fma(m.xy, m.xz, -(m.xx * m.yz))};
}

template <class Real>
struct Mat3 {
    Real e[3][3];
    friend MYRIAD_HD Vec<3, Real> operator*(const Mat3& m, Vec<3, Real> v) {
        Vec<3, Real> r;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) r[i] = fma(m.e[i][0], v[0], fma(m.e[i][1], v[1], m.e[i][2] * v[2]));
        return r;
    }
    friend MYRIAD_HD Mat3 operator*(const Mat3& a, const Mat3& b) {
        Mat3 r;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) r.e[i][j] =
            fma(a.e[i][0], b.e[0][j], fma(a.e[i][1], b.e[1][j], a.e[i][2] * b.e[2][j]));
        return r;
    }
};
// M^T v
template <class Real>
MYRIAD_HD Vec<3, Real> transposed_times(const Mat3<Real>& m, Vec<3, Real> v) {
    Vec<3, Real> r;
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) r[i] = fma(m.e[0][i], v[0], fma(m.e[1][i], v[1], m.e[2][i] * v[2]));
    return r;
}
template <class Real>
MYRIAD_HD Mat3<Real> matrix_of(const Symmetric3<Real>& m) {
    return {{{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> transpose(const Mat3<Real>& a) {
    return {{{a.e[0][0], a.e[1][0], a.e[2][0]}, {a.e[0][1], a.e[1][1], a.e[2][1]}, {a.e[0][2], a.e[1][2], a.e[2][2]}}};
}
// c + s a
template <class Real>
MYRIAD_HD Mat3<Real> fma(Real s, const Mat3<Real>& a, Mat3<Real> c) {
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) c.e[i][j] =
        fma(s, a.e[i][j], c.e[i][j]);
    return c;
}
template <class Real>
MYRIAD_HD Mat3<Real> skew(Vec<3, Real> v) {
    const Real o(0.0);
    return {{{o, -v[2], v[1]}, {v[2], o, -v[0]}, {-v[1], v[0], o}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> diagonal(Real x) {
    const Real o(0.0);
    return {{{x, o, o}, {o, x, o}, {o, o, x}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> inverse(const Mat3<Real>& m) {
    const auto& a = m.e;
    Mat3<Real> b;
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) {
        const int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
        b.e[i][j] = fma(a[p][r], a[q][s], -(a[p][s] * a[q][r]));
    }
    const Real d = Real(1.0) / fma(a[0][0], b.e[0][0], fma(a[0][1], b.e[1][0], a[0][2] * b.e[2][0]));
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) b.e[i][j] = d * b.e[i][j];
    return b;
}

// Vectors and matrices among the parameters of an instance; matrices row by row, symmetric ones xx yy zz xy xz yz. One
// address serves all entries where the parameters are an array.
template <class Parameters>
struct ParametersFrom {
    const Parameters& parameters;
    int offset;
    MYRIAD_HD auto operator[](int i) const { return parameters[offset + i]; }
};
template <class Parameters>
MYRIAD_HD auto parameters_from(const Parameters& parameters, int offset) {
    return ParametersFrom<Parameters>{parameters, offset};
}
template <int N, class Real>
MYRIAD_HD const Real* parameters_from(const Vec<N, Real>& parameters, int offset) {
    return parameters.e + offset;
}
template <class Real, class Parameters>
MYRIAD_HD Vec<3, Real> vector_at(const Parameters& parameters, int offset) {
    const auto p = parameters_from(parameters, offset);
    return {p[0], p[1], p[2]};
}
template <class Real, class Parameters>
MYRIAD_HD Symmetric3<Real> symmetric_at(const Parameters& parameters, int offset) {
    const auto p = parameters_from(parameters, offset);
    return {p[0], p[1], p[2], p[3], p[4], p[5]};
}
template <class Real, class Parameters>
MYRIAD_HD Mat3<Real> matrix_at(const Parameters& parameters, int offset) {
    const auto p = parameters_from(parameters, offset);
    return {{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}}};
}

}  // namespace myriad::inline MYRIAD_VARIANT
