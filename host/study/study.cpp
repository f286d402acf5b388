#include "host/study/study.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "host/results/checksum.hpp"
#include "host/study/json_text.hpp"
#include "host/study/study_contact.hpp"
#include "host/study/study_keys.hpp"
#include "host/study/study_mechanism.hpp"
#include "host/study/study_sampling.hpp"
#include "host/study/study_schedule.hpp"
#include "host/study/suggestion.hpp"
#include "host/user_error.hpp"

namespace myriad::study {

namespace {

using nlohmann::json;

template <std::size_t N>
std::size_t choice(const JsonValue& value, const char* const (&names)[N], const std::string& kind) {
    const std::string name = value.string();
    const std::vector<std::string> known = names_of(names);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
        value.refuse("the " + kind + " \"" + name + "\" is unknown", suggestion(name, known, "choices"));
    return static_cast<std::size_t>(found - known.begin());
}

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
    root.require_keys(names_of(study_keys));
    if (!study.system)
        root.member("system", "one of: " + list_of(names_of(systems())) + ", or \"mechanism\": the path of its file");
}

Quantity read_quantity(const std::string& name, const JsonValue& value, const SystemDescription& system) {
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
    });
    if (name.empty() || !is_plain)
        value.refuse("\"" + name + "\" cannot name a quantity", "use letters, digits, _ and -: largest_tilt_rad");
    value.require_keys(names_of(reductions));
    const auto members = value.members();
    if (members.size() != 1)
        value.refuse("a quantity has one reduction, found " + std::to_string(members.size()),
                     "write {\"max\": \"position.top.z\"}; the reductions are: " + list_of(names_of(reductions)));
    const std::string& key = members.front().first;
    const JsonValue& argument = members.front().second;
    Quantity quantity;
    quantity.name = name;
    const auto* reduction =
        std::find_if(std::begin(reductions), std::end(reductions), [&](const auto& one) { return key == one.name; });
    quantity.reduction = static_cast<Reduction>(reduction - std::begin(reductions));
    std::optional<JsonValue> channel = argument;
    if (reduction->has_threshold) {
        if (!argument.is_object())
            argument.refuse("\"" + key + "\" needs a channel and a threshold, found " + argument.found(),
                            "write {\"" + key + "\": {\"channel\": \"energy\", \"threshold\": 1.5}}");
        argument.require_keys(names_of(threshold_keys));
        quantity.threshold = argument.member("threshold", "a number").number();
        channel = argument.member("channel", "the address of a channel");
    } else if (argument.is_object() && argument.find("channel")) {
        argument.refuse("\"" + key + "\" takes the address alone, without a threshold",
                        "write {\"" + key + "\": \"energy\"}");
    }
    quantity.channel_address = channel->string();
    quantity.channel = system.scalar_channel(quantity.channel_address, channel->where());
    quantity.unit = reduction->is_time ? "s" : system.channel_of(quantity.channel).unit;
    return quantity;
}

void read_quantities(const JsonValue& root, Study& study, json& canonical) {
    const auto quantities = root.find("quantities");
    if (!quantities) return;
    for (const auto& [name, value] : quantities->members()) {
        study.quantities.push_back(read_quantity(name, value, *study.system));
        canonical[name] = value.json();
        const Quantity& quantity = study.quantities.back();
        if (value.members().front().second.is_object())
            canonical[name][name_of(quantity.reduction)]["threshold"] = quantity.threshold;
    }
    if (study.quantities.size() > most_quantities)
        quantities->refuse("these are " + std::to_string(study.quantities.size()) + " quantities, but at most " +
                               std::to_string(most_quantities) + " can be reduced in one run",
                           "leave some out, or run the study twice");
}

void read_statistics(const JsonValue& root, Study& study, json& canonical) {
    if (const auto statistics = root.find("statistics")) {
        statistics->require_keys(names_of(statistics_keys));
        if (const auto quantiles = statistics->find("quantiles")) {
            study.statistics.quantiles.clear();
            for (const JsonValue& quantile : quantiles->elements())
                study.statistics.quantiles.push_back(quantile.number());
        }
        if (const auto confidence = statistics->find("confidence")) study.statistics.confidence = confidence->number();
        if (const auto sensitivity = statistics->find("sensitivity"))
            study.statistics.sensitivity = sensitivity->boolean();
        require_valid(study.statistics, statistics->where());
    }
    canonical["quantiles"] = study.statistics.quantiles;
    canonical["confidence"] = study.statistics.confidence;
    canonical["sensitivity"] = study.statistics.sensitivity;
}

