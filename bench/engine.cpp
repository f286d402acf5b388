// The forms of a step that a CPU has, side by side: the kernels on plain numbers, the tape of the traced step, its text
// compiled; for all bundled mechanisms in joint coordinates whose steps are traced, explicitly and implicitly.
//
// One core, the widest vectors, whole runs with a quantity and rows. The forms take turns in each round, so that other
// load on the machine meets all of them: a ratio is the median over the rounds of the ratio within one. One mass varies
// by a tenth of a percent. Steps are as many as counted operations ask for, never as seconds do. A form with other bits
// than the kernels has no rate.
#include <algorithm>
#include <optional>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "bench/mechanism_workloads.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/compiled_steps.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/graph/tape.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/runs/embedded_mechanisms.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

constexpr int rounds = 9;
constexpr std::uint64_t engine_instances = 64;
constexpr double operations_of_a_run = 1e8;
constexpr int fewest_steps = 200, most_steps = 2000;
constexpr const char* engine_methods[] = {"rk4", "generalized_alpha"};
// Each is compared with those before it.
constexpr const char* engine_forms[] = {backends::names::double_kernels, backends::names::interpreted_kernels,
                                        backends::names::compiled_kernels};

struct Form {
    std::string kernels;
    std::unique_ptr<backends::Backend> backend;
    Finished finished = {};
    std::vector<double> seconds = {};
};

// Springs of three_masses are stiff for an explicit method.
double step_of(const std::string& mechanism) { return mechanism == "three_masses" ? 1e-4 : 1e-3; }

// Ratios by the names of two forms, one for each mechanism and method.
using Ratios = std::vector<std::pair<std::string, std::vector<double>>>;

