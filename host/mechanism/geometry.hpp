// Directions of unit length and their perpendiculars, with the bits of the kernels' own maths, whatever the size
// of the vector they are made of. A vector of length zero gives NaN, which the kernel refuses instance by
// instance.
#pragma once
#include <cmath>

#include "kernels/math/rotation.hpp"

namespace myriad::mechanism {

using Vector = Vec<3, double>;

// The power of two by which v must be multiplied, so that the squares of its components neither overflow nor all
// vanish; 0 for a vector that needs nothing, or that no factor helps: of zeros, with an infinity, with a NaN.
template <int count>
int scaling_exponent(const Vec<count, double>& v) {
    constexpr int largest_harmless = 500;
    double largest = 0.0;
    for (int k = 0; k < count; ++k)
        if (!(magnitude(v[k]) <= largest)) largest = magnitude(v[k]);
    if (!(0.0 < largest && std::isfinite(largest))) return 0;
    const int exponent = std::ilogb(largest);
    return -largest_harmless <= exponent && exponent <= largest_harmless ? 0 : -exponent;
}

// A factor that is a power of two is exact: the direction keeps its bits.
template <int count>
Vec<count, double> scaled(const Vec<count, double>& v, int exponent) {
    if (exponent == 0) return v;
    Vec<count, double> result;
    for (int k = 0; k < count; ++k) result[k] = std::scalbn(v[k], exponent);
    return result;
}

inline double length(const Vector& v) {
    const int exponent = scaling_exponent(v);
    const Vector u = scaled(v, exponent);
    return std::scalbn(sqrt(dot(u, u)), -exponent);
}

template <int count>
Vec<count, double> unit(const Vec<count, double>& given) {
    const Vec<count, double> v = scaled(given, scaling_exponent(given));
    const double size = sqrt(dot(v, v));
    Vec<count, double> result;
    for (int k = 0; k < count; ++k) result[k] = v[k] / size;
    return result;
}

// The unit direction of v without its part along the unit direction n; the second pass takes away what cancellation in
// the first one left.
inline Vector made_perpendicular(const Vector& given, const Vector& n) {
    const Vector v = scaled(given, scaling_exponent(given));
    const Vector once = fma(-dot(v, n), n, v);
    return unit(fma(-dot(once, n), n, once));
}

// z along a unit direction and x along one across it, as columns.
inline Mat3<double> frame_along(const Vector& z, const Vector& x) {
    const Vector y = cross(z, x);
    return {{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}};
}

// Parallel or opposite but for rounding, so that neither has a direction across the other.
inline bool are_parallel(const Vector& a, const Vector& b) {
    constexpr double smallest_sine = 1e-6;
    return !(smallest_sine < length(cross(unit(a), unit(b))));
}

// The world axis that is farthest from a direction, the first among equals.
inline int farthest_axis(const Vector& n) {
    int farthest = 0;
    for (int k = 1; k < 3; ++k)
        if (magnitude(n[k]) < magnitude(n[farthest])) farthest = k;
    return farthest;
}

// A direction perpendicular to n, made from the axis `from`. The axis stays that of the nominal numbers, so that an
// instance's rows have the nominal meaning, unless it comes within 26 degrees of n.
inline Vector perpendicular(const Vector& n, int from) {
    constexpr double nearest_cosine = 0.9;
    const int axis = magnitude(n[from]) <= nearest_cosine ? from : farthest_axis(n);
    Vector start{0.0, 0.0, 0.0};
    start[axis] = 1.0;
    return made_perpendicular(start, n);
}

}  // namespace myriad::mechanism
