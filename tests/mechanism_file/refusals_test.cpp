// Mechanism files that are refused: each message names the place, what is wrong and what to do.
#include "tests/mechanism_file/refusals.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

TEST(MechanismRefusals, UnknownKeysAndTypes) {
    EXPECT_THAT(refused("/bodie", "{}"), has("test.json:1:", ": /bodie: ", "unknown", "did you mean \"bodies\"?"));
    EXPECT_THAT(refused("/bodies/rod/mass", "1"), has("/bodies/rod/mass: ", "did you mean \"mass_kg\"?"));
    EXPECT_THAT(refused("/bodies/rod/inertia_kg_m2", R"({"xx": 1, "yy": 1, "zz": 1, "xz_": 1})"),
                has("/bodies/rod/inertia_kg_m2/xz_: ", "\"xz\""));
    EXPECT_THAT(refused("/joints/revolute/type", R"("revolut")"),
                has("/joints/revolute/type: ", "the joint type \"revolut\" is unknown", "did you mean \"revolute\"?"));
    EXPECT_THAT(refused("/joints/spherical/axes", "[[1,0,0],[1,0,0]]"), has("/joints/spherical/axes: ", "points_m"));
    EXPECT_THAT(refused("/drivers/turn/type", R"("torque")"), has("/drivers/turn/type: ", "displacement"));
    EXPECT_THAT(refused("/forces/pull/type", R"("forces")"), has("/forces/pull/type: ", "\"force\""));
    EXPECT_THAT(refused("/forces/pull/frame", R"("word")"), has("/forces/pull/frame: ", "\"world\""));
    EXPECT_THAT(refused("/sensors/tip/type", R"("points")"), has("/sensors/tip/type: ", "\"point\""));
    EXPECT_THAT(refused("/bodies/rod/pinned", R"(["positions"])"), has("/bodies/rod/pinned/0: ", "\"position\""));
}

TEST(MechanismRefusals, WordsOfOtherPrograms) {
    EXPECT_THAT(refused("/joints/revolute/type", R"("hinge")"),
                has("/joints/revolute/type: ", "\"hinge\" is unknown", "write \"revolute\"", "spherical"));
    EXPECT_THAT(refused("/joints/spherical/type", R"("Ball")"), has("\"Ball\" is unknown", "write \"spherical\""));
    EXPECT_THAT(refused("/joints/fixed/type", R"("free")"), has("moves freely: leave this joint out"));
    EXPECT_THAT(refused("/forces/spring/type", R"("damper")"), has("write \"spring_damper\""));
    EXPECT_THAT(refused("/joints/revolute/bodies", R"(["world", "rod"])"),
                has("/joints/revolute/bodies/0: ", "the world is called \"ground\""));
    EXPECT_THAT(refused("/sensors/tip/body", R"("World")"), has("/sensors/tip/body: ", "the world cannot stand here"));
    EXPECT_THAT(refused("/sensors/tip/type", R"("position")"), has("write \"point\"", "\"position.<body>\""));
}

TEST(MechanismRefusals, LinesBetweenPointsThatCoincide) {
    const json spring = json::parse(R"({"type": "spring_damper", "bodies": ["ground", "ball"],
        "points_m": [[0, 0, 0], [0, 0, 0]], "stiffness_N_m": 100, "rest_length_m": 0})");
    const json wire = json::parse(R"({"type": "D", "bodies": ["ground", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]],
        "value_m": 1})");
    json text{{"bodies", {{"ball", {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}}}}}};
    const auto read = [&] { return study::refusal([&] { parse_mechanism(text.dump(), "test.json"); }); };
    text["forces"]["tether"] = spring;
    EXPECT_THAT(read(), has("/forces/tether: ", "no direction", "\"bushing\"", "\"stiffness_N_m\": [k, k, k]"));
    text.erase("forces");
    text["joints"]["wire"] = wire;
    EXPECT_THAT(read(), has("/joints/wire: ", "no direction", "spherical"));
    text.erase("joints");
    text["sensors"]["way"] = {{"type", "distance"}, {"bodies", {"ground", "ball"}}, {"points_m", wire["points_m"]}};
    parse_mechanism(text.dump(), "test.json");
}

