// Poses that contradict the joints are told of: which joint, how far, and what assembly moved; and a loop that cannot
// close tells what it lacks.
#include "host/mechanism/assembly/assembly_report.hpp"

#include <cmath>

#include "host/mechanism/formula.hpp"
#include "tests/mechanism/kernel_runs.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// A parallelogram in the x-y plane: crank from (0, 0) to (0, 1), coupler on to (2, 1), rocker from (2, 0) to (2, 1).
// Its size is sqrt(5) m = 2.24 m, the distance of the farthest pins.
json four_bar() {
    return json::parse(R"({
        "parameters": {"width_m": 2.0, "coupler_kg": 3.0},
        "bodies": {
            "crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0, 0.5, 0],
                "orientation": {"rotation_vector_rad": [0, 0, 1.5707963267948966]}},
            "coupler": {"mass_kg": "coupler_kg", "inertia_kg_m2": [0.01, "coupler_kg / 3", "coupler_kg / 3"],
                "position_m": [1, 1, 0]},
            "rocker": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [2, 0.5, 0],
                "orientation": {"rotation_vector_rad": [0, 0, 1.5707963267948966]}}},
        "joints": {
            "a": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]},
            "b": {"type": "revolute", "bodies": ["crank", "coupler"], "points_m": [[0.5, 0, 0], [-1, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]},
            "c": {"type": "revolute", "bodies": ["coupler", "rocker"], "points_m": [[1, 0, 0], [0.5, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]},
            "d": {"type": "revolute", "bodies": ["ground", "rocker"], "points_m": [["width_m", 0, 0], [-0.5, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]}}})");
}

std::shared_ptr<const Mechanism> read(const json& text) { return parse_mechanism(text.dump(), "test.json"); }
std::string told(const json& text) { return warning_of_assembly(*read(text)).value_or(""); }
std::string told(const std::string& path, const std::string& value) { return told(changed(four_bar(), path, value)); }

TEST(AssemblyReport, SaysNothingOfPosesThatFit) {
    EXPECT_EQ(told(four_bar()), "");
    // Digits beyond 1e-3 of the size may be missing.
    EXPECT_EQ(told("/bodies/coupler/position_m", "[1.001, 0.999, 0]"), "");
    EXPECT_EQ(told("/bodies/crank/orientation/rotation_vector_rad", "[0, 0, 1.5708]"), "");
}

TEST(AssemblyReport, SaysNothingOfTheBundledMechanisms) {
    for (const char* name : {"bouncing_ball",     "bouncing_sphere", "box_on_incline",    "double_pendulum",
                             "four_bar_loop",     "four_link",       "heavy_top",         "high_speed_rotor",
                             "pendulum",          "pendulum_wall",   "puma560",           "rolling_disc",
                             "rolling_sphere",    "scotch_yoke",     "slider_crank_haug", "slider_crank_iftomm",
                             "slider_crank_slot", "sliding_block",   "sphere_cradle",     "three_masses",
                             "three_masses_held"})
        EXPECT_EQ(warning_of_assembly(*catalog_mechanism(name)).value_or(""), "") << name;
}

TEST(AssemblyReport, NamesTheJointOfAPointThatIsWrong) {
    EXPECT_THAT(
        told("/joints/c/points_m", "[[1.1, 0, 0], [0.5, 0, 0]]"),
        has("contradict the joints: joints.c is off by 0.1 m; ", "of size 2.", "bodies were moved", "coupler by 0.0"));
}

TEST(AssemblyReport, NamesTheJointOfAnAxisWithAWrongSign) {
    // The rows of the joint hold for opposite axes too, and its angle would count the other way.
    EXPECT_THAT(study::refusal([] { told("/joints/a/axes", "[[0, 0, 1], [0, 0, -1]]"); }),
                has("/joints/a: ", "opposite directions"));
    json text = four_bar();
    text["joints"].erase("c");
    text["joints"]["d"]["axes"] = {{0.0, 0.6, 0.8}, {0.0, -0.6, 0.8}};
    // In the world (0, 0.6, 0.8) and, on the rocker that is turned by a quarter about z, (0.6, 0, 0.8): acos 0.64.
    EXPECT_THAT(told(text), has("joints.d is off by 0.876 rad; ", "rocker by "));
}

TEST(AssemblyReport, NamesAUniversalJointWhoseAxesAreNotPerpendicular) {
    const json text = json::parse(R"({
        "bodies": {"shaft": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.2, 0.3], "position_m": [1, 0, 0],
            "orientation": {"rotation_vector_rad": [0, 0, 0]}}},
        "joints": {"cross": {"type": "universal", "bodies": ["ground", "shaft"], "points_m": [[0, 0, 0], [-1, 0, 0]],
            "axes": [[0, 0, 1], [0, 1, 0.1]]}}})");
    EXPECT_THAT(told(text), has("joints.cross is off by 0.0997 rad", "shaft by "));  // atan 0.1
    EXPECT_EQ(told(changed(text, "/joints/cross/axes", "[[0, 0, 1], [0, 1, 0.0001]]")), "");
}

