// Couplings in loops, how they start, vary and fail. The claims of ensembles/expected/ hold gears, belts and screws.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// Constant accelerations are integrated exactly: what is left is the round-off of a thousand sums.
constexpr double round_off_of_a_run = 2e-12;
// The reference path counts angles as they are: of a hundred radians it loses two digits, and over the square of a step
// four more.
constexpr double same_on_the_reference_path = 1e-8;

json wheel(double axial_inertia) {
    return {{"mass_kg", 1.0}, {"inertia_kg_m2", {axial_inertia, axial_inertia, axial_inertia}}};
}
json grounded_joint(const char* type, const std::string& body, const std::vector<double>& axis) {
    return {{"type", type}, {"bodies", {"ground", body}}, {"points_m", {{0, 0, 0}, {0, 0, 0}}}, {"axes", {axis, axis}}};
}
json coupled(const char* coordinate, const char* follows, double ratio, double offset = 0.0) {
    return {{"coordinate", coordinate}, {"follows", follows}, {"ratio", ratio}, {"offset", offset}};
}
std::shared_ptr<const Mechanism> made(const json& file) { return parse_mechanism(file.dump(), "coupled.json"); }

struct Observed {
    std::vector<int> channels;
    std::vector<std::vector<double>> rows;
    double last(std::size_t channel) const { return rows.back()[channel]; }
};
Observed run_of(const Mechanism& mechanism, RunSetup setup, const std::vector<std::string>& names) {
    setup.coordinates = Coordinates::joint;
    for (const std::string& name : names) setup.observed.push_back(channel_index(mechanism, name));
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    Observed observed{setup.observed, end.rows};
    EXPECT_LE(largest_difference(end.rows, reference_rows(mechanism, setup)), same_on_the_reference_path);
    return observed;
}

constexpr Method both_methods[] = {Method::generalized_alpha, Method::rk4};

// (J_1 + n^2 J_2) q_1'' = T, and the gear's torque on the wheel is J_2 n q_1''.
json geared_pair() {
    json file;
    file["bodies"] = {{"pinion", wheel(0.02)}, {"wheel", wheel(0.5)}};
    file["joints"] = {{"shaft", grounded_joint("revolute", "pinion", {0, 0, 1})},
                      {"axle", grounded_joint("revolute", "wheel", {0, 0, 1})}};
    file["couplings"] = {{"gears", coupled("axle.angle", "shaft.angle", -0.3)}};
    file["forces"] = {{"motor", {{"type", "torque"}, {"body", "pinion"}, {"torque_N_m", {0, 0, 2.5}}}}};
    file["sensors"] = {{"turned", {{"type", "angle"}, {"joint", "shaft"}}},
                       {"driven", {{"type", "angle"}, {"joint", "axle"}}}};
    return file;
}

// A rotor that a gear turns with the crank of a loop is as much inertia of the crank.
TEST(Couplings, InALoopReflectInertiaToo) {
    json file = json::parse(R"({
        "gravity_m_s2": [0, -9.81, 0],
        "bodies": {
            "crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0.3, 0, 0]},
            "rod": {"mass_kg": 2, "inertia_kg_m2": [0.01, 0.5, 0.5], "position_m": [1.2, 0, 0]},
            "slider": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1.8, 0, 0]}},
        "joints": {
            "main": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.3, 0, 0]],
                     "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.6},
            "pin": {"type": "revolute", "bodies": ["crank", "rod"], "points_m": [[0.3, 0, 0], [-0.6, 0, 0]],
                    "axes": [[0, 0, 1], [0, 0, 1]]},
            "wrist": {"type": "revolute", "bodies": ["rod", "slider"], "points_m": [[0.6, 0, 0], [0, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "points_m": [[0, 0, 0], [0, 0, 0]],
                      "axes": [[1, 0, 0], [1, 0, 0]]}},
        "sensors": {"angle": {"type": "angle", "joint": "main"}}})");
    const double rotor = 0.02, ratio = 4.0;
    json geared = file;
    file["bodies"]["crank"]["inertia_kg_m2"][2] = 0.1 + ratio * ratio * rotor;
    geared["bodies"]["rotor"] = wheel(rotor);
    geared["joints"]["bearing"] = grounded_joint("revolute", "rotor", {0, 0, 1});
    geared["couplings"] = {{"gear", coupled("bearing.angle", "main.angle", ratio, -1.0)}};
    const auto plain = made(file), coupled_one = made(geared);
    EXPECT_EQ(coupled_one->freedoms, plain->freedoms);
    for (const Method method : both_methods) {
        RunSetup setup;
        setup.method = method, setup.step_s = 2e-3, setup.steps = 500;
        const Observed of_plain = run_of(*plain, setup, {"angle"}), seen = run_of(*coupled_one, setup, {"angle"});
        EXPECT_LE(largest_difference(of_plain.rows, seen.rows), 1e-9);
    }
}

