// The CUDA text of a traced run, compiled as C++ for the processor, has the bits of the tape in all arrays of a launch,
// signs of zeros included.
#include "host/graph/text/cuda_text.hpp"

#include "tests/graph/graphs_of_texts.hpp"
#include "tests/graph/kernel_on_processor.hpp"
#include "tests/graph/recipe.hpp"

namespace myriad::graph {
namespace {

// A step, given by the graph of what it does to `fields` numbers, within a frame: the record has four fields more.
// Every second step makes a row of the first outputs, and an instance ends after as many steps as its record says.
template <class Number>
struct FramedStep {
    static constexpr int observed = 3, states = 2, quantities = 1;
    static constexpr long long rows = 3;
    Graph step, end;
    int fields;
    int turns = fields, is_due = fields + 1, made = fields + 2, status = fields + 3, most_turns = fields + 4,
        half_turns = fields + 5, record_fields = fields + 6;

    FramedStep(Graph given, int its_fields) : step(std::move(given)), end(step.format), fields(its_fields) {
        Builder build(step);
        for (std::size_t i = 0; i < observed; ++i)
            step.outputs.push_back({record_fields + static_cast<int>(i), build.unsigned_zero(step.outputs[i].node)});
        const NodeId one = build.constant(1.0), next = build.add(build.input(turns), one);
        const auto set = [&](int field, NodeId node) { step.outputs.push_back({field, node}); };
        set(turns, next);
        set(is_due, build.subtract(one, build.input(is_due)));
        set(made, build.add(build.input(made), build.input(is_due)));
        set(status, build.select(build.compare(Op::less, next, build.input(most_turns)), build.input(status),
                                 build.constant(7.0)));
        Builder ending(end);
        end.outputs = {{half_turns, ending.multiply(ending.input(turns), ending.constant(0.5))},
                       {0, ending.subtract(ending.input(0), ending.constant(0.25))},
                       {record_fields, ending.multiply(ending.input(0), ending.input(1))},
                       {record_fields + 1, ending.input(made)},
                       {record_fields + 2, ending.add(ending.input(record_fields + 2), ending.input(turns))}};
    }
    KernelFrame frame(const Program& its_step, const Program& its_end) const {
        return {.name = kernel_on_processor,
                .step = &its_step,
                .end = &its_end,
                .record_fields = record_fields,
                .observed = observed,
                .states = states,
                .quantities = quantities,
                .rows_field = made,
                .status_field = status,
                .running = 2.0,
                .rows = rows,
                .known = {},
                .takes_others = false};
    }
    // `begin`: [field][count].
    backends::TileArrays<Number> arrays(const std::vector<Number>& begin, std::size_t count) const {
        backends::TileArrays<Number> arrays;
        backends::Shape shape;
        shape.quantities = quantities, shape.observed = observed, shape.rows = static_cast<int>(rows);
        shape.state_channels = states, shape.record_fields = record_fields;
        arrays.resize(shape, count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = [&](int field) -> Number& {
                return arrays
                    .records[(i / 32 * static_cast<std::size_t>(record_fields) + static_cast<std::size_t>(field)) * 32 +
                             i % 32];
            };
            for (int field = 0; field < fields; ++field)
                at(field) =
                    begin[static_cast<std::size_t>(field) * (begin.size() / static_cast<std::size_t>(fields)) + i];
            at(is_due) = static_cast<Number>(i % 2), at(status) = Number(i % 11 == 10 ? 5 : 2);
            at(most_turns) = static_cast<Number>(1 + i % 12);
        }
        return arrays;
    }
};

template <class Number>
Launch<Number> launch_of(backends::TileArrays<Number>& arrays, long long attempts, std::size_t slots,
                         const std::vector<unsigned>& order) {
    Launch<Number> launch{};
    launch.records = arrays.records.data(), launch.final_states = arrays.final_states.data();
    launch.trajectory = arrays.trajectory.data(), launch.quantities = arrays.quantities.data();
    launch.order = order.empty() ? nullptr : order.data();
    launch.slots = static_cast<long long>(order.empty() ? slots : order.size()), launch.attempts = attempts;
    return launch;
}

// Several launches, one of them over every other slot from the last on.
template <class Number>
void expect_the_bits_of_the_tape_in_a_kernel(const Graph& graph, int fields, const std::vector<Number>& begin,
                                             std::initializer_list<std::size_t> counts) {
    const FramedStep<Number> framed(graph, fields);
    const Program step(framed.step), end(framed.end);
    const KernelFrame frame = framed.frame(step, end);
    const LaunchKernel<Number> kernel = compiled_for_processor<Number>(cuda_text(frame));
    for (const std::size_t count : counts) {
        backends::TileArrays<Number> text = framed.arrays(begin, count), tape = text;
        std::vector<unsigned> some;
        for (std::size_t i = count; i > 0; i -= std::min<std::size_t>(i, 2))
            some.push_back(static_cast<unsigned>(i - 1));
        for (const auto& [attempts, order] :
             {std::pair<int, std::vector<unsigned>>{1, {}}, {3, some}, {0, {}}, {6, {}}}) {
            kernel(launch_of(text, attempts, count, order), 0);
            advance_by_tape(frame, launch_of(tape, attempts, count, order));
            ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape)) << count << " slots, " << attempts << " attempts";
        }
    }
}

