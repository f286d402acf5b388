// A step that the simplified matrix does not solve is begun again by the exact one: the motion is that of a run by the
// exact matrix and of the reference path, whoever stands beside the instance.
#include <gtest/gtest.h>

#include "host/backends/backends.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {
namespace {

// Two rods that fall from spherical joints; the upper one has one of these masses.
std::string rods(const std::string& matrix, const std::string& method, const std::string& masses, int instances) {
    return R"({"mechanism": {"gravity_m_s2": [0, 0, -9.81], "bodies": {
            "upper": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.09, 0.09], "position_m": [0.5, 0, 0],
                      "angular_velocity_rad_s": [3, 1, 0.5]},
            "lower": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.09, 0.09], "position_m": [1.5, 0, 0]}},
        "joints": {
            "hook": {"type": "spherical", "bodies": ["ground", "upper"], "points_m": [[0, 0, 0], [-0.5, 0, 0]]},
            "ball": {"type": "spherical", "bodies": ["upper", "lower"], "points_m": [[0.5, 0, 0], [-0.5, 0, 0]]}}},
        "integrator": {"name": )" +
           method + R"(, "end_s": 0.6, "newton_tolerance": 1e-12, "iteration_matrix": ")" + matrix +
           R"("}, "parameters": {"bodies.upper.mass_kg": )" + masses + R"(},
        "observe": {"every_s": 0.1, "channels": ["position", "angular_velocity", "energy", "newton_iterations"]},
        "instances": )" +
           std::to_string(instances) + "}";
}

// Newton's method leaves an error of positions, over a step in rates, and the motion lets it grow.
constexpr double tolerance = 1e-8;

class SecondTry : public testing::TestWithParam<const char*> {};

TEST_P(SecondTry, GoesOnAsTheExactMatrixAndTheReferencePathDo) {
    const auto cpu = backends::make_backend("cpu", {}), reference = backends::make_backend("reference", {});
    const std::string masses = R"({"uniform": {"low": 0.9, "high": 1.1}})";
    const FinishedRun again = run_text(rods("simplified", GetParam(), masses, 33), *cpu),
                      exact = run_text(rods("exact", GetParam(), masses, 33), *cpu);
    ASSERT_TRUE(again.ok(7));
    ASSERT_TRUE(exact.ok(7));
    // Without a second try some step would need more than its limit of 12.
    EXPECT_GT(again.invariant_drift("newton_iterations_in_a_step", 7), 12.0);
    const FinishedRun twin = run_text(rods("simplified", GetParam(), masses, 33), *reference);
    for (const char* channel : {"position.lower.x", "position.lower.z", "angular_velocity.upper.y", "energy"})
        for (const double time_s : {0.2, 0.6}) {
            const double value = again.observed(channel, time_s, 7);
            EXPECT_NEAR(value, exact.observed(channel, time_s, 7), tolerance) << channel;
            EXPECT_NEAR(value, twin.observed(channel, time_s, 7), tolerance) << channel;
        }
}

INSTANTIATE_TEST_SUITE_P(Methods, SecondTry,
                         testing::Values(R"("generalized_alpha", "step_s": 0.02)",
                                         R"("implicit_euler", "step_s": 0.01)"));

}  // namespace
}  // namespace myriad::validation
