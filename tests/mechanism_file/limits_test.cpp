// Limits of joints in a mechanism file: the contacts that they become, and which of them are refused with which
// message.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// A hinge with both ends, a slide with one, and joints that limits do not take.
json limited_arm() {
    return json::parse(R"({
        "parameters": {"reach_rad": 0.6},
        "bodies": {
            "arm": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.05, 0.05], "position_m": [0.5, 0, 0]},
            "cart": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0, 1]},
            "rod": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.05, 0.05], "position_m": [0.5, 0, 1]},
            "spinner": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.2], "position_m": [0, 0, -1]},
            "ball": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.2], "position_m": [0, 0, 2]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                      "axes": [[0, 1, 0], [0, 1, 0]], "angle_rad": 13},
            "rail": {"type": "prismatic", "bodies": ["ground", "cart"], "points_m": [[0, 0, 1], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]]},
            "pin": {"type": "revolute", "bodies": ["cart", "rod"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                    "axes": [[0, 0, 1], [0, 0, 1]]},
            "axle": {"type": "cylindrical", "bodies": ["ground", "spinner"], "points_m": [[0, 0, -1], [0, 0, 0]],
                     "axes": [[0, 0, 1], [0, 0, 1]]},
            "socket": {"type": "spherical", "bodies": ["ground", "ball"], "points_m": [[0, 0, 2], [0, 0, 0]]}},
        "drivers": {"motor": {"type": "angle", "joint": "pin", "value_rad": 0}},
        "contacts": {
            "reach": {"type": "joint_limits", "joint": "hinge", "lower_rad": "13 - reach_rad", "upper_rad": 14,
                      "normal_restitution": 0.25},
            "buffer": {"type": "joint_limits", "joint": "rail", "upper_m": 0.3}}})");
}
std::shared_ptr<const Mechanism> parsed_arm(const json& file) { return parse_mechanism(file.dump(), "arm.json"); }
std::string refused_arm(const std::string& path, const std::string& value) {
    json file = limited_arm();
    file[json::json_pointer(path)] = json::parse(value);
    return study::refusal([&] { parsed_arm(file); });
}

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
    file["contacts"]["other_crate"] = file["contacts"]["crate"];
    EXPECT_THAT(
        study::refusal([&] { parsed_arm(file); }),
        has("/contacts: ", "18 contacts", "buffer 1, crate 8, other_crate 8, reach 1", "both limits of a joint 1"));
}

TEST(LimitsInAFile, ThatAreRefused) {
    const std::string reach = "/contacts/reach", buffer = "/contacts/buffer";
    EXPECT_THAT(refused_arm(reach + "/upper_rad", "12"),
                has(reach + "/upper_rad: ", "the upper end 12 rad lies below the lower end 12.4 rad"));
    EXPECT_THAT(refused_arm(reach + "/normal_restitution", "-0.1"),
                has(reach + "/normal_restitution: ", "-0.1", "not from 0 to 1"));
    EXPECT_THAT(refused_arm(reach + "/normal_restitution", "1.5"), has("not from 0 to 1"));
    EXPECT_THAT(refused_arm(reach + "/upper_m", "1"),
                has(reach + "/upper_m: ", "this is in m, and the coordinate is an angle", "give \"upper_rad\""));
    EXPECT_THAT(refused_arm(buffer + "/lower_rad", "1"), has(buffer + "/lower_rad: ", "is a displacement", "lower_m"));
    EXPECT_THAT(refused_arm(reach + "/uper_rad", "1"), has(reach + "/uper_rad: ", "did you mean \"upper_rad\"?"));
    EXPECT_THAT(refused_arm(reach + "/friction", "0.1"), has(reach + "/friction: ", "unknown"));
    EXPECT_THAT(refused_arm(buffer, R"({"type": "joint_limits", "joint": "rail"})"),
                has(buffer + ": ", "have no end", "\"lower_m\", \"upper_m\" or both"));
    EXPECT_THAT(refused_arm("/contacts/shorter", R"({"type": "joint_limits", "joint": "hinge", "upper_rad": 13.5})"),
                has("/contacts/shorter: ", "other limits already", "one stop would lie inside another",
                    "give one entry both ends"));
    EXPECT_THAT(refused_arm(reach + "/joint", R"("socket")"),
                has(reach + "/joint: ", "is spherical and has neither an angle nor a displacement"));
    EXPECT_THAT(refused_arm(reach + "/joint", R"("axle")"),
                has(reach + "/joint: ", "several coordinates: displacement, angle", "\"coordinate\""));
    EXPECT_THAT(refused_arm(reach + "/joint", R"("hing")"), has(reach + "/joint: ", "did you mean \"hinge\"?"));
    EXPECT_THAT(refused_arm(reach + "/joint", R"("pin")"),
                has(reach + "/joint: ", "drivers.motor prescribes this coordinate"));
    json cut = limited_arm();
    cut["joints"]["hinge"]["cut"] = true;
    EXPECT_THAT(study::refusal([&] { parsed_arm(cut); }),
                has("/contacts/reach: ", "joints.hinge is cut out of the tree", "a limit needs a coordinate"));
    json in_bodies = limited_arm();
    in_bodies["coordinates"] = "body";
    EXPECT_THAT(study::refusal([&] { parsed_arm(in_bodies); }),
                has("coordinates: ", "body coordinates do not take this mechanism", "joints.rail has a limit"));
}

}  // namespace
}  // namespace myriad::mechanism
