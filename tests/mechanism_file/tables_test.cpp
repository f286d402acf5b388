// The section "tables" of a mechanism file: how it is read and used, what is refused, and what a result keeps of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "host/mechanism/expression/derivatives.hpp"
#include "host/mechanism/expression/interpolation.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;
using study::refusal;

json arm_with_a_driver() {
    return json::parse(R"json({
        "parameters": {"gain": 2.0, "delay_s": 0.25},
        "tables": {"cam": {"points": [[0, 0.1], [0.5, 0.3], [1.25, -0.2], [2, 0.4]]}},
        "bodies": {"arm": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.3, 0.3], "centre_of_mass_m": [0.4, 0, 0]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]}},
        "drivers": {"turn": {"type": "angle", "joint": "hinge", "value_rad": "0.5 + gain * cam(t)"}}})json");
}
std::string refused(json text, const std::string& path, const json& value) {
    text[json::json_pointer(path)] = value;
    return refusal([&] { parsed(text); });
}

// A folder of its own for the files that a mechanism names, which goes away with it.
class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("tables_test." + std::to_string(getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

TEST(Tables, AreFunctionsInExpressionsOfAnyArgument) {
    Tables tables;
    tables.add({"cam",
                {0.0, 1.0, 2.0, 4.0},
                {0.0, 1.0, 4.0, 16.0},
                Interpolation::cubic_spline,
                Outside::refuse,
                {}});  // a square
    const auto shared = std::make_shared<const Tables>(tables);
    const auto value = [&](const std::string& text, double time_s) {
        const Expression expression = Expression::parse(text, "here", TimeUse::allowed, shared);
        return expression.value(std::vector<double>(expression.names().size(), 3.0), time_s);
    };
    EXPECT_NEAR(value("cam(t)", 1.5), 2.25, few_roundings);
    EXPECT_NEAR(value("x - 2 * cam(t / 2 + 0.5)", 2.0), 3.0 - 2.0 * 2.25, few_roundings);
    EXPECT_NEAR(value("cam(cam(t))", 1.5), 2.25 * 2.25, 10 * few_roundings);
    EXPECT_NEAR(value("cam(x) + cam(x)", 0.0), 18.0, 10 * few_roundings);
    EXPECT_TRUE(std::isnan(value("cam(t)", 4.5)));
    EXPECT_EQ(value("if(t < 4, cam(t), 7)", 4.5), 7.0) << "the branch that is not taken does no harm";
}

TEST(Tables, HavePartialDerivativesInForces) {
    Tables tables;
    tables.add(
        {"spring", {-1.0, 0.0, 0.5, 1.0}, {1.0, 0.0, 0.25, 1.0}, Interpolation::cubic_spline, Outside::refuse, {}});
    const Expression force =
        Expression::parse("3 * spring(angle)^2", "here", TimeUse::refused, std::make_shared<const Tables>(tables));
    const int by[] = {0};
    const DifferentiatedFormula found = differentiated(force.nodes(), by);
    ASSERT_GE(found.derivatives[0], 0);
    const Expression derivative =
        force.with_nodes({found.nodes.begin(), found.nodes.begin() + found.derivatives[0] + 1});
    for (const double x : {-0.7, 0.3, 0.9})
        EXPECT_NEAR(derivative.value(std::vector<double>{x}), 3.0 * 4.0 * x * x * x, 10 * few_roundings);
}

TEST(Tables, AreReadFromPointsOrFromColumnsOfAFile) {
    const Folder folder;
    folder.write("cam.csv", "# measured\ntime_s,note,angle_rad\n0,7,0.1\n0.5,7,0.3\n1.25,7,-0.2\n\n2,7,0.4\n");
    folder.write("two.csv", "time_s,angle_rad\n0,0.1\n0.5,0.3\n1.25,-0.2\n2,0.4\n");
    const auto given = parsed(arm_with_a_driver());
    for (const json& table :
         {json{{"file", "cam.csv"}, {"columns", {"time_s", "angle_rad"}}}, json{{"file", "two.csv"}}}) {
        json text = arm_with_a_driver();
        text["tables"]["cam"] = table;
        const auto mechanism = read_mechanism(folder.write("arm.json", text.dump()));
        ASSERT_EQ(mechanism->tables->all().size(), 1u);
        EXPECT_EQ(mechanism->tables->all()[0].arguments, given->tables->all()[0].arguments);
        EXPECT_EQ(mechanism->tables->all()[0].values, given->tables->all()[0].values);
        EXPECT_EQ(mechanism->text, given->text) << "what a result keeps has the points and names no file";
        EXPECT_EQ(parse_mechanism(mechanism->text, "arm.json")->text, given->text);
    }
}

TEST(Tables, KeepTheirFormInTheTextThatAResultKeeps) {
    json text = arm_with_a_driver();
    text["tables"]["cam"].update({{"outside", "hold"}, {"end_slopes", {0, 0.5}}, {"interpolation", "cubic_spline"}});
    const auto again = parse_mechanism(parsed(text)->text, "again.json");
    const Table& table = again->tables->all()[0];
    EXPECT_EQ(table.outside, Outside::hold);
    EXPECT_EQ(table.interpolation, Interpolation::cubic_spline);
    ASSERT_TRUE(table.end_slopes);
    EXPECT_EQ((*table.end_slopes)[1], 0.5);
}

TEST(Tables, RefuseArgumentsThatDoNotRise) {
    const json arm = arm_with_a_driver();
    EXPECT_THAT(refused(arm, "/tables/cam/points", {{0, 1}, {0.5, 2}, {0.25, 3}, {1, 2}}),
                has("/tables/cam/points/2", "0.25 follows 0.5", "sort the points"));
    EXPECT_THAT(refused(arm, "/tables/cam/points", {{0, 1}, {0.5, 2}, {0.5, 3}}),
                has("/tables/cam/points/2", "0.5 stands twice"));
    const Folder folder;
    json text = arm;
    text["tables"]["cam"] = {{"file", "cam.csv"}};
    const std::filesystem::path file = folder.write("arm.json", text.dump());
    folder.write("cam.csv", "time_s,angle_rad\n0,1\n# a comment\n0.5,2\n0.25,3\n");
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("cam.csv, line 5", "time_s 0.25 follows 0.5"));
    folder.write("cam.csv", "time_s,angle_rad\n0,1\n0,2\n");
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("cam.csv, line 3", "time_s 0 stands twice"));
    folder.write("cam.csv", "time_s,angle_rad\n0,1\n0.5,two\n");
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("cam.csv, line 3", "column 2 (angle_rad)"));
    folder.write("cam.csv", "time_s,angle_rad,rate\n0,1,2\n0.5,2,3\n");
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("/tables/cam", "3 columns", "say which two"));
    text["tables"]["cam"]["columns"] = {"time", "rate"};
    folder.write("arm.json", text.dump());
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("cam.csv", "no column time", "time_s, angle_rad, rate"));
    std::filesystem::remove(file.parent_path() / "cam.csv");
    EXPECT_THAT(refusal([&] { read_mechanism(file); }), has("cam.csv", "mechanism file's folder"));
}

