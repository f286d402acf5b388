// Precise: a number of 240 bits with operators, over MPFR, and the error of a machine number against it.
#pragma once
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace myriad::test {

class Precise {
  public:
    static constexpr mpfr_prec_t bits = 240;

    Precise(double value = 0.0) {
        mpfr_init2(number_, bits);
        mpfr_set_d(number_, value, MPFR_RNDN);
    }
    Precise(const Precise& other) {
        mpfr_init2(number_, bits);
        mpfr_set(number_, other.number_, MPFR_RNDN);
    }
    Precise& operator=(const Precise& other) {
        mpfr_set(number_, other.number_, MPFR_RNDN);
        return *this;
    }
    ~Precise() { mpfr_clear(number_); }

    explicit operator double() const { return mpfr_get_d(number_, MPFR_RNDN); }
    explicit operator float() const { return mpfr_get_flt(number_, MPFR_RNDN); }

    friend Precise operator+(const Precise& a, const Precise& b) { return of(mpfr_add, a, b); }
    friend Precise operator-(const Precise& a, const Precise& b) { return of(mpfr_sub, a, b); }
    friend Precise operator*(const Precise& a, const Precise& b) { return of(mpfr_mul, a, b); }
    friend Precise operator/(const Precise& a, const Precise& b) { return of(mpfr_div, a, b); }
    friend Precise operator-(const Precise& a) { return of(mpfr_neg, a); }
    friend bool operator<(const Precise& a, const Precise& b) { return mpfr_less_p(a.number_, b.number_) != 0; }
    friend Precise sqrt(const Precise& a) { return of(mpfr_sqrt, a); }
    friend Precise sin(const Precise& a) { return of(mpfr_sin, a); }
    friend Precise cos(const Precise& a) { return of(mpfr_cos, a); }
    friend Precise exp(const Precise& a) { return of(mpfr_exp, a); }
    friend Precise log(const Precise& a) { return of(mpfr_log, a); }
    friend Precise abs(const Precise& a) { return of(mpfr_abs, a); }
    friend Precise pow(const Precise& a, const Precise& b) { return of(mpfr_pow, a, b); }
    friend Precise atan2(const Precise& y, const Precise& x) { return of(mpfr_atan2, y, x); }
    friend Precise times_power_of_two(const Precise& a, int exponent) {
        Precise r;
        mpfr_mul_2si(r.number_, a.number_, exponent, MPFR_RNDN);
        return r;
    }
    static Precise pi() {
        Precise r;
        mpfr_const_pi(r.number_, MPFR_RNDN);
        return r;
    }

  private:
    template <class Function>
    static Precise of(Function function, const Precise& a) {
        Precise r;
        function(r.number_, a.number_, MPFR_RNDN);
        return r;
    }
    template <class Function>
    static Precise of(Function function, const Precise& a, const Precise& b) {
        Precise r;
        function(r.number_, a.number_, b.number_, MPFR_RNDN);
        return r;
    }
    mpfr_t number_;
};

// |actual - expected| in units of the spacing of Number at `expected` (of the smallest subnormal below that).
template <class Number>
double error_in_ulp(Number actual, const Precise& expected) {
    const Number rounded = static_cast<Number>(expected);
    if (!std::isfinite(actual) || !std::isfinite(rounded))
        return actual == rounded ? 0.0 : std::numeric_limits<double>::infinity();
    using Limits = std::numeric_limits<Number>;
    const int exponent = rounded == 0 ? Limits::min_exponent : std::ilogb(rounded) + 1;
    const int spacing = std::max(exponent, Limits::min_exponent) - Limits::digits;
    return static_cast<double>(times_power_of_two(abs(Precise(actual) - expected), -spacing));
}

using Vector = std::array<Precise, 3>;
using Matrix = std::array<Vector, 3>;

inline Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector operator*(const Precise& s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Precise dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Precise norm(const Vector& a) { return sqrt(dot(a, a)); }
inline Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vector operator*(const Matrix& m, const Vector& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }
inline Matrix transposed(const Matrix& m) {
    return {{{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}}};
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
    const Matrix t = transposed(b);
    return {{{dot(a[0], t[0]), dot(a[0], t[1]), dot(a[0], t[2])},
             {dot(a[1], t[0]), dot(a[1], t[1]), dot(a[1], t[2])},
             {dot(a[2], t[0]), dot(a[2], t[1]), dot(a[2], t[2])}}};
}
inline Matrix operator-(const Matrix& a, const Matrix& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Matrix operator*(const Precise& s, const Matrix& a) { return {s * a[0], s * a[1], s * a[2]}; }

// The vector w with w~ = the skew part of m.
inline Vector axial(const Matrix& m) {
    const Precise half(0.5);
    return {half * (m[2][1] - m[1][2]), half * (m[0][2] - m[2][0]), half * (m[1][0] - m[0][1])};
}

// Rodrigues: the rotation matrix of the rotation vector u, body to world.
inline Matrix rodrigues(const Vector& u) {
    const Precise angle = norm(u);
    const bool none = !(Precise(0.0) < angle);
    const Precise s = none ? Precise(1.0) : sin(angle) / angle;
    const Precise half_sine = sin(Precise(0.5) * angle);
    const Precise c = none ? Precise(0.5) : Precise(2.0) * half_sine * half_sine / (angle * angle);
    Matrix r;
    for (int column = 0; column < 3; ++column) {
        Vector e;
        e[static_cast<std::size_t>(column)] = Precise(1.0);
        const Vector image = e + s * cross(u, e) + c * cross(u, cross(u, e));
        for (std::size_t row = 0; row < 3; ++row) r[row][static_cast<std::size_t>(column)] = image[row];
    }
    return r;
}

}  // namespace myriad::test
