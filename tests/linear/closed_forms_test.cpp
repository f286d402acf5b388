// Modes of mechanisms at their equilibria against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/linear/linear_mechanisms.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// An equilibrium is met to 1e-11, and Newton's method leaves its square; the rest is round-off of some hundred
// operations.
constexpr double same_mode = 1e-11;
constexpr double gravity_m_s2 = 9.81;

void expect_modes(const Modes& found, const std::vector<std::pair<double, double>>& expected, Stability stability) {
    ASSERT_EQ(found.modes.size(), expected.size());
    EXPECT_EQ(found.stability, stability);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const auto [frequency_rad_s, damping_ratio] = expected[k];
        EXPECT_NEAR(found.modes[k].frequency_rad_s(), frequency_rad_s, same_mode * std::max(1.0, frequency_rad_s)) << k;
        if (std::isnan(damping_ratio))
            EXPECT_TRUE(std::isnan(found.modes[k].damping_ratio)) << k;
        else
            EXPECT_NEAR(found.modes[k].damping_ratio, damping_ratio, same_mode * std::max(1.0, damping_ratio)) << k;
    }
}

TEST(LinearModes, OfAHangingRodFollowItsLength) {
    for (const double length_m : {0.01, 0.3, 1.0, 40.0}) {
        const double mass_kg = 2.0, inertia = 0.4 * mass_kg * length_m * length_m;
        const double omega = std::sqrt(mass_kg * gravity_m_s2 * length_m / (inertia + mass_kg * length_m * length_m));
        expect_modes(modes_of_file(hanging_rod(mass_kg, length_m, inertia, 0.7)), {{omega, 0.0}}, Stability::stable);
    }
    // A point mass: sqrt(g / l).
    expect_modes(modes_of_file(hanging_rod(1.0, 2.5, 0.0, 1.2)), {{std::sqrt(gravity_m_s2 / 2.5), 0.0}},
                 Stability::stable);
}

TEST(LinearModes, OfADampedMassAreThoseOfTheOscillatorFromUndampedToOverdamped) {
    for (const double ratio : {0.0, 1e-4, 0.05, 0.7, 0.999, 1.001, 1.5, 40.0}) {
        const double mass_kg = 2.0, stiffness_N_m = 450.0, omega = std::sqrt(stiffness_N_m / mass_kg);
        expect_modes(modes_of_file(sprung_mass(mass_kg, stiffness_N_m, 2.0 * ratio * mass_kg * omega)),
                     {{omega, ratio}}, Stability::stable);
    }
    // Where two roots meet, each has the square root of round-off.
    const Modes critical = modes_of_file(sprung_mass(2.0, 450.0, 60.0));
    ASSERT_EQ(critical.modes.size(), 1u);
    EXPECT_NEAR(critical.modes[0].frequency_rad_s(), 15.0, 1e-9);
    EXPECT_NEAR(critical.modes[0].damping_ratio, 1.0, 1e-9);
}

TEST(LinearModes, OfATorsionalPendulumAreThoseOfItsSpring) {
    json file = hanging_rod(1.0, 0.0, 0.25, 0.3);
    file["forces"]["wire"] = {{"type", "torsional_spring_damper"},
                              {"joint", "hinge"},
                              {"stiffness_N_m_rad", 36.0},
                              {"damping_N_m_s_rad", 0.6}};
    expect_modes(modes_of_file(file), {{12.0, 0.6 / (2.0 * std::sqrt(36.0 * 0.25))}}, Stability::stable);
}

// The bundled rods of 4 and 2 m with absolute angles: M and K of two uniform square rods, det(K - omega^2 M) = 0.
TEST(LinearModes, OfADoublePendulumAreTheTwoOfItsQuadraticEquation) {
    const auto given = read_mechanism(source_dir() / "ensembles/mechanisms/double_pendulum.json");
    const json file = json::parse(given->text);
    const double upper = 78.0, lower = 39.0, l1 = 4.0, l2 = 2.0, width = 0.05;
    const double i1 = upper * (l1 * l1 + width * width) / 12.0, i2 = lower * (l2 * l2 + width * width) / 12.0;
    const double m11 = i1 + upper * l1 * l1 / 4.0 + lower * l1 * l1, m12 = lower * l1 * l2 / 2.0,
                 m22 = i2 + lower * l2 * l2 / 4.0;
    const double k1 = (upper / 2.0 + lower) * gravity_m_s2 * l1, k2 = lower * gravity_m_s2 * l2 / 2.0;
    const double a = m11 * m22 - m12 * m12, b = k1 * m22 + k2 * m11, c = k1 * k2;
    const double root = std::sqrt(b * b - 4.0 * a * c);
    expect_modes(modes_of_file(file),
                 {{std::sqrt((b - root) / (2.0 * a)), 0.0}, {std::sqrt((b + root) / (2.0 * a)), 0.0}},
                 Stability::stable);
}

