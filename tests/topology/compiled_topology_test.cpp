// A mechanism compiled as constants has the bits of the table that is read at run time, in every form and Real; so has
// one that begins by the table with arrays of a size class, as on a GPU.
#include "tests/topology/runs.hpp"

namespace myriad::tests {
namespace {

template <class Integrator, template <class> class Chart, class Topology, class Real>
void expect_same_bits(const mechanism::Mechanism& mechanism, bool keeps_factors = false) {
    const PlanTable table = plan_table(mechanism, keeps_factors);
    using Read = Form<Mechanism<double, TableTopology, Chart>, TablePlan>;
    using Compiled = Form<Mechanism<Real, Topology, Chart>, PlanOf<Topology>>;
    using Sized = Form<Mechanism<double, SizedTopology<RobotClass>, Chart>, TablePlan>;
    expect_fits_robot_class(mechanism.table);
    const Results expected = run<Integrator, Read>(mechanism, table);
    tests::expect_same_bits(run<Integrator, Compiled>(mechanism, table), expected);
    tests::expect_same_bits(run<Integrator, Sized, Compiled>(mechanism, table), expected);
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