TEST(MechanismRefusals, WhatIsMissing) {
    EXPECT_THAT(study::refusal([] { parsed(json::object()); }), has("\"bodies\" is missing"));
    EXPECT_THAT(refused("/bodies", "{}"), has("/bodies: ", "no bodies"));
    EXPECT_THAT(refused_without("/bodies/rod", "mass_kg"),
                has("/bodies/rod: ", "\"mass_kg\" is missing", "mass, 0 or above (kg)"));
    EXPECT_THAT(refused_without("/bodies/rod", "inertia_kg_m2"), has("\"inertia_kg_m2\" is missing"));
    EXPECT_THAT(refused_without("/joints/revolute", "type"), has("\"type\" is missing", "spherical, universal"));
    EXPECT_THAT(refused_without("/joints/revolute", "points_m"), has("/joints/revolute: ", "\"points_m\" is missing"));
    EXPECT_THAT(refused_without("/joints/distance", "value_m"), has("\"value_m\" is missing"));
    EXPECT_THAT(refused_without("/drivers/turn", "value_rad"), has("\"value_rad\" is missing"));
    EXPECT_THAT(refused_without("/forces/spring", "rest_length_m"), has("\"rest_length_m\" is missing"));
    json text = every_entry();
    for (const char* key : {"stiffness_N_m", "damping_N_s_m", "stiffness_N_m_rad", "damping_N_m_s_rad"})
        text["forces"]["mount"].erase(key);
    EXPECT_THAT(study::refusal([&] { parsed(text); }), has("/forces/mount: ", "exerts nothing", "stiffness_N_m"));
}

TEST(MechanismRefusals, Bodies) {
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "\"-mass_kg\""),
                has("/bodies/rod/mass_kg: ", "the mass is -1.92", "0 or above"));
    EXPECT_THAT(refused("/bodies/rod/inertia_kg_m2", "[0.1, -0.1, 0.1]"),
                has("/bodies/rod/inertia_kg_m2: ", "negative", "principal moments"));
    EXPECT_THAT(refused("/bodies/rod/inertia_kg_m2", R"({"xx": 1, "yy": 1, "zz": 1, "xy": 1.1})"), has("negative"));
    EXPECT_THAT(
        refused("/bodies/rod/inertia_kg_m2", R"({"xx": 1, "yy": 1, "zz": 1, "xy": 0.9, "yz": 0.9, "xz": -0.9})"),
        has("negative"));
    EXPECT_THAT(refused("/bodies/rod/inertia_kg_m2", "[1, 2]"), has("expected three numbers, found an array of 2"));
    EXPECT_THAT(refused("/bodies/rod/angular_velocity_rad_s", "[1, 2, 3]"),
                has("/bodies/rod/angular_velocity_world_rad_s: ", "given twice"));
    EXPECT_THAT(refused("/bodies/ground", R"({"mass_kg": 1})"), has("/bodies/ground: ", "cannot be a body"));
    EXPECT_THAT(refused("/bodies/left rod", R"({"mass_kg": 1})"), has("\"left rod\" cannot name a body", "letters"));
}

