// Which reactions redundant constraints leave undetermined, by hand: what holds a plane mechanism in its plane, and
// what two drivers of one coordinate share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "tests/mechanism/definitions.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ordered_json numbers(const Vector3& v) {
    return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

// A chain on the ground, of links without turning against the world in the given state: `points` are its joints, and
// the last one closes it on the ground if it is a loop. `way` turns the whole of it.
ordered_json chain(const std::vector<Vector3>& points, const std::vector<std::string>& types, bool is_loop,
                   const Matrix3& way = Matrix3::Identity()) {
    ordered_json text{{"bodies", ordered_json::object()}};
    const auto body = [&](std::size_t k) {
        return k == 0 || (is_loop && k == points.size()) ? std::string("ground") : "link_" + std::to_string(k);
    };
    const auto at = [&](std::size_t k, const Vector3& point) {
        return numbers(body(k) == "ground" ? Vector3(way * point) : Vector3(way * (point - points[k - 1])));
    };
    for (std::size_t k = 1; body(k) != "ground" && k <= points.size(); ++k)
        text["bodies"][body(k)] = {
            {"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", numbers(way * points[k - 1])}};
    for (std::size_t k = 0; k < points.size(); ++k) {
        ordered_json joint{{"type", types[k]}, {"bodies", {body(k), body(k + 1)}}};
        joint["points_m"] = {at(k, points[k]), at(k + 1, points[k])};
        const Vector3 axis = way * Vector3::UnitZ();
        if (types[k] == "revolute") joint["axes"] = {numbers(axis), numbers(axis)};
        const std::string name(1, static_cast<char>('a' + k));
        text["joints"][name] = joint;
        text["sensors"]["force_" + name] = {{"type", "reaction_force"}, {"joint", name}};
        text["sensors"]["torque_" + name] = {{"type", "reaction_torque"}, {"joint", name}};
    }
    return text;
}

const std::vector<Vector3> four_points = {{0, 0, 0}, {0.4L, 0.9L, 0}, {2.3L, 1.7L, 0}, {2.9L, -0.2L, 0}};
const std::vector<std::string> four_revolutes(4, "revolute");

std::vector<std::string> undetermined(const Mechanism& mechanism) {
    std::vector<std::string> lines;
    for (const UndeterminedReaction& one : mechanism.undetermined_reactions)
        lines.push_back(one.joint + ": " + one.force + " | " + one.torque);
    return lines;
}
std::string meaning(const Mechanism& mechanism, const std::string& channel) {
    for (const NamedChannels& one : mechanism.channels)
        if (one.name == channel) return one.meaning;
    return "";
}

TEST(UndeterminedReactions, OfAPlanarFourBarHoldItInItsPlane) {
    const auto mechanism = parse_mechanism(chain(four_points, four_revolutes, true).dump(), "four_bar");
    EXPECT_EQ(mechanism->redundant_rows.size(), 3u);
    EXPECT_THAT(undetermined(*mechanism),
                ElementsAre("joints.a: z | x y", "joints.b: z | x y", "joints.c: z | x y", "joints.d: z | x y"));
    EXPECT_THAT(meaning(*mechanism, "force_b"),
                testing::EndsWith("; not determined: z, the redundant constraints share it"));
    EXPECT_THAT(meaning(*mechanism, "torque_d"),
                testing::EndsWith("; not determined: x y, the redundant constraints share it"));
}

TEST(UndeterminedReactions, InASlantedPlaneHaveAllComponents) {
    const Matrix3 way = turn_of({0.5L, -0.3L, 0.8L});
    const auto mechanism = parse_mechanism(chain(four_points, four_revolutes, true, way).dump(), "four_bar");
    EXPECT_EQ(mechanism->redundant_rows.size(), 3u);
    EXPECT_THAT(undetermined(*mechanism), testing::Each(testing::EndsWith(": x y z | x y z")));
    EXPECT_EQ(mechanism->undetermined_reactions.size(), 4u);
}

TEST(UndeterminedReactions, OfAnOpenChainAndOfAFourBarWithTwoBallsAreNone) {
    const auto open = parse_mechanism(chain(four_points, four_revolutes, false).dump(), "chain");
    EXPECT_THAT(open->redundant_rows, IsEmpty());
    EXPECT_THAT(undetermined(*open), IsEmpty());
    EXPECT_EQ(meaning(*open, "force_b").find("determined"), std::string::npos);
    // 16 rows for 18 unknowns: the crank turns, and the rod about itself.
    const auto loose =
        parse_mechanism(chain(four_points, {"revolute", "spherical", "spherical", "revolute"}, true).dump(), "loose");
    EXPECT_THAT(undetermined(*loose), IsEmpty());
}

TEST(UndeterminedReactions, OfAFourBarWithOneBallAreTheForceAcrossItsPlane) {
    // The ball takes no torque: of three rows that are too many with four revolutes it leaves the force across the
    // plane, which bends the other joints by their distances from it.
    const auto mechanism =
        parse_mechanism(chain(four_points, {"revolute", "revolute", "spherical", "revolute"}, true).dump(), "four_bar");
    EXPECT_EQ(mechanism->redundant_rows.size(), 1u);
    EXPECT_THAT(undetermined(*mechanism),
                ElementsAre("joints.a: z | x y", "joints.b: z | x y", "joints.c: z | ", "joints.d: z | x y"));
}

TEST(UndeterminedReactions, OfTwoDriversOfOneAngleAreTheirTorques) {
    ordered_json text = chain({Vector3::Zero()}, {"revolute"}, false);
    for (const char* name : {"one", "two"})
        text["drivers"][name] = {{"type", "angle"}, {"joint", "a"}, {"value_rad", "0.5 * t"}};
    text["sensors"]["torque_one"] = {{"type", "reaction_torque"}, {"joint", "one"}};
    const auto mechanism = parse_mechanism(text.dump(), "twice");
    EXPECT_THAT(undetermined(*mechanism), ElementsAre("drivers.one:  | z", "drivers.two:  | z"));
    EXPECT_THAT(meaning(*mechanism, "torque_one"), testing::HasSubstr("not determined: z"));
}

TEST(RedundantRowsOfJoints, AreOutsideTheTreeAndOfItsDriversNever) {
    // The tree of a four-bar is its first three joints; with a driver on the last one it is that one and the first two.
    ordered_json text = chain(four_points, four_revolutes, true);
    const auto owners = [](const ordered_json& file) {
        const auto mechanism = parse_mechanism(file.dump(), "four_bar");
        std::vector<std::string> names;
        for (const RedundantRow& row : mechanism->redundant_rows) names.push_back(row.joint);
        return names;
    };
    EXPECT_THAT(owners(text), ElementsAre("joints.d", "joints.d", "joints.d"));
    text["drivers"]["motor"] = {{"type", "angle"}, {"joint", "d"}, {"value_rad", "0.1 * t"}};
    EXPECT_THAT(owners(text), ElementsAre("joints.c", "joints.c", "joints.c"));
}

}  // namespace
}  // namespace myriad::mechanism
