// The keys of a study that belong to contact, friction and impact.
#pragma once
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// Fill `contact` and, where the method iterates, `newton`. Method and precision stand already. Throw UserError at the
// place of what makes no sense.
void read_contact(const JsonValue& integrator, Study& study, Json& canonical);
void set_contact(const ContactSettings& contact, Schedule& schedule);

// Refuses coefficients that are the same in every instance and that no contact has. Warns where the study asks for a
// law by which an impact may gain energy: friction with different restitutions. `parameters` and `varied` stand
// already. Checks the start of a mechanism too: check_contacts_of_mechanism().
void check_contacts(const JsonValue& root, Study& study);
inline constexpr const char* gaining_laws =
    "friction with different normal and tangential restitutions: by Newton's impact law an impact may then gain "
    "energy; energy_balance_error and impact_loss show what it did";

// A coefficient that a study gives the law of one contact.
struct LawCoefficient {
    double value;
    bool varies;
};
struct StudiedLaw {
    LawCoefficient friction, normal_restitution, tangential_restitution;
    // `of_what`: " of the contact floor", or empty. Refuses at the study's parameters.
    void require_possible(const JsonValue& root, const std::string& of_what) const;
    bool may_gain_energy() const;
};

}  // namespace myriad::study
