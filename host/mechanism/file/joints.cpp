// Joints as rows:
//   spherical    point                          universal   point, DP1 of the two axes
//   revolute     point, 2 DP1                   cylindrical 2 DP1, 2 DP2
//   prismatic    cylindrical, DP1               fixed       point, 3 DP1
//   planar       2 DP1, DP2                     translational   3 DP1
// The 2 DP1 keep the axis on A perpendicular to two directions that are fixed on B perpendicular to its axis; the 2 DP2
// keep d, from A's point to B's, perpendicular to A's axis; prismatic's last one keeps A's (axis x reference)
// perpendicular to B's reference. planar: d along A's axis is 0. fixed: x, y, z of A against y, z, x of B, B's as they
// lie in the file's orientations; translational likewise, or as prismatic where it has axes. Points that close some
// loops are 3 DP2 (tree/rows_along_bodies.hpp).
#include "host/mechanism/file/constraints.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"

namespace myriad::mechanism {

model::Joint add_basic_constraint(Builder& builder, const Entry& entry, const std::string& type, const Key& value_key,
                                  std::array<PointNumbers, 2>& points) {
    const std::array<int, 2> bodies = builder.two_bodies(entry);
    model::Joint defined{type, bodies};
    ElementKind kind = ElementKind::distance;
    std::vector<Part> parts;
    if (type == "DP1") {
        kind = ElementKind::dot_1;
        defined.axes = builder.two_directions(entry, axes_key);
        for (const VectorNumbers& axis : defined.axes)
            parts.push_back(vector_part([axis](const Inputs& in) { return unit(in[axis]); }));
    } else if (type != "D") {
        kind = type == "DP2" ? ElementKind::dot_2 : ElementKind::coordinate_difference;
        const VectorNumbers axis = builder.direction(entry, type == "DP2" ? axis_key : direction_key);
        defined.axes[0] = axis;
        parts.push_back(vector_part([axis](const Inputs& in) { return unit(in[axis]); }));
    }
    if (type != "DP1") {
        points = builder.points(entry, bodies);
        defined.points = {points[0].numbers, points[1].numbers};
        for (const PointNumbers& point : points) {
            parts.push_back(point_part(point));
            builder.measure(point);
        }
    }
    defined.function = builder.function(entry, value_key);
    if (value_key.type == KeyType::number && entry.value.find(value_key.name)) {
        const double value = builder.numbers.numbers().back().value;
        if (type == "D" && !(0.0 < value))
            entry.value.find(value_key.name)
                ->refuse("a distance must be above 0", "points that stay together are a spherical joint");
        if (type == "DP1" && !(magnitude(value) < 1.0))
            entry.value.find(value_key.name)
                ->refuse("a cosine must lie between -1 and 1, without these two, where one row cannot hold the axes",
                         "axes that stay parallel are part of a revolute, cylindrical or prismatic joint");
    }
    builder.add_element(entry.value, kind, bodies, parts, defined.function);
    return defined;
}

namespace {

// The axes of a joint, and its references where it may have some.
AxisPair read_axes(Builder& builder, const Entry& entry, const std::array<int, 2>& bodies, bool counts_an_angle) {
    AxisPair pair;
    pair.body = bodies;
    pair.axes = builder.two_directions(entry, axes_key);
    for (int side = 0; side < 2; ++side)
        pair.from[static_cast<std::size_t>(side)] = farthest_axis(pair.axis(builder.nominal(), side));
    if (!counts_an_angle) return pair;
    const auto references = entry.value.find(references_key.name);
    if (!references) return pair;
    pair.references = builder.two_directions(entry, references_key);
    for (int side = 0; side < 2; ++side) {
        const Inputs in = builder.nominal();
        if (are_parallel(pair.reference_direction(in, side), pair.axis(in, side)))
            references->elements()[static_cast<std::size_t>(side)].refuse(
                "this reference is parallel to its axis",
                "give a direction across the axis: the angle is counted from it");
    }
    return pair;
}

Part axis_part(const AxisPair& pair, int side) {
    return vector_part([pair, side](const Inputs& in) { return pair.axis(in, side); });
}
Part normal_part(const AxisPair& pair, int side, int which) {
    return vector_part([pair, side, which](const Inputs& in) {
        return which == 0 ? pair.first_normal(in, side) : pair.second_normal(in, side);
    });
}

class JointRows {
  public:
    JointRows(Builder& builder, const JsonValue& at, const std::array<int, 2>& bodies,
              const std::array<PointNumbers, 2>& points)
        : builder_(builder), at_(at), bodies_(bodies), points_(points) {}

