// For each status that this version can give, a task and a change to one instance that brings it about while any
// generic instance runs to its end.
#pragma once
#include <functional>
#include <limits>
#include <numbers>

#include "kernels/system/status.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {

struct Provocation {
    std::string name;
    Status status;
    Reason reason;
    Task task;
    std::function<void(std::vector<double>&)> spoil;
    friend void PrintTo(const Provocation& provocation, std::ostream* out) { *out << provocation.name; }
};

inline std::function<void(std::vector<double>&)> sets(const std::string& system, const std::string& address,
                                                      double value) {
    const auto index = static_cast<std::size_t>(parameter_index(system, address));
    return [index, value](std::vector<double>& parameters) { parameters[index] = value; };
}

// Turns about the y axis by a quarter in `steps` steps of 0.01 s: the Cardan angle b is then pi/2 up to round-off. The
// isotropic inertia keeps every other component exactly zero.
inline void turn_onto_the_singularity(std::vector<double>& parameters, int steps) {
    const auto set = [&](const std::string& address, double value) {
        parameters[static_cast<std::size_t>(parameter_index("free_rigid_body", address))] = value;
    };
    for (const char* moment : {"xx", "yy", "zz"}) set(std::string("inertia_kg_m2.") + moment, 1.0);
    for (const char* product : {"xy", "xz", "yz"}) set(std::string("inertia_kg_m2.") + product, 0.0);
    for (const char* component : {"[0]", "[1]", "[2]"}) {
        set(std::string("initial_rotation_vector_rad") + component, 0.0);
        set(std::string("initial_angular_velocity_rad_s") + component, 0.0);
    }
    set("initial_angular_velocity_rad_s[1]", std::numbers::pi / 2 / (steps * 0.01));
}

