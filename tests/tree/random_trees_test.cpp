// 1,000 random trees of every joint against the twin, which differentiates the positions of the bodies, and against
// Eigen.
#include "tests/tree/random_trees.hpp"

#include <gtest/gtest.h>

#include <set>

namespace myriad::tree {
namespace {

// Spins of up to 10 rad/s: small enough for a matrix that stays near the positive definite one of the masses
constexpr double step_s = 0.01;
// Powers and energies: differences of fourth order with steps of 1e-3 of motions of up to 10 rad/s, and energies of
// some 1e4 J rounded to 1e-12 J over that step.
constexpr double difference_step = 1e-3, difference_tolerance = 1e-9;

template <class Look>
void for_random_trees(Look&& look) {
    for (std::uint64_t seed = 0; seed < random_trees; ++seed) {
        const RandomTree random(seed, seed + random_trees);
        ASSERT_EQ(random.table().bodies, static_cast<int>(random.bodies.size())) << "tree " << seed;
        look(random, *run_of(random));
        if (testing::Test::HasFailure()) FAIL() << "tree " << seed;
    }
}

TEST(RandomTrees, HaveEveryJointUnderEveryOther) {
    std::set<std::pair<int, int>> seen;
    for (std::uint64_t seed = 0; seed < random_trees; ++seed)
        for (const RandomTree random(seed, seed); const reference::TwinBody& body : random.bodies)
            seen.insert(
                {body.parent < 0 ? -1 : static_cast<int>(random.bodies[static_cast<std::size_t>(body.parent)].joint),
                 static_cast<int>(body.joint)});
    // Each of nine on the ground, each but the free one on each of nine
    EXPECT_EQ(seen.size(), 9U + 9U * 8U);
}

TEST(RandomTrees, PlaceAndMoveBodiesAsTheTwinDoes) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        const auto expected = random.twin().motion(random.q, random.v, random.a);
        for (int b = 0; b < run.table.bodies; ++b) {
            const auto& twin = expected[static_cast<std::size_t>(b)];
            const BodyState<double> state = body_state(run.links, run.poses, run.table.last_link[b]);
            const auto eigen = [](const Vec<3, double>& x) { return Eigen::Vector3d(x[0], x[1], x[2]); };
            const Rotation<double>& r = state.orientation;
            ASSERT_LE(relative_difference(eigen(state.position), twin.position), round_off);
            ASSERT_LE(relative_difference(eigen(state.velocity), twin.velocity), round_off);
            ASSERT_LE(relative_difference(eigen(state.angular_velocity), twin.angular_velocity), round_off);
            ASSERT_LE(relative_difference(Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix(), twin.orientation),
                      round_off);
        }
    });
}

// Angles through several turns, orientations through half a radian and more
TEST(RandomTrees, RetractToTheConfigurationOfTheTwin) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        TreeRates<double, TableTree> u = run.a;
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            const int first = link.freedom + link.slides;
            if (link.turning == TreeTurning::about_z) u[first] *= 10.0;
            for (int k = 0; k < 3 && link.turning == TreeTurning::any; ++k) u[first + k] *= 0.25;
        }
        const auto reached = random.twin().retract(random.q, run.of(u));
        const auto expected = random.twin().motion(reached, random.v, random.a);
        const TreeConfiguration<double, TableTree> start = run.q;
        retract(start, u, run.q);
        run.move(false);
        for (int b = 0; b < run.table.bodies; ++b) {
            const BodyState<double> state = body_state(run.links, run.poses, run.table.last_link[b]);
            const Rotation<double>& r = state.orientation;
            const Vec<3, double>& x = state.position;
            const auto& twin = expected[static_cast<std::size_t>(b)];
            ASSERT_LE(relative_difference(Eigen::Vector3d(x[0], x[1], x[2]), twin.position), round_off);
            ASSERT_LE(relative_difference(Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix(), twin.orientation),
                      round_off);
        }
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            if (link.turning != TreeTurning::about_z) continue;
            const int field = link.field + link.slides;
            ASSERT_NEAR(run.q.whole_angle(field), start[field] + u[link.freedom + link.slides], round_off);
        }
    });
}

TEST(RandomTrees, TakeTheForcesOfTheTwin) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        const Eigen::VectorXd expected = random.twin().forces(random.q, random.v, random.a, random.loads);
        ASSERT_LE(relative_difference(run.of(run.forces), expected), round_off);
    });
}

// What the parent does to a body through its joint moves all that hangs on it, against gravity and loads.
TEST(RandomTrees, ReactionsBalanceWhatHangsOnTheJoint) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        const auto moving = random.twin().motion(random.q, random.v, random.a);
        for (int b = 0; b < run.table.bodies; ++b) {
            const int l = run.table.last_link[b];
            const Place<double>& pose = run.poses[l];
            const Eigen::Vector3d point(pose.position[0], pose.position[1], pose.position[2]);
            Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
            for (int k = b; k < run.table.bodies; ++k) {
                int p = k;
                while (p > b) p = run.table.parent[p];
                if (p != b) continue;
                const auto i = static_cast<std::size_t>(k);
                const reference::TwinMotion& m = moving[i];
                const Eigen::Vector3d own =
                    random.bodies[i].mass * (m.acceleration - random.gravity) - random.loads[i].head<3>();
                const Eigen::Matrix3d& j = random.bodies[i].inertia;
                force += own;
                moment +=
                    (m.position - point).cross(own) - random.loads[i].tail<3>() +
                    m.orientation * (j * m.angular_acceleration + m.angular_velocity.cross(j * m.angular_velocity));
            }
            const Vec<3, double> f = pose.matrix * run.wrenches[l].linear, t = pose.matrix * run.wrenches[l].angular;
            ASSERT_LE(relative_difference(Eigen::Vector3d(f[0], f[1], f[2]), force), round_off) << "body " << b;
            ASSERT_LE(relative_difference(Eigen::Vector3d(t[0], t[1], t[2]), moment), round_off) << "body " << b;
        }
    });
}