// omega_k = 2 sqrt(k/m) sin(k pi / (2 n + 2)); with dampers beside the springs zeta_k = omega_k c / (2 k), which the
// higher modes have above 1: all of the last line.
TEST(LinearModes, OfMassesInARowAreThoseOfTheChainWhateverIsOverdamped) {
    const double mass_kg = 0.5, stiffness_N_m = 200.0;
    for (const double damping_N_s_m : {0.0, 0.3, 9.0, 55.0})
        for (const int count : {1, 2, 6}) {
            std::vector<std::pair<double, double>> expected;
            for (int k = 1; k <= count; ++k) {
                const double omega =
                    2.0 * std::sqrt(stiffness_N_m / mass_kg) * std::sin(k * std::numbers::pi / (2.0 * count + 2.0));
                expected.emplace_back(omega, omega * damping_N_s_m / (2.0 * stiffness_N_m));
            }
            SCOPED_TRACE(testing::Message() << count << " masses, " << damping_N_s_m << " N s/m");
            const Modes found = modes_of_file(row_of_masses(count, mass_kg, stiffness_N_m, damping_N_s_m, true));
            ASSERT_EQ(found.modes.size(), expected.size());
            EXPECT_EQ(found.stability, Stability::stable);
            for (std::size_t k = 0; k < expected.size(); ++k) {
                // Roots that crowd together on the real axis lose half of their digits, and their mode some of them.
                const double tolerance = damping_N_s_m > 1.0 ? 1e-8 : same_mode;
                EXPECT_NEAR(found.modes[k].frequency_rad_s(), expected[k].first, tolerance * expected[k].first);
                EXPECT_NEAR(found.modes[k].damping_ratio, expected[k].second,
                            tolerance * std::max(1.0, expected[k].second));
            }
        }
}

TEST(LinearModes, OfMassesThatNothingHoldsAreRigidOnesFirst) {
    const double nan = std::nan("");
    expect_modes(modes_of_file(row_of_masses(2, 2.0, 50.0, 0.0, false)), {{0.0, nan}, {std::sqrt(50.0), 0.0}},
                 Stability::free);
    expect_modes(modes_of_file(row_of_masses(2, 2.0, 50.0, 3.0, false)),
                 {{0.0, nan}, {std::sqrt(50.0), 3.0 / (2.0 * std::sqrt(50.0))}}, Stability::free);
    // A mass that a damper alone holds back: roots 0 and -c / m.
    expect_modes(modes_of_file([] {
                     json file = sprung_mass(2.0, 0.0, 5.0);
                     file["gravity_m_s2"] = {0, 0, 0};
                     return file;
                 }()),
                 {{0.0, nan}}, Stability::free);
    const json body = {{"bodies", {{"body", {{"mass_kg", 2}, {"inertia_kg_m2", {1, 2, 2.5}}}}}},
                       {"gravity_m_s2", {0, 0, 0}}};
    expect_modes(modes_of_file(body), std::vector<std::pair<double, double>>(6, {0.0, nan}), Stability::free);
}

// About y and about x the same frequency; about the vertical nothing holds it.
TEST(LinearModes, OfATopThatHangsOnASphericalJointAreADoubleOneAndARigidOne) {
    json file = hanging_rod(1.5, 0.4, 0.05, 0.0);
    file["joints"]["hinge"] = {
        {"type", "spherical"}, {"bodies", {"ground", "rod"}}, {"points_m", {{0, 0, 0}, {0, 0, 0.4}}}};
    file["bodies"]["rod"]["position_m"] = {0.3, 0.1, -0.2};
    file["bodies"]["rod"]["orientation"] = {{"x_axis", {0.2, 0.4, -1}}, {"y_axis", {-1, 1, 0.2}}};
    file["assembly"] = "warn";
    const double omega = std::sqrt(1.5 * gravity_m_s2 * 0.4 / (0.05 + 1.5 * 0.16));
    expect_modes(modes_of_file(file), {{0.0, std::nan("")}, {omega, 0.0}, {omega, 0.0}}, Stability::free);
}

