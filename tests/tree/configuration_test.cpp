// The configuration of a tree: its fields, reach, unit length, whole turns.
#include "kernels/tree/configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "kernels/joint_coordinates/topology.hpp"

namespace myriad::tree {
namespace {

using Rates = TreeRates<double, JointTopology>;
using Configuration = TreeConfiguration<double, JointTopology>;
constexpr double pi = 3.141592653589793;

TreeTable table_of(std::initializer_list<TreeJoint> chain) {
    std::vector<int> parents;
    for (std::size_t b = 0; b < chain.size(); ++b) parents.push_back(static_cast<int>(b) - 1);
    return tree_table(static_cast<int>(chain.size()), parents.data(), chain.begin());
}

TEST(TreeTopology, CountsFreedomsAndFieldsOfEveryJoint) {
    struct Expected {
        TreeJoint joint;
        int freedoms, fields, links;
    };
    for (const auto& [joint, freedoms, fields, links] :
         {Expected{TreeJoint::fixed, 0, 0, 1}, Expected{TreeJoint::revolute, 1, 2, 1},
          Expected{TreeJoint::prismatic, 1, 1, 1}, Expected{TreeJoint::cylindrical, 2, 3, 1},
          Expected{TreeJoint::universal, 2, 4, 2}, Expected{TreeJoint::spherical, 3, 4, 1},
          Expected{TreeJoint::planar, 3, 4, 1}, Expected{TreeJoint::translational, 3, 3, 1},
          Expected{TreeJoint::free, 6, 7, 1}}) {
        const TreeTable table = table_of({joint});
        EXPECT_EQ(table.freedoms, freedoms) << static_cast<int>(joint);
        EXPECT_EQ(table.fields, fields) << static_cast<int>(joint);
        EXPECT_EQ(table.links, links) << static_cast<int>(joint);
        EXPECT_EQ(freedoms_of(joint), freedoms);
        EXPECT_EQ(fields_of(joint), fields);
    }
}

TEST(TreeTopology, HasEntriesForFreedomsOfOnePathAlone) {
    // Two arms of two hinges on one free body: 6 x 7 / 2 + 2 (7 + 8)
    const int parents[] = {-1, 0, 1, 0, 3};
    const TreeJoint joints[] = {TreeJoint::free, TreeJoint::revolute, TreeJoint::revolute, TreeJoint::revolute,
                                TreeJoint::revolute};
    const TreeTable table = tree_table(5, parents, joints);
    EXPECT_EQ(table.freedoms, 10);
    EXPECT_EQ(table.entries, 51);
    EXPECT_EQ(table.freedom_parent[8], 5);
    EXPECT_EQ(table.freedom_parent[9], 8);
}

TEST(TreeTopology, IsEmptyBeyondItsCapacities) {
    std::vector<int> parents(most_tree_bodies + 1, -1);
    std::vector<TreeJoint> joints(parents.size(), TreeJoint::universal);
    EXPECT_EQ(tree_table(most_tree_bodies + 1, parents.data(), joints.data()).links, 0);
    EXPECT_EQ(tree_table(most_tree_links / 2 + 1, parents.data(), joints.data()).links, 0);
    EXPECT_EQ(tree_table(most_tree_links / 2, parents.data(), joints.data()).links, most_tree_links);
    joints.assign(joints.size(), TreeJoint::free);
    EXPECT_EQ(tree_table(most_tree_bodies, parents.data(), joints.data()).fields, most_tree_fields);
}

// A mechanism that is a chain of joints and nothing else.
struct Chain {
    std::unique_ptr<MechanismTable> table = std::make_unique<MechanismTable>();
    JointTopology tree{table.get()};

    explicit Chain(std::initializer_list<TreeJoint> joints) { table->joint.tree = table_of(joints); }
};

TEST(TreeConfiguration, ReachIsTheLargestTurnOfAnOrientation) {
    const Chain chain({TreeJoint::spherical, TreeJoint::revolute, TreeJoint::spherical});
    Rates u{};
    u.fit(chain.tree);
    u[1] = 0.4, u[3] = 1000.0, u[5] = -0.6;
    EXPECT_DOUBLE_EQ(reach(u), 0.09);
}

TEST(TreeConfiguration, SettlesOrientationsToUnitLength) {
    const Chain chain({TreeJoint::free, TreeJoint::revolute});
    const JointTopology& tree = chain.tree;
    Configuration q{};
    set_zero(tree, q);
    q[3] = 1.0 + 1e-9, q[4] = 1e-5, q[7] = 2.0;
    settle(q);
    EXPECT_NEAR(q[3] * q[3] + q[4] * q[4], 1.0, 1e-15);
    EXPECT_EQ(q[7], 2.0);
}

// An angle that turns by the same increment goes through 10,000 revolutions: its turns are integers, its value stays
// within half a turn, and their sum has the error of the additions alone: each rounds a number of up to pi once or
// twice.
TEST(TreeConfiguration, KeepsWholeTurnsExactOverTenThousandRevolutions) {
    constexpr int revolutions = 10000, steps = 7;
    constexpr double rounding = 4.5e-16;
    for (const double sign : {1.0, -1.0}) {
        const Chain chain({TreeJoint::cylindrical});
        const JointTopology& tree = chain.tree;
        Configuration q{}, next{};
        set_zero(tree, q);
        Rates u{};
        u.fit(tree);
        u[1] = sign * 2.0 * pi / steps;
        const long double turn = 2.0L * std::acos(-1.0L);
        long double expected = 0.0L;
        for (int i = 1; i <= revolutions * steps; ++i) {
            retract(q, u, next);
            q = next;
            expected += static_cast<long double>(u[1]);
            ASSERT_EQ(q[2], std::nearbyint(q[2]));
            ASSERT_LE(std::abs(q[1]), pi);
            const long double whole = static_cast<long double>(q[1]) + turn * static_cast<long double>(q[2]);
            ASSERT_LE(std::abs(static_cast<double>(whole - expected)), rounding * i + 1e-13) << "step " << i;
        }
        EXPECT_EQ(q[2], sign * revolutions);
    }
}

TEST(TreeConfiguration, TakesManyTurnsInOneStep) {
    const Chain chain({TreeJoint::revolute});
    const JointTopology& tree = chain.tree;
    Configuration q{}, end{};
    set_zero(tree, q);
    Rates u{};
    u.fit(tree);
    u[0] = 1e6;
    retract(q, u, end);
    EXPECT_EQ(end[1], 159155.0);
    EXPECT_NEAR(std::sin(end[0]), std::sin(u[0]), 4.5e-16);
    EXPECT_NEAR(std::cos(end[0]), std::cos(u[0]), 4.5e-16);
}

}  // namespace
}  // namespace myriad::tree
