#include "host/study/study_contact.hpp"

#include <algorithm>
#include <utility>

#include "host/study/study_keys.hpp"
#include "host/study/study_mechanism.hpp"
#include "host/text/number_text.hpp"

namespace myriad::study {

namespace {

using backends::Precision;
using json = Json;

// Where the stages of ED-alpha have complex eigenvalues at every spectral radius: trace^2 < 4 determinant for alpha
// from 0 to 1 (kernels/integrators/contact/stage_pair.hpp).
constexpr double least_ed_alpha_ratio_of_mechanisms = 0.125, largest_ed_alpha_ratio_of_mechanisms = 2.5;

double tolerance(const JsonValue& integrator, const char* key, double of_fp64, double of_fp32, Study& study,
                 json& canonical) {
    const bool is_fp32 = study.precision == Precision::fp32;
    const auto given = integrator.find(key);
    const double value = given ? given->positive_number() : is_fp32 ? of_fp32 : of_fp64;
    if (given && is_fp32 && value < smallest_fp32_tolerance && std::string(key) != "gap_tolerance_m")
        study.warnings.push_back(given->where() + ": fp32 resolves 6e-8 of a number, so a tolerance of " +
                                 number_text(value) + " is rarely met");
    canonical[key] = value;
    return value;
}

std::uint64_t iterations(const JsonValue& integrator, const char* key, std::uint64_t otherwise, json& canonical) {
    const auto given = integrator.find(key);
    const std::uint64_t most = given ? given->whole_number() : otherwise;
    if (most == 0 || most > largest_most_newton_iterations)
        given->refuse(std::string(key) + " is " + std::to_string(most),
                      "give a number from 1 to " + std::to_string(largest_most_newton_iterations));
    canonical[key] = most;
    return most;
}

// Unconditionally stable and of order 2 for alpha_m <= alpha_f <= 1/2 (Chung and Hulbert 1993); of HHT alpha_m is 0.
void read_alphas(const JsonValue& integrator, Study& study, json& canonical) {
    const auto alpha_m = integrator.find("alpha_m"), alpha_f = integrator.find("alpha_f");
    if (!alpha_m && !alpha_f) return read_spectral_radius(integrator, study, canonical);
    if (const auto radius = integrator.find("spectral_radius"))
        radius->refuse("the spectral radius is given beside alpha_m or alpha_f, which it would set",
                       "keep one of the two");
    if (!alpha_m || !alpha_f)
        (alpha_m ? *alpha_m : *alpha_f)
            .refuse(std::string(alpha_m ? "alpha_m stands without alpha_f" : "alpha_f stands without alpha_m"),
                    "give both; the HHT method has alpha_m 0 and alpha_f from 0 to 1/3");
    const double m = alpha_m->number(), f = alpha_f->number();
    if (!(m >= -1.0 && m <= f && f <= 0.5))
        alpha_m->refuse("alpha_m " + number_text(m) + " and alpha_f " + number_text(f) +
                            " make no stable method: that needs -1 <= alpha_m <= alpha_f <= 1/2",
                        "give for example 0 and 0.05, or a spectral_radius instead");
    study.contact.alpha_m = canonical["alpha_m"] = m;
    study.contact.alpha_f = canonical["alpha_f"] = f;
}

}  // namespace

void read_contact(const JsonValue& integrator, Study& study, json& canonical) {
    ContactSettings& contact = study.contact;
    const IntegratorDescription& method = study.integrator;
    contact.prox_tolerance = tolerance(integrator, "prox_tolerance", defaults::prox_tolerance_fp64,
                                       defaults::prox_tolerance_fp32, study, canonical);
    contact.gap_tolerance_m = tolerance(integrator, "gap_tolerance_m", defaults::gap_tolerance_m_fp64,
                                        defaults::gap_tolerance_m_fp32, study, canonical);
    contact.most_prox_iterations =
        iterations(integrator, "most_prox_iterations", defaults::most_prox_iterations, canonical);
    const auto threshold = integrator.find("impact_threshold_N_s");
    contact.impact_threshold_N_s = threshold ? threshold->number() : defaults::impact_threshold_N_s;
    if (!(contact.impact_threshold_N_s >= 0.0))
        threshold->refuse("the threshold " + number_text(contact.impact_threshold_N_s) + " N s is negative",
                          "give 0 to count every impact");
    canonical["impact_threshold_N_s"] = contact.impact_threshold_N_s;
    if (const auto penetration = integrator.find("initial_penetration"))
        contact.project_penetration =
            penetration->one_of(names_of(initial_penetration_names), "treatment", "treatments") == 1;
    canonical["initial_penetration"] = initial_penetration_names[contact.project_penetration ? 1 : 0];
    contact.strikes_within_step = study.mechanism != nullptr;
    if (const auto strikes = integrator.find("strikes")) {
        contact.strikes_within_step = strikes->one_of(names_of(strikes_names), "rule", "rules") == 1;
        if (contact.strikes_within_step && !study.mechanism)
            strikes->refuse("the system " + study.system->name + " places no strikes within a step",
                            "leave out \"strikes\", which is a choice for mechanisms");
    }
    canonical["strikes"] = strikes_names[contact.strikes_within_step ? 1 : 0];
    if (!method.implicit) return;

    study.newton.tolerance = tolerance(integrator, "newton_tolerance", defaults::newton_tolerance_of_contact_fp64,
                                       defaults::newton_tolerance_of_contact_fp32, study, canonical);
    study.newton.most_iterations =
        iterations(integrator, "most_newton_iterations", defaults::most_newton_iterations_of_contact, canonical);
    if (method.has_free_alphas)
        read_alphas(integrator, study, canonical);
    else if (method.has_spectral_radius)
        read_spectral_radius(integrator, study, canonical);
    if (!method.has_ed_alpha_ratio) return;
    const auto ratio = integrator.find("ed_alpha_ratio");
    contact.ed_alpha_ratio = canonical["ed_alpha_ratio"] = ratio ? ratio->positive_number() : defaults::ed_alpha_ratio;
    if (study.mechanism && !(contact.ed_alpha_ratio > least_ed_alpha_ratio_of_mechanisms &&
                             contact.ed_alpha_ratio <= largest_ed_alpha_ratio_of_mechanisms))
        ratio->refuse("for a mechanism the ratio " + number_text(contact.ed_alpha_ratio) + " is not above " +
                          number_text(least_ed_alpha_ratio_of_mechanisms) + " and up to " +
                          number_text(largest_ed_alpha_ratio_of_mechanisms) +
                          ": the stages of its steps are solved as complex pairs",
                      "leave it out for 1/6, which is the most accurate");
}

void set_contact(const ContactSettings& contact, Schedule& schedule) {
    schedule.prox_tolerance = contact.prox_tolerance;
    schedule.most_prox_iterations = static_cast<double>(contact.most_prox_iterations);
    schedule.gap_tolerance_m = contact.gap_tolerance_m;
    schedule.project_penetration = contact.project_penetration ? 1.0 : 0.0;
    schedule.impact_threshold_N_s = contact.impact_threshold_N_s;
    schedule.strikes_within_step = contact.strikes_within_step ? 1.0 : 0.0;
    schedule.free_alphas = contact.alpha_m ? 1.0 : 0.0;
    schedule.alpha_m = contact.alpha_m.value_or(0.0), schedule.alpha_f = contact.alpha_f.value_or(0.0);
    schedule.ed_alpha_ratio = contact.ed_alpha_ratio;
}

void StudiedLaw::require_possible(const JsonValue& root, const std::string& of_what) const {
    const JsonValue place = root.find("parameters").value_or(root);
    if (!friction.varies && !(friction.value >= 0.0))
        place.refuse("the friction" + of_what + " is " + number_text(friction.value) + ", which is negative",
                     "give 0 for a smooth contact, or a coefficient above 0");
    const std::pair<const char*, LawCoefficient> restitutions[] = {{"normal", normal_restitution},
                                                                   {"tangential", tangential_restitution}};
    for (const auto& [direction, restitution] : restitutions)
        if (!restitution.varies && !(restitution.value >= 0.0 && restitution.value <= 1.0))
            place.refuse("the " + std::string(direction) + " restitution" + of_what + " is " +
                             number_text(restitution.value) + ", which is not from 0 to 1",
                         "give 0 for no rebound, 1 for a rebound without loss");
}

bool StudiedLaw::may_gain_energy() const {
    const bool is_rough = friction.varies || friction.value > 0.0,
               differ = normal_restitution.varies || tangential_restitution.varies ||
                        normal_restitution.value != tangential_restitution.value;
    return is_rough && differ;
}

void check_contacts(const JsonValue& root, Study& study) {
    if (study.mechanism) return check_contacts_of_mechanism(root, study);
    // A system without such a parameter has none.
    const auto coefficient = [&](const char* address) {
        const auto found = study.system->find_parameter(address);
        if (!found) return LawCoefficient{0.0, false};
        const bool varies = std::any_of(study.varied.begin(), study.varied.end(), [&](const VariedParameter& varied) {
            return static_cast<std::size_t>(varied.parameter) == *found;
        });
        return LawCoefficient{study.parameters[*found], varies};
    };
    const StudiedLaw law{coefficient("friction"), coefficient("normal_restitution"),
                         coefficient("tangential_restitution")};
    law.require_possible(root, "");
    if (law.may_gain_energy()) study.warnings.push_back(root.member("system", "").where() + ": " + gaining_laws);
}

}  // namespace myriad::study