void read_policy(const JsonValue& root, Study& study, json& canonical) {
    if (const auto policy = root.find("on_failure"))
        study.on_failure = static_cast<OnFailure>(choice(*policy, on_failure_names, "policy"));
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

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Two checksums of 64 bits with different seeds, of the study with its first `instances` alone.
std::string fingerprint_of(json canonical, const Study& study, std::uint64_t instances) {
    canonical["instances"] = instances;
    if (study.mechanism) canonical["mechanism"] = without_words(std::move(canonical["mechanism"]));
    for (const char* without_influence : {"title", "description", "statistics", "allowed_failed_share"})
        canonical.erase(without_influence);
    if (study.design == "table") canonical["design"].erase("file");
    // Whether a run stops at a failure does not change an instance, a retry does.
    if (study.on_failure == OnFailure::stop) canonical["on_failure"] = name_of(OnFailure::proceed);
    const std::string text = "myriad study 1 " + canonical.dump();
    std::array<results::Checksum, 2> sums = {results::Checksum(1), results::Checksum(2)};
    for (results::Checksum& sum : sums) sum.add(bytes_of(text));
    if (study.design == "table" && study.has_sampler()) {
        std::vector<double> row(study.varied.size());
        for (std::uint64_t instance = 0; instance < instances; ++instance) {
            study.sampler().sample(instance, 1, row.data());
            for (results::Checksum& sum : sums) sum.add(std::as_bytes(std::span(row)));
        }
    }
    constexpr const char* digits = "0123456789abcdef";
    std::string hexadecimal;
    for (const results::Checksum& sum : sums)
        for (int shift = 60; shift >= 0; shift -= 4) hexadecimal += digits[sum.value() >> shift & 15u];
    return hexadecimal;
}

Study study_of(const JsonText& text, std::shared_ptr<const mechanism::Mechanism> mechanism,
               const std::filesystem::path& folder, TableFile table_file) {
    const JsonValue root = text.root();
    Study study;
    json canonical;
    study.file = text.name();
    read_system(root, std::move(mechanism), study, canonical);
    for (const auto& [key, target] : {std::pair{"title", &study.title}, {"description", &study.description}}) {
        if (const auto value = root.find(key)) *target = value->string();
        canonical[key] = *target;
    }
    const auto chart = root.find("chart");
    study.chart =
        find_chart_for(*study.system, chart ? chart->string() : defaults::chart, chart ? chart->where() : root.where())
            .name;
    canonical["chart"] = study.chart;
    if (const auto precision = root.find("precision"))
        study.precision = static_cast<backends::Precision>(choice(*precision, precision_names, "precision"));
    canonical["precision"] = name_of(study.precision);

    read_integrator(root.member("integrator", "{\"name\": ..., \"end_s\": ...}"), study, canonical["integrator"]);
    Sampling sampling = read_sampling(root, *study.system, folder, table_file);
    study.instances = sampling.instances;
    study.design = sampling.design;
    study.seed = sampling.seed, study.replicates = sampling.replicates;
    study.table_file = sampling.table_file;
    study.parameters = std::move(sampling.parameters);
    study.varied = std::move(sampling.varied);
    study.sampler_ = std::move(sampling.sampler);
    study.given = std::move(sampling.given);
    if (study.mechanism) find_varied_kernel_parameters(root, study);
    if (study.integrator.contact) check_contacts(root, study);
    canonical.update(sampling.canonical);
    if (study.replicates && study.instances < 2 * *study.replicates)
        study.warnings.push_back(root.where() + ": " + std::to_string(study.instances) + " instances in " +
                                 std::to_string(*study.replicates) +
                                 " replicates are fewer than two in each: there will be no confidence intervals");

    if (const auto observe = root.find("observe")) read_observation(*observe, study, canonical["observe"]);
    read_quantities(root, study, canonical["quantities"] = json::object());
    read_statistics(root, study, canonical["statistics"]);
    read_policy(root, study, canonical);
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

Study overridden_study(JsonText text, const std::filesystem::path& folder, const Overrides& overrides,
                       TableFile table_file) {
    // The mechanism first: the paths of the other assignments lead over its addresses.
    const std::vector<std::string> of_catalog = dotted_keys(nullptr);
    for (const std::string& assignment : overrides.assignments)
        if (is_of_mechanism(assignment)) text.assign(assignment, of_catalog);
    std::shared_ptr<const mechanism::Mechanism> mechanism;
    const JsonValue root = text.root();
    if (const auto value = root.is_object() ? root.find("mechanism") : std::nullopt)
        mechanism = read_study_mechanism(*value, folder);
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
    return study_of(text, std::move(mechanism), folder, table_file);
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

backends::Task Study::task() const {
    backends::Task task;
    task.system = mechanism ? backends::mechanism_system : system->name;
    task.chart = chart, task.integrator = integrator.name;
    task.precision = precision;
    task.schedule = schedule_of(*this);
    PlanTable& plan = task.plan;
    std::fill(std::begin(plan.varied), std::end(plan.varied), -1);
    if (mechanism) {
        task.mechanism = mechanism;
        plan.mechanism = &mechanism->table;
        plan.keeps_factors = newton.modified ? 1 : 0;
        task.parameters = mechanism->kernel_parameters(parameters, given);
        for (const int parameter : varied_kernel_parameters) plan.varied[parameter] = plan.varied_count++;
    } else {
        task.parameters = parameters;
        for (const VariedParameter& parameter : varied) plan.varied[parameter.parameter] = plan.varied_count++;
    }
    for (const Quantity& quantity : quantities) {
        plan.reductions[plan.quantity_count] = quantity.reduction;
        plan.quantity_channels[plan.quantity_count++] = quantity.channel;
        task.thresholds.push_back(quantity.threshold);
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
    return overridden_study(JsonText::read(file), file.parent_path(), overrides, TableFile::read);
}

Study parse_study(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const Overrides& overrides, TableFile table_file) {
    return overridden_study(JsonText(text, name), folder, overrides, table_file);
}

const char* name_of(OnFailure policy) { return on_failure_names[static_cast<std::size_t>(policy)]; }
const char* name_of(Reduction reduction) { return reductions[static_cast<std::size_t>(reduction)].name; }
const char* name_of(backends::Precision precision) { return precision_names[static_cast<std::size_t>(precision)]; }

}  // namespace myriad::study
