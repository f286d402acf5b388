#include "host/study/study_sampling.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sobol.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

using json = Json;

// The file's entries for each parameter of the system, by its position.
using Given = std::map<std::size_t, JsonValue>;

std::vector<std::string> vector_addresses(const SystemDescription& system) {
    std::vector<std::string> vectors;
    for (const std::string& address : system.parameter_addresses())
        if (address.ends_with("[0]")) vectors.push_back(address.substr(0, address.size() - 3));
    return vectors;
}

// Of a start value that the mechanism's file leaves out: only a given one is a number.
std::optional<std::string> remedy_for_absent(const std::string& address, const SystemDescription& system) {
    const auto absent = system.absent_start_values.find(address.substr(0, address.find('[')));
    if (absent == system.absent_start_values.end()) return std::nullopt;
    return "write " + absent->second + " at " + absent->first.substr(0, absent->first.rfind('.')) +
           " in the mechanism: then a study can set and vary it";
}

Given given_parameters(const JsonValue& study, const SystemDescription& system) {
    Given given;
    const auto parameters = study.find("parameters");
    if (!parameters) return given;
    // Not by find_parameter(): a mechanism may have thousands.
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t k = 0; k < system.parameters.size(); ++k) places.emplace(system.parameters[k].address, k);
    const auto give = [&](std::size_t parameter, const JsonValue& value) {
        if (!given.emplace(parameter, value).second)
            value.refuse(system.parameters[parameter].address + " is given twice",
                         "give it as an element of its array or by its own address, not both");
    };
    for (const auto& [address, value] : parameters->members()) {
        if (const auto scalar = places.find(address); scalar != places.end()) {
            give(scalar->second, value);
        } else if (places.contains(address + "[0]")) {
            const std::vector<std::size_t> vector = system.vector_parameter(address);
            const std::string needed = std::to_string(vector.size());
            if (!value.is_array() || value.json().size() != vector.size())
                value.refuse(address + " has " + needed + " elements, found " + value.found(),
                             "give an array of " + needed + ", or one element as \"" + address + "[0]\"");
            const std::vector<JsonValue> elements = value.elements();
            for (std::size_t k = 0; k < vector.size(); ++k) give(vector[k], elements[k]);
        } else {
            std::vector<std::string> known = vector_addresses(system);
            const std::vector<std::string> scalars = system.parameter_addresses();
            known.insert(known.end(), scalars.begin(), scalars.end());
            value.refuse(kind_and_name(system) + " has no parameter \"" + address + "\"",
                         remedy_for_absent(address, system)
                             .value_or(suggestion(address, known, "parameters", listing_of(system))));
        }
    }
    return given;
}

// The design's own keys; a key of another kind of design gets a message that says so.
const Kind& read_design_kind(const std::optional<JsonValue>& design, std::string& name) {
    name = defaults::design;
    if (!design) return design_kinds[0];
    design->members();
    const auto kind = design->find("kind");
    const Kind& found = design_kinds[kind ? kind->one_of(names_of(design_kinds), "design", "designs") : 0];
    name = found.name;
    const std::vector<std::string> own = names_of(found.keys);
    for (const auto& [key, value] : design->members()) {
        std::string others;
        for (const Kind& other : design_kinds)
            for (const Key& of_other : other.keys)
                if (key == of_other.name) others += (others.empty() ? "" : ", ") + std::string(other.name);
        if (!others.empty() && std::find(own.begin(), own.end(), key) == own.end())
            value.refuse("\"" + key + "\" does not fit the design \"" + name + "\"",
                         "leave it out; it belongs to: " + others);
    }
    design->require_keys(own);
    return found;
}

bool has_key(const Kind& kind, const std::string& key) {
    return std::any_of(kind.keys.begin(), kind.keys.end(), [&](const Key& own) { return key == own.name; });
}

std::vector<CorrelatedPair> read_correlations(const JsonValue& study, const std::vector<std::string>& addresses) {
    std::vector<CorrelatedPair> pairs;
    const auto correlations = study.find("correlations");
    if (!correlations) return pairs;
    if (correlations->json().size() > addresses.size() * addresses.size())
        correlations->refuse("these are " + std::to_string(correlations->json().size()) + " correlations of " +
                                 std::to_string(addresses.size()) + " varied parameters",
                             "give each pair once");
    for (const JsonValue& entry : correlations->elements()) {
        entry.require_keys(names_of(correlation_keys));
        const std::vector<JsonValue> between = entry.member("between", "[address, address]").elements();
        if (between.size() != 2)
            entry.refuse("\"between\" names " + std::to_string(between.size()) + " parameters", "name exactly two");
        for (const JsonValue& address : between)
            if (std::find(addresses.begin(), addresses.end(), address.string()) == addresses.end())
                address.refuse("no distribution of this study belongs to \"" + address.string() + "\"",
                               addresses.empty() ? "give two parameters a distribution first"
                                                 : suggestion(address.string(), addresses, "varied parameters"));
        pairs.push_back({between[0].string(), between[1].string(),
                         entry.member("correlation", "a number between -1 and 1").number()});
    }
    return pairs;
}

