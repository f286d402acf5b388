#include "host/program/list/list_statuses.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/program/text/text_table.hpp"
#include "kernels/run/outcome.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

struct StatusAdvice {
    const char* meaning;
    const char* remedy;
    const char* keys;
};
constexpr StatusAdvice advice[] = {
    {"The instance reached the end.", "", ""},
    {"The run ended before this instance began.", "Run the study again with `--resume`.", ""},
    {"An ensemble in memory has not reached its end. A result file never says so.", "Advance the ensemble.", ""},
    {"Newton's method did not solve the equations of a step.", "Use a smaller step.",
     "integrator.step_s, integrator.most_newton_iterations"},
    {"The laws of contact were not met in a step, or at the start.", "Use a smaller step.",
     "integrator.step_s, integrator.most_prox_iterations, contacts"},
    {"The equations of a step have no unique solution.", "Read /instance/detail, which names the joint or the row.",
     "bodies.inertia_kg_m2, joints, integrator.iteration_matrix, coordinates"},
    {"A value became infinite or not a number.", "Use a smaller step.", "integrator.step_s, parameters"},
    {"An adaptive method asks for steps below the smallest one.", "Loosen the tolerances.",
     "integrator.relative_tolerance, integrator.absolute_tolerance, integrator.smallest_step_s"},
    {"An adaptive method used up its number of steps.", "Raise the number of steps.", "integrator.most_attempts"},
    {"A body turns too far in one step.", "Use a smaller step.", "integrator.step_s"},
    {"The angles of the chart came to their singularity.", "Use the chart rotation.", "integrator.chart"},
    {"Reserved: no method of this version ends an instance with it.", "", ""},
    {"No start meets all joints, or bodies overlap at the start.", "Bound the distributions of lengths and poses.",
     "parameters, assembly, integrator.initial_penetration"},
    {"A value makes no mechanism: a mass is negative, or a driver jumps.", "Bound the distribution of the value.",
     "parameters"},
};
static_assert(std::size(advice) == status_count);

// The keys of study and mechanism files that a reason asks to look at.
constexpr const char* keys_of_reasons[] = {
    "",
    "parameters",
    "bodies.mass_kg",
    "bodies.inertia_kg_m2",
    "bodies.inertia_kg_m2",
    "integrator.step_s, tables.outside",
    "integrator.step_s",
    "integrator.smallest_step_s, integrator.relative_tolerance",
    "integrator.most_attempts",
    "integrator.chart",
    "parameters",
    "parameters, bodies.position_m, bodies.velocity_m_s",
    "integrator.step_s, integrator.iteration_matrix, integrator.most_newton_iterations",
    "bodies.position_m, joints.angle_rad",
    "parameters, assembly, bodies.position_m",
    "parameters, joints.points_m",
    "parameters, contacts.radius_m, contacts.clearance_m",
    "integrator.step_s, integrator.most_prox_iterations, contacts.normal_restitution",
    "contacts.friction, contacts.normal_restitution",
    "bodies.position_m, integrator.initial_penetration",
    "forces.stiffness_N_m",
    "forces.damping_N_s_m",
    "integrator.step_s",
    "forces.coulomb_N_m, forces.regularisation_rad_s",
    "joints.rotor_inertia_kg_m2",
    "start, forces.stiffness_N_m",
    "integrator.name, integrator.iteration_matrix",
    "integrator.name, integrator.iteration_matrix",
    "bodies.position_m, joints.angle_rad",
    "drivers.value_rad, drivers.value_m",
    "contacts.normal_restitution, contacts.tangential_restitution, integrator.most_prox_iterations",
    "contacts.friction, bodies.velocity_m_s",
};
static_assert(std::size(keys_of_reasons) == reason_count);

// As kernels/run/advance.hpp and host/ensemble/failure_detail.cpp end an instance.
Status status_for(Reason reason) {
    if (reason == Reason::attempts_used_up) return Status::step_limit;
    if (reason == Reason::loop_at_dead_point) return Status::newton_stalled;
    if (reason == Reason::state_not_finite) return Status::not_finite;
    const auto code = static_cast<double>(reason);
    const auto in_a_step = static_cast<Status>(static_cast<int>(status_of(code)));
    return in_a_step != Status::not_finite ? in_a_step : static_cast<Status>(static_cast<int>(status_at_start(code)));
}

struct WarningAdvice {
    Warning bit;
    const char* remedy;
    const char* keys;
};
constexpr WarningAdvice warning_advice[] = {
    {Warning::inertia_breaks_triangle_inequality,
     "Check the moments of inertia: the largest exceeds the other two together.", "bodies.inertia_kg_m2"},
    {Warning::initial_velocity_projected, "Give velocities that the joints allow, or leave them out.",
     "bodies.velocity_m_s, joints.rate_rad_s"},
    {Warning::impacts_may_gain_energy, "Give both restitutions the same value, or leave out friction.",
     "contacts.normal_restitution, contacts.tangential_restitution"},
    {Warning::equilibrium_unstable, "Start nearer to the equilibrium that you mean, or look for a missing spring.",
     "start, joints.angle_rad, bodies.position_m"},
};
static_assert(std::size(warning_advice) == std::size(warning_descriptions));

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t from = 0; from < list.size();) {
        const std::size_t comma = std::min(list.find(", ", from), list.size());
        names.push_back(list.substr(from, comma - from));
        from = comma + 2;
    }
    return names;
}

}  // namespace

ordered_json statuses_json() {
    ordered_json json;
    for (int s = 0; s < status_count; ++s) {
        ordered_json reasons = ordered_json::array();
        for (int r = 1; r < reason_count; ++r)
            if (const auto reason = static_cast<Reason>(r); status_for(reason) == static_cast<Status>(s))
                reasons.push_back(
                    {{"code", r}, {"sentence", sentence_of(reason)}, {"keys", names_in(keys_of_reasons[r])}});
        json["statuses"].push_back({{"name", name_of(static_cast<Status>(s))},
                                    {"code", s},
                                    {"meaning", advice[s].meaning},
                                    {"remedy", advice[s].remedy},
                                    {"keys", names_in(advice[s].keys)},
                                    {"reasons", reasons}});
    }
    for (std::size_t w = 0; w < std::size(warning_advice); ++w)
        json["warnings"].push_back({{"bit", static_cast<int>(warning_descriptions[w].bit)},
                                    {"meaning", warning_descriptions[w].meaning},
                                    {"remedy", warning_advice[w].remedy},
                                    {"keys", names_in(warning_advice[w].keys)}});
    return json;
}

void print_statuses() {
    TextTable statuses({"status", "meaning", "first remedy", "keys"});
    for (int s = 0; s < status_count; ++s)
        statuses.add({name_of(static_cast<Status>(s)), advice[s].meaning, advice[s].remedy, advice[s].keys});
    TextTable reasons({"reason", "status", "cause and remedy", "keys"});
    for (int r = 1; r < reason_count; ++r) {
        const auto reason = static_cast<Reason>(r);
        reasons.add({std::to_string(r), name_of(status_for(reason)), sentence_of(reason), keys_of_reasons[r]});
    }
    TextTable warnings({"warning", "meaning", "first remedy", "keys"});
    for (std::size_t w = 0; w < std::size(warning_advice); ++w)
        warnings.add({std::to_string(static_cast<int>(warning_descriptions[w].bit)), warning_descriptions[w].meaning,
                      warning_advice[w].remedy, warning_advice[w].keys});
    std::printf("%s\n%s\n%s", statuses.text(4).c_str(), reasons.text(4).c_str(), warnings.text(4).c_str());
}

}  // namespace myriad::program
