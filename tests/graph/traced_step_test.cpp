#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <ostream>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/graph/interpreter.hpp"
#include "host/graph/tape_run.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

constexpr int traced_instances = 48;

struct TracedCase {
    const char* study;
    const char* method;  // JSON
    int steps;
    bool fails;  // some instance ends before its span does
    backends::Precision precision = backends::Precision::fp64;
    friend void PrintTo(const TracedCase& x, std::ostream* out) { *out << x.study << " " << x.method; }
};

study::Study study_of(const TracedCase& given) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", std::string("integrator=") + given.method};
    if (given.precision == backends::Precision::fp32) changes.assignments.push_back("precision=fp32");
    if (given.fails) changes.assignments.push_back("observe.every_s=0.5");
    return study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The program's own kernels step the same instances: records, rows, quantities and final states are compared.
template <class Number>
void expect_the_bits_of_the_kernels(const TracedCase& given) {
    const study::Study study = study_of(given);
    backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * traced_instances);
    study.sampler().sample(0, traced_instances, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, traced_instances, sampled, 1);
    backends::StepByStep own(task, traced_instances, varied.data());
    const int varied_count = task.plan.varied_count;

    const std::optional<backends::TracedRun> plain =
        trace_run(task, {}, Rules::only(Rule::folding).with(Rule::sharing));
    const std::optional<backends::TracedRun> simplified = trace_run(task, task.varied_parameters->common_values());
    ASSERT_TRUE(plain && simplified);
    const backends::TracedRun &as_written = *plain, &run = *simplified;
    const Program step(run.step), end(run.end), written(as_written.step);
    EXPECT_LT(step.counts().arithmetic(), written.counts().arithmetic());
    const Tape step_tape = make_tape(step, run.step_fields), end_tape = make_tape(end, run.end_fields);
    if (std::getenv("MYRIAD_COUNTS"))
        std::printf("%s %s: %d -> %d of %d, end %d, alive %d\n", given.study, given.method, written.counts().all(),
                    step.counts().arithmetic(), step.counts().all(), end.counts().all(), step.most_alive());

    TapeRun<Number> steps(step_tape, interpreter<Number>(), traced_instances),
        ends(end_tape, interpreter<Number>(), traced_instances);
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        ASSERT_EQ(static_cast<int>(record.size()), run.record_fields - varied_count);
        for (int f = 0; f < run.record_fields; ++f)
            steps.field(f)[i] =
                static_cast<Number>(f < varied_count ? varied[static_cast<std::size_t>(f * traced_instances + i)]
                                                     : record[static_cast<std::size_t>(f - varied_count)]);
    }
    const int rows_field = varied_count + 3, observed = run.step_fields - run.record_fields;
    const auto rows_of = [&](int i) { return static_cast<std::size_t>(steps.field(rows_field)[i]); };
    std::map<std::pair<int, std::size_t>, std::vector<double>> rows;
    for (int n = 0; n < given.steps; ++n) {
        std::vector<std::size_t> before;
        for (int i = 0; i < traced_instances; ++i) before.push_back(rows_of(i));
        steps.run(1);
        for (int i = 0; i < traced_instances; ++i)
            if (before[static_cast<std::size_t>(i)] != rows_of(i))
                for (int k = 0; k < observed; ++k)
                    rows[{i, before[static_cast<std::size_t>(i)]}].push_back(steps.field(run.record_fields + k)[i]);
    }
    for (int f = 0; f < run.record_fields; ++f) std::copy_n(steps.field(f), traced_instances, ends.field(f));
    const auto result = [&](const backends::Chunk& chunk, int i, int k) {
        const auto at = static_cast<std::size_t>(i), number = static_cast<std::size_t>(k);
        const std::size_t states = chunk.final_state.size() / traced_instances,
                          quantities = chunk.quantities.size() / traced_instances;
        return number < states ? chunk.final_state[at * states + number]
                               : chunk.quantities[at * quantities + number - states];
    };
    const int results = run.end_fields - run.record_fields;
    const backends::Chunk begun = own.chunk();
    for (int i = 0; i < traced_instances; ++i)
        for (int k = 0; k < results; ++k)
            ends.field(run.record_fields + k)[i] = static_cast<Number>(result(begun, i, k));
    ends.run(1);

    own.advance(given.steps);
    const backends::Chunk chunk = own.chunk();
    int failed = 0;
    for (int i = 0; i < traced_instances; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::vector<double> record = own.record(at);
        failed += chunk.status[at] > static_cast<int>(Status::ok) ? 1 : 0;
        for (int f = varied_count; f < run.record_fields; ++f) {
            const double theirs = record[static_cast<std::size_t>(f - varied_count)];
            ASSERT_TRUE(same(ends.field(f)[i], theirs))
                << "instance " << i << ", field " << f << ": " << ends.field(f)[i] << ", " << theirs;
        }
        for (int k = 0; k < results; ++k)
            ASSERT_TRUE(same(ends.field(run.record_fields + k)[i], result(chunk, i, k)))
                << "instance " << i << ", " << k;
    }
    const std::size_t width = static_cast<std::size_t>(observed);
    const std::size_t all_rows = width == 0 ? 0 : chunk.trajectory.size() / traced_instances / width;
    for (const auto& [place, row] : rows)
        for (std::size_t k = 0; k < width; ++k) {
            ASSERT_LT(place.second, all_rows);
            ASSERT_TRUE(
                same(row[k],
                     chunk.trajectory[(static_cast<std::size_t>(place.first) * all_rows + place.second) * width + k]));
        }
    EXPECT_EQ(failed > 0, given.fails);
}

