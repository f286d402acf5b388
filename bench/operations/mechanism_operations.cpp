#include "bench/operations/mechanism_operations.hpp"

#include <stdexcept>
#include <vector>

#include "bench/operations/counting_real.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/program/list/list_mechanism.hpp"

namespace myriad::bench {

namespace {

using CountedBodies = Mechanism<CountingReal, TableTopology, RotationGroup>;
using CountedTree = JointMechanism<CountingReal, JointTopology, RotationGroup>;

// Every parameter varies here, so that each is a value and no constant of the code.
template <class Integrator, class Counted>
MechanismOperations counted(const mechanism::Mechanism& mechanism, const Schedule& schedule, int keeps_factors,
                            int steps_counted) {
    using Carried = Instance<Integrator, Counted>;
    PlanTable table{};
    table.mechanism = &mechanism.table, table.keeps_factors = keeps_factors;
    for (int& field : table.varied) field = -1;
    for (int i = 0; i < table.mechanism->parameters; ++i) table.varied[i] = i;
    table.varied_count = table.mechanism->parameters;

    const TablePlan plan{table};
    const auto fields = static_cast<std::size_t>(record_fields<Carried>(plan));
    const std::size_t states = static_cast<std::size_t>(table.mechanism->bodies) * body_channels;
    std::vector<double> records(tile_instances * fields), initial(tile_instances * states),
        last = initial, quantities(tile_instances), thresholds(1), parameters = mechanism.nominal_kernel_parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) records[i * tile_instances] = parameters[i];
    Launch<double> launch{};
    launch.records = records.data(), launch.initial_states = initial.data(), launch.final_states = last.data();
    launch.quantities = quantities.data(), launch.parameters = parameters.data();
    launch.thresholds = thresholds.data(), launch.slots = 1, launch.schedule = schedule;
    launch.schedule.rows = 0.0, launch.schedule.full_steps = launch.schedule.total_steps = 1e9;

    const auto run = [&](int steps) {
        launch.attempts = steps;
        Run<Integrator, Counted, TablePlan> present(plan, launch, 0);
        ledger().clear();
        present.advance();
        return ledger().distinct;
    };
    launch.attempts = 0;
    Run<Integrator, Counted, TablePlan>(plan, launch, 0).begin();
    run(steps_per_certificate);  // states beyond are looked at now and then
    const std::vector<double> kept = records;
    const OperationCounts one = run(1);
    records = kept;
    const OperationCounts many = run(steps_counted + 1);

    MechanismOperations result;
    result.flops = (many - one).flops() / steps_counted;
    result.instructions = (many - one).instructions() / steps_counted;
    result.record_fields = static_cast<int>(fields) - table.varied_count;
    return result;
}
template <class Integrator, class Counted = CountedBodies>
MechanismOperations count(const study::Study& study) {
    const backends::Task task = study.task();
    return counted<Integrator, Counted>(*study.mechanism, task.schedule, task.plan.keeps_factors,
                                        steps_per_certificate);
}

}  // namespace

MechanismOperations count_mechanism_step(const study::Study& study) {
    if (!study.mechanism || study.chart != "rotation")
        throw std::invalid_argument("only mechanisms on the chart rotation are counted");
    if (study.kernels == mechanism::Coordinates::joint) {
        if (study.integrator.name == "generalized_alpha") return count<Implicit<GeneralizedAlpha>, CountedTree>(study);
        if (study.integrator.name == "implicit_euler") return count<Implicit<ImplicitEuler>, CountedTree>(study);
        if (study.integrator.name == "kinematics") return count<Kinematics, CountedTree>(study);
        if (study.integrator.name == "rk4") return count<RungeKutta<Rk4>, CountedTree>(study);
        if (study.integrator.name == "energy_momentum")
            return count<MechanismEnergyMomentum<LivensEnergyMomentum>, CountedTree>(study);
        if (study.integrator.name == "livens_midpoint")
            return count<MechanismEnergyMomentum<LivensMidpointRule>, CountedTree>(study);
        if (study.integrator.name == "energy_momentum_convective")
            return count<MechanismEnergyMomentum<ConvectiveMember>, CountedTree>(study);
    }
    if (study.integrator.name == "generalized_alpha") return count<Implicit<GeneralizedAlpha>>(study);
    if (study.integrator.name == "implicit_euler") return count<Implicit<ImplicitEuler>>(study);
    if (study.integrator.name == "kinematics") return count<Kinematics>(study);
    throw std::invalid_argument("not counted: " + study.integrator.name);
}

}  // namespace myriad::bench

namespace myriad::program {

std::optional<StepCost> step_cost(const mechanism::Mechanism& mechanism, mechanism::Coordinates coordinates) {
    const bool is_joint = coordinates == mechanism::Coordinates::joint;
    if (mechanism.table.contacts > 0 || (is_joint && mechanism.table.joint.tree.links == 0)) return std::nullopt;
    Schedule schedule{};
    schedule.step_s = step_cost_step_s, schedule.most_attempts = 1e15, schedule.end_s = 1e9;
    schedule.spectral_radius = 0.9, schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 20.0;
    constexpr int steps = 2;
    const bench::MechanismOperations cost =
        is_joint ? bench::counted<Implicit<GeneralizedAlpha>, bench::CountedTree>(mechanism, schedule, 0, steps)
                 : bench::counted<Implicit<GeneralizedAlpha>, bench::CountedBodies>(mechanism, schedule, 0, steps);
    return StepCost{cost.flops, cost.record_fields};
}

}  // namespace myriad::program