TEST(MechanismRefusals, Orientations) {
    const std::string path = "/bodies/rod/orientation";
    EXPECT_THAT(refused(path, R"({"quaternion": [1, 0, 0, 0], "x_axis": [1, 0, 0]})"),
                has(path + ": ", "not determined by one", "rotation_vector_rad"));
    EXPECT_THAT(refused(path, R"({"x_axis": [1, 0, 0]})"), has("two of x_axis"));
    EXPECT_THAT(refused(path, R"({"quaternion": [0, 0, 0, 0]})"), has(path + ": ", "no orientation", "not be zero"));
    EXPECT_THAT(refused(path, R"({"x_axis": [1, 0, 0], "y_axis": [-2, 0, 0]})"), has("must not be parallel"));
    EXPECT_THAT(refused(path, R"({"x_axis": [1, 2, 3], "z_axis": [0.3, 0.6, 0.9]})"), has("must not be parallel"));
    EXPECT_THAT(refused(path, R"({"x_axis": [1, 0, 0], "y_axis": [0, 0, 0]})"), has(path + "/y_axis: ", "length zero"));
    EXPECT_THAT(refused(path, R"({"matrix": [[1, 0, 0], [0, 1, 0.01], [0, 0, 1]]})"), has("within 1e-3"));
    EXPECT_THAT(refused(path, R"({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]})"), has("right-handed"));
    EXPECT_THAT(refused(path, R"({"matrix": [[1, 0, 0], [0, 1, 0]]})"), has(path + "/matrix: ", "three rows"));
    EXPECT_THAT(refused(path, R"({"euler": [1, 2, 3]})"), has(path + "/euler: ", "cardan_xyz_rad"));
}

TEST(MechanismRefusals, Joints) {
    EXPECT_THAT(
        refused("/joints/revolute/bodies", R"(["ground", "crnk"])"),
        has("/joints/revolute/bodies/1: ", "the body \"crnk\" is unknown", "did you mean \"crank\"?", "ground"));
    EXPECT_THAT(refused("/joints/revolute/bodies", R"(["rod", "rod"])"),
                has("/joints/revolute/bodies: ", "connected to itself"));
    EXPECT_THAT(refused("/joints/revolute/bodies", R"(["ground", "ground"])"), has("both are the ground"));
    EXPECT_THAT(refused("/joints/revolute/bodies", R"(["rod"])"), has("expected two bodies, found an array of 1"));
    EXPECT_THAT(refused("/joints/revolute/axes", "[[0, 0, 0], [0, 0, 1]]"),
                has("/joints/revolute/axes/0: ", "length zero", "[0, 0, 1]"));
    EXPECT_THAT(refused("/joints/revolute/axes", R"([[0, 0, 1], [0, "length_m - 0.8", 0]])"),
                has("/joints/revolute/axes/1: ", "length zero"));
    EXPECT_THAT(refused("/joints/planar/axes", "[[1, 2, 0.5], [0, 0, 0]]"),
                has("/joints/planar/axes/1: ", "length zero", "[0, 0, 1]"));
    EXPECT_THAT(refused("/joints/planar/references", "[[2, 4, 1], [1, 0.1, 0.4]]"),
                has("/joints/planar/references/0: ", "parallel to its axis"));
    EXPECT_THAT(refused("/joints/translational/references", "[[2, 4, 1], [1, 0.1, 0.4]]"),
                has("/joints/translational/references: ", "no axes", "leave both out"));
    EXPECT_THAT(refused("/joints/dot_2/axis", "[0, 0, 0]"), has("/joints/dot_2/axis: ", "length zero"));
    EXPECT_THAT(refused("/joints/coordinate/direction", "[0, 0, 0]"), has("/joints/coordinate/direction: "));
    EXPECT_THAT(refused("/joints/cylindrical/references", "[[0.2, 0.3, 1], [0.6, 2, 1.6]]"),
                has("/joints/cylindrical/references/1: ", "parallel to its axis"));
    EXPECT_THAT(refused("/joints/distance/value_m", "0"), has("/joints/distance/value_m: ", "spherical"));
    EXPECT_THAT(refused("/joints/dot_1/value", "1"), has("/joints/dot_1/value: ", "between -1 and 1"));
    EXPECT_THAT(refused("/joints/dot_2/value_m", "\"0.1 * t\""), has("/joints/dot_2/value_m: ", "time", "drivers"));
}