TEST(Tables, RefuseWhatIsNoTable) {
    const json arm = arm_with_a_driver();
    const auto cam = [&](const json& table) { return refused(arm, "/tables/cam", table); };
    EXPECT_THAT(cam(json::object()), has("/tables/cam", "neither points nor a file"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"file", "a.csv"}}), has("points and names a file"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"columns", {"a", "b"}}}), has("columns are those of a file"));
    EXPECT_THAT(cam({{"points", {{0, 1}}}}), has("1 point", "at least two"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1}}}}), has("/tables/cam/points/1", "an argument and a value"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, "gain"}}}}), has("/tables/cam/points/1/1", "gain * cam(t - delay_s)"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"interpolation", "spline"}}),
                has("/tables/cam/interpolation", "cubic_spline"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"outsde", "hold"}}), has("outsde", "outside"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"interpolation", "linear"}, {"end_slopes", {0, 0}}}),
                has("/tables/cam/end_slopes", "cubic spline"));
    EXPECT_THAT(cam({{"points", {{0, 1}, {1, 2}}}, {"end_slopes", {0}}}), has("two slopes"));
    EXPECT_THAT(cam({{"points", {{0, 1e300}, {1e-300, -1e300}}}}), has("/tables/cam", "not finite"));
    EXPECT_THAT(cam({{"file", "cam.csv"}}), has("/tables/cam/file", "without a folder"));
    EXPECT_THAT(refused(arm, "/tables/sin", arm["tables"]["cam"]), has("/tables/sin", "a meaning of its own"));
    EXPECT_THAT(refused(arm, "/parameters/cam", 1), has("/parameters/cam", "a table as well"));
    json points = json::array();
    for (int i = 0; i < 10001; ++i) points.push_back({i, i});
    EXPECT_THAT(cam({{"points", points}}), has("/tables/cam", "more than 10000 points"));
}

TEST(Tables, AreNamedInMessagesAboutExpressions) {
    const json arm = arm_with_a_driver();
    const auto driver = [&](const std::string& value) { return refused(arm, "/drivers/turn/value_rad", value); };
    EXPECT_THAT(driver("cam + t"), has("the table \"cam\" needs its argument", "cam(t)"));
    EXPECT_THAT(driver("cam(t, 2)"), has("takes 1 argument, not 2"));
    EXPECT_THAT(driver("cm(t)"), has("no function \"cm\"", "cam"));
    EXPECT_THAT(driver("cam(t - 1)"),
                has("/tables/cam", "at time 0 s the argument of the table cam is -1", "begin at 0", "hold"));
    json linear = arm;
    linear["tables"]["cam"]["interpolation"] = "linear";
    EXPECT_GT(parsed(linear)->table.corners, 0) << "rates of a driver may jump at its points";
}

}  // namespace
}  // namespace myriad::mechanism