TEST(RandomTrees, HaveTheMassMatrixOfTheTwin) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        ASSERT_LE(relative_difference(run.dense(true), random.twin().mass_matrix(random.q)), round_off);
    });
}

TEST(RandomTrees, TakeForcesThatDependOnAccelerationsByTheMassMatrix) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::VectorXd with = run.of(run.forces), a = run.of(run.a);
        const Eigen::MatrixXd mass = run.dense(true);
        for (int i = 0; i < run.table.freedoms; ++i) run.a[i] = 0.0;
        run.move();
        ASSERT_LE(relative_difference(with - run.of(run.forces), mass * a), round_off);
    });
}

TEST(RandomTrees, EliminationSolvesWhatADenseSolveDoes) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::MatrixXd mass = run.dense(true);
        const Eigen::VectorXd b = run.of(run.a);
        if (b.size() == 0) return;
        TreeRates<double, TableTree> x = run.a;
        ASSERT_EQ(factor_symmetric(run.matrix), -1.0);
        solve_symmetric(run.matrix, x.e);
        const Eigen::VectorXd found = run.of(x), expected = mass.partialPivLu().solve(b);
        ASSERT_LE((mass * found - b).norm() / (mass.norm() * found.norm() + b.norm()), round_off);
        const double condition = Eigen::JacobiSVD<Eigen::MatrixXd>(mass).singularValues()(0) /
                                 Eigen::JacobiSVD<Eigen::MatrixXd>(mass).singularValues().tail<1>()(0);
        ASSERT_LE((found - expected).norm(), 1e-15 * condition * static_cast<double>(b.size()) * expected.norm());
    });
}

TEST(RandomTrees, EliminationTakesGyroscopicTermsUnsymmetrically) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        mirror(run.matrix);
        add_gyroscopic_blocks(run.v, run.composites, run.motions, step_s, run.matrix);
        const Eigen::MatrixXd matrix = run.dense(false);
        TreeRates<double, TableTree> x = run.a;
        ASSERT_EQ(factor(run.matrix), -1.0);
        solve(run.matrix, x.e);
        const Eigen::VectorXd found = run.of(x), b = run.of(run.a);
        if (b.size() == 0) return;
        ASSERT_LE((matrix * found - b).norm() / (matrix.norm() * found.norm() + b.norm()), round_off);
    });
}

// The forces are quadratic in the rates, so that a central difference of any step has nothing but round-off.
TEST(RandomTrees, GyroscopicBlocksAreTheDerivativeByTheRateOfAnOuterOrientation) {
    int blocks = 0;
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::MatrixXd mass = run.dense(true);
        mirror(run.matrix);
        add_gyroscopic_blocks(run.v, run.composites, run.motions, 1.0, run.matrix);
        const Eigen::MatrixXd block = run.dense(false) - mass;
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            if (link.turning != TreeTurning::any) continue;
            bool outer = true;  // all that hangs on it is fixed to it
            for (int k = l + 1; k < run.table.links; ++k)
                for (int p = k; p >= 0; p = run.table.link[p].parent)
                    if (run.table.link[p].parent == l &&
                        (run.table.link[k].slides > 0 || run.table.link[k].turning != TreeTurning::none))
                        outer = false;
            if (!outer) continue;
            const int first = link.freedom + link.slides;
            for (int j = 0; j < 3; ++j) {
                const double rate = run.v[first + j];
                run.v[first + j] = rate + 0.5, run.move();
                const Eigen::VectorXd above = run.of(run.forces);
                run.v[first + j] = rate - 0.5, run.move();
                const Eigen::VectorXd slope = above - run.of(run.forces);
                run.v[first + j] = rate;
                ASSERT_LE(relative_difference(block.block<3, 1>(first, first + j), slope.segment<3>(first)),
                          10.0 * round_off);
            }
            ++blocks;
        }
    });
    EXPECT_GT(blocks, 300);
}

// Along a motion with the tangent (v, v') the energy of the bodies, summed from their places and rates, grows by the
// power of the forces without loads.
TEST(RandomTrees, EnergyGrowsByThePowerOfTheForces) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        run.move(false);
        const double power = run.of(run.forces).dot(run.of(run.v));
        const TreeConfiguration<double, TableTree> q = run.q;
        const TreeRates<double, TableTree> v = run.v;
        const auto energy = [&](double t) {
            TreeRates<double, TableTree> u = v;
            for (int i = 0; i < run.table.freedoms; ++i) u[i] = t * v[i], run.v[i] = v[i] + t * run.a[i];
            retract(q, u, run.q);
            run.move(false);
            double sum = 0.0;
            for (int b = 0; b < run.table.bodies; ++b) {
                const BodyState<double> state = body_state(run.links, run.poses, run.table.last_link[b]);
                const Vec<3, double> w = state.angular_velocity;
                sum += 0.5 * run.bodies[b].mass * dot(state.velocity, state.velocity) +
                       0.5 * dot(w, run.bodies[b].inertia * w) - run.bodies[b].mass * dot(run.gravity, state.position);
            }
            return sum;
        };
        const double h = difference_step;
        const double rate = (energy(-2 * h) - energy(2 * h) + 8.0 * (energy(h) - energy(-h))) / (12.0 * h);
        run.q = q, run.v = v;
        const double scale = 1.0 + std::abs(random.twin().energy(random.q, random.v)) + std::abs(power);
        ASSERT_LE(std::abs(rate - power) / scale, difference_tolerance);
    });
}

}  // namespace
}  // namespace myriad::tree
