#include "host/study/study_coordinates.hpp"

#include <algorithm>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::study {

namespace {

// A part of a sentence, or nothing where joint coordinates take it.
std::string body_coordinates_reason(const JsonValue& integrator, const Study& study) {
    if (!study.mechanism->body_coordinates_because.empty()) return study.mechanism->body_coordinates_because;
    const IntegratorDescription& method = study.integrator;
    if (!takes_joint_coordinates(method)) return method.name + " is computed in body coordinates";
    if (!takes_joint_coordinates(method, study.chart)) return "the chart " + study.chart + " is one of bodies";
    const auto is_given = [&](const char* key, const char* text) {
        const auto value = integrator.find(key);
        return value && value->json().is_string() && value->json() == text;
    };
    if (is_given("newton", newton_names[1])) return "\"newton\": \"modified\" is a choice of body coordinates";
    if (study.precision == backends::Precision::fp64 && is_given("solve_precision", "fp32"))
        return "\"solve_precision\": \"fp32\" is a choice of body coordinates";
    const auto tangent = integrator.find("tangent_operator");
    if (tangent && tangent->json() == true) return "\"tangent_operator\": true is a choice of body coordinates";
    return "";
}

std::vector<std::string> methods_for_joint_coordinates() {
    std::vector<std::string> names;
    for (const IntegratorDescription& one : all_integrators())
        if (takes_joint_coordinates(one) && !one.kinematic) names.push_back(one.name);
    return names;
}

}  // namespace

void read_coordinates(const JsonValue& root, Study& study) {
    const auto given = root.find("coordinates");
    if (!study.mechanism) {
        if (given)
            given->refuse("the system " + study.system->name + " has coordinates of its own",
                          "leave out \"coordinates\": they are a choice for mechanisms");
        return;
    }
    study.coordinates = given ? mechanism::coordinates_of(*given) : study.mechanism->coordinates;
}

void choose_coordinates(const JsonValue& integrator, Study& study) {
    if (!study.mechanism) return;
    if (study.coordinates == mechanism::Coordinates::joint) {
        study.body_coordinates_because = body_coordinates_reason(integrator, study);
        if (!study.body_coordinates_because.empty()) study.coordinates = mechanism::Coordinates::body;
    }
    const bool is_coupled = !study.mechanism->couplings.empty();
    if (study.coordinates == mechanism::Coordinates::body && (is_coupled || study.mechanism->starts_at_equilibrium))
        integrator.refuse(
            "the mechanism " + study.mechanism->name +
                (is_coupled ? " has couplings of joint coordinates" : " starts at an equilibrium") +
                ", and this study runs in body coordinates" +
                (study.body_coordinates_because.empty() ? "" : ": " + study.body_coordinates_because),
            "take joint coordinates, the chart \"rotation\" and one of: " + list_of(methods_for_joint_coordinates()));
}

const char* name_of(mechanism::Coordinates coordinates) {
    return mechanism::coordinates_names[static_cast<std::size_t>(coordinates)];
}

}  // namespace myriad::study
