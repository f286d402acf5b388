#include "host/study/schema.hpp"

#include "host/catalog/system_description.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/study/study_keys.hpp"
#include "host/study/study_schedule.hpp"
#include "host/text/json_schema.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::study {

namespace {

using json = nlohmann::ordered_json;

json type_of(KeyType type) {
    switch (type) {
        case KeyType::text:
            return {{"type", "string"}};
        case KeyType::number:
            return {{"type", "number"}};
        case KeyType::positive_number:
            return {{"type", "number"}, {"exclusiveMinimum", 0}};
        case KeyType::share:
            return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
        case KeyType::whole_number:
            return {{"type", "integer"}, {"minimum", 0}};
        case KeyType::boolean:
            return {{"type", "boolean"}};
        case KeyType::structure:
            break;
    }
    return json::object();
}

json object_of(std::span<const Key> keys) { return schema_of_object(keys, type_of); }

void describe(json& property, const json& content) {
    for (const auto& [key, value] : content.items()) property[key] = value;
}

json numbers(const char* more) { return {{"type", "array"}, {"items", {{"type", "number"}}}, {more, 1}}; }

json integrator() {
    json any = json::array({object_of(fixed_step_keys), object_of(adaptive_step_keys)});
    for (const IntegratorDescription& method : all_integrators()) {
        if (!method.implicit && !method.contact && !method.may_cut_dexp_inverse()) {
            any[method.adaptive ? 1 : 0]["properties"]["name"]["enum"].push_back(method.name);
            continue;
        }
        json object = object_of(keys_of(method));
        json& properties = object["properties"];
        properties["name"]["const"] = method.name;
        for (const char* most : {"most_newton_iterations", "most_prox_iterations"})
            if (properties.contains(most))
                describe(properties[most], {{"minimum", 1}, {"maximum", largest_most_newton_iterations}});
        if (properties.contains("initial_penetration"))
            properties["initial_penetration"]["enum"] = names_of(initial_penetration_names);
        if (properties.contains("strikes")) properties["strikes"]["enum"] = names_of(strikes_names);
        if (properties.contains("iteration_matrix"))
            properties["iteration_matrix"]["enum"] = names_of(iteration_matrix_names);
        if (properties.contains("dexp_inverse")) properties["dexp_inverse"]["enum"] = names_of(dexp_inverse_names);
        if (properties.contains("newton")) properties["newton"]["enum"] = names_of(newton_names);
        if (properties.contains("start")) properties["start"]["enum"] = names_of(start_names);
        object["description"] = method.summary + "; order: " + order_text(method);
        any.push_back(object);
    }
    return {{"anyOf", any}};
}

json design() {
    json any;
    for (const Kind& kind : design_kinds) {
        json object = object_of(kind.keys);
        object["description"] = kind.meaning;
        object["properties"]["kind"]["const"] = kind.name;
        if (object["properties"].contains("columns"))
            describe(object["properties"]["columns"], {{"type", "array"}, {"items", {{"type", "string"}}}});
        any.push_back(object);
    }
    return {{"anyOf", any}};
}

// A number, or an object with one distribution and, in a grid, its number of levels.
json parameter() {
    json any = json::array({{{"type", "number"}}});
    const auto add = [&](const std::string& name, const json& content, const std::string& meaning) {
        json object = {{"type", "object"}, {"additionalProperties", false}, {"required", {name}}};
        object["description"] = meaning;
        object["properties"][name] = content;
        object["properties"][levels_key] = {{"type", "integer"}, {"minimum", 1}, {"description", "of a grid"}};
        any.push_back(object);
    };
    for (const Kind& kind : distribution_kinds) {
        json content = kind.keys.empty() ? json{{"type", "number"}} : object_of(kind.keys);
        for (const char* list : {"values", "weights"})
            if (content.contains("properties") && content["properties"].contains(list))
                describe(content["properties"][list], numbers("minItems"));
        add(kind.name, content, kind.meaning);
    }
    add(values_key, numbers("minItems"), "one of a list of values, all equally likely");
    return {{"anyOf", any}};
}

json quantity(const json& scalar) {
    json object = {{"type", "object"}, {"additionalProperties", false}};
    for (const ReductionDescription& reduction : reductions) {
        json& property = object["properties"][reduction.name];
        property = reduction.has_threshold ? object_of(threshold_keys) : scalar;
        if (reduction.has_threshold) describe(property["properties"]["channel"], scalar);
        property["description"] = reduction.meaning;
        json others = json::object();
        for (const ReductionDescription& other : reductions)
            if (&other != &reduction) others[other.name] = false;
        for (const LinearQuantityDescription& other : linear_quantities) others[other.name] = false;
        object["anyOf"].push_back({{"required", {reduction.name}}, {"properties", others}});
    }
    for (const LinearQuantityDescription& own : linear_quantities) {
        json others = {{"from_s", false}, {"to_s", false}, {"between", false}};
        for (const ReductionDescription& other : reductions) others[other.name] = false;
        for (const LinearQuantityDescription& other : linear_quantities)
            if (&other != &own) others[other.name] = false;
        object["properties"][own.name] = {{"type", "integer"}, {"minimum", 1}, {"description", own.meaning}};
        object["anyOf"].push_back({{"required", {own.name}}, {"properties", others}});
    }
    object["properties"].update(object_of(quantity_keys)["properties"]);
    object["properties"]["from_s"]["minimum"] = 0;
    object["properties"]["between"]["enum"] = names_of(between_names);
    json event = object_of(event_keys);
    describe(event, {{"minProperties", 1}, {"maxProperties", 1}});
    describe(object["properties"]["probability"], event);
    return object;
}

// The parts that depend on the system: the addresses of its parameters and channels.
json parts_of(const SystemDescription& system) {
    json parameters = {{"type", "object"}, {"additionalProperties", false}};
    for (const DescribedParameter& description : system.parameters) {
        const std::string address = description.address;
        if (address.ends_with("[0]")) {
            const std::string vector = address.substr(0, address.size() - 3);
            const std::size_t elements = system.vector_parameter(vector).size();
            parameters["properties"][vector] = {{"type", "array"},
                                                {"items", schema_reference("parameter")},
                                                {"minItems", elements},
                                                {"maxItems", elements},
                                                {"description", "all elements at once"}};
        }
        json& property = parameters["properties"][address] = schema_reference("parameter");
        property["description"] = description.meaning + " (" + description.unit + ")";
        property["default"] = description.value;
    }
    std::vector<std::string> scalars;
    for (const ScalarChannel& scalar : system.scalars) scalars.push_back(scalar.address);
    const std::vector<std::string> norms = system.norm_addresses();
    scalars.insert(scalars.end(), norms.begin(), norms.end());
    json parts;
    parts["parameters"] = parameters;
    parts["chart"]["enum"] = names_of(charts_of(system));
    parts["integrator"]["properties"]["name"]["enum"] = names_of(integrators_of(system));
    json& observed = parts["observe"]["properties"]["channels"]["items"]["enum"] = system.channel_addresses();
    for (const std::string& norm : norms) observed.push_back(norm);
    parts["quantities"]["additionalProperties"] = quantity({{"enum", scalars}});
    return parts;
}

}  // namespace

