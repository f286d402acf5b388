// Vectors and rotations of machine numbers as precise ones, and how far apart two of those are.
#pragma once
#include <limits>

#include "kernels/math/rotation.hpp"
#include "tests/mathematics/multiple_precision.hpp"

namespace myriad::test {

constexpr double pi = 3.141592653589793;

// The spacing of the numbers above one.
template <class Number>
constexpr double epsilon = std::numeric_limits<Number>::epsilon();

template <class Number>
Vector precise(const Vec<3, Number>& v) {
    return {Precise(v[0]), Precise(v[1]), Precise(v[2])};
}
struct Quaternion {
    Precise w;
    Vector axis;
};
template <class Number>
Quaternion precise(const Rotation<Number>& q) {
    return {Precise(q.w), {Precise(q.x), Precise(q.y), Precise(q.z)}};
}

inline double distance(const Vector& a, const Vector& b) { return static_cast<double>(norm(a - b)); }
inline double distance(const Quaternion& a, const Quaternion& b) {
    const Precise w = a.w - b.w;
    return static_cast<double>(sqrt(w * w + dot(a.axis - b.axis, a.axis - b.axis)));
}

}  // namespace myriad::test
