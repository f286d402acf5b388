// The trees of mechanism files: those of the bundled ones by hand, the key "cut", and what a step then solves for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "host/mechanism/tree/mechanism_tree.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;

using Lines = std::vector<std::string>;

std::string name_of_body(const Mechanism& mechanism, int body) {
    return body < 0 ? "ground" : mechanism.body_names[static_cast<std::size_t>(body)];
}
std::string name_of_joint(const Mechanism& mechanism, int joint) {
    return joint < 0 ? "free" : mechanism.joints[static_cast<std::size_t>(joint)].name;
}

// "ground -pivot-> crank", with a joint that is passed backwards "slider -cross<- rod", in the tree's order.
Lines hung(const Mechanism& mechanism) {
    Lines lines;
    for (const TreeBody& body : spanning_tree_of(mechanism).bodies)
        lines.push_back(name_of_body(mechanism, body.parent) + " -" + name_of_joint(mechanism, body.joint) +
                        (body.is_backwards ? "<- " : "-> ") + name_of_body(mechanism, body.body));
    return lines;
}
Lines cut(const Mechanism& mechanism) {
    Lines lines;
    for (const CutJoint& one : spanning_tree_of(mechanism).cut) {
        const char* reason = one.reason == CutReason::asked         ? "asked"
                             : one.reason == CutReason::loop        ? "loop"
                             : one.reason == CutReason::orientation ? "orientation"
                                                                    : "only rows";
        lines.push_back(name_of_joint(mechanism, one.joint) + ": " + reason);
    }
    return lines;
}

struct BundledTree {
    Lines hung, cut;
    int tree_freedoms, prescribed, cut_rows, driver_rows, force_rows;
    int in_body_coordinates;
};

// By hand: freedoms of the joints 1 revolute and prismatic, 2 cylindrical and universal, 3 spherical; in body
// coordinates 6 unknowns for each body and one for each row of joints, drivers and force elements.
const std::map<std::string, BundledTree>& bundled_trees() {
    static const BundledTree one_free_ball{{"ground -free-> ball"}, {}, 6, 0, 0, 0, 0, 6};
    static const std::map<std::string, BundledTree> trees = {
        {"bouncing_ball", {{"ground -guide-> ball"}, {}, 1, 0, 0, 0, 0, 6 + 5}},
        {"bouncing_sphere", one_free_ball},
        {"rolling_disc", {{"ground -plane-> disc"}, {}, 3, 0, 0, 0, 0, 6 + 3}},
        {"rolling_sphere", one_free_ball},
        {"box_on_incline", {{"ground -free-> box"}, {}, 6, 0, 0, 0, 0, 6}},
        {"double_pendulum",
         {{"ground -shoulder-> upper_rod", "upper_rod -elbow-> lower_rod"}, {}, 2, 0, 0, 0, 0, 12 + 10}},
        // Each bar of a ring that floats would hang by an orientation on an orientation.
        {"four_bar_loop",
         {{"ground -free-> bar_1", "ground -free-> bar_2", "ground -free-> bar_3", "ground -free-> bar_4"},
          {"corner_12: orientation", "corner_23: orientation", "corner_34: orientation", "corner_41: orientation"},
          24,
          0,
          12,
          0,
          0,
          24 + 12}},
        // Of 5, 4, 3 and 5 rows around the ring the 3 of the ball are the fewest; the motor drives the tree's angle.
        {"four_link",
         {{"ground -rotor_pivot-> rotor", "rotor -cross-> coupler", "ground -rocker_pivot-> rocker"},
          {"ball: loop"},
          1 + 2 + 1,
          1,
          3,
          0,
          0,
          18 + 17 + 1}},
        {"heavy_top", {{"ground -tip-> top"}, {}, 3, 0, 0, 0, 0, 6 + 3}},
        // Two bushings of three rows, and no joint that a spring could act on.
        {"high_speed_rotor", {{"ground -free-> rotor"}, {}, 6, 0, 0, 0, 6, 6 + 6}},
        // The driver is a DP1 and not an angle of the hinge: it stays a row.
        {"pendulum", {{"ground -hinge-> rod"}, {}, 1, 0, 0, 1, 0, 6 + 5 + 1}},
        {"pendulum_wall", {{"ground -hinge-> rod"}, {}, 1, 0, 0, 0, 0, 6 + 5}},
        // The six controllers act on the tree's angles.
        {"puma560",
         {{"ground -base-> link_1", "link_1 -shoulder-> link_2", "link_2 -elbow-> link_3",
           "link_3 -wrist_roll-> link_4", "link_4 -wrist_pitch-> link_5", "link_5 -flange-> link_6"},
          {},
          6,
          0,
          0,
          0,
          0,
          36 + 30 + 6}},
        {"scotch_yoke", {{"ground -pivot-> crank", "ground -guide-> yoke"}, {}, 2, 0, 0, 0, 0, 12 + 10}},
        // Of 5, 3, 4 and 5 rows the pin's are the fewest; the motor drives the tree's angle.
        {"slider_crank",
         {{"ground -shaft-> crank", "ground -guide-> piston", "piston -wrist<- rod"},
          {"pin: loop"},
          1 + 1 + 2,
          1,
          3,
          0,
          0,
          18 + 17 + 1}},
        {"slider_crank_haug",
         {{"ground -pivot-> crank", "crank -ball-> rod", "ground -guide-> slider"},
          {"cross: only rows", "rod_end_y: only rows", "rod_end_z: only rows", "gauge: only rows"},
          1 + 3 + 1,
          1,
          4,
          0,
          0,
          18 + 17 + 1}},
        // Of 5, 3, 4 and 5 rows the ball's are the fewest, so that the rod hangs on the slider by the joint's body A.
        {"slider_crank_iftomm",
         {{"ground -pivot-> crank", "ground -guide-> slider", "slider -cross<- rod"},
          {"ball: loop"},
          1 + 1 + 2,
          0,
          3,
          0,
          0,
          18 + 17}},
        {"slider_crank_slot",
         {{"ground -pivot-> crank", "crank -crank_pin-> rod", "rod -wrist_pin-> slider"}, {}, 3, 0, 0, 0, 0, 18 + 15}},
        {"sliding_block", {{"ground -guide-> block"}, {}, 3, 0, 0, 0, 0, 6 + 3}},
        {"sphere_cradle", {{"ground -pivot_1-> ball_1", "ground -pivot_2-> ball_2"}, {}, 2, 0, 0, 0, 0, 12 + 10}},
        // Springs on displacements act on the tree's coordinates, the one between two points is a row.
        {"three_masses",
         {{"ground -guide_1-> mass_1", "mass_1 -guide_2-> mass_2", "mass_2 -guide_3-> mass_3"},
          {},
          3,
          0,
          0,
          0,
          1,
          18 + 15 + 4}},
        {"three_masses_held",
         {{"ground -guide_1-> mass_1", "mass_1 -guide_2-> mass_2", "mass_2 -guide_3-> mass_3"},
          {"hold: only rows"},
          3,
          0,
          1,
          0,
          0,
          18 + 16 + 3}},
    };
    return trees;
}