inline std::vector<Provocation> provocations() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const Member top{"heavy_top", "rotation", "rk4", false}, body{"free_rigid_body", "rotation", "rk67", false};
    const Member top_on_chart{"heavy_top", "cardan_xyz", "rk4", false};
    const Member body_on_chart{"free_rigid_body", "cardan_xyz", "rk4", false};
    const Member adaptive{"heavy_top", "rotation", "dopri5", true};
    const auto fixed = [](const Member& member) { return generic_task(member, Precision::fp64, 50); };
    Task coarse = generic_task(adaptive, Precision::fp64);
    coarse.schedule.smallest_step_s = 1e-4;
    Task few_attempts = generic_task(adaptive, Precision::fp64);
    few_attempts.schedule.most_attempts = 200;

    std::vector<Provocation> list;
    const auto refuse = [&](const std::string& name, Reason reason, const Member& member, const std::string& address,
                            double value) {
        list.push_back({name, Status::invalid_parameter, reason, fixed(member), sets(member.system, address, value)});
    };
    refuse("nan_mass", Reason::parameter_not_finite, top, "mass_kg", nan);
    refuse("nan_initial_rate", Reason::parameter_not_finite, body, "initial_angular_velocity_rad_s[1]", nan);
    refuse("infinite_gravity", Reason::parameter_not_finite, top, "gravity_m_s2", infinity);
    refuse("no_mass", Reason::mass_not_positive, top, "mass_kg", 0.0);
    refuse("negative_mass", Reason::mass_not_positive, body, "mass_kg", -1.0);
    refuse("indefinite_inertia", Reason::inertia_not_positive_semidefinite, top, "inertia_kg_m2.yy", -0.01);
    refuse("indefinite_by_a_product", Reason::inertia_not_positive_semidefinite, body, "inertia_kg_m2.xy", 5.0);
    const Member crank{"slider_crank_clearance", "rotation", "nonsmooth_bathe", false};
    refuse("negative_friction", Reason::contact_law_invalid, crank, "friction", -0.1);
    const Member rod{"slider_crank_flexible_2_elements", "rotation", "nonsmooth_bathe", false};
    refuse("negative_bending_stiffness", Reason::stiffness_not_positive, rod, "rod.bending_stiffness_N_m2", -20.0);
    refuse("no_axial_stiffness", Reason::stiffness_not_positive, rod, "rod.axial_stiffness_N", 0.0);
    refuse("negative_damping", Reason::damping_negative, rod, "rod.damping_time_s", -1e-4);
    refuse("restitution_beyond_one", Reason::contact_law_invalid, crank, "normal_restitution", 1.5);
    list.push_back({"overlap_at_the_start", Status::assembly_failed, Reason::start_penetrates, fixed(crank),
                    sets("slider_crank_clearance", "initial_angle_rad[0]", 0.3)});
    // No guess solves the laws of a contact that slides, nor those of two held corners. The others do not come to the
    // walls in these 5 ms.
    Task no_iteration = generic_task({"slider_crank_clearance", "rotation", "nonsmooth_generalized_alpha", false},
                                     Precision::fp64, 5, 1e-3);
    no_iteration.schedule.most_prox_iterations = 0;
    for (const bool at_start : {true, false})
        list.push_back({at_start ? "jam_at_the_start" : "jam_on_the_way", Status::prox_stalled,
                        Reason::impact_did_not_converge, no_iteration, [at_start](std::vector<double>& parameters) {
                            for (const auto& [address, value] : {std::pair("clearance_m", at_start ? 0.0 : 0.01),
                                                                 {"initial_angle_rad[0]", 0.0},
                                                                 {"initial_angle_rad[1]", 0.0},
                                                                 {"initial_angle_rad[2]", 0.0},
                                                                 {"initial_rate_rad_s[0]", 20.0},
                                                                 {"initial_rate_rad_s[1]", 0.0},
                                                                 {"initial_rate_rad_s[2]", 0.0},
                                                                 {"friction", at_start ? 0.2 : 0.01},
                                                                 {"normal_restitution", 0.4},
                                                                 {"tangential_restitution", 0.2}})
                                sets("slider_crank_clearance", address, value)(parameters);
                        }});
    list.push_back({"singular_inertia", Status::invalid_parameter, Reason::inertia_singular, fixed(body),
                    [](std::vector<double>& parameters) {
                        for (const char* component : {"xx", "xy", "xz", "yz"})
                            sets("free_rigid_body", std::string("inertia_kg_m2.") + component, 0.0)(parameters);
                    }});
    list.push_back({"not_finite_on_a_chart", Status::not_finite, Reason::state_not_finite, fixed(top_on_chart),
                    sets("heavy_top", "initial_angular_velocity_rad_s[0]", 1e200)});
    // The position leaves the range of the numbers after some steps; the orientation is not touched by it.
    list.push_back({"not_finite_on_the_group", Status::not_finite, Reason::state_not_finite, fixed(body),
                    [](std::vector<double>& parameters) {
                        sets("free_rigid_body", "initial_position_m[0]", 1.7e308)(parameters);
                        sets("free_rigid_body", "initial_velocity_m_s[0]", 1e308)(parameters);
                    }});
    list.push_back({"fast_from_the_start", Status::step_rotation_too_large, Reason::rotation_beyond_series, fixed(top),
                    sets("heavy_top", "initial_angular_velocity_rad_s[2]", 400.0)});
    // Gravity speeds the top up: the first steps are good ones.
    list.push_back({"fast_in_the_end", Status::step_rotation_too_large, Reason::rotation_beyond_series, fixed(top),
                    sets("heavy_top", "gravity_m_s2", 2e4)});
    list.push_back({"chart_singular_on_the_way", Status::chart_singular, Reason::chart_at_its_singularity,
                    fixed(body_on_chart),
                    [](std::vector<double>& parameters) { turn_onto_the_singularity(parameters, 20); }});
    // As the reference path says it: the parameters are those of a body, only the chart cannot hold its orientation.
    list.push_back({"chart_singular_at_the_start", Status::chart_singular, Reason::chart_at_its_singularity,
                    fixed(top_on_chart), [](std::vector<double>& parameters) {
                        sets("heavy_top", "initial_rotation_vector_rad[0]", 0.0)(parameters);
                        sets("heavy_top", "initial_rotation_vector_rad[1]", std::numbers::pi / 2)(parameters);
                        sets("heavy_top", "initial_rotation_vector_rad[2]", 0.0)(parameters);
                    }});
    list.push_back({"step_too_small", Status::step_too_small, Reason::step_below_smallest, coarse,
                    sets("heavy_top", "initial_angular_velocity_rad_s[2]", 1e5)});
    list.push_back({"step_limit", Status::step_limit, Reason::attempts_used_up, few_attempts,
                    sets("heavy_top", "initial_angular_velocity_rad_s[2]", 500.0)});
    // Energy-momentum methods: 4 rad in a step are beyond Cayley's map, 10 rad beyond a quaternion's increment.
    const Member convective{"free_rigid_body", "rotation", "energy_momentum_convective", false};
    const Member null_space{"free_rigid_body", "rotation", "energy_momentum_null_space", false};
    const Member full{"heavy_top", "rotation", "energy_momentum_full", false};
    const Member pushed{"spring_pendulum", "rotation", "energy_momentum", false};
    list.push_back({"fast_for_the_convective_method", Status::step_rotation_too_large, Reason::rotation_beyond_series,
                    fixed(convective), sets("free_rigid_body", "initial_angular_velocity_rad_s[1]", 400.0)});
    list.push_back({"fast_for_the_null_space_form", Status::step_rotation_too_large, Reason::rotation_beyond_series,
                    fixed(null_space), sets("free_rigid_body", "initial_angular_velocity_rad_s[1]", 1000.0)});
    // A spring so stiff that it swings thousands of times in a step.
    list.push_back({"newton_stalls_on_a_spring", Status::newton_stalled, Reason::newton_did_not_converge, fixed(pushed),
                    sets("spring_pendulum", "axial_stiffness_N_m", 1e12)});
    refuse("nan_load", Reason::parameter_not_finite, pushed, "load_N[1]", nan);
    refuse("no_mass_under_livens", Reason::mass_not_positive, full, "mass_kg", 0.0);
    return list;
}

}  // namespace myriad::backends