// Without a start value both coordinates move, by their inertias; with one of them it alone stays.
TEST(Couplings, StartByTheLeastChangeOfWhatTheFileDoesNotGive) {
    json file = geared_pair();
    file["couplings"]["gears"]["offset"] = 0.4;
    const auto start_of = [](const json& given) {
        const auto mechanism = made(given);
        RunSetup setup;
        setup.steps = 1;
        const Observed seen = run_of(*mechanism, setup, {"turned", "driven"});
        return std::pair(seen.rows.front()[0], seen.rows.front()[1]);
    };
    // min J_1 q_1^2 + J_2 q_2^2 with q_2 + 0.3 q_1 = 0.4
    const double multiplier = 0.4 / (1.0 / 0.5 + 0.09 / 0.02);
    const auto [shaft, axle] = start_of(file);
    EXPECT_NEAR(shaft, 0.3 / 0.02 * multiplier, 1e-15);
    EXPECT_NEAR(axle, multiplier / 0.5, 1e-15);
    json one = file;
    one["joints"]["axle"]["angle_rad"] = -1.1;
    EXPECT_NEAR(start_of(one).first, 5.0, 1e-14);
    EXPECT_NEAR(start_of(one).second, -1.1, 1e-15);
    json rates = file;
    rates["joints"]["shaft"]["angle_rad"] = 20.0, rates["joints"]["shaft"]["rate_rad_s"] = 3.0;
    EXPECT_NEAR(start_of(rates).first, 20.0, 1e-14);
    EXPECT_NEAR(start_of(rates).second, -5.6, 1e-14);
    rates["sensors"]["speed"] = {{"type", "rate"}, {"joint", "axle"}};
    RunSetup setup;
    setup.steps = 1;
    EXPECT_NEAR(run_of(*made(rates), setup, {"speed"}).rows.front()[0], -0.9, 1e-15);
}

// The wheel makes more than a turn. Its pose counts as the zero, and no start value of the other joint contradicts it.
TEST(Couplings, PlaceWhatFollowsAStartValueWithoutACorrection) {
    json file = geared_pair();
    file["bodies"]["wheel"]["position_m"] = {0, 0, 0};
    file["bodies"]["wheel"]["orientation"] = {{"quaternion", {1, 0, 0, 0}}};
    file["bodies"]["pinion"]["position_m"] = {0, 0, 0};
    file["bodies"]["slide"] = wheel(1.0);
    file["bodies"]["slide"]["position_m"] = {0, 0, 0};
    file["joints"]["guide"] = grounded_joint("prismatic", "slide", {1, 0, 0});
    file["couplings"]["gears"]["offset"] = 0.4;
    file["couplings"]["rack"] = coupled("axle.angle", "guide.displacement", 4.0);
    file["sensors"]["way"] = {{"type", "displacement"}, {"joint", "guide"}};
    file["joints"]["shaft"]["angle_rad"] = 30.0;
    RunSetup setup;
    setup.steps = 1;
    const Observed seen = run_of(*made(file), setup, {"turned", "driven", "way", "assembly_correction"});
    EXPECT_NEAR(seen.rows.front()[0], 30.0, 1e-14);
    EXPECT_NEAR(seen.rows.front()[1], -8.6, 1e-14);
    EXPECT_NEAR(seen.rows.front()[2], -2.15, 1e-14);
    EXPECT_LE(seen.rows.front()[3], round_off_of_a_run);
}

