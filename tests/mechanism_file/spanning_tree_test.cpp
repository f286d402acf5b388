// The choice of the tree on graphs: against a search through all forests, and on graphs whose tree can be seen.
#include "host/mechanism/tree/spanning_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

namespace myriad::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Joints = std::vector<GraphJoint>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Connected groups of ground and bodies by these joints: the smallest member of each body's group. Nothing where a
// joint closes a loop.
std::optional<std::vector<int>> groups_without_loops(int bodies, const Joints& joints, unsigned chosen) {
    std::vector<int> group;
    for (int body = -1; body < bodies; ++body) group.push_back(body);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        if ((chosen >> j & 1) == 0) continue;
        const int a = group[at(joints[j].body[0] + 1)], b = group[at(joints[j].body[1] + 1)];
        if (a == b) return std::nullopt;
        for (int& one : group)
            if (one == a || one == b) one = std::min(a, b);
    }
    return group;
}

struct Fewest {
    int unknowns = 1000, rows = 1000, groups = 0;
};

// Of all sets of joints without a loop; each group without the ground has 6 freedoms more.
Fewest search(int bodies, const Joints& joints) {
    Fewest fewest;
    for (unsigned chosen = 0; chosen < 1u << joints.size(); ++chosen) {
        bool is_allowed = true;
        int freedoms = 0, rows = 0;
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const bool is_chosen = (chosen >> j & 1) != 0;
            is_allowed = is_allowed && (!is_chosen || (joints[j].is_carried && !joints[j].is_cut));
            (is_chosen ? freedoms : rows) += is_chosen ? 6 - joints[j].rows : joints[j].rows;
        }
        const auto groups = groups_without_loops(bodies, joints, chosen);
        if (!is_allowed || !groups) continue;
        const int floating = static_cast<int>(std::set<int>(groups->begin(), groups->end()).size()) - 1;
        freedoms += 6 * floating;
        if (freedoms + rows < fewest.unknowns) fewest = {freedoms + rows, fewest.rows, floating};
        fewest.rows = std::min(fewest.rows, rows);
    }
    return fewest;
}

Joints random_joints(std::mt19937_64& random, int bodies, int count) {
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    Joints joints;
    while (static_cast<int>(joints.size()) < count) {
        GraphJoint joint{{below(bodies + 1) - 1, below(bodies + 1) - 1}, 1 + below(6), below(5) > 0, below(6) == 0};
        if (joint.body[0] != joint.body[1]) joints.push_back(joint);
    }
    return joints;
}

void expect_a_sound_tree(int bodies, const Joints& joints, const SpanningTree& tree) {
    ASSERT_EQ(tree.bodies.size(), at(bodies));
    ASSERT_EQ(tree.place.size(), at(bodies));
    std::set<int> hung_before = {-1}, used;
    int freedoms = 0, rows = 0;
    unsigned chosen = 0;
    for (const TreeBody& hung : tree.bodies) {
        EXPECT_TRUE(hung_before.contains(hung.parent)) << "a parent stands before its children";
        EXPECT_EQ(hung.first, freedoms);
        freedoms += hung.freedoms;
        if (hung.joint >= 0) {
            const GraphJoint& joint = joints[at(hung.joint)];
            EXPECT_EQ(joint.body[hung.is_backwards ? 1 : 0], hung.parent);
            EXPECT_EQ(joint.body[hung.is_backwards ? 0 : 1], hung.body);
            EXPECT_EQ(hung.freedoms, 6 - joint.rows);
            EXPECT_TRUE(joint.is_carried && !joint.is_cut);
            EXPECT_TRUE(used.insert(hung.joint).second);
            chosen |= 1u << hung.joint;
        } else {
            EXPECT_EQ(hung.parent, -1);
            EXPECT_EQ(hung.freedoms, 6);
        }
        EXPECT_EQ(&tree.of_body(hung.body), &hung);
        EXPECT_TRUE(hung_before.insert(hung.body).second);
    }
    for (const CutJoint& cut : tree.cut) {
        const GraphJoint& joint = joints[at(cut.joint)];
        EXPECT_TRUE(used.insert(cut.joint).second);
        EXPECT_EQ(cut.rows, joint.rows);
        rows += joint.rows;
        EXPECT_EQ(cut.reason == CutReason::only_rows, !joint.is_carried);
        EXPECT_EQ(cut.reason == CutReason::asked, joint.is_carried && joint.is_cut);
        // A joint that is cut for its loop closes one with the tree's own joints.
        if (cut.reason == CutReason::loop) {
            EXPECT_FALSE(groups_without_loops(bodies, joints, chosen | 1u << cut.joint).has_value());
            unsigned loop = 1u << cut.joint;
            for (const int passed : tree.way(joint.body[0], joint.body[1])) loop |= 1u << passed;
            EXPECT_FALSE(groups_without_loops(bodies, joints, loop).has_value()) << "its way closes the loop";
        }
    }
    EXPECT_EQ(used.size(), joints.size()) << "each joint hangs a body or is cut";
    EXPECT_EQ(tree.freedoms, freedoms);
    EXPECT_EQ(tree.cut_rows, rows);
    // Only the first body of a group without a way to the ground hangs on it by a free joint.
    const auto group = groups_without_loops(bodies, joints, chosen);
    ASSERT_TRUE(group.has_value());
    for (int body = 0; body < bodies; ++body) {
        EXPECT_EQ(tree.of_body(body).joint < 0, (*group)[at(body + 1)] == body);
    }
}

