// Loads, masses and lengths of mechanisms that change on the way, in both coordinates and by every family of methods,
// against closed forms: a thrown body, a body held by a joint, a sphere at rest, a pendulum whose arm grows.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/ensemble/stepped_ensemble.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {
namespace {

using nlohmann::json;

constexpr double step_s = 1e-2, end_s = 1.0;

struct Method {
    const char *name, *coordinates;
    friend void PrintTo(const Method& method, std::ostream* out) {
        *out << method.name << " in " << method.coordinates << " coordinates";
    }
};
constexpr Method implicit_and_explicit[] = {{"rk4", "joint"},
                                            {"dopri5", "joint"},
                                            {"generalized_alpha", "joint"},
                                            {"implicit_euler", "joint"},
                                            {"rk4", "body"},
                                            {"dopri5", "body"},
                                            {"generalized_alpha", "body"},
                                            {"implicit_euler", "body"},
                                            {"energy_momentum", "body"},
                                            {"livens_midpoint", "body"},
                                            {"energy_momentum_convective", "body"}};
constexpr Method with_contacts[] = {{"nonsmooth_generalized_alpha", "joint"},
                                    {"nonsmooth_bathe", "joint"},
                                    {"moreau_midpoint", "joint"},
                                    {"half_explicit", "joint"},
                                    {"nonsmooth_ed_alpha", "joint"},
                                    {"nonsmooth_ed_alpha", "body"},
                                    {"nonsmooth_generalized_alpha", "body"},
                                    {"nonsmooth_bathe", "body"},
                                    {"moreau_midpoint", "body"},
                                    {"half_explicit", "body"}};

json integrator(const std::string& name) {
    json made{{"name", name}, {"end_s", end_s}};
    if (name == "dopri5")
        made["relative_tolerance"] = 1e-9, made["absolute_tolerance"] = 1e-10;
    else
        made["step_s"] = step_s;
    if (name != "rk4" && name != "dopri5" && name != "half_explicit" && name != "moreau_midpoint")
        made["newton_tolerance"] = 1e-12;
    return made;
}

// One instance for each value of a parameter, which the study varies.
SteppedEnsemble begun(const Method& method, json mechanism, const std::string& parameter, double from, double to,
                      std::uint64_t instances) {
    mechanism["coordinates"] = method.coordinates;
    json varied{{"uniform", {{"low", from}, {"high", to}}}};
    if (instances > 1) varied["levels"] = instances;
    json study{{"mechanism", std::move(mechanism)}, {"integrator", integrator(method.name)}, {"instances", instances}};
    study["parameters"][parameter] = varied;
    study["design"] = instances > 1 ? json{{"kind", "grid"}} : json{{"kind", "monte_carlo"}, {"seed", 1}};
    return {std::make_shared<study::Study>(study::parse_study(study.dump(), "test", ".")), {0, instances}, "cpu", {}};
}

std::vector<double> channel(const SteppedEnsemble& ensemble, const std::string& address) {
    const int wanted = ensemble.study().system->scalar_channel(address, "test");
    return ensemble.steps().channels({&wanted, 1});
}

// An adaptive method may have taken the rest of the span in one step.
void expect_running(const SteppedEnsemble& ensemble) {
    for (const std::int32_t status : ensemble.steps().statuses())
        ASSERT_TRUE(status == static_cast<std::int32_t>(Status::running) ||
                    (ensemble.study().integrator.adaptive && status == static_cast<std::int32_t>(Status::ok)))
            << status;
}

const json block = {
    {"gravity_m_s2", {0.0, 0.0, "acceleration_m_s2"}},
    {"parameters", {{"acceleration_m_s2", -9.81}}},
    {"bodies",
     {{"block", {{"mass_kg", 2.0}, {"inertia_kg_m2", {0.1, 0.2, 0.25}}, {"velocity_m_s", {0.0, 1.0, 3.0}}}}}}};

// A body under a constant force is in reach of every method: of order 2 or more to round-off, and implicit Euler's is a
// sum. One stage with the old force would be an error of a hundredth of a metre per second.
class ThrownBody : public testing::TestWithParam<Method> {};
TEST_P(ThrownBody, FollowsTheWeightThatItHas) {
    for (const std::uint64_t count : {1, 31, 33, 1000}) {
        auto ensemble = begun(GetParam(), block, "parameters.acceleration_m_s2", -12.0, -2.0, count);
        const bool is_euler = std::string(GetParam().name) == "implicit_euler";
        std::vector<double> z(count, 0.0), w(count, 3.0), before_s(count, 0.0), acceleration = ensemble.parameters();
        for (const double until_s : {0.2, 0.4, 0.45, 0.8}) {
            ensemble.advance_to(until_s, {});
            const std::vector<double> times = ensemble.steps().times_s();
            for (std::uint64_t i = 0; i < count; ++i) {
                const double t = times[i] - before_s[i], sum = is_euler ? t * (t + step_s) : t * t;
                z[i] += w[i] * t + 0.5 * acceleration[i] * sum, w[i] += acceleration[i] * t;
                before_s[i] = times[i];
            }
            const std::vector<double> height = channel(ensemble, "position.block.z"),
                                      rate = channel(ensemble, "velocity.block.z");
            constexpr double tolerance = 1e-11;  // round-off, and what Newton's tolerance leaves in 80 steps
            for (std::uint64_t i = 0; i < count; ++i) {
                ASSERT_NEAR(rate[i], w[i], tolerance) << until_s << ", " << i;
                ASSERT_NEAR(height[i], z[i], tolerance) << until_s << ", " << i;
            }
            for (std::uint64_t i = 0; i < count; ++i)
                acceleration[i] = -acceleration[i] + 0.01 * static_cast<double>(i);
            ensemble.set_parameters(acceleration, until_s < 0.3);
        }
        expect_running(ensemble);
    }
}
INSTANTIATE_TEST_SUITE_P(Methods, ThrownBody, testing::ValuesIn(implicit_and_explicit));
INSTANTIATE_TEST_SUITE_P(MethodsForContact, ThrownBody, testing::ValuesIn(with_contacts));

// What a joint holds is its weight, and so it is as soon as the weight has changed, before any step.
class HeldBody : public testing::TestWithParam<Method> {};
TEST_P(HeldBody, HangsOnItsJointByTheNewWeightAtOnce) {
    json held = block;
    held["bodies"]["block"].erase("velocity_m_s");
    held["joints"]["rail"] = {{"type", "prismatic"},
                              {"bodies", {"ground", "block"}},
                              {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                              {"axes", {{1, 0, 0}, {1, 0, 0}}},
                              {"references", {{0, 1, 0}, {0, 1, 0}}}};
    held["sensors"]["weight"] = {{"type", "reaction_force"}, {"joint", "rail"}};
    auto ensemble = begun(GetParam(), held, "parameters.acceleration_m_s2", -12.0, -2.0, 33);
    const auto expect_weight = [&] {
        const std::vector<double> force = channel(ensemble, "weight.z"), acceleration = ensemble.parameters();
        for (std::size_t i = 0; i < force.size(); ++i)
            ASSERT_NEAR(std::abs(force[i]), 2.0 * std::abs(acceleration[i]), 1e-9) << i;
    };
    expect_weight();
    ensemble.advance_to(0.1, {});
    expect_weight();
    std::vector<double> others = ensemble.parameters();
    for (double& acceleration : others) acceleration *= 1.5;
    ensemble.set_parameters(others, true);
    expect_weight();
    ensemble.advance_to(0.11, {});
    expect_weight();
    expect_running(ensemble);
}
INSTANTIATE_TEST_SUITE_P(Methods, HeldBody,
                         testing::Values(Method{"generalized_alpha", "joint"}, Method{"implicit_euler", "joint"},
                                         Method{"rk4", "joint"}, Method{"generalized_alpha", "body"},
                                         Method{"implicit_euler", "body"}));

// A ball at rest stays so, by a force that is its new weight before and after the next step.
class RestingSphere : public testing::TestWithParam<Method> {};
TEST_P(RestingSphere, PressesTheGroundByItsNewWeight) {
    const json sphere = {
        {"gravity_m_s2", {0.0, 0.0, "acceleration_m_s2"}},
        {"parameters", {{"acceleration_m_s2", -9.81}}},
        {"bodies",
         {{"ball", {{"mass_kg", 3.0}, {"inertia_kg_m2", {0.03, 0.03, 0.03}}, {"position_m", {0.0, 0.0, 0.25}}}}}},
        {"contacts",
         {{"floor",
           {{"type", "sphere_plane"},
            {"bodies", {"ground", "ball"}},
            {"plane_point_m", {0.0, 0.0, 0.0}},
            {"plane_normal", {0.0, 0.0, 1.0}},
            {"point_m", {0.0, 0.0, 0.0}},
            {"radius_m", 0.25},
            {"friction", 0.3}}}}}};
    auto ensemble = begun(GetParam(), sphere, "parameters.acceleration_m_s2", -12.0, -2.0, 33);
    const auto expect_weight = [&] {
        const std::vector<double> force = channel(ensemble, "contact_force.floor.normal"),
                                  z = channel(ensemble, "position.ball.z"), acceleration = ensemble.parameters();
        for (std::size_t i = 0; i < force.size(); ++i) {
            ASSERT_NEAR(force[i], -3.0 * acceleration[i], 1e-8) << i;
            ASSERT_NEAR(z[i], 0.25, 1e-11) << i;
        }
    };
    ensemble.advance_to(0.1, {});
    expect_weight();
    std::vector<double> others = ensemble.parameters();
    for (double& acceleration : others) acceleration *= 2.0;
    ensemble.set_parameters(others, true);
    expect_weight();
    ensemble.advance_to(0.3, {});
    expect_weight();
    for (const double error : channel(ensemble, "energy_balance_error")) EXPECT_LT(error, 1e-10);
    expect_running(ensemble);
}
INSTANTIATE_TEST_SUITE_P(MethodsForContact, RestingSphere, testing::ValuesIn(with_contacts));

// An arm that grows by a tenth carries its body out, along with it in a tree and by the least motion where it is a row;
// it is no catapult, which a step would be that closed the gap.
class GrowingArm : public testing::TestWithParam<Method> {};
TEST_P(GrowingArm, CarriesItsBodyOutAndThrowsItNot) {
    const json pendulum = {
        {"gravity_m_s2", {0.0, 0.0, -9.81}},
        {"parameters", {{"arm_m", 1.0}}},
        {"bodies",
         {{"bob",
           {{"mass_kg", 2.0},
            {"inertia_kg_m2", {0.1, 0.1, 0.05}},
            {"position_m", {0.0, 0.0, "-arm_m"}},
            {"velocity_m_s", {"2 * arm_m", 0.0, 0.0}},
            {"angular_velocity_rad_s", {0.0, -2.0, 0.0}}}}}},
        {"joints",
         {{"pivot",
           {{"type", "spherical"}, {"bodies", {"ground", "bob"}}, {"points_m", {{0, 0, 0}, {0, 0, "arm_m"}}}}}}}};
    auto ensemble = begun(GetParam(), pendulum, "parameters.arm_m", 0.9, 1.1, 31);
    ensemble.advance_to(0.2, {});
    const std::vector<double> before = channel(ensemble, "kinetic_energy");
    std::vector<double> arms = ensemble.parameters();
    for (double& arm : arms) arm *= 1.1;
    ensemble.set_parameters(arms, true);
    ensemble.advance_to(0.21, {});
    const std::vector<double> x = channel(ensemble, "position.bob.x"), z = channel(ensemble, "position.bob.z"),
                              after = channel(ensemble, "kinetic_energy");
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(std::hypot(x[i], z[i]), arms[i], 1e-9);
        // Rates of the joint stay in a tree, momenta where the row is met: a fifth more energy or less.
        EXPECT_LT(std::abs(after[i] - before[i]), 0.3 * before[i]);
    }
    ensemble.advance_to(0.8, {});
    expect_running(ensemble);
}
INSTANTIATE_TEST_SUITE_P(Methods, GrowingArm,
                         testing::Values(Method{"rk4", "joint"}, Method{"generalized_alpha", "joint"},
                                         Method{"generalized_alpha", "body"}, Method{"implicit_euler", "body"},
                                         Method{"energy_momentum_convective", "body"},
                                         Method{"nonsmooth_generalized_alpha", "body"}));

// Lengths that the loop cannot be closed with end an instance, and say so.
class Loop : public testing::TestWithParam<Method> {};
TEST_P(Loop, IsClosedWithItsNewLengthOrEnds) {
    const json about_z = {{0, 0, 1}, {0, 0, 1}},
               reach = "sqrt(max(rod_m^2 - 0.09, 0.01))";  // the slider's line is 0.3 m aside
    const json crank = {{"parameters", {{"rod_m", 0.5}}},
                        {"bodies",
                         {{"crank",
                           {{"mass_kg", 1.0},
                            {"inertia_kg_m2", {0.01, 0.01, 0.01}},
                            {"position_m", {0.1, 0.0, 0.0}},
                            {"angular_velocity_rad_s", {0.0, 0.0, 2.0}}}},
                          {"rod",
                           {{"mass_kg", 1.0},
                            {"inertia_kg_m2", {0.02, 0.02, 0.02}},
                            {"position_m", {"0.2 + sqrt(max(rod_m^2 - 0.09, 0.01)) / 2", -0.15, 0.0}},
                            {"orientation", {{"x_axis", {reach, -0.3, 0.0}}, {"y_axis", {0.3, reach, 0.0}}}}}},
                          {"slider",
                           {{"mass_kg", 1.0},
                            {"inertia_kg_m2", {0.01, 0.01, 0.01}},
                            {"position_m", {"0.2 + sqrt(max(rod_m^2 - 0.09, 0.01))", -0.3, 0.0}}}}}},
                        {"joints",
                         {{"pivot",
                           {{"type", "revolute"},
                            {"bodies", {"ground", "crank"}},
                            {"points_m", {{0, 0, 0}, {-0.1, 0, 0}}},
                            {"axes", about_z}}},
                          {"pin",
                           {{"type", "revolute"},
                            {"bodies", {"crank", "rod"}},
                            {"points_m", {{0.1, 0, 0}, {"-rod_m / 2", 0, 0}}},
                            {"axes", about_z}}},
                          {"cross",
                           {{"type", "revolute"},
                            {"bodies", {"rod", "slider"}},
                            {"points_m", {{"rod_m / 2", 0, 0}, {0, 0, 0}}},
                            {"axes", about_z}}},
                          {"guide",
                           {{"type", "prismatic"},
                            {"bodies", {"ground", "slider"}},
                            {"points_m", {{0, -0.3, 0}, {0, 0, 0}}},
                            {"axes", {{1, 0, 0}, {1, 0, 0}}},
                            {"references", {{0, 1, 0}, {0, 1, 0}}}}}}}};
    auto ensemble = begun(GetParam(), crank, "parameters.rod_m", 0.4, 0.6, 33);
    ensemble.advance_to(0.5, {});
    expect_running(ensemble);
    std::vector<double> rods = ensemble.parameters();
    for (double& rod : rods) rod *= 1.05;
    rods[7] = 0.02;
    ensemble.set_parameters(rods, false);
    ensemble.advance_to(0.51, {});
    const std::vector<std::int32_t> status = ensemble.steps().statuses();
    const std::vector<double> residual = channel(ensemble, "constraint_residual");
    for (std::size_t i = 0; i < rods.size(); ++i) {
        EXPECT_EQ(status[i], static_cast<std::int32_t>(i == 7 ? Status::assembly_failed : Status::running)) << i;
        if (i != 7) EXPECT_LT(residual[i], 1e-9) << i;
    }
    EXPECT_EQ(ensemble.chunk().reason[7], static_cast<int>(Reason::loop_does_not_close));
    ensemble.advance_to(0.9, {});
    EXPECT_EQ(std::ranges::count(ensemble.steps().statuses(), static_cast<std::int32_t>(Status::running)), 32);
}
INSTANTIATE_TEST_SUITE_P(Methods, Loop,
                         testing::Values(Method{"rk4", "joint"}, Method{"generalized_alpha", "joint"},
                                         Method{"generalized_alpha", "body"}, Method{"implicit_euler", "body"}));

}  // namespace
}  // namespace myriad::ensemble
