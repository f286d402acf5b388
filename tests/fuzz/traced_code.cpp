// Bytes as code with regions (tests/graph/script.hpp): traced by rules that they choose, and run on a tape, it has the
// bits of plain numbers.
#include <cmath>

#include "host/graph/interpreter.hpp"
#include "host/graph/symbol.hpp"
#include "host/graph/tape_run.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/graph/script.hpp"

namespace myriad::fuzz {
namespace {

// Stands for a random generator. Behind the last byte all numbers are 0.
class Bytes {
  public:
    explicit Bytes(std::string_view text) : text_(text) {}
    unsigned operator()() { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_++]) : 0u; }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

std::string objection_to_code(std::string_view text) {
    using graph::script_variables;
    using Traced = graph::Symbol<double>;
    constexpr int lanes = 5, statements = 6, depth = 3, steps = 2;
    Bytes bytes(text);
    graph::Rules rules = graph::Rules::all();
    for (int rule = 0; rule < static_cast<int>(graph::Rule::count); ++rule)
        if (bytes() % 4 == 1) rules = rules.without(static_cast<graph::Rule>(rule));
    const int fewest_nodes = static_cast<int>(bytes() % 3 * 8);
    const std::vector<graph::Statement> script = graph::random_script(bytes, statements, depth);

    graph::Graph traced;
    {
        graph::Tracer tracer(traced, rules);
        tracer.fewest_nodes_of_region = fewest_nodes;
        Traced x[script_variables];
        for (int i = 0; i < script_variables; ++i) x[i] = Traced::of(tracer.build.input(i));
        graph::SymbolMask flag = !true_mask<Traced>();
        graph::run_script<Traced>(script, true_mask<Traced>(), x, flag);
        for (int i = 0; i < script_variables; ++i) traced.outputs.push_back({i, graph::node_of(x[i])});
    }
    const graph::Tape tape = graph::make_tape(graph::Program(traced), script_variables);
    graph::TapeRun<double> run(tape, graph::interpreter<double>(), lanes);
    const auto start = [](int lane, int i) { return 0.25 * ((7 * i + 3 * lane) % 17) - 2.0; };
    for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < script_variables; ++i) run.field(i)[lane] = start(lane, i);
    run.run(steps);
    for (int lane = 0; lane < lanes; ++lane) {
        double x[script_variables];
        for (int i = 0; i < script_variables; ++i) x[i] = start(lane, i);
        for (int step = 0; step < steps; ++step) {
            bool flag = false;
            graph::run_script<double>(script, true, x, flag);
        }
        for (int i = 0; i < script_variables; ++i)
            if (const double own = run.field(i)[lane]; !(own == x[i] || (std::isnan(own) && std::isnan(x[i]))))
                return "lane " + std::to_string(lane) + " ends with another number on the tape";
    }
    return {};
}

// The first bytes choose rules; each statement takes five and a body.
std::vector<std::string> seeds_of_code() {
    std::vector<std::string> seeds{std::string(64, '\0')};
    std::mt19937 random(20260101);
    for (int seed = 0; seed < 8; ++seed) {
        seeds.emplace_back();
        for (int i = 0; i < 200; ++i) seeds.back() += static_cast<char>(random() % 256);
    }
    return seeds;
}

const Reader of_code[] = {{"code", objection_to_code, seeds_of_code}};

}  // namespace

std::span<const Reader> code_readers() { return of_code; }

}  // namespace myriad::fuzz
