#include "host/backends/reference/reference_tree.hpp"

#include <algorithm>

#include "host/backends/reference/reference_functions.hpp"

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

void add_start_values_and_couplings(const MechanismTable& table, std::span<const double> parameters,
                                    reference::JointTree& twin) {
    const JointTable& joint = table.joint;
    for (int h = 0; h < joint.tree.bodies; ++h) {
        const FreedomsOfBody own = freedoms_of_body(joint.tree, h);
        for (int i = 0; i < own.count; ++i)
            if (const int bits = joint.held_at_start[own.first + i]; bits != 0)
                twin.held.push_back(
                    {h, i, (bits & 1) != 0, (bits & holds_start_rate) != 0, (bits & holds_given_rate) != 0});
    }
    for (int c = 0; c < joint.couplings; ++c) {
        const CoordinateCoupling& given = joint.coupling[c];
        const auto parameter = static_cast<std::size_t>(given.parameter);
        reference::TreeCoupling coupling{{}, parameters[parameter], parameters[parameter + 1], given.row >= 0};
        for (std::size_t side = 0; side < 2; ++side) {
            const int freedom = given.freedom[side];
            for (int e = 0; e < table.elements; ++e)
                if (joint.freedom_of_element[e] == freedom && table.element[e].is_sensor) coupling.of[side].element = e;
            for (int h = 0; h < joint.tree.bodies; ++h) {
                const FreedomsOfBody own = freedoms_of_body(joint.tree, h);
                if (own.first <= freedom && freedom < own.first + own.count)
                    coupling.of[side].hanging = h, coupling.of[side].freedom = freedom - own.first;
            }
        }
        twin.couplings.push_back(coupling);
    }
}

// An element whose value is the coordinate.
int element_measuring(const MechanismTable& table, int freedom) {
    const int* const all = table.joint.freedom_of_element;
    return static_cast<int>(std::find(all, all + table.elements, freedom) - all);
}

// The value's part of a force's instructions.
reference::ModelCoordinateForce force_of(const MechanismTable& table, std::span<const double> parameters,
                                         const CoordinateForce& given) {
    using Reads = reference::ModelCoordinateForce::Reads;
    reference::ModelCoordinateForce force;
    force.element = element_measuring(table, given.freedom);
    std::vector<reference::TimeInstruction> instructions;
    std::vector<std::size_t> written(static_cast<std::size_t>(most_registers), 0);  // by which instruction
    std::size_t value = 0;
    for (int i = given.first; i < given.derivatives; ++i) {
        const Instruction& one = table.joint.coordinate_instruction[i];
        reference::TimeInstruction instruction{time_operation(one.operation)};
        if (one.operation == Operation::interpolate) instruction.table = table_at(table, one.b);
        const int operands = operands_of(one.operation);
        const auto read = [&](int from) { return written[static_cast<std::size_t>(from)]; };
        if (one.operation == Operation::parameter) instruction.constant = parameters[static_cast<std::size_t>(one.a)];
        if (operands > 0) instruction.a = read(one.a);
        if (operands > 1) instruction.b = read(one.b);
        if (operands > 2) instruction.c = read(one.c);
        if (instruction.operation == reference::TimeOperation::variable) {
            instruction.a = force.variables.size();
            const bool is_function = one.operation == Operation::function;
            force.variables.push_back({is_function                        ? Reads::function
                                       : one.operation == Operation::rate ? Reads::rate
                                                                          : Reads::value,
                                       is_function ? one.a : element_measuring(table, one.a)});
        }
        written[static_cast<std::size_t>(one.to)] = instructions.size();
        if (one.to == given.value) value = instructions.size();
        instructions.push_back(instruction);
    }
    instructions.resize(value + 1);
    force.formula = reference::TimeFunction(std::move(instructions));
    return force;
}

// Which body hangs on the joint of a freedom, among those of the tree.
int hanging_on(const TreeTable& tree, int freedom) {
    int hanging = 0;
    while (tree.last_link[hanging] < tree.link_of_freedom[freedom]) ++hanging;
    return hanging;
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

void add_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters,
                             reference::MechanismModel& model) {
    const JointTable& joint = table.joint;
    const auto number = [&](int parameter) { return parameters[static_cast<std::size_t>(parameter)]; };
    for (int i = 0; i < joint.frictions; ++i) {
        const auto [freedom, first, bearing] = joint.friction[i];
        reference::ModelFriction friction{element_measuring(table, freedom), number(first), number(first + 1),
                                          number(first + 2), joint.friction_is_set};
        if (bearing >= 0)
            friction.by_force = number(bearing) * number(bearing + 1),
            friction.hanging = hanging_on(joint.tree, freedom);
        model.frictions.push_back(friction);
    }
    for (int i = 0; i < joint.rotors; ++i) {
        const auto [freedom, first] = joint.rotor[i];
        model.rotors.push_back({element_measuring(table, freedom), number(first), number(first + 1)});
    }
    for (int i = 0; i < joint.coordinate_forces; ++i)
        model.coordinate_forces.push_back(force_of(table, parameters, joint.coordinate_force[i]));
}

void complete_tree(const MechanismTable& table, std::span<const double> parameters, reference::MechanismModel& model) {
    reference::JointTree& twin = model.tree;
    if (table.joint.tree.links == 0) {
        twin = {};
        return;
    }
    std::erase_if(twin.prescribed, [&](const reference::PrescribedFreedom& one) {
        return !model.elements[static_cast<std::size_t>(one.element)].active[0];
    });
    for (const auto& [element, hanging, which] : twin.prescribed) {
        const int function = model.elements[static_cast<std::size_t>(element)].function,
                  freedom = freedoms_of_body(table.joint.tree, hanging).first + which;
        for (int angle = 0; angle < table.elements && function >= 0; ++angle)
            if (table.element[angle].kind == ElementKind::angle && table.joint.freedom_of_element[angle] == freedom)
                model.elements[static_cast<std::size_t>(angle)].start_angle_rad =
                    model.functions[static_cast<std::size_t>(function)](0.0);
    }
    add_start_values_and_couplings(table, parameters, twin);
    twin.starts_at_equilibrium = table.joint.starts_at_equilibrium;
}

}  // namespace myriad::backends
