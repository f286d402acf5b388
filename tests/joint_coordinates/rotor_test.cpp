// Rotors on joints: a pendulum with one through a gear against a pendulum with that inertia.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

constexpr double about_centre_kg_m2 = 0.05, rotor_kg_m2 = 1e-3, ratio = 12.0, reflected = ratio * ratio * rotor_kg_m2;

json pendulum(double angle_rad, double rate_rad_s) {
    json file = json::parse(R"({
        "gravity_m_s2": [0, -9.81, 0],
        "bodies": {"arm": {"mass_kg": 2.0, "inertia_kg_m2": [0.05, 0.05, 0.05], "centre_of_mass_m": [0, -0.3, 0]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]}},
        "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "rate": {"type": "rate", "joint": "hinge"},
                    "force": {"type": "reaction_force", "joint": "hinge"}}})");
    file["joints"]["hinge"]["angle_rad"] = angle_rad, file["joints"]["hinge"]["rate_rad_s"] = rate_rad_s;
    return file;
}
json geared(json file) {
    file["joints"]["hinge"]["rotor_inertia_kg_m2"] = rotor_kg_m2, file["joints"]["hinge"]["gear_ratio"] = ratio;
    return file;
}

std::vector<std::vector<double>> rows_of_run(const json& file, Method method, double step_s, int steps,
                                             const std::vector<const char*>& names) {
    const auto mechanism = parse_mechanism(file.dump(), "rotor.json");
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.step_s = step_s, setup.steps = steps;
    setup.newton_tolerance = 1e-13;
    for (const char* name : names) setup.observed.push_back(channel_index(*mechanism, name));
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    return end.rows;
}

// A pendulum with so much more inertia about its centre moves the same and pulls the same at its hinge.
TEST(Rotors, MoveWhatHangsOnThemLikeInertiaAboutTheAxis) {
    json heavier = pendulum(0.3, 4.0);
    heavier["bodies"]["arm"]["inertia_kg_m2"][2] = about_centre_kg_m2 + reflected;
    for (const Method method : {Method::generalized_alpha, Method::implicit_euler, Method::rk4, Method::dopri5}) {
        const auto with = rows_of_run(geared(pendulum(0.3, 4.0)), method, 1e-3, 1000, {"angle", "rate", "force"}),
                   without = rows_of_run(heavier, method, 1e-3, 1000, {"angle", "rate", "force"});
        ASSERT_EQ(with.size(), without.size());
        for (std::size_t i = 0; i < with.size(); ++i)
            for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(with[i][c], without[i][c], 1e-11) << "row " << i;
    }
}

// One on a slide and both of a cylindrical and of a universal joint, each by its own keys.
TEST(Rotors, AreReadFromTheKeysOfTheirCoordinate) {
    const auto rotors = [](const char* type, const json& keys) {
        json file = pendulum(0.0, 0.0);
        json& hinge = file["joints"]["hinge"];
        file["sensors"].clear();
        hinge["type"] = type;
        hinge.erase("angle_rad"), hinge.erase("rate_rad_s");
        if (std::string(type) == "universal") hinge["axes"] = {{0, 0, 1}, {1, 0, 0}};
        hinge.update(keys);
        const auto mechanism = parse_mechanism(file.dump(), "rotors.json");
        const std::vector<double> p = mechanism->nominal_kernel_parameters();
        std::vector<std::array<double, 3>> found;
        for (int i = 0; i < mechanism->table.joint.rotors; ++i) {
            const CoordinateRotor& rotor = mechanism->table.joint.rotor[i];
            const auto at = static_cast<std::size_t>(rotor.parameter);
            found.push_back({static_cast<double>(rotor.freedom), p[at], p[at + 1]});
        }
        return found;
    };
    using Rotor = std::array<double, 3>;
    EXPECT_EQ(rotors("prismatic", {{"rotor_inertia_kg", 0.5}, {"gear_ratio", 3}}), (std::vector<Rotor>{{0, 0.5, 3}}));
    EXPECT_EQ(rotors("prismatic", {{"rotor_inertia_kg", 0.5}}), (std::vector<Rotor>{{0, 0.5, 1}}));
    EXPECT_EQ(rotors("cylindrical", {{"rotor_inertia_kg", 0.5},
                                     {"displacement_gear_ratio", 3},
                                     {"rotor_inertia_kg_m2", 0.25},
                                     {"gear_ratio", -7}}),
              (std::vector<Rotor>{{0, 0.5, 3}, {1, 0.25, -7}}));
    EXPECT_EQ(
        rotors("universal", {{"rotor_inertia_1_kg_m2", 0.5}, {"rotor_inertia_2_kg_m2", 0.25}, {"gear_ratio_2", 4}}),
        (std::vector<Rotor>{{0, 0.5, 1}, {1, 0.25, 4}}));
    EXPECT_TRUE(rotors("revolute", json::object()).empty());
}

}  // namespace
}  // namespace myriad::mechanism
