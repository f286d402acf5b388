// The parts of a study file that belong to mechanisms: the mechanism itself, and what implicit methods are told.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// From the value of the key "mechanism": a path, which begins at `folder`, or the mechanism itself.
std::shared_ptr<const mechanism::Mechanism> read_study_mechanism(const JsonValue& value,
                                                                 const std::filesystem::path& folder, Purpose purpose);
// Its text as part of the canonical study; and of that what has an influence on the values of an instance.
Json canonical_mechanism(const mechanism::Mechanism& mechanism);
Json without_words(Json canonical);

// "joints.hinge, row 2" for each constraint row in the order of the elements, those removed as redundant included; rows
// of a joint are counted from 0.
std::vector<std::string> constraint_row_names(const mechanism::Mechanism& mechanism);

// Methods that keep the constraints of any mechanism.
std::vector<std::string> methods_for_all_joints();
// Refuses the name of an integrator that knows no contact where the study's mechanism has contacts.
void require_method_for_contacts(const JsonValue& name, const Study& study);
// Refuses an integrator that cannot run the study's mechanism, at the place of its name.
void require_fitting_method(const JsonValue& name, const Study& study);
// Fills `newton`. The integrator, the system and the precision stand already.
void read_newton(const JsonValue& integrator, Study& study, Json& canonical);
void read_spectral_radius(const JsonValue& integrator, Study& study, Json& canonical);
// Refuses a span during which a function of time leaves the points of its table.
void require_values_of_tables(const JsonValue& root, const Study& study);
// Refuses drivers whose value jumps during the span, and those whose rate jumps where the coordinates take no impulse
// of drivers. Warns of a jump of a value where the study varies something.
void check_drivers(const JsonValue& root, Study& study);
// Refuses a mechanism with contacts whose bodies overlap at the start, warns where only some instances may; for the
// laws of contact see check_contacts(). `parameters`, `given`, `varied` and `contact` stand already.
void check_contacts_of_mechanism(const JsonValue& root, Study& study);
// Warns of, or refuses, poses that contradict the joints at the middle of what the study varies, and warns of formulas
// of the mechanism that its numbers replace. `parameters`, `given`, `varied` and the sampler stand already.
void read_assembly(const JsonValue& root, Study& study, Json& canonical);
// Fills `kernel_parameters`; `parameters`, `given` and `varied` stand already.
void find_varied_kernel_parameters(const JsonValue& root, Study& study);

}  // namespace myriad::study