TEST(AssemblyReport, TellsADriverThatStartsHalfATurnAway) {
    json text = four_bar();
    text["joints"].erase("c");
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "a"}, {"value_rad", "pi + 2 * t"}};
    EXPECT_THAT(told(text), has("drivers.turn is off by 3.14 rad"));
    text["drivers"]["turn"]["value_rad"] = "2 * t";
    EXPECT_EQ(told(text), "");
}

TEST(AssemblyReport, LetsBodiesWithoutAPoseBeAssembledSilently) {
    json text = four_bar();
    text["joints"].erase("c");
    text["joints"].erase("b");
    text["bodies"].erase("coupler");
    text["bodies"]["rocker"].erase("position_m"), text["bodies"]["rocker"].erase("orientation");
    EXPECT_EQ(told(text), "");
    text["bodies"]["rocker"]["position_m"] = {0.0, 0.0, 0.0};
    EXPECT_THAT(told(text), has("joints.d is off by 2.5 m", "rocker by 2.5 m"));
}

TEST(AssemblyReport, TellsNothingOfABodyWithoutAPositionThatHangsOnItsJoint) {
    json text = four_bar();
    text["joints"].erase("c"), text["joints"].erase("d");
    text["bodies"].erase("rocker");
    text["bodies"]["coupler"].erase("position_m");
    EXPECT_EQ(told(text), "");
}

TEST(AssemblyReport, TellsOnlyTheTurnsOfBodiesThatHaveNoPosition) {
    json text = four_bar();
    for (const char* body : {"crank", "coupler", "rocker"}) text["bodies"][body].erase("position_m");
    EXPECT_EQ(told(text), "");
    text["bodies"]["coupler"]["orientation"] = {{"rotation_vector_rad", {0.0, 0.0, 0.05}}};
    const std::string found = told(text);
    EXPECT_EQ(found.find("is off by"), std::string::npos) << found;
    EXPECT_THAT(found, has("coupler by 0.05 rad"));
}

// The wheel is laid over by a right angle about its joint's point, 1 m from its centre.
TEST(AssemblyReport, TellsWhatIsMovedWhereNothingGivenContradicts) {
    const json text = json::parse(R"({
        "bodies": {"wheel": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1, 0, 0]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "wheel"], "points_m": [[0, 0, 0], [-1, 0, 0]],
                             "axes": [[0, 0, 1], [1, 0, 0]]}}})");
    const std::string found = told(text);
    EXPECT_EQ(found.find("contradict"), std::string::npos) << found;
    EXPECT_THAT(found, has("wheel by 1.41 m", "\"pin\""));
}

TEST(AssemblyReport, TellsOfHalfAPoseThatAStudySets) {
    const auto mechanism = read(four_bar());
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    EXPECT_EQ(assembly_report(*mechanism, values, given).what, "");
    const std::size_t x = number_of(*mechanism, "bodies.coupler.position_m[0]");
    values[x] += 0.3, given[x] = 1;
    EXPECT_THAT(assembly_report(*mechanism, values, given).what,
                has("joints.b is off by 0.3 m", "joints.c is off by 0.3 m", "coupler by "));
}

TEST(AssemblyReport, TellsANumberThatPosesFollowFromWhereTheyDoNot) {
    const auto mechanism = read(four_bar());
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    const std::size_t width = number_of(*mechanism, "parameters.width_m");
    values[width] = 2.2, given[width] = 1;
    EXPECT_THAT(assembly_report(*mechanism, values, given).what, has("joints.d is off by 0.2 m"));
    values[width] = 5.0;
    const AssemblyReport open = assembly_report(*mechanism, values, given);
    EXPECT_TRUE(open.fails);
    EXPECT_THAT(open.what, has("cannot be assembled", "joints.d stays open by 1 m at best"));
}

TEST(AssemblyReport, RefusesWhereTheFileAsksForIt) {
    json text = changed(four_bar(), "/joints/c/points_m", "[[1.1, 0, 0], [0.5, 0, 0]]");
    text["assembly"] = "warn";
    EXPECT_NE(told(text), "");
    text["assembly"] = "refuse";
    EXPECT_THAT(study::refusal([&] { told(text); }), has("joints.c is off by 0.1 m", "\"assembly\": \"warn\""));
    text["assembly"] = "refuze";
    EXPECT_THAT(study::refusal([&] { told(text); }), has("/assembly: ", "did you mean \"refuse\"?"));
}

// Links of 1, 2 and 1 m between pins 5.1 m apart.
TEST(AssemblyReport, SaysWhatALoopThatCannotCloseLacks) {
    EXPECT_THAT(study::refusal([] { read(changed(four_bar(), "/parameters/width_m", "5.1")); }),
                has("cannot be assembled", "joints.d stays open by 1.1 m at best"));
}

