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
json three_joints() { return example_mechanism("crank_and_rack"); }
json with_second(const json& entry) {
    json file = three_joints();
    file["couplings"]["second"] = entry;
    return file;
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

TEST(CouplingsOfAFile, ActInJointCoordinatesAlone) {
    json file = three_joints();
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
    file["couplings"]["rack"]["offset"] = 0.5;
    parse_mechanism(file.dump(), "test.json");
    for (const char* body : {"crank", "rod"}) file["bodies"][body]["position_m"] = {0, 0, 0};
    const auto told = [&] { return warning_of_assembly(*parse_mechanism(file.dump(), "test.json")).value_or(""); };
    EXPECT_THAT(told(), has("couplings.rack: ", "off this coupling by -0.5"));
}

}  // namespace
}  // namespace myriad::mechanism
