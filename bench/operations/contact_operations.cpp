#include "bench/operations/contact_operations.hpp"

#include <functional>
#include <stdexcept>

#include "bench/measurement.hpp"
#include "bench/operations/counting_real.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::bench {

namespace {

OperationCounts& operator+=(OperationCounts& sum, const OperationCounts& more) {
    for (std::size_t i = 0; i < sum.of.size(); ++i) sum.of[i] += more.of[i];
    return sum;
}

// The place where the steps of the present instance are counted.
thread_local ContactOperations* present = nullptr;

// An integrator, each of whose steps is added to `present`.
template <class Integrator>
struct Watched : Integrator {
    template <class System, class Memory, class Left>
    static Attempt<CountingReal> attempt(const System& system, const Schedule& schedule,
                                         const Progress<CountingReal>& progress, const Motion<System>& begin,
                                         Motion<System>& end, const Memory& before, Memory& after, CountingMask active,
                                         Left& left) {
        const OperationCounts counted_before = ledger().distinct;
        const Attempt<CountingReal> made =
            Integrator::attempt(system, schedule, progress, begin, end, before, after, active, left);
        const auto change = [&](CountingReal Memory::*entry) { return (after.*entry).value - (before.*entry).value; };
        CountedSteps& kind = change(&Memory::impacts) > 0.0    ? present->impact
                             : change(&Memory::problems) > 0.0 ? present->closed
                                                               : present->open;
        ++kind.steps, kind.counted += ledger().distinct - counted_before;
        kind.newton_iterations += change(&Memory::newton_iterations);
        kind.problems += change(&Memory::problems), kind.iterations += change(&Memory::prox_iterations);
        return made;
    }
};

// Every parameter varies here, so that each is a value and no constant of the code.
template <class Integrator, class System>
ContactOperations count(const study::Study& study, std::uint64_t instances) {
    using Carried = Instance<Integrator, System>;
    const Ensemble ensemble = make_ensemble(study);
    const backends::Task& task = ensemble.task;
    PlanTable table = task.plan;
    table.quantity_count = table.observed_count = 0;
    table.varied_count = static_cast<int>(task.parameters.size());
    for (int i = 0; i < table.varied_count; ++i) table.varied[i] = i;

    const TablePlan plan{table};
    const auto fields = static_cast<std::size_t>(record_fields<Carried>(plan));
    const auto states = static_cast<std::size_t>(bodies_of<System>(plan) * body_channels);
    std::vector<double> records(tile_instances * fields), initial(tile_instances * states),
        last = initial, quantities(tile_instances), thresholds(1), parameters = task.parameters;
    Launch<double> launch{};
    launch.records = records.data(), launch.initial_states = initial.data(), launch.final_states = last.data();
    launch.quantities = quantities.data(), launch.parameters = parameters.data();
    launch.thresholds = thresholds.data(), launch.slots = 1, launch.schedule = task.schedule;
    launch.schedule.rows = 0.0;
    launch.attempts = static_cast<long long>(task.schedule.total_steps) + 1;

    ContactOperations operations;
    operations.record_fields = static_cast<int>(fields) - table.varied_count;
    operations.bytes_unfused = static_cast<int>(sizeof(double) * (2 * fields + states)) -
                               static_cast<int>(sizeof(double)) * table.varied_count;
    present = &operations;
    for (std::uint64_t instance = 0; instance < instances; ++instance) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const int varied = task.plan.varied[i];
            records[i * tile_instances] =
                varied < 0 ? parameters[i]
                           : ensemble.varied[static_cast<std::size_t>(varied) * ensemble.instances + instance];
        }
        Run<Watched<Integrator>, System, TablePlan>(plan, launch, 0).begin();
        Run<Watched<Integrator>, System, TablePlan> run(plan, launch, 0);
        const long long steps_before = operations.steps();
        ledger().clear();
        run.advance();
        operations.all += ledger().distinct;
        const bool ok = run.instance.progress.status.value == static_cast<double>(Status::ok);
        operations.ended_ok = operations.ended_ok && ok && steps_before < operations.steps();
    }
    present = nullptr;
    return operations;
}

using Count = ContactOperations (*)(const study::Study& study, std::uint64_t instances);

template <class System, class... Integrator>
Count find_integrator(const std::string& name, IntegratorList<Integrator...>) {
    Count found = nullptr;
    ((name == Integrator::name ? void(found = count<Integrator, System>) : void()), ...);
    return found;
}
template <template <class, template <class> class> class... System>
Count find_system(const study::Study& study, SystemList<System...>) {
    Count found = nullptr;
    ((study.system->name == System<CountingReal, RotationGroup>::name
          ? void(found =
                     find_integrator<System<CountingReal, RotationGroup>>(study.integrator.name, ContactIntegrators{}))
          : void()),
     ...);
    return found;
}

}  // namespace

ContactOperations count_contact_steps(const study::Study& study, std::uint64_t instances) {
    Count found = nullptr;
    if (study.chart == "rotation" && study.precision == backends::Precision::fp64) {
        if (study.mechanism)
            found = find_integrator<JointMechanism<CountingReal, JointTopology, RotationGroup>>(
                study.integrator.name, MechanismContactIntegrators{});
        else
            found = find_system(study, ContactSystems{});
    }
    if (found == nullptr) throw std::invalid_argument("not counted: " + study.integrator.name);
    return found(study, instances);
}

}  // namespace myriad::bench