TEST(MechanismTree, OfEveryBundledMechanismIsTheOneByHand) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms")) {
        const std::string name = entry.path().stem();
        ASSERT_TRUE(bundled_trees().contains(name)) << name << ": derive its tree by hand";
        const BundledTree& expected = bundled_trees().at(name);
        const auto mechanism = read_mechanism(entry.path());
        EXPECT_EQ(hung(*mechanism), expected.hung) << name;
        EXPECT_EQ(cut(*mechanism), expected.cut) << name;
        const SpanningTree tree = spanning_tree_of(*mechanism);
        EXPECT_EQ(tree.freedoms, expected.tree_freedoms) << name;
        EXPECT_EQ(tree.cut_rows, expected.cut_rows) << name;
        const Unknowns joint = unknowns_in_joint_coordinates(*mechanism, tree),
                       body = unknowns_in_body_coordinates(*mechanism);
        EXPECT_EQ(joint.freedoms, expected.tree_freedoms) << name;
        EXPECT_EQ(joint.prescribed, expected.prescribed) << name;
        EXPECT_EQ(joint.joint_rows, expected.cut_rows) << name;
        EXPECT_EQ(joint.driver_rows, expected.driver_rows) << name;
        EXPECT_EQ(joint.force_rows, expected.force_rows) << name;
        EXPECT_EQ(body.all(), expected.in_body_coordinates) << name;
        EXPECT_EQ(body.all(), mechanism->table.elimination.unknowns) << name << ": what the program solves for today";
        ++files;
    }
    EXPECT_EQ(files, bundled_trees().size());
}

