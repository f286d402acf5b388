#include "host/backends/reference/reference_tree.hpp"

#include <algorithm>

namespace myriad::backends {

namespace {

// The place of a body's joint in the tree, by its freedoms.
struct FreedomsOfBody {
    int first, count;
};
FreedomsOfBody freedoms_of_body(const TreeTable& tree, int hanging) {
    const TreeJoint joint = tree.joint[hanging];
    return {tree.link[tree.last_link[hanging] + 1 - links_of(joint)].freedom, freedoms_of(joint)};
}

// What couplings do not move at the start, and which of them are redundant.
void add_start_values(const JointTable& joint, reference::JointTree& twin) {
    for (int h = 0; h < joint.tree.bodies; ++h) {
        const FreedomsOfBody own = freedoms_of_body(joint.tree, h);
        for (int i = 0; i < own.count; ++i)
            if (const int bits = joint.held_at_start[own.first + i]; bits != 0)
                twin.held.push_back(
                    {h, i, (bits & 1) != 0, (bits & holds_start_rate) != 0, (bits & holds_given_rate) != 0});
    }
    for (int c = 0; c < joint.couplings; ++c)
        twin.couplings[static_cast<std::size_t>(c)].is_active = joint.coupling[c].row >= 0;
}

}  // namespace

bool describes_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters) {
    const JointTable& joint = table.joint;
    const auto number = [&](int parameter) { return parameters[static_cast<std::size_t>(parameter)]; };
    return std::all_of(joint.friction, joint.friction + joint.frictions,
                       [&](const CoordinateFriction& one) {
                           const bool has_bearing =
                               one.bearing < 0 || (number(one.bearing) >= 0.0 && number(one.bearing + 1) >= 0.0);
                           return number(one.parameter) >= 0.0 && number(one.parameter + 1) >= 0.0 &&
                                  number(one.parameter + 2) > 0.0 && has_bearing;
                       }) &&
           std::all_of(joint.rotor, joint.rotor + joint.rotors,
                       [&](const CoordinateRotor& one) { return number(one.parameter) >= 0.0; });
}

void complete_tree(const MechanismTable& table, reference::MechanismModel& model) {
    const JointTable& joint = table.joint;
    reference::JointTree& twin = model.tree;
    if (joint.tree.links == 0) {
        twin = {};
        return;
    }
    std::erase_if(twin.prescribed, [&](const reference::PrescribedFreedom& one) {
        return !model.elements[static_cast<std::size_t>(one.element)].active[0];
    });
    for (const auto& [element, hanging, which] : twin.prescribed) {
        const int function = model.elements[static_cast<std::size_t>(element)].function,
                  freedom = freedoms_of_body(joint.tree, hanging).first + which;
        for (int angle = 0; angle < table.elements && function >= 0; ++angle)
            if (table.element[angle].kind == ElementKind::angle && joint.freedom_of_element[angle] == freedom)
                model.elements[static_cast<std::size_t>(angle)].start_angle_rad =
                    model.functions[static_cast<std::size_t>(function)](0.0);
    }
    add_start_values(joint, twin);
    twin.starts_at_equilibrium = joint.starts_at_equilibrium;
    for (reference::ModelFriction& friction : model.frictions) friction.is_set = joint.friction_is_set;
}

}  // namespace myriad::backends
