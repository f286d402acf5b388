// The schema of mechanism files against files, and against what the reader refuses.
#include "host/mechanism/file/mechanism_schema.hpp"
#include "host/text/json_text.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/schema_fits.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

bool fits(const json& value) {
    static const json schema = json::parse(mechanism_schema());
    return fits_schema(schema, schema, value);
}

TEST(MechanismSchema, AndReaderTakeTheBundledMechanismsAndTheirCanonicalTexts) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms")) {
        const json text = JsonText::read(entry.path()).root().json();
        EXPECT_TRUE(fits(text)) << entry.path();
        const auto mechanism = read_mechanism(entry.path());
        EXPECT_EQ(mechanism->file, entry.path());
        EXPECT_EQ(mechanism->name, entry.path().stem());
        EXPECT_FALSE(mechanism->title.empty()) << entry.path();
        const auto again = parse_mechanism(mechanism->text, "again.json");
        EXPECT_EQ(again->nominal_kernel_parameters(), mechanism->nominal_kernel_parameters()) << entry.path();
        EXPECT_EQ(again->text, mechanism->text) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 15);
}

TEST(MechanismSchema, TakesEveryEntryOfTheRichExample) {
    EXPECT_TRUE(fits(every_entry()));
    parsed(every_entry());
}

TEST(MechanismSchema, TakesValuesWithWhichJointsStart) {
    json text = two_bodies();
    const json points = {{0.1, 0, 0}, {0, 0.2, 0.3}}, axes = {{1, 2, 0.5}, {0.3, 1, 0.8}};
    text["joints"] = {{"plane",
                       {{"type", "planar"},
                        {"bodies", {"ground", "crank"}},
                        {"points_m", points},
                        {"axes", axes},
                        {"displacement_1_m", 0.1},
                        {"displacement_rate_2_m_s", "1 / 4"},
                        {"angle_rad", 7}}},
                      {"ball",
                       {{"type", "spherical"},
                        {"bodies", {"crank", "rod"}},
                        {"points_m", points},
                        {"orientation", {{"quaternion", {1, 0.2, 0, 0}}}},
                        {"angular_velocity_rad_s", {1, 2, 3}}}}};
    EXPECT_TRUE(fits(text));
    parsed(text);
}

TEST(MechanismSchema, RefusesWhatTheReaderRefuses) {
    for (const auto& [path, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"/assembly", R"("stop")"},
             {"/body", "{}"},
             {"/bodies", "{}"},
             {"/bodies/rod/mass", "1"},
             {"/bodies/rod/mass_kg", "[1]"},
             {"/bodies/rod/position_m", "[1, 2]"},
             {"/bodies/rod/inertia_kg_m2", R"({"xx": 1, "yy": 1})"},
             {"/bodies/rod/orientation", R"({"x_axis": [1, 0, 0]})"},
             {"/bodies/rod/orientation", R"({"quaternion": [1, 0, 0]})"},
             {"/bodies/rod/pinned", R"(["velocity"])"},
             {"/joints/revolute/type", R"("revolut")"},
             {"/joints/revolute/bodies", R"(["crank"])"},
             {"/joints/revolute/axis", "[1, 0, 0]"},
             {"/joints/revolute/cut", "1"},
             {"/joints/dot_1/cut", "true"},
             {"/joints/revolute/angle_rad", "[1]"},
             {"/joints/revolute/displacement_m", "1"},
             {"/joints/planar/displacement_m", "1"},
             {"/joints/spherical/orientation", R"({"quaternion": [1, 0, 0]})"},
             {"/joints/fixed/angle_rad", "1"},
             {"/joints/distance/value_m", "null"},
             {"/drivers/turn/value_m", "1"},
             {"/drivers/nod/value_m", "1"},
             {"/drivers/push/type", R"("displacement_4")"},
             {"/tables/gust/points", "[[0, 1]]"},
             {"/tables/gust/points", "[[0, 1], [1]]"},
             {"/tables/gust/point", "[[0, 1], [1, 2]]"},
             {"/tables/gust/interpolation", R"("spline")"},
             {"/tables/gust/outside", "0"},
             {"/tables/gust/end_slopes", "[1]"},
             {"/forces/pull/frame", R"("local")"},
             {"/forces/spring/rest_length_m", "[1]"},
             {"/contacts/ball/type", R"("sphere_plain")"},
             {"/contacts/ball/radii_m", "[0.1, 0.2]"},
             {"/contacts/balls/radii_m", "[0.1]"},
             {"/contacts/box/size_m", "0.1"},
             {"/contacts/touch/clearance_m", "0.1"},
             {"/sensors/tip/joint", R"("revolute")"},
             {"/sensors/spin/body", R"("rod")"},
         }) {
        const json text = changed(every_entry(), path, value);
        EXPECT_FALSE(fits(text)) << path << " = " << value;
        study::refusal([&] { parsed(text); });
    }
}

}  // namespace
}  // namespace myriad::mechanism
