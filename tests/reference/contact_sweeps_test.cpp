// Contact problems by sweeps and Newton's method against the enumeration of all contact states, and where there are
// many solutions against the laws.
#include "host/reference/contact/contact_sweeps.hpp"

#include <gtest/gtest.h>

#include <random>

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// `bodies` freedoms: with fewer than rows, contacts depend on each other.
LocalProblem random_problem(std::mt19937& random, int contacts, Index freedoms, double friction) {
    std::normal_distribution<double> normal;
    const Index rows = 3 * contacts;
    const auto draw = [&](Index i, Index j) {
        MatrixXd matrix(i, j);
        for (Index k = 0; k < matrix.size(); ++k) matrix(k) = normal(random);
        return matrix;
    };
    const MatrixXd w = draw(rows, freedoms), root = draw(freedoms, freedoms);
    const MatrixXd compliance = root * root.transpose() + MatrixXd::Identity(freedoms, freedoms);
    LocalProblem problem;
    problem.tangents = 2;
    problem.delassus = w * compliance * w.transpose();
    problem.free_velocity = w * draw(freedoms, 1);
    for (int k = 0; k < contacts; ++k) problem.contacts.push_back({friction * (1.0 + 0.1 * k)});
    return problem;
}

}  // namespace

TEST(Sweeps, FindWhatTheEnumerationOfAllStatesFinds) {
    // Small friction: there the solution is unique, and the enumeration's is the one.
    constexpr double tolerance = 1e-9;  // round-off of the enumeration's direction of sliding, through G^-1
    std::mt19937 random(71);
    for (int instance = 0; instance < 30; ++instance) {
        const int contacts = 1 + instance % 3;
        const LocalProblem problem = random_problem(random, contacts, 3 * contacts + 2, 0.1);
        const auto expected = enumerate_contacts(problem);
        ASSERT_TRUE(expected) << instance;
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Zero(3 * contacts));
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE((swept.impulse - expected->impulse).norm(), tolerance * (1.0 + expected->impulse.norm())) << instance;
    }
}

TEST(Sweeps, MeetTheLawsOfContactsThatDependOnEachOther) {
    std::mt19937 random(72);
    for (int instance = 0; instance < 30; ++instance) {
        const LocalProblem problem = random_problem(random, 4 + instance % 5, 6, 0.2);
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Zero(problem.free_velocity.size()));
        // Sweeps alone may have to do; see good_enough there.
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE(contact_law_violation(problem, swept.impulse), swept.violation) << instance;
    }
}

TEST(Sweeps, TellJammingContactsByTheirViolation) {
    // One freedom that moves normal and slip alike: sliding forward, friction presses the contact on by more than the
    // normal force lifts it; there is no state that meets the laws.
    LocalProblem problem;
    problem.tangents = 2;
    const Eigen::Vector3d w(1.0, 0.9, 0.0);
    problem.delassus = w * w.transpose() + Eigen::Vector3d::UnitZ() * Eigen::RowVector3d::UnitZ();
    problem.free_velocity = Eigen::Vector3d(-1.0, 10.0, 0.0);
    problem.contacts = {{2.0}};
    EXPECT_FALSE(enumerate_contacts(problem));
    EXPECT_GE(sweep_contacts(problem, VectorXd::Zero(3)).violation, 1e-3);
}

}  // namespace myriad::reference
