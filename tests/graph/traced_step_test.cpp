#include "tests/graph/traced_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/graph/tape_run.hpp"
#include "host/study/study.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

constexpr int traced_instances = 48;

struct TracedCase {
    const char* study;
    const char* method;  // JSON
    int steps;
    bool bakes;  // varied parameters that are the same in all instances are constants
    bool fails;  // some instance ends before its span does
    friend void PrintTo(const TracedCase& x, std::ostream* out) {
        *out << x.study << " " << x.method << (x.bakes ? ", baked" : "");
    }
};

study::Study study_of(const TracedCase& given) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", std::string("integrator=") + given.method};
    if (given.fails) changes.assignments.push_back("observe.every_s=0.5");
    return study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
}

Graph traced(const backends::Task& task, Rules rules, int& fields) {
    if (task.integrator == "rk4") return trace_of<RungeKutta<Rk4>>(task, rules, fields);
    return trace_of<Implicit<GeneralizedAlpha>>(task, rules, fields);
}

void bake(backends::Task& task, const std::vector<double>& varied) {
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const int field = task.plan.varied[i];
        if (field < 0) continue;
        const double* const values = &varied[static_cast<std::size_t>(field * traced_instances)];
        if (!std::all_of(values, values + traced_instances, [&](double x) { return x == values[0]; })) continue;
        task.plan.varied[i] = -1, task.parameters[i] = values[0];
    }
}

class TracedStep : public testing::TestWithParam<TracedCase> {};

// The program's own kernels step the same instances. Time, motion, memory, status and reason are compared; what counts
// errors at some steps only, the certificate, is no part of a trial step.
TEST_P(TracedStep, OnATapeHasTheBitsOfTheKernels) {
    const TracedCase& given = GetParam();
    const study::Study study = study_of(given);
    backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * traced_instances);
    study.sampler().sample(0, traced_instances, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, traced_instances, sampled, 1);
    backends::StepByStep own(task, traced_instances, varied.data());

    if (given.bakes) bake(task, varied);
    int fields = 0;
    const Graph graph = traced(task, Rules::all(), fields);
    const Graph as_written = traced(task, Rules::only(Rule::folding).with(Rule::sharing), fields);
    const Program program(graph);
    const Counts counts = program.counts(), written = Program(as_written).counts();
    const Tape tape = make_tape(program, fields + task.plan.varied_count);
    EXPECT_LT(counts.arithmetic(), written.arithmetic());

    TapeRun<double> run(tape, traced_instances);
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        ASSERT_GE(static_cast<int>(record.size()), fields);  // sums of quantities stand behind
        for (int f = 0; f < fields; ++f) run.field(f)[i] = record[static_cast<std::size_t>(f)];
        for (int f = 0; f < task.plan.varied_count; ++f)
            run.field(fields + f)[i] = varied[static_cast<std::size_t>(f * traced_instances + i)];
    }
    own.advance(given.steps);
    run.run(given.steps);
    int failed = 0;
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        failed += record[4] > static_cast<double>(Status::running) ? 1 : 0;
        for (const Output& output : graph.outputs) {
            const auto f = static_cast<std::size_t>(output.field);
            const double found = run.field(static_cast<int>(f))[i];
            ASSERT_TRUE(found == record[f] || (std::isnan(found) && std::isnan(record[f])))
                << "instance " << i << ", field " << f << ": " << found << ", " << record[f];
        }
    }
    EXPECT_GT(graph.outputs.size(), 10u);
    EXPECT_EQ(failed > 0, given.fails);
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
                         testing::Values(TracedCase{"pendulum", by_rk4, beyond_the_span, false, false},
                                         TracedCase{"double_pendulum", by_rk4, beyond_the_span, false, false},
                                         TracedCase{"double_pendulum", by_rk4, beyond_the_span, true, false},
                                         TracedCase{"four_link", by_rk4, beyond_the_span, true, false},
                                         TracedCase{"puma560", by_rk4, beyond_the_span, true, false},
                                         TracedCase{"heavy_top_on_joint", by_rk4, beyond_the_span, true, false},
                                         TracedCase{"slider_crank_iftomm", by_rk4, beyond_the_span, true, false}));
INSTANTIATE_TEST_SUITE_P(Failing, TracedStep,
                         testing::Values(TracedCase{"four_link", by_large_steps, 100, true, true},
                                         TracedCase{"puma560", by_large_steps, 100, true, true},
                                         TracedCase{"slider_crank_iftomm", by_large_steps, 100, true, true}));
INSTANTIATE_TEST_SUITE_P(
    Implicit, TracedStep,
    testing::Values(TracedCase{"double_pendulum", by_generalized_alpha, beyond_the_span, false, false},
                    TracedCase{"double_pendulum", by_generalized_alpha, beyond_the_span, true, false},
                    TracedCase{"puma560", by_generalized_alpha, beyond_the_span, true, false},
                    TracedCase{"four_link", by_generalized_alpha, beyond_the_span, true, false},
                    TracedCase{"slider_crank_iftomm", by_generalized_alpha, beyond_the_span, true, false},
                    TracedCase{"slider_crank_iftomm", by_large_implicit_steps, 50, true, true}));

}  // namespace
}  // namespace myriad::graph
