#include "host/mechanism/tree/mechanism_tree.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "host/mechanism/tree/joint_coordinates.hpp"

namespace myriad::mechanism {

namespace {

int rows_of_entry(const Mechanism& mechanism, const NamedElements& named) {
    int rows = 0;
    for (int e = named.first_element; e < named.first_element + named.element_count; ++e)
        if (!mechanism.table.element[e].is_sensor) rows += rows_of(mechanism.table.element[e].kind);
    return rows;
}

std::array<int, 2> bodies_of_joint(const Mechanism& mechanism, const NamedElements& joint) {
    const Element& first = mechanism.table.element[joint.first_element];
    return {first.body[0], first.body[1]};
}

}  // namespace

SpanningTree spanning_tree_of(const Mechanism& mechanism, bool before_cuts) {
    std::vector<GraphJoint> joints;
    std::set<std::pair<int, std::string>> driven;
    for (const NamedElements& driver : mechanism.drivers) driven.insert({driver.joint, driver.type});
    for (const NamedElements& joint : mechanism.joints) {
        const auto drives = [number = static_cast<int>(joints.size())](const auto& one) { return one.first == number; };
        const bool is_carried = std::find(std::begin(tree_joint_types), std::end(tree_joint_types), joint.type) !=
                                std::end(tree_joint_types);
        joints.push_back({bodies_of_joint(mechanism, joint), rows_of_entry(mechanism, joint), is_carried,
                          joint.is_cut && !before_cuts,
                          static_cast<int>(std::count_if(driven.begin(), driven.end(), drives)), joint.is_read,
                          joint.type == "spherical" && !before_cuts});
    }
    std::vector<int> without_inertia;
    for (int body = 0; body < mechanism.table.bodies; ++body)
        if (!mechanism.body_has_inertia[static_cast<std::size_t>(body)]) without_inertia.push_back(body);
    return spanning_tree(mechanism.table.bodies, joints, without_inertia);
}

std::vector<std::string> loop_of(const Mechanism& mechanism, const SpanningTree& tree, int joint) {
    const auto [a, b] = bodies_of_joint(mechanism, mechanism.joints[static_cast<std::size_t>(joint)]);
    std::vector<std::string> names;
    for (const int passed : tree.way(a, b)) names.push_back(mechanism.joints[static_cast<std::size_t>(passed)].name);
    return names;
}

Unknowns unknowns_in_joint_coordinates(const Mechanism& mechanism, const SpanningTree& tree) {
    Unknowns count{tree.freedoms,
                   0,
                   tree.cut_rows,
                   0,
                   0,
                   static_cast<int>(mechanism.couplings.size()),
                   static_cast<int>(mechanism.redundant_rows.size())};
    // A coordinate that two drivers prescribe leaves the unknowns once; the second driver stays a row.
    std::set<std::pair<int, std::string>> driven;
    for (const NamedElements& driver : mechanism.drivers) {
        const bool leaves = freedom_of_tree_joint(mechanism, tree, driver.joint, driver.type) >= 0 &&
                            driven.insert({driver.joint, driver.type}).second;
        (leaves ? count.prescribed : count.driver_rows) += rows_of_entry(mechanism, driver);
    }
    for (const NamedElements& force : mechanism.forces)
        if (force.joint < 0 || !tree.has(force.joint)) count.force_rows += rows_of_entry(mechanism, force);
    return count;
}

Unknowns unknowns_in_body_coordinates(const Mechanism& mechanism) {
    Unknowns count{6 * mechanism.table.bodies, 0, 0, 0, 0, 0, static_cast<int>(mechanism.redundant_rows.size())};
    for (const NamedElements& joint : mechanism.joints) count.joint_rows += rows_of_entry(mechanism, joint);
    for (const NamedElements& driver : mechanism.drivers) count.driver_rows += rows_of_entry(mechanism, driver);
    for (const NamedElements& force : mechanism.forces) count.force_rows += rows_of_entry(mechanism, force);
    return count;
}

}  // namespace myriad::mechanism