class TracedStep : public testing::TestWithParam<TracedCase> {};

TEST_P(TracedStep, OnATapeHasTheBitsOfTheKernels) {
    if (GetParam().precision == backends::Precision::fp64)
        expect_the_bits_of_the_kernels<double>(GetParam());
    else
        expect_the_bits_of_the_kernels<float>(GetParam());
}

constexpr const char* by_rk4 = R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* by_large_steps = R"({"name": "rk4", "step_s": 0.5, "end_s": 100})";
constexpr const char* by_generalized_alpha =
    R"({"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.15, "spectral_radius": 0.9})";
constexpr const char* by_large_implicit_steps =
    R"({"name": "generalized_alpha", "step_s": 0.5, "end_s": 100, "spectral_radius": 0.9})";
// More steps than the span has: an instance that has ended stays as it is.
constexpr int beyond_the_span = 170;

INSTANTIATE_TEST_SUITE_P(Mechanisms, TracedStep,
                         testing::Values(TracedCase{"pendulum", by_rk4, beyond_the_span, false},
                                         TracedCase{"double_pendulum", by_rk4, beyond_the_span, false},
                                         TracedCase{"four_link", by_rk4, beyond_the_span, false},
                                         TracedCase{"puma560", by_rk4, beyond_the_span, false},
                                         TracedCase{"heavy_top_on_joint", by_rk4, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_rk4, beyond_the_span, false}));
INSTANTIATE_TEST_SUITE_P(Failing, TracedStep,
                         testing::Values(TracedCase{"four_link", by_large_steps, 100, true},
                                         TracedCase{"puma560", by_large_steps, 100, true},
                                         TracedCase{"slider_crank_iftomm", by_large_steps, 100, true}));
INSTANTIATE_TEST_SUITE_P(Implicit, TracedStep,
                         testing::Values(TracedCase{"double_pendulum", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"puma560", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"four_link", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_generalized_alpha, beyond_the_span,
                                                    false},
                                         TracedCase{"slider_crank_iftomm", by_large_implicit_steps, 50, true}));
constexpr backends::Precision fp32 = backends::Precision::fp32;
INSTANTIATE_TEST_SUITE_P(InSinglePrecision, TracedStep,
                         testing::Values(TracedCase{"double_pendulum", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"puma560", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"slider_crank_iftomm", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"puma560", by_large_steps, 100, true, fp32},
                                         TracedCase{"puma560", by_generalized_alpha, beyond_the_span, false, fp32},
                                         TracedCase{"slider_crank_iftomm", by_generalized_alpha, beyond_the_span, false,
                                                    fp32}));

}  // namespace
}  // namespace myriad::graph
