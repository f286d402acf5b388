#include "host/reference/mechanism/defined_mechanism.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "host/reference/mechanism/defined_contacts.hpp"
#include "host/reference/mechanism/defined_joint.hpp"

namespace myriad::reference {

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The largest distance of a point from its centre of mass. Points of contacts and sensors do not count.
class LengthScale {
  public:
    explicit LengthScale(const ModelNumbers& numbers) : numbers_(numbers) {}

    void measure(int body, const model::VectorNumbers& point) {
        if (body >= 0) scale_m_ = std::max(scale_m_, numbers_.from_centre_of_mass(body, point).norm());
        has_points_ = has_points_ || body >= 0;
    }
    void measure(const model::Joint& joint) {
        for (std::size_t side = 0; side < 2 && joint.type != "DP1"; ++side)
            measure(joint.body[side], joint.points[side]);
    }
    double metres() const { return has_points_ ? scale_m_ : 1.0; }

  private:
    const ModelNumbers& numbers_;
    double scale_m_ = least_length_scale_m;
    bool has_points_ = false;
};

ModelBody body_of(const model::Body& defined, const ModelNumbers& numbers) {
    ModelBody body;
    const Vector3d centre = numbers[defined.frame.centre_of_mass], turning = numbers[defined.angular_velocity];
    body.orientation = numbers[defined.frame.orientation];
    body.angular_velocity_rad_s = defined.turns_in_world ? body.orientation.transpose() * turning : turning;
    body.position_m = numbers[defined.position] + body.orientation * centre;
    body.velocity_m_s = numbers[defined.velocity] + body.orientation * body.angular_velocity_rad_s.cross(centre);
    body.position_is_pinned = defined.position_is_pinned, body.orientation_is_pinned = defined.orientation_is_pinned;
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

class Definition {
  public:
    Definition(const model::Model& model, std::span<const double> values) : model_(model), numbers_(model, values) {}

    MechanismModel made() {
        made_.gravity_m_s2 = numbers_[model_.gravity];
        for (const model::Body& body : model_.bodies) made_.bodies.push_back(body_of(body, numbers_));
        add_joints();
        for (const model::Element& element : model_.elements) add_element(element);
        add_driven_angles();
        for (const model::Load& load : model_.loads) add_load(load);
        made_.length_scale_m = length_scale_m();
        for (const model::Contact& contact : model_.contacts) {
            const int limited = contact.limited.joint < 0 ? -1 : measuring(contact.limited);
            for (const ModelContact& one : defined_contacts(contact, numbers_, limited))
                give_size(made_.length_scale_m, made_.contacts.emplace_back(one));
        }
        if (!model_.tree.empty()) add_laws_of_coordinates();
        return std::move(made_);
    }

  private:
    double length_scale_m() const {
        LengthScale scale(numbers_);
        for (const model::Joint& joint : model_.joints) scale.measure(joint);
        for (const model::Element& element : model_.elements)
            if (const bool is_sensor = element.law && element.law->stiffness.empty(); element.joint < 0 && !is_sensor)
                scale.measure(element.between);
        for (const model::Load& load : model_.loads)
            if (load.has_point) scale.measure(load.body, load.point);
        return scale.metres();
    }

    void add_joints() {
        std::vector<int> first_row;
        for (const model::Joint& joint : model_.joints) {
            first_row.push_back(static_cast<int>(made_.elements.size()));
            for (const ModelElement& row : joints_.emplace_back(joint, numbers_).rows()) made_.elements.push_back(row);
        }
        first_row.push_back(static_cast<int>(made_.elements.size()));
        for (const model::TreeBody& hung : model_.tree) {
            HangingBody& hanging = made_.tree.bodies.emplace_back();
            hanging.body = hung.body;
            if (hung.joint < 0) continue;
            hanging = joints_[at(hung.joint)].hanging(hung.body, hung.parent);
            for (int e = first_row[at(hung.joint)]; e < first_row[at(hung.joint) + 1]; ++e)
                hanging.elements.push_back(e);
        }
    }

    void add_element(const model::Element& element) {
        first_row_.push_back(static_cast<int>(made_.elements.size()));
        if (element.between.type == "bushing") return add_bushing(element, numbers_, made_.elements);
        const bool is_driver = element.joint >= 0 && !element.law;
        made_.elements.push_back(element.joint < 0 ? DefinedJoint(element.between, numbers_).rows().front()
                                                   : joints_[at(element.joint)].measure(element.coordinate, is_driver));
        if (element.function >= 0) made_.elements.back().function = element.function;
        if (element.law) give_law(made_.elements.back(), *element.law, 0, numbers_);
        if (!is_driver) return;
        const MeasuredFreedom driven = freedom_of({element.joint, element.coordinate});
        if (driven.freedom >= 0 && prescribed_.insert({driven.hanging, driven.freedom}).second)
            made_.tree.prescribed.push_back({first_row_.back(), driven.hanging, driven.freedom});
    }

    void add_driven_angles() {
        for (std::size_t e = 0; e < model_.elements.size() && !made_.tree.prescribed.empty(); ++e) {
            if (made_.elements[at(first_row_[e])].kind != RowKind::angle) continue;
            const MeasuredFreedom measured = freedom_of({model_.elements[e].joint, model_.elements[e].coordinate});
            for (PrescribedFreedom& one : made_.tree.prescribed)
                if (one.hanging == measured.hanging && one.freedom == measured.freedom)
                    one.angles.push_back(first_row_[e]);
        }
    }

    void add_load(const model::Load& load) {
        const bool in_body = load.in_body_axes;
        ModelLoad one{in_body ? ModelLoadKind::torque_body : ModelLoadKind::torque_world, load.body, Vector3d::Zero(),
                      load.function};
        if (load.is_force) {
            one.kind = in_body ? ModelLoadKind::force_body : ModelLoadKind::force_world;
            one.point = numbers_.from_centre_of_mass(load.body, load.point);
        }
        made_.loads.push_back(one);
    }

    void add_laws_of_coordinates() {
        const auto number = [&](const std::optional<std::size_t>& given, double fallback) {
            return given ? numbers_[*given] : fallback;
        };
        for (const model::Friction& friction : model_.frictions) {
            ModelFriction one{measuring(friction.on), number(friction.dry, 0.0), number(friction.viscous, 0.0),
                              number(friction.rate, 1.0)};
            one.by_force = number(friction.coefficient, 0.0) * number(friction.radius, 1.0);
            if (friction.coefficient) one.hanging = freedom_of(friction.on).hanging;
            made_.frictions.push_back(one);
        }
        for (const model::Rotor& rotor : model_.rotors)
            made_.rotors.push_back({measuring(rotor.on), numbers_[rotor.inertia], numbers_[rotor.ratio]});
        for (const model::CoordinateForce& force : model_.coordinate_forces) {
            using Reads = ModelCoordinateForce::Reads;
            ModelCoordinateForce& one = made_.coordinate_forces.emplace_back();
            one.element = measuring(force.on);
            for (const auto& name : force.names)
                if (name) one.variables.push_back({name->is_rate ? Reads::rate : Reads::value, measuring(name->of)});
        }
        for (const model::Coupling& coupling : model_.couplings) {
            TreeCoupling one{{}, numbers_[coupling.ratio], numbers_[coupling.offset]};
            for (std::size_t side = 0; side < 2; ++side) {
                one.of[side] = freedom_of(coupling.of[side]);
                one.of[side].element = measuring(coupling.of[side]);
            }
            made_.tree.couplings.push_back(one);
        }
    }

    // An element whose value is the coordinate: that of a driven angle is not.
    int measuring(const model::Coordinate& coordinate) const {
        for (std::size_t e = 0; e < model_.elements.size(); ++e) {
            const model::Element& element = model_.elements[e];
            const bool is_it = element.joint == coordinate.joint && element.coordinate == coordinate.name;
            if (is_it && made_.elements[at(first_row_[e])].kind != RowKind::driven_angle) return first_row_[e];
        }
        throw std::logic_error("nothing measures the coordinate " + coordinate.name);
    }

    // Of the tree: -1 where it does not carry the coordinate. Without an element.
    MeasuredFreedom freedom_of(const model::Coordinate& coordinate) const {
        const auto hung = std::find_if(model_.tree.begin(), model_.tree.end(),
                                       [&](const model::TreeBody& one) { return one.joint == coordinate.joint; });
        if (hung == model_.tree.end()) return {-1, -1, -1};
        return {-1, static_cast<int>(hung - model_.tree.begin()),
                joints_[at(coordinate.joint)].freedom_of(coordinate.name, hung->parent)};
    }

    const model::Model& model_;
    ModelNumbers numbers_;
    std::vector<DefinedJoint> joints_;
    std::vector<int> first_row_;  // of each element
    std::set<std::pair<int, int>> prescribed_;
    MechanismModel made_;
};

}  // namespace

MechanismModel defined_mechanism(const model::Model& model, std::span<const double> values) {
    return Definition(model, values).made();
}

}  // namespace myriad::reference
