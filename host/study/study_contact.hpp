// The keys of a study that belong to contact, friction and impact.
#pragma once
#include "host/study/json_text.hpp"
#include "host/study/study.hpp"

namespace myriad::study {

// Fill `contact` and, where the method iterates, `newton`. Method and precision stand already. Throw UserError at the
// place of what makes no sense.
void read_contact(const JsonValue& integrator, Study& study, nlohmann::json& canonical);
void set_contact(const ContactSettings& contact, Schedule& schedule);

// Warns where the study asks for a contact law by which an impact may gain energy: friction with different
// restitutions. `parameters` and `varied` stand already. Of a mechanism its start too: check_contacts_of_mechanism().
void check_contacts(const JsonValue& root, Study& study);
inline constexpr const char* gaining_laws =
    "friction with different normal and tangential restitutions: by Newton's impact law an impact may then gain "
    "energy; "
    "energy_balance_error and impact_loss show what it did";

}  // namespace myriad::study
