#include "host/mechanism/tree/spanning_tree.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace myriad::mechanism {

namespace {

constexpr int freedoms_of_a_body = 6;

// Which nodes are connected; node 0 is the ground, node b + 1 the body b.
class Groups {
  public:
    explicit Groups(int bodies) : of_(static_cast<std::size_t>(bodies) + 1) { std::iota(of_.begin(), of_.end(), 0); }

    // Whether the two were apart before.
    bool join(int a, int b) {
        const std::size_t kept = of_[node(a)], other = of_[node(b)];
        if (kept == other) return false;
        std::replace(of_.begin(), of_.end(), other, kept);
        return true;
    }

  private:
    static std::size_t node(int body) { return static_cast<std::size_t>(body + 1); }

    std::vector<std::size_t> of_;
};

// Joints that can stand in the tree, those with the most rows and drivers first.
std::vector<int> by_falling_rows(std::span<const GraphJoint> joints) {
    std::vector<int> order;
    for (std::size_t j = 0; j < joints.size(); ++j)
        if (joints[j].is_carried && !joints[j].is_cut) order.push_back(static_cast<int>(j));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const GraphJoint &first = joints[static_cast<std::size_t>(a)], &second = joints[static_cast<std::size_t>(b)];
        return first.rows + first.driven > second.rows + second.driven;
    });
    return order;
}

void require_sound(int bodies, std::span<const GraphJoint> joints) {
    for (const GraphJoint& joint : joints) {
        for (const int body : joint.body)
            if (body < -1 || body >= bodies) throw std::invalid_argument("spanning_tree: no such body");
        if (joint.body[0] == joint.body[1]) throw std::invalid_argument("spanning_tree: a joint of one body");
        if (joint.rows < 1 || joint.rows > freedoms_of_a_body)
            throw std::invalid_argument("spanning_tree: a joint has 1 to 6 rows");
    }
}

// Puts the bodies in their order and turns every joint of the tree away from the ground. Of the bodies whose parent has
// its place the first in the file comes next.
SpanningTree hung_tree(std::span<const GraphJoint> joints, const std::vector<bool>& in_tree,
                       const std::vector<bool>& is_free) {
    SpanningTree tree;
    tree.place.assign(is_free.size(), -1);
    const auto has_place = [&](int body) { return body < 0 || tree.place[static_cast<std::size_t>(body)] >= 0; };
    const auto can_hang = [&](int body, TreeBody& hung) {
        hung = {body, -1, -1, false, freedoms_of_a_body, tree.freedoms};
        for (std::size_t j = 0; j < joints.size(); ++j)
            for (std::size_t side = 0; side < 2; ++side) {
                const int parent = joints[j].body[1 - side];
                if (!in_tree[j] || joints[j].body[side] != body || !has_place(parent)) continue;
                hung = {body,         parent, static_cast<int>(j), side == 0, freedoms_of_a_body - joints[j].rows,
                        tree.freedoms};
                return true;
            }
        return bool(is_free[static_cast<std::size_t>(body)]);
    };
    while (tree.bodies.size() < tree.place.size()) {
        TreeBody next;
        int body = 0;
        while (has_place(body) || !can_hang(body, next)) ++body;
        tree.place[static_cast<std::size_t>(body)] = static_cast<int>(tree.bodies.size());
        tree.bodies.push_back(next);
        tree.freedoms += next.freedoms;
    }
    return tree;
}

// Joints of the tree with freedoms that move no inertia.
int joints_without_inertia(std::span<const GraphJoint> joints, std::span<const int> without_inertia,
                           const SpanningTree& tree) {
    std::vector<bool> moves_inertia(tree.bodies.size(), true);
    for (const int body : without_inertia) moves_inertia[static_cast<std::size_t>(body)] = false;
    int count = 0;
    for (auto hung = tree.bodies.rbegin(); hung != tree.bodies.rend(); ++hung) {
        const int driven = hung->joint < 0 ? 0 : joints[static_cast<std::size_t>(hung->joint)].driven;
        if (!moves_inertia[static_cast<std::size_t>(hung->body)])
            count += hung->freedoms > driven;
        else if (hung->parent >= 0)
            moves_inertia[static_cast<std::size_t>(hung->parent)] = true;
    }
    return count;
}

int joints_read_outside(std::span<const GraphJoint> joints, const std::vector<bool>& in_tree) {
    int count = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) count += joints[j].is_read && !in_tree[j];
    return count;
}

// Exchanges joints of the tree, one at a time, as long as fewer are left that move no inertia or are read outside it.
void exchange_joints(std::span<const GraphJoint> joints, std::span<const int> without_inertia,
                     const std::vector<bool>& is_free, std::vector<bool>& in_tree, SpanningTree& tree) {
    const auto weight = [&](std::size_t j) { return joints[j].rows + joints[j].driven; };
    const auto misplaced = [&](const std::vector<bool>& chosen, const SpanningTree& hung) {
        return joints_without_inertia(joints, without_inertia, hung) + joints_read_outside(joints, chosen);
    };
    for (int count = misplaced(in_tree, tree); count > 0;) {
        std::array<int, 4> best{count};
        std::optional<std::pair<std::vector<bool>, SpanningTree>> exchanged;
        for (std::size_t taken = 0; taken < joints.size(); ++taken) {
            const GraphJoint& joint = joints[taken];
            if (in_tree[taken] || !joint.is_carried || joint.is_cut) continue;
            for (const int cut : tree.way(joint.body[0], joint.body[1])) {
                const auto place = static_cast<std::size_t>(cut);
                std::vector<bool> other = in_tree;
                other[place] = false, other[taken] = true;
                SpanningTree hung = hung_tree(joints, other, is_free);
                const int left = misplaced(other, hung);
                const std::array<int, 4> key{left, weight(place) - weight(taken), -cut, static_cast<int>(taken)};
                if (left == count || !(key < best)) continue;
                best = key, exchanged = {std::move(other), std::move(hung)};
            }
        }
        if (!exchanged) return;
        std::tie(in_tree, tree) = *std::move(exchanged);
        count = best[0];
    }
}

