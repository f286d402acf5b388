// A carriage that a driver moves, and a bob that hangs on it: its runs by the kernels in joint coordinates.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism::hanging_bobs {

using nlohmann::json;

// A carriage that a driver moves along x, and a bob that hangs on it: its centre lies 0.4 m below the hinge.
constexpr double carriage_kg = 0.8, bob_kg = 1.5, arm_m = 0.4, bob_kg_m2 = 0.05;
constexpr double about_hinge_kg_m2 = bob_kg_m2 + bob_kg * arm_m * arm_m;

inline json hanging_bob(const std::string& way, double gravity_m_s2 = 0.0, const json& tables = {}) {
    json text = json::parse(R"json({
        "bodies": {
            "carriage": {"mass_kg": 0.8, "inertia_kg_m2": [0.01, 0.01, 0.01]},
            "bob": {"mass_kg": 1.5, "inertia_kg_m2": [0.05, 0.05, 0.05], "position_m": [0, 0, -0.4]}},
        "joints": {
            "rail": {"type": "prismatic", "bodies": ["ground", "carriage"], "points_m": [[0, 0, 0], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]]},
            "pin": {"type": "revolute", "bodies": ["carriage", "bob"], "points_m": [[0, 0, 0], [0, 0, 0.4]],
                    "axes": [[0, 1, 0], [0, 1, 0]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "rail"}},
        "sensors": {"angle": {"type": "angle", "joint": "pin"}, "rate": {"type": "rate", "joint": "pin"},
                    "way": {"type": "displacement", "joint": "rail"},
                    "speed": {"type": "displacement_rate", "joint": "rail"}}})json");
    text["gravity_m_s2"] = {0, 0, -gravity_m_s2};
    text["drivers"]["motor"]["value_m"] = way;
    if (!tables.is_null()) text["tables"] = tables;
    return text;
}

inline std::shared_ptr<const Mechanism> parsed(const json& text) { return parse_mechanism(text.dump(), "bob.json"); }

inline const std::vector<std::string> seen{"angle", "rate", "way", "speed", "energy", "work"};
enum Seen { angle, rate, way, speed, energy, work };

inline std::vector<int> channels_of(const Mechanism& mechanism, const std::vector<std::string>& names) {
    std::vector<int> channels;
    for (const std::string& name : names) channels.push_back(channel_index(mechanism, name));
    return channels;
}
inline RunSetup setup_of(const Mechanism& mechanism, Method method, double step_s, int steps,
                         const std::vector<std::string>& names = seen) {
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.step_s = step_s, setup.steps = steps;
    setup.newton_tolerance = 1e-13, setup.observed = channels_of(mechanism, names);
    return setup;
}
inline std::vector<std::vector<double>> rows_of(const Mechanism& mechanism, Method method, double step_s, int steps) {
    const InstanceEnd end = run_nominal(mechanism, setup_of(mechanism, method, step_s, steps));
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    return end.rows;
}

}  // namespace myriad::mechanism::hanging_bobs
