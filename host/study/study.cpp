#include "host/study/study.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "host/mechanism/assembly/start_motion.hpp"
#include "host/mechanism/tree/axes_codes.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/bundled_studies.hpp"
#include "host/study/study_contact.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/study/study_keys.hpp"
#include "host/study/study_mechanism.hpp"
#include "host/study/study_quantities.hpp"
#include "host/study/study_results.hpp"
#include "host/study/study_sampling.hpp"
#include "host/study/study_schedule.hpp"
#include "host/text/checksum.hpp"
#include "host/text/json_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

using json = Json;

// Fills `system` and, where the study has one, `mechanism`, which is read already.
void read_system(const JsonValue& root, std::shared_ptr<const mechanism::Mechanism> mechanism, Study& study,
                 json& canonical) {
    root.members();
    const auto name = root.find("system");
    if (name && mechanism) name->refuse("the study names a system and a mechanism", "keep \"system\" or \"mechanism\"");
    if (mechanism) {
        study.system = std::make_shared<const SystemDescription>(description_of(*mechanism));
        study.mechanism = std::move(mechanism);
        canonical["mechanism"] = canonical_mechanism(*study.mechanism);
    } else if (name) {
        // The catalog outlives every study.
        study.system = {std::shared_ptr<void>(), &find_system(name->string(), name->where())};
        canonical["system"] = study.system->name;
    }
    for (const auto& [key, value] : root.members())
        if (study.system && (study.system->find_parameter(key) || !study.system->vector_parameter(key).empty()))
            value.refuse("the key \"" + key + "\" is unknown here",
                         "it is a parameter of the system: put it into \"parameters\"");
    if (!study.system && root.find("bodies"))
        root.refuse(
            "this is a mechanism, and a study is asked for",
            "write a study that names it: {\"mechanism\": \"" + std::filesystem::path(study.file).filename().string() +
                "\", \"integrator\": ..., \"instances\": ...}; `myriad list --mechanism FILE` shows what is in it");
    root.require_keys(names_of(study_keys));
    if (!study.system)
        root.member("system", "one of: " + list_of(names_of(systems())) + ", or \"mechanism\": the path of its file");
}

void refuse_retired_keys(const JsonValue& root) {
    const auto integrator = root.find("integrator");
    if (!integrator || !integrator->is_object()) return;
    for (const RetiredKey& key : retired_integrator_keys)
        if (const auto value = integrator->find(key.name))
            value->refuse(std::string("the key \"") + key.name + "\" is gone: " + key.reason, key.remedy);
}

void read_policy(const JsonValue& root, Study& study, json& canonical) {
    if (const auto policy = root.find("on_failure"))
        study.on_failure = static_cast<OnFailure>(policy->one_of(names_of(on_failure_names), "policy"));
    study.allowed_failed_share = defaults::allowed_failed_share;
    if (const auto share = root.find("allowed_failed_share")) {
        study.allowed_failed_share = share->number();
        if (!(study.allowed_failed_share >= 0.0 && study.allowed_failed_share <= 1.0))
            share->refuse("the share is " + share->json().dump() + ", which is not between 0 and 1",
                          "give 0.01 to allow one instance in a hundred to fail");
    }
    canonical["on_failure"] = name_of(study.on_failure);
    canonical["allowed_failed_share"] = study.allowed_failed_share;
}

