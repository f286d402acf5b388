// Elements of every kind between two bodies at generic states, of which either may be the ground, and the tolerances of
// what is held against definitions and differences (definitions.hpp).
#pragma once
#include <gtest/gtest.h>

#include <functional>
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
// Differences in long double with h = 1e-3: h^4/30 times a fifth derivative below 1e3, and no visible rounding.
constexpr Number80 step_80 = 1e-3L;
constexpr double difference_80 = 1e-10;
// Differences in double with h = 1e-3: the same, and 1e-16/h times sums of order 100.
constexpr double step_64 = 1e-3, difference_64 = 3e-10;

inline Vec<3, double> vec(const Vector3& v) {
    return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}
inline Vector3 vec(const Vec<3, double>& v) { return Vector3(v[0], v[1], v[2]); }

// Motion of a body with constant acceleration in the chart of its own start: R exp(w t + w' t^2/2), whose angular
// velocity and acceleration at t = 0 are w and w'.
struct MovingBody {
    Pose pose;
    Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero(), acceleration = Vector3::Zero(),
            angular_acceleration = Vector3::Zero();

    static MovingBody generic(Generic& generic) {
        return {{generic.vector(1.5), generic.orientation()},
                generic.vector(1.0),
                generic.vector(1.0),
                generic.vector(1.0),
                generic.vector(1.0)};
    }
    Pose at(Number80 t) const {
        return moved(pose, t * velocity + t * t / 2 * acceleration,
                     t * angular_velocity + t * t / 2 * angular_acceleration);
    }
    Place<double> place() const {
        Place<double> place;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) place.matrix.e[i][j] = static_cast<double>(pose.orientation(i, j));
        place.position = vec(pose.position), place.velocity = vec(velocity);
        place.angular_velocity = vec(angular_velocity);
        return place;
    }
};

// One element between two bodies with generic parameters and a function f0 + f1 t + f2 t^2/2.
struct ElementCase {
    Element element;
    std::vector<double> parameters;  // of the geometry
    MovingBody body[2];
    Bodies<double, 2> bodies;
    Taylor<double> function;
    double turned = 0.0;

    Number80 function_at(Number80 t) const {
        return function.value + t * function.rate + t * t / 2 * function.acceleration;
    }
    std::vector<Number80> rows_at_time(Number80 t) const {
        return rows_by_definition(element.kind, body[0].at(t), body[1].at(t), parameters.data(), function_at(t),
                                  turned);
    }
    Rows<double> rows() const { return rows_at(element, bodies, parameters.data(), function, turned); }
};

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

// `sides`: 0 both are bodies, 1 the first is the ground, 2 the second.
inline ElementCase element_case(ElementKind kind, int sides, Generic& generic) {
    ElementCase made{};
    made.element = {kind, false, false, {sides == 1 ? -1 : 0, sides == 2 ? -1 : sides == 1 ? 0 : 1},
                    0,    0,     0,     {0, 1, 2}};
    for (int side = 0; side < 2; ++side)
        if (made.element.body[side] >= 0) {
            made.body[side] = MovingBody::generic(generic);
            made.bodies.of[made.element.body[side]] = made.body[side].place();
        }
    made.parameters = generic_geometry(kind, made.body[0].pose, made.body[1].pose, generic);
    made.function = {generic.number(-1.0, 1.0), generic.number(-1.0, 1.0), generic.number(-1.0, 1.0)};
    if (kind == ElementKind::rotation_vector || kind == ElementKind::point) made.function = {};
    made.turned = kind == ElementKind::angle ? generic.number(-20.0, 20.0) : 0.0;
    return made;
}

inline void for_all_cases(const std::function<void(const ElementCase&)>& check) {
    for (const ElementKind kind : all_kinds)
        for (int sides = 0; sides < 3; ++sides) {
            Generic generic(static_cast<std::uint64_t>(100 * static_cast<int>(kind) + sides + 1));
            for (int state = 0; state < states_of_a_kind; ++state) {
                SCOPED_TRACE(testing::Message()
                             << "kind " << static_cast<int>(kind) << " sides " << sides << " state " << state);
                check(element_case(kind, sides, generic));
                if (testing::Test::HasFailure()) return;
            }
        }
}

}  // namespace myriad::mechanism
