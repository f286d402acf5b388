// phi of every element kind, evaluated with Eigen from the definitions in kernels/mechanism/topology.hpp.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Position of the centre of mass and orientation of each body.
struct Pose {
    std::vector<Eigen::Vector3d> position;
    std::vector<Eigen::Matrix3d> orientation;
};

inline Eigen::Vector3d vector_at(const std::vector<double>& parameters, int first) {
    const auto at = static_cast<std::size_t>(first);
    return {parameters[at], parameters[at + 1], parameters[at + 2]};
}
inline Eigen::Quaterniond rotation_at(const std::vector<double>& parameters, int first) {
    const auto at = static_cast<std::size_t>(first);
    return {parameters[at], parameters[at + 1], parameters[at + 2], parameters[at + 3]};
}
inline int body_parameter(int body, int offset) { return first_body_parameter + body * body_parameters + offset; }

// The pose that the file gives, before assembly.
inline Pose initial_pose(const Mechanism& mechanism, const std::vector<double>& parameters) {
    Pose pose;
    for (int body = 0; body < mechanism.table.bodies; ++body) {
        pose.position.push_back(vector_at(parameters, body_parameter(body, body_position)));
        pose.orientation.push_back(rotation_at(parameters, body_parameter(body, body_orientation)).toRotationMatrix());
    }
    return pose;
}

// The rows of one element, f being zero.
inline Eigen::VectorXd rows_without_function(const Element& element, const std::vector<double>& parameters,
                                             const Pose& pose) {
    using Eigen::Matrix3d;
    using Eigen::Vector3d;
    const auto position = [&](int side) -> Vector3d {
        const int body = element.body[side];
        return body < 0 ? Vector3d(Vector3d::Zero()) : pose.position[static_cast<std::size_t>(body)];
    };
    const auto orientation = [&](int side) -> Matrix3d {
        const int body = element.body[side];
        return body < 0 ? Matrix3d(Matrix3d::Identity()) : pose.orientation[static_cast<std::size_t>(body)];
    };
    const auto p = [&](int offset) { return vector_at(parameters, element.parameter + offset); };
    const Matrix3d a_i = orientation(0), a_j = orientation(1);
    const auto d = [&](int first) -> Vector3d {
        return position(1) + a_j * p(first + 3) - position(0) - a_i * p(first);
    };
    const auto one = [](double value) -> Eigen::VectorXd { return Eigen::VectorXd::Constant(1, value); };
    switch (element.kind) {
        case ElementKind::point:
            return d(0);
        case ElementKind::coordinate_difference:
            return one(p(0).dot(d(3)));
        case ElementKind::dot_1:
            return one((a_i * p(0)).dot(a_j * p(3)));
        case ElementKind::dot_2:
            return one((a_i * p(0)).dot(d(3)));
        case ElementKind::distance:
            return one(d(0).norm());
        case ElementKind::driven_angle:
            return one((a_i * p(3)).dot(a_j * p(6)));
        case ElementKind::angle:
            return one(std::atan2((a_i * p(6)).dot(a_j * p(9)), (a_i * p(3)).dot(a_j * p(9))));
        case ElementKind::rotation_vector: {
            const Matrix3d on_i = rotation_at(parameters, element.parameter).toRotationMatrix(),
                           on_j = rotation_at(parameters, element.parameter + 4).toRotationMatrix();
            const Eigen::AngleAxisd turn(Matrix3d(on_i.transpose() * a_i.transpose() * a_j * on_j));
            return turn.angle() * turn.axis();
        }
    }
    throw std::logic_error("unknown element");
}

}  // namespace myriad::mechanism
