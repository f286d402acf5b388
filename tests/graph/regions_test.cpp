#include <gtest/gtest.h>

#include <random>

#include "host/graph/interpreter.hpp"
#include "host/graph/symbol.hpp"
#include "host/graph/tape_run.hpp"
#include "tests/graph/script.hpp"

namespace myriad::graph {
namespace {

using Traced = Symbol<double>;

// The graph of code that changes an array of numbers.
template <class Code>
Graph graph_of_code(int fields, const Code& code, int fewest_nodes_of_region = 0) {
    Graph graph;
    Tracer tracer(graph);
    tracer.fewest_nodes_of_region = fewest_nodes_of_region;
    std::vector<Traced> x;
    for (int i = 0; i < fields; ++i) x.push_back(Traced::of(tracer.build.input(i)));
    code(x);
    for (int i = 0; i < fields; ++i) graph.outputs.push_back({i, node_of(x[static_cast<std::size_t>(i)])});
    return graph;
}

void run_of_script(const std::vector<Statement>& script, Traced* variables) {
    Traced x[script_variables];
    for (int i = 0; i < script_variables; ++i) x[i] = variables[i];
    SymbolMask flag = !true_mask<Traced>();
    run_script<Traced>(script, true_mask<Traced>(), x, flag);
    for (int i = 0; i < script_variables; ++i) variables[i] = select(flag, x[i] + Traced(1.0), x[i]);
}
void run_of_script(const std::vector<Statement>& script, double* variables) {
    double x[script_variables];
    for (int i = 0; i < script_variables; ++i) x[i] = variables[i];
    bool flag = false;
    run_script<double>(script, true, x, flag);
    for (int i = 0; i < script_variables; ++i) variables[i] = select(flag, x[i] + 1.0, x[i]);
}

// Blocks of 1 lane take a region alone; the larger ones take lanes along that did not ask.
class RandomRegions : public testing::TestWithParam<int> {};
TEST_P(RandomRegions, HaveTheBitsOfPlainCodeInBlocksOfAnySize) {
    const int fewest_nodes = GetParam();
    int regions = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        const std::vector<Statement> script = random_script(random, 8, 3);
        const Graph graph = graph_of_code(
            script_variables, [&](std::vector<Traced>& x) { run_of_script(script, x.data()); }, fewest_nodes);
        regions += graph.region_count() - 1;
        const Tape tape = make_tape(Program(graph), script_variables);
        for (const int instances : {1, 5, 16}) {
            TapeRun<double> run(tape, interpreter<double>(), instances);
            std::vector<double> plain;
            for (int lane = 0; lane < instances; ++lane)
                for (int i = 0; i < script_variables; ++i) {
                    plain.push_back(static_cast<double>(random() % 256) / 64.0 - 2.0);
                    run.field(i)[lane] = plain.back();
                }
            run.run(3);
            for (int lane = 0; lane < instances; ++lane) {
                double* const x = &plain[static_cast<std::size_t>(lane * script_variables)];
                for (int step = 0; step < 3; ++step) run_of_script(script, x);
                for (int i = 0; i < script_variables; ++i)
                    ASSERT_EQ(run.field(i)[lane], x[i]) << "script " << seed << ", lane " << lane << ", variable " << i;
            }
        }
    }
    EXPECT_GT(regions, fewest_nodes == 0 ? 1000 : 300);
}
INSTANTIATE_TEST_SUITE_P(SmallestRegions, RandomRegions, testing::Values(0, 24));

// Newton's method for a root, each lane with its own number of turns.
template <class Real>
Real root_by_newton(Real square) {
    Real root(1.0), turns(0.0);
    MaskOf<Real> going = true_mask<Real>();
    MYRIAD_REPEAT(going) {
        const Real next = Real(0.5) * (root + square / root);
        const MaskOf<Real> done = absolute(next - root) <= Real(1e-15) * root;
        root = select(going, next, root), turns = select(going, turns + Real(1.0), turns);
        going = (going & !done) & (turns < Real(60.0));
    }
    return root + Real(1000.0) * turns;
}

TEST(RepeatOnSymbols, LeavesEachLaneWithTheBitsOfItsOwnLoop) {
    const Graph graph = graph_of_code(1, [](std::vector<Traced>& x) { x[0] = root_by_newton(x[0]); });
    ASSERT_EQ(graph.region_count(), 2);
    // The root, the turns and who goes on; nothing else.
    EXPECT_EQ(graph.region(1).carried.size(), 3u);
    const Tape tape = make_tape(Program(graph), 1);
    TapeRun<double> run(tape, interpreter<double>(), 8);
    for (int lane = 0; lane < 8; ++lane) run.field(0)[lane] = std::pow(10.0, lane - 3);
    run.run(1);
    for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(run.field(0)[lane], root_by_newton(std::pow(10.0, lane - 3)));
}

TEST(RepeatOnSymbols, ComputesWhatDoesNotChangeInFrontOfTheLoop) {
    const Graph graph = graph_of_code(2, [](std::vector<Traced>& x) {
        Traced k(0.0);
        MYRIAD_REPEAT(k < Traced(3.0)) {
            x[0] = x[0] + sin(x[1]) * Traced(0.5);
            k = k + Traced(1.0);
        }
    });
    for (NodeId node = 0; node < graph.size(); ++node)
        if (graph.at(node).is(Op::sine)) {
            EXPECT_EQ(graph.at(node).region, 0);
        }
}

TEST(WhenOnSymbols, OfAMaskThatIsKnownIsNoRegion) {
    const Graph graph = graph_of_code(1, [](std::vector<Traced>& x) {
        MYRIAD_WHEN(Traced(1.0) < Traced(2.0)) x[0] = x[0] + Traced(1.0);
        MYRIAD_WHEN(Traced(2.0) < Traced(1.0)) x[0] = x[0] + Traced(2.0);
    });
    EXPECT_EQ(graph.region_count(), 1);
    EXPECT_EQ(Program(graph).counts()[Op::add], 1);
}

TEST(WhenOnSymbols, IsStraightCodeWhereItIsSmall) {
    const auto code = [](std::vector<Traced>& x) {
        const SymbolMask mask = x[0] < x[1];
        MYRIAD_WHEN(mask) x[0] = select(mask, x[0] + Traced(1.0), x[0]);
    };
    EXPECT_EQ(graph_of_code(2, code, 24).region_count(), 1);
    EXPECT_EQ(graph_of_code(2, code, 0).region_count(), 2);
}

template <class Code>
std::string refusal_of(const Code& code) {
    try {
        graph_of_code(2, code);
    } catch (const Refusal& refusal) {
        return refusal.what();
    }
    return "";
}

TEST(TracingRefuses, ABranchOnDataWithItsLine) {
    const std::string text = refusal_of([](std::vector<Traced>& x) {
        if (any(x[0] < x[1])) x[0] = x[1];
    });
    EXPECT_NE(text.find("a branch on data"), std::string::npos) << text;
    EXPECT_NE(text.find("regions_test.cpp:" + std::to_string(__LINE__ - 3)), std::string::npos) << text;
}
TEST(TracingRefuses, ALoopThatIsLeft) {
    const std::string text = refusal_of([](std::vector<Traced>& x) {
        MYRIAD_REPEAT(x[0] < x[1]) {
            x[0] = x[0] + Traced(1.0);
            break;
        }
    });
    EXPECT_NE(text.find("left by break or return"), std::string::npos) << text;
}
TEST(TracingRefuses, AValueOfARegionBehindIt) {
    const std::string text = refusal_of([](std::vector<Traced>& x) {
        NodeId inside = no_node;
        MYRIAD_WHEN(x[0] < x[1]) inside = node_of(exp(x[0]));
        x[0] = Traced::of(inside) + x[1];
    });
    EXPECT_NE(text.find("read behind it"), std::string::npos) << text;
}
TEST(TracingRefuses, ALoopThatDoesNotChangeItsCondition) {
    const std::string text = refusal_of([](std::vector<Traced>& x) {
        MYRIAD_REPEAT(true_mask<Traced>())
        x[0] = x[0] + x[1];
    });
    EXPECT_NE(text.find("never ends"), std::string::npos) << text;
}
TEST(TracingRefuses, ASymbolOfAnotherTrace) {
    Graph graph;
    Tracer outer(graph);
    const Traced x = Traced::of(outer.build.input(0));
    EXPECT_THROW(outer.call("block", {}, [&](const Tracer::Values&) { return Tracer::Values{node_of(x + x)}; }),
                 Refusal);
}

TEST(CalledBlocks, AreTracedOnceForTheSameConstantsAndHaveTheBitsOfPlainCode) {
    int traced = 0;
    const auto turned = [&](Tracer& tracer, const Traced& angle, const Traced& length) {
        const Tracer::Values made =
            tracer.call("turned", {node_of(angle), node_of(length)}, [&](const Tracer::Values& given) {
                ++traced;
                const Traced a = Traced::of(given[0]), l = Traced::of(given[1]);
                return Tracer::Values{node_of(l * cos(a)), node_of(l * sin(a))};
            });
        return std::pair{Traced::of(made[0]), Traced::of(made[1])};
    };
    const Graph graph = graph_of_code(3, [&](std::vector<Traced>& x) {
        Tracer& tracer = Tracer::present();
        const auto [a, b] = turned(tracer, x[0], x[1]);
        const auto [c, d] = turned(tracer, a + b, x[2]);
        const auto [e, f] = turned(tracer, x[0], Traced(2.0));
        x[0] = c - d, x[1] = a * e, x[2] = b + f;
    });
    EXPECT_EQ(traced, 2);
    EXPECT_EQ(graph.blocks.size(), 2u);
    const Tape tape = make_tape(Program(graph), 3);
    TapeRun<double> run(tape, interpreter<double>(), 2);
    const double begin[2][3] = {{0.3, 1.5, -2.0}, {-1.25, 0.5, 4.0}};
    for (int lane = 0; lane < 2; ++lane)
        for (int i = 0; i < 3; ++i) run.field(i)[lane] = begin[lane][i];
    run.run(1);
    for (int lane = 0; lane < 2; ++lane) {
        const auto [x, y, z] = begin[lane];
        const double a = y * cos(x), b = y * sin(x), c = z * cos(a + b), d = z * sin(a + b);
        EXPECT_EQ(run.field(0)[lane], c - d);
        EXPECT_EQ(run.field(1)[lane], a * (2.0 * cos(x)));
        EXPECT_EQ(run.field(2)[lane], b + 2.0 * sin(x));
    }
}

struct PiecesOfATest {
    PolynomialPiece pieces[4] = {{0.0, 0.0, {1.0, 2.0, 0.5, 0.0}},
                                 {1.0, 1.0, {3.5, -1.0, 0.25, 0.125}},
                                 {2.5, 2.5, {2.0, 0.0, 1.0, -0.5}},
                                 {4.0, 4.0, {0.5, 1.0, 0.0, 0.0}}};
    const PolynomialPiece& piece(int i) const { return pieces[i]; }
};

TEST(TablesOnSymbols, HaveTheBitsOfTheKernelsOnEveryPieceAndSide) {
    const PiecesOfATest pieces;
    for (const bool ends : {false, true})
        for (const Corners corners : {Corners::none, Corners::at_ends, Corners::at_all_points}) {
            const PiecewisePolynomial function{0, 4, ends, corners};
            const Graph graph = graph_of_code(4, [&](std::vector<Traced>& x) {
                const PolynomialValue<Traced> at = polynomial_at(pieces, function, x[0], x[1]);
                x[0] = at.value, x[1] = at.slope, x[2] = at.curvature, x[3] = at.third;
            });
            EXPECT_EQ(graph.tables.size(), 1u);
            const Tape tape = make_tape(Program(graph), 4);
            TapeRun<double> run(tape, interpreter<double>(), 121);
            const auto argument = [](int i) { return -0.5 + 0.5 * i; };
            for (int lane = 0; lane < 121; ++lane)
                run.field(0)[lane] = argument(lane % 11), run.field(1)[lane] = argument(lane / 11);
            run.run(1);
            for (int lane = 0; lane < 121; ++lane) {
                const auto at = polynomial_at(pieces, function, argument(lane % 11), argument(lane / 11));
                const double expected[] = {at.value, at.slope, at.curvature, at.third};
                for (int i = 0; i < 4; ++i) {
                    const double found = run.field(i)[lane];
                    EXPECT_TRUE(found == expected[i] || (found != found && expected[i] != expected[i])) << lane;
                }
            }
        }
}

TEST(TapesOfSines, ComputeSineWithCosineInOneInstruction) {
    const Graph graph = graph_of_code(2, [](std::vector<Traced>& x) { x[1] = sin(x[0]) * cos(x[0]); });
    const Tape tape = make_tape(Program(graph), 2);
    int turns = 0;
    for (const Instruction& i : tape.code) turns += i.code == static_cast<int>(Op::sine) ? 1 : 0;
    EXPECT_EQ(turns, 1);
    EXPECT_EQ(tape.moves, 0);
}

}  // namespace
}  // namespace myriad::graph