TEST(SpanningTree, HasTheFewestUnknownsAndRowsOfAllForestsOnRandomGraphs) {
    std::mt19937_64 random(15);
    int loops = 0, floating = 0;
    for (int graph = 0; graph < 1000; ++graph) {
        const int bodies = 1 + graph % 6, count = graph % 10;
        const Joints joints = random_joints(random, bodies, count);
        const SpanningTree tree = spanning_tree(bodies, joints);
        expect_a_sound_tree(bodies, joints, tree);
        const Fewest fewest = search(bodies, joints);
        EXPECT_EQ(tree.unknowns(), fewest.unknowns) << "graph " << graph;
        EXPECT_EQ(tree.cut_rows, fewest.rows) << "graph " << graph;
        EXPECT_EQ(std::count_if(tree.bodies.begin(), tree.bodies.end(), [](const auto& b) { return b.joint < 0; }),
                  fewest.groups);
        loops += static_cast<int>(std::count_if(tree.cut.begin(), tree.cut.end(),
                                                [](const CutJoint& cut) { return cut.reason == CutReason::loop; }));
        floating += fewest.groups;
    }
    // The search meets both often.
    EXPECT_GT(loops, 500);
    EXPECT_GT(floating, 500);
}

GraphJoint revolute(int a, int b) { return {{a, b}, 5}; }
GraphJoint spherical(int a, int b) { return {{a, b}, 3}; }

std::vector<int> cut_joints(const SpanningTree& tree) {
    std::vector<int> joints;
    for (const CutJoint& cut : tree.cut) joints.push_back(cut.joint);
    return joints;
}
std::vector<int> parents(const SpanningTree& tree) {
    std::vector<int> all;
    for (std::size_t body = 0; body < tree.place.size(); ++body)
        all.push_back(tree.of_body(static_cast<int>(body)).parent);
    return all;
}
std::vector<int> order(const SpanningTree& tree) {
    std::vector<int> all;
    for (const TreeBody& hung : tree.bodies) all.push_back(hung.body);
    return all;
}

TEST(SpanningTree, CutsTheLastOfEqualJointsOfARing) {
    // ground - 0 - 1 - 2 - ground
    const Joints ring = {revolute(-1, 0), revolute(0, 1), revolute(1, 2), revolute(2, -1)};
    const SpanningTree tree = spanning_tree(3, ring);
    EXPECT_THAT(cut_joints(tree), ElementsAre(3));
    EXPECT_THAT(parents(tree), ElementsAre(-1, 0, 1));
    EXPECT_THAT(tree.way(2, -1), ElementsAre(2, 1, 0));
    EXPECT_EQ(tree.unknowns(), 3 + 5);
    // The same ring, listed from elsewhere: another joint is the last.
    EXPECT_THAT(parents(spanning_tree(3, Joints{ring[2], ring[3], ring[0], ring[1]})), ElementsAre(-1, 2, -1));
}

TEST(SpanningTree, CutsTheJointWithTheFewestRowsOfARingWhereverItStands) {
    for (std::size_t place = 0; place < 4; ++place) {
        Joints ring = {revolute(-1, 0), revolute(0, 1), revolute(1, 2), revolute(2, -1)};
        ring[place].rows = 3;
        const SpanningTree tree = spanning_tree(3, ring);
        EXPECT_THAT(cut_joints(tree), ElementsAre(static_cast<int>(place)));
        EXPECT_EQ(tree.unknowns(), 3 + 3);
    }
}

