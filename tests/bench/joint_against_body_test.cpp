// The page that sets joint beside body coordinates: which mechanisms, and what it says of them.
#include "papers/own/joint_against_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "host/mechanism/mechanism.hpp"
#include "host/validation/runs/embedded_mechanisms.hpp"

namespace myriad::bench {
namespace {

// Bodies, joints and drivers of each file, counted by hand: with six freedoms of a body, r rows of a joint.
TEST(JointAgainstBody, UnknownsAreTheTreesFreedomsAndTheRowsOutsideIt) {
    struct Counted {
        int joint, body;
    };
    const std::map<std::string, Counted> expected = {
        {"pendulum", {1 + 1, 6 + 5 + 1}},  // the driver is a row, DP1
        {"double_pendulum", {2, 12 + 10}},
        {"heavy_top", {3, 6 + 3}},
        {"slider_crank_iftomm", {4 + 3, 18 + 5 + 3 + 4 + 5}},        // the ball closes the loop
        {"slider_crank_haug", {5 - 1 + 4, 18 + 5 + 3 + 5 + 4 + 1}},  // a prescribed angle; DP1, two DP2, D
        {"four_link", {4 - 1 + 3, 18 + 5 + 4 + 3 + 5 + 1}},          // a prescribed angle
        {"four_bar_loop", {6 + 9 + 3, 24 + 12}},                     // a free joint, three corners and a cut one
    };
    for (const auto& [mechanism, counted] : expected) {
        const UnknownsInBoth found = unknowns_in_both(mechanism);
        EXPECT_EQ(found.joint, counted.joint) << mechanism;
        EXPECT_EQ(found.body, counted.body) << mechanism;
    }
    const UnknownsInBoth robot = unknowns_in_both("puma560"), rotor = unknowns_in_both("high_speed_rotor");
    EXPECT_EQ(robot.joint, 6) << "controllers act on the coordinates";
    EXPECT_GE(robot.body, 36 + 30);
    EXPECT_EQ(rotor.joint, rotor.body) << "one free body has the same unknowns in both";
}

TEST(JointAgainstBody, ThePageHasEveryBundledMechanismThatJointCoordinatesTake) {
    std::set<std::string> expected,
        has(std::begin(mechanisms_in_both_coordinates), std::end(mechanisms_in_both_coordinates));
    for (int i = 0; i < embedded_mechanism_file_count; ++i) {
        const std::string file = embedded_mechanism_files[i].name;
        const auto parsed = mechanism::parse_mechanism(embedded_mechanism_files[i].text, file);
        if (!parsed->body_coordinates_because.empty() || !parsed->contacts.empty()) continue;
        const std::size_t folder = file.rfind('/') + 1;
        const std::string name = file.substr(folder, file.rfind('.') - folder);
        // The schemes for contact meet on three masses: papers/nonsmooth compares these.
        if (!name.starts_with("three_masses")) expected.insert(name);
    }
    EXPECT_EQ(has, expected);
    std::set<std::string> run;
    for (const CoordinatesCase& compared : coordinates_cases(one_thread())) run.insert(compared.goal.mechanism);
    EXPECT_EQ(run, expected);
}

TEST(JointAgainstBody, BothCoordinatesReachTheKnownMotionWithTheOrderOfTheMethod) {
    const Machine machine = one_thread();
    // The next term of the error at the largest steps of the page, and the tenth of it that the known digits may be.
    constexpr double tolerance = 0.3;
    int compared_orders = 0;
    for (CoordinatesCase compared : coordinates_cases(machine)) {
        if (compared.integrator != "generalized_alpha") continue;
        // The larger steps of the page stall with the simplified matrix.
        if (compared.goal.mechanism == "four_bar_loop") compared.largest_step_s /= 4.0;
        const Sweep made = sweep(compared.goal, coordinates_of(compared), halved(compared.largest_step_s, 2), machine);
        for (const char* coordinates : {"joint", "body"}) {
            const double order = order_of(compared, made, coordinates);
            if (std::isnan(order)) {
                EXPECT_LT(made.at(1, coordinates).error, 10.0 * compared.digits)
                    << compared.goal.mechanism << " in " << coordinates << " coordinates did not end well";
                continue;
            }
            ++compared_orders;
            EXPECT_NEAR(order, 2.0, tolerance) << compared.goal.mechanism << " in " << coordinates << " coordinates";
        }
    }
    EXPECT_GE(compared_orders, 16);
}

// Of mechanisms of angles and slides. A body on a spherical or free joint costs as much in both.
TEST(JointAgainstBody, AStepOfAnglesAndSlidesHasFewerThanHalfOfTheOperations) {
    const std::set<std::string> of_angles_and_slides = {"pendulum",  "double_pendulum",     "puma560",
                                                        "four_link", "slider_crank_iftomm", "slider_crank_haug"};
    for (const CoordinatesCase& compared : coordinates_cases(one_thread())) {
        const long long joint = flops_of(compared, "joint");
        EXPECT_GT(joint, 0) << compared.goal.mechanism << " by " << compared.integrator;
        if (!compared.takes_body || !of_angles_and_slides.contains(compared.goal.mechanism)) continue;
        EXPECT_LT(2 * joint, flops_of(compared, "body")) << compared.goal.mechanism << " by " << compared.integrator;
    }
}

TEST(JointAgainstBody, TheLargestStepReachesTheErrorAndALargerOneDoesNot) {
    const Machine machine = one_thread();
    const Goal goal = rods_at_3_s();
    const double wanted_m = 1e-3;
    const validation::Method rk4{.integrator = "rk4", .coordinates = "joint"};
    const LargestStep found = largest_step(goal, rk4, wanted_m, machine);
    EXPECT_LE(found.error, wanted_m);
    validation::Method larger = rk4;
    larger.step_s = goal.end_s / std::floor(goal.end_s / (1.03 * found.step_s));
    EXPECT_GT(run_towards(goal, larger, machine).error, wanted_m);
    EXPECT_TRUE(std::isnan(largest_step(goal, rk4, 0.0, machine, 1024).step_s)) << "no step reaches an error of 0";
}

}  // namespace
}  // namespace myriad::bench
