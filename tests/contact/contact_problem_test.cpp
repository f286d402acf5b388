// The contacts that a contact problem lists; it does not miss those that it leaves out.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "kernels/contact/loads.hpp"
#include "kernels/integrators/contact/formula_equations.hpp"
#include "tests/contact/contact_problems.hpp"

namespace myriad::test {
namespace {

constexpr int contacts = 4, tangents = 2, directions = 1 + tangents;

TEST(ContactList, HasTheClosedContactsInRisingOrder) {
    using List = ListedContacts<6, tangents>;
    using All = AllContacts<6, tangents>;
    const auto list = List::where(5, [](int k) { return k == 1 || k >= 3; });
    ASSERT_EQ(list.count(), 3) << "the sixth place is room only";
    EXPECT_EQ(list.number(0), 1);
    EXPECT_EQ(list.number(1), 3);
    EXPECT_EQ(list.number(2), 4);
    EXPECT_EQ(List::where(6, [](int) { return false; }).count(), 0);
    EXPECT_EQ(All::where(2, [](int) { return false; }).count(), 6) << "these are all, whatever is closed";
}

TEST(ContactList, TellsTheStageOfEachRowAndWhichRowOfItThatIs) {
    using Contacts = ContactsOfSystem<FormulaTopology<contacts, tangents>, 2>;
    ContactProblem<2 * contacts, tangents, double, Contacts::List> problem;
    problem.listed = Contacts::List::where(2 * contacts, [](int k) { return k % contacts != 0; });
    ASSERT_EQ(problem.row_count(), 2 * (contacts - 1) * directions);
    for (int i = 0; i < problem.row_count(); ++i) {
        const int rows_of_stage = (contacts - 1) * directions;
        EXPECT_EQ(problem.stage_of(i, contacts), i / rows_of_stage) << i;
        EXPECT_EQ(Contacts::row_of_system(problem.listed, i), directions + i % rows_of_stage) << i;
    }
}

// The impulses of all rows, from a problem that lists `numbers`, of which some may be open.
template <class List>
Vec<contacts * directions, double> solution(const reference::LocalProblem& given, const List& list) {
    ContactProblem<contacts, tangents, double, List> problem;
    problem.listed = list;
    const auto row_of = [&](int i) { return list.number(i / directions) * directions + i % directions; };
    for (int k = 0; k < list.count(); ++k) {
        const auto& contact = given.contacts[static_cast<std::size_t>(list.number(k))];
        problem.friction[k] = contact.friction, problem.closed[k] = contact.closed, problem.bilateral[k] = false;
    }
    Vec<contacts * directions, double> impulse{}, all{};
    for (int i = 0; i < problem.row_count(); ++i) {
        problem.free_velocity[i] = given.free_velocity[row_of(i)];
        for (int j = 0; j < problem.row_count(); ++j)
            problem.delassus.e[i][j] =
                problem.is_closed(i) && problem.is_closed(j) ? given.delassus(row_of(i), row_of(j)) : 0.0;
    }
    const auto outcome = ContactSolver<contacts, tangents, double, List>(problem).solve(true, 1e-12, 100, impulse);
    EXPECT_TRUE(outcome.converged);
    for (int i = 0; i < problem.row_count(); ++i) all[row_of(i)] = impulse[i];
    return all;
}

TEST(ContactList, GivesTheBitsOfAllContactsWhicheverOpenOnesItLeavesOut) {
    Arguments draw(31);
    int pressed = 0;
    for (int i = 0; i < 1000; ++i) {
        reference::LocalProblem problem = disordered_problem(draw, contacts, tangents, 15, 0.8);
        const std::set<int> open{i % contacts, i / contacts % contacts};
        for (const int k : open) problem.contacts[static_cast<std::size_t>(k)].closed = false;
        const auto all = solution(problem, AllContacts<contacts, tangents>{});
        for (const bool with_one_open : {false, true}) {
            const auto list = ListedContacts<contacts, tangents>::where(
                contacts, [&](int k) { return !open.contains(k) || (with_one_open && k == *open.begin()); });
            const auto listed = solution(problem, list);
            ASSERT_EQ(std::memcmp(&all, &listed, sizeof all), 0) << "problem " << i;
        }
        for (const double l : all.e) pressed += l != 0.0;
    }
    EXPECT_GT(pressed, 1000) << "contacts that carry nothing would tell nothing";
}

using Mixed = MixedContacts<contacts + 2, contacts * directions + 2, true>;

TEST(MixedContacts, SayWhereTheRowsOfEachContactLie) {
    // Contacts of 2, 1 and no tangents, one of them open, and a bounded row.
    const int tangents_of[] = {2, 1, 2, 0};
    const auto list = Mixed::where(
        5, [](int k) { return k != 2; },
        [&](int k) {
            return k < 4 ? RowsOfContact{tangents_of[k], false, 3 * k} : RowsOfContact{0, true, 12};
        });
    ASSERT_EQ(list.count(), 4);
    ASSERT_EQ(list.row_count(), 3 + 2 + 1 + 1);
    const int owners[] = {0, 0, 0, 1, 1, 2, 3}, rows[] = {0, 1, 2, 3, 4, 9, 12};
    for (int row = 0; row < 7; ++row) {
        EXPECT_EQ(list.contact_of(row), owners[row]) << row;
        EXPECT_EQ(list.row_of_system(row), rows[row]) << row;
    }
    EXPECT_EQ(list.number(2), 3);
    EXPECT_TRUE(list.is_bounded(3));
    EXPECT_FALSE(list.is_bounded(2));
}

TEST(MixedContacts, HaveTheBitsOfContactsWithTheSameTangents) {
    Arguments draw(37);
    for (int i = 0; i < 300; ++i) {
        const reference::LocalProblem problem = disordered_problem(draw, contacts, tangents, 15, 0.8);
        const auto uniform = solution(problem, AllContacts<contacts, tangents>{});
        using Same = MixedContacts<contacts, contacts * directions, true>;
        const auto mixed = solution(problem, Same::where(
                                                 contacts, [](int) { return true; },
                                                 [](int k) {
                                                     return RowsOfContact{tangents, false, directions * k};
                                                 }));
        ASSERT_EQ(std::memcmp(&uniform, &mixed, sizeof uniform), 0) << "problem " << i;
    }
}

// Two masses, rubbed with T_1 and T_2 and coupled by a matrix G: of all states (stick, slide one way or the other) the
// one that meets the laws. G is positive definite, so there is one.
TEST(MixedContacts, OfBoundedRowsMeetTheLawsOfDryFriction) {
    using Rubbed = MixedContacts<2, 2, true>;
    Arguments draw(41);
    int sticking = 0, sliding = 0;
    for (int i = 0; i < 3000; ++i) {
        ContactProblem<2, 2, double, Rubbed> problem;
        problem.listed = Rubbed::where(
            2, [](int) { return true; },
            [](int k) {
                return RowsOfContact{0, true, k};
            });
        const double a = draw.uniform(0.2, 2.0), b = draw.uniform(0.2, 2.0),
                     c = draw.uniform(-0.95, 0.95) * std::sqrt(a * b);
        problem.delassus.e[0][0] = a, problem.delassus.e[1][1] = b;
        problem.delassus.e[0][1] = problem.delassus.e[1][0] = c;
        double bound[2], free[2];
        for (int k = 0; k < 2; ++k) {
            problem.closed[k] = true, problem.bilateral[k] = false;
            problem.friction[k] = bound[k] = i % 10 == 0 ? 0.0 : draw.uniform(0.0, 1.0);
            problem.free_velocity[k] = free[k] = draw.uniform(-1.0, 1.0);
        }
        Vec<2, double> l{};
        const auto outcome = ContactSolver<2, 2, double, Rubbed>(problem).solve(true, 1e-13, 100, l);
        ASSERT_TRUE(outcome.converged) << i;
        for (int k = 0; k < 2; ++k) {
            const double u = free[k] + problem.delassus.e[k][0] * l[0] + problem.delassus.e[k][1] * l[1];
            ASSERT_LE(std::abs(l[k]), bound[k] + 1e-12);
            if (std::abs(l[k]) < bound[k] - 1e-9) {
                ASSERT_NEAR(u, 0.0, 1e-11) << "it sticks, " << i;
                ++sticking;
            } else if (std::abs(u) > 1e-9) {
                ASSERT_LE(u * l[k], 0.0) << "friction opposes the slip, " << i;
                ++sliding;
            }
        }
    }
    EXPECT_GT(sticking, 500);
    EXPECT_GT(sliding, 500);
}

}  // namespace
}  // namespace myriad::test
