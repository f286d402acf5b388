// Values with which joints of a loop start: one of them tells all others, by closed forms of a planar four-bar.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "host/mechanism/varied_parameters.hpp"
#include "tests/mechanism_file/start_values.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using study::has;

// A planar four-bar: ground 1 m, crank 0.3 m, coupler 1 m, rocker 0.8 m, drawn with the crank at 0.5 rad.
struct FourBar {
    double crank, coupler, rocker;  // angles from x
};
FourBar four_bar(double crank) {
    const Vector3d b(0.3 * std::cos(crank), 0.3 * std::sin(crank), 0), d(1, 0, 0);
    const double reach = (d - b).norm(), along = std::atan2((d - b)[1], (d - b)[0]);
    const double inner = std::acos((reach * reach + 1.0 - 0.64) / (2 * reach));
    const double coupler = along + inner;
    const Vector3d c = b + Vector3d(std::cos(coupler), std::sin(coupler), 0);
    return {crank, coupler, std::atan2(c[1], c[0] - 1.0)};
}
ordered_json four_bar_text(double drawn) {
    const FourBar at = four_bar(drawn);
    const auto rod = [](double length, double x, double y, double angle) {
        ordered_json one = body({length / 2, 0, 0});
        one.update({{"position_m", {x, y, 0}}, {"orientation", {{"rotation_vector_rad", {0, 0, angle}}}}});
        return one;
    };
    ordered_json text;
    text["bodies"] = {{"crank", rod(0.3, 0, 0, at.crank)},
                      {"coupler", rod(1.0, 0.3 * std::cos(drawn), 0.3 * std::sin(drawn), at.coupler)},
                      {"rocker", rod(0.8, 1, 0, at.rocker)}};
    text["joints"] = {{"crank_pivot", hinge("ground", "crank", 0.0)},
                      {"crank_pin", hinge("crank", "coupler", 0.3)},
                      {"rocker_pin", hinge("coupler", "rocker", 1.0, 0.8)},
                      {"rocker_pivot", hinge("ground", "rocker", 1.0)}};
    for (auto& joint : text["joints"]) joint["references"] = {{1, 0, 0}, {1, 0, 0}};
    return text;
}
double angle_of(const Motions& at, std::size_t b) {
    return std::atan2(at.pose.orientation[b](1, 0), at.pose.orientation[b](0, 0));
}

TEST(StartValuesInLoops, HoldInALoopAndTheRestFollows) {
    constexpr double drawn = 0.5, wanted = 0.9, rate = 3.0, step = 1e-5;
    ordered_json text = four_bar_text(drawn);
    text["joints"]["crank_pivot"].update({{"angle_rad", wanted}, {"rate_rad_s", rate}});
    const auto mechanism = assembled(text);
    const FourBar at = four_bar(wanted), after = four_bar(wanted + step), before = four_bar(wanted - step);
    const auto nominal = std::make_unique<NominalInstance>(mechanism->table, mechanism->nominal_kernel_parameters());
    const Assembled<double> result = nominal->assemble();
    EXPECT_EQ(result.reason, 0.0);
    // The file gives all poses. Crank and rocker keep their origins; the coupler's is the crank's tip.
    const FourBar given = four_bar(drawn);
    const double moved = 2.0 * 0.3 * std::sin(0.5 * (wanted - drawn)) / nominal->parameters[length_scale_parameter];
    EXPECT_NEAR(result.correction,
                std::sqrt(std::pow(wanted - drawn, 2) + std::pow(at.coupler - given.coupler, 2) +
                          std::pow(at.rocker - given.rocker, 2) + moved * moved),
                closed_m);
    const auto angle = [&](std::size_t b) {
        const Rotation<double> q = nominal->motion.q.orientation[b];
        return 2.0 * std::atan2(q.z, q.w);
    };
    EXPECT_NEAR(angle(0), wanted, closed_m);
    EXPECT_NEAR(angle(1), at.coupler, closed_m);
    EXPECT_NEAR(angle(2), at.rocker, closed_m);
    const auto turning = [&](int b) { return nominal->motion.v.turning(b)[2]; };
    constexpr double differences = 1e-8;
    EXPECT_NEAR(turning(0), rate, closed_m);
    EXPECT_NEAR(turning(1), rate * (after.coupler - before.coupler) / (2 * step), differences);
    EXPECT_NEAR(turning(2), rate * (after.rocker - before.rocker) / (2 * step), differences);
    EXPECT_THAT(mechanism->warnings,
                testing::ElementsAre(has("/joints/crank_pivot/angle_rad: ", "starts with 0.9", "have it at 0.5 rad")));
}

