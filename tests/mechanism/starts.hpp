// Starts of mechanisms by the kernels in both coordinates and on the reference path.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/backends/reference/reference_channels.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "tests/mechanism/kernel_runs.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {

// Some m/s and rad/s, solved with matrices whose condition is below 1e3.
inline constexpr double consistent = 1e-11;
// Each freedom is given 1e-12 of the inertia of its body, of velocities up to 5.
inline constexpr double least_energy = 1e-10;

inline std::shared_ptr<const Mechanism> made(const nlohmann::json& text) {
    return parse_mechanism(text.dump(), "start.json");
}

struct Start {
    std::string path;
    std::vector<std::vector<double>> bodies;  // [body]: velocity, world; angular velocity, body axes
    std::vector<std::vector<double>> orientations, positions;
    double correction, velocity_correction;
};

// Whether body coordinates take the mechanism, as its text has it.
inline bool takes_body_coordinates(const Mechanism& mechanism) {
    if (!mechanism.couplings.empty()) return false;
    const auto cut = with_joints_cut({std::shared_ptr<const void>(), &mechanism});
    return cut->body_coordinates_because.empty() && cut->table.moves_at_start == mechanism.table.moves_at_start;
}

// `numbers`: of the file where the parameters are not nominal.
inline std::vector<Start> starts(const Mechanism& mechanism, const std::vector<double>& parameters,
                                 std::vector<double> numbers = {}) {
    if (numbers.empty()) numbers = mechanism.nominal_numbers();
    std::vector<Start> all;
    for (const Coordinates coordinates : {Coordinates::joint, Coordinates::body}) {
        if (coordinates == Coordinates::body && !takes_body_coordinates(mechanism)) continue;
        RunSetup setup{};
        setup.coordinates = coordinates, setup.steps = 1, setup.step_s = 1e-6;
        const InstanceEnd end = run_instances(mechanism, {parameters}, setup).front();
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        Start start{coordinates == Coordinates::joint ? "joint coordinates" : "body coordinates", {}, {}, {}, 0.0, 0.0};
        for (int b = 0; b < mechanism.table.bodies; ++b) {
            const auto first = end.initial_state.begin() + 13 * b;
            start.bodies.emplace_back(first + 7, first + 13), start.orientations.emplace_back(first + 3, first + 7);
            start.positions.emplace_back(first, first + 3);
        }
        start.correction = end.assembly_correction, start.velocity_correction = end.velocity_correction;
        all.push_back(start);
    }
    for (const bool joint : {true, false}) {
        reference::MechanismSettings settings;
        settings.end_s = settings.step_s = 1e-6, settings.joint_coordinates = joint;
        Start start{joint ? "reference, joint coordinates" : "reference, body coordinates", {}, {}, {}, 0.0, 0.0};
        settings.after_step = [&](const reference::MechanismSample& sample) {
            if (!start.bodies.empty()) return;
            for (const reference::BodyState& body : sample.motion.state.bodies) {
                const Eigen::Vector3d &v = body.velocity, &w = body.angular_velocity;
                start.bodies.push_back({v[0], v[1], v[2], w[0], w[1], w[2]});
                const Eigen::Quaterniond q(body.orientation);
                start.orientations.push_back({q.w(), q.x(), q.y(), q.z()});
                start.positions.push_back({body.position[0], body.position[1], body.position[2]});
            }
            start.correction = sample.assembly_correction, start.velocity_correction = sample.velocity_correction;
        };
        const auto result =
            run_reference_mechanism(backends::reference_model(mechanism, parameters, numbers), settings);
        EXPECT_EQ(result.status, "ok") << result.reason;
        all.push_back(start);
    }
    return all;
}

// Bodies in the order of their names.
inline void expect_start(const Mechanism& mechanism, const std::vector<double>& parameters,
                         const std::vector<std::vector<double>>& bodies, double velocity_correction = 0.0,
                         const std::vector<double>& numbers = {}) {
    for (const Start& start : starts(mechanism, parameters, numbers)) {
        SCOPED_TRACE(start.path);
        ASSERT_EQ(start.bodies.size(), bodies.size());
        for (std::size_t b = 0; b < bodies.size(); ++b)
            for (std::size_t k = 0; k < 6; ++k)
                EXPECT_NEAR(start.bodies[b][k], bodies[b][k], least_energy) << "body " << b << ", component " << k;
        EXPECT_NEAR(start.velocity_correction, velocity_correction, consistent);
    }
}
inline void expect_start(const nlohmann::json& text, const std::vector<std::vector<double>>& bodies,
                         double velocity_correction = 0.0) {
    const auto mechanism = made(text);
    expect_start(*mechanism, mechanism->nominal_kernel_parameters(), bodies, velocity_correction);
}

inline nlohmann::json start_body(double mass_kg, const std::vector<double>& inertia_kg_m2,
                                 const std::vector<double>& position_m) {
    return {{"mass_kg", mass_kg}, {"inertia_kg_m2", inertia_kg_m2}, {"position_m", position_m}};
}
inline nlohmann::json start_joint(const std::string& type, const std::string& a, const std::string& b,
                                  const std::vector<double>& on_a, const std::vector<double>& on_b,
                                  const std::vector<double>& axis) {
    nlohmann::json entry{{"type", type}, {"bodies", {a, b}}, {"points_m", {on_a, on_b}}};
    if (!axis.empty()) entry["axes"] = {axis, axis};
    return entry;
}
inline const std::vector<double> slender_kg_m2{0.001, 0.05, 0.05};

// Uniform rods of 1 kg and 1 m in a row along x, each on a hinge about z at its left end.
inline nlohmann::json rods_in_line(int count) {
    nlohmann::json text;
    for (int i = 0; i < count; ++i) {
        const std::string name = "rod_" + std::to_string(i);
        text["bodies"][name] = start_body(1.0, {0.001, 1.0 / 12.0, 1.0 / 12.0}, {0.5 + i, 0, 0});
        text["joints"]["hinge_" + std::to_string(i)] =
            start_joint("revolute", i == 0 ? "ground" : "rod_" + std::to_string(i - 1), name,
                        {i == 0 ? 0.0 : 0.5, 0, 0}, {-0.5, 0, 0}, {0, 0, 1});
    }
    return text;
}
// Of rods_in_line, by their angular velocities; `base_m_s`: of the first hinge.
inline std::vector<std::vector<double>> turning_rods(const std::vector<double>& rates, double base_m_s = 0.0) {
    std::vector<std::vector<double>> bodies;
    double tip = base_m_s;
    for (const double rate : rates) {
        bodies.push_back({0, tip + 0.5 * rate, 0, 0, 0, rate});
        tip += rate;
    }
    return bodies;
}

}  // namespace myriad::mechanism
