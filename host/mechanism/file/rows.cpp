// The kernels' rows of the entries of a model.
//
//   spherical    point                          universal   point, DP1 of the two axes
//   revolute     point, 2 DP1                   cylindrical 2 DP1, 2 DP2
//   prismatic    cylindrical, DP1               fixed       point, 3 DP1
//   planar       2 DP1, DP2                     translational   3 DP1
// The 2 DP1 keep the axis on A perpendicular to two directions that are fixed on B perpendicular to its axis; the 2 DP2
// keep d, from A's point to B's, perpendicular to A's axis; prismatic's last one keeps A's (axis x reference)
// perpendicular to B's reference. planar: d along A's axis is 0. fixed: x, y, z of A against y, z, x of B, B's as they
// lie in the file's orientations; translational likewise, or as prismatic where it has axes. Points that close some
// loops are 3 DP2 (tree/rows_along_bodies.hpp).
#include <algorithm>

#include "host/mechanism/file/builder.hpp"
#include "kernels/mechanism/start_pose.hpp"

namespace myriad::mechanism {

Vector JointGeometry::first_normal(const Inputs& in, int side) const {
    return perpendicular(axis(in, side), across[static_cast<std::size_t>(side)]);
}

Vector JointGeometry::reference_direction(const Inputs& in, int side) const {
    if (references) return in[(*references)[static_cast<std::size_t>(side)]];
    const Vector on_a = first_normal(in, 0);
    return side == 0 ? on_a : inverse(orientation_at_zero(in)).act(on_a);
}

Rotation<double> JointGeometry::orientation_at_zero(const Inputs& in) const {
    const Rotation<double> in_file = in.relative_orientation(body[0], body[1]);
    const Vector a = axis(in, 0), b = in_file.act(axis(in, 1)), n = cross(b, a);
    const double sine = length(n), cosine = dot(a, b);
    if (!(cosine < cosine_of_far_axes)) return in_file;
    const Vector about = sine > least_sine_of_an_axis ? (1.0 / sine) * n : in_file.act(first_normal(in, 1));
    return exp(atan2(sine, cosine) * about) * in_file;
}

// The first angle of a universal joint turns B's axis about A's, the second one B about its own axis, from where A's
// axis stands in the file's orientations.
CountedTurn JointGeometry::turn(const std::string& coordinate) const {
    const JointGeometry of = *this;
    if (coordinate == "angle_1")
        return {of.body, [of](const Inputs& in) { return of.axis(in, 0); },
                [of](const Inputs& in) {
                    return made_perpendicular(in.relative_orientation(of.body[0], of.body[1]).act(of.axis(in, 1)),
                                              of.axis(in, 0));
                },
                [of](const Inputs& in) { return of.axis(in, 1); }};
    if (coordinate == "angle_2")
        return {{of.body[1], of.body[0]},
                [of](const Inputs& in) { return -of.axis(in, 1); },
                [of](const Inputs& in) {
                    return made_perpendicular(
                        inverse(in.relative_orientation(of.body[0], of.body[1])).act(of.axis(in, 0)), of.axis(in, 1));
                },
                [of](const Inputs& in) { return of.axis(in, 0); }};
    return {of.body, [of](const Inputs& in) { return of.axis(in, 0); },
            [of](const Inputs& in) { return of.reference(in, 0); },
            [of](const Inputs& in) { return of.reference(in, 1); }};
}

Vector JointGeometry::slide_direction(const Inputs& in, int which) const {
    if (!has_axes) {
        Vector direction{0.0, 0.0, 0.0};
        direction[which] = 1.0;
        return direction;
    }
    const bool is_along_the_axis = type == "prismatic" || type == "cylindrical" || which == 2;
    if (is_along_the_axis) return axis(in, 0);
    return which == 0 ? reference(in, 0) : cross(axis(in, 0), reference(in, 0));
}

namespace {

Vector coordinate_axis(int axis) {
    Vector e{0.0, 0.0, 0.0};
    e[axis] = 1.0;
    return e;
}

class Rows {
  public:
    Rows(Builder& builder, const JsonValue& at, const model::Joint& joint)
        : builder_(builder), at_(at), joint_{joint} {}

    void of_basic_constraint(int function, const std::optional<Law>& law = {}) {
        const std::string& type = joint_.type;
        if (type == "DP1") return add(ElementKind::dot_1, {axis_on(0), axis_on(1)}, function, law);
        if (type == "D") return add(ElementKind::distance, {point_on(0), point_on(1)}, function, law);
        points_along(type == "DP2" ? ElementKind::dot_2 : ElementKind::coordinate_difference, axis_on(0), function);
    }
    void of_joint() {
        const std::string& type = joint_.type;
        const bool takes_axes = type == "translational" && joint_.has_axes;
        if (type == "cylindrical" || type == "prismatic")
            axes_on_one_line();
        else if (joint_.points_along_a)
            points_together_along_a();
        else if (type != "planar" && type != "translational")
            add(ElementKind::point, {point_on(0), point_on(1)});
        if (type == "revolute" || type == "planar" || takes_axes) axes_parallel();
        if (type == "planar") points_along(ElementKind::dot_2, axis_on(0));
        if (type == "universal") perpendicular(axis_on(0), axis_on(1));
        if (type == "prismatic" || takes_axes) references_parallel();
        if (type == "fixed" || (type == "translational" && !joint_.has_axes)) orientations_as_in_the_file();
    }
    void of_coordinate(const JointCoordinate& coordinate, int slide, int function, const std::optional<Law>& law) {
        if (!coordinate.turns) return points_along(ElementKind::dot_2, slide_direction(slide), function, law);
        const CountedTurn turn = joint_.turn(coordinate.name);
        std::vector<Part> parts{vector_part(turn.from),
                                vector_part([turn](const Inputs& in) { return cross(turn.axis(in), turn.from(in)); }),
                                vector_part(turn.to)};
        if (law) parts.insert(parts.begin(), vector_part(turn.axis));
        builder_.add_element(at_, law ? ElementKind::angle : ElementKind::driven_angle, turn.body, parts, function,
                             law);
    }
    void of_bushing(const model::Element& bushing) {
        const OrientationNumbers frame = bushing.frame;
        for (int k = 0; k < 3 && bushing.law; ++k) {
            const auto row = static_cast<std::size_t>(k);
            points_along(ElementKind::dot_2,
                         vector_part([frame, k](const Inputs& in) { return in[frame].act(coordinate_axis(k)); }), -1,
                         Law{{bushing.law->stiffness[row]}, {bushing.law->damping[row]}});
        }
        if (!bushing.about_axes) return;
        // The frame on each body; they lie in each other in the file's initial orientations.
        const Part frames{8, [frame, bodies = joint_.body](const Inputs& in, double* out) {
                              const Rotation<double> on_a = in[frame],
                                                     on_b =
                                                         inverse(in.relative_orientation(bodies[0], bodies[1])) * on_a;
                              for (const Rotation<double>& q : {on_a, on_b})
                                  *out++ = q.w, *out++ = q.x, *out++ = q.y, *out++ = q.z;
                          }};
        add(ElementKind::rotation_vector, {frames}, -1, bushing.about_axes);
    }