// Keys sorted, but for what is numbered by its order: quantities, and the entries of a mechanism.
json in_canonical_order(const json& canonical) {
    json ordered = with_sorted_keys(canonical);
    for (const char* key : {"mechanism", "quantities"})
        if (canonical.contains(key)) ordered[key] = canonical.at(key);
    return ordered;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Two checksums of 64 bits with different seeds, of the study with its first `instances` alone.
std::string fingerprint_of(json canonical, const Study& study, std::uint64_t instances) {
    canonical["instances"] = instances;
    if (study.mechanism) canonical["mechanism"] = without_words(std::move(canonical["mechanism"]));
    for (const char* without_influence : {"title", "description", "assembly", "statistics", "allowed_failed_share"})
        canonical.erase(without_influence);
    for (json& quantity : canonical["quantities"]) quantity.erase("probability");
    if (const auto results = canonical.find("results"); results != canonical.end()) {
        results->erase("compression");
        if (results->empty()) canonical.erase("results");
    }
    if (study.design == "table") canonical["design"].erase("file"), canonical["design"].erase("independent");
    // Whether a run stops at a failure does not change an instance, a retry does.
    if (study.on_failure == OnFailure::stop) canonical["on_failure"] = name_of(OnFailure::proceed);
    const std::string text = "myriad study 1 " + canonical.dump();
    std::array<Checksum, 2> sums = {Checksum(1), Checksum(2)};
    for (Checksum& sum : sums) sum.add(bytes_of(text));
    if (study.design == "table" && study.has_sampler()) {
        std::vector<double> row(study.varied.size());
        for (std::uint64_t instance = 0; instance < instances; ++instance) {
            study.sampler().sample(instance, 1, row.data());
            for (Checksum& sum : sums) sum.add(std::as_bytes(std::span(row)));
        }
    }
    constexpr const char* digits = "0123456789abcdef";
    std::string hexadecimal;
    for (const Checksum& sum : sums)
        for (int shift = 60; shift >= 0; shift -= 4) hexadecimal += digits[sum.value() >> shift & 15u];
    return hexadecimal;
}

Study study_of(const JsonText& text, std::shared_ptr<const mechanism::Mechanism> mechanism,
               const std::filesystem::path& folder, Purpose purpose) {
    const JsonValue root = text.root();
    Study study;
    json canonical;
    study.file = text.name();
    read_system(root, started_as_asked(root, std::move(mechanism)), study, canonical);
    for (const auto& [key, target] : {std::pair{"title", &study.title}, {"description", &study.description}}) {
        if (const auto value = root.find(key)) *target = value->string();
        canonical[key] = *target;
    }
    const auto chart = root.find("chart");
    study.chart =
        find_chart_for(*study.system, chart ? chart->string() : defaults::chart, chart ? chart->where() : root.where())
            .name;
    canonical["chart"] = study.chart;
    const auto precision = root.find("precision");
    if (precision)
        study.precision = static_cast<backends::Precision>(precision->one_of(names_of(precision_names), "precision"));
    canonical["precision"] = name_of(study.precision);

    const bool takes_steps = purpose != Purpose::statistics;
    if (takes_steps) refuse_retired_keys(root);
    read_coordinates(root, takes_steps, study);
    read_integrator(root.member("integrator", "{\"name\": ..., \"end_s\": ...}"), takes_steps, study,
                    canonical["integrator"]);
    if (study.mechanism) canonical["coordinates"] = name_of(study.coordinates);
    if (precision && takes_steps) require_precision(*precision, study);
    make_steps_equal(root, study, canonical["integrator"]);
    Sampling sampling = read_sampling(root, *study.system, folder, purpose);
    study.instances = sampling.instances;
    study.design = sampling.design;
    study.seed = sampling.seed, study.replicates = sampling.replicates;
    study.table_file = sampling.table_file;
    study.rows_are_independent = sampling.rows_are_independent;
    study.parameters = std::move(sampling.parameters);
    study.varied = std::move(sampling.varied);
    study.sampler_ = std::move(sampling.sampler);
    study.given = std::move(sampling.given);
    if (study.mechanism) study.mechanism = with_given_state(study.mechanism, study.given);
    if (study.mechanism && takes_steps) {
        find_varied_kernel_parameters(root, study);
        require_values_of_tables(root, study);
        check_drivers(root, study);
    }
    if (takes_steps) read_assembly(root, study, canonical);
    if (study.integrator.contact && takes_steps) check_contacts(root, study);
    canonical.update(sampling.canonical);
    if (study.replicates && study.instances < 2 * *study.replicates)
        study.warnings.push_back(root.where() + ": " + std::to_string(study.instances) + " instances in " +
                                 std::to_string(*study.replicates) +
                                 " replicates are fewer than two in each: there will be no confidence intervals");

    if (const auto observe = root.find("observe")) read_observation(*observe, study, canonical["observe"]);
    read_quantities(root, study, canonical["quantities"] = json::object());
    read_results(root, study, canonical);
    read_statistics(root, study, canonical["statistics"]);
    read_policy(root, study, canonical);
    canonical = in_canonical_order(canonical);
    study.fingerprint_ = fingerprint_of(canonical, study, study.instances);
    study.canonical_json = canonical.dump(2);
    return study;
}

// Keys with dots in them, which a path of the command line must not be cut at.
std::vector<std::string> dotted_keys(const mechanism::Mechanism* mechanism) {
    std::vector<std::string> dotted;
    const auto add = [&](const std::string& address) {
        if (address.find('.') == std::string::npos) return;
        dotted.push_back(address);
        if (address.ends_with("[0]")) dotted.push_back(address.substr(0, address.size() - 3));
    };
    for (const SystemDescription& system : systems())
        for (const DescribedParameter& parameter : system.parameters) add(parameter.address);
    if (mechanism != nullptr)
        for (const mechanism::Number& number : mechanism->numbers) add(number.address);
    return dotted;
}

bool is_of_mechanism(const std::string& assignment) {
    const std::size_t begin = assignment.starts_with('/') ? 1 : 0, length = std::string_view("mechanism").size();
    return assignment.compare(begin, length, "mechanism") == 0 && assignment.size() > begin + length &&
           std::string_view("=./").find(assignment[begin + length]) != std::string_view::npos;
}

// Refuses assignments into another file that the study names; but a study sets every number of its mechanism.
void require_inside_of_study(const JsonText& text, const std::string& assignment) {
    const JsonValue root = text.root();
    const auto mechanism = root.is_object() ? root.find("mechanism") : std::nullopt;
    const std::size_t first = assignment.starts_with('/') ? 1 : 0;
    const std::size_t address = first + std::string_view("mechanism").size();
    if (!mechanism || !mechanism->json().is_string() || assignment[address] == '=') return;
    std::string number = assignment.substr(address + 1);
    if (first == 1)
        std::replace(number.begin(),
                     number.begin() + static_cast<std::ptrdiff_t>(std::min(number.find('='), number.size())), '/', '.');
    throw UserError(ExitCode::usage_or_input, text.name() + ", -o " + assignment,
                    "the mechanism is a file of its own, " + mechanism->string(),
                    "a number of a mechanism is a parameter of the study: write -o parameters." + number);
}

// Results of 0.2.0 name the precision of linear systems even where it was the run's, which is today's.
void leave_out_without_effect(JsonText& text) {
    const JsonValue root = text.root();
    const auto integrator = root.is_object() ? root.find("integrator") : std::nullopt;
    const auto solved_in = integrator && integrator->is_object() ? integrator->find("solve_precision") : std::nullopt;
    const auto precision = solved_in ? root.find("precision") : std::nullopt;
    if (precision && precision->json() == solved_in->json())
        text.assign("integrator.solve_precision", Json(nullptr), text.name(), {});
}

Study overridden_study(JsonText text, const std::filesystem::path& folder, const Overrides& overrides,
                       Purpose purpose) {
    // The mechanism first: the paths of the other assignments lead over its addresses.
    const std::vector<std::string> of_catalog = dotted_keys(nullptr);
    for (const std::string& assignment : overrides.assignments) {
        if (!is_of_mechanism(assignment)) continue;
        require_inside_of_study(text, assignment);
        text.assign(assignment, of_catalog);
    }
    std::shared_ptr<const mechanism::Mechanism> mechanism;
    const JsonValue root = text.root();
    if (purpose == Purpose::repeat) leave_out_without_effect(text);
    if (const auto value = root.is_object() ? root.find("mechanism") : std::nullopt)
        mechanism = read_study_mechanism(*value, folder, purpose);
    const std::vector<std::string> dotted = dotted_keys(mechanism.get());
    for (const std::string& assignment : overrides.assignments)
        if (!is_of_mechanism(assignment)) text.assign(assignment, dotted);
    const auto put = [&](const char* path, const char* option, const json& value) {
        text.assign(path, value,
                    std::string(option) + " " + (value.is_string() ? value.get<std::string>() : value.dump()), dotted);
    };
    if (overrides.instances) put("instances", "--instances", *overrides.instances);
    if (overrides.seed) put("design.seed", "--seed", *overrides.seed);
    if (overrides.precision) put("precision", "--precision", *overrides.precision);
    return study_of(text, std::move(mechanism), folder, purpose);
}

}  // namespace

