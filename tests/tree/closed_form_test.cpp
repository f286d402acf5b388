// Trees that are held, move as one body or cannot be solved.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tree/random_trees.hpp"

namespace myriad::tree {
namespace {

RandomTree chain_of(std::initializer_list<reference::TwinJoint> joints) {
    std::vector<reference::TwinBody> bodies;
    for (const reference::TwinJoint joint : joints) {
        reference::TwinBody body;
        body.parent = static_cast<int>(bodies.size()) - 1, body.joint = joint;
        bodies.push_back(body);
    }
    return RandomTree(bodies, 5);
}

TEST(Trees, BodyFixedOnTheGroundStandsStillAndIsHeldAgainstItsWeight) {
    const RandomTree random = chain_of({reference::TwinJoint::fixed});
    const auto run = run_of(random);
    run->move(false);
    EXPECT_EQ(run->table.freedoms, 0);
    EXPECT_EQ(factor_symmetric(run->matrix), -1.0);
    const BodyState<double> state = body_state(run->links, run->poses, run->table.last_link[0]);
    const Vec<3, double> held = run->poses[0].matrix * run->wrenches[0].linear;
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(state.position[i], random.bodies[0].centre[i], round_off);
        EXPECT_NEAR(held[i], -random.bodies[0].mass * random.gravity[i], round_off);
        EXPECT_EQ(state.velocity[i], 0.0);
    }
}

// A rod in two pieces has the equations of one piece.
TEST(Trees, BodiesFixedTogetherMoveAsOne) {
    RandomTree two = chain_of({reference::TwinJoint::spherical, reference::TwinJoint::fixed});
    RandomTree one = two;
    const reference::TwinBody &a = two.bodies[0], &b = two.bodies[1];
    reference::TwinBody& whole = one.bodies[0];
    whole.mass = a.mass + b.mass, whole.centre = (a.mass * a.centre + b.mass * b.centre) / whole.mass;
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    for (const reference::TwinBody* part : {&a, &b}) {
        const Eigen::Matrix3d r = part->orientation.toRotationMatrix();
        const Eigen::Vector3d c = part->centre - whole.centre;
        inertia += r * part->inertia * r.transpose() +
                   part->mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    }
    const Eigen::Matrix3d r = a.orientation.toRotationMatrix();
    whole.inertia = r.transpose() * inertia * r;
    one.bodies.pop_back();
    const auto of_two = run_of(two), of_one = run_of(one);
    of_two->move(false), of_one->move(false);
    EXPECT_LE(relative_difference(of_two->of(of_two->forces), of_one->of(of_one->forces)), round_off);
    EXPECT_LE(relative_difference(of_two->dense(true), of_one->dense(true)), round_off);
}

TEST(Trees, SlenderRodKeepsTheDigitsOfItsInertiaAboutItsAxis) {
    RandomTree random = chain_of({reference::TwinJoint::revolute});
    constexpr double along = 1e-9;
    reference::TwinBody& rod = random.bodies[0];
    rod.inertia = Eigen::Vector3d(1.0, 1.0, along).asDiagonal();
    rod.axis = rod.orientation * Eigen::Vector3d::UnitZ();
    rod.point = rod.centre;
    EXPECT_NEAR(run_of(random)->dense(true)(0, 0), along, along * round_off);
}

TEST(Trees, EliminationNamesTheFreedomThatMovesNoMass) {
    RandomTree random = chain_of({reference::TwinJoint::revolute, reference::TwinJoint::revolute,
                                  reference::TwinJoint::prismatic, reference::TwinJoint::fixed});
    random.bodies[2].mass = random.bodies[3].mass = 0.0;
    random.bodies[2].inertia.setZero(), random.bodies[3].inertia.setZero();
    auto run = run_of(random);
    EXPECT_EQ(factor_symmetric(run->matrix), 2.0);
    run->compose_matrix(), mirror(run->matrix);
    EXPECT_EQ(factor(run->matrix), 2.0);
    random.bodies[3].mass = 0.1;  // the composite counts, not the body
    run = run_of(random);
    EXPECT_EQ(factor_symmetric(run->matrix), -1.0);
    random.bodies[1].mass = std::nan("");
    run = run_of(random);
    EXPECT_GE(factor_symmetric(run->matrix), 0.0);
}

}  // namespace
}  // namespace myriad::tree
