// What a plan costs, what it refuses, and that its text form has the same operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/mechanism/elimination.hpp"
#include "tests/topology/elimination_problems.hpp"

namespace myriad::mechanism {
namespace {

using J = JointRows;

EliminationProblem problem_of(const Example& example) {
    std::mt19937_64 random(7);
    EliminationProblem problem = structure_of(example);
    add_nominal(problem, values_of(example, problem, random));
    return problem;
}

Example four_bar() {
    return {"four-bar", {{J::revolute, -1, 0}, {J::revolute, 0, 1}, {J::revolute, 1, 2}, {J::point, 2, -1}}, 3};
}

int operations(const EliminationPlan& plan) { return plan.factor_counts.all() + plan.solve_counts.all(); }

// The operations of a hand-written Schur complement (factor and one solve, an fma counted as two), counted
// with an instrumented number type.
TEST(EliminationPlan, TakesNoMoreOperationsThanAHandWrittenSchurComplement) {
    struct Case {
        Example example;
        int unknowns, most_operations;
    };
    for (const Case& c :
         {Case{chain(1, J::point), 9, 239}, Case{chain(2, J::revolute), 22, 2084}, Case{four_bar(), 36, 4309},
          Case{chain(4, J::point), 36, 2090}, Case{chain(6, J::revolute), 66, 8508}}) {
        const EliminationProblem problem = problem_of(c.example);
        ASSERT_EQ(problem.unknowns(), c.unknowns);
        const EliminationPlan plan = plan_elimination(problem);
        ASSERT_EQ(plan.refusal, "");
        EXPECT_LE(operations(plan), c.most_operations) << c.unknowns << " unknowns";
    }
}

// A tree costs the same per body however long it is: no fill between joints that do not share a body.
TEST(EliminationPlan, OfAChainGrowsLinearly) {
    const int eight = operations(plan_elimination(problem_of(chain(8, J::revolute))));
    const int twelve = operations(plan_elimination(problem_of(chain(12, J::revolute))));
    const int sixteen = operations(plan_elimination(problem_of(chain(16, J::revolute))));
    EXPECT_NEAR(sixteen - twelve, twelve - eight, 0.1 * (twelve - eight));
}

// Counted from the programs themselves.
TEST(EliminationPlan, CountsWhatItsProgramsDo) {
    for (const Example& example : {chain(3, J::revolute), four_bar(), chain(2, J::spherical_and_law)}) {
        const EliminationPlan plan = plan_elimination(problem_of(example));
        int products = 0, scalings = 0, pivots = 0;
        const unsigned short* at = plan.elimination.factor_program;
        const unsigned short* const end = at + plan.elimination.factor_length;
        while (at < end) {
            if (*at == clear_step) {
                at += 2;
            } else if (*at == pivot_step) {
                ++pivots;
                products += at[3] + at[4];
                at += 5 + at[3] + at[4];
            } else {
                const int code = *at - run_step(0, false, false), width = code / 4, entries = at[1];
                products += 2 * width * entries;
                if (code & 1) scalings += entries;
                at += 2 + width + entries * (1 + width);
            }
        }
        EXPECT_EQ(at, end);
        EXPECT_EQ(pivots, plan.elimination.unknowns);
        EXPECT_EQ(plan.factor_counts.divisions, pivots);
        EXPECT_EQ(plan.factor_counts.additions, products);
        EXPECT_EQ(plan.factor_counts.multiplications, products + scalings);
        // One l and one u per entry off the diagonal, and the reciprocals.
        EXPECT_EQ(plan.solve_counts.additions, plan.entries - pivots);
        EXPECT_EQ(plan.solve_counts.multiplications, plan.entries);
    }
}

TEST(EliminationPlan, IsTheSameEveryTime) {
    const EliminationPlan one = plan_elimination(problem_of(four_bar())),
                          two = plan_elimination(problem_of(four_bar()));
    EXPECT_EQ(*one.programs, *two.programs);
}

TEST(EliminationPlan, RefusesABodyWithoutAnEquation) {
    EliminationProblem problem = problem_of(chain(2, J::point));
    problem.bodies[1].entries = {0, 0, 0, 0, 0, 0};
    for (std::size_t r = 3; r < 6; ++r) problem.rows[r].entries[1] = 0;
    EXPECT_NE(plan_elimination(problem).refusal, "");
}

TEST(EliminationPlan, RefusesMoreFillThanTheKernelsHold) {
    // Every body is tied to every other one: the last multipliers form one full block.
    Example web{"web", {}, 12};
    for (int a = 0; a < 12 && web.joints.size() < 37; ++a)
        for (int b = a + 1; b < 12 && web.joints.size() < 37; ++b) web.joints.push_back({J::point, a, b});
    for (int b = 0; b < 12; ++b) web.stiff_bodies.push_back(b);
    EXPECT_THAT(plan_elimination(problem_of(web)).refusal, testing::HasSubstr(std::to_string(most_matrix_entries)));
}

TEST(EliminationPlan, ThrowsForMatricesOfAnotherSize) {
    EliminationProblem problem = problem_of(chain(2, J::point));
    problem.nominal_matrices.pop_back();
    EXPECT_THROW(plan_elimination(problem), std::invalid_argument);
}

}  // namespace
}  // namespace myriad::mechanism
