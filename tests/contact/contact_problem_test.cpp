// The contacts that a contact problem lists; it does not miss those that it leaves out.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "kernels/contact/problem.hpp"
#include "tests/contact/contact_problems.hpp"

namespace myriad::test {
namespace {

constexpr int contacts = 4, tangents = 2, directions = 1 + tangents;

TEST(ContactList, HasTheClosedContactsInRisingOrder) {
    const auto list = ListedContacts<6>::where(5, [](int k) { return k == 1 || k >= 3; });
    ASSERT_EQ(list.count(), 3) << "the sixth place is room only";
    EXPECT_EQ(list.number(0), 1);
    EXPECT_EQ(list.number(1), 3);
    EXPECT_EQ(list.number(2), 4);
    EXPECT_EQ(ListedContacts<6>::where(6, [](int) { return false; }).count(), 0);
    EXPECT_EQ(AllContacts<6>::where(2, [](int) { return false; }).count(), 6) << "these are all, whatever is closed";
}

TEST(ContactList, TellsTheStageOfEachRowAndWhichRowOfItThatIs) {
    using Problem = ContactProblem<2 * contacts, tangents, double, ListedContacts<2 * contacts>>;
    Problem problem;
    problem.listed = ListedContacts<2 * contacts>::where(2 * contacts, [](int k) { return k % contacts != 0; });
    ASSERT_EQ(problem.row_count(), 2 * (contacts - 1) * directions);
    for (int i = 0; i < problem.row_count(); ++i) {
        const int rows_of_stage = (contacts - 1) * directions;
        EXPECT_EQ(problem.stage_of(i, contacts), i / rows_of_stage) << i;
        EXPECT_EQ(problem.row_of(i, contacts), directions + i % rows_of_stage) << i;
    }
}

// The impulses of all rows, from a problem that lists `numbers`, of which some may be open.
template <class List>
Vec<contacts * directions, double> solution(const reference::LocalProblem& given, const List& list) {
    ContactProblem<contacts, tangents, double, List> problem;
    problem.listed = list;
    const auto row_of = [&](int i) { return problem.row_of(i, contacts); };
    for (int k = 0; k < list.count(); ++k) {
        const auto& contact = given.contacts[static_cast<std::size_t>(list.number(k))];
        problem.friction[k] = contact.friction, problem.closed[k] = contact.closed, problem.bilateral[k] = false;
    }
    Vec<contacts * directions, double> impulse{}, all{};
    for (int i = 0; i < problem.row_count(); ++i) {
        problem.free_velocity[i] = given.free_velocity[row_of(i)];
        for (int j = 0; j < problem.row_count(); ++j)
            problem.delassus.e[i][j] = problem.closed[i / directions] && problem.closed[j / directions]
                                           ? given.delassus(row_of(i), row_of(j))
                                           : 0.0;
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
        const auto all = solution(problem, AllContacts<contacts>{});
        for (const bool with_one_open : {false, true}) {
            const auto list = ListedContacts<contacts>::where(
                contacts, [&](int k) { return !open.contains(k) || (with_one_open && k == *open.begin()); });
            const auto listed = solution(problem, list);
            ASSERT_EQ(std::memcmp(&all, &listed, sizeof all), 0) << "problem " << i;
        }
        for (const double l : all.e) pressed += l != 0.0;
    }
    EXPECT_GT(pressed, 1000) << "contacts that carry nothing would tell nothing";
}

}  // namespace
}  // namespace myriad::test
