#include "host/validation/validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>

#include "host/backends/backends.hpp"
#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

struct Case {
    const char* name;
    std::vector<Row> (*run)(const Subject&);
};
constexpr Case cases[] = {{"heavy_top_published", heavy_top_published},
                          {"steady_precession", steady_precession},
                          {"free_rotation", free_rotation},
                          {"twins", twins},
                          {"orders", orders},
                          {"driven_mechanisms", driven_mechanisms},
                          {"free_mechanisms", free_mechanisms},
                          {"mechanism_orders", mechanism_orders},
                          {"mechanism_residuals", mechanism_residuals},
                          {"mechanism_twins", mechanism_twins},
                          {"energy_momentum", energy_momentum},
                          {"contact", contact},
                          {"contact_mechanisms", contact_mechanisms},
                          {"contact_mechanism_twins", contact_mechanism_twins}};

const Case& case_of(const std::string& name) {
    for (const Case& known : cases)
        if (name == known.name) return known;
    throw UserError(ExitCode::usage_or_input, "validate", "there is no case \"" + name + "\"",
                    suggestion(name, validation_cases(), "cases"));
}

std::vector<Row> run(const Case& chosen, const std::string& backend) {
    const std::unique_ptr<backends::Backend> device = backends::make_backend(backend, {});
    return chosen.run({backend, *device});
}

}  // namespace

bool Subject::takes(std::string_view mechanism, std::string_view integrator, std::string_view chart) const {
    const auto is_one_of = [](std::string_view name, std::initializer_list<std::string_view> names) {
        return std::ranges::find(names, name) != names.end();
    };
    if (backend != backends::names::cuda) return true;
    if (chart != "rotation") return mechanism == "four_link" && integrator == "generalized_alpha";
    return is_one_of(integrator, {"generalized_alpha", "implicit_euler", "kinematics"}) ||
           is_one_of(mechanism, {"bouncing_sphere", "rolling_sphere", "slider_crank_slot"});
}

bool Row::passed() const { return std::abs(ours - expected) <= tolerance; }

std::vector<std::string> validation_cases() {
    std::vector<std::string> names;
    for (const Case& known : cases) names.emplace_back(known.name);
    return names;
}

std::vector<Row> run_validation(const std::string& case_name, const std::string& backend) {
    return run(case_of(case_name), backend);
}

std::vector<Row> run_validations(const std::vector<std::string>& case_names, const std::string& backend, int at_once,
                                 const CaseEnded& ended) {
    std::vector<const Case*> wanted;
    for (const std::string& name : case_names) wanted.push_back(&case_of(name));
    std::vector<std::vector<Row>> rows_of_cases(wanted.size());
    std::mutex telling;
    ensemble::visit_instances(wanted.size(), 1, at_once, [&] {
        return [&](std::uint64_t i) {
            take_drifted_runs();
            rows_of_cases[i] = run(*wanted[i], backend);
            const std::set<std::string> drifted = take_drifted_runs();
            const std::lock_guard<std::mutex> lock(telling);
            if (ended) ended(wanted[i]->name, rows_of_cases[i], drifted);
        };
    });
    std::vector<Row> rows;
    for (std::vector<Row>& of_case : rows_of_cases) std::move(of_case.begin(), of_case.end(), std::back_inserter(rows));
    return rows;
}

}  // namespace myriad::validation
