#include "host/mechanism/assembly/joint_errors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/text/number_text.hpp"

namespace myriad::mechanism {

namespace {

double distance_of_angles(double cosine, double wanted) {
    const auto angle = [](double c) { return std::acos(std::clamp(c, -1.0, 1.0)); };
    return std::abs(angle(cosine) - angle(wanted));
}

class ErrorOfJoint {
  public:
    // `joint`: none of a driver.
    ErrorOfJoint(const NominalInstance& at, const NamedElements& named, const model::Joint* joint)
        : at_(at), bodies_(at.scratch.work.bodies), equations_(at.system.equations(at.scratch.functions)) {
        error_.joint = named.section + "." + named.name;
        error_.first_element = named.first_element, error_.element_count = named.element_count;
        std::vector<const Element*> directions;
        for (int e = named.first_element; e < named.first_element + named.element_count; ++e) {
            const Element& element = at.system.topology.element(e);
            if (element.kind == ElementKind::driven_angle)
                add_angle(driven_angle(element));
            else if (element.kind == ElementKind::dot_1)
                directions.push_back(&element);
            else
                add_lengths(element);
        }
        if (joint != nullptr && joint->has_parallel_axes()) {
            add_angle(angle_between(on_a(*directions[0], 0), axis_on_b(*directions[0], *directions[1])));
            if (joint->keeps_references()) add_angle(between_references(*directions[0], *directions[2]));
        } else {
            for (const Element* element : directions) {
                const double wanted = equations_.function(element->function).value;
                add_angle(distance_of_angles(rows(*element).value[0] + wanted, wanted));
            }
        }
    }
    JointError error() const { return error_; }

  private:
    Rows<double> rows(const Element& element) const { return equations_.rows(element, bodies_, at_.motion.q.turned); }
    Vector parameter(const Element& element, int which) const {
        return vector_at<double>(at_.parameters, element.parameter + 3 * which);
    }
    Vector on_a(const Element& element, int which) const {
        return bodies_.to_world(element.body[0], parameter(element, which));
    }
    Vector on_b(const Element& element, int which) const {
        return bodies_.to_world(element.body[1], parameter(element, which));
    }
    // The two rows keep A's axis perpendicular to two directions on B that are right-handed with B's axis.
    Vector axis_on_b(const Element& first, const Element& second) const {
        return cross(on_b(first, 1), on_b(second, 1));
    }
    // The row keeps axis x reference on A perpendicular to the reference on B.
    double between_references(const Element& of_axes, const Element& row) const {
        return angle_between(cross(on_a(row, 0), on_a(of_axes, 0)), on_b(row, 1));
    }
    // The row is the sine of the angle's error; this is all of it.
    double driven_angle(const Element& element) const {
        const SineCosine<double> f = sincos(equations_.function(element.function).value);
        const Vector along = fma(f.cosine, on_a(element, 0), f.sine * on_a(element, 1));
        return std::abs(std::atan2(rows(element).value[0], dot(along, on_b(element, 2))));
    }

    void add_lengths(const Element& element) {
        const Rows<double> of_element = rows(element);
        for (int k = 0; k < rows_of(element.kind); ++k)
            error_.length_m = std::hypot(error_.length_m, of_element.value[k]);
    }
    void add_angle(double angle_rad) {
        if (!(angle_rad <= error_.angle_rad)) error_.angle_rad = angle_rad;
    }

    const NominalInstance& at_;
    const Bodies<double, TableTopology::most_bodies>& bodies_;
    const decltype(at_.system.equations(at_.scratch.functions)) equations_;
    JointError error_;
};

}  // namespace

std::string length_and_angle(double length_m, double angle_rad, double least_m, double least_rad) {
    constexpr int digits = 3;
    const bool is_long = !(length_m <= least_m), is_wide = !(angle_rad <= least_rad);
    std::string text;
    if (is_long || !is_wide) text = rounded_number_text(length_m, digits) + " m";
    if (is_wide) text += (text.empty() ? "" : " and ") + rounded_number_text(angle_rad, digits) + " rad";
    return text;
}

std::string JointError::text(double least_m, double least_rad) const {
    return length_and_angle(length_m, angle_rad, least_m, least_rad);
}

JointError worst_of(const std::vector<JointError>& errors, double length_scale_m) {
    const auto size = [&](const JointError& error) {
        return std::max(error.length_m / length_scale_m, error.angle_rad);
    };
    const auto worst = std::max_element(errors.begin(), errors.end(),
                                        [&](const JointError& a, const JointError& b) { return size(a) < size(b); });
    return worst == errors.end() ? JointError{} : *worst;
}

void refuse_opposed_axes(const Mechanism& mechanism, const Refusal& refuse) {
    // Digits of a file may be missing.
    constexpr double half_turn = 3.141592653589793, missing_digits = 1e-3;
    std::vector<double> values;
    for (const Number& number : mechanism.numbers) values.push_back(number.value);
    const std::vector<double> given =
        mechanism.parameters_as_given(values, std::vector<unsigned char>(values.size(), 0));
    const auto at = std::make_unique<NominalInstance>(mechanism.table, given);
    const std::vector<JointError> errors = joint_errors(mechanism, *at);
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
        const int(&bodies)[2] = mechanism.table.element[errors[j].first_element].body;
        const bool is_given = std::all_of(std::begin(bodies), std::end(bodies), [&](int b) {
            return b < 0 || mechanism.body_pose_is_given[static_cast<std::size_t>(b)].orientation;
        });
        if (mechanism.model.joints[j].has_parallel_axes() && is_given &&
            errors[j].angle_rad > half_turn - missing_digits)
            refuse(errors[j].joint,
                   "the axes of " + errors[j].joint +
                       ", or its references, point in opposite directions in the orientations that the file gives",
                   "give the one on the second body the other sign");
    }
}

std::vector<JointError> joint_errors(const Mechanism& mechanism, NominalInstance& at) {
    at.system.functions_at(at.time_s, at.scratch.functions);
    at.system.place(at.motion.q, at.scratch.work.bodies);
    std::vector<JointError> errors;
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j)
        errors.push_back(ErrorOfJoint(at, mechanism.joints[j], &mechanism.model.joints[j]).error());
    for (const NamedElements& driver : mechanism.drivers) errors.push_back(ErrorOfJoint(at, driver, nullptr).error());
    return errors;
}

}  // namespace myriad::mechanism
