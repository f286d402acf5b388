// Loads, and force elements with a law: the force of a row is -B^T lambda with lambda = k phi + d phi', so a spring
// pulls back for positive stiffness and a damper brakes for positive damping.
#include "host/mechanism/file/constraints.hpp"

namespace myriad::mechanism {

namespace {

bool is_body_frame(const Entry& entry) {
    const auto frame = entry.value.find(load_frame_key.name);
    return frame && frame->one_of(names_of(load_frame_names), "frame") == 1;
}

void read_load(Builder& builder, const Entry& entry, bool is_force) {
    model::Load load{is_force};
    load.body = builder.body(entry);
    load.in_body_axes = is_body_frame(entry);
    load.has_point = is_force && entry.value.find(load_point_key.name);
    int parameter = -1;
    if (is_force) {
        if (load.has_point) {
            load.point = builder.vector(entry, load_point_key);
            builder.measure({load.body, load.point});
        } else {
            const VectorNumbers centre = builder.bodies[static_cast<std::size_t>(load.body)].centre_of_mass;
            for (std::size_t k = 0; k < 3; ++k)
                load.point[k] = builder.numbers.add_copy(
                    centre[k], {entry.address + "." + load_point_key.name + "[" + std::to_string(k) + "]",
                                load_point_key.unit, load_point_key.meaning});
        }
        parameter = builder.add_parameters(3, point_part({load.body, load.point}).write);
    }
    const Key& key = is_force ? force_key : torque_key;
    const JsonValue value = entry.value.member(key.name, key.meaning);
    const auto components = Builder::three(value);
    for (std::size_t k = 0; k < 3; ++k)
        load.function[k] =
            builder.function_at(components[k], entry.address + "." + key.name + "[" + std::to_string(k) + "]", key);
    builder.add(entry.value, load, parameter);
}

void require_not_negative(const Builder& builder, const Entry& entry, const Key& key, std::size_t number) {
    if (!(0.0 <= builder.numbers.value(number)))
        entry.value.find(key.name)->refuse(
            std::string("this ") + (std::string(key.name).starts_with("damping") ? "damping" : "stiffness") +
                " is negative",
            "give 0 or more: a positive one acts against the motion");
}

// A spring, a damper, or both.
Law read_law(Builder& builder, const Entry& entry, const Key& stiffness, const Key& damping) {
    if (!entry.value.find(stiffness.name) && !entry.value.find(damping.name))
        entry.value.refuse("this spring and damper exerts nothing",
                           std::string("give it \"") + stiffness.name + "\", or \"" + damping.name + "\"");
    const std::size_t k = builder.number(entry, stiffness), d = builder.number(entry, damping);
    require_not_negative(builder, entry, stiffness, k);
    require_not_negative(builder, entry, damping, d);
    return {{k}, {d}};
}

void read_spring_damper(Builder& builder, const Entry& entry) {
    model::Joint between{"D", builder.two_bodies(entry)};
    builder.read_points(entry, between);
    const Law law = read_law(builder, entry, stiffness_key, damping_key);
    if (entry.value.find(stiffness_key.name))
        entry.value.member(rest_length_key.name,
                           std::string(rest_length_key.meaning) + ": it is what the stiffness acts against");
    const int rest_length = builder.function(entry, rest_length_key);
    builder.add(entry.value, model::Element{-1, {}, between, {}, law, {}, rest_length});
}

// Of the three rows of a bushing; nothing where both lists are left out.
std::optional<Law> read_laws(Builder& builder, const Entry& entry, const Key& stiffness_key, const Key& damping_key) {
    if (!entry.value.find(stiffness_key.name) && !entry.value.find(damping_key.name)) return std::nullopt;
    const VectorNumbers stiffness = builder.vector(entry, stiffness_key), damping = builder.vector(entry, damping_key);
    for (std::size_t k = 0; k < 3; ++k) {
        require_not_negative(builder, entry, stiffness_key, stiffness[k]);
        require_not_negative(builder, entry, damping_key, damping[k]);
    }
    return Law{{stiffness.begin(), stiffness.end()}, {damping.begin(), damping.end()}};
}

void read_bushing(Builder& builder, const Entry& entry) {
    model::Joint between{"bushing", builder.two_bodies(entry)};
    builder.read_points(entry, between);
    const OrientationNumbers frame = builder.orientation(entry, bushing_frame_key);
    const std::optional<Law> along = read_laws(builder, entry, bushing_stiffness_key, bushing_damping_key),
                             about = read_laws(builder, entry, bushing_rotational_stiffness_key,
                                               bushing_rotational_damping_key);
    if (!along && !about)
        entry.value.refuse("this bushing exerts nothing", "give it \"stiffness_N_m\" or \"stiffness_N_m_rad\"");
    builder.add(entry.value, model::Element{-1, {}, between, frame, along, about});
}

void read_force(Builder& builder, const Entry& entry, const std::string& type) {
    if (type == "force" || type == "torque") {
        read_load(builder, entry, type == "force");
    } else if (type == "spring_damper") {
        read_spring_damper(builder, entry);
    } else if (type == "bushing") {
        read_bushing(builder, entry);
    } else if (type == "torsional_spring_damper") {
        JointRecord& joint = builder.joint_that(entry, "angle");
        const Law law = read_law(builder, entry, rotational_stiffness_key, rotational_damping_key);
        const int rest = builder.function(entry, rest_angle_key);
        builder.add_coordinate(entry.value, joint, "angle", rest, law);
    } else if (type == "linear_spring_damper") {
        JointRecord& joint = builder.joint_that(entry, "displacement");
        const Law law = read_law(builder, entry, stiffness_key, damping_key);
        const int rest = builder.function(entry, rest_displacement_key);
        builder.add_coordinate(entry.value, joint, "displacement", rest, law);
    } else if (type == "joint_friction") {
        read_friction(builder, entry);
    } else if (type == "joint_force") {
        read_joint_force(builder, entry);
    } else {
        JointRecord& joint = builder.joint(entry);
        if (joint.type != "revolute" && joint.type != "prismatic")
            entry.value.member(joint_key.name, "")
                .refuse("a controller acts on a revolute or a prismatic joint, and this one is " + joint.type,
                        "for a cylindrical one use torsional_spring_damper and linear_spring_damper");
        const Law law{{builder.number(entry, proportional_key)}, {builder.number(entry, derivative_key)}, true};
        const int target = builder.function(entry, target_key);
        builder.add_coordinate(entry.value, joint, coordinates_of(joint.type).front().name, target, law);
    }
}

}  // namespace

void read_forces(Builder& builder, const JsonValue& root) {
    read_section(
        builder, root, forces_section_key, force_kinds, "force", builder.mechanism.forces,
        [&](const Entry& entry, const std::string&, const std::string& type) { read_force(builder, entry, type); });
}

}  // namespace myriad::mechanism
