// The section "joints", and basic constraints, which drivers have as well.
#include "host/mechanism/file/constraints.hpp"

namespace myriad::mechanism {

model::Joint read_basic_constraint(Builder& builder, const Entry& entry, const std::string& type,
                                   const Key& value_key) {
    model::Joint defined{type, builder.two_bodies(entry)};
    if (type == "DP1") {
        defined.axes = builder.two_directions(entry, axes_key);
    } else if (type != "D") {
        defined.axes[0] = builder.direction(entry, type == "DP2" ? axis_key : direction_key);
    }
    if (type != "DP1") builder.read_points(entry, defined);
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
    return defined;
}

namespace {

// The axes of a joint, and its references where it may have some.
void read_axes(Builder& builder, const Entry& entry, JointGeometry& joint) {
    joint.axes = builder.two_directions(entry, axes_key);
    for (int side = 0; side < 2; ++side)
        joint.across[static_cast<std::size_t>(side)] = farthest_axis(joint.axis(builder.nominal(), side));
    const auto references = entry.value.find(references_key.name);
    if (joint.type == "universal" || !references) return;
    joint.references = builder.two_directions(entry, references_key);
    for (int side = 0; side < 2; ++side) {
        const Inputs in = builder.nominal();
        if (are_parallel(joint.reference_direction(in, side), joint.axis(in, side)))
            references->elements()[static_cast<std::size_t>(side)].refuse(
                "this reference is parallel to its axis",
                "give a direction across the axis: the angle is counted from it");
    }
}

void read_joint(Builder& builder, const Entry& entry, const std::string& name, const std::string& type) {
    JointRecord joint;
    joint.place = static_cast<int>(builder.mechanism.joints.size());
    if (type == "DP1" || type == "DP2" || type == "D" || type == "CD") {
        joint.model::Joint::operator=(read_basic_constraint(builder, entry, type,
                                                            type == "DP1" ? dot_value_key
                                                            : type == "D" ? distance_value_key
                                                                          : length_value_key));
        builder.add(entry.value, joint);
        builder.joints[name] = joint;
        return;
    }
    joint.type = type, joint.body = builder.two_bodies(entry);
    builder.read_points(entry, joint);
    joint.has_axes = entry.value.find(axes_key.name).has_value() ||
                     (type != "spherical" && type != "fixed" && type != "translational");
    joint.points_along_a = builder.joints_along_a.contains(name);
    if (joint.has_axes)
        read_axes(builder, entry, joint);
    else if (const auto references = entry.value.find(references_key.name))
        references->refuse("these references have no axes that they could be across",
                           "give \"axes\" as well, or leave both out");
    builder.add(entry.value, joint);
    read_start_values(builder, entry, joint);
    read_rotors(builder, entry, joint);
    builder.joints[name] = joint;
}

}  // namespace

void read_joints(Builder& builder, const JsonValue& root) {
    read_section(builder, root, joints_section_key, joint_kinds, "joint", builder.mechanism.joints,
                 [&](const Entry& entry, const std::string& name, const std::string& type) {
                     read_joint(builder, entry, name, type);
                 });
}

}  // namespace myriad::mechanism
