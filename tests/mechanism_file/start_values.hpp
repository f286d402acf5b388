// Mechanisms whose joints have start values, and where these put the bodies.
#pragma once
#include <Eigen/Dense>
#include <memory>
#include <string>
#include <vector>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "tests/mechanism/element_values.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {

using Eigen::AngleAxisd;
using Eigen::Vector3d;
using nlohmann::ordered_json;

// Roundings of lengths and products of size one to ten.
inline constexpr double few_roundings_of_states = 1e-13;
// A state that Newton's method put together, to its last correction.
inline constexpr double closed_m = 1e-11;

inline std::shared_ptr<const Mechanism> unassembled(const ordered_json& text) {
    return parse_unassembled(text.dump(), "test.json");
}
inline std::shared_ptr<const Mechanism> assembled(const ordered_json& text) {
    return parse_mechanism(text.dump(), "test.json");
}

struct Motions {
    Poses pose;
    std::vector<Vector3d> velocity, spin;  // of the centre of mass, world; body axes
};
inline Motions motions_of(const Mechanism& mechanism, const std::vector<double>& p) {
    Motions motions{initial_poses(mechanism, p), {}, {}};
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        motions.velocity.push_back(vector_at(p, body_parameter(b, body_velocity)));
        motions.spin.push_back(vector_at(p, body_parameter(b, body_angular_velocity)));
    }
    return motions;
}
// Where the bodies are a little later, to first order.
inline Poses later(const Motions& now, double time_s) {
    Poses pose = now.pose;
    for (std::size_t b = 0; b < now.velocity.size(); ++b) {
        pose.position[b] += time_s * now.velocity[b];
        pose.orientation[b] =
            pose.orientation[b] *
            AngleAxisd(time_s * now.spin[b].norm(), now.spin[b].stableNormalized()).toRotationMatrix();
    }
    return pose;
}

inline double largest_constraint(const Mechanism& mechanism, const std::vector<double>& p, const Poses& pose) {
    double largest = 0.0;
    for (int e = 0; e < mechanism.table.elements; ++e)
        if (!mechanism.table.element[e].has_law)
            largest =
                std::max(largest, rows_without_function(mechanism.table.element[e], p, pose).cwiseAbs().maxCoeff());
    return largest;
}

inline ordered_json body(const Vector3d& centre) {
    return {
        {"mass_kg", 1.5}, {"inertia_kg_m2", {0.2, 0.3, 0.4}}, {"centre_of_mass_m", {centre[0], centre[1], centre[2]}}};
}
inline ordered_json hinge(const std::string& a, const std::string& b, double x_on_a, double x_on_b = 0.0) {
    return {{"type", "revolute"},
            {"bodies", {a, b}},
            {"points_m", {{x_on_a, 0, 0}, {x_on_b, 0, 0}}},
            {"axes", {{0, 0, 1}, {0, 0, 1}}}};
}

// Rods along x about z axes, none with a pose.
inline ordered_json pendulum_of_two() {
    ordered_json text;
    text["bodies"] = {{"upper", body({0.5, 0, 0})}, {"lower", body({0.4, 0, 0})}};
    text["joints"] = {{"shoulder", hinge("ground", "upper", 0.0)}, {"elbow", hinge("upper", "lower", 1.0)}};
    return text;
}

}  // namespace myriad::mechanism
