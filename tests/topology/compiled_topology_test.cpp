// A mechanism compiled as constants has the bits of the table that is read at run time, in every form and Real.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "generated/compiled_topologies.hpp"
#include "host/mechanism/mechanism.hpp"
#include "papers/catalog.hpp"

namespace myriad::tests {

// As TablePlan, with a topology on constants.
template <class Topology>
struct PlanOf {
    static constexpr int quantity_capacity = most_quantities;
    const PlanTable& table;

    template <class Wanted>
    Wanted topology() const {
        return {};
    }
    int varied_fields() const { return table.varied_count; }
    int varied_field(int parameter) const { return table.varied[parameter]; }
    int quantities() const { return table.quantity_count; }
    Reduction reduction(int quantity) const { return table.reductions[quantity]; }
    int quantity_channel(int quantity) const { return table.quantity_channels[quantity]; }
    bool windowed(int quantity) const { return table.windowed[quantity] != 0; }
    int observed() const { return table.observed_count; }
    int observed_channel(int entry) const { return table.observed_channels[entry]; }
};

namespace {

constexpr int instances = 5;  // no multiple of a pack
constexpr int slots = tile_instances;
constexpr int observed_rows = 5;

std::shared_ptr<const mechanism::Mechanism> read(const std::string& name) {
    return mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/" + name + ".json");
}

// The masses of the first body vary; every channel that the mechanism has is observed, one is reduced.
PlanTable plan_table(const mechanism::Mechanism& mechanism, bool keeps_factors) {
    PlanTable table{};
    table.mechanism = &mechanism.table;
    table.keeps_factors = keeps_factors ? 1 : 0;
    std::fill(std::begin(table.varied), std::end(table.varied), -1);
    table.varied[first_body_parameter + body_mass] = 0, table.varied_count = 1;
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

template <class Integrator, class System, class Plan>
Results run(const mechanism::Mechanism& mechanism, const PlanTable& table) {
    using Real = typename System::Real;
    using Task = Run<Integrator, System, Plan>;
    const Plan plan{table};
    const auto rows = [](int count) { return std::vector<double>(static_cast<std::size_t>(count) * slots); };
    const int states = mechanism.table.bodies * body_channels;
    Results results{rows(record_fields<typename Task::Carried>(plan)), rows(states), rows(states),
                    rows(observed_rows * table.observed_count), rows(1)};
    std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    for (int i = 0; i < slots; ++i)
        results.records[static_cast<std::size_t>(i)] =
            parameters[first_body_parameter + body_mass] * (1.0 + 0.01 * std::sin(1.0 + i));
    parameters[first_body_parameter + body_mass] = NAN;  // shared by none
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
    constexpr int width = Lanes<Real>::width, groups = (instances + width - 1) / width;
    for (int group = 0; group < groups; ++group) Task(plan, launch, group).begin();
    for (int sweep = 0; sweep < 3; ++sweep)
        for (int group = 0; group < groups; ++group) Task(plan, launch, group).advance();
    return results;
}

template <class Integrator, template <class> class Chart, class Topology, class Real>
void expect_same_bits(const mechanism::Mechanism& mechanism, bool keeps_factors = false) {
    const PlanTable table = plan_table(mechanism, keeps_factors);
    const auto expected = run<Integrator, Mechanism<double, TableTopology, Chart>, TablePlan>(mechanism, table);
    const auto compiled = run<Integrator, Mechanism<Real, Topology, Chart>, PlanOf<Topology>>(mechanism, table);
    EXPECT_TRUE(compiled == expected);
    // Field 1 of the record behind the one varied parameter: the steps taken.
    EXPECT_EQ(expected.records[2 * slots], 20.0) << "the run ended early";
    // Where the drivers leave no freedom, only reactions and energies depend on the mass.
    bool neighbours_differ = false;
    for (std::size_t at = 0; at < expected.trajectory.size(); at += slots)
        neighbours_differ = neighbours_differ || expected.trajectory[at] != expected.trajectory[at + 1];
    EXPECT_TRUE(neighbours_differ);
}

using FourLanes = Pack<double, 4>;
using Alpha = Implicit<GeneralizedAlpha>;

TEST(CompiledTopology, HasTheBitsOfTheTableForAHeavyTop) {
    const auto mechanism = read("heavy_top");
    expect_same_bits<Alpha, RotationGroup, HeavyTopUnrolled, double>(*mechanism);
    expect_same_bits<Alpha, RotationGroup, HeavyTopRolled, FourLanes>(*mechanism);
}

TEST(CompiledTopology, HasTheBitsOfTheTableForADoublePendulumThatKeepsItsFactors) {
    const auto mechanism = read("double_pendulum");
    expect_same_bits<Implicit<ImplicitEuler>, EulerParameterChart, DoublePendulumUnrolledKeepingFactors, double>(
        *mechanism, true);
}

TEST(CompiledTopology, HasTheBitsOfTheTableForADrivenFourLink) {
    const auto mechanism = read("four_link");
    expect_same_bits<Kinematics, RotationGroup, FourLinkUnrolled, FourLanes>(*mechanism);
}

TEST(CompiledTopology, HasTheBitsOfTheTableForAPumaWithItsControllers) {
    const auto mechanism = read("puma560");
    expect_same_bits<Alpha, RotationGroup, Puma560Unrolled, double>(*mechanism);
    expect_same_bits<Alpha, RotationGroup, Puma560Rolled, double>(*mechanism);
}

TEST(CompiledTopology, HasTheBitsOfTheTableForEnergyMomentumMethods) {
    const auto top = read("heavy_top"), pendulum = read("double_pendulum");
    expect_same_bits<MechanismEnergyMomentum<ConvectiveMember>, RotationGroup, HeavyTopUnrolled, double>(*top);
    expect_same_bits<MechanismEnergyMomentum<ConvectiveMember>, RotationGroup, HeavyTopRolled, FourLanes>(*top);
    expect_same_bits<MechanismEnergyMomentum<LivensMidpointRule>, RotationGroup, HeavyTopUnrolled, double>(*top);
    expect_same_bits<MechanismEnergyMomentum<LivensEnergyMomentum>, RotationGroup, DoublePendulumUnrolledKeepingFactors,
                     double>(*pendulum, true);
}

}  // namespace
}  // namespace myriad::tests
