// Runs of a mechanism by one form of its kernels or another, whose bits are compared.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ensembles/catalog.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::tests {

// Just large enough for a Puma.
struct RobotClass : LargestMechanism {
    static constexpr int most_bodies = 6, most_elements = 24, most_rows = 36, most_loads = 1, most_functions = 6,
                         most_registers = 24, most_angles = 6, most_matrix_entries = 2048, most_links = 6,
                         most_freedoms = 6, most_fields = 12, most_entries = 21, most_rows_beside_tree = 3;
    template <class Real>
    using Parameters = ParametersOnUse<Real, TablePlan>;
};

inline void expect_fits_robot_class(const MechanismTable& table) {
    EXPECT_LE(table.bodies, RobotClass::most_bodies);
    EXPECT_LE(table.elements, RobotClass::most_elements);
    EXPECT_LE(table.rows, RobotClass::most_rows);
    EXPECT_LE(table.loads, RobotClass::most_loads);
    EXPECT_LE(table.functions, RobotClass::most_functions);
    EXPECT_LE(table.angles, RobotClass::most_angles);
    EXPECT_LE(table.elimination.slots, RobotClass::most_matrix_entries);
}

inline constexpr int instances = 5;  // no multiple of a pack
inline constexpr int slots = tile_instances;
inline constexpr int observed_rows = 5;

inline std::shared_ptr<const mechanism::Mechanism> read(const std::string& name,
                                                        const std::string& folder = "ensembles/mechanisms") {
    return mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/" + folder + "/" + name + ".json");
}

// A parameter varies; every channel that the mechanism has is observed, one is reduced.
inline PlanTable plan_table(const mechanism::Mechanism& mechanism, int varied) {
    PlanTable table{};
    table.mechanism = &mechanism.table;
    std::fill(std::begin(table.varied), std::end(table.varied), -1);
    table.varied[varied] = 0, table.varied_count = 1;
    table.observed_count = mechanism.table.bodies * body_channels + mechanism.table.channels;
    for (int i = 0; i < table.observed_count; ++i) table.observed_channels[i] = i;
    table.quantity_count = 1, table.reductions[0] = Reduction::maximum, table.quantity_channels[0] = 0;
    return table;
}

struct Results {
    std::vector<double> records, initial_states, final_states, trajectory, quantities;
    bool operator==(const Results& other) const {
        const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
            return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
        };
        return same(records, other.records) && same(initial_states, other.initial_states) &&
               same(final_states, other.final_states) && same(trajectory, other.trajectory) &&
               same(quantities, other.quantities);
    }
};

// A system on the topology that a plan gives.
template <class S, class P>
struct Form {
    using System = S;
    using Plan = P;
};

template <class Task, class Plan, class Step>
void each_group(const Plan& plan, const Launch<double>& launch, Step step) {
    constexpr int width = Lanes<typename Task::Real>::width, groups = (instances + width - 1) / width;
    for (int group = 0; group < groups; ++group) {
        Task task(plan, launch, group);
        step(task);
    }
}

// `Begin` puts the instances together, `Advance` moves them.
template <class Integrator, class Begin, class Advance = Begin>
Results run(const mechanism::Mechanism& mechanism, const PlanTable& table) {
    using Beginning = Run<Integrator, typename Begin::System, typename Begin::Plan>;
    using Advancing = Run<Integrator, typename Advance::System, typename Advance::Plan>;
    const typename Begin::Plan begin_plan{table};
    const typename Advance::Plan advance_plan{table};
    const auto rows = [](int count) { return std::vector<double>(static_cast<std::size_t>(count) * slots); };
    const int states = mechanism.table.bodies * body_channels;
    Results results{rows(record_fields<typename Beginning::Carried>(begin_plan)), rows(states), rows(states),
                    rows(observed_rows * table.observed_count), rows(1)};
    std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    double& varied = parameters[static_cast<std::size_t>(
        std::find(std::begin(table.varied), std::end(table.varied), 0) - std::begin(table.varied))];
    for (int i = 0; i < slots; ++i)
        results.records[static_cast<std::size_t>(i)] = varied * (1.0 + 0.01 * std::sin(1.0 + i));
    varied = NAN;  // shared by none
    const double threshold = 0.0;
    Launch<double> launch{};
    launch.records = results.records.data();
    launch.initial_states = results.initial_states.data(), launch.final_states = results.final_states.data();
    launch.trajectory = results.trajectory.data(), launch.quantities = results.quantities.data();
    launch.parameters = parameters.data(), launch.thresholds = &threshold;
    launch.slots = instances, launch.attempts = 7;  // as several launches
    Schedule& schedule = launch.schedule;
    schedule.step_s = 1e-3, schedule.full_steps = schedule.total_steps = 20.0, schedule.end_s = 0.02;
    schedule.observe_steps = 5.0, schedule.rows = observed_rows, schedule.most_attempts = 1e6;
    schedule.spectral_radius = 0.9, schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 50.0;
    each_group<Beginning>(begin_plan, launch, [](Beginning& task) { task.begin(); });
    for (int sweep = 0; sweep < 3; ++sweep)
        each_group<Advancing>(advance_plan, launch, [](Advancing& task) { task.advance(); });
    return results;
}

// Of a run that goes on to its end, and whose instances differ.
inline void expect_same_bits(const Results& seen, const Results& expected) {
    EXPECT_TRUE(seen == expected);
    // Field 1 of the record behind the one varied parameter: the steps taken.
    EXPECT_EQ(expected.records[2 * slots], 20.0) << "the run ended early";
    // Where the drivers leave no freedom, only reactions and energies depend on the mass.
    bool neighbours_differ = false;
    for (std::size_t at = 0; at < expected.trajectory.size(); at += slots)
        neighbours_differ = neighbours_differ || expected.trajectory[at] != expected.trajectory[at + 1];
    EXPECT_TRUE(neighbours_differ);
}

}  // namespace myriad::tests
