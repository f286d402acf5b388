#include "host/backends/reference/reference_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "host/backends/reference/reference_contacts.hpp"
#include "host/backends/reference/reference_functions.hpp"
#include "host/reference/mechanism/defined_joint.hpp"
#include "host/reference/mechanism/defined_mechanism.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

// An eigenvalue this near to zero, as a share of the largest, is round-off of a tensor that was rotated into place.
constexpr double round_off_share = 1e-12;

std::size_t nth_of(int index) { return static_cast<std::size_t>(index); }

// Marks the velocities that the file gives the body, or that start values of joints hold.
void give_start(int bits, reference::ModelBody& body) {
    body.velocity_is_held = (bits & holds_velocity) != 0;
    body.angular_velocity_is_held = (bits & holds_angular_velocity) != 0;
    body.gives_velocity = (bits & gives_velocity) != 0;
    body.gives_angular_velocity = (bits & gives_angular_velocity) != 0;
}

// Where start values of joints have put it and how it moves there.
void place(std::span<const double> parameters, int offset, reference::ModelBody& body) {
    const auto q = [&](int k) { return parameters[nth_of(offset + body_orientation + k)]; };
    body.position_m = vector_at(parameters, offset + body_position);
    body.orientation = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).normalized().toRotationMatrix();
    body.velocity_m_s = vector_at(parameters, offset + body_velocity);
    body.angular_velocity_rad_s = vector_at(parameters, offset + body_angular_velocity);
}

reference::ModelStartMotion start_motion_of(const MechanismTable& table, int i, const model::Model& defined,
                                            const reference::ModelNumbers& numbers) {
    using Entry = StartMotion;
    const int* const line = table.start_motion[i];
    reference::ModelStartMotion motion;
    motion.body = line[Entry::body], motion.carrier = line[Entry::carrier];
    motion.point_element = line[Entry::point_element];
    motion.axis_element = line[Entry::axis_element], motion.across_element = line[Entry::across_element];
    motion.moves = line[Entry::part] != part_rides, motion.waits = line[Entry::part] == part_waits;
    motion.hangs = line[Entry::hangs] == hangs_itself, motion.carries_hung = line[Entry::hangs] == hangs_on_it;
    motion.linear_from = line[Entry::linear_from], motion.angular_from = line[Entry::angular_from];
    for (int e = line[Entry::first_element]; 0 <= e && e < line[Entry::last_element]; ++e)
        if (!table.element[e].has_law && !table.element[e].is_sensor) motion.elements.push_back(e);
    for (int k = 0; k < most_start_drivers && line[Entry::driver + k] >= 0; ++k)
        motion.elements.push_back(line[Entry::driver + k]);
    motion.origin_rests = line[Entry::origin] == origin_rests;
    if (line[Entry::origin] > 0)
        motion.from_origin = numbers[defined.bodies[nth_of(motion.linear_from)].frame.centre_of_mass];
    return motion;
}

// Copies the choices about couplings: coordinates that they do not move at the start, and redundant ones.
void add_start_values(const JointTable& joint, reference::JointTree& twin) {
    for (int h = 0; h < joint.tree.bodies; ++h) {
        const TreeJoint own = joint.tree.joint[h];
        const int first = joint.tree.link[joint.tree.last_link[h] + 1 - links_of(own)].freedom;
        for (int i = 0; i < freedoms_of(own); ++i)
            if (const int bits = joint.held_at_start[first + i]; bits != 0)
                twin.held.push_back(
                    {h, i, (bits & 1) != 0, (bits & holds_start_rate) != 0, (bits & holds_given_rate) != 0});
    }
    for (int c = 0; c < joint.couplings; ++c) twin.couplings[nth_of(c)].is_active = joint.coupling[c].row >= 0;
}

// Angles that a driver prescribes begin in the turn of its function.
void complete_tree(const JointTable& joint, reference::MechanismModel& model) {
    reference::JointTree& twin = model.tree;
    if (joint.tree.links == 0) {
        twin = {};
        return;
    }
    std::erase_if(twin.prescribed, [&](const reference::PrescribedFreedom& one) {
        return !model.elements[nth_of(one.element)].active[0];
    });
    for (const reference::PrescribedFreedom& one : twin.prescribed)
        if (const int function = model.elements[nth_of(one.element)].function; function >= 0)
            for (const int angle : one.angles)
                model.elements[nth_of(angle)].start_angle_rad = model.functions[nth_of(function)](0.0);
    add_start_values(joint, twin);
    twin.starts_at_equilibrium = joint.starts_at_equilibrium;
    for (reference::ModelFriction& friction : model.frictions) friction.is_set = joint.friction_is_set;
}

