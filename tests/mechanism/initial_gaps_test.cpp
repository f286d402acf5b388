// Gaps where a mechanism starts, against Eigen and by hand.
#include "host/mechanism/assembly/initial_gaps.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::json;

// Round-off of sums of coordinates up to 5 m.
constexpr double gap_round_off = 1e-14;

std::vector<double> gaps_of(const Mechanism& mechanism) {
    return initial_gaps(mechanism, mechanism.nominal_kernel_parameters());
}
std::shared_ptr<const Mechanism> bundled(const std::string& name) {
    return read_mechanism(source_dir() / ("ensembles/mechanisms/" + name + ".json"));
}

TEST(InitialGaps, OfTiltedBodiesAreThoseOfTheirPointsInTheWorld) {
    json text = two_bodies();
    for (const char* contact : {"touch", "ball", "balls", "box", "pin"})
        text["contacts"][contact] = every_entry()["contacts"][contact];
    text["parameters"] = {{"length_m", 0.8}};
    const auto mechanism = parse_mechanism(text.dump(), "test.json");
    const Vector3d crank_at(1.0, 2.0, 3.0), rod_at(0.7, -1.2, 0.4), turn(0.3, -0.5, 0.8);
    const Matrix3d crank = AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix(),
                   rod = (AngleAxisd(-0.4, Vector3d::UnitX()) * AngleAxisd(0.2, Vector3d::UnitY()) *
                          AngleAxisd(1.1, Vector3d::UnitZ()))
                             .toRotationMatrix();
    const auto on_crank = [&](double x, double y, double z) -> Vector3d {
        return crank_at + crank * Vector3d(x, y, z);
    };
    const auto on_rod = [&](double x, double y, double z) -> Vector3d { return rod_at + rod * Vector3d(x, y, z); };
    std::vector<double> expected;
    expected.push_back((crank * Vector3d(0.6, 0, 0.8)).dot(on_rod(0.1, 0.2, 0.3) - on_crank(0.4, 0.5, 0.6)) - 0.05);
    expected.push_back((on_rod(0, 0.2, 0.3) - on_crank(0.1, 0, 0)).norm() - 0.1 - 0.2);
    for (const double z : {-0.1, 0.1})
        for (const double y : {-0.4, 0.4})
            for (const double x : {-0.2, 0.2}) expected.push_back(on_crank(0.2 + x, 0.1 + y, -0.1 + z).z() + 2.0);
    const double across = (rod * Vector3d::UnitY()).dot(on_crank(-0.1, 0.3, 0.2) - on_rod(0.3, 0.2, 0.1));
    expected.push_back(across + 0.002), expected.push_back(-across + 0.002);
    expected.push_back(Vector3d(0, 0.6, 0.8).dot(on_rod(0.5, 0.6, 0.7) - Vector3d(0.2, -0.1, -3)));
    const std::vector<double> gaps = gaps_of(*mechanism);
    ASSERT_EQ(gaps.size(), expected.size());
    for (std::size_t c = 0; c < gaps.size(); ++c)
        EXPECT_NEAR(gaps[c], expected[c], gap_round_off) << mechanism->contact_names[c];
}

TEST(InitialGaps, OfTheBundledMechanismsAreAsTheirFilesSay) {
    EXPECT_NEAR(gaps_of(*bundled("bouncing_sphere")).at(0), 1.0, gap_round_off);
    EXPECT_NEAR(gaps_of(*bundled("rolling_sphere")).at(0), 0.0, gap_round_off);
    EXPECT_NEAR(gaps_of(*bundled("pendulum_wall")).at(0), std::sin(0.8), gap_round_off);
    // Centres at (-sin a, -cos a) and (0.05, -1).
    EXPECT_NEAR(gaps_of(*bundled("sphere_cradle")).at(0), std::hypot(0.05 + std::sin(0.5), 1.0 - std::cos(0.5)) - 0.05,
                gap_round_off);
    for (const double gap : gaps_of(*bundled("scotch_yoke"))) EXPECT_NEAR(gap, 0.0005, gap_round_off);
    const std::vector<double> slider = gaps_of(*bundled("slider_crank_slot")),
                              box = gaps_of(*bundled("box_on_incline"));
    for (int k = 0; k < 4; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(slider.at(at), 0.001, gap_round_off) << k;
        EXPECT_NEAR(box.at(at), 0.0, gap_round_off) << k;
        EXPECT_NEAR(box.at(at + 4), 0.05, gap_round_off) << k;
    }
}

TEST(InitialGaps, AreThoseOfTheAssembledMechanismWithItsOwnParameters) {
    const auto mechanism = bundled("pendulum_wall");
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    // The rod is moved off its hinge. Assembly minimizes m |r - r_0|^2 + J (a - a_0)^2 with r = (sin a, -cos a)/2.
    const std::size_t x = number_of(*mechanism, "bodies.rod.position_m[0]");
    const double moved = 0.01, angle_0 = 0.8, inertia = (3.0 * 0.01 * 0.01 + 1.0) / 12.0;
    values[x] += moved, given[x] = 1;
    double low = angle_0, high = angle_0 + 2.0 * moved;
    for (int k = 0; k < 60; ++k) {
        const double a = 0.5 * (low + high);
        const double slope = (0.5 * (std::sin(a) - std::sin(angle_0)) - moved) * 0.5 * std::cos(a) -
                             0.5 * (std::cos(a) - std::cos(angle_0)) * 0.5 * std::sin(a) + inertia * (a - angle_0);
        (slope < 0.0 ? low : high) = a;
    }
    const double assembled = 1e-9;  // what assembly leaves at most
    EXPECT_NEAR(initial_gaps(*mechanism, mechanism->kernel_parameters(values, given)).at(0), std::sin(low), assembled);
    const std::size_t angle = number_of(*mechanism, "parameters.angle_rad");
    values[angle] = -0.3, given[angle] = 1, given[x] = 0;
    EXPECT_NEAR(initial_gaps(*mechanism, mechanism->kernel_parameters(values, given)).at(0), -std::sin(0.3),
                gap_round_off);
}

TEST(InitialGaps, AreNoneWithoutContactsOrWithoutAnAssembledState) {
    EXPECT_TRUE(gaps_of(*bundled("pendulum")).empty());
    const auto mechanism = bundled("sphere_cradle");
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    const std::size_t length = number_of(*mechanism, "bodies.ball_1.position_m[0]");
    values[length] = std::nan(""), given[length] = 1;
    EXPECT_TRUE(initial_gaps(*mechanism, mechanism->kernel_parameters(values, given)).empty());
}

}  // namespace
}  // namespace myriad::mechanism
