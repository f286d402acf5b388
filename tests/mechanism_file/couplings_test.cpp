// Couplings of joint coordinates in mechanism files: the table that they become, and what is refused and why.
#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/file/mechanism_schema.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/schema_fits.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// A crank and a rod on the ground, each by a joint with a coordinate; a third body by a ball.
json three_joints() {
    json file = json::parse(R"({
        "bodies": {"crank": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}, "rod": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]},
                   "ball": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}},
        "parameters": {"teeth": 20},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]},
                   "rail": {"type": "cylindrical", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[1, 0, 0], [1, 0, 0]]},
                   "socket": {"type": "spherical", "bodies": ["rod", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]]}},
        "couplings": {"rack": {"coordinate": "rail.displacement", "follows": "hinge.angle", "ratio": "1 / teeth"}}})");
    return file;
}
json with_second(const json& entry) {
    json file = three_joints();
    file["couplings"]["second"] = entry;
    return file;
}
std::string refused_with(const json& file) {
    return study::refusal([&] { parse_mechanism(file.dump(), "test.json"); });
}
std::string refused_entry(const char* key, const json& value) {
    json file = three_joints();
    file["couplings"]["rack"][key] = value;
    return refused_with(file);
}

TEST(CouplingsOfAFile, AreRowsBetweenTwoFreedomsOfTheTree) {
    const auto mechanism = parse_mechanism(three_joints().dump(), "test.json");
    const JointTable& joint = mechanism->table.joint;
    ASSERT_EQ(joint.couplings, 1);
    EXPECT_EQ(joint.coupling[0].freedom[0], 0);
    EXPECT_EQ(joint.coupling[0].freedom[1], 1);
    EXPECT_EQ(joint.rows, 1);
    EXPECT_EQ(joint.coupling[0].row, 0);
    EXPECT_EQ(mechanism->freedoms, 1 + 2 + 3 - 1);
    const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
    EXPECT_EQ(parameters[static_cast<std::size_t>(joint.coupling[0].parameter)], 1.0 / 20.0);
    EXPECT_EQ(parameters[static_cast<std::size_t>(joint.coupling[0].parameter + 1)], 0.0);
    std::vector<std::string> channels;
    for (const NamedChannels& one : mechanism->channels) channels.push_back(one.name);
    EXPECT_THAT(channels, testing::Contains("multiplier.rack"));
}

TEST(CouplingsOfAFile, FitTheSchema) {
    const json schema = json::parse(mechanism_schema());
    EXPECT_TRUE(fits_schema(schema, schema, three_joints()));
    EXPECT_FALSE(fits_schema(schema, schema, with_second({{"coordinate", "rail.angle"}, {"ratio", 1}})));
}

TEST(CouplingsOfAFile, NameCoordinatesOfJoints) {
    EXPECT_THAT(refused_entry("coordinate", "rail"),
                has("/couplings/rack/coordinate: ", "does not name a coordinate", "\"wheel.angle\""));
    EXPECT_THAT(refused_entry("follows", "hing.angle"),
                has("/couplings/rack/follows: ", "the joint \"hing\" is unknown", "did you mean \"hinge\"?"));
    EXPECT_THAT(refused_entry("follows", "hinge.displacement"),
                has("/couplings/rack/follows: ", "this joint is revolute and has no displacement", "angle"));
    EXPECT_THAT(refused_entry("follows", "socket.angle"),
                has("/couplings/rack/follows: ", "spherical", "no coordinate that could be coupled"));
    EXPECT_THAT(refused_entry("follow", "hinge.angle"), has("/couplings/rack/follow: ", "did you mean \"follows\"?"));
    EXPECT_THAT(refused_entry("ratio", 0), has("/couplings/rack/ratio: ", "ratio is 0"));
    json file = three_joints();
    file["couplings"]["rack"].erase("ratio");
    EXPECT_THAT(refused_with(file), has("/couplings/rack: ", "\"ratio\" is missing"));
    file = three_joints();
    file["couplings"]["hinge"] = file["couplings"]["rack"];
    EXPECT_THAT(refused_with(file), has("/couplings/hinge: ", "is that of a joint or driver as well"));
}

