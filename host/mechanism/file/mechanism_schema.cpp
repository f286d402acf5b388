#include "host/mechanism/file/mechanism_schema.hpp"

#include "host/mechanism/mechanism_keys.hpp"
#include "host/text/json_schema.hpp"

namespace myriad::mechanism {

namespace {

using json = nlohmann::ordered_json;

json reference(const std::string& definition) { return schema_reference(definition); }
json array_of(const json& items, int count) {
    return {{"type", "array"}, {"items", items}, {"minItems", count}, {"maxItems", count}};
}
json one_of_names(const std::vector<std::string>& names) { return {{"enum", names}}; }

json type_of(KeyType type) {
    const json text{{"type", "string"}};
    switch (type) {
        case KeyType::text:
        case KeyType::body:
        case KeyType::joint:
            return text;
        case KeyType::texts:
            return {{"type", "array"}, {"items", text}};
        case KeyType::number:
            return reference("number");
        case KeyType::function:
            return reference("function");
        case KeyType::formula:
            return reference("formula");
        case KeyType::vector:
            return reference("vector");
        case KeyType::vector_function:
            return array_of(reference("function"), 3);
        case KeyType::two_numbers:
            return array_of(reference("number"), 2);
        case KeyType::two_vectors:
            return array_of(reference("vector"), 2);
        case KeyType::two_bodies:
            return array_of(text, 2);
        case KeyType::orientation:
            return reference("orientation");
        case KeyType::inertia:
            return reference("inertia");
        case KeyType::flag:
            return {{"type", "boolean"}};
        case KeyType::load_frame:
            return one_of_names(names_of(load_frame_names));
        case KeyType::assembly:
            return one_of_names(names_of(assembly_names));
        case KeyType::coordinates:
            return one_of_names(names_of(coordinates_names));
        case KeyType::start:
            return one_of_names(names_of(mechanism_start_names));
        case KeyType::tangents:
            return {{"enum", {1, 2}}};
        case KeyType::pinned:
            return {{"type", "array"}, {"items", one_of_names(names_of(pinned_names))}};
        case KeyType::interpolation:
            return one_of_names(names_of(interpolation_names));
        case KeyType::outside:
            return one_of_names(names_of(outside_names));
        case KeyType::points: {
            json points{{"type", "array"}, {"items", array_of({{"type", "number"}}, 2)}};
            points["minItems"] = 2;
            return points;
        }
        case KeyType::two_plain_numbers:
            return array_of({{"type", "number"}}, 2);
        case KeyType::structure:
            break;
    }
    return json::object();
}

json object_of(std::span<const Key> keys) { return schema_of_object(keys, type_of); }

json object_by_type(std::span<const Kind> kinds) {
    json any;
    for (const Kind& kind : kinds) {
        json object = object_of(kind.keys);
        object["description"] = kind.meaning;
        object["properties"][type_key.name] = {{"const", kind.name}};
        any.push_back(object);
    }
    return {{"anyOf", any}};
}

json inertia() {
    json components{{"type", "object"}, {"additionalProperties", false}, {"required", {"xx", "yy", "zz"}}};
    for (const char* component : inertia_components) components["properties"][component] = reference("number");
    return {{"anyOf", {reference("vector"), components}}};
}

json orientation() {
    json any;
    const auto add = [&](std::vector<Key> keys) {
        for (Key& key : keys) key.required = true;
        any.push_back(object_of(keys));
    };
    for (const Key& key : {quaternion_key, rotation_vector_key, cardan_xyz_key, matrix_key}) add({key});
    any[0]["properties"][quaternion_key.name].update(array_of(reference("number"), 4));
    any[3]["properties"][matrix_key.name].update(array_of(reference("vector"), 3));
    add({x_axis_key, y_axis_key}), add({y_axis_key, z_axis_key}), add({x_axis_key, z_axis_key});
    return {{"anyOf", any}};
}

}  // namespace

std::string mechanism_schema() {
    json schema{
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"title", "Myriad mechanism"},
        {"description",
         "Rigid bodies, joints, drivers, couplings, force elements, contacts and sensors. Comments and trailing commas "
         "are allowed; SI units."}};
    schema.update(object_of(mechanism_keys));
    json& properties = schema["properties"];
    const auto section = [&](const Key& key, const json& entry) {
        properties[key.name].update(json{{"type", "object"}, {"additionalProperties", entry}});
    };
    section(parameters_key, reference("number"));
    section(tables_section_key, object_of(table_keys));
    section(bodies_section_key, object_of(body_keys));
    properties[bodies_section_key.name]["minProperties"] = 1;
    section(joints_section_key, object_by_type(joint_kinds));
    section(drivers_section_key, object_by_type(driver_kinds));
    section(couplings_section_key, object_of(coupling_keys));
    section(forces_section_key, object_by_type(force_kinds));
    section(contacts_section_key, object_by_type(contact_kinds));
    section(sensors_section_key, object_by_type(sensor_kinds));
    json& definitions = schema["$defs"];
    const auto number_or_expression = [](const std::string& text) {
        return json{{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}, {"description", text}};
    };
    definitions["number"] = number_or_expression("a number, or an expression of the named parameters");
    definitions["function"] =
        number_or_expression("a number, or an expression of the named parameters and of the time t in s");
    definitions["formula"] = number_or_expression(
        "a number, or an expression of the named parameters, of the time t in s, and of coordinates and rates of "
        "joints: "
        "angle and rate, displacement and displacement_rate of the joint itself, crank.angle of another");
    definitions["vector"] = array_of(reference("number"), 3);
    definitions["inertia"] = inertia();
    definitions["orientation"] = orientation();
    return schema.dump(2);
}

}  // namespace myriad::mechanism
