// The PTX of random graphs, carried out instruction by instruction, has the bits of the tape.
#include "host/graph/text/ptx_text.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "host/graph/text/carried_in_place.hpp"
#include "tests/graph/graphs_of_texts.hpp"
#include "tests/graph/ptx_runs.hpp"
#include "tests/graph/recipe.hpp"

namespace myriad::graph {
namespace {

// By NVIDIA's, where it is on this machine.
void expect_an_assembler_to_take(const std::string& text) {
    static const std::string assembler = [] {
        for (const char* name : {"ptxas", "/usr/local/cuda/bin/ptxas"})
            if (std::system((std::string("command -v ") + name + " >/dev/null").c_str()) == 0) return name;
        return "";
    }();
    if (assembler.empty()) return;
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("myriad_" + std::to_string(getpid()) + ".ptx");
    std::ofstream(file) << text;
    EXPECT_EQ(std::system((assembler + " -arch=sm_90 -o /dev/null " + file.string()).c_str()), 0);
    std::filesystem::remove(file);
}

// A graph whose outputs replace its inputs, as one step of `lanes` instances. Returns its text.
template <class Number>
std::string expect_the_bits_of_the_tape(const Graph& graph, int fields, int lanes, const std::vector<Number>& begin,
                                        int steps) {
    const Program step(graph);
    const Graph nothing(graph.format);
    const Program end(nothing);
    // Behind the fields: the count of rows and the status.
    const KernelFrame frame{.name = "step",
                            .step = &step,
                            .end = &end,
                            .record_fields = fields + 2,
                            .observed = 0,
                            .states = 0,
                            .quantities = 0,
                            .rows_field = fields,
                            .status_field = fields + 1,
                            .running = 0.0,
                            .rows = 0,
                            .known = {},
                            .takes_others = false};
    Memory<Number> memory(lanes, fields + 2, 0, 0, 0, 0);
    for (int field = 0; field < fields; ++field)
        for (int lane = 0; lane < lanes; ++lane)
            memory.record(lane, field) = begin[static_cast<std::size_t>(field * lanes + lane)];
    Memory<Number> expected = memory;
    std::vector<int> slots(static_cast<std::size_t>(lanes));
    std::iota(slots.begin(), slots.end(), 0);
    run_by_tapes(frame, expected, steps, slots);
    const std::string text = ptx_text(frame, {64, 1});
    run_by_ptx(text, memory, steps, 0);
    expect_same(memory, expected);
    return text;
}

template <class Number>
class PtxText : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(PtxText, Numbers);

TYPED_TEST(PtxText, OfRandomExpressionsHasTheBitsOfTheTape) {
    using Number = TypeParam;
    constexpr int lanes = 33, steps_of_one = 60;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Recipe recipe = random_recipe(seed, steps_of_one);
        Graph graph = graph_of(recipe, Rules::all(), format_of<Number>);
        const int fields = static_cast<int>(graph.outputs.size());
        std::erase_if(graph.outputs, [](const Output& output) { return output.field < Recipe::inputs; });
        std::vector<Number> begin(static_cast<std::size_t>(fields * lanes));
        for (int lane = 0; lane < lanes; ++lane) {
            const std::vector<Number> inputs = random_inputs<Number>(seed, lane);
            for (std::size_t i = 0; i < Recipe::inputs; ++i)
                begin[i * lanes + static_cast<std::size_t>(lane)] = inputs[i];
        }
        const std::string text = expect_the_bits_of_the_tape(graph, fields, lanes, begin, 1);
        if (seed <= 3) expect_an_assembler_to_take(text);
    }
}

TYPED_TEST(PtxText, OfRandomRegionsHasTheBitsOfTheTape) {
    using Number = TypeParam;
    using Real = Symbol<Number>;
    constexpr int scripts = 60, lanes = 31;
    std::mt19937 random(1);
    int in_place = 0;
    for (int n = 0; n < scripts; ++n) {
        SCOPED_TRACE("script " + std::to_string(n));
        Graph graph(format_of<Number>);
        Tracer tracer(graph);
        tracer.fewest_nodes_of_region = 0;
        Real x[script_variables];
        for (int i = 0; i < script_variables; ++i) x[i] = Real::of(tracer.build.input(i));
        SymbolMask flag = !true_mask<Real>();
        run_script<Real>(random_script(random, 8, 3), true_mask<Real>(), x, flag);
        for (int i = 0; i < script_variables; ++i)
            graph.outputs.push_back({i, n % 2 ? node_of(x[i]) : node_of(select(flag, x[i] + Real(1.0), x[i]))});
        std::erase_if(graph.outputs, [&](const Output& output) {
            return graph.at(output.node).is(Op::input) && graph.at(output.node).data == output.field;
        });
        in_place += static_cast<int>(carried_in_place(Program(graph)).size());
        std::vector<Number> begin;
        for (int i = 0; i < script_variables * lanes; ++i)
            begin.push_back(static_cast<Number>(random() % 256) / Number(64) - Number(2));
        const std::string text = expect_the_bits_of_the_tape(graph, script_variables, lanes, begin, 3);
        if (n < 3) expect_an_assembler_to_take(text);
    }
    EXPECT_GT(in_place, 10);
}

// A field that regions change in its place has its old value where somebody has copied it.
TEST(PtxInPlace, LeavesCopiesOfWhatItChanges) {
    using Real = Symbol<double>;
    constexpr int lanes = 33;
    Graph graph;
    {
        Tracer tracer(graph);
        tracer.fewest_nodes_of_region = 0;
        const auto input = [&](int i) { return Real::of(tracer.build.input(i)); };
        Real kept = input(0), copy = input(1), changed = input(2), inner_copy = input(3);
        const SymbolMask wants = copy < inner_copy;
        copy = kept;
        MYRIAD_WHEN(wants) {
            kept = select(wants, Real(3.0) * kept, kept);
            inner_copy = select(wants, changed, inner_copy);
            const SymbolMask inner = wants & (Real(0.5) < inner_copy);
            MYRIAD_WHEN(inner) changed = select(inner, changed + Real(1.0), changed);
        }
        const Real outputs[] = {kept, copy, changed, inner_copy};
        for (int i = 0; i < 4; ++i) graph.outputs.push_back({i, node_of(outputs[i])});
    }
    std::map<std::int64_t, int> in_place;  // nodes by field
    for (const auto& [node, field] : carried_in_place(Program(graph))) ++in_place[field];
    EXPECT_EQ(in_place, (std::map<std::int64_t, int>{{2, 2}, {3, 1}}));
    std::vector<double> begin;
    for (int i = 0; i < 4 * lanes; ++i) begin.push_back(static_cast<double>(i * 37 % 101) / 50.0 - 0.5);
    expect_the_bits_of_the_tape(graph, 4, lanes, begin, 2);
}

TYPED_TEST(PtxText, OfTablesAndCalledBlocksHasTheBitsOfTheTape) {
    constexpr int lanes = 121;
    expect_an_assembler_to_take(expect_the_bits_of_the_tape(graph_of_tables_and_calls<TypeParam>(), fields_of_tables,
                                                            lanes, arguments_of_tables<TypeParam>(lanes), 1));
}

// A step counts; each tenth one makes a row. Slots are taken in an order, and instances that differ from what is known
// by the kernel of the others.
TEST(PtxKernel, TakesItsInstancesAndStoresTheirRows) {
    constexpr int known = 0, count = 1, rows = 2, status = 3, observed = 2, states = 2, stored_rows = 3;
    using Real = Symbol<double>;
    Graph step_graph, end_graph;
    {
        Tracer tracer(step_graph);
        tracer.fewest_nodes_of_region = 0;
        const Real steps = Real::of(tracer.build.input(count)) + Real(1.0);
        Real made = Real::of(tracer.build.input(rows)), seen(0.0);
        const SymbolMask due = Real(0.1) * steps == nearest_integer(Real(0.1) * steps);
        MYRIAD_WHEN(due) {
            made = select(due, made + Real(1.0), made);
            seen = select(due, steps + Real::of(tracer.build.input(known)), seen);
        }
        step_graph.outputs = {{count, node_of(steps)},
                              {rows, node_of(made)},
                              {status, node_of(select(steps < Real(45.0), Real(2.0), Real(0.0)))},
                              {4, node_of(seen)},
                              {5, node_of(Real(0.0) - seen)}};
    }
    {
        Tracer tracer(end_graph);
        const Real steps = Real::of(tracer.build.input(count)), before = Real::of(tracer.build.input(6));
        end_graph.outputs = {{4, node_of(steps)}, {5, node_of(steps * Real(0.3))}, {6, node_of(before + steps)}};
    }
    const Program step(step_graph), end(end_graph);
    KernelFrame frame{.name = "advance",
                      .step = &step,
                      .end = &end,
                      .record_fields = 4,
                      .observed = observed,
                      .states = states,
                      .quantities = 1,
                      .rows_field = rows,
                      .status_field = status,
                      .running = 2.0,
                      .rows = stored_rows,
                      .known = {{known, 0.25}},
                      .takes_others = false};
    expect_an_assembler_to_take(ptx_text(frame, {64, 1}));
    for (const int slots : {1, 31, 33, 1000}) {
        SCOPED_TRACE(std::to_string(slots) + " instances");
        Memory<double> begun(1024, 4, states, 1, observed, stored_rows);
        begun.slots = slots;
        std::vector<int> usual, others;
        for (int i = 0; i < slots; ++i) {
            const int slot = 1023 - i;
            begun.order.push_back(static_cast<unsigned>(slot));
            begun.record(slot, known) = slot % 3 ? 0.25 : 0.5;
            begun.record(slot, count) = slot % 7, begun.record(slot, status) = slot % 11 ? 2.0 : 5.0;
            begun.result(slot, 0) = slot;
            (slot % 3 ? usual : others).push_back(slot);
        }
        std::vector<int> all = usual;
        all.insert(all.end(), others.begin(), others.end());
        for (const int attempts : {0, 25, 100}) {
            for (const bool takes_others : {false, true}) {
                frame.takes_others = takes_others;
                Memory<double> memory = begun, expected = begun;
                run_by_tapes(frame, expected, attempts, takes_others ? others : usual);
                run_by_ptx(ptx_text(frame, {64, 1}), memory, attempts, 1);
                expect_same(memory, expected);
            }
            frame.takes_others = false;
            Memory<double> memory = begun, expected = begun;
            run_by_tapes(frame, expected, attempts, all);
            run_by_ptx(ptx_text(frame, {64, 1}), memory, attempts, 0);
            expect_same(memory, expected);
        }
    }
}

}  // namespace
}  // namespace myriad::graph
