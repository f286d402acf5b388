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

constexpr RenamedAddress of_bouncing_ball[] = {
    {"mass_kg", "parameters.mass_kg"},
    {"gravity_m_s2", "parameters.gravity_m_s2"},
    {"normal_restitution", "contacts.floor.normal_restitution"},
    {"initial_height_m", "parameters.initial_height_m"},
    {"initial_velocity_m_s", "parameters.initial_velocity_m_s"},
    {"gap", "gap.floor", true},
    {"contact_velocity", "contact_velocity.floor", true},
    {"contact_force", "contact_force.floor", true},
    {"contact_impulse", "contact_impulse.floor", true},
};
constexpr RenamedAddress of_sliding_block[] = {
    {"mass_kg", "parameters.mass_kg"},
    {"gravity_m_s2", "parameters.gravity_m_s2"},
    {"incline_rad", "parameters.incline_rad"},
    {"friction", "contacts.slope.friction"},
    {"normal_restitution", "contacts.slope.normal_restitution"},
    {"tangential_restitution", "contacts.slope.tangential_restitution"},
    {"initial_position_m[0]", "parameters.initial_down_m"},
    {"initial_position_m[1]", "parameters.initial_across_m"},
    {"initial_position_m[2]", "parameters.initial_gap_m"},
    {"initial_velocity_m_s[0]", "parameters.initial_down_m_s"},
    {"initial_velocity_m_s[1]", "parameters.initial_across_m_s"},
    {"initial_velocity_m_s[2]", "parameters.initial_normal_m_s"},
    {"place.x", "down", true},
    {"place.y", "across", true},
    {"place.z", "above", true},
    {"rate.x", "rate_down", true},
    {"rate.y", "rate_across", true},
    {"rate.z", "rate_above", true},
    {"gap", "gap.slope", true},
    {"contact_velocity", "contact_velocity.slope", true},
    {"contact_force", "contact_force.slope", true},
    {"contact_impulse", "contact_impulse.slope", true},
};
constexpr RenamedAddress of_cradle[] = {
    {"ball_<i>.mass_kg", "bodies.ball_<i>.mass_kg"},
    {"length_m", "parameters.length_m"},
    {"gravity_m_s2", "gravity_m_s2[2]", false, true},
    {"normal_restitution", "contacts.balls.normal_restitution"},
    {"initial_angle_rad[0]", "parameters.angle_rad", false, true},
    {"initial_angle_rad[1]", "parameters.angle_2_rad"},
    {"initial_rate_rad_s[0]", "parameters.rate_1_rad_s"},
    {"initial_rate_rad_s[1]", "parameters.rate_2_rad_s"},
    {"angle.x", "angle_1", true},
    {"angle.y", "angle_2", true},
    {"rate.x", "rate_1", true},
    {"rate.y", "rate_2", true},
    {"gap", "gap.balls", true},
    {"contact_velocity", "contact_velocity.balls", true},
    {"contact_force", "contact_force.balls", true},
    {"contact_impulse", "contact_impulse.balls", true},
};
constexpr RenamedAddress of_rolling_disc[] = {
    {"mass_kg", "parameters.mass_kg"},
    {"inertia_kg_m2", "parameters.inertia_kg_m2"},
    {"radius_m", "parameters.radius_m"},
    {"gravity_m_s2", "parameters.gravity_m_s2"},
    {"friction", "contacts.floor.friction"},
    {"normal_restitution", "contacts.floor.normal_restitution"},
    {"tangential_restitution", "contacts.floor.tangential_restitution"},
    {"initial_position_m[0]", "parameters.initial_x_m"},
    {"initial_position_m[1]", "parameters.initial_gap_m"},
    {"initial_angle_rad", "parameters.initial_angle_rad"},
    {"initial_velocity_m_s[0]", "parameters.initial_x_m_s"},
    {"initial_velocity_m_s[1]", "parameters.initial_y_m_s"},
    {"initial_rate_rad_s", "parameters.initial_rate_rad_s"},
    {"coordinates.x", "position.disc.x", true},
    {"coordinates.y", "position.disc.y", true},
    {"coordinates.z", "angle", true},
    {"rates.x", "velocity.disc.x", true},
    {"rates.y", "velocity.disc.y", true},
    {"rates.z", "rate", true},
    {"gap", "gap.floor", true},
    {"contact_velocity", "contact_velocity.floor", true},
    {"contact_force", "contact_force.floor", true},
    {"contact_impulse", "contact_impulse.floor", true},
};
constexpr RenamedAddress of_rolling_ball[] = {
    {"mass_kg", "parameters.mass_kg"},
    {"radius_m", "parameters.radius_m"},
    {"inertia_kg_m2.xx", "bodies.ball.inertia_kg_m2[0]"},
    {"inertia_kg_m2.yy", "bodies.ball.inertia_kg_m2[1]"},
    {"inertia_kg_m2.zz", "bodies.ball.inertia_kg_m2[2]"},
    {"gravity_m_s2", "gravity_m_s2[2]", false, true},
    {"friction", "contacts.floor.friction"},
    {"normal_restitution", "contacts.floor.normal_restitution"},
    {"tangential_restitution", "contacts.floor.tangential_restitution"},
    {"initial_position_m[0]", "bodies.ball.position_m[0]"},
    {"initial_position_m[1]", "bodies.ball.position_m[1]"},
    {"initial_position_m[2]", "parameters.gap_m"},
    {"initial_rotation_vector_rad", "bodies.ball.orientation.rotation_vector_rad"},
    {"initial_velocity_m_s", "bodies.ball.velocity_m_s"},
    {"initial_angular_velocity_rad_s", "bodies.ball.angular_velocity_rad_s"},
    {"gap", "gap.floor", true},
    {"contact_velocity", "contact_velocity.floor", true},
    {"contact_force", "contact_force.floor", true},
    {"contact_impulse", "contact_impulse.floor", true},
};
constexpr RenamedAddress of_three_masses[] = {
    {"mass_<i>.mass_kg", "bodies.mass_<i>.mass_kg"},
    {"gravity_m_s2", "parameters.gravity_m_s2"},
    {"stiffness_<i>_N_m", "parameters.stiffness_<i>_N_m"},
    {"stiffness_0_N_m", "parameters.stiffness_0_N_m"},
    {"initial_displacement_m[0]", "parameters.initial_displacement_1_m"},
    {"initial_displacement_m[1]", "parameters.initial_displacement_2_m"},
    {"initial_displacement_m[2]", "parameters.initial_displacement_3_m"},
    {"initial_velocity_m_s[0]", "parameters.initial_velocity_1_m_s"},
    {"initial_velocity_m_s[1]", "parameters.initial_velocity_2_m_s"},
    {"initial_velocity_m_s[2]", "parameters.initial_velocity_3_m_s"},
    {"displacement.x", "position.mass_1.y", true, true},
    {"displacement.y", "position.mass_2.y", true, true},
    {"displacement.z", "position.mass_3.y", true, true},
    {"rate.x", "velocity.mass_1.y", true, true},
    {"rate.y", "velocity.mass_2.y", true, true},
    {"rate.z", "velocity.mass_3.y", true, true},
};
constexpr RenamedAddress of_three_masses_held[] = {
    {"mass_<i>.mass_kg", "bodies.mass_<i>.mass_kg"},
    {"gravity_m_s2", "parameters.gravity_m_s2"},
    {"stiffness_<i>_N_m", "parameters.stiffness_<i>_N_m"},
    {"initial_displacement_m[0]", "parameters.initial_displacement_1_m"},
    {"initial_displacement_m[1]", "parameters.initial_displacement_2_m"},
    {"initial_displacement_m[2]", "parameters.initial_displacement_3_m"},
    {"initial_velocity_m_s[0]", "parameters.initial_velocity_1_m_s"},
    {"initial_velocity_m_s[1]", "parameters.initial_velocity_2_m_s"},
    {"displacement.x", "position.mass_1.y", true, true},
    {"displacement.y", "position.mass_2.y", true, true},
    {"displacement.z", "position.mass_3.y", true, true},
    {"rate.x", "velocity.mass_1.y", true, true},
    {"rate.y", "velocity.mass_2.y", true, true},
    {"rate.z", "velocity.mass_3.y", true, true},
    {"contact_force", "hold_force", true},
};

constexpr RetiredSystem retired[] = {
    {"puma560", "puma560", of_puma560,
     "other angles and rates at the start, and torques as channels: in a copy of the file angle_rad and rate_rad_s "
     "of a joint, and a sensor of type exerted_torque"},
    {"bouncing_ball", "bouncing_ball", of_bouncing_ball},
    {"sliding_block", "sliding_block", of_sliding_block, "slip is velocity.block.norm while it is on the incline"},
    {"cradle", "sphere_cradle", of_cradle,
     "gravity acts along -z; diameter_m is twice parameters.radius_m; the balls there have an inertia, "
     "parameters.inertia_kg_m2"},
    {"rolling_disc", "rolling_disc", of_rolling_disc},
    {"rolling_ball", "rolling_sphere", of_rolling_ball},
    {"three_masses", "three_masses", of_three_masses},
    {"three_masses_held", "three_masses_held", of_three_masses_held,
     "the force that holds mass 3 is a reaction, not a contact's"},
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
