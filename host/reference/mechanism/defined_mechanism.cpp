#include "host/reference/mechanism/defined_mechanism.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "host/reference/mechanism/defined_joint.hpp"

namespace myriad::reference {

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

ModelBody body_of(const model::Body& defined, const ModelNumbers& numbers) {
    ModelBody body;
    body.mass_kg = numbers[defined.mass];
    const auto given = [&](std::size_t k) { return k < defined.inertia.size() ? numbers[defined.inertia[k]] : 0.0; };
    Matrix3d inertia;
    inertia << given(0), given(3), given(4), given(3), given(1), given(5), given(4), given(5), given(2);
    const Matrix3d frame = numbers[defined.inertia_frame];
    body.inertia_kg_m2 = frame * inertia * frame.transpose();
    return body;
}

void give_law(ModelElement& element, const model::Law& law, std::size_t first, const ModelNumbers& numbers) {
    element.has_law = true, element.is_sensor = law.stiffness.empty();
    for (int k = 0; k < element.rows() && !element.is_sensor; ++k) {
        element.stiffness[k] = numbers[law.stiffness[first + at(k)]];
        element.damping[k] = numbers[law.damping[first + at(k)]];
    }
}

// Rows along the axes of its frame on A, and about them: its frame on B is where that on A lies in the file.
void add_bushing(const model::Element& bushing, const ModelNumbers& numbers, std::vector<ModelElement>& elements) {
    const Matrix3d frame = numbers[bushing.frame];
    const std::array<int, 2> bodies = bushing.between.body;
    ModelElement row;
    row.body = bodies;
    for (std::size_t side = 0; side < 2; ++side)
        row.point[side] = numbers.from_centre_of_mass(bodies[side], bushing.between.points[side]);
    row.kind = RowKind::dot_2;
    for (int k = 0; k < 3 && bushing.law; ++k) {
        row.first = frame.col(k);
        give_law(row, *bushing.law, at(k), numbers);
        elements.push_back(row);
    }
    if (!bushing.about_axes) return;
    row.kind = RowKind::rotation_vector;
    row.frame = {frame, numbers.orientation(bodies[1]).transpose() * numbers.orientation(bodies[0]) * frame};
    give_law(row, *bushing.about_axes, 0, numbers);
    elements.push_back(row);
}

bool is_driver(const model::Element& element) { return element.joint >= 0 && !element.law; }

// The body of the tree that hangs on a joint; -1 where none does.
int hanging_on(const model::Model& model, int joint) {
    const auto found = std::find_if(model.tree.begin(), model.tree.end(),
                                    [&](const model::TreeBody& hung) { return joint >= 0 && hung.joint == joint; });
    return found == model.tree.end() ? -1 : static_cast<int>(found - model.tree.begin());
}

}  // namespace

MechanismModel defined_mechanism(const model::Model& model, std::span<const double> values) {
    const ModelNumbers numbers(model, values);
    MechanismModel made;
    made.gravity_m_s2 = numbers[model.gravity];
    for (const model::Body& body : model.bodies) made.bodies.push_back(body_of(body, numbers));
    std::vector<DefinedJoint> joints;
    std::vector<int> first_row;
    for (const model::Joint& joint : model.joints) {
        joints.emplace_back(joint, numbers);
        first_row.push_back(static_cast<int>(made.elements.size()));
        for (const ModelElement& row : joints.back().rows()) made.elements.push_back(row);
    }
    first_row.push_back(static_cast<int>(made.elements.size()));
    for (const model::TreeBody& hung : model.tree) {
        HangingBody& hanging = made.tree.bodies.emplace_back();
        hanging.body = hung.body;
        if (hung.joint < 0) continue;
        hanging = joints[at(hung.joint)].hanging(hung.body, hung.parent);
        for (int e = first_row[at(hung.joint)]; e < first_row[at(hung.joint) + 1]; ++e) hanging.elements.push_back(e);
    }
    std::set<std::pair<int, int>> prescribed;
    for (const model::Element& element : model.elements) {
        if (element.between.type == "bushing") {
            add_bushing(element, numbers, made.elements);
            continue;
        }
        const auto number = static_cast<int>(made.elements.size());
        made.elements.push_back(element.joint < 0
                                    ? DefinedJoint(element.between, numbers).rows().front()
                                    : joints[at(element.joint)].measure(element.coordinate, is_driver(element)));
        if (element.function >= 0) made.elements.back().function = element.function;
        if (element.law) give_law(made.elements.back(), *element.law, 0, numbers);
        const int hanging = hanging_on(model, element.joint);
        if (hanging < 0 || !is_driver(element)) continue;
        const int freedom = joints[at(element.joint)].freedom_of(element.coordinate, model.tree[at(hanging)].parent);
        if (freedom >= 0 && prescribed.insert({hanging, freedom}).second)
            made.tree.prescribed.push_back({number, hanging, freedom});
    }
    for (const model::Load& load : model.loads) {
        using enum ModelLoadKind;
        made.loads.push_back(
            {load.is_force       ? load.in_body_axes ? force_body : force_world
             : load.in_body_axes ? torque_body
                                 : torque_world,
             load.body, load.is_force ? numbers.from_centre_of_mass(load.body, load.point) : Vector3d(Vector3d::Zero()),
             load.function});
    }
    return made;
}

}  // namespace myriad::reference
