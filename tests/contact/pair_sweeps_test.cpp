// The contact solver with sweeps over pairs in front, against the laws, the enumeration of contact states, and itself:
// other neighbours, open contacts left out.
#include "kernels/contact/pair_sweeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "kernels/contact/prox.hpp"
#include "tests/contact/contact_problems.hpp"

namespace myriad::test::pair_sweeps {
namespace {

using reference::LocalProblem;

constexpr int contacts = 4, rows = 2 * contacts, most_iterations = 200;
// Bound on the residual, relative to the sizes in the problem: some thousand units of round-off.
constexpr double residual_tolerance = 1e-12;
// The laws in their own words amplify the residual by the spread of the masses and lengths, about a hundred here.
constexpr double law_tolerance = 1e-9;

struct Solved {
    Vec<rows, double> impulse{};
    ProxOutcome<double> outcome{};
};

Solved solve(const LocalProblem& problem) {
    const auto kernel = kernel_problem<contacts, 1>(problem);
    Solved solved;
    solved.outcome = ContactSolver<contacts, 1, double>(kernel).solve<true>(true, residual_tolerance, most_iterations,
                                                                            solved.impulse);
    return solved;
}

// `most`: the mean number of iterations that the problems may take.
template <class Draw>
void expect_the_laws(const char* name, const Draw& draw, double most) {
    constexpr int count = 4000;
    double iterations = 0.0, violation = 0.0;
    int stalled = 0;
    for (int i = 0; i < count; ++i) {
        const LocalProblem problem = draw();
        const Solved solved = solve(problem);
        stalled += solved.outcome.converged ? 0 : 1;
        EXPECT_EQ(solved.outcome.residual <= residual_tolerance, solved.outcome.converged);
        iterations += solved.outcome.iterations;
        if (solved.outcome.converged)
            violation = std::max(violation, reference::contact_law_violation(problem, eigen_of(solved.impulse)));
    }
    std::printf("| %-34s | %3d stalled | iterations mean %5.2f | laws %.1e |\n", name, stalled, iterations / count,
                violation);
    EXPECT_EQ(stalled, 0) << name;
    EXPECT_LE(violation, law_tolerance) << name;
    EXPECT_LE(iterations / count, most) << name;
}

TEST(PairSweeps, MeetTheLawsInFewIterations) {
    Arguments draw(41);
    expect_the_laws(
        "slider in a slot, little friction", [&] { return slider_in_slot(draw, 0.1); }, 7.0);
    expect_the_laws(
        "slider in a slot, rough", [&] { return slider_in_slot(draw, 1.0); }, 10.0);
    expect_the_laws(
        "regular", [&] { return disordered_problem(draw, contacts, 1, 12, 0.5); }, 12.0);
    // Newton's method goes on from where sweeps get stuck.
    expect_the_laws(
        "dependent, without order", [&] { return disordered_problem(draw, contacts, 1, 3, 0.5); }, 20.0);
}

TEST(PairSweeps, FindWhatTheEnumerationOfContactStatesFinds) {
    Arguments draw(42);
    for (int i = 0; i < 300; ++i) {
        // With little friction and regular G the solution is unique.
        const LocalProblem problem = disordered_problem(draw, contacts, 1, 24, 0.2);
        const auto enumerated = reference::enumerate_contacts(problem);
        ASSERT_TRUE(enumerated) << i;
        EXPECT_LE((eigen_of(solve(problem).impulse) - enumerated->impulse).norm(),
                  law_tolerance * enumerated->impulse.norm())
            << i;
    }
}

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(PairSweeps, HaveTheSameBitsInEveryLane) {
    using Packed = Pack<double, 4>;
    Arguments draw(43);
    for (int i = 0; i < 300; ++i) {
        LocalProblem lanes[4];
        for (int lane = 0; lane < 4; ++lane) {
            lanes[lane] = lane % 2 == 0 ? slider_in_slot(draw, 1.0) : disordered_problem(draw, contacts, 1, 3, 0.5);
            for (int k = 0; k < contacts; ++k)
                lanes[lane].contacts[static_cast<std::size_t>(k)].closed = (lane + i) % 3 != k % 3;
        }
        ContactProblem<contacts, 1, Packed> kernel;
        Vec<rows, Packed> impulse;
        for (int row = 0; row < rows; ++row) impulse[row] = Packed(0.0);
        for (int lane = 0; lane < 4; ++lane) set_lane(kernel, lane, lanes[lane]);
        const auto outcome = ContactSolver<contacts, 1, Packed>(kernel).solve<true>(
            true_mask<Packed>(), residual_tolerance, most_iterations, impulse);
        for (int lane = 0; lane < 4; ++lane) {
            const Solved alone = solve(lanes[lane]);
            EXPECT_EQ(outcome.iterations.lanes[lane], alone.outcome.iterations);
            for (int row = 0; row < rows; ++row)
                EXPECT_EQ(bits_of(impulse[row].lanes[lane] + 0.0), bits_of(alone.impulse[row] + 0.0))
                    << "lane " << lane << " row " << row;
        }
    }
}

// As a GPU has them: all contacts in the problem, where a CPU lists those that are closed.
TEST(PairSweeps, HaveTheBitsOfAllContactsWhereOpenOnesAreLeftOut) {
    using List = ListedContacts<contacts, 1>;
    Arguments draw(44);
    for (int i = 0; i < 2000; ++i) {
        LocalProblem given = slider_in_slot(draw, 1.0);
        for (int k = 0; k < contacts; ++k) {
            given.contacts[static_cast<std::size_t>(k)].closed = (i >> k & 1) != 0;
            for (int j = 0; j < rows; ++j)
                for (int d = 0; d < 2 && (i >> k & 1) == 0; ++d)
                    given.delassus(2 * k + d, j) = given.delassus(j, 2 * k + d) = 0.0;
        }
        const Solved all = solve(given);
        ContactProblem<contacts, 1, double, List> kernel;
        kernel.listed = List::where(contacts, [&](int k) { return (i >> k & 1) != 0; });
        const auto row_of = [&](int row) { return 2 * kernel.listed.number(row / 2) + row % 2; };
        for (int k = 0; k < kernel.listed.count(); ++k)
            kernel.friction[k] = given.contacts[0].friction, kernel.closed[k] = true, kernel.bilateral[k] = false;
        Vec<rows, double> impulse{};
        for (int row = 0; row < kernel.row_count(); ++row) {
            kernel.free_velocity[row] = given.free_velocity[row_of(row)];
            for (int j = 0; j < kernel.row_count(); ++j)
                kernel.delassus.e[row][j] = given.delassus(row_of(row), row_of(j));
        }
        const auto outcome = ContactSolver<contacts, 1, double, List>(kernel).solve<true>(true, residual_tolerance,
                                                                                          most_iterations, impulse);
        EXPECT_EQ(outcome.iterations, all.outcome.iterations);
        for (int row = 0; row < kernel.row_count(); ++row)
            EXPECT_EQ(bits_of(impulse[row] + 0.0), bits_of(all.impulse[row_of(row)] + 0.0)) << i << " row " << row;
    }
}

}  // namespace
}  // namespace myriad::test::pair_sweeps
