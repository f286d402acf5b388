// phi of the elements of a mechanism at poses of its bodies, from their definitions.
#pragma once
#include <Eigen/Geometry>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "tests/mechanism/definitions.hpp"

namespace myriad::mechanism {

// Position of the centre of mass and orientation of each body.
struct Poses {
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
inline Poses initial_poses(const Mechanism& mechanism, const std::vector<double>& parameters) {
    Poses poses;
    for (int body = 0; body < mechanism.table.bodies; ++body) {
        poses.position.push_back(vector_at(parameters, body_parameter(body, body_position)));
        poses.orientation.push_back(rotation_at(parameters, body_parameter(body, body_orientation)).toRotationMatrix());
    }
    return poses;
}

// The rows of one element, f being zero.
inline Eigen::VectorXd rows_without_function(const Element& element, const std::vector<double>& parameters,
                                             const Poses& poses) {
    const auto side = [&](int body) {
        if (body < 0) return Pose{};
        const auto at = static_cast<std::size_t>(body);
        return Pose{poses.position[at].cast<Number80>(), poses.orientation[at].cast<Number80>()};
    };
    const std::vector<Number80> rows = rows_by_definition(element.kind, side(element.body[0]), side(element.body[1]),
                                                          &parameters[static_cast<std::size_t>(element.parameter)], 0);
    return Eigen::Map<const Eigen::Matrix<Number80, Eigen::Dynamic, 1>>(rows.data(),
                                                                        static_cast<Eigen::Index>(rows.size()))
        .cast<double>();
}

}  // namespace myriad::mechanism
