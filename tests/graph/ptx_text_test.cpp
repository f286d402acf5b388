// The PTX of random graphs, carried out instruction by instruction, has the bits of the tape.
#include "host/graph/text/ptx_text.hpp"

#include <numeric>
#include <random>

#include "host/graph/symbol.hpp"
#include "host/graph/text/carried_in_place.hpp"
#include "tests/graph/ptx_runs.hpp"
#include "tests/graph/recipe.hpp"
#include "tests/graph/script.hpp"

namespace myriad::graph {
namespace {

// A graph whose outputs replace its inputs, as one step of `lanes` instances.
template <class Number>
void expect_the_bits_of_the_tape(const Graph& graph, int fields, int lanes, const std::vector<Number>& begin,
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
    run_by_ptx(ptx_text(frame), memory, steps, 0);
    expect_same(memory, expected);
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
        Graph graph = graph_of(recipe, Rules::all(), sizeof(Number) == 8 ? Format::fp64 : Format::fp32);
        const int fields = static_cast<int>(graph.outputs.size());
        std::erase_if(graph.outputs, [](const Output& output) { return output.field < Recipe::inputs; });
        std::vector<Number> begin(static_cast<std::size_t>(fields * lanes));
        for (int lane = 0; lane < lanes; ++lane) {
            const std::vector<Number> inputs = random_inputs<Number>(seed, lane);
            for (std::size_t i = 0; i < Recipe::inputs; ++i)
                begin[i * lanes + static_cast<std::size_t>(lane)] = inputs[i];
        }
        expect_the_bits_of_the_tape(graph, fields, lanes, begin, 1);
    }
}

// Regions of one script change the variables of another, so that some lie in place and some do not.
TYPED_TEST(PtxText, OfRandomRegionsHasTheBitsOfTheTape) {
    using Number = TypeParam;
    using Real = Symbol<Number>;
    constexpr int scripts = 60, lanes = 31;
    std::mt19937 random(1);
    int in_place = 0;
    for (int n = 0; n < scripts; ++n) {
        SCOPED_TRACE("script " + std::to_string(n));
        Graph graph(sizeof(Number) == 8 ? Format::fp64 : Format::fp32);
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
        expect_the_bits_of_the_tape(graph, script_variables, lanes, begin, 3);
    }
    EXPECT_GT(in_place, 10);
}
}  // namespace
}  // namespace myriad::graph
