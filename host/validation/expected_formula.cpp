#include "host/validation/expected_formula.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "host/mechanism/mechanism.hpp"
#include "host/text/names_of.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/oracles.hpp"

namespace myriad::validation {

namespace {

constexpr std::string_view of_published = "published.", of_certificate = "certificate.";
constexpr const char* energy_share = "energy_drift_share";
constexpr std::string_view axes = "xyz";
constexpr std::array<std::string_view, 6> ordinals = {"first", "second", "third", "fourth", "fifth", "sixth"};
constexpr std::array settings = {"step_s", "end_s", "steps", "rounding", "epsilon"};

const Definition* definition_of(const ExpectedFile& file, std::string_view name) {
    const auto found = std::ranges::find(file.definitions, name, &Definition::name);
    return found == file.definitions.end() ? nullptr : &*found;
}

// A constant, with the place of the number that is meant if the name ends so: "published.puma560.angles_at_1_s.sixth".
struct Published {
    const reference_values::NamedValue* value = nullptr;
    std::optional<std::size_t> place;
};
Published published_by_name(std::string_view name) {
    if (!name.starts_with(of_published)) return {};
    name.remove_prefix(of_published.size());
    for (const reference_values::NamedValue& value : reference_values::all) {
        const std::string_view known = value.name;
        if (name == known) return {&value, value.count == 1 ? std::optional<std::size_t>(0) : std::nullopt};
        if (name.size() < known.size() + 2 || !name.starts_with(known) || name[known.size()] != '.') continue;
        const auto place = std::ranges::find(ordinals, name.substr(known.size() + 1)) - ordinals.begin();
        if (static_cast<std::size_t>(place) < std::min(value.count, ordinals.size()))
            return {&value, static_cast<std::size_t>(place)};
    }
    return {};
}

bool is_setting(std::string_view name) { return std::ranges::find(settings, name) != settings.end(); }

double setting_of(const Moment& moment, std::string_view name, double rounding) {
    if (name == "rounding") return rounding;
    if (name == "epsilon") return std::numeric_limits<double>::epsilon();
    if (name == "end_s") return moment.run.study.end_s;
    if (name == "step_s") return moment.run.study.fixed.step_s;
    return static_cast<double>(moment.run.chunk.steps.at(moment.instance));
}

// "gravity_m_s2.z" is the address "gravity_m_s2[2]".
std::optional<std::size_t> number_by_name(const study::Study& study, std::string_view name) {
    if (const auto number = study.system->find_parameter(name)) return number;
    if (name.size() > 2 && name[name.size() - 2] == '.' && axes.find(name.back()) != std::string_view::npos)
        return study.system->find_parameter(std::string(name.substr(0, name.size() - 2)) + "[" +
                                            std::to_string(axes.find(name.back())) + "]");
    return study.system->find_parameter("parameters." + std::string(name));
}

double number_of(const Moment& moment, std::size_t number) {
    const study::Study& study = moment.run.study;
    for (std::size_t k = 0; k < study.varied.size(); ++k)
        if (static_cast<std::size_t>(study.varied[k].parameter) == number)
            return moment.run.sampled.at(k * study.instances + moment.instance);
    const bool is_given = !study.mechanism || (number < study.given.size() && study.given[number]);
    if (is_given || study.mechanism->numbers[number].expression.empty()) return study.parameters[number];
    const mechanism::Number& own = study.mechanism->numbers[number];
    const Expression formula = Expression::parse(own.expression, own.address);
    std::vector<double> values;
    for (const std::string& name : formula.names())
        values.push_back(number_of(moment, study.system->find_parameter("parameters." + name).value()));
    return formula.value(values);
}

double value_by_name(const std::string& name, const Moment& moment, const std::string& where, double rounding) {
    if (const Definition* definition = definition_of(moment.file, name))
        return value_of(definition->formula, moment, rounding);
    if (is_setting(name)) return setting_of(moment, name, rounding);
    if (const Published published = published_by_name(name); published.value) {
        if (published.place) return published.value->numbers[*published.place];
        refuse_at(where, "\"" + name + "\" is a list", "name one of its numbers: .first, .second, ...");
    }
    if (name.starts_with(of_certificate)) {
        const std::string entry = name.substr(of_certificate.size());
        const std::vector<std::string> known = certificate_entries(moment.run.study);
        if (std::ranges::find(known, entry) == known.end())
            refuse_at(where, "there is no entry \"" + entry + '"',
                      suggestion(entry, known, "entries of the certificate"));
        return certificate_of(moment.run, entry, moment.instance);
    }
    if (const Oracle* oracle = find_oracle(name)) return oracle->value(moment.time_s);
    if (name.starts_with(of_published))
        refuse_at(where, "there is no published value \"" + name + '"',
                  "docs/reference_values.json holds them by group");
    if (const auto number = number_by_name(moment.run.study, name)) return number_of(moment, *number);
    return moment.run.observed(name, moment.time_s, moment.instance);
}

}  // namespace

double value_of(const Formula& formula, const Moment& moment, double rounding) {
    std::vector<double> values;
    for (const std::string& name : formula.names())
        values.push_back(value_by_name(name, moment, formula.where, rounding));
    return formula.value(values, moment.time_s);
}

double certificate_of(const FinishedRun& run, const std::string& entry, std::uint64_t instance) {
    return entry == energy_share ? run.energy_drift_share(instance) : run.invariant_drift(entry, instance);
}

std::vector<std::string> certificate_entries(const study::Study& study) {
    std::vector<std::string> entries = names_of(study.certificate());
    entries.emplace_back(energy_share);
    return entries;
}

const reference_values::NamedValue* published_value(const Expression& formula) {
    return formula.names().size() == 1 && formula.nodes().size() == 1 ? published_by_name(formula.names().front()).value
                                                                      : nullptr;
}

const reference_values::NamedValue* published_list(const Expression& formula) {
    const reference_values::NamedValue* value = published_value(formula);
    return value && !published_by_name(formula.names().front()).place ? value : nullptr;
}

void add_channels(const Formula& formula, const ExpectedFile& file, const study::Study& study,
                  std::vector<ReadChannel>& channels) {
    for (const std::string& name : formula.names()) {
        if (const Definition* definition = definition_of(file, name))
            add_channels(definition->formula, file, study, channels);
        else if (!is_setting(name) && !name.starts_with(of_published) && !name.starts_with(of_certificate) &&
                 !find_oracle(name) && !find_oracle(name + ".x") && !number_by_name(study, name))
            channels.push_back({name, formula.where});
    }
}

}  // namespace myriad::validation