// Upright it grows away at sqrt(m g l / J); a spring that is stiff enough holds it there: (k - m g l) / J.
TEST(LinearModes, OfARodThatStandsUprightGrowAwayUnlessASpringHoldsIt) {
    json upright = hanging_rod(1.0, 0.5, 0.1, 0.0);
    upright["bodies"]["rod"]["position_m"] = {0, 0, 0.5};
    upright["joints"]["hinge"]["points_m"] = {{0, 0, 0}, {0, 0, -0.5}};
    upright["joints"]["hinge"]["references"] = {{0, 0, 1}, {0, 0, 1}};
    const double weight = gravity_m_s2 * 0.5, inertia = 0.1 + 0.25;
    for (const double damping : {0.0, 0.4}) {
        upright["forces"]["spring"] = {{"type", "torsional_spring_damper"},
                                       {"joint", "hinge"},
                                       {"stiffness_N_m_rad", 0.0},
                                       {"damping_N_m_s_rad", damping}};
        const Modes falling = modes_of_file(upright);
        ASSERT_EQ(falling.modes.size(), 1u);
        EXPECT_EQ(falling.stability, Stability::unstable);
        EXPECT_NEAR(falling.modes[0].square_rad2_s2, -weight / inertia, 1e-10);
        EXPECT_TRUE(std::isnan(falling.modes[0].frequency_rad_s()));
        EXPECT_TRUE(std::isnan(falling.modes[0].damping_ratio));
        upright["forces"]["spring"]["stiffness_N_m_rad"] = 2.0 * weight;
        const double omega = std::sqrt(weight / inertia);
        expect_modes(modes_of_file(upright), {{omega, damping / (2.0 * omega * inertia)}}, Stability::stable);
    }
}

TEST(LinearModes, OfAnOscillatorThatAForceAlongItsMotionDrivesGrow) {
    json file = sprung_mass(2.0, 450.0, 0.0);
    file["forces"]["push"] = {{"type", "joint_force"}, {"joint", "guide"}, {"force_N", "6 * displacement_rate"}};
    const Modes found = modes_of_file(file);
    ASSERT_EQ(found.modes.size(), 1u);
    EXPECT_EQ(found.stability, Stability::unstable);
    EXPECT_NEAR(found.modes[0].frequency_rad_s(), 15.0, 1e-10);
    EXPECT_NEAR(found.modes[0].damping_ratio, -0.1, 1e-11);
}

