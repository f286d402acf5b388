// Trees whose equations are known in closed form, and trees that cannot be solved.
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

// Two rods in the plane z = 0 that hang along x at zero, the angle of the second from the first:
//   M11 = J1 + m1 c1^2 + J2 + m2 (l1^2 + c2^2 + 2 l1 c2 cos q2),  M12 = J2 + m2 (c2^2 + l1 c2 cos q2),  M22 = J2 + m2
//   c2^2 r1 = M11 q1'' + M12 q2'' - m2 l1 c2 sin q2 (2 q1' q2' + q2'^2) + (m1 c1 + m2 l1) g cos q1 + m2 c2 g cos(q1 +
//   q2) r2 = M12 q1'' + M22 q2'' + m2 l1 c2 sin q2 q1'^2 + m2 c2 g cos(q1 + q2)
TEST(Trees, DoublePendulumHasItsTextbookEquations) {
    RandomTree random = chain_of({reference::TwinJoint::revolute, reference::TwinJoint::revolute});
    const double l1 = 1.3, c1 = 0.6, c2 = 0.45, g = 9.81;
    random.gravity = Eigen::Vector3d(0.0, -g, 0.0);
    for (std::size_t b = 0; b < 2; ++b) {
        random.bodies[b].axis = Eigen::Vector3d::UnitZ(), random.bodies[b].second = Eigen::Vector3d::UnitY();
        random.bodies[b].orientation = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitZ());
        random.bodies[b].inertia = Eigen::Vector3d(0.2, 0.3, 0.25 + 0.1 * static_cast<double>(b)).asDiagonal();
    }
    random.bodies[0].point = Eigen::Vector3d(0.4, -0.2, 0.0), random.bodies[1].point = Eigen::Vector3d(1.7, -0.2, 0.0);
    random.bodies[0].centre = random.bodies[0].point + Eigen::Vector3d(c1, 0.0, 0.0);
    random.bodies[1].centre = random.bodies[1].point + Eigen::Vector3d(c2, 0.0, 0.0);
    const auto run = run_of(random);
    run->move(false);
    const double m1 = random.bodies[0].mass, m2 = random.bodies[1].mass, j1 = 0.25, j2 = 0.35;
    const double q1 = random.q[0].angles[0], q2 = random.q[1].angles[0], w1 = random.v[0], w2 = random.v[1];
    const double m11 = j1 + m1 * c1 * c1 + j2 + m2 * (l1 * l1 + c2 * c2 + 2.0 * l1 * c2 * std::cos(q2)),
                 m12 = j2 + m2 * (c2 * c2 + l1 * c2 * std::cos(q2)), m22 = j2 + m2 * c2 * c2;
    const double curl = m2 * l1 * c2 * std::sin(q2), outer = m2 * c2 * g * std::cos(q1 + q2);
    const Eigen::MatrixXd mass = run->dense(true);
    EXPECT_NEAR(mass(0, 0), m11, round_off);
    EXPECT_NEAR(mass(1, 0), m12, round_off);
    EXPECT_NEAR(mass(1, 1), m22, round_off);
    EXPECT_NEAR(run->forces[0],
                m11 * random.a[0] + m12 * random.a[1] - curl * (2.0 * w1 * w2 + w2 * w2) +
                    (m1 * c1 + m2 * l1) * g * std::cos(q1) + outer,
                round_off);
    EXPECT_NEAR(run->forces[1], m12 * random.a[0] + m22 * random.a[1] + curl * w1 * w1 + outer, round_off);
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
