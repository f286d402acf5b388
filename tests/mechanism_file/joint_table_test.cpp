// What of a mechanism acts on coordinates of its tree and what stands beside it, and which mechanisms have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/mechanism/tree/joint_coordinates.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

int element_of(const Mechanism& mechanism, const std::string& name) {
    for (const auto* list : {&mechanism.joints, &mechanism.drivers, &mechanism.forces})
        for (const NamedElements& named : *list)
            if (named.name == name) return named.first_element;
    throw std::out_of_range(name);
}

TEST(JointCoordinates, PutLawsDriversAndSensorsOnTheCoordinatesOfTheTree) {
    // Prismatic and revolute, which are driven, are the tree.
    json text = without_contacts();
    text["joints"].erase("fixed");
    text["drivers"]["turn_again"] = text["drivers"]["turn"];
    const auto mechanism = parsed(text);
    const JointTable& joint = mechanism->table.joint;
    const auto source = [&](const std::string& name) {
        return mechanism->multiplier_places[static_cast<std::size_t>(element_of(*mechanism, name))].source;
    };
    EXPECT_EQ(source("turn"), MultiplierSource::prescribed);
    EXPECT_EQ(source("turn_again"), MultiplierSource::row) << "one driver is enough for a coordinate";
    EXPECT_EQ(source("shift"), MultiplierSource::prescribed);
    EXPECT_EQ(source("control"), MultiplierSource::law);
    EXPECT_EQ(source("slide"), MultiplierSource::law);
    EXPECT_EQ(source("torsion"), MultiplierSource::row) << "cylindrical is cut";
    EXPECT_EQ(source("spring"), MultiplierSource::row);
    EXPECT_EQ(source("revolute"), MultiplierSource::tree_joint);
    EXPECT_EQ(source("prismatic"), MultiplierSource::tree_joint);
    EXPECT_EQ(source("universal"), MultiplierSource::row);
    EXPECT_EQ(joint.prescribed, 2);
    EXPECT_EQ(joint.laws, 2);
    EXPECT_EQ(joint.loads, 3);
    const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
    const auto law_of = [&](int law) {
        const auto at = static_cast<std::size_t>(joint.law[law].parameter);
        return std::vector<double>{parameters[at], parameters[at + 1]};
    };
    EXPECT_THAT(law_of(0), testing::ElementsAre(testing::DoubleEq(30.0 * 3 * 0.64), 3.0)) << "control";
    EXPECT_THAT(law_of(1), testing::ElementsAre(10.0, 0.0)) << "slide";
    int counters = 0;
    for (int angle = 0; angle < mechanism->table.angles; ++angle) {
        const bool is_coordinate = joint.freedom_of_angle[angle] >= 0;
        EXPECT_EQ(joint.counter_of_angle[angle], is_coordinate ? -1 : counters);
        counters += !is_coordinate;
    }
    EXPECT_EQ(joint.angles, counters);
    EXPECT_GT(counters, 0);
}

