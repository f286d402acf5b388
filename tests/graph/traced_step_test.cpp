#include "tests/graph/traced_step.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/graph/tape_run.hpp"
#include "host/study/study.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

constexpr int traced_instances = 48, traced_steps = 200;

study::Study study_by_rk4(const std::string& name) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", R"(integrator={"name": "rk4", "step_s": 1e-3, "end_s": 0.15})"};
    return study::read_study(source_dir() / ("ensembles/studies/" + name + ".json"), changes);
}

class StepByRk4 : public testing::TestWithParam<const char*> {};

// The program's own kernels step the same instances. Time, motion, memory, status and reason are compared; what counts
// errors at some steps only, the certificate, is not traced yet. The span ends before the last step, so that it is
// frozen.
TEST_P(StepByRk4, OnATapeHasTheBitsOfTheKernels) {
    const study::Study study = study_by_rk4(GetParam());
    const backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * traced_instances);
    study.sampler().sample(0, traced_instances, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, traced_instances, sampled, 1);
    backends::StepByStep own(task, traced_instances, varied.data());

    int fields = 0;
    const Graph graph = trace_of<RungeKutta<Rk4>>(task, Rules::all(), fields);
    const Program program(graph);
    int raw_fields = 0;
    const Graph as_written = trace_of<RungeKutta<Rk4>>(task, Rules::only(Rule::folding), raw_fields);
    const Counts counts = program.counts(), written = Program(as_written).counts();
    const Tape tape = make_tape(program, fields + task.plan.varied_count);
    std::printf(
        "%s: nodes %d -> %d, arithmetic %d -> %d, all %d -> %d, sines %d, alive %d, slots %d, moves %d, code %zu\n",
        GetParam(), as_written.size(), graph.size(), written.arithmetic(), counts.arithmetic(), written.all(),
        counts.all(), counts[Op::sine], program.most_alive(), tape.slots, tape.moves, tape.code.size());
    EXPECT_LT(counts.arithmetic(), written.arithmetic());

    TapeRun<double> run(tape, traced_instances);
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        ASSERT_GE(static_cast<int>(record.size()), fields);  // sums of quantities stand behind
        for (int f = 0; f < fields; ++f) run.field(f)[i] = record[static_cast<std::size_t>(f)];
        for (int f = 0; f < task.plan.varied_count; ++f)
            run.field(fields + f)[i] = varied[static_cast<std::size_t>(f * traced_instances + i)];
    }
    own.advance(traced_steps);
    run.run(traced_steps);
    int moved = 0;
    std::vector<char> is_output(static_cast<std::size_t>(fields), 0);
    for (const Output& output : graph.outputs) is_output[static_cast<std::size_t>(output.field)] = 1;
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        for (int f = 0; f < fields; ++f) {
            if (!is_output[static_cast<std::size_t>(f)]) continue;
            ++moved;
            ASSERT_EQ(run.field(f)[i], record[static_cast<std::size_t>(f)]) << "instance " << i << ", field " << f;
        }
    }
    EXPECT_GT(moved, traced_instances * 10);
}
INSTANTIATE_TEST_SUITE_P(Mechanisms, StepByRk4,
                         testing::Values("pendulum", "double_pendulum", "four_link", "puma560", "heavy_top_on_joint",
                                         "slider_crank_iftomm"));

}  // namespace
}  // namespace myriad::graph
