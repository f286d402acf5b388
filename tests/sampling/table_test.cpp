#include "host/text/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "host/study/sampling/sampler.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {
namespace {

CsvTable table_from(const std::string& text) {
    std::istringstream lines(text);
    return CsvTable::read(lines, "cases.csv");
}

TEST(CsvTable, ReadsWhatSpreadsheetsWrite) {
    const CsvTable table = table_from(
        "\xEF\xBB\xBF# drop tests\r\n \"bodies.rod.mass\" , joints.crank.point[1]\r\n\r\n1.5,-2e-3\r\n+0.1 ,\"7\"\r\n");
    ASSERT_EQ(table.columns(), (std::vector<std::string>{"bodies.rod.mass", "joints.crank.point[1]"}));
    ASSERT_EQ(table.rows(), 2u);
    EXPECT_EQ(table.value(0, 0), 1.5);
    EXPECT_EQ(table.value(0, 1), -2e-3);
    EXPECT_EQ(table.value(1, 0), 0.1);
    EXPECT_EQ(table.value(1, 1), 7.0);
}

TEST(CsvTable, NumbersKeepAllTheirDigits) {
    EXPECT_EQ(table_from("a\n0.1000000000000000055511151231257827\n5e-324\n").value(0, 0), 0.1);
    EXPECT_EQ(table_from("a\n1\n5e-324\n").value(1, 0), 5e-324);
}

TEST(CsvTable, KnowsTheLineOfEachRow) {
    const CsvTable table = table_from("# two comments\n# and a header\na\n1\n2\n\n3\n# one more\n4\n5\n");
    std::vector<std::uint64_t> lines;
    for (std::uint64_t row = 0; row < table.rows(); ++row) lines.push_back(table.line(row));
    EXPECT_EQ(lines, (std::vector<std::uint64_t>{4, 5, 7, 9, 10}));
    EXPECT_EQ(table.select(std::vector<std::string>{"a"}).line(3), 9u);
}

TEST(CsvTable, SelectsColumnsByAddressAndNamesTheMissingOne) {
    const CsvTable table = table_from("a,b,c\n1,2,3\n4,5,6\n");
    const CsvTable selected = table.select(std::vector<std::string>{"c", "a"});
    EXPECT_EQ(selected.value(1, 0), 6.0);
    EXPECT_EQ(selected.value(1, 1), 4.0);
    try {
        table.select(std::vector<std::string>{"a", "d"});
        ADD_FAILURE() << "a missing column was accepted";
    } catch (const UserError& error) {
        EXPECT_EQ(error.what_is_wrong(), "there is no column d");
        EXPECT_EQ(error.remedy(), "the columns are: a, b, c");
    }
}

TEST(CsvTable, RowIsInstanceAndConstantsFollow) {
    const std::string here = "study.json: /parameters";
    const Sampler sampler(table_from("a,b\n1,2\n3,4\n5,6\n"), {{"g", {Constant{9.81}, here}}}, here);
    EXPECT_EQ(sampler.addresses(), (std::vector<std::string>{"a", "b", "g"}));
    std::vector<double> out(6);
    sampler.sample(1, 2, out.data());
    EXPECT_EQ(out, (std::vector<double>{3, 5, 4, 6, 9.81, 9.81}));
    EXPECT_EQ(sampler.value(2, 1), 6.0);
    EXPECT_EQ(sampler.intervals().basis, IntervalBasis::undeclared);
    EXPECT_NO_THROW(sampler.require_instances(2, here));
    EXPECT_THROW(sampler.require_instances(4, here), UserError);
    EXPECT_THROW(Sampler(table_from("a\n1\n"), {{"b", {Normal{0.0, 1.0}, here}}}, here), UserError);
    EXPECT_THROW(Sampler(table_from("a\n1\n"), {{"a", {Constant{1.0}, here}}}, here), UserError);
}

}  // namespace
}  // namespace myriad::study
