#include "host/validation/validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>

#include "host/backends/backends.hpp"
#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/text/names_of.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/expected_case.hpp"
#include "host/validation/forms.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

struct Case {
    const char* name;
    std::vector<Row> (*run)(const Subject&);
    bool takes_the_reference_path_minutes = false;
};
constexpr Case cases[] = {{"twins", twins},
                          {"orders", orders},
                          {"steps_side_by_side", steps_side_by_side, true},
                          {"multiplier_orders", multiplier_orders},
                          {"energy_and_reactions", energy_and_reactions},
                          {"mechanism_twins", mechanism_twins},
                          {"precession_ranking", precession_ranking},
                          {"contact", contact},
                          {"slider_crank_slot", slider_crank_slot},
                          {"contact_mechanism_twins", contact_mechanism_twins}};

// Code, or a file of claims.
struct Chosen {
    const Case* code = nullptr;
    std::shared_ptr<const ExpectedFile> file;
};

Chosen case_of(const std::string& name) {
    for (const Case& known : cases)
        if (name == known.name) return {&known, nullptr};
    if (name.ends_with(".json")) return {nullptr, std::make_shared<const ExpectedFile>(read_expected(name))};
    for (const std::filesystem::path& file : bundled_expected_files())
        if (name == file.stem()) return {nullptr, std::make_shared<const ExpectedFile>(read_expected(file))};
    throw UserError(ExitCode::usage_or_input, "validate", "there is no case \"" + name + "\"",
                    suggestion(name, validation_cases(), "cases"));
}

void require_claims(const ExpectedFile& file, const Form& form) {
    if (file.needs_papers && !study::is_built(study::papers_members().front()))
        refuse_at(file.where, "the file needs the methods of papers/", "take a build with papers/");
    if (!holds_for(file, form))
        refuse_at(file.where, std::string("nothing is claimed of the form ") + form.name,
                  "choose another by --backend, or look at \"forms\" of the file, its runs and claims");
}

std::vector<Row> run(const Chosen& chosen, const Form& form) {
    const std::unique_ptr<backends::Backend> device = backends::make_backend(form.backend, {.kernels = form.kernels});
    return chosen.code ? chosen.code->run({form.backend, *device}) : expected_rows(*chosen.file, form, *device);
}

}  // namespace

const Form& form_of(const std::string& name) {
    const auto found = std::ranges::find(forms, name, [](const Form& form) { return std::string_view(form.name); });
    if (found == std::end(forms))
        throw UserError(ExitCode::usage_or_input, "validate", "there is no form \"" + name + "\"",
                        suggestion(name, names_of(forms), "forms"));
    return *found;
}

const std::vector<ExpectedFile>& bundled_claims() {
    static const std::vector<ExpectedFile> all = [] {
        std::vector<ExpectedFile> read;
        for (const std::filesystem::path& file : bundled_expected_files()) read.push_back(read_expected(file));
        return read;
    }();
    return all;
}

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

std::vector<std::string> validation_cases(const std::string& form) {
    std::vector<std::string> names;
    for (const Case& known : cases)
        if (form != backends::names::reference || !known.takes_the_reference_path_minutes)
            names.emplace_back(known.name);
    if (form.empty()) {
        for (const std::filesystem::path& file : bundled_expected_files()) names.push_back(file.stem());
        return names;
    }
    for (const ExpectedFile& file : bundled_claims())
        if (holds_for(file, form_of(form))) names.push_back(file.name);
    return names;
}

std::vector<Row> run_validation(const std::string& case_name, const std::string& form) {
    return run(case_of(case_name), form_of(form));
}

std::vector<Row> run_validations(const std::vector<std::string>& case_names, const std::string& form_name, int at_once,
                                 const CaseEnded& ended) {
    const Form& form = form_of(form_name);
    std::vector<Chosen> wanted;
    for (const std::string& name : case_names) {
        wanted.push_back(case_of(name));
        if (wanted.back().file) require_claims(*wanted.back().file, form);
    }
    std::vector<std::vector<Row>> rows_of_cases(wanted.size());
    std::mutex telling;
    ensemble::visit_instances(wanted.size(), 1, at_once, [&] {
        return [&](std::uint64_t i) {
            take_drifted_runs();
            rows_of_cases[i] = run(wanted[i], form);
            const std::set<std::string> drifted = take_drifted_runs();
            const std::lock_guard<std::mutex> lock(telling);
            if (ended) ended(case_names[i], rows_of_cases[i], drifted);
        };
    });
    std::vector<Row> rows;
    for (std::vector<Row>& of_case : rows_of_cases) std::move(of_case.begin(), of_case.end(), std::back_inserter(rows));
    return rows;
}

}  // namespace myriad::validation
