#include "host/study/study_coordinates.hpp"

#include <algorithm>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::study {

namespace {

// A part of a sentence, or nothing where joint coordinates take it.
std::string body_coordinates_reason(const Study& study) {
    if (!takes_joint_coordinates(study.integrator)) return study.integrator.name + " is computed in body coordinates";
    if (is_of_papers(study)) return "the chart " + study.chart + " is one of bodies";
    return "";
}

// Methods with contact take dry friction of joints as a law with a set of forces at rest, others as a smooth one.
void choose_friction(const JsonValue& integrator, Study& study) {
    const int frictions = study.mechanism->table.joint.frictions;
    const std::string &missing = study.mechanism->friction_without_rate,
                      &by_reaction = study.mechanism->friction_by_reaction;
    if (!study.integrator.contact) {
        if (!by_reaction.empty())
            integrator.member("name", "")
                .refuse("\"" + study.integrator.name + "\" takes no friction that grows with a reaction, and " +
                            by_reaction + " is one",
                        "give a force or torque, coulomb, in its place; or take a method with contact: " +
                            list_of(methods_for_joint_coordinates(true)));
        if (!missing.empty())
            integrator.member("name", "")
                .refuse("\"" + study.integrator.name + "\" turns dry friction round over a rate, and " + missing +
                            " is not given",
                        "give about a thousandth of the rates that matter, for a smaller one sticks better; or take a "
                        "method with contact, by which joints stick for real");
        return;
    }
    if (frictions == 0) return;
    if (frictions > most_set_frictions)
        integrator.member("name", "")
            .refuse("the mechanism has joint_friction on " + std::to_string(frictions) +
                        " coordinates, and methods with contact take at most " + std::to_string(most_set_frictions),
                    "leave some out, or use a method without contact");
    study.mechanism = mechanism::with_sticking_joints(*study.mechanism);
    if (!study.mechanism)
        integrator.member("name", "")
            .refuse("the mechanism has too many channels for those of friction, such as friction_loss",
                    "leave out some sensors, or use a method without contact");
    study.system = std::make_shared<const SystemDescription>(description_of(*study.mechanism));
}

void refuse_body_coordinates(const JsonValue& at, const Study& study, const std::string& remedy) {
    const std::string& because = study.mechanism->joint_coordinates_because;
    if (!because.empty()) at.refuse("body coordinates do not take this mechanism: " + because, remedy);
}

// Takes the tree without joints.
void cut_joints(const JsonValue& integrator, bool takes_steps, Study& study) {
    std::shared_ptr<const mechanism::Mechanism> cut = mechanism::with_joints_cut(study.mechanism);
    const bool is_taken = is_of_papers(study) && cut->table.joint.tree.links > 0;
    if (!cut->body_coordinates_because.empty() && !is_taken) {
        if (!takes_steps) return;
        const std::string& because = study.mechanism->body_coordinates_because;
        const bool takes_joints = because.empty() && body_coordinates_reason(study).empty();
        integrator.member("name", "")
            .refuse("\"" + study.integrator.name + "\" does not take this mechanism: " +
                        (because.empty() ? "in body coordinates " + cut->body_coordinates_because : because),
                    takes_joints      ? "take joint coordinates, \"coordinates\": \"joint\""
                    : because.empty() ? "take joint coordinates, with the chart \"rotation\" and one of: " +
                                            list_of(methods_for_joint_coordinates(study.mechanism->table.contacts > 0))
                                      : "give what hangs there a mass and an inertia, or hold it by a joint");
    }
    study.mechanism = std::move(cut);
    study.system = std::make_shared<const SystemDescription>(description_of(*study.mechanism));
}

}  // namespace

std::shared_ptr<const mechanism::Mechanism> started_as_asked(const JsonValue& root,
                                                             std::shared_ptr<const mechanism::Mechanism> mechanism) {
    if (!mechanism || !root.is_object()) return mechanism;
    const auto start = root.find("start"), coordinates = root.find("coordinates");
    if (!start) return mechanism;
    const auto asked = coordinates ? mechanism::coordinates_of(*coordinates) : mechanism->coordinates;
    return mechanism::with_start(std::move(mechanism), *start, asked);
}

void read_coordinates(const JsonValue& root, bool takes_steps, Study& study) {
    const auto given = root.find("coordinates");
    if (!study.mechanism) {
        if (const auto start = root.find("start"))
            start->refuse("the system " + study.system->name + " starts in the state that its parameters give",
                          "leave out \"start\": it is a choice for mechanisms");
        if (given)
            given->refuse("the system " + study.system->name + " has coordinates of its own",
                          "leave out \"coordinates\": they are a choice for mechanisms");
        return;
    }
    study.coordinates = given ? mechanism::coordinates_of(*given) : study.mechanism->coordinates;
    if (given && takes_steps && study.coordinates == mechanism::Coordinates::body)
        refuse_body_coordinates(*given, study, "leave out \"coordinates\"");
}

void choose_coordinates(const JsonValue& integrator, bool takes_steps, Study& study) {
    if (!study.mechanism) return;
    if (study.coordinates == mechanism::Coordinates::body) return cut_joints(integrator, takes_steps, study);
    std::string& because = study.body_coordinates_because;
    because = study.mechanism->body_coordinates_because;
    if (because.empty()) because = body_coordinates_reason(study);
    if (because.empty()) return choose_friction(integrator, study);
    if (takes_steps)
        refuse_body_coordinates(integrator, study,
                                because + ": take the chart \"rotation\" and one of: " +
                                    list_of(methods_for_joint_coordinates(study.mechanism->table.contacts > 0)));
    study.coordinates = mechanism::Coordinates::body;
    cut_joints(integrator, takes_steps, study);
}

std::vector<std::string> methods_for_joint_coordinates(bool with_contact) {
    std::vector<std::string> names;
    for (const IntegratorDescription& one : all_integrators())
        if (takes_joint_coordinates(one) && !one.kinematic && one.contact == with_contact) names.push_back(one.name);
    return names;
}

bool is_of_papers(const Study& study) { return study.mechanism && study.chart != defaults::chart; }

const char* name_of(mechanism::Coordinates coordinates) {
    return mechanism::coordinates_names[static_cast<std::size_t>(coordinates)];
}

}  // namespace myriad::study
