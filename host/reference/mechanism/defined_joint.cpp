#include "host/reference/mechanism/defined_joint.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "host/reference/mathematics/cardan_angles.hpp"

namespace myriad::reference {

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

// A coordinate axis closer to a direction makes no direction across it; axes farther apart are laid on each other. The
// file's reader has the same bounds.
constexpr double nearest_cosine = 0.9, cosine_of_far_axes = 0.07, least_sine = 1e-8;

}  // namespace

Vector3d across(const Vector3d& given, const Vector3d& n) {
    const Vector3d once = given.stableNormalized() - given.stableNormalized().dot(n) * n;
    return (once - once.dot(n) * n).stableNormalized();
}

Vector3d across(int coordinate_axis, const Vector3d& n) {
    if (std::abs(n[coordinate_axis]) > nearest_cosine) n.cwiseAbs().minCoeff(&coordinate_axis);
    return across(Vector3d::Unit(coordinate_axis), n);
}

namespace {

// The least turn that takes one unit direction to another: about `otherwise` where they are opposed.
Matrix3d least_turn(const Vector3d& from, const Vector3d& to, const Vector3d& otherwise) {
    const Vector3d normal = from.cross(to);
    const double sine = normal.norm(), angle = std::atan2(sine, from.dot(to));
    return Eigen::AngleAxisd(angle, sine > least_sine ? Vector3d(normal / sine) : otherwise).toRotationMatrix();
}

TwinJoint twin_joint(const std::string& type) {
    constexpr const char* names[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                                     "universal", "spherical", "planar",    "translational"};
    const auto found = std::find(std::begin(names), std::end(names), type);
    if (found == std::end(names)) throw std::logic_error("no joint of a tree: " + type);
    return static_cast<TwinJoint>(found - std::begin(names));
}

}  // namespace

Vector3d ModelNumbers::operator[](const model::VectorNumbers& numbers) const {
    return {values_[numbers[0]], values_[numbers[1]], values_[numbers[2]]};
}

Matrix3d ModelNumbers::operator[](const model::OrientationNumbers& orientation) const {
    const auto number = [&](std::size_t k) { return values_[orientation.numbers[k]]; };
    const auto vector = [&](std::size_t first) {
        return Vector3d(number(first), number(first + 1), number(first + 2));
    };
    switch (orientation.form) {
        case model::OrientationForm::quaternion: {
            const Eigen::Vector4d q = Eigen::Vector4d(number(0), number(1), number(2), number(3)).stableNormalized();
            return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
        }
        case model::OrientationForm::rotation_vector:
            return rotation_exponential(vector(0));
        case model::OrientationForm::cardan_xyz:
            return cardan_rotation(vector(0));
        case model::OrientationForm::matrix: {
            Matrix3d given;
            given << vector(0).transpose(), vector(3).transpose(), vector(6).transpose();
            const Eigen::JacobiSVD<Matrix3d> svd(given, Eigen::ComputeFullU | Eigen::ComputeFullV);
            return svd.matrixU() * svd.matrixV().transpose();
        }
        default: {
            const auto [first, second] = orientation.axes;
            const int third = 3 - first - second;
            Matrix3d axes;
            axes.col(first) = vector(0).stableNormalized();
            axes.col(second) = across(vector(3), axes.col(first));
            axes.col(third) = axes.col((third + 1) % 3).cross(axes.col((third + 2) % 3));
            return axes;
        }
    }
}

Matrix3d ModelNumbers::orientation(int body) const {
    if (body < 0) return Matrix3d::Identity();
    return (*this)[model_.bodies[static_cast<std::size_t>(body)].frame.orientation];
}

Vector3d ModelNumbers::from_centre_of_mass(int body, const model::VectorNumbers& point) const {
    if (body < 0) return (*this)[point];
    return (*this)[point] - (*this)[model_.bodies[static_cast<std::size_t>(body)].frame.centre_of_mass];
}

DefinedJoint::DefinedJoint(const model::Joint& joint, const ModelNumbers& numbers)
    : joint_(joint), to_a_(numbers.orientation(joint.body[0]).transpose() * numbers.orientation(joint.body[1])) {
    for (std::size_t side = 0; side < 2; ++side) {
        point_[side] = numbers.from_centre_of_mass(joint.body[side], joint.points[side]);
        axis_[side] = numbers[joint.axes[side]].stableNormalized();
    }
    if (!joint.has_axes) return;
    if (joint.references) {
        for (std::size_t side = 0; side < 2; ++side)
            reference_[side] = across(numbers[(*joint.references)[side]], axis_[side]);
        return;
    }
    reference_[0] = normal(0, 0);
    Matrix3d at_zero = to_a_;
    if (axis_[0].dot(to_a_ * axis_[1]) < cosine_of_far_axes)
        at_zero = least_turn(to_a_ * axis_[1], axis_[0], to_a_ * normal(1, 0)) * to_a_;
    reference_[1] = across(at_zero.transpose() * reference_[0], axis_[1]);
}

