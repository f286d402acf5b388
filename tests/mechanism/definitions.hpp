// The rows between two bodies written down once more from their definitions (the table in
// kernels/mechanism/topology.hpp), in long double and with Eigen, and derivatives of whatever by differences.
#pragma once
#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

using Number80 = long double;
using Vector3 = Eigen::Matrix<Number80, 3, 1>;
using Matrix3 = Eigen::Matrix<Number80, 3, 3>;

struct Pose {
    Vector3 position = Vector3::Zero();
    Matrix3 orientation = Matrix3::Identity();
};

inline Matrix3 turn_of(const Vector3& u) {
    const Number80 angle = u.norm();
    if (angle == 0) return Matrix3::Identity();
    return Eigen::AngleAxis<Number80>(angle, u / angle).toRotationMatrix();
}
inline Vector3 rotation_vector_of(const Matrix3& m) {
    Eigen::Quaternion<Number80> q(m);
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    const Number80 sine = q.vec().norm();
    if (sine == 0) return Vector3::Zero();
    return 2 * std::atan2(sine, q.w()) / sine * q.vec();
}
// The pose after it has been moved by x (world) and turned by theta (body frame).
inline Pose moved(const Pose& pose, const Vector3& x, const Vector3& theta) {
    return {pose.position + x, pose.orientation * turn_of(theta)};
}

inline std::vector<Number80> rows_by_definition(ElementKind kind, const Pose& i, const Pose& j, const double* p,
                                                Number80 f, Number80 turned = 0) {
    const auto vector = [p](int at) { return Vector3(p[at], p[at + 1], p[at + 2]); };
    const auto apart = [&](int at) -> Vector3 {
        return j.position + j.orientation * vector(at + 3) - i.position - i.orientation * vector(at);
    };
    switch (kind) {
        case ElementKind::point: {
            const Vector3 d = apart(0);
            return {d[0], d[1], d[2]};
        }
        case ElementKind::coordinate_difference:
            return {vector(0).dot(apart(3)) - f};
        case ElementKind::dot_1:
            return {(i.orientation * vector(0)).dot(j.orientation * vector(3)) - f};
        case ElementKind::dot_2:
            return {(i.orientation * vector(0)).dot(apart(3)) - f};
        case ElementKind::distance:
            return {apart(0).norm() - f};
        case ElementKind::driven_angle: {
            const Vector3 b = i.orientation.transpose() * j.orientation * vector(6);
            const Number80 along = vector(0).dot(b), across = vector(3).dot(b);
            return {std::hypot(along, across) * std::sin(std::atan2(across, along) - f)};
        }
        case ElementKind::angle: {
            const Vector3 b = i.orientation.transpose() * j.orientation * vector(9);
            const Number80 raw = std::atan2(vector(6).dot(b), vector(3).dot(b)), turn = 2 * std::acos(Number80(-1));
            return {raw + turn * std::round((turned - raw) / turn) - f};
        }
        case ElementKind::rotation_vector: {
            const auto frame = [p](int at) -> Matrix3 {
                return Eigen::Quaternion<Number80>(p[at], p[at + 1], p[at + 2], p[at + 3])
                    .normalized()
                    .toRotationMatrix();
            };
            const Vector3 theta =
                rotation_vector_of(frame(0).transpose() * i.orientation.transpose() * j.orientation * frame(4));
            return {theta[0], theta[1], theta[2]};
        }
    }
    return {};
}

// g(x) at x = 0: first and second derivative by five points; their errors are h^4/30 g''''' and h^4/90 g''''''.
template <class Function>
auto first_difference(Function&& g, Number80 h) {
    return ((g(-2 * h) - g(2 * h)) + 8 * (g(h) - g(-h))) / (12 * h);
}
template <class Function>
auto second_difference(Function&& g, Number80 h) {
    return (16 * (g(h) + g(-h)) - (g(2 * h) + g(-2 * h)) - 30 * g(0)) / (12 * h * h);
}

class Generic {
  public:
    explicit Generic(std::uint64_t seed) : random_(seed) {}
    double number(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }
    int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
    Vector3 vector(double size) { return Vector3(number(-size, size), number(-size, size), number(-size, size)); }
    Vector3 direction() {
        std::normal_distribution<double> normal;
        const Vector3 v(normal(random_), normal(random_), normal(random_));
        return v / v.norm();
    }
    Matrix3 orientation() {
        std::normal_distribution<double> normal;
        return Eigen::Quaternion<Number80>(normal(random_), normal(random_), normal(random_), normal(random_))
            .normalized()
            .toRotationMatrix();
    }
    std::mt19937_64& engine() { return random_; }

  private:
    std::mt19937_64 random_;
};

}  // namespace myriad::mechanism