TEST(SpanningTree, CutsEachOfTwoRingsThatShareABodyOnce) {
    // ground - 0 - 1 - ground, and 1 - 2 - 3 - 1 with the spherical joint first.
    const SpanningTree tree = spanning_tree(
        4, Joints{revolute(-1, 0), spherical(1, 2), revolute(0, 1), revolute(2, 3), revolute(3, 1), revolute(1, -1)});
    EXPECT_THAT(cut_joints(tree), ElementsAre(1, 5));
    EXPECT_THAT(parents(tree), ElementsAre(-1, 0, 3, 1));
    EXPECT_THAT(order(tree), ElementsAre(0, 1, 3, 2)) << "body 3 carries body 2";
    EXPECT_THAT(tree.way(1, 2), ElementsAre(4, 3));
    EXPECT_EQ(tree.unknowns(), 4 + 3 + 5);
}

TEST(SpanningTree, HangsAFloatingGroupOnItsFirstBody) {
    // 0 on the ground; 1, 2 and 3 on each other.
    const SpanningTree tree = spanning_tree(4, Joints{revolute(3, 2), revolute(3, 1), revolute(-1, 0)});
    EXPECT_THAT(parents(tree), ElementsAre(-1, -1, 3, 1));
    EXPECT_EQ(tree.of_body(1).joint, -1);
    EXPECT_EQ(tree.of_body(1).freedoms, 6);
    EXPECT_THAT(order(tree), ElementsAre(0, 1, 3, 2));
    EXPECT_THAT(tree.cut, IsEmpty());
    EXPECT_EQ(tree.freedoms, 1 + 6 + 1 + 1);
    EXPECT_THAT(tree.way(0, 2), IsEmpty()) << "it leads over a free joint";
}

TEST(SpanningTree, PassesJointsFromEitherBody) {
    const SpanningTree tree = spanning_tree(2, Joints{revolute(0, -1), revolute(0, 1)});
    EXPECT_TRUE(tree.of_body(0).is_backwards);
    EXPECT_FALSE(tree.of_body(1).is_backwards);
}

TEST(SpanningTree, CutsTheSecondOfTwoJointsBetweenTheSameBodies) {
    EXPECT_THAT(cut_joints(spanning_tree(1, Joints{revolute(-1, 0), revolute(0, -1)})), ElementsAre(1));
    EXPECT_THAT(cut_joints(spanning_tree(1, Joints{spherical(-1, 0), revolute(0, -1)})), ElementsAre(0));
}

TEST(SpanningTree, IsAllFreeJointsWhereEveryJointIsCut) {
    Joints joints = {revolute(-1, 0), spherical(0, 1)};
    for (GraphJoint& joint : joints) joint.is_cut = true;
    const SpanningTree tree = spanning_tree(2, joints);
    EXPECT_THAT(parents(tree), ElementsAre(-1, -1));
    EXPECT_EQ(tree.freedoms, 12);
    EXPECT_EQ(tree.cut_rows, 8);
}

GraphJoint orientation(int a, int b) {
    GraphJoint joint = spherical(a, b);
    joint.is_orientation = true;
    return joint;
}

TEST(SpanningTree, CutsOrientationsOfALoopThatHangOnOrientations) {
    const Joints ring = {orientation(0, 1), orientation(1, 2), orientation(2, 3), orientation(3, 0)};
    const SpanningTree free = spanning_tree(4, ring);
    EXPECT_THAT(parents(free), ElementsAre(-1, -1, -1, -1));
    EXPECT_EQ(free.cut_rows, 12);
    EXPECT_THAT(parents(spanning_tree(4, Joints(ring.begin(), ring.end() - 1))), ElementsAre(-1, 0, 1, 2))
        << "a chain has no rows";
    // Here another joint of the loop can close it instead.
    const Joints held = {revolute(-1, 0), orientation(0, 1), orientation(1, 2), orientation(2, -1)};
    const SpanningTree one = spanning_tree(3, held);
    EXPECT_THAT(parents(one), ElementsAre(-1, 0, -1));
    EXPECT_THAT(cut_joints(one), ElementsAre(2));
    EXPECT_EQ(one.cut.front().reason, CutReason::orientation);
    EXPECT_EQ(one.unknowns(), 1 + 3 + 3 + 3);
    const int bar = 1;
    EXPECT_THAT(parents(spanning_tree(4, ring, std::span(&bar, 1))), ElementsAre(-1, 0, 1, 2))
        << "a body without inertia cannot be free";
}