    void points_together() { add(ElementKind::point, {point_part(points_[0]), point_part(points_[1])}); }
    void points_together_along_a(const JointRecord& joint) {
        for (int k = 0; k < 3; ++k)
            add(ElementKind::dot_2, {vector_part([joint, k](const Inputs& in) { return joint.slide_direction(in, k); }),
                                     point_part(points_[0]), point_part(points_[1])});
    }
    void perpendicular(const Part& on_a, const Part& on_b) { add(ElementKind::dot_1, {on_a, on_b}); }
    void axes_parallel(const AxisPair& pair) {
        for (int which = 0; which < 2; ++which) perpendicular(axis_part(pair, 0), normal_part(pair, 1, which));
    }
    void points_in_one_plane(const AxisPair& pair) {
        add(ElementKind::dot_2, {axis_part(pair, 0), point_part(points_[0]), point_part(points_[1])});
    }
    void axes_on_one_line(const AxisPair& pair) {
        axes_parallel(pair);
        for (int which = 0; which < 2; ++which)
            add(ElementKind::dot_2, {normal_part(pair, 0, which), point_part(points_[0]), point_part(points_[1])});
    }
    void references_parallel(const AxisPair& pair) {
        perpendicular(vector_part([pair](const Inputs& in) { return cross(pair.axis(in, 0), pair.reference(in, 0)); }),
                      vector_part([pair](const Inputs& in) { return pair.reference(in, 1); }));
    }
    void orientations_as_in_the_file() {
        for (int k = 0; k < 3; ++k) {
            const auto coordinate_axis = [](int axis) {
                Vector e{0.0, 0.0, 0.0};
                e[axis] = 1.0;
                return e;
            };
            const Vector on_a = coordinate_axis(k), next = coordinate_axis((k + 1) % 3);
            perpendicular(vector_part([on_a](const Inputs&) { return on_a; }),
                          vector_part([next, bodies = bodies_](const Inputs& in) {
                              return inverse(in.relative_orientation(bodies[0], bodies[1])).act(next);
                          }));
        }
    }

  private:
    void add(ElementKind kind, const std::vector<Part>& parts) { builder_.add_element(at_, kind, bodies_, parts); }

    Builder& builder_;
    const JsonValue& at_;
    std::array<int, 2> bodies_;
    std::array<PointNumbers, 2> points_;
};

void read_joint(Builder& builder, const Entry& entry, const std::string& name, const std::string& type) {
    JointRecord joint;
    joint.type = type;
    joint.place = static_cast<int>(builder.mechanism.joints.size());
    if (type == "DP1" || type == "DP2" || type == "D" || type == "CD") {
        builder.mechanism.model.joints.push_back(add_basic_constraint(builder, entry, type,
                                                                      type == "DP1" ? dot_value_key
                                                                      : type == "D" ? distance_value_key
                                                                                    : length_value_key,
                                                                      joint.points));
        builder.joints[name] = joint;
        return;
    }
    const std::array<int, 2> bodies = builder.two_bodies(entry);
    joint.points = builder.points(entry, bodies);
    for (const PointNumbers& point : joint.points) builder.measure(point);
    joint.has_axes = entry.value.find(axes_key.name).has_value() ||
                     (type != "spherical" && type != "fixed" && type != "translational");
    joint.pair.body = bodies;
    if (joint.has_axes)
        joint.pair = read_axes(builder, entry, bodies, type != "universal");
    else if (const auto references = entry.value.find(references_key.name))
        references->refuse("these references have no axes that they could be across",
                           "give \"axes\" as well, or leave both out");
    JointRows rows(builder, entry.value, bodies, joint.points);
    if (type == "cylindrical" || type == "prismatic")
        rows.axes_on_one_line(joint.pair);
    else if (builder.joints_along_a.contains(name))
        rows.points_together_along_a(joint);
    else if (type != "planar" && type != "translational")
        rows.points_together();
    if (type == "revolute" || type == "planar" || (type == "translational" && joint.has_axes))
        rows.axes_parallel(joint.pair);
    if (type == "planar") rows.points_in_one_plane(joint.pair);
    if (type == "universal") rows.perpendicular(axis_part(joint.pair, 0), axis_part(joint.pair, 1));
    if (type == "prismatic" || (type == "translational" && joint.has_axes)) rows.references_parallel(joint.pair);
    if (type == "fixed" || (type == "translational" && !joint.has_axes)) rows.orientations_as_in_the_file();
    const AxisPair& pair = joint.pair;
    builder.mechanism.model.joints.push_back({type,
                                              bodies,
                                              {joint.points[0].numbers, joint.points[1].numbers},
                                              pair.axes,
                                              joint.has_axes,
                                              pair.references,
                                              pair.from,
                                              builder.joints_along_a.contains(name)});
    read_start_values(builder, entry, joint);
    read_rotors(builder, entry, joint);
    builder.joints[name] = joint;
}

// A body on a free joint starts where the file has it: a cut that puts one there must leave it a place.
void require_places_of_cut_bodies(const Mechanism& mechanism, const JsonValue& section) {
    const SpanningTree tree = spanning_tree_of(mechanism);
    for (const CutJoint& cut : tree.cut) {
        const int body = body_set_free(mechanism, tree, cut.joint);
        if (body < 0 || mechanism.body_is_placed[static_cast<std::size_t>(body)]) continue;
        const std::string& name = mechanism.body_names[static_cast<std::size_t>(body)];
        const JsonValue joint = section.member(mechanism.joints[static_cast<std::size_t>(cut.joint)].name, "");
        joint.member(cut_key.name, "")
            .refuse("without this joint the body \"" + name +
                        "\" would hang on nothing that the program can place: no other joint of the tree leads to it, "
                        "and the file gives it neither \"" +
                        position_key.name + "\" nor \"" + orientation_key.name + "\"",
                    "give the body \"" + name + "\" one of them, from which it moves freely but for the rows of the " +
                        "joint, or do not cut this joint");
    }
}

}  // namespace

void read_joints(Builder& builder, const JsonValue& root) {
    read_section(builder, root, joints_section_key, joint_kinds, "joint", builder.mechanism.joints,
                 [&](const Entry& entry, const std::string& name, const std::string& type) {
                     read_joint(builder, entry, name, type);
                 });
    if (const auto section = root.find(joints_section_key.name))
        require_places_of_cut_bodies(builder.mechanism, *section);
}

}  // namespace myriad::mechanism
