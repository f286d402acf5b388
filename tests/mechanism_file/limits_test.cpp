// Limits of joints in a mechanism file: the contacts that they become, and which of them are refused with which
// message.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanisms/example.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// A hinge with both ends, a slide with one, and joints that limits do not take.
json limited_arm() { return example_mechanism("limited_arm"); }
std::shared_ptr<const Mechanism> parsed_arm(const json& file) { return parse_mechanism(file.dump(), "arm.json"); }

TEST(LimitsInAFile, AreContactsWhoseNumbersAreAddresses) {
    const auto mechanism = parsed_arm(limited_arm());
    const MechanismTable& table = mechanism->table;
    ASSERT_EQ(mechanism->contact_names, (std::vector<std::string>{"buffer.upper", "reach.lower", "reach.upper"}));
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const auto number = [&](int parameter) { return p[static_cast<std::size_t>(parameter)]; };
    EXPECT_EQ(table.contact[1].kind, ContactKind::lower_limit);
    EXPECT_EQ(table.contact[2].kind, ContactKind::upper_limit);
    EXPECT_EQ(table.contact[0].kind, ContactKind::upper_limit);
    EXPECT_EQ(number(table.contact[1].parameter), 12.4);
    EXPECT_EQ(number(table.contact[2].parameter), 14.0);
    EXPECT_EQ(number(table.contact[0].parameter), 0.3);
    // Friction, normal and tangential restitution.
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(number(table.contact[1].law + k), k == 1 ? 0.25 : 0.0);
        EXPECT_EQ(number(table.contact[0].law + k), 0.0);
    }
    EXPECT_NE(table.joint.freedom_of_element[table.contact[1].element],
              table.joint.freedom_of_element[table.contact[0].element]);
    std::map<std::string, double> values;
    for (const Number& one : mechanism->numbers) values[one.address] = one.value;
    EXPECT_EQ(values.at("contacts.reach.lower_rad"), 12.4);
    EXPECT_EQ(values.at("contacts.reach.upper_rad"), 14.0);
    EXPECT_EQ(values.at("contacts.reach.normal_restitution"), 0.25);
    EXPECT_EQ(values.at("contacts.buffer.upper_m"), 0.3);
    EXPECT_FALSE(values.contains("contacts.buffer.lower_m"));
    EXPECT_EQ(mechanism->joint_coordinates_because, "joints.rail has a limit, which acts in joint coordinates alone");
}

TEST(LimitsInAFile, HaveTheWayToTheStopAsTheirGapWithWholeTurns) {
    const auto mechanism = parsed_arm(limited_arm());
    const std::vector<double> gaps = initial_gaps(*mechanism, mechanism->nominal_kernel_parameters());
    // Round-off of an angle of two turns that is counted from directions.
    constexpr double round_off_of_turns = 1e-14;
    ASSERT_EQ(gaps.size(), 3u);
    EXPECT_NEAR(gaps[1], 0.6, round_off_of_turns);
    EXPECT_NEAR(gaps[2], 1.0, round_off_of_turns);
    EXPECT_NEAR(gaps[0], 0.3, round_off_of_turns);
}

TEST(LimitsInAFile, HaveChannelsInTheUnitsOfTheirCoordinate) {
    const auto mechanism = parsed_arm(limited_arm());
    const auto unit = [&](const std::string& name) {
        for (const NamedChannels& one : mechanism->channels)
            if (one.name == name) return one.count == 1 ? one.unit : "of several components";
        return std::string("no channel");
    };
    EXPECT_EQ(unit("gap.reach.lower"), "rad");
    EXPECT_EQ(unit("contact_velocity.reach.upper"), "rad/s");
    EXPECT_EQ(unit("contact_force.reach.upper"), "N m");
    EXPECT_EQ(unit("contact_impulse.reach.lower"), "N m s");
    EXPECT_EQ(unit("gap.buffer.upper"), "m");
    EXPECT_EQ(unit("contact_force.buffer.upper"), "N");
}

TEST(LimitsInAFile, CountAsOneContactOfAJoint) {
    json file = limited_arm();
    file["contacts"]["crate"] = json::parse(R"({"type": "box_plane", "bodies": ["ground", "ball"],
        "plane_point_m": [0, 0, -9], "plane_normal": [0, 0, 1], "centre_m": [0, 0, 0], "size_m": [1, 1, 1]})");
    EXPECT_EQ(parsed_arm(file)->table.contacts, 11);
}

}  // namespace
}  // namespace myriad::mechanism
