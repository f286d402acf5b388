#include "host/program/bench_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace myriad::program {
namespace {

BenchReport report_with(int rows) {
    BenchReport report;
    report.hardware = "a \"quoted\" machine", report.compiler = "clang", report.commit = "0123", report.cores = 2;
    for (int i = 0; i < rows; ++i) {
        BenchRow row;
        row.bench = "throughput", row.subject = "row " + std::to_string(i) + "\nof two lines";
        row.seconds = spread_of({0.25, 0.5, 1.0});
        row.figures = {{"rate", 1e-5 / (i + 1), "1/s"}, {"unknown", std::numeric_limits<double>::quiet_NaN(), "s"}};
        report.rows.push_back(row);
    }
    report.pages = {{"page.md", "# Page\n\ntext\n"}};
    return report;
}

TEST(BenchJson, HasOneRowALine) {
    for (const int rows : {0, 1, 33}) {
        const std::string text = bench_json_text(report_with(rows));
        const auto json = nlohmann::json::parse(text);
        EXPECT_EQ(json.at("hardware"), "a \"quoted\" machine");
        EXPECT_EQ(json.at("pages").at("page.md"), "# Page\n\ntext\n");
        ASSERT_EQ(json.at("rows").size(), static_cast<std::size_t>(rows));
        for (int i = 0; i < rows; ++i) {
            const auto& row = json["rows"][static_cast<std::size_t>(i)];
            EXPECT_EQ(row.at("subject"), "row " + std::to_string(i) + "\nof two lines");
            EXPECT_EQ(row.at("figures").at("rate").at("value"), 1e-5 / (i + 1));
            EXPECT_TRUE(row["figures"].at("unknown").at("value").is_null());
            EXPECT_EQ(row.at("seconds").at("median"), 0.5);
        }
        // Five members, and beside them the lines that close the rows and the pages.
        const auto lines = std::count(text.begin(), text.end(), '\n');
        EXPECT_EQ(lines, rows + (rows == 0 ? 10 : 11));
    }
}

TEST(BenchText, DoesNotBreakASubjectIntoWords) {
    BenchReport report = report_with(0);
    BenchRow row;
    row.bench = "hand_written", row.subject = "spatial_slider_crank by the program, moreau_midpoint";
    row.backend = "cpu", row.clock = "thread cpu", row.precision = "fp64";
    row.step_s = 1e-4, row.width = 8, row.threads = 1, row.instances = 131'072, row.steps = 1'310'720'000;
    row.converged_share = 1.0, row.worst_relative_drift = 1.25e-10;
    row.seconds = spread_of({0.25, 0.5, 1.0}), row.instance_steps_per_s = spread_of({1.5e6, 2.5e6, 3.5e6});
    report.rows = {row};
    const std::string text = bench_text(report);
    EXPECT_NE(text.find(row.subject), std::string::npos) << text;
}

}  // namespace
}  // namespace myriad::program
