// Every case of `myriad validate` passes on the cpu backend, on the reference path and, where there is one, on a GPU;
// and a wrong value is found out.
#include "host/validation/validation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string_view>

#include "host/backends/backends.hpp"
#include "host/catalog/system_description.hpp"
#include "host/program/commands.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

Row matching_row() { return {"case", "quantity", -106.1638, -106.1638, 1e-9, "source", "reason"}; }

struct CaseOnBackend {
    std::string name, backend;
    friend void PrintTo(const CaseOnBackend& one, std::ostream* out) { *out << one.name << " on " << one.backend; }
};

// The cases that compare the cpu backend with the reference path say the same from either side.
std::vector<CaseOnBackend> cases_on_backends() {
    std::vector<CaseOnBackend> all;
    for (const char* backend : {"cpu", "reference", "cuda"})
        for (const std::string& name : validation_cases(backend))
            if (backend != std::string_view("reference") || !name.ends_with("twins")) all.push_back({name, backend});
    return all;
}

class ValidationCase : public testing::TestWithParam<CaseOnBackend> {};

}  // namespace

TEST_P(ValidationCase, Passes) {
    const auto& [name, backend] = GetParam();
    for (const backends::Availability& known : backends::backends())
        if (known.name == backend && !known.available) GTEST_SKIP() << known.detail;
    const std::vector<Row> rows = run_validation(name, backend);
    ASSERT_FALSE(rows.empty());
    std::set<std::string> quantities;
    for (const Row& row : rows) {
        std::printf("%-80s ours %.15g expected %.15g difference %.2e tolerance %.2e\n", row.quantity.c_str(), row.ours,
                    row.expected, row.difference(), row.tolerance);
        EXPECT_TRUE(row.passed()) << row.quantity << ": " << row.source;
        EXPECT_EQ(row.case_name, name);
        EXPECT_TRUE(quantities.insert(row.quantity).second) << row.quantity << " stands twice";
        EXPECT_FALSE(row.source.empty()) << row.quantity;
        EXPECT_FALSE(row.tolerance_reason.empty()) << row.quantity;
        // A tolerance as large as the value would pass anything, but for a count of iterations, of one or two at most.
        const bool bounds_a_count = row.expected == 0.0 && (row.tolerance == 1.0 || row.tolerance == 2.0);
        EXPECT_TRUE(row.tolerance < 1e-2 || row.tolerance < 0.2 * std::abs(row.expected) || bounds_a_count)
            << row.quantity;
    }
}

INSTANTIATE_TEST_SUITE_P(All, ValidationCase, testing::ValuesIn(cases_on_backends()),
                         [](const auto& of) { return of.param.name + "_on_" + of.param.backend; });

TEST(Subject, TriesEveryMemberOnSomeMechanismOfAGpuAndOnAllOfACpu) {
    const auto device = backends::make_backend(backends::names::cpu, {});
    const Subject gpu{backends::names::cuda, *device}, cpu{backends::names::cpu, *device};
    for (const char* chart : mechanism_charts) {
        EXPECT_TRUE(gpu.takes("four_link", "generalized_alpha", chart)) << chart;
        EXPECT_EQ(gpu.takes("puma560", "generalized_alpha", chart), chart == std::string_view("rotation")) << chart;
        EXPECT_TRUE(cpu.takes("puma560", "generalized_alpha", chart)) << chart;
    }
    for (const study::IntegratorDescription& method : study::integrators_of_mechanisms(true)) {
        EXPECT_TRUE(gpu.takes("bouncing_sphere", method.name)) << method.name;
        EXPECT_FALSE(gpu.takes("scotch_yoke", method.name)) << method.name;
        EXPECT_TRUE(cpu.takes("scotch_yoke", method.name)) << method.name;
    }
}

TEST(ValidationRow, FailsWithAWrongExpectedValue) {
    EXPECT_TRUE(matching_row().passed());
    for (const double wrong : {-106.1638 + 2e-9, -106.1638 - 2e-9, 106.1638, 0.0}) {
        Row row = matching_row();
        row.expected = wrong;
        EXPECT_FALSE(row.passed()) << wrong;
    }
}

TEST(ValidationRow, FailsWithANaNAnywhere) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (double Row::*number : {&Row::ours, &Row::expected, &Row::tolerance}) {
        Row row = matching_row();
        row.*number = nan;
        EXPECT_FALSE(row.passed());
    }
}

TEST(ValidationRow, FailsWithAnInfinityOnBothSides) {
    Row row = matching_row();
    row.ours = row.expected = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(row.passed());
}

TEST(ValidationCases, SuggestTheNameThatWasMeant) {
    try {
        run_validation("heavy_top_publishd", "cpu");
        FAIL() << "an unknown case was accepted";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage_or_input);
        EXPECT_NE(std::string(error.what()).find("\"heavy_top_published\""), std::string::npos) << error.what();
    }
}

TEST(ValidationCases, StandAsTheyAreNamedHoweverManyRunAtOnce) {
    const std::vector<std::string> names{"steady_precession", "free_rotation", "heavy_top_published"};
    std::vector<Row> one_by_one;
    for (const std::string& name : names)
        for (const Row& row : run_validation(name, "reference")) one_by_one.push_back(row);
    std::set<std::string> ended;
    const std::vector<Row> together =
        run_validations(names, "reference", 2, [&](const std::string& name, const std::vector<Row>& rows, const auto&) {
            EXPECT_FALSE(rows.empty());
            ended.insert(name);
        });
    EXPECT_EQ(ended, std::set<std::string>(names.begin(), names.end()));
    ASSERT_EQ(together.size(), one_by_one.size());
    for (std::size_t i = 0; i < together.size(); ++i) {
        EXPECT_EQ(together[i].quantity, one_by_one[i].quantity);
        EXPECT_EQ(together[i].ours, one_by_one[i].ours);
    }
    EXPECT_THROW(run_validations({"steady_precession", "heavy_top_publishd"}, "cpu", 1), UserError);
}

TEST(ValidationCases, RefuseAnUnknownBackend) { EXPECT_THROW(run_validation("free_rotation", "abacus"), UserError); }

TEST(ValidateCommand, PrintsEveryRowAsJson) {
    testing::internal::CaptureStdout();
    const int exit_code = program::validate({{"steady_precession"}, "cpu", program::OutputFormat::json});
    const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
    EXPECT_EQ(exit_code, 0);
    const std::vector<Row> rows = run_validation("steady_precession", "cpu");
    EXPECT_EQ(json.at("checks"), rows.size());
    EXPECT_EQ(json.at("passed"), rows.size());
    ASSERT_EQ(json.at("rows").size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(json["rows"][i].at("quantity"), rows[i].quantity);
        EXPECT_EQ(json["rows"][i].at("ours"), rows[i].ours);
        EXPECT_EQ(json["rows"][i].at("passed"), true);
    }
}

}  // namespace myriad::validation
