// Drivers whose rates jump, and quantities within the steps of adaptive methods, on a tape: by the bits of the kernels.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tests/graph/bits_of_kernels.hpp"

namespace myriad::graph {
namespace {

using nlohmann::ordered_json;

constexpr int most_steps = 120;

ordered_json by_method(const std::string& name, double end_s) {
    if (name != "dopri5" && name != "ode23") return {{"name", name}, {"end_s", end_s}, {"step_s", end_s / 60.0}};
    const double tolerance = name == "dopri5" ? 1e-6 : 1e-4;
    return {{"name", name},
            {"end_s", end_s},
            {"largest_step_s", end_s},
            {"relative_tolerance", tolerance},
            {"absolute_tolerance", tolerance}};
}
template <class Number = double>
void expect_same_bits(ordered_json study, const ordered_json& integrator, bool fails = false) {
    study["integrator"] = integrator;
    if (!study.contains("instances")) study["instances"] = traced_instances;
    study["coordinates"] = "joint";
    if (sizeof(Number) == sizeof(float)) study["precision"] = "fp32";
    expect_the_bits_of_the_kernels<Number>(study::parse_study(study.dump(), "test", "."), most_steps, fails);
}

// Arms on pins, the first one on a cart that a driver moves; the places of corners differ from instance to instance.
ordered_json driven_cart(const std::string& way) {
    ordered_json study = ordered_json::parse(R"({
        "mechanism": {
            "parameters": {"begin_s": 0.1, "speed_m_s": 1.5},
            "gravity_m_s2": [0, 0, -9.81],
            "tables": {
                "zigzag": {"points": [[0, 0], [0.07, 0.1], [0.11, -0.05], [0.16, 0.2], [0.2, 0.1]],
                           "interpolation": "linear", "outside": "extend"},
                "hill": {"points": [[0, 0], [0.08, 0.05], [0.16, 0.02]], "interpolation": "monotone_cubic", "outside": "hold"}},
            "bodies": {
                "cart": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]},
                "arm": {"mass_kg": 1.2, "inertia_kg_m2": [0.03, 0.03, 0.01], "position_m": [0, 0, -0.4]},
                "tip": {"mass_kg": 0.7, "inertia_kg_m2": [0.02, 0.02, 0.01], "position_m": [0, 0, -1.0]}},
            "joints": {
                "rail": {"type": "prismatic", "bodies": ["ground", "cart"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[1, 0, 0], [1, 0, 0]]},
                "pin": {"type": "revolute", "bodies": ["cart", "arm"], "points_m": [[0, 0, 0], [0, 0, 0.4]],
                        "axes": [[0, 1, 0], [0, 1, 0]]},
                "wrist": {"type": "revolute", "bodies": ["arm", "tip"], "points_m": [[0, 0, -0.4], [0, 0, 0.2]],
                          "axes": [[0, 1, 0], [0, 1, 0]]}},
            "drivers": {"motor": {"type": "displacement", "joint": "rail"}},
            "sensors": {"rate": {"type": "rate", "joint": "pin"}, "angle": {"type": "angle", "joint": "wrist"},
                        "force": {"type": "reaction_force", "joint": "pin"}}},
        "observe": {"channels": ["position", "rate"]},
        "quantities": {
            "mean_rad_s": {"mean": "rate"}, "largest_rad_s": {"max": "rate"}, "least_N": {"min": "force.norm"},
            "when_s": {"time_of_max": "velocity.tip.norm"}, "swing_rad": {"min": "angle"},
            "passes_s": {"first_time_above": {"channel": "velocity.cart.x", "threshold": 0.8}},
            "before_rad_s": {"final": "rate", "to_s": 0.1}, "behind_rad_s": {"min": "rate", "from_s": 0.1},
            "way_m": {"mean": "position.tip.norm", "from_s": 0.03, "to_s": 0.17}, "work_J": {"max": "work"}}})");
    study["mechanism"]["drivers"]["motor"]["value_m"] = way;
    study["parameters"] = ordered_json::parse(R"({"parameters.begin_s": {"uniform": {"low": 0.02, "high": 0.15}},
        "parameters.speed_m_s": {"uniform": {"low": -2, "high": 2}}, "bodies.arm.mass_kg": {"uniform": {"low": 1, "high": 2}}})");
    return study;
}

