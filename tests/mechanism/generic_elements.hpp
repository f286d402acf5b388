// Elements of every kind between two bodies at generic states, of which either may be the ground, and the tolerances of
// what is held against definitions and differences (definitions.hpp).
#pragma once
#include <gtest/gtest.h>

#include <memory>

#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/observe.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"
#include "tests/mechanism/definitions.hpp"

namespace myriad::mechanism {

constexpr ElementKind all_kinds[] = {
    ElementKind::point,    ElementKind::coordinate_difference, ElementKind::dot_1, ElementKind::dot_2,
    ElementKind::distance, ElementKind::driven_angle,          ElementKind::angle, ElementKind::rotation_vector};
constexpr int states_of_a_kind = 20;

// States, parameters and rates are of order one; each quantity takes less than 100 operations on such numbers.
constexpr double round_off = 2e-14;
// Differences in double with h = 1e-3: h^4/30 times a fifth derivative below 1e3, and 1e-16/h times sums of order 100.
constexpr double step_64 = 1e-3, difference_64 = 3e-10;

inline Vec<3, double> vec(const Vector3& v) {
    return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}
inline Vector3 vec(const Vec<3, double>& v) { return Vector3(v[0], v[1], v[2]); }

inline void append(std::vector<double>& list, const Vector3& v) {
    for (int i = 0; i < 3; ++i) list.push_back(static_cast<double>(v[i]));
}

// F_i, F_j of a rotation vector such that exp of it is the transpose of `turn` in these poses.
inline void append_frames(std::vector<double>& p, const Pose& i, const Pose& j, const Matrix3& turn, Generic& generic) {
    const Matrix3 on_j = generic.orientation(), on_i = i.orientation.transpose() * j.orientation * on_j * turn;
    for (const Matrix3& frame : {on_i, on_j}) {
        const Eigen::Quaternion<Number80> q(frame);
        for (const Number80 x : {q.w(), q.x(), q.y(), q.z()}) p.push_back(static_cast<double>(x));
    }
}

inline std::vector<double> generic_geometry(ElementKind kind, const Pose& i, const Pose& j, Generic& generic) {
    std::vector<double> p;
    const Vector3 n = generic.direction(), a = n.unitOrthogonal(), g = n.cross(a);
    switch (kind) {
        case ElementKind::point:
        case ElementKind::distance:
            append(p, generic.vector(1.0)), append(p, generic.vector(1.0));
            break;
        case ElementKind::dot_1:
            append(p, generic.direction()), append(p, generic.direction());
            break;
        case ElementKind::coordinate_difference:
        case ElementKind::dot_2:
            append(p, generic.direction()), append(p, generic.vector(1.0)), append(p, generic.vector(1.0));
            break;
        case ElementKind::driven_angle:
            append(p, a), append(p, g), append(p, generic.direction());
            break;
        case ElementKind::angle: {
            // The joint guarantees that B's reference is perpendicular to A's axis.
            const Number80 angle = generic.number(-3.0, 3.0);
            append(p, n), append(p, a), append(p, g);
            append(p, j.orientation.transpose() * i.orientation * (std::cos(angle) * a + std::sin(angle) * g));
            break;
        }
        case ElementKind::rotation_vector: {
            // A relative rotation of up to 2.6 rad, well inside half a turn.
            append_frames(p, i, j, turn_of(generic.number(0.1, 2.6) * generic.direction()), generic);
            break;
        }
    }
    return p;
}

}  // namespace myriad::mechanism
