#include "host/program/list/list_steps.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/backends/traced/trace.hpp"
#include "host/graph/tape.hpp"
#include "host/program/step_cost.hpp"
#include "host/program/text/text_table.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

constexpr const char* shown_methods[] = {"rk4", "generalized_alpha"};

struct ListedStep {
    const char* method;
    graph::Program::ByUse operations;
    int slots;
    std::size_t instructions;
};

std::optional<ListedStep> step_by(const char* method, const std::filesystem::path& mechanism) {
    const ordered_json text{{"mechanism", std::filesystem::absolute(mechanism).string()},
                            {"coordinates", "joint"},
                            {"integrator", {{"name", method}, {"step_s", step_cost_step_s}, {"end_s", 1.0}}},
                            {"instances", 1}};
    try {
        const std::optional<backends::TracedRun> run =
            backends::trace_run(study::parse_study(text.dump(), "list", std::filesystem::path()).task());
        if (!run) return std::nullopt;
        const graph::Program program(run->step);
        const graph::Tape tape = graph::make_tape(program, run->step_fields);
        return ListedStep{method, program.counts_by_use(), tape.slots, tape.code.size()};
    } catch (const UserError&) {
        return std::nullopt;
    }
}

std::vector<ListedStep> steps_of(const std::filesystem::path& mechanism) {
    std::vector<ListedStep> steps;
    for (const char* method : shown_methods)
        if (const auto step = step_by(method, mechanism)) steps.push_back(*step);
    return steps;
}

}  // namespace

void print_steps(const std::filesystem::path& mechanism) {
    const std::vector<ListedStep> steps = steps_of(mechanism);
    if (steps.empty()) return;
    TextTable table({"a traced step in joint coordinates", "operations", "of them arithmetic",
                     "each further correction", "where wanted", "numbers alive", "instructions"});
    const auto text = [](std::size_t count) { return grouped(count); };
    const auto all = [&](const graph::Counts& counts) { return text(static_cast<std::size_t>(counts.all())); };
    for (const ListedStep& step : steps)
        table.add({std::string("  ") + step.method, all(step.operations.always),
                   text(static_cast<std::size_t>(step.operations.always.arithmetic())), all(step.operations.each_turn),
                   all(step.operations.when_wanted), text(static_cast<std::size_t>(step.slots)),
                   text(step.instructions)});
    std::printf("\n%s", table.text(1).c_str());
}

ordered_json steps_json(const std::filesystem::path& mechanism) {
    ordered_json json = ordered_json::object();
    for (const ListedStep& step : steps_of(mechanism))
        json[step.method] = {{"operations", step.operations.always.all()},
                             {"arithmetic", step.operations.always.arithmetic()},
                             {"operations_of_a_further_correction", step.operations.each_turn.all()},
                             {"arithmetic_of_a_further_correction", step.operations.each_turn.arithmetic()},
                             {"operations_where_wanted", step.operations.when_wanted.all()},
                             {"numbers_alive", step.slots},
                             {"instructions", step.instructions}};
    return json;
}

}  // namespace myriad::program
