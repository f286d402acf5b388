// Contact problems by sweeps and Newton's method against the enumeration of all states of contacts and bounded rows,
// and where there are many solutions against the laws.
#include "host/reference/contact/contact_sweeps.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <random>
#include <stdexcept>

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// With fewer freedoms than rows, contacts and bounded rows depend on each other.
LocalProblem random_problem(std::mt19937& random, int contacts, Index freedoms, double friction, int bounded = 0) {
    std::normal_distribution<double> normal;
    const Index rows = 3 * contacts + bounded;
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
    // Of the size of the impulses, so that some rows stick and others slide.
    for (Index i = 0; i < bounded; ++i)
        problem.bounds.push_back(std::abs(normal(random)) / problem.delassus.diagonal().mean());
    return problem;
}

// Every combination of the bounded rows' states, counted in threes: one that sticks is eliminated by its equation, one
// that slides by its force, and the contacts that are left are enumerated.
std::optional<VectorXd> enumerated_with_bounded_rows(const LocalProblem& problem) {
    const Index contacts = problem.contact_rows(), bounded = static_cast<Index>(problem.bounds.size());
    int combinations = 1;
    for (Index i = 0; i < bounded; ++i) combinations *= 3;
    const auto of_contacts = Eigen::seqN(0, contacts);
    const auto& [tangents, g, b, given, bounds] = problem;
    for (int combination = 0; combination < combinations; ++combination) {
        std::vector<Index> sticking;
        VectorXd impulse = VectorXd::Zero(b.size());
        int rest = combination;
        for (Index i = 0; i < bounded; ++i, rest /= 3) {
            if (rest % 3 == 0) sticking.push_back(contacts + i);
            impulse[contacts + i] = (rest % 3 - (rest % 3 == 2 ? 3 : 0)) * bounds[static_cast<std::size_t>(i)];
        }
        const VectorXd free = b + g * impulse;
        const MatrixXd inverse = MatrixXd(g(sticking, sticking)).inverse(),
                       by_contacts = inverse * g(sticking, of_contacts);
        LocalProblem left{tangents,
                          g(of_contacts, of_contacts) - g(of_contacts, sticking) * by_contacts,
                          free(of_contacts) - g(of_contacts, sticking) * (inverse * free(sticking)),
                          given,
                          {}};
        if (contacts > 0) {
            const auto solution = enumerate_contacts(left);
            if (!solution) continue;
            impulse(of_contacts) = solution->impulse;
        }
        impulse(sticking) = -(by_contacts * impulse(of_contacts) + inverse * free(sticking));
        const VectorXd u = g * impulse + b;
        bool obeys = true;
        for (Index i = 0; i < bounded; ++i) {
            const Index n = contacts + i;
            const bool sticks = std::find(sticking.begin(), sticking.end(), n) != sticking.end();
            obeys &= sticks ? std::abs(impulse[n]) <= bounds[static_cast<std::size_t>(i)] : impulse[n] * u[n] <= 0.0;
        }
        if (obeys) return impulse;
    }
    return std::nullopt;
}

// Round-off of the enumeration's direction of sliding, through G^-1.
constexpr double enumeration_tolerance = 1e-9;

}  // namespace

TEST(Sweeps, FindWhatTheEnumerationOfAllStatesFinds) {
    // Small friction: there the solution is unique, and the enumeration's is the one.
    std::mt19937 random(71);
    for (int instance = 0; instance < 30; ++instance) {
        const int contacts = 1 + instance % 3;
        const LocalProblem problem = random_problem(random, contacts, 3 * contacts + 2, 0.1);
        const auto expected = enumerate_contacts(problem);
        ASSERT_TRUE(expected) << instance;
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Zero(3 * contacts));
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE((swept.impulse - expected->impulse).norm(), enumeration_tolerance * (1.0 + expected->impulse.norm()))
            << instance;
    }
}

TEST(Sweeps, FindWhatTheEnumerationOfAllStatesFindsWithBoundedRowsToo) {
    std::mt19937 random(73);
    std::array<int, 2> sticking_and_sliding{0, 0};
    for (int instance = 0; instance < 60; ++instance) {
        const int contacts = instance % 3, bounded = 1 + instance / 3 % 3;
        const LocalProblem problem = random_problem(random, contacts, 3 * contacts + bounded + 2, 0.1, bounded);
        const auto expected = enumerated_with_bounded_rows(problem);
        ASSERT_TRUE(expected) << instance;
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Zero(expected->size()));
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE((swept.impulse - *expected).norm(), enumeration_tolerance * (1.0 + expected->norm())) << instance;
        for (std::size_t i = 0; i < problem.bounds.size(); ++i) {
            const double force = std::abs((*expected)[problem.contact_rows() + static_cast<Index>(i)]);
            ++sticking_and_sliding[force < problem.bounds[i] ? 0 : 1];
        }
    }
    EXPECT_GE(sticking_and_sliding[0], 20);
    EXPECT_GE(sticking_and_sliding[1], 20);
}