// Nothing where the method does not take the mechanism.
std::optional<study::Study> engine_study(const std::string& mechanism, const char* method, int steps) {
    const auto number = [](double value) { return std::to_string(value * 1e9) + "e-9"; };
    const auto parsed = [&](const std::string& members) {
        return study::parse_study(R"({"mechanism": )" + std::string(validation::mechanism_text(mechanism)) +
                                      R"(, "coordinates": "joint", "integrator": {"name": ")" + method +
                                      R"(", "step_s": )" + number(step_of(mechanism)) + R"(, "end_s": )" +
                                      number(step_of(mechanism) * steps) + "}, " + members + R"("instances": )" +
                                      std::to_string(engine_instances) + "}",
                                  "bench", std::filesystem::path());
    };
    try {
        const study::Study plain = parsed("");
        const auto& numbers = plain.mechanism->numbers;
        const auto mass = std::ranges::find_if(numbers, [](const mechanism::Number& number) {
            return number.address.ends_with(".mass_kg") && number.value > 0.0;
        });
        if (mass == numbers.end()) return std::nullopt;
        const std::string body = plain.mechanism->body_names.front(), mean = std::to_string(mass->value);
        return parsed(R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {")" + mass->address +
                      R"(": {"normal": {"mean": )" + mean + R"(, "standard_deviation": )" +
                      std::to_string(1e-3 * mass->value) +
                      R"(}}}, "observe": {"every_steps": 10, "channels": ["position"]}, )" +
                      R"("quantities": {"highest_m": {"max": "position.)" + body + R"(.z"}}, )");
    } catch (const UserError&) {
        return std::nullopt;
    }
}

// Counts of a traced step, and the seconds to trace it.
struct Traced {
    graph::Program::ByUse operations;
    int slots;
    std::size_t instructions;
    program::Spread seconds;
};
std::optional<Traced> traced(const backends::Task& task) {
    std::vector<double> seconds;
    std::optional<Traced> traced;
    for (int round = 0; round < rounds; ++round) {
        const double started = now_s(Clock::thread_cpu);
        const std::optional<backends::TracedRun> run =
            backends::trace_run(task, task.varied_parameters->common_values());
        if (!run) return std::nullopt;
        const graph::Program program(run->step), end(run->end);
        const graph::Tape tape = graph::make_tape(program, run->step_fields);
        graph::make_tape(end, run->end_fields);
        seconds.push_back(now_s(Clock::thread_cpu) - started);
        traced = Traced{program.counts_by_use(), tape.slots, tape.code.size(), program::spread_of(seconds)};
    }
    return traced;
}

void add_counts(program::BenchRow& row, const Traced& of) {
    const auto add = [&](const char* name, double value, const char* unit) {
        row.figures.push_back({name, value, unit});
    };
    add("operations", of.operations.always.all(), "per step");
    add("arithmetic", of.operations.always.arithmetic(), "per step");
    add("operations of a further correction", of.operations.each_turn.all(), "each");
    add("operations where wanted", of.operations.when_wanted.all(), "each");
    add("numbers alive", of.slots, "slots");
    add("instructions", static_cast<double>(of.instructions), "");
    add("time to trace", of.seconds.median, "s");
}

void measure(program::BenchReport& report, const std::string& name, const char* method, Ratios& all_ratios) {
    const std::optional<study::Study> shortest = engine_study(name, method, fewest_steps);
    if (!shortest) return;
    const std::optional<Traced> step = traced(shortest->task());
    if (!step) return;
    const double operations = step->operations.always.all() + step->operations.each_turn.all();
    const int steps =
        std::clamp(static_cast<int>(operations_of_a_run / (operations * engine_instances)), fewest_steps, most_steps);
    const study::Study study = *engine_study(name, method, steps);
    const Ensemble ensemble = make_ensemble(study);
    const int width = backends::cpu_widths().back();

    const std::optional<backends::CompiledFunction> compiled = backends::compile_steps(ensemble.task, width);
    std::vector<Form> forms;
    for (const char* kernels : engine_forms) {
        if (kernels == backends::names::compiled_kernels && !compiled) continue;
        backends::Settings settings;
        settings.threads = 1, settings.width = width, settings.kernels = kernels;
        forms.push_back({kernels, backends::make_cpu_backend(settings)});
        run_ensemble(*forms.back().backend, ensemble, Clock::thread_cpu);
    }
    for (int round = 0; round < rounds; ++round)
        for (Form& form : forms) {
            form.finished = run_ensemble(*form.backend, ensemble, Clock::thread_cpu);
            form.seconds.push_back(form.finished.seconds);
        }
    for (const Form& form : forms) {
        program::BenchRow row =
            row_of("engine", name + " " + method + ", " + form.kernels, *study.system, ensemble, form.finished);
        row.backend = "cpu", row.threads = 1, row.clock = "thread cpu";
        row.width = form.kernels == backends::names::double_kernels ? 1 : width;
        row.hardware = report.hardware;
        const std::uint64_t differing = differing_bits(forms.front().finished, form.finished);
        if (form.kernels == backends::names::interpreted_kernels) add_counts(row, *step);
        if (form.kernels == backends::names::compiled_kernels) {
            row.note = compiled->compiler;
            // Kept ones took none.
            if (compiled->seconds > 0.0) row.figures.push_back({"time to compile", compiled->seconds, "s"});
        }
        if (differing > 0) {
            row.note = "no rate: " + std::to_string(differing) + " bits differ from the kernels'";
            row.seconds = program::spread_of(form.seconds);
        } else {
            set_rates(row, form.seconds);
        }
        for (const Form* base = forms.data(); base != &form && row.instance_steps_per_s.repetitions > 0; ++base) {
            std::vector<double> ratios;
            for (std::size_t round = 0; round < rounds; ++round)
                ratios.push_back(base->seconds[round] / form.seconds[round]);
            const double ratio = program::spread_of(ratios).median;
            row.figures.push_back({"of the rate of " + base->kernels, ratio, ""});
            const std::string both = form.kernels + " over " + base->kernels;
            auto found = std::ranges::find(all_ratios, both, &Ratios::value_type::first);
            if (found == all_ratios.end()) found = all_ratios.insert(found, {both, {}});
            found->second.push_back(ratio);
        }
        report.rows.push_back(row);
    }
}

}  // namespace

void engine(program::BenchReport& report) {
    Ratios ratios;
    for (int file = 0; file < embedded_mechanism_file_count; ++file)
        for (const char* method : engine_methods)
            measure(report, std::filesystem::path(embedded_mechanism_files[file].name).stem().string(), method, ratios);
    for (const auto& [forms, of_forms] : ratios) {
        program::BenchRow row;
        row.bench = "engine", row.subject = "all, " + forms, row.backend = "cpu", row.precision = "fp64";
        row.hardware = report.hardware, row.threads = 1, row.note = "ratios within this run";
        row.width = backends::cpu_widths().back();
        const program::Spread spread = program::spread_of(of_forms);
        row.figures.push_back({"ratio of rates, median", spread.median, ""});
        row.figures.push_back({"ratio of rates, smallest", spread.smallest, ""});
        row.figures.push_back({"ratio of rates, largest", spread.largest, ""});
        row.figures.push_back({"mechanisms and methods", static_cast<double>(of_forms.size()), ""});
        report.rows.push_back(row);
    }
}

}  // namespace myriad::bench