std::optional<std::string> Study::fingerprint_with(std::uint64_t other_instances) const {
    const bool grows = design == "monte_carlo" || design == "sobol" || (design == "table" && has_sampler());
    if (other_instances != instances && (!grows || (design == "table" && other_instances > instances))) return {};
    return fingerprint_of(json::parse(canonical_json), *this, other_instances);
}

const Sampler& Study::sampler() const {
    if (!sampler_) throw std::logic_error("the study was read without its table");
    return *sampler_;
}

int Study::constraint_rows() const {
    if (!mechanism) return 0;
    return mechanism->table.joint.constraint_rows;
}

backends::Task Study::task() const {
    backends::Task task;
    task.system = system->name;
    if (mechanism)
        task.system = is_of_papers(*this) ? backends::charted_mechanism_system : backends::joint_mechanism_system;
    task.chart = chart, task.integrator = integrator.name;
    task.precision = precision;
    task.schedule = schedule_of(*this);
    PlanTable& plan = task.plan;
    std::fill(std::begin(plan.varied), std::end(plan.varied), -1);
    if (mechanism) {
        task.mechanism = mechanism, task.varied_parameters = kernel_parameters;
        plan.mechanism = &mechanism->table;
        plan.keeps_factors = newton.modified ? 1 : 0;
        task.parameters = mechanism->kernel_parameters(parameters, given);
        for (const int parameter : kernel_parameters->parameters()) plan.varied[parameter] = plan.varied_count++;
        std::ranges::copy(mechanism::axes_codes(mechanism->table, task.parameters, plan.varied), plan.axes_codes);
    } else {
        task.parameters = parameters;
        for (const VariedParameter& parameter : varied) plan.varied[parameter.parameter] = plan.varied_count++;
    }
    for (const Quantity& quantity : quantities) {
        if (quantity.of_mode) continue;  // of the start alone: host/ensemble/instances/linear_analysis.hpp
        plan.reductions[plan.quantity_count] = quantity.reduction;
        const Watched seen = watched(*this, quantity);
        plan.quantity_channels[plan.quantity_count] = seen.channel;
        plan.between[plan.quantity_count] = seen.between, plan.quantity_rates[plan.quantity_count] = seen.rate;
        plan.windowed[plan.quantity_count++] = quantity.window ? 1 : 0;
        task.thresholds.push_back(quantity.threshold);
        // At steps a state whose time was computed as a multiple of the step counts at the ends of a window, too.
        const double round_off = seen.between == Between::steps ? 4.0 : 0.0;
        const double epsilon = precision == backends::Precision::fp32 ? std::numeric_limits<float>::epsilon()
                                                                      : std::numeric_limits<double>::epsilon();
        const TimeWindow window = quantity.window.value_or(TimeWindow{0.0, end_s});
        task.windows.push_back(window.from_s * (1.0 - round_off * epsilon));
        task.windows.push_back(window.to_s * (1.0 + round_off * epsilon));
    }
    for (const ChannelGroup& group : observation.groups)
        for (const int channel : group.channels) plan.observed_channels[plan.observed_count++] = channel;
    return task;
}

std::vector<double> Study::observation_times_s() const {
    std::vector<double> times;
    const double steps = static_cast<double>(observation.every_steps);
    for (std::uint64_t row = 0; row < observation.rows; ++row)
        times.push_back(integrator.adaptive ? static_cast<double>(row) * observation.every_s
                                            : static_cast<double>(row) * steps * fixed.step_s);
    return times;
}

Study read_study(const std::filesystem::path& file, const Overrides& overrides) {
    const std::filesystem::path found = study_file(file);
    return overridden_study(JsonText::read(found), found.parent_path(), overrides, Purpose::run);
}

Study parse_study(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const Overrides& overrides, Purpose purpose) {
    return overridden_study(JsonText(text, name), folder, overrides, purpose);
}

const char* name_of(OnFailure policy) { return on_failure_names[static_cast<std::size_t>(policy)]; }
const char* name_of(Reduction reduction) { return reductions[static_cast<std::size_t>(reduction)].name; }
const char* name_of(backends::Precision precision) { return precision_names[static_cast<std::size_t>(precision)]; }

}  // namespace myriad::study
