// Counts the operations of every member of a family of the catalog (operation_counts.hpp).
#pragma once
#include "bench/operations/counting_real.hpp"
#include "bench/operations/operation_counts.hpp"

namespace myriad::bench {

inline Schedule counting_schedule() {
    Schedule schedule{};
    schedule.end_s = 1.0, schedule.step_s = 1e-4;
    schedule.full_steps = schedule.total_steps = 10000.0;
    schedule.relative_tolerance = schedule.absolute_tolerance = 1e-6;
    schedule.initial_step_s = 1e-4, schedule.largest_step_s = 1e9, schedule.smallest_step_s = 1e-14,
    schedule.most_attempts = 1e9;
    schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 40.0;
    return schedule;
}

// One instance with all parameters varied, so that each is a value of its own and no constant.
template <class Integrator, class System>
struct OneInstance {
    using Carried = Instance<Integrator, System>;
    PlanTable table{};
    std::vector<double> records, initial, final_states, quantities, thresholds, parameters;

    OneInstance() : thresholds(most_quantities), parameters(most_parameters) {
        table.varied_count = System::parameter_count;
        for (int i = 0; i < System::parameter_count; ++i) table.varied[i] = i;
        records.resize(tile_instances * static_cast<std::size_t>(record_fields<Carried>(TablePlan{table})));
        for (std::size_t i = 0; i < System::parameter_count; ++i)
            records[i * tile_instances] = System::parameters[i].value;
        initial.resize(tile_instances * System::bodies * body_channels), final_states = initial;
        quantities.resize(tile_instances);
        const TablePlan plan{table};
        const Launch<double> first = launch(0);
        Run<Integrator, System, TablePlan>(plan, first, 0).begin();
        // States beyond are looked at now and then.
        const Launch<double> early = launch(steps_per_certificate + 1);
        Run<Integrator, System, TablePlan>(plan, early, 0).advance();
    }
    Launch<double> launch(long long attempts) {
        Launch<double> launch{};
        launch.records = records.data(), launch.initial_states = initial.data();
        launch.final_states = final_states.data(), launch.quantities = quantities.data();
        launch.parameters = parameters.data(), launch.thresholds = thresholds.data();
        launch.slots = 1, launch.attempts = attempts, launch.schedule = counting_schedule();
        return launch;
    }
    // Counts a launch of so many steps.
    void count(long long attempts, OperationCounts& written, OperationCounts& distinct) {
        const std::vector<double> kept = records;
        const TablePlan plan{table};
        const Launch<double> present = launch(attempts);
        Run<Integrator, System, TablePlan> run(plan, present, 0);
        ledger().clear();
        run.advance();
        written = ledger().written, distinct = ledger().distinct;
        records = kept;
    }
};

template <class Integrator, class System>
OperationCounts count_attempt() {
    Vec<System::parameter_count, CountingReal> p;
    for (int i = 0; i < System::parameter_count; ++i) Lanes<CountingReal>::set(p[i], 0, System::parameters[i].value);
    const System system = System::prepare(p).system;
    const Schedule schedule = counting_schedule();
    Motion<System> begin, end;
    System::start(p, begin.q, begin.v);
    Progress<CountingReal> progress;
    visit_fields([](CountingReal& x) { Lanes<CountingReal>::set(x, 0, 0.0); }, progress);
    typename Integrator::template Memory<System> memory;
    Integrator::initialize(system, schedule, begin, memory);
    ledger().clear();
    auto memory_after = memory;
    Integrator::attempt(system, schedule, progress, begin, end, memory, memory_after, true_mask<CountingReal>());
    return ledger().distinct;
}

template <class Integrator, template <class, template <class> class> class SystemOf, template <class> class Chart>
StepOperations operations() {
    using System = SystemOf<CountingReal, Chart>;
    StepOperations result;
    result.system = System::name;
    result.chart = Chart<CountingReal>::name;
    result.integrator = Integrator::name;
    result.adaptive = Integrator::traits.adaptive;
    OneInstance<Integrator, System> instance;
    // The last pass of a launch shares values with what is stored at its end: two launches leave one inner pass.
    OperationCounts written_three, written_two, distinct_three, distinct_two;
    instance.count(3, written_three, distinct_three);
    instance.count(2, written_two, distinct_two);
    result.written = written_three - written_two;
    result.distinct = distinct_three - distinct_two;
    result.attempt_distinct = count_attempt<Integrator, System>();
    const PlanTable table{};
    result.record_fields = instance_fields<Instance<Integrator, System>>(TablePlan{table});
    result.parameters = System::parameter_count;
    result.bytes_unfused = static_cast<int>(sizeof(double)) *
                           (2 * result.record_fields + System::parameter_count + System::bodies * body_channels);
    return result;
}

template <template <class, template <class> class> class... System, template <class> class... Chart,
          class... Integrator>
void count_family(Family<SystemList<System...>, ChartList<Chart...>, IntegratorList<Integrator...>>,
                  std::vector<StepOperations>& members) {
    const auto add_chart = [&]<template <class, template <class> class> class One, template <class> class On>() {
        (members.push_back(operations<Integrator, One, On>()), ...);
    };
    const auto add_system = [&]<template <class, template <class> class> class One>() {
        (add_chart.template operator()<One, Chart>(), ...);
    };
    (add_system.template operator()<System>(), ...);
}

}  // namespace myriad::bench