template <class Number>
class CudaText : public KernelOnProcessor {};
using NumbersOfText = testing::Types<double, float>;
TYPED_TEST_SUITE(CudaText, NumbersOfText);

constexpr std::size_t lanes_of_text = 33;

// Results take the place of inputs, so that steps differ. Recipes side by side have more numbers alive than a thread
// has registers; one by itself has few.
template <class Number>
void expect_the_bits_of_random_expressions(int recipes, int steps_of_one, std::uint32_t first_seed) {
    Graph graph(format_of<Number>);
    std::vector<Number> begin;
    std::vector<NodeId> results;
    for (int n = 0; n < recipes; ++n) {
        const auto seed = first_seed + static_cast<std::uint32_t>(n);
        struct Machine : GraphMachine {
            int first_input;
            NodeId input(int i) { return build.input(first_input + i); }
        };
        Machine machine{{Builder(graph)}, n * Recipe::inputs};
        follow(random_recipe(seed, steps_of_one), machine);
        for (int i = 0; i < 3; ++i)
            graph.outputs.push_back(
                {n * Recipe::inputs + i, machine.numbers[machine.numbers.size() - 1 - static_cast<std::size_t>(i)]});
        results.insert(results.end(), machine.numbers.begin() + Recipe::inputs, machine.numbers.end());
        std::vector<std::vector<Number>> inputs;
        for (std::size_t lane = 0; lane < lanes_of_text; ++lane)
            inputs.push_back(random_inputs<Number>(seed, static_cast<int>(lane)));
        for (std::size_t i = 0; i < Recipe::inputs; ++i)
            for (const std::vector<Number>& lane : inputs) begin.push_back(lane[i]);
    }
    int fields = recipes * Recipe::inputs;
    for (const NodeId result : results) graph.outputs.push_back({fields++, result});
    begin.resize(static_cast<std::size_t>(fields) * lanes_of_text);
    expect_the_bits_of_the_tape_in_a_kernel<Number>(graph, fields, begin, {1, 31, 33});
}

TYPED_TEST(CudaText, OfRandomExpressionsHasTheBitsOfTheTape) {
    expect_the_bits_of_random_expressions<TypeParam>(60, 60, 1);
    for (std::uint32_t seed = 100; seed < 104; ++seed) expect_the_bits_of_random_expressions<TypeParam>(1, 25, seed);
}

TYPED_TEST(CudaText, OfRandomRegionsHasTheBitsOfTheTape) {
    std::mt19937 random(1);
    const Graph graph = graph_of_scripts<TypeParam>(random);
    const auto begin = numbers_of_scripts<TypeParam>(random, fields_of_scripts * lanes_of_text);
    expect_the_bits_of_the_tape_in_a_kernel<TypeParam>(graph, fields_of_scripts, begin, {1, 31, 33});
}

TYPED_TEST(CudaText, OfElementaryFunctionsHasTheBitsOfTheTape) {
    constexpr std::size_t lanes = 4096;
    expect_the_bits_of_the_tape_in_a_kernel<TypeParam>(graph_of_functions<TypeParam>(), fields_of_functions,
                                                       arguments_of_functions<TypeParam>(lanes), {lanes});
}