// A ratio is a number like any other: each instance has its own.
TEST(Couplings, TakeARatioThatAStudyVaries) {
    const auto mechanism = made(geared_pair());
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 1e-2, setup.steps = 100;
    setup.observed = {channel_index(*mechanism, "turned")};
    std::vector<std::vector<double>> instances;
    const std::size_t count = 33;
    for (std::size_t n = 0; n < count; ++n)
        instances.push_back(with_numbers(*mechanism, {{"couplings.gears.ratio", 0.1 * static_cast<double>(n + 1)},
                                                      {"couplings.gears.offset", -0.05 * static_cast<double>(n)}}));
    const std::vector<InstanceEnd> alone = run_instances(*mechanism, instances, setup);
    setup.width = Width::packs;
    const std::vector<InstanceEnd> packs = run_instances(*mechanism, instances, setup);
    for (std::size_t n = 0; n < count; ++n) {
        ASSERT_EQ(alone[n].status, Status::ok);
        const double ratio = 0.1 * static_cast<double>(n + 1), angle = 0.5 * 2.5 / (0.02 + ratio * ratio * 0.5);
        EXPECT_NEAR(alone[n].rows.back()[0] - alone[n].rows.front()[0], angle, round_off_of_a_run * (1.0 + angle));
        EXPECT_TRUE(same_bits(alone[n].record, packs[n].record)) << "instance " << n;
        EXPECT_TRUE(same_bits(alone[n].final_state, packs[n].final_state)) << "instance " << n;
    }
}

// Two couplings between angles that a parallelogram keeps equal: one follows from its loop and is only watched, unless
// an instance's numbers contradict it.
TEST(Couplings, ThatFollowFromALoopAreWatched) {
    json file = json::parse(R"({
        "bodies": {
            "left": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0.5, 0]},
            "right": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [2, 0.5, 0]},
            "coupler": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1, 1, 0]}},
        "joints": {
            "a": {"type": "revolute", "bodies": ["ground", "left"], "points_m": [[0, 0, 0], [0, -0.5, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]], "rate_rad_s": 1.0},
            "b": {"type": "revolute", "bodies": ["ground", "right"], "points_m": [[2, 0, 0], [0, -0.5, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
            "c": {"type": "revolute", "bodies": ["left", "coupler"], "points_m": [[0, 0.5, 0], [-1, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
            "d": {"type": "revolute", "bodies": ["right", "coupler"], "points_m": [[0, 0.5, 0], [1, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]}},
        "couplings": {"equal": {"coordinate": "b.angle", "follows": "a.angle", "ratio": 1}}})");
    const auto mechanism = made(file);
    EXPECT_EQ(mechanism->freedoms, 1);
    EXPECT_TRUE(mechanism->couplings[0].is_redundant);
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.steps = 100, setup.step_s = 1e-2;
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::ok);
    EXPECT_LE(end.constraint_residual, 1e-10);
    const InstanceEnd off =
        run_instances(*mechanism, {with_numbers(*mechanism, {{"couplings.equal.offset", 0.1}})}, setup).front();
    EXPECT_EQ(off.status, Status::assembly_failed);
    EXPECT_EQ(off.reason, Reason::constraints_inconsistent);
    // Behind all rows of the joints.
    EXPECT_EQ(off.worst_row, 20);
}

// Both coordinates of a coupling are given, and in one lane they contradict it.
TEST(Couplings, ThatNoStartMeetsHaveAStatusInEveryLaneAndHarmNoNeighbour) {
    json file = geared_pair();
    file["joints"]["shaft"]["angle_rad"] = 1.0, file["joints"]["axle"]["angle_rad"] = -0.3;
    const auto mechanism = made(file);
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.width = Width::packs;
    const std::size_t lanes = lanes_of_a_pack();
    const std::vector<std::vector<double>> sound(lanes, mechanism->nominal_kernel_parameters());
    const std::vector<InstanceEnd> expected = run_instances(*mechanism, sound, setup);
    for (std::size_t spoilt = 0; spoilt < lanes; ++spoilt) {
        auto instances = sound;
        instances[spoilt] = with_numbers(*mechanism, {{"joints.axle.angle_rad", 0.3}});
        const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
        EXPECT_EQ(ends[spoilt].status, Status::assembly_failed);
        EXPECT_EQ(ends[spoilt].worst_row, 10);
        for (std::size_t n = 0; n < lanes; ++n) {
            if (n == spoilt) continue;
            EXPECT_EQ(ends[n].status, Status::ok);
            EXPECT_TRUE(same_bits(ends[n].record, expected[n].record));
        }
    }
}

}  // namespace
}  // namespace myriad::mechanism
