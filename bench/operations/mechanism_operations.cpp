#include "bench/operations/mechanism_operations.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/operations/counting_real.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/program/list/list_mechanism.hpp"

namespace myriad::bench {

namespace {

using CountedTree = JointMechanism<CountingReal, JointTopology, RotationGroup>;

// Every parameter varies here, so that each is a value and no constant of the code.
template <class Integrator>
MechanismOperations counted(const mechanism::Mechanism& mechanism, const Schedule& schedule, int steps_counted) {
    using Carried = Instance<Integrator, CountedTree>;
    PlanTable table{};
    table.mechanism = &mechanism.table;
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
        Run<Integrator, CountedTree, TablePlan> present(plan, launch, 0);
        ledger().clear();
        present.advance();
        return ledger().distinct;
    };
    launch.attempts = 0;
    Run<Integrator, CountedTree, TablePlan>(plan, launch, 0).begin();
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
template <class Integrator>
MechanismOperations count(const study::Study& study) {
    return counted<Integrator>(*study.mechanism, study.task().schedule, steps_per_certificate);
}

}  // namespace

MechanismOperations count_mechanism_step(const study::Study& study) {
    if (!study.mechanism || study.chart != "rotation")
        throw std::invalid_argument("only mechanisms on the chart rotation are counted");
    if (study.integrator.name == "generalized_alpha") return count<Implicit<GeneralizedAlpha>>(study);
    if (study.integrator.name == "implicit_euler") return count<Implicit<ImplicitEuler>>(study);
    if (study.integrator.name == "kinematics") return count<Kinematics>(study);
    if (study.integrator.name == "rk4") return count<RungeKutta<Rk4>>(study);
    if (study.integrator.name == "energy_momentum") return count<MechanismEnergyMomentum<LivensEnergyMomentum>>(study);
    if (study.integrator.name == "livens_midpoint") return count<MechanismEnergyMomentum<LivensMidpointRule>>(study);
    if (study.integrator.name == "energy_momentum_convective")
        return count<MechanismEnergyMomentum<ConvectiveMember>>(study);
    throw std::invalid_argument("not counted: " + study.integrator.name);
}

}  // namespace myriad::bench

namespace myriad::program {

std::optional<StepCost> step_cost(const mechanism::Mechanism& mechanism, mechanism::Coordinates coordinates) {
    std::shared_ptr<const mechanism::Mechanism> counted(std::shared_ptr<const void>(), &mechanism);
    if (coordinates == mechanism::Coordinates::body) counted = mechanism::with_joints_cut(counted);
    if (counted->table.contacts > 0 || !counted->body_coordinates_because.empty()) return std::nullopt;
    Schedule schedule{};
    schedule.step_s = step_cost_step_s, schedule.most_attempts = 1e15, schedule.end_s = 1e9;
    schedule.spectral_radius = 0.9, schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 20.0;
    const bench::MechanismOperations cost = bench::counted<Implicit<GeneralizedAlpha>>(*counted, schedule, 2);
    return StepCost{cost.flops, cost.record_fields};
}

}  // namespace myriad::program