TEST(Sweeps, HaveTheFrictionOfAPlaneAtContactsWithOneTangent) {
    std::mt19937 random(74);
    int sliding = 0;
    for (int instance = 0; instance < 30; ++instance) {
        const int contacts = 1 + instance % 3;
        LocalProblem problem = random_problem(random, contacts, 3 * contacts + 2, 0.2);
        std::vector<Index> planar;
        for (int k = 0; k < contacts; ++k) {
            problem.contacts[static_cast<std::size_t>(k)].tangents = 1;
            planar.push_back(3 * k), planar.push_back(3 * k + 1);
        }
        const auto expected = enumerate_contacts(
            {1, problem.delassus(planar, planar), problem.free_velocity(planar), problem.contacts, {}});
        ASSERT_TRUE(expected) << instance;
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Ones(3 * contacts));
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE((swept.impulse(planar) - expected->impulse).norm(),
                  enumeration_tolerance * (1.0 + expected->impulse.norm()))
            << instance;
        for (int k = 0; k < contacts; ++k) {
            EXPECT_EQ(swept.impulse[3 * k + 2], 0.0) << instance;
            const ContactState state = expected->states[static_cast<std::size_t>(k)];
            sliding += state == ContactState::slide_forward || state == ContactState::slide_backward ? 1 : 0;
        }
    }
    EXPECT_GE(sliding, 10);
}

TEST(Sweeps, MeetTheLawsWhereBoundedRowsAndContactsOfAllKindsDependOnEachOther) {
    std::mt19937 random(75);
    for (int instance = 0; instance < 30; ++instance) {
        LocalProblem problem = random_problem(random, 2 + instance % 3, 6, 0.2, 1 + instance % 4);
        for (std::size_t k = 0; k < problem.contacts.size(); ++k)
            problem.contacts[k].tangents = static_cast<int>(k % 3);
        const SweptSolution swept = sweep_contacts(problem, VectorXd::Zero(problem.free_velocity.size()));
        EXPECT_LE(swept.violation, 1e-12) << instance;
        EXPECT_LE(contact_law_violation(problem, swept.impulse), swept.violation) << instance;
    }
}

TEST(Sweeps, OpposeTheVelocityOfABoundedRowThatNothingMovesWithAllOfItsBound) {
    LocalProblem problem;
    problem.tangents = 2;
    problem.delassus = MatrixXd::Zero(4, 4);
    problem.delassus(3, 3) = 2.0;
    problem.free_velocity = Eigen::Vector4d(0.3, -0.2, 0.0, 1.0);
    problem.bounds = {4.0, 5.0, 6.0, 7.0};
    const SweptSolution swept = sweep_contacts(problem, VectorXd::Ones(4));
    EXPECT_EQ(swept.violation, 0.0);
    EXPECT_EQ(swept.impulse, Eigen::Vector4d(-4.0, 5.0, 0.0, -0.5));
}

TEST(ContactLaws, AreViolatedByBoundedRowsThatExceedTheirBoundOrMoveWithoutAllOfIt) {
    LocalProblem problem;
    problem.delassus = MatrixXd::Identity(1, 1);
    problem.free_velocity = VectorXd::Constant(1, 2.0);
    problem.bounds = {3.0};
    const auto violation = [&](double force) { return contact_law_violation(problem, VectorXd::Constant(1, force)); };
    EXPECT_EQ(violation(-2.0), 0.0);
    EXPECT_GE(violation(-1.0), 0.3);  // moves on by 1 m/s of 3, without 2 N of 1
    EXPECT_GE(violation(-4.0), 0.2);  // by 1 N of 4
    problem.bounds = {1.0};
    EXPECT_EQ(violation(-1.0), 0.0);
    EXPECT_GE(violation(1.0), 0.6);
    EXPECT_THROW(enumerate_contacts(problem), std::logic_error);
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

// One freedom that moves normal and slip alike: friction may press the contact along (0.8, 0.6), which moves nothing,
// with any force. The least is on the edge of the cone: 0.6 l + 0.8 mu l = 1.
TEST(Sweeps, PressAWedgedContactLeast) {
    constexpr double friction = 0.8, rounded = 1e-14;
    for (const double angle : {0.0, 0.3, 2.0, 5.0}) {
        const Eigen::Vector3d w(0.6, -0.8 * std::cos(angle), -0.8 * std::sin(angle));
        LocalProblem problem;
        problem.tangents = 2;
        problem.delassus = w * w.transpose(), problem.free_velocity = -w;
        problem.contacts = {{friction}};
        for (const double guess : {0.0, 1e3}) {
            const SweptSolution swept = sweep_contacts(problem, VectorXd::Constant(3, guess));
            EXPECT_LE(swept.violation, rounded);
            EXPECT_NEAR(swept.impulse[0], 1.0 / (0.6 + 0.8 * friction), rounded) << angle << " " << guess;
        }
    }
}

}  // namespace myriad::reference
