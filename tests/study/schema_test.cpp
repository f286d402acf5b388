// The schema against what it describes, by a validator of the keywords that it uses (JSON Schema 2020-12).
#include "host/study/schema.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "host/study/json_text.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;

const json& schema() {
    static const json parsed_schema = json::parse(study_schema());
    return parsed_schema;
}

bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return value.is_number() && value.get<double>() == std::floor(value.get<double>());  // integer
}

bool fits(const json& rules, const json& value);

bool fits_rule(const std::string& rule, const json& content, const json& rules, const json& value) {
    const double number = value.is_number() ? value.get<double>() : 0.0;
    const auto all = [](const json& list, const auto& test) { return std::all_of(list.begin(), list.end(), test); };
    if (rule == "type") return has_type(value, content.get<std::string>());
    if (rule == "const") return value == content;
    if (rule == "enum") return std::find(content.begin(), content.end(), value) != content.end();
    if (rule == "minimum") return !value.is_number() || number >= content.get<double>();
    if (rule == "maximum") return !value.is_number() || number <= content.get<double>();
    if (rule == "exclusiveMinimum") return !value.is_number() || number > content.get<double>();
    if (rule == "exclusiveMaximum") return !value.is_number() || number < content.get<double>();
    if (rule == "minItems") return !value.is_array() || value.size() >= content.get<std::size_t>();
    if (rule == "maxItems") return !value.is_array() || value.size() <= content.get<std::size_t>();
    if (rule == "minProperties") return !value.is_object() || value.size() >= content.get<std::size_t>();
    if (rule == "maxProperties") return !value.is_object() || value.size() <= content.get<std::size_t>();
    if (rule == "required")
        return all(content, [&](const json& key) { return value.contains(key.get<std::string>()); });
    if (rule == "items")
        return !value.is_array() || all(value, [&](const json& element) { return fits(content, element); });
    if (rule == "allOf") return all(content, [&](const json& part) { return fits(part, value); });
    if (rule == "anyOf")
        return std::any_of(content.begin(), content.end(), [&](const json& part) { return fits(part, value); });
    if (rule == "$ref") return fits(schema().at(json::json_pointer(content.get<std::string>().substr(1))), value);
    if (rule == "if") return !fits(content, value) || fits(rules.at("then"), value);
    if (rule == "properties" || rule == "additionalProperties") {
        if (!value.is_object()) return true;
        const json own = rules.value("properties", json::object());
        for (const auto& [key, member] : value.items()) {
            if (rule == "properties" && own.contains(key) && !fits(own.at(key), member)) return false;
            if (rule == "additionalProperties" && !own.contains(key) && !fits(content, member)) return false;
        }
        return true;
    }
    static const std::set<std::string> annotations = {"$schema", "$defs", "title", "description", "default", "then"};
    if (!annotations.contains(rule)) ADD_FAILURE() << "the schema uses " << rule;
    return true;
}

bool fits(const json& rules, const json& value) {
    if (rules.is_boolean()) return rules.get<bool>();
    for (const auto& [rule, content] : rules.items())
        if (!fits_rule(rule, content, rules, value)) return false;
    return true;
}

TEST(Schema, TakesTheBundledStudiesAndTheirCanonicalTexts) {
    int studies = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/studies")) {
        EXPECT_TRUE(fits(schema(), JsonText::read(entry.path()).root().json())) << entry.path();
        EXPECT_TRUE(fits(schema(), json::parse(read_study(entry.path()).canonical_json))) << entry.path();
        ++studies;
    }
    EXPECT_GE(studies, 3);
}

TEST(Schema, TakesEveryKeyThatTheReaderTakes) {
    for (const char* keys :
         {R"({"design": {"kind": "table", "file": "a.csv", "columns": ["mass_kg"]}})", R"({"design": {"seed": 3}})",
          R"({"parameters": {"centre_of_mass_m": [0, {"values": [1, 2]}, 2]}})",
          R"({"parameters": {"mass_kg": {"truncated_normal": {"mean": 1, "standard_deviation": 1, "low": 0}}}})",
          R"({"parameters": {"mass_kg": {"constant": 1}}})",
          R"({"quantities": {"a": {"first_time_above": {"channel": "tilt", "threshold": 1}}}})",
          R"({"statistics": {"quantiles": [0.5], "confidence": 0.9}, "allowed_failed_share": 0.5})"})
        EXPECT_TRUE(fits(schema(), json::parse(changed(keys)))) << keys;
}

TEST(Schema, KnowsStudiesOfMechanisms) {
    const auto with = [](const std::string& keys, const std::string& integrator) {
        return json::parse(changed(R"({"system": null, "integrator": )" + integrator + ", " + keys + "}"));
    };
    const std::string implicit = R"({"name": "generalized_alpha", "step_s": 0.1, "end_s": 1, "spectral_radius": 0.5,
        "newton": "modified", "tangent_operator": true, "newton_tolerance": 1e-8, "most_newton_iterations": 9,
        "solve_precision": "fp32"})";
    EXPECT_TRUE(fits(schema(), with(R"("mechanism": "m.json", "parameters": {"bodies.rod.mass_kg": 3})", implicit)));
    EXPECT_TRUE(fits(schema(), with(R"("mechanism": {"bodies": {}}, "chart": "euler_zxz")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("mechanism": 3)", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("system": "heavy_top", "mechanism": "m.json")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("title": "neither")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("mechanism": "m.json")", R"({"name": "implicit_euler", "step_s": 0.1,
        "end_s": 1, "spectral_radius": 0.5})")));
    EXPECT_FALSE(fits(schema(), with(R"("system": "heavy_top")", R"({"name": "kinematics", "step_s": 0.1,
        "end_s": 1})")));
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
    for (const char* keys :
         {R"({"instance": 3})", R"({"system": "heavy_tap"})", R"({"instances": 0})", R"({"instances": 1.5})",
          R"({"integrator": {"name": "dopri5", "step_s": 0.1, "end_s": 1}})",
          R"({"integrator": {"name": "rk4", "step_s": -0.1, "end_s": 1}})",
          R"({"design": {"kind": "grid", "seed": 3}})", R"({"parameters": {"mass": 3}})",
          R"({"parameters": {"mass_kg": "heavy"}})", R"({"parameters": {"mass_kg": {"normal": {"mean": 1}}}})",
          R"({"parameters": {"centre_of_mass_m": [0, 1]}})", R"({"observe": {"every_steps": 1, "channels": ["tlit"]}})",
          R"({"quantities": {"a": {"max": "position"}}})", R"({"quantities": {"a": {"max": "tilt", "min": "tilt"}}})",
          R"({"statistics": {"quantiles": [2]}})"}) {
        EXPECT_FALSE(fits(schema(), json::parse(changed(keys)))) << keys;
        refused(keys);
    }
}

}  // namespace
}  // namespace myriad::study