struct JumpCase {
    const char* method;
    const char* way;
    bool fails;
    friend void PrintTo(const JumpCase& x, std::ostream* out) { *out << x.method << ", " << x.way; }
};
class TracedJump : public testing::TestWithParam<JumpCase> {};

TEST_P(TracedJump, OfADriverHasTheBitsOfTheKernels) {
    constexpr double end_s = 0.24;
    const JumpCase& given = GetParam();
    ordered_json study = driven_cart(given.way);
    const ordered_json integrator = by_method(given.method, end_s);
    if (integrator.contains("step_s"))
        study["observe"]["every_steps"] = 7;
    else
        study["observe"]["every_s"] = 0.011;
    expect_same_bits(study, integrator, given.fails);
}

std::vector<JumpCase> jump_cases() {
    std::vector<JumpCase> cases;
    for (const char* method : {"rk4", "rk67", "implicit_euler", "generalized_alpha", "dopri5", "ode23"})
        for (const char* way : {"max(0, speed_m_s * (t - begin_s))", "speed_m_s * zigzag(t - begin_s / 4)"})
            cases.push_back({method, way, false});
    for (const char* method : {"rk4", "dopri5"})
        for (const char* way :
             {"if(t < begin_s, 0, speed_m_s * min(t - begin_s, 0.05))", "speed_m_s * abs(sin(40 * t))",
              "speed_m_s * max(0, t - begin_s)^2", "hill(t - begin_s) + min(0.02, hill(2 * t))",
              "0.01 * speed_m_s * max(sin(700 * t), cos(300 * t))", "0.3 * t"})
            cases.push_back({method, way, false});
    for (const char* method : {"rk4", "generalized_alpha", "dopri5"})
        for (const char* way : {"if(t < begin_s, 0, 1)", "sqrt((t - begin_s)^2)"}) cases.push_back({method, way, true});
    return cases;
}
INSTANTIATE_TEST_SUITE_P(Cart, TracedJump, testing::ValuesIn(jump_cases()));

