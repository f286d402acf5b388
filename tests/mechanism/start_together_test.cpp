// Given velocities that several joints must meet together, against the least kinetic energy of chains of rods by hand.
#include <Eigen/Dense>
#include <cmath>

#include "tests/mechanism/starts.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

TEST(StartMotion, OfSeveralJointsInwardOfAGivenVelocityHasTheLeastKineticEnergy) {
    // 2 E = w_0^2 / 3 + w_1^2 / 12 + (w_0 + w_1 / 2)^2
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({-1.875, 5}));
    text["bodies"]["rod_1"].erase("angular_velocity_rad_s");
    text["bodies"]["rod_1"]["velocity_m_s"] = {0, 3, 0};
    expect_start(text, turning_rods({1.5, 3}));
    // A cut changes nothing.
    text["joints"]["hinge_1"]["cut"] = true;
    expect_start(text, turning_rods({1.5, 3}));
    // Of three, w_2 = 5: by the gradients in w_0 and w_1 of the sum of w_i^2 / 12 + v_i^2.
    text = rods_in_line(3);
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, 5};
    Eigen::Matrix2d energy;
    energy << 1.0 / 3.0 + 2.0, 0.5 + 1.0, 0.5 + 1.0, 1.0 / 3.0 + 1.0;
    const Eigen::Vector2d rates = energy.fullPivLu().solve(Eigen::Vector2d(-2.5, -2.5));
    expect_start(text, turning_rods({rates[0], rates[1], 5}));
}

TEST(StartMotion, OfJointsOutwardOfAGivenVelocityIsNone) {
    // The third rod turns with the second one: 2 E = w_0^2 / 3 + (w_0 + 5 / 2)^2 + (w_0 + 15 / 2)^2 + ...
    json text = rods_in_line(3);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({-30.0 / 7.0, 5, 5}));
}

TEST(StartMotion, OfTwoBranchesWithGivenVelocitiesIsMetByTheirTrunk) {
    // 2 E = w^2 / 3 + (w + 3 / 2)^2 + (w - 1 / 2)^2 + ...
    json text = rods_in_line(3);
    text["bodies"]["rod_2"]["position_m"] = {1.5, 0, 0};
    text["joints"]["hinge_2"]["bodies"] = {"rod_0", "rod_2"};
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 3};
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, -1};
    const double w = -3.0 / 7.0;
    expect_start(text, {{0, 0.5 * w, 0, 0, 0, w}, {0, w + 1.5, 0, 0, 0, 3}, {0, w - 0.5, 0, 0, 0, -1}});
}

TEST(StartMotion, OfJointsBetweenCountsFromACarrierWhoseMotionIsKnown) {
    // A cart that is given 1 m/s takes its rods along, whose outer one turns by little beside this.
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 0.05};
    text["bodies"]["cart"] = start_body(2.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["cart"]["velocity_m_s"] = {0, 1, 0};
    text["joints"]["rail"] = start_joint("prismatic", "ground", "cart", {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["joints"]["hinge_0"]["bodies"] = {"cart", "rod_0"};
    std::vector<std::vector<double>> bodies = turning_rods({-0.01875, 0.05}, 1.0);
    bodies.insert(bodies.begin(), {0, 1, 0, 0, 0, 0});
    expect_start(text, bodies);
    // So does a driver that turns the first of three rods: beside its 2 rad/s, 2 E = w^2 / 3 + (w + 3 / 2)^2 + ...
    text = rods_in_line(3);
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "hinge_0"}, {"value_rad", "2 * t"}};
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({2, 2 - 1.125, 5}));
}

TEST(StartMotion, OfAFreeBodyInwardOfAGivenVelocityKeepsTheirMomentumAtRest) {
    json text = rods_in_line(2);
    text["joints"].erase("hinge_0");
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, {{0, -0.5, 0, 0, 0, -3}, {0, 0.5, 0, 0, 0, 5}});
}

TEST(StartMotion, ThatSeveralJointsCannotMeetGivesWay) {
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["velocity_m_s"] = {2, 0, 0};
    expect_start(text, turning_rods({0, 0}), 2.0 / 0.5);
}

TEST(StartMotion, OfJointsInSpaceIsTheSameInBothCoordinatesAndOnTheReferencePath) {
    json text;
    text["bodies"]["arm"] = start_body(2.0, {0.2, 0.3, 0.25}, {0.4, 0.1, -0.2});
    text["bodies"]["fork"] = start_body(1.0, {0.02, 0.05, 0.04}, {0.9, 0.5, 0.1});
    text["bodies"]["disc"] = start_body(0.5, {0.01, 0.02, 0.015}, {1.3, 0.4, 0.6});
    text["bodies"]["rider"] = start_body(0.7, {0.03, 0.02, 0.01}, {1.2, 0.9, 0.3});
    text["joints"]["cross"] = start_joint("universal", "ground", "arm", {0, 0, 0}, {-0.4, -0.1, 0.2}, {});
    text["joints"]["cross"]["axes"] = {{1, 0, 0}, {0, 0.6, 0.8}};
    text["joints"]["ball"] = start_joint("spherical", "arm", "fork", {0.3, 0.2, 0.1}, {-0.2, -0.2, -0.2}, {});
    text["joints"]["pin"] =
        start_joint("cylindrical", "fork", "disc", {0.2, 0.1, 0.3}, {-0.2, 0.2, -0.2}, {0.6, 0, 0.8});
    text["joints"]["hinge"] = start_joint("revolute", "fork", "rider", {0.1, 0.2, 0.1}, {-0.2, -0.2, -0.1}, {0, 1, 0});
    text["bodies"]["disc"]["velocity_m_s"] = {0.4, -0.3, 0.8};
    text["bodies"]["disc"]["angular_velocity_rad_s"] = {1.0, 2.0, -0.5};
    const auto mechanism = made(text);
    const std::vector<Start> all = starts(*mechanism, mechanism->nominal_kernel_parameters());
    for (const Start& start : all) {
        SCOPED_TRACE(start.path);
        for (std::size_t b = 0; b < start.bodies.size(); ++b)
            for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(start.bodies[b][k], all[0].bodies[b][k], consistent);
        EXPECT_NEAR(start.bodies[1][0], 0.4, consistent);
        EXPECT_NEAR(start.bodies[1][4], 2.0, consistent);
        EXPECT_NEAR(start.velocity_correction, 0.0, consistent);
        EXPECT_GT(std::hypot(start.bodies[0][3], start.bodies[0][4]), 0.1);
        for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(start.bodies[3][k], start.bodies[2][k], consistent) << "rides";
    }
}

}  // namespace
}  // namespace myriad::mechanism
