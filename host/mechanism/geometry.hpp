// Directions of unit length and what is perpendicular to them, with the bits of the kernels' own maths. A vector of
// length zero gives NaN, which the kernel refuses instance by instance.
#pragma once
#include "kernels/rotation.hpp"

namespace myriad::mechanism {

using Vector = Vec<3, double>;

inline double length(const Vector& v) { return sqrt(dot(v, v)); }

inline Vector unit(const Vector& v) {
    const double size = length(v);
    return {v[0] / size, v[1] / size, v[2] / size};
}

// The unit direction of v without its part along the unit direction n; the second pass takes away what cancellation in
// the first one left.
inline Vector made_perpendicular(const Vector& v, const Vector& n) {
    const Vector once = fma(-dot(v, n), n, v);
    return unit(fma(-dot(once, n), n, once));
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

// A direction perpendicular to n, made from the axis `from`. That stays what it is for the nominal numbers, so that an
// instance's rows mean what the nominal ones do, unless it comes within 26 degrees of n.
inline Vector perpendicular(const Vector& n, int from) {
    constexpr double nearest_cosine = 0.9;
    const int axis = magnitude(n[from]) <= nearest_cosine ? from : farthest_axis(n);
    Vector start{0.0, 0.0, 0.0};
    start[axis] = 1.0;
    return made_perpendicular(start, n);
}

}  // namespace myriad::mechanism
