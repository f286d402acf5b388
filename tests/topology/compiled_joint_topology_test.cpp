// The forms of kernels in joint coordinates, all of which a GPU has: compiled for a mechanism, or reading its table
// with arrays of a size class. They have the bits of the table form with arrays for the largest mechanism.
#include "tests/topology/runs.hpp"

namespace myriad::tests {

namespace {

template <class Topology>
using Joint = JointMechanism<double, Topology, RotationGroup>;
using Largest = Form<Joint<JointTopology>, TablePlan>;
template <class Topology>
using Compiled = Form<Joint<Topology>, PlanOf<Topology>>;
using Sized = Form<Joint<SizedJointTopology<RobotClass>>, TablePlan>;
using Alpha = Implicit<GeneralizedAlpha>;

template <class Integrator, class Topology>
void expect_same_bits_of_all_forms(const std::string& name, const std::string& folder = "ensembles/mechanisms") {
    const auto mechanism = read(name, folder);
    ASSERT_LT(0, mechanism->table.joint.tree.links);
    const JointTable& joint = mechanism->table.joint;
    expect_fits_robot_class(mechanism->table);
    const int mass = joint.link_parameter + joint.link_of_body[0] * link_parameter_count + link_mass;
    const PlanTable table = plan_table(*mechanism, false, mass);
    const Results expected = run<Integrator, Largest>(*mechanism, table);
    expect_same_bits(run<Integrator, Sized>(*mechanism, table), expected);
    expect_same_bits(run<Integrator, Sized, Compiled<Topology>>(*mechanism, table), expected);
}

TEST(CompiledJointTopology, HasTheBitsOfTheTableForADoublePendulum) {
    expect_same_bits_of_all_forms<Alpha, DoublePendulumJoint>("double_pendulum");
    expect_same_bits_of_all_forms<RungeKutta<Rk4>, DoublePendulumJoint>("double_pendulum");
}

TEST(CompiledJointTopology, HasTheBitsOfTheTableForATopThatTurnsFreely) {
    expect_same_bits_of_all_forms<Alpha, HeavyTopJoint>("heavy_top");
}

TEST(CompiledJointTopology, HasTheBitsOfTheTableForADrivenLoop) {
    expect_same_bits_of_all_forms<Alpha, FourLinkJoint>("four_link");
    expect_same_bits_of_all_forms<Kinematics, FourLinkJoint>("four_link");
}

TEST(CompiledJointTopology, HasTheBitsOfTheTableForAPumaWithItsControllers) {
    expect_same_bits_of_all_forms<Alpha, Puma560Joint>("puma560");
}

TEST(CompiledJointTopology, HasTheBitsOfTheTableForALoopWithACoupling) {
    expect_same_bits_of_all_forms<Alpha, GearedCrankJoint>("geared_crank", "tests/topology");
    expect_same_bits_of_all_forms<RungeKutta<Rk4>, GearedCrankJoint>("geared_crank", "tests/topology");
}
TEST(CompiledJointTopology, HasTheBitsOfTheTableWithFrictionRotorsFormulasAndTables) {
    expect_same_bits_of_all_forms<Alpha, RubbingArmsJoint>("rubbing_arms", "tests/topology");
}

}  // namespace
}  // namespace myriad::tests
