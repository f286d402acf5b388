// The C text of a program, compiled, has the bits of the tape, signs of zeros included, at each width that this
// processor has.
#include "host/graph/text/c_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "tests/graph/graphs_of_texts.hpp"
#include "tests/graph/kernel_on_processor.hpp"
#include "tests/graph/recipe.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

std::vector<int> widths_of_text() {
    std::vector<int> widths{1};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) widths.push_back(4);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        widths.push_back(8);
#endif
    return widths;
}

class CText : public KernelOnProcessor {
  protected:
    using Step = void (*)(double*);
    static Step compiled(const Program& program, CForm form) {
        backends::CompilerInput input{c_text(program, form), backends::processor_options(form.width), c_function};
        input.options.push_back("-O0");
        return reinterpret_cast<Step>(backends::compiled_function(input).address);
    }
    // Memory [field][lanes], which the tape steps, and the text at each width.
    static void expect_the_bits_of_the_tape(const Graph& graph, int fields, int lanes, const std::vector<double>& begin,
                                            int steps, CForm form = {}) {
        const Program program(graph);
        TapeRun<double> run(make_tape(program, fields), interpreter<double>(), lanes);
        const auto place = [&](int field, int lane) { return static_cast<std::size_t>(field * lanes + lane); };
        for (int field = 0; field < fields; ++field) std::copy_n(&begin[place(field, 0)], lanes, run.field(field));
        run.run(steps);
        for (const int width : widths_of_text()) {
            form.width = width, form.stride = lanes;
            const Step step = compiled(program, form);
            std::unique_ptr<double[], decltype(&std::free)> memory(
                static_cast<double*>(std::aligned_alloc(64, begin.size() * sizeof(double))), std::free);
            std::copy(begin.begin(), begin.end(), memory.get());
            for (int lane = 0; lane < lanes; lane += width)
                for (int n = 0; n < steps; ++n) step(&memory[static_cast<std::size_t>(lane)]);
            for (int field = 0; field < fields; ++field)
                for (int lane = 0; lane < lanes; ++lane) {
                    const double text = memory[place(field, lane)], tape = run.field(field)[lane];
                    ASSERT_TRUE(has_same_bits(text, tape)) << "width " << width << ", field " << field << ", lane "
                                                           << lane << ": " << text << ", " << tape;
                }
        }
    }
};

// All recipes side by side in one program, which is long enough to be cut.
TEST_F(CText, OfRandomExpressionsHasTheBitsOfTheTapeCutOrWhole) {
    constexpr int recipes = 60, steps_of_one = 60, lanes = 24;
    Graph graph;
    std::vector<double> begin;
    std::vector<NodeId> results;
    for (int n = 0; n < recipes; ++n) {
        const auto seed = static_cast<std::uint32_t>(n + 1);
        struct Machine : GraphMachine {
            int first_input;
            NodeId input(int i) { return build.input(first_input + i); }
        };
        Machine machine{{Builder(graph)}, n * Recipe::inputs};
        follow(random_recipe(seed, steps_of_one), machine);
        results.insert(results.end(), machine.numbers.begin() + Recipe::inputs, machine.numbers.end());
        std::vector<std::vector<double>> inputs;
        for (int lane = 0; lane < lanes; ++lane) inputs.push_back(random_inputs<double>(seed, lane));
        for (std::size_t i = 0; i < Recipe::inputs; ++i)
            for (const std::vector<double>& lane : inputs) begin.push_back(lane[i]);
    }
    const int first = recipes * Recipe::inputs, fields = first + static_cast<int>(results.size());
    for (int field = first; field < fields; ++field)
        graph.outputs.push_back({field, results[static_cast<std::size_t>(field - first)]});
    begin.resize(static_cast<std::size_t>(fields * lanes));
    EXPECT_GT(Program(graph).counts().all(), 1000);
    expect_the_bits_of_the_tape(graph, fields, lanes, begin, 1, {.longest_straight = 500, .longest_part = 200});
    expect_the_bits_of_the_tape(graph, fields, lanes, begin, 1);
}

