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

json arm_with_a_driver() { return example_mechanism("arm_on_a_cam"); }

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

TEST(Tables, OfTooManyPointsAreRefused) {
    json text = arm_with_a_driver();
    for (int i = 3; i < 10004; ++i) text["tables"]["cam"]["points"].push_back({i, i});
    EXPECT_THAT(refusal([&] { parsed(text); }), has("/tables/cam", "more than 10000 points"));
}

TEST(Tables, HaveCornersWhereTheyAreLinear) {
    json linear = arm_with_a_driver();
    linear["tables"]["cam"]["interpolation"] = "linear";
    EXPECT_GT(parsed(linear)->table.corners, 0) << "rates of a driver may jump at its points";
}

}  // namespace
}  // namespace myriad::mechanism