// The first turns J_1, the second r J_2 with it: omega^2 = k / (J_1 + r^2 J_2).
TEST(LinearModes, OfCoupledWheelsHaveTheInertiaOfBoth) {
    json file = {{"gravity_m_s2", {0, 0, 0}}};
    for (const char* name : {"first", "second"}) {
        file["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.2, 0.2, 0.2}}};
        file["joints"][std::string("axle_") + name] = {{"type", "revolute"},
                                                       {"bodies", {"ground", name}},
                                                       {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                                                       {"axes", {{0, 0, 1}, {0, 0, 1}}}};
    }
    file["couplings"]["gear"] = {{"coordinate", "axle_second.angle"}, {"follows", "axle_first.angle"}, {"ratio", -3.0}};
    file["forces"]["spring"] = {
        {"type", "torsional_spring_damper"}, {"joint", "axle_first"}, {"stiffness_N_m_rad", 8.0}};
    expect_modes(modes_of_file(file), {{std::sqrt(8.0 / (0.2 + 9.0 * 0.2)), 0.0}}, Stability::stable);
}

// A cart that a driver holds leaves the pendulum on it as on the ground, though the driver's rate is not zero.
TEST(LinearModes, LeaveOutWhatADriverPrescribes) {
    json file = hanging_rod(2.0, 0.8, 0.3, 0.2);
    file["bodies"]["cart"] = {{"mass_kg", 3}, {"inertia_kg_m2", {1, 1, 1}}};
    file["joints"]["rail"] = {{"type", "prismatic"},
                              {"bodies", {"ground", "cart"}},
                              {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                              {"axes", {{1, 0, 0}, {1, 0, 0}}}};
    file["joints"]["hinge"]["bodies"] = {"cart", "rod"};
    file["drivers"]["motor"] = {{"type", "displacement"}, {"joint", "rail"}, {"value_m", "0.4 * sin(3 * t)"}};
    expect_modes(modes_of_file(file), {{std::sqrt(2.0 * gravity_m_s2 * 0.8 / (0.3 + 2.0 * 0.64)), 0.0}},
                 Stability::stable);
}

// A crank of radius r turns on a rod of length l, which pushes a slider against a spring: one freedom through a loop.
// omega^2 = V'' / M at V' = 0, where T = M(angle) rate^2 / 2, from the geometry of the three bodies.
struct SprungCrank {
    static constexpr double radius_m = 0.1, rod_m = 0.35, crank_kg = 0.4, rod_kg = 0.7, slider_kg = 1.1,
                            crank_kg_m2 = 0.002, rod_kg_m2 = 0.008, stiffness_N_m = 900.0, rest_m = 0.30;

    static json file(double angle_rad) {
        const double x = radius_m * std::cos(angle_rad), z = radius_m * std::sin(angle_rad),
                     end = x + std::sqrt(rod_m * rod_m - z * z);
        const auto body = [](double mass_kg, double inertia, double at_x, double at_z, double along_x, double along_z) {
            return json{{"mass_kg", mass_kg},
                        {"inertia_kg_m2", {inertia, inertia, inertia}},
                        {"position_m", {at_x, 0, at_z}},
                        {"orientation", {{"x_axis", {along_x, 0, along_z}}, {"y_axis", {0, 1, 0}}}}};
        };
        const auto hinge = [](const char* a, const char* b, double on_a, double on_b) {
            return json{{"type", "revolute"},
                        {"bodies", {a, b}},
                        {"points_m", {{on_a, 0, 0}, {on_b, 0, 0}}},
                        {"axes", {{0, 1, 0}, {0, 1, 0}}}};
        };
        return {{"gravity_m_s2", {0, 0, -gravity_m_s2}},
                {"bodies",
                 {{"crank", body(crank_kg, crank_kg_m2, x / 2, z / 2, x, z)},
                  {"rod", body(rod_kg, rod_kg_m2, (x + end) / 2, z / 2, end - x, -z)},
                  {"slider", body(slider_kg, 0.001, end, 0, 1, 0)}}},
                {"joints",
                 {{"pivot", hinge("ground", "crank", 0, -radius_m / 2)},
                  {"pin", hinge("crank", "rod", radius_m / 2, -rod_m / 2)},
                  {"wrist", hinge("rod", "slider", rod_m / 2, 0)},
                  {"guide",
                   {{"type", "prismatic"},
                    {"bodies", {"ground", "slider"}},
                    {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                    {"axes", {{1, 0, 0}, {1, 0, 0}}}}}}},
                {"forces",
                 {{"spring",
                   {{"type", "spring_damper"},
                    {"bodies", {"ground", "slider"}},
                    {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                    {"rest_length_m", rest_m},
                    {"stiffness_N_m", stiffness_N_m}}}}}};
    }
    using Number = long double;
    static Number end_at(Number angle) {
        const Number z = radius_m * std::sin(angle);
        return radius_m * std::cos(angle) + std::sqrt(rod_m * rod_m - z * z);
    }
    static Number potential(Number angle) {
        const Number stretch = end_at(angle) - rest_m;
        return 0.5L * stiffness_N_m * stretch * stretch +
               gravity_m_s2 * 0.5L * (crank_kg + rod_kg) * radius_m * std::sin(angle);
    }
    static Number mass(Number angle) {
        const Number z = radius_m * std::sin(angle), dz = radius_m * std::cos(angle), dx = -z;
        const Number horizontal = std::sqrt(rod_m * rod_m - z * z), d_end = dx - z * dz / horizontal;
        const Number d_slope = -dz / horizontal;
        const Number middle_x = 0.5L * (dx + d_end), middle_z = 0.5L * dz;
        return crank_kg_m2 + 0.25L * crank_kg * radius_m * radius_m +
               rod_kg * (middle_x * middle_x + middle_z * middle_z) + rod_kg_m2 * d_slope * d_slope +
               slider_kg * d_end * d_end;
    }
};

TEST(LinearModes, OfASprungSliderCrankAreTheSecondDerivativeOfItsPotential) {
    using Number = SprungCrank::Number;
    constexpr Number h = 1e-4L;
    Number angle = 4.0L;  // V'' > 0 there: the crank below its pivot
    for (int i = 0; i < 60; ++i) {
        const Number slope = (SprungCrank::potential(angle + h) - SprungCrank::potential(angle - h)) / (2 * h);
        const Number curvature = (SprungCrank::potential(angle + h) - 2 * SprungCrank::potential(angle) +
                                  SprungCrank::potential(angle - h)) /
                                 (h * h);
        angle -= std::clamp<Number>(slope / std::abs(curvature), -0.1L, 0.1L);
    }
    const Number curvature =
        (SprungCrank::potential(angle + h) - 2 * SprungCrank::potential(angle) + SprungCrank::potential(angle - h)) /
        (h * h);
    ASSERT_GT(curvature, 0.0L);
    const Modes found = modes_of_file(SprungCrank::file(static_cast<double>(angle) + 0.3));
    ASSERT_EQ(found.modes.size(), 1u);
    // Second differences over 1e-4 lose its square.
    const auto expected = static_cast<double>(std::sqrt(curvature / SprungCrank::mass(angle)));
    EXPECT_NEAR(found.modes[0].frequency_rad_s(), expected, 1e-7 * expected);
    EXPECT_EQ(found.stability, Stability::stable);
}

TEST(LinearModes, AreNoneWithoutAnEquilibrium) {
    const Modes falling = modes_of_file(sprung_mass(2.0, 0.0, 1.0));
    EXPECT_EQ(falling.stability, Stability::none);
    EXPECT_TRUE(falling.modes.empty());
}

}  // namespace
}  // namespace myriad::mechanism