TEST_F(CText, OfRandomRegionsHasTheBitsOfTheTapeCutOrWhole) {
    constexpr int lanes = 16;
    std::mt19937 random(1);
    const Graph graph = graph_of_scripts<double>(random);
    const std::vector<double> begin = numbers_of_scripts<double>(random, fields_of_scripts * lanes);
    expect_the_bits_of_the_tape(graph, fields_of_scripts, lanes, begin, 3,
                                {.longest_straight = 100, .longest_part = 20});
    expect_the_bits_of_the_tape(graph, fields_of_scripts, lanes, begin, 3);
}

TEST_F(CText, OfElementaryFunctionsHasTheBitsOfTheKernels) {
    constexpr int lanes = 4096;
    expect_the_bits_of_the_tape(graph_of_functions<double>(), fields_of_functions, lanes,
                                arguments_of_functions<double>(lanes), 1);
}

TEST_F(CText, OfTablesAndCalledBlocksHasTheBitsOfTheTape) {
    constexpr int lanes = 128;
    expect_the_bits_of_the_tape(graph_of_tables_and_calls<double>(), fields_of_tables, lanes,
                                arguments_of_tables<double>(lanes), 1);
}

struct StudyInText {
    const char* study;
    const char* method;  // JSON
    bool fails;          // some instance ends before its span does
    friend void PrintTo(const StudyInText& x, std::ostream* out) { *out << x.study << " " << x.method; }
};

class CTextOfAStudy : public CText, public testing::WithParamInterface<StudyInText> {};

TEST_P(CTextOfAStudy, HasTheBitsOfTheTapeInWholeRecords) {
    constexpr int lanes = 16, steps = 100;
    const StudyInText& given = GetParam();
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", std::string("integrator=") + given.method};
    if (given.fails) changes.assignments.push_back("observe.every_s=0.5");
    const study::Study study =
        study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
    const backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * lanes);
    study.sampler().sample(0, lanes, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, lanes, sampled, 1);
    const auto run = trace_run(task, task.varied_parameters->common_values());
    ASSERT_TRUE(run.has_value());
    EXPECT_LE(Program(run->step).counts().all(), 3000);
    const auto varied_fields = static_cast<std::size_t>(task.plan.varied_count);
    std::vector<double> begin(static_cast<std::size_t>(run->step_fields * lanes));
    std::copy_n(varied.begin(), varied_fields * lanes, begin.begin());
    backends::StepByStep own(task, lanes, varied.data(), 0, 1, backends::names::double_kernels);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::vector<double> record = own.record(lane);
        for (std::size_t i = 0; i < record.size(); ++i) begin[(varied_fields + i) * lanes + lane] = record[i];
    }
    own.advance(steps);
    bool fails = false;
    for (const std::int32_t status : own.statuses())
        fails = fails || (status != static_cast<int>(Status::running) && status != static_cast<int>(Status::ok));
    EXPECT_EQ(fails, given.fails);
    expect_the_bits_of_the_tape(run->step, run->step_fields, lanes, begin, steps);
}

constexpr const char* text_by_rk4 = R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* text_by_generalized_alpha =
    R"({"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.15, "spectral_radius": 0.9})";
constexpr const char* text_by_large_steps =
    R"({"name": "generalized_alpha", "step_s": 0.5, "end_s": 100, "spectral_radius": 0.9})";
INSTANTIATE_TEST_SUITE_P(Bundled, CTextOfAStudy,
                         testing::Values(StudyInText{"double_pendulum", text_by_rk4, false},
                                         StudyInText{"slider_crank_iftomm", text_by_rk4, false},
                                         StudyInText{"puma560", text_by_generalized_alpha, false},
                                         StudyInText{"four_link", text_by_generalized_alpha, false},
                                         StudyInText{"slider_crank_iftomm", text_by_large_steps, true}));

}  // namespace
}  // namespace myriad::graph