class Reading {
  public:
    Reading(const JsonValue& study, const SystemDescription& system, const std::filesystem::path& folder,
            Purpose purpose)
        : study_(study),
          system_(system),
          design_(study.find("design")),
          kind_(read_design_kind(design_, sampling_.design)),
          given_(given_parameters(study, system)) {
        // A mechanism's text holds its own values, and expressions that a number here would replace.
        sampling_.canonical["parameters"] = json::object();
        for (const DescribedParameter& parameter : system.parameters) {
            sampling_.parameters.push_back(parameter.value);
            if (!system.is_mechanism) sampling_.canonical["parameters"][parameter.address] = parameter.value;
        }
        sampling_.given.assign(system.parameters.size(), 0);
        for (const auto& [parameter, value] : given_) sampling_.given[parameter] = 1;
        json& canonical_design = sampling_.canonical["design"];
        canonical_design["kind"] = sampling_.design;
        if (has_key(kind_, "seed")) canonical_design["seed"] = *(sampling_.seed = whole("seed", defaults::seed));
        if (has_key(kind_, "replicates"))
            canonical_design["replicates"] =
                *(sampling_.replicates = whole("replicates", ScrambledSobol::default_replicates));
        if (sampling_.design == "table")
            read_table(folder, purpose);
        else
            read_distributions();
        sampling_.canonical["instances"] = sampling_.instances;
    }

    Sampling take() { return std::move(sampling_); }

  private:
    std::string design_where() const { return design_ ? design_->where() : study_.where(); }

    std::uint64_t whole(const std::string& key, std::uint64_t otherwise) const {
        const auto value = design_ ? design_->find(key) : std::nullopt;
        return value ? value->whole_number() : otherwise;
    }

    // The file's number, or what the design says itself where the file is silent.
    void read_instances(std::optional<std::uint64_t> of_design) {
        const auto instances = study_.find("instances");
        if (!instances && !of_design) study_.member("instances", "how many, for example 1000");
        sampling_.instances = instances ? instances->whole_number() : *of_design;
        if (sampling_.instances == 0) instances->refuse("the study has no instances", "give at least 1");
        if (sampling_.instances > most_instances)
            (instances ? *instances : *design_)
                .refuse("these are " + std::to_string(sampling_.instances) + " instances",
                        "one study has at most " + std::to_string(most_instances) + ": split it into several");
    }

    void require_instances() const {
        const auto instances = study_.find("instances");
        sampling_.sampler->require_instances(sampling_.instances, instances ? instances->where() : design_where());
    }

    void set_constant(std::size_t parameter, double value) {
        sampling_.parameters[parameter] = value;
        sampling_.canonical["parameters"][system_.parameters[parameter].address] = value;
    }

    void read_distributions() {
        const bool is_grid = sampling_.design == "grid";
        std::vector<Parameter> sampled;
        std::vector<std::uint64_t> levels;
        for (const auto& [parameter, value] : given_) {
            if (value.is_number()) {
                set_constant(parameter, value.number());
                continue;
            }
            const DescribedParameter& description = system_.parameters[parameter];
            Spread spread = read_spread(value, is_grid);
            sampling_.canonical["parameters"][description.address] = spread.canonical;
            sampling_.varied.push_back(
                {static_cast<int>(parameter), description.address, description.unit, spread.distribution.text()});
            sampled.push_back({description.address, std::move(spread.distribution)});
            levels.push_back(spread.levels);
        }
        if (sampled.size() > most_varied_parameters)
            study_.member("parameters", "")
                .refuse("these are " + std::to_string(sampled.size()) + " distributions",
                        "at most " + std::to_string(most_varied_parameters) +
                            " parameters can vary: let others follow from them by expressions");
        std::vector<std::string> addresses;
        for (const Parameter& parameter : sampled) addresses.push_back(parameter.address);
        const std::vector<CorrelatedPair> pairs = read_correlations(study_, addresses);
        for (const CorrelatedPair& pair : pairs)
            sampling_.canonical["correlations"].push_back(
                {{"between", {pair.first, pair.second}}, {"correlation", pair.correlation}});
        const auto correlations = study_.find("correlations");
        const std::string where = correlations ? correlations->where() : design_where();
        Copula copula;
        if (!pairs.empty()) copula = Copula(addresses, pairs, where);
        const std::shared_ptr<const Design> design = make_design(sampled, levels);
        sampling_.sampler = std::make_shared<const Sampler>(std::move(sampled), design, std::move(copula), where);
        require_instances();
    }

