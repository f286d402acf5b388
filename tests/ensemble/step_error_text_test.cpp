#include <gmock/gmock.h>

#include "host/ensemble/statistics_datasets.hpp"
#include "host/program/run_text.hpp"

namespace {

using myriad::ensemble::StatisticsReport;
using myriad::program::statistics_text;
using testing::HasSubstr;
using testing::Not;

StatisticsReport report_of(double shrinkage, std::uint64_t without) {
    StatisticsReport report;
    report.confidence = 0.95;
    for (const char* name : {"height_m", "tilt_rad"}) {
        report.names.emplace_back(name), report.units.emplace_back("1"), report.events.emplace_back();
        report.rows.emplace_back().count = 100;
        report.rows.back().mean = myriad::study::Estimate{2.5};
        report.step_errors.push_back({.count = 31, .change_share_95 = 0.125, .mean_shift = -0.0625, .shrinkage = 0.25});
    }
    report.step_errors.back().shrinkage = shrinkage, report.step_errors.back().without = without;
    return report;
}

TEST(StepErrorText, NamesTheQuantityWhoseErrorDoesNotShrink) {
    const std::string text = statistics_text(report_of(0.97, 0));
    EXPECT_THAT(text, HasSubstr("31 instances were run again at half the step"));
    EXPECT_THAT(text, HasSubstr("0.062"));  // the shift of the mean, without its sign
    EXPECT_THAT(text, HasSubstr("tilt_rad: the step error does not shrink"));
    EXPECT_THAT(text, Not(HasSubstr("height_m: the step error")));
}

TEST(StepErrorText, NamesTheQuantityThatLosesItsValueAtHalfTheStep) {
    const std::string text = statistics_text(report_of(0.5, 3));
    EXPECT_THAT(text, HasSubstr("tilt_rad: 3 of the instances have no value at half the step"));
    EXPECT_THAT(text, Not(HasSubstr("does not shrink")));
}

TEST(StepErrorText, IsAbsentWithoutACheck) {
    StatisticsReport report = report_of(0.97, 3);
    report.step_errors.clear();
    EXPECT_THAT(statistics_text(report), Not(HasSubstr("step error")));
}

}  // namespace
