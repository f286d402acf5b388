// The same instance by the kernels and by the reference path, and how far apart the two end.
#pragma once
#include <algorithm>

#include "host/reference/run_reference.hpp"
#include "kernels/math/rotation.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {

constexpr long long all_attempts = 1'000'000'000;
constexpr std::uint64_t twin_count = 20;  // instances that are run by both

inline std::vector<Member> fixed_step_members() {
    std::vector<Member> members = smooth_members();
    std::erase_if(members, [](const Member& member) { return member.adaptive; });
    return members;
}

inline Chunk run_scalar(const Task& task, const Instances& instances) {
    return run_in_launches(task, instances, 1, all_attempts);
}

inline reference::Result run_twin(const Task& task, const std::vector<double>& instance) {
    reference::Parameters parameters;
    const study::SystemDescription& system = study::find_system(task.system, "test");
    for (std::size_t i = 0; i < instance.size(); ++i) parameters[system.parameters[i].address] = instance[i];
    reference::Settings settings;
    settings.chart = task.chart;
    settings.end_s = task.schedule.end_s;
    settings.largest_step_rotation_rad = largest_step_rotation_rad;
    settings.dexp_inverse =
        task.schedule.full_dexp_inverse != 0.0 ? reference::DexpInverse::full : reference::DexpInverse::cut;
    settings.spectral_radius = task.schedule.spectral_radius;
    if (task.schedule.step_s > 0.0)
        settings.step_s = task.schedule.step_s;
    else
        settings.control = {.relative_tolerance = task.schedule.relative_tolerance,
                            .absolute_tolerance = task.schedule.absolute_tolerance,
                            .initial_step_s = task.schedule.initial_step_s,
                            .largest_step_s = task.schedule.largest_step_s,
                            .smallest_step_s = task.schedule.smallest_step_s,
                            .error_norm = {}};
    if (task.schedule.observe_s > 0.0)
        for (int row = 0; row < task.schedule.rows; ++row)
            settings.observation_times_s.push_back(row * task.schedule.observe_s);
    return reference::run_reference(task.system, task.integrator, parameters, settings);
}

// Position, orientation (as the same rotation), velocity and angular velocity of each body as the kernels' state
// channels.
inline std::vector<double> state_of(const reference::Result& result, const double* like) {
    std::vector<double> state;
    const Eigen::Index bodies = result.final_observables.at("position").size() / 3;
    for (Eigen::Index body = 0; body < bodies; ++body) {
        double along = 0.0;
        for (int i = 0; i < 4; ++i)
            along += result.final_observables.at("orientation")[4 * body + i] * like[13 * body + 3 + i];
        for (const char* name : {"position", "orientation", "velocity", "angular_velocity"}) {
            const bool quaternion = name == std::string("orientation");
            const Eigen::Index size = quaternion ? 4 : 3;
            for (const double value : result.final_observables.at(name).segment(size * body, size))
                state.push_back(quaternion && along < 0.0 ? -value : value);
        }
    }
    return state;
}

// The largest difference of a channel over 1 + its size.
inline double distance(const double* a, const double* b, std::size_t channels) {
    double largest = 0.0;
    for (std::size_t i = 0; i < channels; ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]) / (1.0 + std::abs(b[i])));
    return largest;
}
inline double distance_to_twin(const Chunk& chunk, const reference::Result& twin, std::uint64_t instance) {
    const std::size_t channels = chunk.final_state.size() / chunk.count;
    const double* state = chunk.final_state.data() + instance * channels;
    return distance(state, state_of(twin, state).data(), channels);
}

// Without rows, quantities and a shorter last step.
inline Task plain_task(const Member& member, int steps, double step_s) {
    Task task = generic_task(member, Precision::fp64, steps, step_s);
    task.plan.observed_count = task.plan.quantity_count = 0;
    Schedule& schedule = task.schedule;
    schedule.rows = schedule.observe_s = schedule.observe_steps = 0.0;
    schedule.end_s = steps * step_s;
    schedule.newton_tolerance = 1e-13;  // the reference path iterates to round-off
    if (!member.adaptive) schedule.full_steps = steps, schedule.last_step_s = 0.0;
    return task;
}

}  // namespace myriad::backends