TEST(StartValuesInLoops, HoldOnWhicheverJointOfALoopTheyAreGivenCutOrNot) {
    // Between these all four angles grow or fall with the crank's, so that each tells all others.
    constexpr double drawn = 1.2, wanted = 1.5;
    const FourBar at = four_bar(wanted);
    const std::map<std::string, double> angles{{"crank_pivot", at.crank},
                                               {"crank_pin", at.coupler - at.crank},
                                               {"rocker_pin", at.rocker - at.coupler},
                                               {"rocker_pivot", at.rocker}};
    for (const auto& [given, angle] : angles)
        for (const auto& [cut, ignored] : angles) {
            SCOPED_TRACE(testing::Message() << "given " << given << ", cut " << cut);
            ordered_json text = four_bar_text(drawn);
            text["joints"][given].update({{"angle_rad", angle}, {"rate_rad_s", 0.4}});
            text["joints"][cut]["cut"] = true;
            const auto mechanism = assembled(text);
            const Motions start = motions_of(*mechanism, mechanism->nominal_kernel_parameters());
            EXPECT_NEAR(angle_of(start, 0), at.crank, closed_m);
            EXPECT_NEAR(angle_of(start, 1), at.coupler, closed_m);
            EXPECT_NEAR(angle_of(start, 2), at.rocker, closed_m);
            const std::map<std::string, double> rates{{"crank_pivot", start.spin[0][2]},
                                                      {"crank_pin", start.spin[1][2] - start.spin[0][2]},
                                                      {"rocker_pin", start.spin[2][2] - start.spin[1][2]},
                                                      {"rocker_pivot", start.spin[2][2]}};
            EXPECT_NEAR(rates.at(given), 0.4, closed_m);
        }
}

TEST(StartValuesInLoops, VaryWithTheBitsThatEachInstanceHasByItself) {
    ordered_json text = four_bar_text(0.5);
    text["joints"]["crank_pivot"].update({{"angle_rad", 0.9}, {"rate_rad_s", 3.0}});
    const auto mechanism = assembled(text);
    const std::vector<double> nominal = nominal_values(*mechanism);
    const std::vector<unsigned char> given(nominal.size(), 0);
    for (const char* address : {"joints.crank_pivot.angle_rad", "joints.crank_pivot.rate_rad_s",
                                "bodies.coupler.mass_kg", "joints.rocker_pivot.points_m[0][0]", "gravity_m_s2[1]"}) {
        const std::size_t varied[] = {number_of(*mechanism, address)};
        const VariedParameters parameters(mechanism, nominal, given, varied);
        EXPECT_TRUE(std::is_sorted(parameters.parameters().begin(), parameters.parameters().end()));
        std::vector<double> memory, out(parameters.parameters().size());
        for (const double factor : {1.0, 1.1, 0.95}) {
            std::vector<double> values = nominal;
            values[varied[0]] *= factor;
            const double sample[] = {values[varied[0]]};
            parameters.compute(sample, memory, out.data());
            std::vector<double> expected = mechanism->nominal_kernel_parameters();
            for (std::size_t k = 0; k < out.size(); ++k)
                expected[static_cast<std::size_t>(parameters.parameters()[k])] = out[k];
            EXPECT_EQ(mechanism->kernel_parameters(values, given), expected) << address;
        }
    }
    // No number changes anything else.
    const std::vector<double> before = mechanism->nominal_kernel_parameters();
    for (std::size_t number = 0; number < nominal.size(); ++number) {
        std::vector<double> values = nominal;
        values[number] = 1.003 * values[number] + 1e-4;
        const std::vector<double> after = mechanism->kernel_parameters(values, given);
        const std::size_t varied[] = {number};
        const std::vector<int> dependent = mechanism->dependent_parameters(varied);
        for (std::size_t k = 0; k < after.size(); ++k)
            EXPECT_TRUE(before[k] == after[k] || std::binary_search(dependent.begin(), dependent.end(), int(k)))
                << mechanism->numbers[number].address << " changes " << k;
    }
    const std::size_t gravity[] = {number_of(*mechanism, "gravity_m_s2[1]")};
    EXPECT_EQ(mechanism->dependent_parameters(gravity), std::vector<int>{gravity_parameter + 1});
}

TEST(StartValuesInLoops, OfAnInstanceThatCannotHoldNameTheRowThatStaysOpen) {
    ordered_json text = four_bar_text(0.5);
    text["joints"]["rocker_pivot"]["angle_rad"] = four_bar(0.5).rocker;
    const auto mechanism = assembled(text);
    std::vector<double> values = nominal_values(*mechanism);
    values[number_of(*mechanism, "joints.rocker_pivot.angle_rad")] = 0.2;  // the coupler does not reach that far
    const std::vector<double> p = mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    EXPECT_GE(p[static_cast<std::size_t>(mechanism->table.open_start_row)], 1.0);
    const auto instance = std::make_unique<NominalInstance>(mechanism->table, p);
    EXPECT_EQ(instance->assemble().reason, static_cast<double>(Reason::constraints_inconsistent));
}

}  // namespace
}  // namespace myriad::mechanism
