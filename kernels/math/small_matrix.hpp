// Vec<N>, 3x3 matrices and symmetric 3x3 matrices over Real: plain arrays, sizes in the type, every loop unrolled.
//
// What has three components is written out. A kernel has thousands of these operations, and for each loop NVRTC 13.0
// looks at all that depends on it before it unrolls it, which took half the time of its compilation.
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
    if constexpr (N == 3) {
        return {a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2]};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = a[i] + b[i];
        return a;
    }
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator-(Vec<N, Real> a, Vec<N, Real> b) {
    if constexpr (N == 3) {
        return {a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = a[i] - b[i];
        return a;
    }
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator-(Vec<N, Real> a) {
    if constexpr (N == 3) {
        return {-a.e[0], -a.e[1], -a.e[2]};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = -a[i];
        return a;
    }
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator*(Real s, Vec<N, Real> a) {
    if constexpr (N == 3) {
        return {s * a.e[0], s * a.e[1], s * a.e[2]};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = s * a[i];
        return a;
    }
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> fma(Real s, Vec<N, Real> a, Vec<N, Real> b) {
    if constexpr (N == 3) {
        return {fma(s, a.e[0], b.e[0]), fma(s, a.e[1], b.e[1]), fma(s, a.e[2], b.e[2])};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) b[i] = fma(s, a[i], b[i]);
        return b;
    }
}
template <int N, class Real>
MYRIAD_HD Vec<N, Real> select(MaskOf<Real> mask, Vec<N, Real> a, Vec<N, Real> b) {
    if constexpr (N == 3) {
        return {select(mask, a.e[0], b.e[0]), select(mask, a.e[1], b.e[1]), select(mask, a.e[2], b.e[2])};
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) a[i] = select(mask, a[i], b[i]);
        return a;
    }
}
template <class Real>
MYRIAD_HD Real dot(Vec<3, Real> a, Vec<3, Real> b) {
    return fma(a.e[0], b.e[0], fma(a.e[1], b.e[1], a.e[2] * b.e[2]));
}
template <class Real>
MYRIAD_HD Real dot(Vec<4, Real> a, Vec<4, Real> b) {
    return fma(a.e[0], b.e[0], fma(a.e[1], b.e[1], fma(a.e[2], b.e[2], a.e[3] * b.e[3])));
}
template <class Real>
MYRIAD_HD Vec<3, Real> cross(Vec<3, Real> a, Vec<3, Real> b) {
    return {fma(a.e[1], b.e[2], -(a.e[2] * b.e[1])), fma(a.e[2], b.e[0], -(a.e[0] * b.e[2])),
            fma(a.e[0], b.e[1], -(a.e[1] * b.e[0]))};
}
// a x b + c
template <class Real>
MYRIAD_HD Vec<3, Real> add_cross(Vec<3, Real> a, Vec<3, Real> b, Vec<3, Real> c) {
    return {fma(a.e[1], b.e[2], fma(a.e[2], -b.e[1], c.e[0])), fma(a.e[2], b.e[0], fma(a.e[0], -b.e[2], c.e[1])),
            fma(a.e[0], b.e[1], fma(a.e[1], -b.e[0], c.e[2]))};
}

// Symmetric 3x3 matrix, stored as xx yy zz xy xz yz.
template <class Real>
struct Symmetric3 {
    Real xx, yy, zz, xy, xz, yz;
    friend MYRIAD_HD Vec<3, Real> operator*(const Symmetric3& m, Vec<3, Real> v) {
        return {fma(m.xx, v.e[0], fma(m.xy, v.e[1], m.xz * v.e[2])),
                fma(m.xy, v.e[0], fma(m.yy, v.e[1], m.yz * v.e[2])),
                fma(m.xz, v.e[0], fma(m.yz, v.e[1], m.zz * v.e[2]))};
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
        return {fma(m.e[0][0], v.e[0], fma(m.e[0][1], v.e[1], m.e[0][2] * v.e[2])),
                fma(m.e[1][0], v.e[0], fma(m.e[1][1], v.e[1], m.e[1][2] * v.e[2])),
                fma(m.e[2][0], v.e[0], fma(m.e[2][1], v.e[1], m.e[2][2] * v.e[2]))};
    }
    friend MYRIAD_HD Mat3 operator*(const Mat3& a, const Mat3& b) {
        return matrix_of_rows(transposed_times(b, row_of(a, 0)), transposed_times(b, row_of(a, 1)),
                              transposed_times(b, row_of(a, 2)));
    }
};
template <class Real>
MYRIAD_HD Vec<3, Real> row_of(const Mat3<Real>& m, int row) {
    return {m.e[row][0], m.e[row][1], m.e[row][2]};
}
template <class Real>
MYRIAD_HD Vec<3, Real> column_of(const Mat3<Real>& m, int k) {
    return {m.e[0][k], m.e[1][k], m.e[2][k]};
}
template <class Real>
MYRIAD_HD Mat3<Real> matrix_of_rows(const Vec<3, Real>& x, const Vec<3, Real>& y, const Vec<3, Real>& z) {
    return {{{x.e[0], x.e[1], x.e[2]}, {y.e[0], y.e[1], y.e[2]}, {z.e[0], z.e[1], z.e[2]}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> matrix_of_columns(const Vec<3, Real>& x, const Vec<3, Real>& y, const Vec<3, Real>& z) {
    return {{{x.e[0], y.e[0], z.e[0]}, {x.e[1], y.e[1], z.e[1]}, {x.e[2], y.e[2], z.e[2]}}};
}
// M^T v
template <class Real>
MYRIAD_HD Vec<3, Real> transposed_times(const Mat3<Real>& m, Vec<3, Real> v) {
    return {fma(m.e[0][0], v.e[0], fma(m.e[1][0], v.e[1], m.e[2][0] * v.e[2])),
            fma(m.e[0][1], v.e[0], fma(m.e[1][1], v.e[1], m.e[2][1] * v.e[2])),
            fma(m.e[0][2], v.e[0], fma(m.e[1][2], v.e[1], m.e[2][2] * v.e[2]))};
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
MYRIAD_HD Mat3<Real> fma(Real s, const Mat3<Real>& a, const Mat3<Real>& c) {
    return matrix_of_rows(fma(s, row_of(a, 0), row_of(c, 0)), fma(s, row_of(a, 1), row_of(c, 1)),
                          fma(s, row_of(a, 2), row_of(c, 2)));
}
template <class Real>
MYRIAD_HD Mat3<Real> skew(Vec<3, Real> v) {
    const Real o(0.0);
    return {{{o, -v.e[2], v.e[1]}, {v.e[2], o, -v.e[0]}, {-v.e[1], v.e[0], o}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> diagonal(Real x) {
    const Real o(0.0);
    return {{{x, o, o}, {o, x, o}, {o, o, x}}};
}
template <class Real>
MYRIAD_HD Mat3<Real> inverse(const Mat3<Real>& m) {
    const Vec<3, Real> x = row_of(m, 0), y = row_of(m, 1), z = row_of(m, 2), first = cross(y, z);
    const Real d = Real(1.0) / dot(x, first);
    return matrix_of_columns(d * first, d * cross(z, x), d * cross(x, y));
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