    std::shared_ptr<const Design> make_design(const std::vector<Parameter>& sampled,
                                              const std::vector<std::uint64_t>& levels) {
        const std::string where = design_where();
        if (sampling_.design == "grid") {
            auto grid = std::make_shared<const Grid>(grid_levels(sampled, levels, where), where);
            read_instances(grid->fixed_size());
            return grid;
        }
        read_instances(std::nullopt);
        if (sampling_.design == "latin_hypercube")
            return std::make_shared<const LatinHypercube>(sampled.size(), sampling_.instances, *sampling_.seed, where);
        if (sampling_.design == "sobol")
            return std::make_shared<const ScrambledSobol>(sampled.size(), *sampling_.seed, *sampling_.replicates,
                                                          where);
        return std::make_shared<const MonteCarlo>(sampled.size(), *sampling_.seed);
    }

    void read_table(const std::filesystem::path& folder, Purpose purpose) {
        const JsonValue file = design_->member("file", "the path of a CSV file");
        sampling_.canonical["design"]["file"] = file.string();
        const auto declared = design_->find("independent");
        const bool independent = sampling_.rows_are_independent = declared && declared->boolean();
        sampling_.canonical["design"]["independent"] = independent;
        sampling_.table_file = folder / file.string();
        if (const auto correlations = study_.find("correlations"))
            correlations->refuse("a table draws nothing at random, so nothing can be correlated",
                                 "leave the correlations out");
        std::vector<std::string> columns;
        if (const auto listed = design_->find("columns")) {
            for (const JsonValue& column : listed->elements()) {
                if (!system_.find_parameter(column.string())) refuse_column(column.where(), column.string());
                columns.push_back(column.string());
            }
            if (columns.empty()) listed->refuse("no column is listed", "leave \"columns\" out to take all of them");
        }
        std::optional<CsvTable> table;
        if (purpose == Purpose::run) {
            table = CsvTable::read(sampling_.table_file,
                                   "give the path of a CSV file, from the study file's folder unless it begins with /");
            if (columns.empty()) columns = table->columns();
            for (const std::string& column : columns)
                if (!system_.find_parameter(column)) refuse_column(sampling_.table_file.string(), column);
        } else if (columns.empty()) {
            design_->member("columns", "the table's columns, because the table itself is not read here");
        }
        std::sort(columns.begin(), columns.end(), [&](const std::string& a, const std::string& b) {
            return *system_.find_parameter(a) < *system_.find_parameter(b);
        });
        if (const auto twice = std::adjacent_find(columns.begin(), columns.end()); twice != columns.end())
            design_->refuse("the column " + *twice + " is listed twice", "list it once");
        sampling_.canonical["design"]["columns"] = columns;
        for (const std::string& column : columns) {
            const std::size_t parameter = *system_.find_parameter(column);
            sampling_.canonical["parameters"].erase(column);
            sampling_.given[parameter] = 1;
            sampling_.varied.push_back({static_cast<int>(parameter), column, system_.parameters[parameter].unit,
                                        "column of " + sampling_.table_file.filename().string()});
        }
        for (const auto& [parameter, value] : given_) {
            const std::string address = system_.parameters[parameter].address;
            if (std::find(columns.begin(), columns.end(), address) != columns.end())
                value.refuse(address + " is also a column of the table", "leave it out here, or out of the columns");
            if (!value.is_number())
                value.refuse("with a table, a parameter is a number or a column",
                             "write a number, or add the column " + address + " to the table");
            set_constant(parameter, value.number());
        }
        if (table) {
            read_instances(table->rows());
            sampling_.sampler = std::make_shared<const Sampler>(table->select(columns), std::vector<Parameter>{},
                                                                design_where(), independent);
            require_instances();
        } else {
            read_instances(std::nullopt);
        }
    }

    [[noreturn]] void refuse_column(const std::string& where, const std::string& column) const {
        throw UserError(
            ExitCode::usage_or_input, where,
            "the column \"" + column + "\" is no parameter of " + kind_and_name(system_),
            remedy_for_absent(column, system_)
                    .value_or(suggestion(column, system_.parameter_addresses(), "parameters", listing_of(system_))) +
                "\n  or name the columns to take: \"columns\": [...] in the design");
    }

    const JsonValue& study_;
    const SystemDescription& system_;
    Sampling sampling_;
    std::optional<JsonValue> design_;
    const Kind& kind_;
    Given given_;
};

}  // namespace

Sampling read_sampling(const JsonValue& study, const SystemDescription& system, const std::filesystem::path& folder,
                       Purpose purpose) {
    return Reading(study, system, folder, purpose).take();
}

}  // namespace myriad::study
