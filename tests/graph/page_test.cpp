#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "host/backends/traced/trace.hpp"
#include "host/graph/symbol.hpp"
#include "host/graph/tape.hpp"
#include "host/graph/text/c_text.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "kernels/math/small_matrix.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

// docs/project/traced_steps.md shows this code, and what becomes of it.
namespace on_the_page {

template <class Real>
Vec<3, Real> velocity_of_elbow(Real angle, Real rate, Real length) {
    const Vec<3, Real> axis{Real(1.0), Real(0.0), Real(0.0)};
    const Vec<3, Real> arm{Real(0.0), length, Real(0.0)};
    const SineCosine<Real> turn = sincos(angle);
    const Mat3<Real> to_world{
        {{Real(1.0), Real(0.0), Real(0.0)}, {Real(0.0), turn.cosine, -turn.sine}, {Real(0.0), turn.sine, turn.cosine}}};
    return to_world * cross(rate * axis, arm);
}

template <class Real>
Real slowed(Real rate, Real most) {
    MYRIAD_REPEAT(most < rate) rate = rate * Real(0.5);
    return rate;
}

}  // namespace on_the_page

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(source_dir() / file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// "n5 = multiply n1 n3 1.5"
std::string operand_text(const Graph& graph, NodeId node) {
    std::ostringstream text;
    if (graph.at(node).is(Op::constant))
        text << graph.at(node).value();
    else
        text << 'n' << node;
    return text.str();
}
std::string nodes_text(const Program& program) {
    const Graph& graph = program.graph();
    std::string text;
    for (const Event& event : program.events()) {
        if (event.kind != Event::Kind::compute) continue;
        text += "n" + std::to_string(event.number) + " = " + description_of(graph.at(event.number).op).name;
        graph.each_operand(event.number, [&](NodeId node) { text += " " + operand_text(graph, node); });
        text += "\n";
    }
    for (const Output& output : graph.outputs)
        text += "field " + std::to_string(output.field) + " is " + operand_text(graph, output.node) + "\n";
    return text;
}

std::string tape_text(const Tape& tape) {
    std::string text;
    const auto place = [&](int slot) {
        std::ostringstream one;
        if (slot >= 0)
            one << " s" << slot;
        else
            one << ' ' << tape.constants[static_cast<std::size_t>(~slot)].value;
        return one.str();
    };
    for (std::size_t at = 0; at < tape.code.size(); ++at) {
        const Instruction& one = tape.code[at];
        text += std::to_string(at) + ": ";
        const auto control = static_cast<Control>(one.code);
        if (control == Control::skip_unless_any)
            text += "to " + std::to_string(one.data) + " unless any" + place(one.a);
        else if (control == Control::back_if_any)
            text += "to " + std::to_string(one.data) + " if any" + place(one.a);
        else if (control == Control::stop)
            text += "stop";
        else {
            const bool moves = control == Control::move;
            const int operands = moves ? 1 : description_of(static_cast<Op>(one.code)).operands;
            const int operand[] = {one.a, one.b, one.c};
            text += place(one.to).substr(1) + (one.also >= 0 ? "," + place(one.also) : "") + " = " +
                    (moves ? "move" : description_of(static_cast<Op>(one.code)).name);
            for (int k = 0; k < operands; ++k) text += place(operand[k]);
        }
        text += "\n";
    }
    return text;
}

using OnPage = Symbol<double>;

Graph graph_of_elbow(Rules rules) {
    Graph graph;
    Tracer tracer(graph, rules);
    const auto velocity = on_the_page::velocity_of_elbow(
        OnPage::of(tracer.build.input(0)), OnPage::of(tracer.build.input(1)), OnPage::of(tracer.build.input(2)));
    for (int i = 0; i < 3; ++i) graph.outputs.push_back({3 + i, node_of(velocity.e[i])});
    return graph;
}
Graph graph_of_slowing() {
    Graph graph;
    Tracer tracer(graph);
    tracer.fewest_nodes_of_region = 0;
    const OnPage rate = on_the_page::slowed(OnPage::of(tracer.build.input(0)), OnPage::of(tracer.build.input(1)));
    graph.outputs.push_back({0, node_of(rate)});
    return graph;
}

void expect_on_page(const std::string& text) {
    static const std::string page = text_of("docs/project/traced_steps.md");
    EXPECT_NE(page.find(text), std::string::npos) << "docs/project/traced_steps.md is to show:\n" << text;
}

TEST(PageOfTracedSteps, ShowsTheCodeThatIsTraced) {
    const std::string source = text_of("tests/graph/page_test.cpp"), page = text_of("docs/project/traced_steps.md");
    std::size_t blocks = 0;
    for (std::size_t at = page.find("```cpp\n"); at != std::string::npos; at = page.find("```cpp\n", at + 1)) {
        const std::size_t first = at + 7, end = page.find("```", first);
        EXPECT_NE(source.find(page.substr(first, end - first)), std::string::npos) << page.substr(first, end - first);
        ++blocks;
    }
    EXPECT_EQ(blocks, 2u);
}

TEST(PageOfTracedSteps, ShowsTheNodesThatAreLeft) {
    const Graph graph = graph_of_elbow(Rules::all()), written = graph_of_elbow(Rules::none());
    const Program program(graph), as_written(written);
    expect_on_page("```\n" + nodes_text(program) + "```");
    expect_on_page(std::to_string(as_written.counts().all()) + " operations");
    expect_on_page("leaves " + std::to_string(program.counts().all()) + ":");
}

TEST(PageOfTracedSteps, ShowsTheTapeOfARegion) {
    const Graph graph = graph_of_slowing();
    expect_on_page("```\n" + tape_text(make_tape(Program(graph), 2)) + "```");
}

TEST(PageOfTracedSteps, ShowsTheCTextOfARegion) {
    const std::string text = c_text(Program(graph_of_slowing()), {.width = 4, .stride = 64});
    expect_on_page("```c\n" + text.substr(text.find("NUMBER Real")) + "```");
}

TEST(PageOfTracedSteps, DrawsTheTapeOfTheNodes) {
    const std::string picture = text_of("docs/pictures/traced_step.svg");
    std::istringstream tape(tape_text(make_tape(Program(graph_of_elbow(Rules::all())), 6)));
    for (std::string line; std::getline(tape, line) && line.find("move") == std::string::npos;)
        EXPECT_NE(picture.find(">" + line + "<"), std::string::npos) << line;
}

TEST(PageOfTracedSteps, ShowsWhatTheStudyOfTheDoublePendulumConsistsOf) {
    const auto row = [](const char* name, const Graph& graph, int fields) {
        const Program program(graph);
        const Program::ByUse use = program.counts_by_use();
        const Tape tape = make_tape(program, fields);
        std::ostringstream text;
        text << "| " << name << " | " << use.always.all() << " | " << use.each_turn.all() << " | "
             << use.when_wanted.all() << " | " << tape.slots << " | " << tape.code.size() << " |\n";
        return text.str();
    };
    const backends::Task task = study::read_study(source_dir() / "ensembles/studies/double_pendulum.json", {}).task();
    const auto written = backends::trace_run(task, {}, Rules::only(Rule::folding)),
               traced = backends::trace_run(task, task.varied_parameters->common_values());
    ASSERT_TRUE(written && traced);
    expect_on_page(row("as written", written->step, written->step_fields) +
                   row("as traced", traced->step, traced->step_fields));
}

}  // namespace
}  // namespace myriad::graph