TEST(MechanismRefusals, ReferencesToJoints) {
    EXPECT_THAT(refused("/drivers/turn/joint", R"("revolut")"),
                has("/drivers/turn/joint: ", "unknown", "did you mean \"revolute\"?"));
    EXPECT_THAT(refused("/drivers/turn/joint", R"("prismatic")"),
                has("/drivers/turn/joint: ", "is prismatic and has no angle", "revolute, cylindrical, planar"));
    EXPECT_THAT(refused("/drivers/shift/joint", R"("revolute")"), has("no displacement", "cylindrical, prismatic"));
    EXPECT_THAT(refused("/drivers/nod/joint", R"("planar")"),
                has("/drivers/nod/joint: ", "is planar and has no angle_2", "universal", "displacement_2, angle"));
    EXPECT_THAT(refused("/joints/universal/axes", "[[0.3, -0.5, 0.8], [0.3, -0.5, 0.8]]"),
                has("/drivers/nod/joint: ", "parallel in the file's initial orientations", "no zero"));
    EXPECT_THAT(refused("/drivers/nod/type", R"("angle_3")"), has("/drivers/nod/type: ", "did you mean \"angle_"));
    EXPECT_THAT(refused("/drivers/push/joint", R"("cylindrical")"),
                has("/drivers/push/joint: ", "has no displacement_2", "planar, translational", "displacement, angle"));
    EXPECT_THAT(refused("/drivers/push/value_rad", "1"), has("/drivers/push", "value_rad", "value_m"));
    EXPECT_THAT(refused("/sensors/attitude/joint", R"("revolute")"),
                has("/sensors/attitude/joint: ", "has no orientation", "spherical", "this one has angle"));
    EXPECT_THAT(refused("/sensors/spin/joint", R"("universal")"), has("/sensors/spin/joint: ", "no orientation"));
    EXPECT_THAT(refused("/forces/torsion/joint", R"("spherical")"), has("/forces/torsion/joint: ", "no angle"));
    EXPECT_THAT(refused("/forces/control/joint", R"("cylindrical")"), has("linear_spring_damper"));
    EXPECT_THAT(refused("/sensors/bend/joint", R"("dot_1")"), has("/sensors/bend/joint: ", "is DP1"));
    EXPECT_THAT(refused("/sensors/load/joint", R"("hinge")"), has("/sensors/load/joint: ", "joints and drivers"));
    EXPECT_THAT(refused("/drivers/revolute", R"({"type": "angle", "joint": "cylindrical", "value_rad": "t"})"),
                has("/drivers/revolute: ", "that of a joint"));
    EXPECT_THAT(refused("/sensors/energy", R"({"type": "angle", "joint": "revolute"})"),
                has("/sensors/energy: ", "every mechanism has"));
    EXPECT_THAT(refused("/sensors/tip/body", R"("ground")"), has("/sensors/tip/body: ", "the ground cannot"));
}

TEST(MechanismRefusals, Forces) {
    EXPECT_THAT(refused("/forces/spring/stiffness_N_m", "-1"), has("/forces/spring/stiffness_N_m: ", "negative"));
    EXPECT_THAT(refused("/forces/torsion/damping_N_m_s_rad", "-1"), has("damping is negative"));
    EXPECT_THAT(refused("/forces/mount/damping_N_s_m", "[1, -1, 1]"), has("/forces/mount/damping_N_s_m", "negative"));
    EXPECT_THAT(refused("/forces/pull/force_N", "[1, 2]"), has("/forces/pull/force_N: ", "three numbers"));
    EXPECT_THAT(refused("/forces/torsion", R"({"type": "torsional_spring_damper", "joint": "cylindrical"})"),
                has("/forces/torsion: ", "exerts nothing", "stiffness_N_m_rad", "damping_N_m_s_rad"));
}

