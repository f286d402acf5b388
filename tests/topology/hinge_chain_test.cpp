// The kernel form for chains of hinges has the bits of the table form for every mechanism, also behind a start by that.
#include "kernels/joint_coordinates/hinge_chain.hpp"

#include "tests/topology/runs.hpp"

namespace myriad::tests {

namespace {

template <class Topology>
using Tree = Form<JointMechanism<double, Topology, RotationGroup>, TablePlan>;
template <int hinges>
struct ChainCapacity : HingeChainCapacity<hinges> {
    template <class Real>
    using Parameters = ParametersOnUse<Real, TablePlan>;
};
template <int hinges>
using Chain = Tree<HingeChain<ChainCapacity<hinges>>>;

// `peak`: a quantity looks at every step, else at the end alone.
template <class Integrator, int hinges>
void expect_same_bits_of_a_chain(const std::string& name, bool peak, const std::string& folder) {
    const auto mechanism = read(name, folder);
    const JointTable& joint = mechanism->table.joint;
    ASSERT_EQ(joint.tree.links, hinges);
    ASSERT_LE(joint.laws, hinges);
    PlanTable table = plan_table(*mechanism, false, joint.link_parameter + link_mass);
    if (!peak) table.reductions[0] = Reduction::final;
    expect_same_bits(run<Integrator, Tree<JointTopology>, Chain<hinges>>(*mechanism, table),
                     run<Integrator, Tree<JointTopology>>(*mechanism, table));
}

const std::string bundled = "ensembles/mechanisms", own = "tests/topology";

TEST(HingeChain, HasTheBitsOfTheTableForADoublePendulum) {
    for (const bool peak : {true, false})
        expect_same_bits_of_a_chain<Implicit<GeneralizedAlpha>, 2>("double_pendulum", peak, bundled);
}

TEST(HingeChain, HasTheBitsOfTheTableWhereOneHingeOfThreeHasALaw) {
    for (const bool peak : {true, false}) {
        expect_same_bits_of_a_chain<Implicit<GeneralizedAlpha>, 3>("sprung_chain", peak, own);
        expect_same_bits_of_a_chain<RungeKutta<Rk4>, 3>("sprung_chain", peak, own);
    }
}

TEST(HingeChain, HasTheBitsOfTheTableForAPumaWithItsControllers) {
    expect_same_bits_of_a_chain<Implicit<GeneralizedAlpha>, 6>("puma560", true, bundled);
}

}  // namespace
}  // namespace myriad::tests
