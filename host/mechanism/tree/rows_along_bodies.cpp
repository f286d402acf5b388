#include "host/mechanism/tree/rows_along_bodies.hpp"

#include <algorithm>
#include <vector>

#include "host/mechanism/tree/mechanism_tree.hpp"

namespace myriad::mechanism {

namespace {

std::vector<int> way_to_ground(const SpanningTree& tree, int body) {
    std::vector<int> way;
    for (; body >= 0; body = tree.of_body(body).parent) way.push_back(body);
    return way;
}

// -1: the ground.
int last_common_body(const SpanningTree& tree, const Element& element) {
    const std::vector<int> first = way_to_ground(tree, element.body[0]), second = way_to_ground(tree, element.body[1]);
    const auto common = std::find_first_of(first.begin(), first.end(), second.begin(), second.end());
    return common == first.end() ? -1 : *common;
}

bool is_crank(const Mechanism& mechanism, const SpanningTree& tree, int body, int base) {
    if (body < 0) return false;
    const TreeBody& hung = tree.of_body(body);
    return hung.parent == base && hung.joint >= 0 &&
           mechanism.joints[static_cast<std::size_t>(hung.joint)].type == "revolute";
}

bool moves(const Mechanism& mechanism, const RedundantRow& row) {
    const JointTable& joint = mechanism.table.joint;
    const int element = mechanism.multiplier_places[static_cast<std::size_t>(row.element)].index;
    return std::any_of(joint.spare_row, joint.spare_row + joint.spare_rows,
                       [&](const SpareRow& spare) { return spare.element == element && spare.k == row.row; });
}

bool has_room_for(const MechanismTable& table, int joints) {
    constexpr int elements = 3, parameters = 3 * geometry_parameters(ElementKind::dot_2);
    return table.elements + joints * (elements - 1) <= most_elements &&
           table.parameters + 2 * joints * parameters <= most_mechanism_parameters;
}

}  // namespace

std::set<std::string> joints_with_rows_along_a(const Mechanism& mechanism) {
    const SpanningTree tree = spanning_tree_of(mechanism);
    std::set<std::string> names;
    for (const RedundantRow& row : mechanism.redundant_rows) {
        if (row.element < 0) continue;
        const Element& element = mechanism.table.element[row.element];
        if (element.kind != ElementKind::point) continue;
        const int base = last_common_body(tree, element);
        if (base >= 0 || (is_crank(mechanism, tree, element.body[0], base) && moves(mechanism, row)))
            names.insert(row.joint.substr(row.joint.find('.') + 1));
    }
    return has_room_for(mechanism.table, static_cast<int>(names.size())) ? names : std::set<std::string>();
}

}  // namespace myriad::mechanism