TEST(JointCoordinates, ShareTheLastLinkOnBothWaysToTheGround) {
    const auto hinge = [](const std::string& a, const std::string& b) {
        return json{{"type", "revolute"},
                    {"bodies", {a, b}},
                    {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                    {"axes", {{0, 0, 1}, {0, 0, 1}}}};
    };
    const auto row = [](const std::string& a, const std::string& b) {
        return json{{"type", "DP1"}, {"bodies", {a, b}}, {"axes", {{1, 0, 0}, {0, 1, 0}}}};
    };
    // ground - root - middle - { left - leaf, right }; alone stands on the ground beside them.
    json text{{"bodies", json::object()}};
    for (const char* name : {"leaf", "left", "right", "middle", "root", "alone"})
        text["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}};
    text["joints"] = {{"a", hinge("leaf", "left")},   {"b", hinge("middle", "left")}, {"c", hinge("right", "middle")},
                      {"d", hinge("root", "middle")}, {"e", hinge("ground", "root")}, {"f", hinge("ground", "alone")},
                      {"r0", row("leaf", "right")},   {"r1", row("leaf", "left")},    {"r2", row("root", "leaf")},
                      {"r3", row("alone", "right")},  {"r4", row("ground", "leaf")}};
    const auto mechanism = parsed(text);
    const JointTable& joint = mechanism->table.joint;
    const auto link = [&](const std::string& name) {
        const auto found = std::find(mechanism->body_names.begin(), mechanism->body_names.end(), name);
        return joint.link_of_body[found - mechanism->body_names.begin()];
    };
    ASSERT_EQ(joint.elements, 5);
    EXPECT_EQ(joint.common_link[0], link("middle"));
    EXPECT_EQ(joint.common_link[1], link("left"));
    EXPECT_EQ(joint.common_link[2], link("root"));
    EXPECT_EQ(joint.common_link[3], -1);
    EXPECT_EQ(joint.common_link[4], -1);
}

TEST(JointCoordinates, SayWhyTheyDoNotTakeAMechanism) {
    const auto reason = [](const json& text) {
        const auto mechanism = parsed(text);
        EXPECT_EQ(mechanism->table.joint.tree.links, 0);
        return mechanism->body_coordinates_because;
    };
    EXPECT_EQ(parsed(every_entry())->body_coordinates_because, "");
    json crosses{{"bodies", json::object()}}, laws = without_contacts(), rows = two_bodies(), large;
    for (int b = 0; b < 13; ++b) {
        const std::string name = "b" + std::to_string(b);
        crosses["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}};
        crosses["joints"][name] = {{"type", "universal"},
                                   {"bodies", {"ground", name}},
                                   {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                                   {"axes", {{1, 0, 0}, {0, 1, 0}}}};
    }
    EXPECT_EQ(reason(crosses),
              "it has more than 24 links in its tree, where a universal joint is two, the most that "
              "joint coordinates were compiled for");
    crosses["bodies"].erase("b12"), crosses["joints"].erase("b12");
    EXPECT_EQ(parsed(crosses)->body_coordinates_because, "");
    laws["joints"].erase("fixed");
    for (int k = 0; k < 33; ++k) laws["forces"]["more" + std::to_string(k)] = laws["forces"]["slide"];
    EXPECT_THAT(reason(laws), study::has("more than 32 force elements on coordinates of its tree"));
    json row = every_entry()["joints"]["dot_1"];
    row.erase("value");
    for (int k = 0; k < 49; ++k) rows["joints"]["r" + std::to_string(k)] = row;
    EXPECT_THAT(reason(rows), study::has("more than 48 rows beside its tree"));
    rows["joints"].erase("r48");
    EXPECT_EQ(parsed(rows)->body_coordinates_because, "");
    // 16 bodies of 20 numbers, as many links of 34 and points of 6, 8 bushings of 47 twice, 40 distances of 8: 2036.
    for (int b = 0; b < most_bodies; ++b) {
        const std::string name = "b" + std::to_string(b);
        large["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}};
        large["joints"][name] = {
            {"type", "spherical"}, {"bodies", {"ground", name}}, {"points_m", {{0, 0, 0}, {0, 0, 0}}}};
    }
    const auto on_large = [](json entry) {
        entry["bodies"] = {"b0", "b1"};
        return entry;
    };
    for (int k = 0; k < 8; ++k) large["forces"]["f" + std::to_string(k)] = on_large(every_entry()["forces"]["mount"]);
    for (int k = 0; k < 40; ++k) large["sensors"]["s" + std::to_string(k)] = on_large(every_entry()["sensors"]["span"]);
    EXPECT_EQ(parsed(large)->body_coordinates_because, "");
    for (int k = 0; k < 5; ++k) large["sensors"]["t" + std::to_string(k)] = on_large(every_entry()["sensors"]["span"]);
    EXPECT_THAT(reason(large), study::has("more than 2048 numbers in the kernels"));
}

TEST(JointCoordinates, AreTheDefaultAndAskedForByTheirName) {
    EXPECT_EQ(parsed(two_bodies())->coordinates, Coordinates::joint);
    json text = two_bodies();
    text["coordinates"] = "body";
    EXPECT_EQ(parsed(text)->coordinates, Coordinates::body);
}

}  // namespace
}  // namespace myriad::mechanism