bool hangs_on_an_orientation(std::span<const GraphJoint> joints, const SpanningTree& tree, int body) {
    for (body = tree.of_body(body).parent; body >= 0; body = tree.of_body(body).parent) {
        const int joint = tree.of_body(body).joint;
        if (joint < 0 || joints[static_cast<std::size_t>(joint)].is_orientation) return true;
    }
    return false;
}

struct ChosenTree {
    std::vector<bool> in_tree;
    SpanningTree tree;
};
ChosenTree chosen_tree(int bodies, std::span<const GraphJoint> joints, std::span<const int> without_inertia) {
    Groups groups(bodies);
    std::vector<bool> in_tree(joints.size(), false), is_free;
    for (const int j : by_falling_rows(joints)) {
        const auto& ends = joints[static_cast<std::size_t>(j)].body;
        in_tree[static_cast<std::size_t>(j)] = groups.join(ends[0], ends[1]);
    }
    for (int body = 0; body < bodies; ++body) is_free.push_back(groups.join(-1, body));
    SpanningTree tree = hung_tree(joints, in_tree, is_free);
    exchange_joints(joints, without_inertia, is_free, in_tree, tree);
    return {std::move(in_tree), std::move(tree)};
}

// Joints of loops but those that the file opens.
std::vector<bool> joints_of_loops(std::span<const GraphJoint> joints, const ChosenTree& chosen) {
    std::vector<bool> is_in_loop(joints.size(), false);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        if (chosen.in_tree[j] || joints[j].is_cut) continue;
        for (const int passed : chosen.tree.way(joints[j].body[0], joints[j].body[1]))
            is_in_loop[j] = is_in_loop[static_cast<std::size_t>(passed)] = true;
    }
    return is_in_loop;
}

// A joint of a loop whose orientation hangs on another one; -1: none.
int orientation_to_cut(std::span<const GraphJoint> joints, const std::vector<bool>& is_in_loop,
                       const SpanningTree& tree) {
    for (const TreeBody& hung : tree.bodies) {
        if (hung.joint < 0 || !is_in_loop[static_cast<std::size_t>(hung.joint)]) continue;
        const GraphJoint& joint = joints[static_cast<std::size_t>(hung.joint)];
        if (joint.is_orientation && joint.driven == 0 && !joint.is_read &&
            hangs_on_an_orientation(joints, tree, hung.body))
            return hung.joint;
    }
    return -1;
}

}  // namespace

bool SpanningTree::has(int joint) const {
    return std::any_of(bodies.begin(), bodies.end(), [&](const TreeBody& hung) { return hung.joint == joint; });
}

std::vector<int> SpanningTree::way(int a, int b) const {
    // Parents stand before children: of two bodies the later one is no ancestor of the other.
    const auto depth = [&](int body) { return body < 0 ? -1 : place[static_cast<std::size_t>(body)]; };
    std::vector<int> from_a, from_b;
    while (a != b) {
        int& later = depth(a) > depth(b) ? a : b;
        const TreeBody& hung = of_body(later);
        if (hung.joint < 0) return {};
        (&later == &a ? from_a : from_b).push_back(hung.joint);
        later = hung.parent;
    }
    from_a.insert(from_a.end(), from_b.rbegin(), from_b.rend());
    return from_a;
}

SpanningTree spanning_tree(int bodies, std::span<const GraphJoint> joints, std::span<const int> without_inertia) {
    require_sound(bodies, joints);
    ChosenTree chosen = chosen_tree(bodies, joints, without_inertia);
    std::vector<GraphJoint> others(joints.begin(), joints.end());
    ChosenTree other = chosen;
    const std::vector<bool> is_in_loop = joints_of_loops(joints, chosen);
    for (int j; (j = orientation_to_cut(joints, is_in_loop, other.tree)) >= 0;) {
        others[static_cast<std::size_t>(j)].is_cut = true;
        other = chosen_tree(bodies, others, without_inertia);
    }
    const auto misplaced = [&](const ChosenTree& one) {
        return joints_without_inertia(joints, without_inertia, one.tree) + joints_read_outside(joints, one.in_tree);
    };
    const bool cuts_orientations = misplaced(other) <= misplaced(chosen);
    auto& [in_tree, tree] = cuts_orientations ? other : chosen;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        if (in_tree[j]) continue;
        const CutReason reason = !joints[j].is_carried                   ? CutReason::only_rows
                                 : joints[j].is_cut                      ? CutReason::asked
                                 : cuts_orientations && others[j].is_cut ? CutReason::orientation
                                                                         : CutReason::loop;
        tree.cut.push_back({static_cast<int>(j), reason, joints[j].rows});
        tree.cut_rows += joints[j].rows;
    }
    return tree;
}

}  // namespace myriad::mechanism
