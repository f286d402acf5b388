#include "papers/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "host/backends/cpu/cpu.hpp"

namespace myriad::bench {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double least_measured_s = 0.02;

validation::FinishedRun run_to_end(const Goal& goal, const validation::Method& method, const Machine& machine,
                                   int instances) {
    validation::Method whole = method;
    whole.end_s = goal.end_s;
    // Only the first and the last state are observed: a row in between would cost time.
    const validation::Observed ends{goal.end_s, goal.channels};
    const std::string subject =
        goal.subject.empty() ? validation::mechanism_subject(goal.mechanism, method.coordinates) : goal.subject;
    return validation::run_text(validation::study_text(subject, whole, ends, "", instances), *machine.backend);
}

}  // namespace

Machine one_thread() {
    backends::Settings settings;
    settings.threads = 1;
    return {backends::make_cpu_backend(settings), backends::cpu_widths().back()};
}

Outcome run_towards(const Goal& goal, const validation::Method& method, const Machine& machine) {
    Outcome outcome{nan, nan, std::numeric_limits<double>::infinity()};
    for (double total = 0.0; total < least_measured_s;) {
        const validation::FinishedRun run = run_to_end(goal, method, machine, machine.lanes);
        if (!run.ok()) return {nan, nan, nan};
        double square = 0.0;
        for (std::size_t i = 0; i < goal.channels.size(); ++i) {
            const double difference = run.observed(goal.channels[i], goal.end_s) - goal.values[i];
            square += difference * difference;
        }
        outcome.error = std::sqrt(square);
        if (run.study.mechanism) outcome.iterations = validation::mean_newton_iterations(run);
        const double steps = static_cast<double>(run.chunk.steps.front()) * machine.lanes;
        outcome.ns_per_step = std::min(outcome.ns_per_step, 1e9 * run.cpu_seconds / steps);
        total += run.cpu_seconds;
    }
    return outcome;
}

std::vector<double> values_by(const Goal& goal, const validation::Method& method, const Machine& machine) {
    const validation::FinishedRun run = run_to_end(goal, method, machine, 1);
    std::vector<double> values;
    for (const std::string& channel : goal.channels) values.push_back(run.observed(channel, goal.end_s));
    return values;
}

const Outcome& Sweep::at(std::size_t step, const std::string& variant) const {
    const auto found = std::find(variants.begin(), variants.end(), variant);
    if (found == variants.end()) throw std::logic_error("sweep: there is no variant " + variant);
    return outcomes.at(step).at(static_cast<std::size_t>(found - variants.begin()));
}

Sweep sweep(const Goal& goal, const std::vector<Variant>& variants, const std::vector<double>& steps_s,
            const Machine& machine) {
    Sweep made{steps_s, {}, {}};
    for (const Variant& variant : variants) made.variants.push_back(variant.name);
    for (const double step_s : steps_s) {
        std::vector<Outcome>& row = made.outcomes.emplace_back();
        for (const Variant& variant : variants) {
            validation::Method method = variant.method;
            method.step_s = step_s;
            row.push_back(run_towards(goal, method, machine));
        }
    }
    return made;
}

std::vector<double> halved(double first, int count) {
    std::vector<double> steps;
    for (int i = 0; i < count; ++i) steps.push_back(std::ldexp(first, -i));
    return steps;
}

}  // namespace myriad::bench
