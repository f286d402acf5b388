// The rows between two bodies written down once more from their definitions (the table in
// kernels/mechanism/topology.hpp), in long double and with Eigen.
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