  private:
    template <class Direction>
    Part part(Direction direction) const {
        return vector_part([joint = joint_, direction](const Inputs& in) { return direction(joint, in); });
    }
    Part point_on(std::size_t side) const { return point_part(joint_.point(side)); }
    Part axis_on(int side) const {
        return part([side](const JointGeometry& joint, const Inputs& in) { return joint.axis(in, side); });
    }
    Part normal_on(int side, int which) const {
        return part([side, which](const JointGeometry& joint, const Inputs& in) {
            return which == 0 ? joint.first_normal(in, side) : joint.second_normal(in, side);
        });
    }
    Part slide_direction(int which) const {
        return part([which](const JointGeometry& joint, const Inputs& in) { return joint.slide_direction(in, which); });
    }

    void points_along(ElementKind kind, const Part& direction, int function = -1, const std::optional<Law>& law = {}) {
        add(kind, {direction, point_on(0), point_on(1)}, function, law);
    }
    void points_together_along_a() {
        for (int k = 0; k < 3; ++k) points_along(ElementKind::dot_2, slide_direction(k));
    }
    void perpendicular(const Part& on_a, const Part& on_b) { add(ElementKind::dot_1, {on_a, on_b}); }
    void axes_parallel() {
        for (int which = 0; which < 2; ++which) perpendicular(axis_on(0), normal_on(1, which));
    }
    void axes_on_one_line() {
        axes_parallel();
        for (int which = 0; which < 2; ++which) points_along(ElementKind::dot_2, normal_on(0, which));
    }
    void references_parallel() {
        perpendicular(part([](const JointGeometry& joint, const Inputs& in) {
                          return cross(joint.axis(in, 0), joint.reference(in, 0));
                      }),
                      part([](const JointGeometry& joint, const Inputs& in) { return joint.reference(in, 1); }));
    }
    void orientations_as_in_the_file() {
        for (int k = 0; k < 3; ++k)
            perpendicular(
                vector_part([k](const Inputs&) { return coordinate_axis(k); }),
                vector_part([k, bodies = joint_.body](const Inputs& in) {
                    return inverse(in.relative_orientation(bodies[0], bodies[1])).act(coordinate_axis((k + 1) % 3));
                }));
    }
    void add(ElementKind kind, const std::vector<Part>& parts, int function = -1, const std::optional<Law>& law = {}) {
        builder_.add_element(at_, kind, joint_.body, parts, function, law);
    }

    Builder& builder_;
    const JsonValue& at_;
    JointGeometry joint_;
};

}  // namespace

void Builder::add(const JsonValue& at, const model::Joint& joint) {
    mechanism.model.joints.push_back(joint);
    if (joint.type == "DP1" || joint.type == "DP2" || joint.type == "D" || joint.type == "CD")
        Rows(*this, at, joint).of_basic_constraint(joint.function);
    else
        Rows(*this, at, joint).of_joint();
}

int Builder::add(const JsonValue& at, const model::Element& element) {
    mechanism.model.elements.push_back(element);
    const int first = mechanism.table.elements;
    if (element.joint >= 0) {
        const model::Joint& joint = mechanism.model.joints[static_cast<std::size_t>(element.joint)];
        const auto coordinates = coordinates_of(joint.type);
        const auto found = std::ranges::find_if(
            coordinates, [&](const JointCoordinate& one) { return element.coordinate == one.name; });
        const auto slide = std::count_if(coordinates.begin(), found, [](const auto& one) { return !one.turns; });
        Rows(*this, at, joint).of_coordinate(*found, static_cast<int>(slide), element.function, element.law);
        measured[first] = {element.joint, element.coordinate};
    } else if (element.between.type == "bushing") {
        Rows(*this, at, element.between).of_bushing(element);
    } else {
        const int driven = element.between.function;
        Rows(*this, at, element.between).of_basic_constraint(driven >= 0 ? driven : element.function, element.law);
    }
    return first;
}

int Builder::add_coordinate(const JsonValue& at, JointRecord& joint, const std::string& coordinate, int function,
                            const std::optional<Law>& law) {
    const int element = add(at, {joint.place, coordinate, {}, {}, law, {}, function});
    if (mechanism.table.element[element].kind != ElementKind::driven_angle)
        joint.elements_of[coordinate].push_back(element);
    return element;
}

}  // namespace myriad::mechanism