// A crank, a coupler and a rocker, whose crank is driven: the jump goes through the rows of the loop.
ordered_json driven_loop(const char* way) {
    ordered_json study = ordered_json::parse(R"({
        "mechanism": {
            "parameters": {"begin_s": 0.1},
            "gravity_m_s2": [0, -9.81, 0],
            "bodies": {
                "crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0.1, 0]},
                "coupler": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.3, 0.2, 0]},
                "rocker": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0.6, 0.1, 0]}},
            "joints": {
                "a": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [0, -0.1, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
                "b": {"type": "revolute", "bodies": ["crank", "coupler"], "points_m": [[0, 0.1, 0], [-0.3, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
                "c": {"type": "revolute", "bodies": ["coupler", "rocker"], "points_m": [[0.3, 0, 0], [0, 0.1, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
                "d": {"type": "revolute", "bodies": ["ground", "rocker"], "points_m": [[0.6, 0, 0], [0, -0.1, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]}},
            "drivers": {"motor": {"type": "angle", "joint": "a"}},
            "sensors": {"rate": {"type": "rate", "joint": "d"}, "torque": {"type": "driver_torque", "driver": "motor"}}},
        "quantities": {"mean_rad_s": {"mean": "rate"}, "largest_rad_s": {"max": "rate"},
                       "end_before_rad_s": {"final": "rate", "to_s": 0.1}}})");
    study["mechanism"]["drivers"]["motor"]["value_rad"] = way;
    study["mechanism"]["sensors"].erase("torque");
    study["parameters"] = ordered_json::parse(R"({"parameters.begin_s": {"uniform": {"low": 0.02, "high": 0.15}},
        "bodies.coupler.mass_kg": {"uniform": {"low": 1, "high": 3}}})");
    return study;
}
TEST(TracedJumps, GoThroughTheRowsOfALoopByTheBitsOfTheKernels) {
    constexpr double end_s = 0.2;
    for (const char* method : {"rk4", "kinematics", "implicit_euler", "generalized_alpha", "dopri5"})
        for (const char* way : {"0.9 * max(0, t - begin_s)", "0.6 * min(t, begin_s) + 0.2 * t"}) {
            SCOPED_TRACE(std::string(method) + " " + way);
            expect_same_bits(driven_loop(way), by_method(method, end_s));
        }
}
// Nothing is asked of the two sides of a jump.
TEST(TracedJumps, WithoutQuantitiesHaveTheBitsOfTheKernels) {
    ordered_json study = driven_loop("0.9 * max(0, t - begin_s)");
    study.erase("quantities");
    for (const char* method : {"implicit_euler", "dopri5"}) expect_same_bits(study, by_method(method, 0.2));
}
TEST(TracedJumps, InSinglePrecisionHaveTheBitsOfTheKernels) {
    ordered_json study = driven_loop("0.9 * max(0, t - begin_s)");
    for (const char* method : {"rk4", "generalized_alpha"}) expect_same_bits<float>(study, by_method(method, 0.2));
    ordered_json adaptive = by_method("dopri5", 0.2);
    adaptive["relative_tolerance"] = adaptive["absolute_tolerance"] = 1e-4;
    expect_same_bits<float>(study, adaptive);
}
// A driver of the distance between two bodies is a row, not a coordinate.
TEST(TracedJumps, OfRowsBetweenBodiesHaveTheBitsOfTheKernels) {
    ordered_json study = driven_cart("0.1 * t");
    study.erase("observe");
    study["mechanism"]["drivers"]["line"] = ordered_json::parse(R"({"type": "D", "bodies": ["ground", "tip"],
        "points_m": [[0.5, 0, 0], [0, 0, -0.1]], "value_m": "sqrt(0.5^2 + 1.1^2) + max(0, t - begin_s) * 0.3"})");
    for (const char* method : {"rk4", "generalized_alpha", "dopri5"}) {
        SCOPED_TRACE(method);
        expect_same_bits(study, by_method(method, 0.2));
    }
}

// Bodies that turn far in a step: one on a spherical joint, one on a pin, and a free one.
TEST(TracedSteps, HaveTheBitsOfTheKernelsWithinThem) {
    ordered_json study = ordered_json::parse(R"({
        "mechanism": {
            "gravity_m_s2": [0, 0, -9.81],
            "bodies": {
                "top": {"mass_kg": 1, "inertia_kg_m2": [0.05, 0.06, 0.02], "position_m": [0.2, 0, 0.3]},
                "flag": {"mass_kg": 0.4, "inertia_kg_m2": [0.004, 0.003, 0.002], "position_m": [0.6, 0, 0.3]},
                "stone": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.02, 0.03], "velocity_m_s": [1, 0, 3],
                          "angular_velocity_rad_s": [20, 30, -5]}},
            "joints": {
                "ball": {"type": "spherical", "bodies": ["ground", "top"], "points_m": [[0, 0, 0.3], [-0.2, 0, 0]],
                         "angular_velocity_rad_s": [9, 4, 30]},
                "pin": {"type": "revolute", "bodies": ["top", "flag"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]],
                        "axes": [[0, 0, 1], [0, 0, 1]], "rate_rad_s": -60}},
            "sensors": {"angle": {"type": "angle", "joint": "pin"}, "rate": {"type": "rate", "joint": "pin"}}},
        "quantities": {
            "highest_m": {"max": "position.flag.z"}, "when_s": {"time_of_min": "position.flag.x"},
            "passes_s": {"first_time_below": {"channel": "position.flag.y", "threshold": -0.3}},
            "mean_m": {"mean": "position.stone.norm"}, "least_m_s": {"min": "velocity.flag.norm"},
            "turned": {"max": "orientation.stone.x"}, "angle_rad": {"final": "angle", "to_s": 0.31},
            "in_window_rad_s": {"max": "rate", "from_s": 0.1, "to_s": 0.3}, "energy_J": {"mean": "kinetic_energy"}},
        "parameters": {"joints.pin.rate_rad_s": {"uniform": {"low": -90, "high": 90}},
                       "bodies.flag.mass_kg": {"uniform": {"low": 0.3, "high": 0.6}}}})");
    for (const double tolerance : {1e-2, 1e-5})
        for (const char* method : {"dopri5", "ode23"}) {
            SCOPED_TRACE(std::string(method) + " " + std::to_string(tolerance));
            ordered_json integrator = by_method(method, 0.4);
            integrator["relative_tolerance"] = integrator["absolute_tolerance"] = tolerance;
            expect_same_bits(study, integrator);
        }
}

}  // namespace
}  // namespace myriad::graph