TEST(CouplingsOfAFile, DoNotCloseOnThemselves) {
    EXPECT_THAT(refused_entry("coordinate", "hinge.angle"),
                has("/couplings/rack/coordinate: ", "hinge.angle cannot follow itself"));
    EXPECT_THAT(
        refused_with(with_second({{"coordinate", "hinge.angle"}, {"follows", "rail.displacement"}, {"ratio", 20}})),
        has("/couplings/second/coordinate: ", "follows from rail.displacement already, by couplings.rack", "circle"));
    json file = with_second({{"coordinate", "rail.angle"}, {"follows", "rail.displacement"}, {"ratio", 3}});
    parse_mechanism(file.dump(), "test.json");
    file["couplings"]["third"] = {{"coordinate", "rail.angle"}, {"follows", "hinge.angle"}, {"ratio", 3}};
    EXPECT_THAT(refused_with(file), has("/couplings/third/coordinate: ", "couplings.rack", "couplings.second"));
    file = three_joints();
    file["drivers"] = {{"turn", {{"type", "angle"}, {"joint", "hinge"}, {"value_rad", "t"}}}};
    parse_mechanism(file.dump(), "test.json");
    file["drivers"]["slide"] = {{"type", "displacement"}, {"joint", "rail"}, {"value_m", "t"}};
    EXPECT_THAT(refused_with(file), has("/couplings/rack/coordinate: ", "both have a driver"));
}

TEST(CouplingsOfAFile, AreOfJointsOfTheTree) {
    json file = three_joints();
    file["joints"]["rail"]["cut"] = true;
    for (const char* body : {"rod", "ball"}) file["bodies"][body]["position_m"] = {0, 0, 0};
    EXPECT_THAT(refused_with(file),
                has("/couplings/rack/coordinate: ", "rail.displacement is no coordinate of the tree", "\"cut\""));
    file = three_joints();
    file["coordinates"] = "body";
    EXPECT_THAT(refused_with(file), has("/couplings: ", "body coordinates", "the file asks for these"));
    file = three_joints();
    file["contacts"] = {{"floor",
                         {{"type", "point_plane"},
                          {"bodies", {"ground", "ball"}},
                          {"plane_point_m", {0, 0, -1}},
                          {"plane_normal", {0, 0, 1}},
                          {"point_m", {0, 0, 0}}}}};
    EXPECT_EQ(parsed(file)->joint_coordinates_because, "couplings.rack is a coupling of joint coordinates");
}

TEST(CouplingsOfAFile, HaveAStart) {
    json file = three_joints();
    file["joints"]["hinge"]["angle_rad"] = 0.5, file["joints"]["rail"]["displacement_m"] = 0.5;
    EXPECT_THAT(refused_with(file), has("/couplings/rack: ", "the start values have rail.displacement at 0.5",
                                        "this coupling has it at 0.025, where hinge.angle is 0.5",
                                        "leave out one of the two start values"));
    file = three_joints();
    file["couplings"]["rack"]["offset"] = 0.5;
    parse_mechanism(file.dump(), "test.json");
    for (const char* body : {"crank", "rod"}) file["bodies"][body]["position_m"] = {0, 0, 0};
    const auto told = [&] { return warning_of_assembly(*parse_mechanism(file.dump(), "test.json")).value_or(""); };
    EXPECT_THAT(told(), has("couplings.rack: ", "off this coupling by -0.5"));
    file["assembly"] = "refuse";
    EXPECT_THAT(study::refusal(told), has("couplings.rack: ", "off this coupling by -0.5", "\"assembly\""));
}

}  // namespace
}  // namespace myriad::mechanism