// A function's argument may be a parameter that the step reads from the record when it needs it.
TYPED_TEST(CudaText, OfManyParametersHasTheBitsOfTheTape) {
    constexpr int fields = 400;
    Graph graph(format_of<TypeParam>);
    Builder build(graph);
    std::vector<NodeId> sines;
    for (int i = 1; i < fields; ++i) sines.push_back(build.function(Op::sine, build.input(i)));
    NodeId sum = build.input(0);
    for (std::size_t i = 0; i < sines.size(); ++i)
        sum = build.add(sum, build.multiply(sines[i], sines[sines.size() - 1 - i]));
    for (int i = 0; i < 3; ++i) graph.outputs.push_back({i, build.add(sum, build.constant(i))});
    std::mt19937 random(3);
    std::vector<TypeParam> begin;
    for (std::size_t i = 0; i < fields * lanes_of_text; ++i)
        begin.push_back(static_cast<TypeParam>(random() % 256) / TypeParam(64) - TypeParam(2));
    EXPECT_GT(FramedStep<TypeParam>(graph, fields).step.size(), fields);
    expect_the_bits_of_the_tape_in_a_kernel<TypeParam>(graph, fields, begin, {33});
}

TYPED_TEST(CudaText, OfTablesAndCalledBlocksHasTheBitsOfTheTape) {
    constexpr std::size_t lanes = 128;
    expect_the_bits_of_the_tape_in_a_kernel<TypeParam>(graph_of_tables_and_calls<TypeParam>(), fields_of_tables,
                                                       arguments_of_tables<TypeParam>(lanes), {lanes});
}

// Two parameters have the values 0.1 and 2 in most instances.
TYPED_TEST(CudaText, TakesTheInstancesThatAreKnownOrTheOthers) {
    constexpr std::size_t count = 33;
    constexpr int fields = 5;
    const auto graph_of = [](bool are_known) {
        Graph graph(format_of<TypeParam>);
        Builder build(graph);
        const NodeId a = are_known ? build.constant(0.1) : build.input(3),
                     b = are_known ? build.constant(2.0) : build.input(4);
        for (int i = 0; i < 3; ++i) graph.outputs.push_back({i, build.fma(a, build.input(i), b)});
        return graph;
    };
    const FramedStep<TypeParam> usual(graph_of(true), fields), general(graph_of(false), fields);
    std::vector<TypeParam> begin(fields * count, TypeParam(0.5));
    std::vector<unsigned> known, others;
    for (unsigned i = 0; i < count; ++i) {
        begin[3 * count + i] = i % 4 == 1 ? TypeParam(0.3) : static_cast<TypeParam>(0.1);
        begin[4 * count + i] = i % 5 == 2 ? std::numeric_limits<TypeParam>::quiet_NaN() : TypeParam(2);
        (i % 4 == 1 || i % 5 == 2 ? others : known).push_back(i);
    }
    const Program usual_step(usual.step), usual_end(usual.end), general_step(general.step), general_end(general.end);
    KernelFrame usual_frame = usual.frame(usual_step, usual_end),
                general_frame = general.frame(general_step, general_end);
    usual_frame.known = general_frame.known = {{3, 0.1}, {4, 2.0}}, general_frame.takes_others = true;
    const LaunchKernel<TypeParam> usual_kernel = compiled_for_processor<TypeParam>(cuda_text(usual_frame)),
                                  general_kernel = compiled_for_processor<TypeParam>(cuda_text(general_frame));
    backends::TileArrays<TypeParam> text = usual.arrays(begin, count), tape = text, all = text, all_by_tape = text;
    usual_kernel(launch_of(text, 4, count, {}), 1);
    advance_by_tape(usual_frame, launch_of(tape, 4, count, known));
    ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape));
    general_kernel(launch_of(text, 4, count, {}), 1);
    advance_by_tape(general_frame, launch_of(tape, 4, count, others));
    ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape));
    // Where no instance differs nobody looks.
    usual_kernel(launch_of(all, 4, count, {}), 0);
    advance_by_tape(usual_frame, launch_of(all_by_tape, 4, count, {}));
    expect_same_arrays(all, all_by_tape);
}

}  // namespace
}  // namespace myriad::graph