std::string study_schema() {
    json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "Myriad study"},
                   {"description",
                    "What to simulate, how often and what to keep. Comments and trailing commas are "
                    "allowed; SI units."}};
    describe(schema, object_of(study_keys));
    json& properties = schema["properties"];
    properties["system"]["enum"] = names_of(systems());
    describe(properties["mechanism"], {{"anyOf", {{{"type", "string"}}, {{"type", "object"}}}}});
    properties["chart"]["enum"] = names_of(all_charts());
    std::string charts = properties["chart"]["description"];
    for (const ChartDescription& chart : all_charts()) charts += "; " + chart.name + " = " + summary_of(chart);
    properties["chart"]["description"] = charts;
    properties["precision"]["enum"] = names_of(precision_names);
    properties["start"]["enum"] = names_of(mechanism::mechanism_start_names);
    properties["on_failure"]["enum"] = names_of(on_failure_names);
    describe(properties["instances"], {{"minimum", 1}, {"maximum", most_instances}});
    describe(properties["integrator"], integrator());
    describe(properties["design"], design());
    const json value = schema_reference("parameter");
    const json all_elements = {{"type", "array"}, {"items", value}, {"minItems", 1}};
    describe(properties["parameters"],
             {{"type", "object"}, {"additionalProperties", {{"anyOf", json::array({value, all_elements})}}}});
    json pair = object_of(correlation_keys);
    describe(pair["properties"]["between"],
             {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 2}, {"maxItems", 2}});
    describe(properties["correlations"], {{"type", "array"}, {"items", pair}});
    describe(properties["observe"], object_of(observe_keys));
    describe(properties["observe"]["properties"]["channels"], {{"type", "array"}, {"minItems", 1}});
    describe(properties["quantities"], {{"type", "object"},
                                        {"maxProperties", most_quantities},
                                        {"additionalProperties", schema_reference("quantity")}});
    describe(properties["results"], object_of(results_keys));
    json& results = properties["results"]["properties"];
    describe(results["keep"], {{"type", "array"}, {"items", {{"enum", names_of(kept_names)}}}});
    results["trajectory_precision"]["enum"] = names_of(precision_names);
    results["compression"]["maximum"] = strongest_compression;
    describe(properties["statistics"], object_of(statistics_keys));
    describe(properties["statistics"]["properties"]["quantiles"],
             {{"type", "array"},
              {"maxItems", most_quantiles},
              {"items", {{"type", "number"}, {"exclusiveMinimum", 0}, {"exclusiveMaximum", 1}}}});
    schema["anyOf"] = json::array();
    for (const auto& [one, other] : {std::pair{"system", "mechanism"}, {"mechanism", "system"}})
        schema["anyOf"].push_back({{"required", {one}}, {"properties", {{other, false}}}});
    schema["allOf"] = json::array();
    for (const SystemDescription& system : systems()) {
        json is_it = {{"properties", {{"system", {{"const", system.name}}}}}, {"required", {"system"}}};
        schema["allOf"].push_back({{"if", is_it}, {"then", {{"properties", parts_of(system)}}}});
    }
    schema["$defs"]["parameter"] = parameter();
    schema["$defs"]["quantity"] = quantity({{"type", "string"}});
    schema["$defs"]["quantity"]["description"] =
        "a number of each instance: one kind of those below, over the times from from_s to to_s";
    return schema.dump(2);
}

}  // namespace myriad::study