TEST(Formulas, NameWhatElseFollowsFromTheirParameters) {
    const auto mechanism = read(four_bar());
    const Formula mass = formula_of(*mechanism, number_of(*mechanism, "bodies.coupler.mass_kg"));
    EXPECT_EQ(mass.text, "\"coupler_kg\"");
    EXPECT_THAT(mass.parameters, testing::ElementsAre("parameters.coupler_kg"));
    EXPECT_THAT(mass.others,
                testing::ElementsAre("bodies.coupler.inertia_kg_m2[1]", "bodies.coupler.inertia_kg_m2[2]"));
    EXPECT_TRUE(formula_of(*mechanism, number_of(*mechanism, "bodies.crank.mass_kg")).parameters.empty());
}

// A rod whose x axis a hinge lays along z of the world, and a bushing between the ground and the rod.
json rod_on_a_bushing() {
    return json::parse(R"({
        "gravity_m_s2": [0, 0, 0],
        "parameters": {"tilt": 1.0},
        "bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.2, 0.28]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0.3, 0.2, 0.1]],
            "axes": [[0, 0, 1], ["tilt", 0, "1 - tilt"]]}},
        "forces": {"mount": {"type": "bushing", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0.3, 0.2, 0.1]],
            "stiffness_N_m_rad": [5, 6, 7]}}})");
}
std::string refusal_of(const json& text) {
    return study::refusal([&] { read(text); });
}

TEST(UnknownZero, OfABushingIsRefusedIfAssemblyTurnsABodyWithoutOrientation) {
    const json text = rod_on_a_bushing();
    EXPECT_THAT(refusal_of(text), has("/forces/mount: this bushing is relaxed in the orientations",
                                      "none for bodies.rod, and joints or drivers turn the bushing by 1.57 rad",
                                      "give bodies.rod the \"orientation\" in which the bushing is relaxed"));
    json driven = changed(text, "/parameters/tilt", "0");
    driven["drivers"]["turn"] = {{"type", "angle"}, {"joint", "hinge"}, {"value_rad", "0.25 + t"}};
    EXPECT_THAT(refusal_of(driven), has("/forces/mount: ", "turn the bushing by 0.25 rad"));
    json sliding = text;
    sliding["forces"]["mount"].erase("stiffness_N_m_rad");
    sliding["forces"]["mount"]["stiffness_N_m"] = {1, 1, 1};
    EXPECT_NO_THROW(read(sliding)) << "a bushing without rotation has no zero of an angle";
}

TEST(UnknownZero, OfABushingIsTheOrientationOfTheFile) {
    json text = rod_on_a_bushing();
    EXPECT_NO_THROW(read(changed(text, "/parameters/tilt", "0"))) << "the hinge leaves the axes of the world";
    // The least turn that lays x on z, about -y by a right angle.
    text["bodies"]["rod"]["orientation"] = {{"rotation_vector_rad", {0, -1.5707963267948966, 0}}};
    EXPECT_NO_THROW(read(text));
    json started = changed(rod_on_a_bushing(), "/parameters/tilt", "0");
    started["joints"]["hinge"]["angle_rad"] = 0.4;
    EXPECT_NO_THROW(read(started)) << "a start value deflects the bushing";
}

TEST(UnknownZero, OfAnAngleIsRefusedIfTheDefaultOrientationsLeaveTheAxesOblique) {
    json text = rod_on_a_bushing();
    text["forces"] = {{"coil", {{"type", "torsional_spring_damper"}, {"joint", "hinge"}, {"stiffness_N_m_rad", 7}}}};
    EXPECT_NO_THROW(read(text)) << "the least turn lays axes at a right angle together, and the angle is 0 there";
    EXPECT_NO_THROW(read(changed(text, "/parameters/tilt", "0.0005"))) << "digits of an axis may be missing";
    text["parameters"]["tilt"] = 0.5;
    EXPECT_THAT(refusal_of(text), has("/joints/hinge: the angle of this joint is 0 in the orientations",
                                      "none for bodies.rod", "the axes of the joint are not parallel",
                                      "give the joint \"references\", or give bodies.rod the \"orientation\""));
    json with_references = text;
    with_references["joints"]["hinge"]["references"] = {{1, 0, 0}, {0, 1, 0}};
    EXPECT_NO_THROW(read(with_references));
    text["bodies"]["rod"]["orientation"] = {{"rotation_vector_rad", {0, -0.7853981633974483, 0}}};
    EXPECT_NO_THROW(read(text));
    json cross = rod_on_a_bushing();
    cross.erase("forces");
    cross["joints"]["hinge"]["type"] = "universal";
    EXPECT_NO_THROW(read(changed(cross, "/parameters/tilt", "0.5"))) << "nothing counts its angles";
    cross["sensors"]["angle"] = {{"type", "angle_1"}, {"joint", "hinge"}};
    EXPECT_NO_THROW(read(cross));
    EXPECT_THAT(refusal_of(changed(cross, "/parameters/tilt", "0.5")),
                has("/joints/hinge: ", "not perpendicular", "give bodies.rod the \"orientation\" at the angle 0"));
}

}  // namespace
}  // namespace myriad::mechanism
