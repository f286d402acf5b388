// Kernels in joint coordinates that read a mechanism's table with arrays of a size class, as a GPU begins and renews
// instances. They have the bits of those with arrays for the largest mechanism.
#include "tests/topology/runs.hpp"

namespace myriad::tests {

namespace {

template <class Topology>
using Joint = JointMechanism<double, Topology, RotationGroup>;
using Largest = Form<Joint<JointTopology>, TablePlan>;
using Sized = Form<Joint<SizedJointTopology<RobotClass>>, TablePlan>;
using Alpha = Implicit<GeneralizedAlpha>;

template <class Integrator>
void expect_same_bits_in_both_sizes(const std::string& name, const std::string& folder = "ensembles/mechanisms") {
    const auto mechanism = read(name, folder);
    ASSERT_LT(0, mechanism->table.joint.tree.links);
    const JointTable& joint = mechanism->table.joint;
    expect_fits_robot_class(mechanism->table);
    const int mass = joint.link_parameter + joint.link_of_body[0] * link_parameter_count + link_mass;
    const PlanTable table = plan_table(*mechanism, mass);
    expect_same_bits(run<Integrator, Sized>(*mechanism, table), run<Integrator, Largest>(*mechanism, table));
}

TEST(SizedJointTopology, HasTheBitsOfTheLargestForADoublePendulum) {
    expect_same_bits_in_both_sizes<Alpha>("double_pendulum");
    expect_same_bits_in_both_sizes<RungeKutta<Rk4>>("double_pendulum");
}

TEST(SizedJointTopology, HasTheBitsOfTheLargestForATopThatTurnsFreely) {
    expect_same_bits_in_both_sizes<Alpha>("heavy_top");
}

TEST(SizedJointTopology, HasTheBitsOfTheLargestForADrivenLoop) {
    expect_same_bits_in_both_sizes<Alpha>("four_link");
    expect_same_bits_in_both_sizes<Kinematics>("four_link");
}

TEST(SizedJointTopology, HasTheBitsOfTheLargestForAPumaWithItsControllers) {
    expect_same_bits_in_both_sizes<Alpha>("puma560");
}

TEST(SizedJointTopology, HasTheBitsOfTheLargestForALoopWithACoupling) {
    expect_same_bits_in_both_sizes<Alpha>("geared_crank", "tests/topology");
    expect_same_bits_in_both_sizes<RungeKutta<Rk4>>("geared_crank", "tests/topology");
}
TEST(SizedJointTopology, HasTheBitsOfTheLargestWithFrictionRotorsFormulasAndTables) {
    expect_same_bits_in_both_sizes<Alpha>("rubbing_arms", "tests/topology");
}

}  // namespace
}  // namespace myriad::tests