TEST(SpanningTree, TakesGraphsBeyondTheLimitsOfTheKernels) {
    // A chain that is listed from its end: each body hangs on the next one in the file.
    constexpr int bodies = 60;
    Joints chain;
    for (int body = 0; body < bodies; ++body) chain.push_back(revolute(body, body + 1 < bodies ? body + 1 : -1));
    const SpanningTree tree = spanning_tree(bodies, chain);
    EXPECT_EQ(tree.freedoms, bodies);
    EXPECT_EQ(tree.bodies.front().body, bodies - 1);
    EXPECT_EQ(tree.bodies.back().body, 0);
}

// ground - 0 - 1 - 2 - ground
const Joints ring_of_four = {revolute(-1, 0), revolute(0, 1), revolute(2, -1), revolute(1, 2)};

TEST(SpanningTree, HangsInertiaOnABodyWithoutIt) {
    EXPECT_THAT(cut_joints(spanning_tree(3, ring_of_four)), ElementsAre(3)) << "bodies 1 and 2 are the leaves";
    const std::array without_inertia = {1};
    const SpanningTree tree = spanning_tree(3, ring_of_four, without_inertia);
    expect_a_sound_tree(3, ring_of_four, tree);
    EXPECT_THAT(cut_joints(tree), ElementsAre(2)) << "the last joint whose exchange hangs body 2 on body 1";
    EXPECT_THAT(parents(tree), ElementsAre(-1, 0, 1));
}

TEST(SpanningTree, TakesMoreUnknownsWhereOnlyTheyHangInertiaOnABodyWithoutIt) {
    Joints ring = ring_of_four;
    ring[3].rows = 3;
    ring[2].rows = ring[0].rows = 6;
    const std::array without_inertia = {1};
    const SpanningTree tree = spanning_tree(3, ring, without_inertia);
    expect_a_sound_tree(3, ring, tree);
    EXPECT_THAT(cut_joints(tree), ElementsAre(2));
    EXPECT_EQ(tree.unknowns(), spanning_tree(3, ring).unknowns() + 6);
}

TEST(SpanningTree, KeepsTheMostRowsAmongExchangesThatHangInertiaOnABodyWithoutIt) {
    const Joints star = {revolute(-1, 0), revolute(-1, 1), revolute(-1, 2), spherical(0, 1), {{0, 2}, 4}};
    const std::array without_inertia = {0};
    const SpanningTree tree = spanning_tree(3, star, without_inertia);
    expect_a_sound_tree(3, star, tree);
    EXPECT_THAT(cut_joints(tree), ElementsAre(2, 3)) << "universal joint 4 has more rows than spherical joint 3";
}

TEST(SpanningTree, LeavesABodyWithoutInertiaWhereNothingElseCanHangOnIt) {
    const std::array without_inertia = {2};
    Joints ring = ring_of_four;
    ring[3].is_cut = true;
    EXPECT_THAT(cut_joints(spanning_tree(3, ring, without_inertia)), ElementsAre(3)) << "the file asks for this cut";
    const Joints chain = {revolute(-1, 0), revolute(0, 1), revolute(1, 2)};
    EXPECT_THAT(parents(spanning_tree(3, chain, without_inertia)), ElementsAre(-1, 0, 1));
}

TEST(SpanningTree, NeedsNoInertiaWhereADriverPrescribesTheJoint) {
    Joints ring = ring_of_four;
    ring[1].driven = 1;
    const std::array without_inertia = {1};
    EXPECT_THAT(cut_joints(spanning_tree(3, ring, without_inertia)), ElementsAre(3)) << "joint 1 is driven";
}

TEST(SpanningTree, IsSoundWithAnyBodiesWithoutInertia) {
    std::mt19937_64 random(16);
    int exchanged = 0;
    for (int graph = 0; graph < 1000; ++graph) {
        const int bodies = 1 + graph % 6;
        const Joints joints = random_joints(random, bodies, graph % 10);
        std::vector<int> without_inertia;
        for (int body = 0; body < bodies; ++body)
            if (random() % 3 == 0) without_inertia.push_back(body);
        const SpanningTree tree = spanning_tree(bodies, joints, without_inertia);
        expect_a_sound_tree(bodies, joints, tree);
        exchanged += cut_joints(tree) != cut_joints(spanning_tree(bodies, joints));
    }
    EXPECT_GT(exchanged, 30);
}

TEST(SpanningTree, RefusesJointsOfNoBodies) {
    for (const GraphJoint& joint :
         {revolute(0, 0), revolute(-1, 1), revolute(-2, 0), GraphJoint{{-1, 0}, 7}, GraphJoint{{-1, 0}, 0}})
        EXPECT_THROW(spanning_tree(1, Joints{joint}), std::invalid_argument);
}

}  // namespace
}  // namespace myriad::mechanism
