// The coordinates in which a study's mechanism is computed: those that are asked for, or body coordinates where joint
// coordinates do not take what the study wants.
#pragma once
#include <optional>

#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// The mechanism with the start that the key "start" of the study asks for; without it, as it is.
std::shared_ptr<const mechanism::Mechanism> started_as_asked(const JsonValue& root,
                                                             std::shared_ptr<const mechanism::Mechanism> mechanism);
// The key "coordinates" of a study or, without it, of its mechanism. Refused for a system that is code.
void read_coordinates(const JsonValue& root, bool takes_steps, Study& study);
// Fills `coordinates`, which hold what is asked for, and `body_coordinates_because`; chart, integrator and mechanism
// stand already. `integrator`: its entry in the study.
void choose_coordinates(const JsonValue& integrator, bool takes_steps, Study& study);

// Names of those that step in time on a tree of joints.
std::vector<std::string> methods_for_joint_coordinates(bool with_contact);
// A mechanism on a chart of papers/, which has body coordinates and iteration matrices of its own.
bool is_of_papers(const Study& study);

const char* name_of(mechanism::Coordinates coordinates);

}  // namespace myriad::study
