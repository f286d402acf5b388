// The statistics of a result file are those that were put into it, and a table shows them: each line of the list.
#include "host/ensemble/statistics_datasets.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "host/program/run_text.hpp"
#include "host/statistics/reported_statistics.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::ensemble {
namespace {

using results::example::Folder;
using study::QuantityStatistics;

constexpr std::size_t quantities = 3;

// All numbers that there are of two quantities, each another one; the third has no value.
class Numbers {
  public:
    StatisticsReport report() {
        StatisticsReport report;
        report.confidence = 0.95;
        for (std::size_t q = 0; q < quantities; ++q) {
            report.names.push_back("quantity_" + std::to_string(q)), report.units.emplace_back("m");
            report.events.emplace_back(q == 0 ? "above 650" : "");
            QuantityStatistics& row = report.rows.emplace_back();
            if (q < 2)
                for (const study::ReportedStatistic& statistic : study::reported_statistics)
                    std::visit([&](auto member) { put(row.*member); }, statistic.member);
            study::StepError& error = report.step_errors.emplace_back();
            for (const study::ReportedStepError& statistic : study::reported_step_errors)
                std::visit([&](auto member) { put(error.*member); }, statistic.member);
        }
        return report;
    }

  private:
    double next() { return last_ += 1.0; }
    void put(std::uint64_t& number) { number = static_cast<std::uint64_t>(next()); }
    void put(double& number) { number = next(); }
    void put(std::optional<study::Extreme>& extreme) { extreme = {next(), static_cast<std::uint64_t>(next())}; }
    void put(std::optional<study::Estimate>& estimate) {
        estimate = study::Estimate{next()};
        if (static_cast<int>(last_) % 2 == 0)
            estimate->interval = study::Interval{next(), next(), true};
        else
            estimate->no_interval = "needs " + std::to_string(next()) + " instances";
    }
    void put(std::vector<study::Quantile>& quantiles) {
        for (const double probability : {0.05, 0.5, 0.95}) {
            std::optional<study::Estimate> estimate;
            put(estimate);
            quantiles.push_back({probability, *estimate});
        }
    }

    double last_ = 1000.0;
};

void expect_same(std::uint64_t a, std::uint64_t b, const std::string& what) { EXPECT_EQ(a, b) << what; }
void expect_same(double a, double b, const std::string& what) { EXPECT_EQ(a, b) << what; }
void expect_same(const study::Estimate& a, const study::Estimate& b, const std::string& what) {
    EXPECT_EQ(a.value, b.value) << what;
    EXPECT_EQ(a.remark(), b.remark()) << what;
    ASSERT_EQ(a.interval.has_value(), b.interval.has_value()) << what;
    if (!a.interval) return;
    EXPECT_EQ(a.interval->low, b.interval->low) << what;
    EXPECT_EQ(a.interval->high, b.interval->high) << what;
}
void expect_same(const study::Extreme& a, const study::Extreme& b, const std::string& what) {
    EXPECT_EQ(a.value, b.value) << what;
    EXPECT_EQ(a.instance, b.instance) << what;
}
template <class Value>
void expect_same(const std::optional<Value>& a, const std::optional<Value>& b, const std::string& what) {
    ASSERT_EQ(a.has_value(), b.has_value()) << what;
    if (a) expect_same(*a, *b, what);
}
void expect_same(const std::vector<study::Quantile>& a, const std::vector<study::Quantile>& b,
                 const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t p = 0; p < a.size(); ++p) {
        EXPECT_EQ(a[p].probability, b[p].probability) << what;
        expect_same(a[p].estimate, b[p].estimate, what);
    }
}

TEST(StatisticsDatasets, ComeBackFromTheFileAsTheyWere) {
    const StatisticsReport report = Numbers().report();
    const Folder folder;
    const results::Layout layout{1, {{"/instance/id", results::ElementType::int64}}};
    auto journal =
        results::Journal::create(folder / "out.h5", results::example::fingerprint, layout, results::IfPresent::refuse);
    results::example::append(journal, {0, 1});
    results::assemble(journal, statistics_datasets(report), {});
    const auto found = read_statistics(results::Reader(folder / "out.h5"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->names, report.names);
    EXPECT_EQ(found->units, report.units);
    EXPECT_EQ(found->events, report.events);
    EXPECT_EQ(found->confidence, report.confidence);
    ASSERT_EQ(found->rows.size(), quantities);
    ASSERT_EQ(found->step_errors.size(), quantities);
    for (std::size_t q = 0; q < quantities; ++q) {
        for (const study::ReportedStatistic& statistic : study::reported_statistics)
            std::visit(
                [&](auto member) { expect_same(found->rows[q].*member, report.rows[q].*member, statistic.name); },
                statistic.member);
        for (const study::ReportedStepError& statistic : study::reported_step_errors)
            std::visit(
                [&](auto member) {
                    expect_same(found->step_errors[q].*member, report.step_errors[q].*member, statistic.name);
                },
                statistic.member);
    }
}

// The names are a contract with whoever reads results.
TEST(StatisticsDatasets, HaveTheirNames) {
    std::set<std::string> names;
    for (const results::FixedDataset& dataset : statistics_datasets(Numbers().report())) names.insert(dataset.path);
    std::set<std::string> expected;
    for (const char* name : {"quantity", "count", "excluded", "undefined", "min", "min_instance", "max", "max_instance",
                             "quantile_probability", "step_error_count", "step_error_without", "step_error_95",
                             "step_error_mean_shift", "step_error_shrinkage"})
        expected.insert(std::string("/statistics/") + name);
    for (const char* name : {"mean", "standard_deviation", "probability", "quantile"})
        for (const char* part : {"", "_low", "_high", "_remark"})
            expected.insert("/statistics/" + std::string(name) + part);
    EXPECT_EQ(names, expected);
}

TEST(StatisticsTable, HasALineForEachStatistic) {
    const std::string text = program::statistics_text(Numbers().report());
    for (const char* line : {"mean ", "standard deviation ", "5 % quantile ", "95 % quantile ",
                             "probability above 650 ", "smallest ", "largest ", "undefined ", "no values "})
        EXPECT_THAT(text, testing::HasSubstr(line));
}

}  // namespace
}  // namespace myriad::ensemble
