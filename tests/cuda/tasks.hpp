// Tasks and runs that the tests of the cuda backend share.
#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/axes_codes.hpp"
#include "kernels/tree/links.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::tests {

// Two parameters vary (the mass, and one component of the initial angular velocity), four quantities of different
// kinds, three observed channels with 11 rows.
inline backends::Task generic_task(const std::string& system, const std::string& chart, const std::string& integrator,
                                   backends::Precision precision = backends::Precision::fp64) {
    const study::SystemDescription& description = study::find_system(system, "test");
    backends::Task task;
    task.system = system, task.chart = chart, task.integrator = integrator, task.precision = precision;
    for (const auto& parameter : description.parameters) task.parameters.push_back(parameter.value);
    PlanTable& plan = task.plan;
    std::fill(std::begin(plan.varied), std::end(plan.varied), -1);
    plan.varied_count = 2;
    const auto first_known = [&](std::initializer_list<const char*> addresses) {
        for (const char* address : addresses)
            if (const auto found = description.find_parameter(address)) return *found;
        throw std::logic_error("no parameter to vary in " + system);
    };
    plan.varied[first_known({"mass_kg", "mass_kg[0]", "crank.mass_kg"})] = 0;
    plan.varied[first_known({"initial_angular_velocity_rad_s[1]", "initial_rate_rad_s[1]", "initial_rate_m_s[0]",
                             "initial_velocity_m_s[0]"})] = 1;
    plan.quantity_count = 4;
    const Reduction reductions[] = {Reduction::maximum, Reduction::mean, Reduction::first_time_above, Reduction::final};
    const int channels[] = {12, 10, 3, description.channel_count - 1};
    std::copy(std::begin(reductions), std::end(reductions), plan.reductions);
    std::copy(std::begin(channels), std::end(channels), plan.quantity_channels);
    task.thresholds = {0.0, 0.0, 0.25, 0.0};
    plan.observed_count = 3;
    plan.observed_channels[0] = 3, plan.observed_channels[1] = 12, plan.observed_channels[2] = 1;

    Schedule& schedule = task.schedule;
    schedule.end_s = 0.15, schedule.step_s = 5e-4, schedule.full_steps = schedule.total_steps = 300.0;
    schedule.observe_steps = 30.0, schedule.observe_s = 0.015, schedule.rows = 11.0;
    schedule.relative_tolerance = schedule.absolute_tolerance = 1e-12;
    schedule.initial_step_s = 1e-4, schedule.largest_step_s = 1e9, schedule.smallest_step_s = 1e-12,
    schedule.most_attempts = 1e6;
    return task;
}

// A mechanism in joint coordinates. The mass of its first body varies, and what its link moves; the largest reaction
// and the energy at the end are quantities, three channels are observed.
inline backends::Task joint_task(std::shared_ptr<const mechanism::Mechanism> mechanism, const std::string& integrator) {
    backends::Task task;
    task.mechanism = std::move(mechanism);
    const MechanismTable& table = task.mechanism->table;
    task.system = backends::joint_mechanism_system, task.chart = "rotation", task.integrator = integrator;
    task.parameters = task.mechanism->nominal_kernel_parameters();
    PlanTable& plan = task.plan;
    plan.mechanism = &table;
    std::fill(std::begin(plan.varied), std::end(plan.varied), -1);
    plan.varied_count = 2;
    plan.varied[first_body_parameter + body_mass] = 0;
    plan.varied[table.joint.link_parameter + table.joint.link_of_body[0] * link_parameter_count + link_mass] = 1;
    std::ranges::copy(mechanism::axes_codes(table, task.parameters, plan.varied), plan.axes_codes);
    const auto channel_of_kind = [&](ChannelKind kind) {  // or a position
        for (int i = 0; i < table.channels; ++i)
            if (table.channel[i].kind == kind) return table.bodies * body_channels + i;
        return 0;
    };
    plan.quantity_count = 2;
    plan.reductions[0] = Reduction::maximum, plan.quantity_channels[0] = channel_of_kind(ChannelKind::joint_force);
    plan.reductions[1] = Reduction::final, plan.quantity_channels[1] = channel_of_kind(ChannelKind::total_energy);
    task.thresholds = {0.0, 0.0};
    plan.observed_count = 3;
    plan.observed_channels[0] = 3, plan.observed_channels[1] = 12, plan.observed_channels[2] = 1;
    Schedule& schedule = task.schedule;
    schedule.end_s = 0.1, schedule.step_s = 1e-3, schedule.full_steps = schedule.total_steps = 100.0;
    schedule.observe_steps = 10.0, schedule.rows = 11.0, schedule.most_attempts = 1e6;
    schedule.spectral_radius = 0.9, schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 20.0;
    return task;
}
// The same of a bundled one.
inline backends::Task joint_task(const std::string& name, const std::string& integrator = "generalized_alpha") {
    return joint_task(
        mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/" + name + ".json"),
        integrator);
}

// [field][count] for instances [first, first + count): masses near 15 kg, one in seven of them negative (refused), and
// rates from 1 to 150 rad/s, so that neighbours need very different numbers of adaptive steps.
inline std::vector<double> generic_values(std::uint64_t first, std::uint64_t count) {
    std::vector<double> values(2 * count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto number = static_cast<double>(first + i);
        values[i] = (first + i) % 7 == 3 ? -1.0 : 15.0 + std::sin(number);
        values[count + i] = std::exp(2.5 + 2.5 * std::sin(1.7 * number));
    }
    return values;
}

// Every instance, in as many chunks as the backend's plan asks for, with as many in flight as it offers.
inline backends::Chunk run(backends::Backend& backend, const backends::Task& task, std::uint64_t instances) {
    const std::uint64_t size = backend.prepare(task, instances).instances_per_chunk;
    std::deque<int> in_flight;
    backends::Chunk all;
    const std::atomic<bool> stop{false};
    const auto finish_first = [&] {
        backends::Chunk chunk;
        if (!backend.finish(in_flight.front(), chunk, stop)) throw std::logic_error("a chunk ended early");
        append(all, chunk);
        in_flight.pop_front();
    };
    int number = 0;
    for (std::uint64_t first = 0; first < instances; first += size, ++number) {
        if (static_cast<int>(in_flight.size()) == backend.buffers()) finish_first();
        const std::uint64_t count = std::min(size, instances - first);
        backend.start(number % backend.buffers(), count, generic_values(first, count).data());
        in_flight.push_back(number % backend.buffers());
    }
    while (!in_flight.empty()) finish_first();
    return all;
}

}  // namespace myriad::tests
