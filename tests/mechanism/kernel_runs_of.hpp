// The one implementation of kernel_runs.hpp, for the translation units that compile the kernels for a Real.
#pragma once
#include <stdexcept>

#include "kernels/advance.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/mechanism/observe.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

inline Schedule schedule_of(const RunSetup& setup) {
    Schedule schedule{};
    schedule.step_s = setup.step_s;
    schedule.end_s = setup.steps * setup.step_s;
    schedule.full_steps = schedule.total_steps = setup.steps;
    schedule.observe_steps = setup.observed.empty() ? 0.0 : 1.0;
    schedule.rows = setup.observed.empty() ? 0.0 : setup.steps + 1.0;
    schedule.most_attempts = 1e15;
    schedule.spectral_radius = setup.spectral_radius;
    schedule.newton_tolerance = setup.newton_tolerance;
    schedule.most_newton_iterations = setup.most_newton_iterations;
    schedule.tangent_operator = setup.tangent_operator ? 1.0 : 0.0;
    schedule.published_start = setup.published_start ? 1.0 : 0.0;
    return schedule;
}

template <class Real, class Integrator, template <class> class Chart>
std::vector<InstanceEnd> run_on(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                const RunSetup& setup) {
    using System = myriad::Mechanism<Real, TableTopology, Chart>;
    using Carried = Instance<Integrator, System>;
    using Loop = Run<Integrator, System, TablePlan>;
    constexpr int lanes = Lanes<Real>::width;
    const int varied = mechanism.table.parameters;
    const auto count = static_cast<int>(parameters.size());

    PlanTable table{};
    table.mechanism = &mechanism.table;
    table.keeps_factors = setup.modified_newton ? 1 : 0;
    table.varied_count = varied;
    for (int i = 0; i < varied; ++i) table.varied[i] = i;
    table.observed_count = static_cast<int>(setup.observed.size());
    for (std::size_t i = 0; i < setup.observed.size(); ++i) table.observed_channels[i] = setup.observed[i];
    table.quantity_count = static_cast<int>(setup.maxima.size());
    for (std::size_t i = 0; i < setup.maxima.size(); ++i) {
        table.reductions[i] = Reduction::maximum;
        table.quantity_channels[i] = setup.maxima[i];
    }
    const TablePlan plan{table};
    const int fields = record_fields<Carried>(plan), states = 13 * mechanism.table.bodies;
    const auto tiles = static_cast<std::size_t>((count + tile_instances - 1) / tile_instances);
    const auto size_of = [tiles](int rows) { return tiles * tile_instances * static_cast<std::size_t>(rows); };
    const int trajectory_rows = setup.observed.empty() ? 0 : (setup.steps + 1) * table.observed_count;
    std::vector<double> records(size_of(fields)), initial(size_of(states)), final_states(size_of(states)),
        trajectory(size_of(trajectory_rows)), quantities(size_of(table.quantity_count + 1));
    const std::vector<double> thresholds(most_quantities, 0.0), shared(most_parameters, 0.0);
    const auto place = [](int instance, int rows, int row) {
        return static_cast<std::size_t>((instance / tile_instances * rows + row) * tile_instances +
                                        instance % tile_instances);
    };
    for (int n = 0; n < count; ++n)
        for (int i = 0; i < varied; ++i)
            records[place(n, fields, i)] = parameters[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)];

    Launch<double> launch{};
    launch.records = records.data(), launch.initial_states = initial.data(), launch.final_states = final_states.data();
    launch.trajectory = trajectory_rows > 0 ? trajectory.data() : nullptr;
    launch.quantities = quantities.data(), launch.parameters = shared.data(), launch.thresholds = thresholds.data();
    launch.slots = count, launch.attempts = setup.attempts_per_launch, launch.schedule = schedule_of(setup);
    const auto status_of = [&](int n) {
        return static_cast<Status>(static_cast<int>(records[place(n, fields, varied + 4)]));
    };
    const auto for_all = [&](auto&& act) {
        for (int group = 0; group < (count + lanes - 1) / lanes; ++group) {
            const auto loop = std::make_unique<Loop>(plan, launch, group);
            act(*loop);
        }
    };
    for_all([](Loop& loop) { loop.begin(); });
    const auto still_running = [&] {
        for (int n = 0; n < count; ++n)
            if (status_of(n) == Status::running) return true;
        return false;
    };
    while (still_running()) for_all([](Loop& loop) { loop.advance(); });

    std::vector<InstanceEnd> ends;
    for (int n = 0; n < count; ++n) {
        const auto field = [&](int i) { return records[place(n, fields, i)]; };
        InstanceEnd end{};
        end.status = status_of(n);
        end.reason = static_cast<Reason>(static_cast<int>(field(varied + 5)));
        end.time_s = field(varied), end.steps = field(varied + 1);
        for (int i = varied; i < fields; ++i) end.record.push_back(field(i));
        for (int i = 0; i < states; ++i) {
            end.initial_state.push_back(initial[place(n, states, i)]);
            end.final_state.push_back(final_states[place(n, states, i)]);
        }
        const int drift = fields - 2 * table.quantity_count - CertificateSize<Integrator, System>::all;
        end.energy_drift = field(drift), end.constraint_residual = field(drift + 1);
        end.velocity_residual = field(drift + 2), end.newton_iterations = field(drift + 3);
        end.most_newton_iterations = field(drift + 4), end.assembly_correction = field(drift + 5);
        end.worst_row = static_cast<int>(field(drift - System::invariant_count + System::worst_row_entry)) - 1;
        for (int row = 0; row * table.observed_count < trajectory_rows; ++row) {
            end.rows.emplace_back();
            for (int i = 0; i < table.observed_count; ++i)
                end.rows.back().push_back(trajectory[place(n, trajectory_rows, row * table.observed_count + i)]);
        }
        for (int i = 0; i < table.quantity_count; ++i)
            end.maxima.push_back(quantities[place(n, table.quantity_count, i)]);
        ends.push_back(std::move(end));
    }
    return ends;
}

std::vector<InstanceEnd> run_alone(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                   const RunSetup& setup);
std::vector<InstanceEnd> run_in_packs(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                      const RunSetup& setup);

}  // namespace myriad::mechanism