// Whether no friction and no rotor is negative and dry friction turns round over a positive rate.
bool describes_laws_of_coordinates(const model::Model& model, std::span<const double> numbers) {
    const auto is_law = [&](const std::optional<std::size_t>& number) { return !number || numbers[*number] >= 0.0; };
    return std::ranges::all_of(model.frictions,
                               [&](const model::Friction& one) {
                                   return is_law(one.dry) && is_law(one.viscous) && is_law(one.coefficient) &&
                                          is_law(one.radius) && (!one.rate || numbers[*one.rate] > 0.0);
                               }) &&
           std::ranges::all_of(model.rotors, [&](const model::Rotor& one) { return is_law(one.inertia); });
}

}  // namespace

bool describes_mechanism(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                         std::span<const double> numbers, const reference::MechanismModel& model, bool of_tree) {
    const auto own = parameters.first(nth_of(mechanism.table.parameters));
    if (!std::ranges::all_of(own, [](double one) { return std::isfinite(one); })) return false;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const reference::ModelBody& body = model.bodies[b];
        const Vector3d eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix3d>(body.inertia_kg_m2).eigenvalues();
        const double least = -round_off_share * eigenvalues.cwiseAbs().maxCoeff();
        const bool takes_none = of_tree || mechanism.numbers[mechanism.model.bodies[b].mass].value == 0.0;
        if (!(takes_none ? body.mass_kg >= 0.0 : body.mass_kg > 0.0) || !(eigenvalues.minCoeff() >= least))
            return false;
    }
    if (!std::all_of(model.contacts.begin(), model.contacts.end(), is_contact)) return false;
    return !of_tree || describes_laws_of_coordinates(mechanism.model, numbers);
}

bool has_regular_inertias(const reference::MechanismModel& model) {
    return std::ranges::all_of(model.bodies, [](const reference::ModelBody& body) {
        const Vector3d eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix3d>(body.inertia_kg_m2).eigenvalues();
        return eigenvalues.minCoeff() > round_off_share * eigenvalues.maxCoeff();
    });
}

reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                          std::span<const double> numbers) {
    const MechanismTable& table = mechanism.table;
    reference::MechanismModel model = reference::defined_mechanism(mechanism.model, numbers);
    if (static_cast<int>(model.elements.size()) != table.elements)
        throw std::logic_error("the model of a mechanism has other elements than its table");
    for (int b = 0; b < table.bodies; ++b) {
        give_start(table.pinned[b], model.bodies[nth_of(b)]);
        if (table.open_start_row != 0)
            place(parameters, first_body_parameter + b * body_parameters, model.bodies[nth_of(b)]);
    }
    model.moves_at_start = table.moves_at_start, model.starts_together = table.starts_together;
    const reference::ModelNumbers values(mechanism.model, numbers);
    for (int i = 0; i < table.bodies; ++i)
        model.start_motions.push_back(start_motion_of(table, i, mechanism.model, values));
    if (const int open = table.open_start_row; open != 0) {
        model.open_start_row = static_cast<int>(parameters[nth_of(open)]) - 1;
        model.moved_before = parameters[nth_of(open + 1)], model.faster_before = parameters[nth_of(open + 2)];
    }
    for (int e = 0; e < table.elements; ++e) {
        const Element& given = table.element[e];
        reference::ModelElement& element = model.elements[nth_of(e)];
        for (int k = 0; k < element.rows(); ++k) element.active[nth_of(k)] = given.row[k] >= 0;
        if (given.angle >= 0 && table.start_angle[given.angle] != 0)
            element.start_angle_rad = parameters[nth_of(table.start_angle[given.angle])];
    }
    give_functions(mechanism, numbers, model);
    if (table.corners > 0) {
        model.branch_time_s = std::make_shared<double>(std::numeric_limits<double>::quiet_NaN());
        for (reference::TimeFunction& function : model.functions) function.follow(model.branch_time_s);
    }
    complete_tree(table.joint, model);
    return model;
}

reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters) {
    return reference_model(mechanism, parameters, mechanism.nominal_numbers());
}

}  // namespace myriad::backends