TEST(MechanismRefusals, Expressions) {
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "\"3 * lenght_m\""),
                has("/bodies/rod/mass_kg: ", "unknown parameter \"lenght_m\"", "did you mean \"length_m\"?"));
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "\"3 * (length_m\""), has("/bodies/rod/mass_kg: "));
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "\"1 / (length_m - 0.8)\""),
                has("/bodies/rod/mass_kg: ", "not finite: inf", "parameters.length_m = 0.8", "division by zero"));
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "\"2 * t\""),
                has("uses the time t", "bodies.rod.mass_kg is a constant"));
    EXPECT_THAT(refused("/parameters/length_m", "\"mass_kg / 3\""),
                has("need each other: ", "area_m2 -> length_m -> mass_kg -> area_m2", "give one of them a number"));
    EXPECT_THAT(refused("/parameters/length_m", "\"length_m + 1\""), has("length_m -> length_m"));
    EXPECT_THAT(refused("/parameters/length_m", "\"2 * t\""), has("/parameters/length_m: ", "uses the time t"));
    EXPECT_THAT(refused("/parameters/area_m2", "\"log(-length_m)\""), has("/parameters/area_m2: ", "not finite: "));
    EXPECT_THAT(refused("/parameters/sin", "1"), has("/parameters/sin: ", "meaning of its own"));
    EXPECT_THAT(refused("/parameters/t", "1"), has("/parameters/t: ", "meaning of its own"));
    EXPECT_THAT(refused("/parameters/rod length", "1"), has("cannot name a parameter"));
    EXPECT_THAT(refused("/drivers/turn/value_rad", "\"rate * t\""),
                has("/drivers/turn/value_rad: ", "\"rate\"", "rate_rad_s"));
    EXPECT_THAT(refused("/bodies/rod/mass_kg", "true"), has("/bodies/rod/mass_kg: ", "expected a number, found true"));
}

// The reason first, and of a formula of 5 kB what stands at the fault.
TEST(MechanismRefusals, OfLongFormulasShowAPart) {
    std::string sum = "1";
    for (int i = 0; i < 500; ++i) sum += " + length_m";
    const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
    const std::string constant = refused("/bodies/rod/mass_kg", quoted(sum + " - log(-1)")),
                      driver = refused("/drivers/turn/value_rad", quoted("t * (" + sum + " + 2 rad)")),
                      force = refused("/forces/pull/force_N", "[0, 0, " + quoted("sin(t) * (" + sum + ") +") + "]");
    EXPECT_THAT(constant, has(": this expression is not finite: ", "1 + length_m", " ...\""));
    EXPECT_THAT(driver, has(": an operator is missing before \"r\", at character 5512 of \"... ", "2 rad)\""));
    EXPECT_THAT(force, has(": the formula ends where a number or name should follow, at character "));
    for (const std::string& message : {constant, driver, force}) EXPECT_LT(message.size(), 400u) << message;
}

TEST(MechanismRefusals, MoreThanTheCompiledLimits) {
    const auto too_many = [](const std::string& section, int count, const auto& entry) {
        json text = two_bodies();
        for (int k = 0; k < count; ++k) text[section]["number_" + std::to_string(k)] = entry(text);
        return study::refusal([&] { parsed(text); });
    };
    const auto limit = [](int most, const std::string& what) {
        return has("more than " + std::to_string(most) + " " + what, std::string("kernels/mechanism/topology.hpp"));
    };
    EXPECT_THAT(too_many("bodies", most_bodies, [](const json& text) { return text["bodies"]["rod"]; }),
                limit(most_bodies, "bodies"));
    const auto weld = [](const json&) { return every_entry()["joints"]["fixed"]; };
    EXPECT_THAT(too_many("joints", most_rows / 6 + 1, weld), limit(most_rows, "rows"));
    EXPECT_THAT(too_many("joints", most_elements + 1, [](const json&) { return every_entry()["joints"]["dot_2"]; }),
                has("more than "));
    EXPECT_THAT(too_many("sensors", most_elements + 1, [](const json&) { return every_entry()["sensors"]["span"]; }),
                limit(most_elements, "elements"));
    EXPECT_THAT(too_many("sensors", 200, [](const json&) { return every_entry()["sensors"]["tip"]; }),
                limit(most_mechanism_channels, "channels"));
    EXPECT_THAT(too_many("forces", most_functions / 3 + 1, [](const json&) { return every_entry()["forces"]["pull"]; }),
                has("/forces/number_", std::to_string(most_functions)));
}

