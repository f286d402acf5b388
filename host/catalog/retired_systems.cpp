#include "host/catalog/retired_systems.hpp"

#include <string>

#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

constexpr RenamedAddress of_puma560[] = {
    {"link_<i>.mass_kg", "bodies.link_<i>.mass_kg"},
    {"link_<i>.inertia_kg_m2.xx", "bodies.link_<i>.inertia_kg_m2[0]"},
    {"link_<i>.inertia_kg_m2.yy", "bodies.link_<i>.inertia_kg_m2[1]"},
    {"link_<i>.inertia_kg_m2.zz", "bodies.link_<i>.inertia_kg_m2[2]"},
    {"link_<i>.centre_of_mass_m", "bodies.link_<i>.centre_of_mass_m"},
    {"link_2.length_m", "parameters.a2_m"},
    {"link_3.length_m", "parameters.a3_m"},
    {"link_3.offset_m", "parameters.d3_m"},
    {"link_4.offset_m", "parameters.d4_m"},
    {"joint_<i>.proportional_N_m_rad", "forces.control_<i>.proportional"},
    {"joint_<i>.derivative_N_m_s_rad", "forces.control_<i>.derivative"},
    {"initial_angle_rad[1]", "parameters.start_2_rad"},
    {"initial_angle_rad[2]", "parameters.start_3_rad"},
    {"initial_angle_rad[4]", "parameters.start_5_rad"},
    {"goal_angle_rad[0]", "parameters.goal_1_rad"},
    {"goal_angle_rad[1]", "parameters.goal_2_rad"},
    {"goal_angle_rad[2]", "parameters.goal_3_rad"},
    {"goal_angle_rad[3]", "parameters.goal_4_rad"},
    {"goal_angle_rad[4]", "parameters.goal_5_rad"},
    {"goal_angle_rad[5]", "parameters.goal_6_rad"},
    {"profile_duration_s", "parameters.duration_s"},
    {"gravity_m_s2", "gravity_m_s2[2]", false, true},
    {"joint_angle.<i>", "angle_<i>", true},
    {"tool_position", "tool", true},
};

constexpr RetiredSystem retired[] = {
    {"puma560", "puma560", of_puma560,
     "other angles and rates at the start, and torques as channels: in a copy of the file angle_rad and rate_rad_s "
     "of a joint, and a sensor of type exerted_torque"},
};

}  // namespace

std::span<const RetiredSystem> retired_systems() { return retired; }

void refuse_retired_system(std::string_view name, const std::string& where) {
    for (const RetiredSystem& system : retired) {
        if (name != system.name) continue;
        const std::string file = std::string("ensembles/mechanisms/") + system.mechanism + ".json";
        std::string parameters, channels;
        for (const RenamedAddress& address : system.addresses) {
            std::string& list = address.is_channel ? channels : parameters;
            list += (list.empty() ? "" : ", ") + std::string(address.before) + " is " + address.now +
                    (address.has_other_sign ? " with the other sign" : "");
        }
        std::string remedy = "write \"mechanism\": the path of " + file +
                             " in place of \"system\"\n  names of parameters there: " + parameters;
        if (!channels.empty()) remedy += "\n  of channels: " + channels;
        if (*system.note != '\0') remedy += std::string("\n  ") + system.note;
        throw UserError(ExitCode::usage_or_input, where,
                        "the system " + std::string(name) + " is a mechanism file now, " + file, remedy);
    }
}

}  // namespace myriad::study