// Bodies of unit mass in this order, of which those named in `placed` have a position.
std::string text_of(const std::vector<std::string>& bodies, const std::vector<std::string>& placed,
                    const ordered_json& joints) {
    ordered_json text{{"bodies", ordered_json::object()}, {"joints", joints}};
    for (const std::string& name : bodies) {
        text["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}};
        if (std::find(placed.begin(), placed.end(), name) != placed.end())
            text["bodies"][name]["position_m"] = {0.5, 0.0, 0.0};
    }
    return text.dump();
}
ordered_json spherical(const std::string& a, const std::string& b, bool is_cut = false) {
    ordered_json joint{{"type", "spherical"}, {"bodies", {a, b}}, {"points_m", {{0, 0, 0}, {0, 0, 0}}}};
    if (is_cut) joint["cut"] = true;
    return joint;
}

TEST(MechanismTree, CutsWhatTheFileAsksForAndFindsAnotherWay) {
    const ordered_json ring{{"first", spherical("ground", "a", true)},
                            {"second", spherical("a", "b")},
                            {"third", spherical("b", "ground")}};
    const auto mechanism = parse_unassembled(text_of({"a", "b"}, {}, ring), "test.json");
    EXPECT_THAT(hung(*mechanism), ElementsAre("ground -third<- b", "b -second<- a"));
    EXPECT_THAT(cut(*mechanism), ElementsAre("first: asked"));
}

TEST(MechanismTree, LetsAPlacedBodyHangFree) {
    const auto mechanism =
        parse_unassembled(text_of({"a", "b"}, {"a"}, {{"hinge", spherical("ground", "a", true)}}), "test.json");
    EXPECT_THAT(hung(*mechanism), ElementsAre("ground -free-> a", "ground -free-> b"));
    // As it was before there was a way to cut: the body starts where every body without a pose does.
    EXPECT_EQ(spanning_tree_of(*mechanism).unknowns(), 6 + 6 + 3);
}

TEST(MechanismTree, TakesFalseAsNothing) {
    ordered_json joint = spherical("ground", "a");
    joint["cut"] = false;
    EXPECT_THAT(hung(*parse_unassembled(text_of({"a"}, {}, {{"hinge", joint}}), "test.json")),
                ElementsAre("ground -hinge-> a"));
}

TEST(MechanismTree, HangsAPlacedBodyFreeWhereItIsCutOff) {
    const ordered_json chain{{"base", spherical("ground", "a")},
                             {"left", spherical("c", "a", true)},
                             {"right", spherical("a", "c", true)},
                             {"end", spherical("c", "b")}};
    EXPECT_THAT(hung(*parse_unassembled(text_of({"a", "b", "c"}, {"b"}, chain), "test.json")),
                ElementsAre("ground -base-> a", "ground -free-> b", "b -end<- c"));
}

// Every plain number below this value changed.
nlohmann::json with_other_numbers(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>() * 0.93 + 0.01;
    nlohmann::json changed = value;
    if (value.is_structured())
        for (auto& member : changed) member = with_other_numbers(member);
    return changed;
}

TEST(MechanismTree, DoesNotDependOnNumbers) {
    nlohmann::json other = every_entry();
    for (const char* section : {"bodies", "joints", "parameters", "drivers"})
        other[section] = with_other_numbers(other[section]);
    const auto before = parsed(every_entry()), after = parsed(other);
    EXPECT_NE(before->nominal_kernel_parameters(), after->nominal_kernel_parameters());
    EXPECT_EQ(hung(*before), hung(*after));
    EXPECT_EQ(cut(*before), cut(*after));
    EXPECT_THAT(hung(*before), ElementsAre("ground -revolute-> crank", "crank -fixed<- rod"));
    // The example's names are in the order of the alphabet.
    EXPECT_THAT(cut(*before),
                ElementsAre("coordinate: only rows", "cylindrical: asked", "distance: only rows", "dot_1: only rows",
                            "dot_2: only rows", "planar: loop", "prismatic: loop", "spherical: loop",
                            "translational: loop", "translational_along: loop", "universal: loop"));
}

TEST(MechanismTree, FollowsTheOrderOfTheFile) {
    const ordered_json one = spherical("ground", "a"), other = spherical("ground", "a");
    EXPECT_THAT(cut(*parse_unassembled(text_of({"a"}, {}, {{"x", one}, {"b", other}}), "t")), ElementsAre("b: loop"));
    EXPECT_THAT(cut(*parse_unassembled(text_of({"a"}, {}, {{"b", one}, {"x", other}}), "t")), ElementsAre("x: loop"));
}

TEST(MechanismTree, CountsDriversAndForcesByTheCoordinatesTheyActOn) {
    // Of the rich example's joints revolute and fixed are the tree. 6 each but for their freedoms: 3 spherical, 4
    // universal, 4 cylindrical, 5 prismatic, 3 planar, twice 3 translational, and one of each of the four rows.
    const auto mechanism = parsed(every_entry());
    const Unknowns joint = unknowns_in_joint_coordinates(*mechanism, spanning_tree_of(*mechanism)),
                   body = unknowns_in_body_coordinates(*mechanism);
    EXPECT_EQ(joint.freedoms, 1);
    EXPECT_EQ(joint.prescribed, 1) << "turn";
    EXPECT_EQ(joint.joint_rows, 3 + 4 + 4 + 5 + 3 + 2 * 3 + 4);
    EXPECT_EQ(joint.driver_rows, 7) << "shift, nod and push, whose joints are cut, and the four basic ones";
    EXPECT_EQ(joint.force_rows, 1 + 1 + 1 + 6) << "spring, torsion, slide and mount; control acts on the tree's angle";
    EXPECT_EQ(body.joint_rows, joint.joint_rows + 5 + 6);
    EXPECT_EQ(body.driver_rows, 8);
    EXPECT_EQ(body.force_rows, 10);
}

TEST(MechanismTree, LetsACoordinateWithTwoDriversLeaveOnce) {
    nlohmann::json text = every_entry();
    text["drivers"]["turn_again"] = text["drivers"]["turn"];
    const auto mechanism = parsed(text);
    const Unknowns joint = unknowns_in_joint_coordinates(*mechanism, spanning_tree_of(*mechanism));
    EXPECT_EQ(joint.prescribed, 1);
    EXPECT_EQ(joint.driver_rows, 7 + 1);
}

TEST(MechanismTree, ChangesNothingInBodyCoordinates) {
    const auto text = [](bool is_cut) { return text_of({"a"}, {"a"}, {{"hinge", spherical("ground", "a", is_cut)}}); };
    const auto whole = parse_mechanism(text(false), "t"), with_cut = parse_mechanism(text(true), "t");
    const auto of_bodies = [](const Mechanism& mechanism) {
        std::vector<double> parameters = mechanism.nominal_kernel_parameters();
        parameters.resize(static_cast<std::size_t>(mechanism.table.joint.link_parameter));
        return parameters;
    };
    EXPECT_EQ(of_bodies(*whole), of_bodies(*with_cut));
    EXPECT_EQ(unknowns_in_body_coordinates(*whole).all(), unknowns_in_body_coordinates(*with_cut).all());
    EXPECT_EQ(unknowns_in_joint_coordinates(*whole, spanning_tree_of(*whole)).all(), 3);
    EXPECT_EQ(unknowns_in_joint_coordinates(*with_cut, spanning_tree_of(*with_cut)).all(), 6 + 3);
}

TEST(MechanismTree, LeavesAsManyRedundantRowsInBothCoordinates) {
    // A planar four-bar of revolute joints: 4 joints about z, of whose last 5 rows 3 say what the others say.
    const auto hinge = [](const std::string& a, const std::string& b, const ordered_json& on_a,
                          const ordered_json& on_b) {
        return ordered_json{
            {"type", "revolute"}, {"bodies", {a, b}}, {"points_m", {on_a, on_b}}, {"axes", {{0, 0, 1}, {0, 0, 1}}}};
    };
    ordered_json text{{"bodies", ordered_json::object()}};
    for (const auto& [name, position] : std::vector<std::pair<std::string, ordered_json>>{
             {"left", {0, 0, 0}}, {"top", {0, 1, 0}}, {"right", {2, 0, 0}}})
        text["bodies"][name] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", position}};
    text["joints"] = {{"one", hinge("ground", "left", {0, 0, 0}, {0, 0, 0})},
                      {"two", hinge("left", "top", {0, 1, 0}, {0, 0, 0})},
                      {"three", hinge("top", "right", {2, 0, 0}, {0, 1, 0})},
                      {"four", hinge("right", "ground", {0, 0, 0}, {2, 0, 0})}};
    const auto mechanism = parse_mechanism(text.dump(), "t");
    const Unknowns joint = unknowns_in_joint_coordinates(*mechanism, spanning_tree_of(*mechanism));
    EXPECT_THAT(cut(*mechanism), ElementsAre("four: loop"));
    EXPECT_EQ(joint.redundant_rows, 3);
    EXPECT_EQ(joint.all(), 3 + 5 - 3);
    EXPECT_EQ(unknowns_in_body_coordinates(*mechanism).all(), mechanism->table.elimination.unknowns);
}

}  // namespace
}  // namespace myriad::mechanism