ModelElement DefinedJoint::element(RowKind kind) const {
    ModelElement element;
    element.kind = kind, element.body = joint_.body, element.point = point_, element.function = joint_.function;
    return element;
}

ModelElement DefinedJoint::parallel_row(const Vector3d& on_a, const Vector3d& on_b) const {
    ModelElement row = element(RowKind::dot_1);
    row.first = on_a, row.other = on_b;
    return row;
}

ModelElement DefinedJoint::point_row(const Vector3d& along) const {
    ModelElement row = element(RowKind::dot_2);
    row.first = along;
    return row;
}

// Two directions across the axis of a side, right-handed with it.
Vector3d DefinedJoint::normal(std::size_t side, int which) const {
    const Vector3d first = across(joint_.across[side], axis_[side]);
    return which == 0 ? first : Vector3d(axis_[side].cross(first));
}

Vector3d DefinedJoint::slide(int which) const {
    if (!joint_.has_axes) return Vector3d::Unit(which);
    if (joint_.type == "prismatic" || joint_.type == "cylindrical" || which == 2) return axis_[0];
    return which == 0 ? reference_[0] : Vector3d(axis_[0].cross(reference_[0]));
}

DefinedJoint::Turn DefinedJoint::turn(const std::string& coordinate) const {
    const auto [a, b] = joint_.body;
    if (coordinate == "angle_1") return {{a, b}, axis_[0], across(to_a_ * axis_[1], axis_[0]), axis_[1]};
    if (coordinate == "angle_2") return {{b, a}, -axis_[1], across(to_a_.transpose() * axis_[0], axis_[1]), axis_[0]};
    return {{a, b}, axis_[0], reference_[0], reference_[1]};
}

std::vector<ModelElement> DefinedJoint::rows() const {
    const std::string& type = joint_.type;
    const bool slides_in_space = type == "translational";
    std::vector<ModelElement> rows;
    if (type == "DP1") return {parallel_row(axis_[0], axis_[1])};
    if (type == "DP2") return {point_row(axis_[0])};
    if (type == "D") return {element(RowKind::distance)};
    if (type == "CD") {
        rows.push_back(element(RowKind::coordinate_difference));
        rows.back().direction = axis_[0];
        return rows;
    }
    const auto hold_axis = [&] {
        for (int k = 0; k < 2; ++k) rows.push_back(parallel_row(axis_[0], normal(1, k)));
    };
    if (type == "cylindrical" || type == "prismatic") {
        hold_axis();
        for (int k = 0; k < 2; ++k) rows.push_back(point_row(normal(0, k)));
    } else if (joint_.points_along_a) {
        for (int k = 0; k < 3; ++k) rows.push_back(point_row(slide(k)));
    } else if (type != "planar" && !slides_in_space) {
        rows.push_back(element(RowKind::point));
    }
    if (type == "revolute" || type == "planar" || (slides_in_space && joint_.has_axes)) hold_axis();
    if (type == "planar") rows.push_back(point_row(axis_[0]));
    if (type == "universal") rows.push_back(parallel_row(axis_[0], axis_[1]));
    if (type == "prismatic" || (slides_in_space && joint_.has_axes))
        rows.push_back(parallel_row(axis_[0].cross(reference_[0]), reference_[1]));
    if (type == "fixed" || (slides_in_space && !joint_.has_axes))
        for (int k = 0; k < 3; ++k)
            rows.push_back(parallel_row(Vector3d::Unit(k), to_a_.transpose() * Vector3d::Unit((k + 1) % 3)));
    return rows;
}

ModelElement DefinedJoint::measure(const std::string& coordinate, bool drives) const {
    if (coordinate.starts_with("displacement"))
        return point_row(slide(coordinate == "displacement" ? 0 : coordinate.back() - '1'));
    const Turn turn = this->turn(coordinate);
    ModelElement angle = element(drives ? RowKind::driven_angle : RowKind::angle);
    angle.body = turn.body;
    angle.first = turn.from, angle.second = turn.axis.cross(turn.from), angle.other = turn.to;
    return angle;
}

int DefinedJoint::freedom_of(const std::string& coordinate, int parent) const {
    const bool is_on_a = parent == joint_.body[0];
    if (joint_.type == "universal") return (coordinate == "angle_1") == is_on_a ? 0 : 1;
    if (coordinate == "angle") return slides_of(twin_joint(joint_.type));
    if (coordinate == "displacement") return 0;
    return is_on_a ? coordinate.back() - '1' : -1;
}

HangingBody DefinedJoint::hanging(int body, int parent) const {
    const std::size_t on_parent = joint_.body[0] == parent ? 0 : 1, on_body = 1 - on_parent;
    HangingBody hanging{body, parent, twin_joint(joint_.type), {point_[on_parent], point_[on_body]}, {}, {}, {}};
    if (joint_.type == "universal")
        hanging.axis = {parent, axis_[on_parent]}, hanging.second = {body, axis_[on_body]};
    else
        hanging.axis = {joint_.body[0], slide(2)},
        hanging.second = {joint_.body[0], joint_.has_axes ? reference_[0] : slide(0)};
    return hanging;
}

}  // namespace myriad::reference