TEST(MechanismRefusals, CountsBeforeItBuilds) {
    const json tip = every_entry()["sensors"]["tip"], rod = two_bodies()["bodies"]["rod"];
    const auto refusal_of_many = [&](const char* section, const json& entry) {
        json text = two_bodies();
        for (int k = 0; k < 20000; ++k) text[section]["number_" + std::to_string(k)] = entry;
        return study::refusal([&] { parse_mechanism(text.dump(), "test.json"); });
    };
    EXPECT_THAT(refusal_of_many("sensors", tip), has("/sensors: ", "more than 512 channels"));
    EXPECT_THAT(refusal_of_many("bodies", rod), has("/bodies: ", "more than " + std::to_string(most_bodies)));
    EXPECT_THAT(refusal_of_many("parameters", 1.0), has("/parameters: ", "named parameters", "10000"));
}

TEST(MechanismRefusals, FilesThatCannotBeRead) {
    EXPECT_THAT(study::refusal([] { read_mechanism("no_such_mechanism.json"); }), has("no_such_mechanism.json: "));
    EXPECT_THAT(study::refusal([] { parse_mechanism("{\"bodies\": {}, \"bodies\": {}}", "twice.json"); }),
                has("twice.json:1:", "stands twice"));
}

std::shared_ptr<const Mechanism> assembled_arm(const nlohmann::json& text) {
    return parse_mechanism(text.dump(), "arm.json");
}
nlohmann::json arm_with_a_tip() {
    return nlohmann::json::parse(R"({
        "gravity_m_s2": [0, 0, -9.81],
        "bodies": {"arm": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0.5, 0, 0]},
                   "tip": {"mass_kg": 0, "inertia_kg_m2": [0, 0, 0], "position_m": [1, 0, 0]}},
        "joints": {"shoulder": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                                "axes": [[0, 1, 0], [0, 1, 0]]},
                   "wrist": {"type": "revolute", "bodies": ["arm", "tip"], "points_m": [[0.5, 0, 0], [0, 0, 0]],
                             "axes": [[0, 1, 0], [0, 1, 0]]}}})");
}

TEST(MechanismRefusals, JointsThatMoveNoInertia) {
    const auto refused_arm = [](const std::string& path, const std::string& value) {
        return study::refusal([&] { assembled_arm(changed(arm_with_a_tip(), path, value)); });
    };
    EXPECT_THAT(refused_arm("/title", "\"a tip without mass\""),
                has("/joints/wrist: ", "no inertia resists freedom 0 of joints.wrist, on which tip hangs",
                    "mass or an inertia that the joint moves"));
    EXPECT_THAT(refused_arm("/bodies/tip/inertia_kg_m2", "[0.1, 0, 0.1]"), has("/joints/wrist: ", "no inertia resists"))
        << "it has none about the axis";
    EXPECT_THAT(refused_arm("/bodies/tip/pinned", R"(["position"])"),
                has("/bodies/tip/pinned: ", "a body without mass cannot be pinned", "pin the body that it hangs on"));
    nlohmann::json turning = arm_with_a_tip();
    turning["bodies"]["tip"]["inertia_kg_m2"] = {0, 0.1, 0};
    EXPECT_GT(assembled_arm(turning)->table.joint.tree.links, 0) << "a rotor needs no mass";
    nlohmann::json held = arm_with_a_tip();
    held["joints"]["wrist"] = {{"type", "fixed"}, {"bodies", {"arm", "tip"}}, {"points_m", {{0.5, 0, 0}, {0, 0, 0}}}};
    EXPECT_GT(assembled_arm(held)->table.joint.tree.links, 0);
    EXPECT_TRUE(assembled_arm(held)->warnings.empty()) << "it is meant to have none";
}

}  // namespace
}  // namespace myriad::mechanism
