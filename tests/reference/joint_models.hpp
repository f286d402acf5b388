// Mechanisms with their trees of joints: chains of every type of joint, loops, drivers.
#pragma once
#include "tests/reference/mechanism_models.hpp"

namespace myriad::reference {

// The joint of a tree from its rows first .. last - 1, all between the two: revolute and fixed have a point; universal
// has one and a dot_1 of its two axes; prismatic, cylindrical and planar have a dot_1 whose `first` is the axis, and a
// dot_2 with the joint's points; translational has rows that hold the orientation alone. `second` is any direction
// across the axis where a planar or a translational joint leaves it open.
inline HangingBody hanging_body(const MechanismModel& model, TwinJoint joint, int body, int parent, int first,
                                int last) {
    HangingBody hanging;
    hanging.body = body, hanging.parent = parent, hanging.joint = joint;
    bool has_axis = false;
    for (int e = first; e < last; ++e) {
        hanging.elements.push_back(e);
        const ModelElement& element = model.elements[static_cast<std::size_t>(e)];
        const std::size_t of_parent = element.body[1] == body ? 0 : 1, of_body = 1 - of_parent;
        if (element.kind == RowKind::point || element.kind == RowKind::dot_2)
            hanging.point = {element.point[of_parent], element.point[of_body]};
        if (element.kind != RowKind::dot_1 || has_axis) continue;
        has_axis = true;
        const std::array<Eigen::Vector3d, 2> directions = {element.first, element.other};
        const bool is_universal = joint == TwinJoint::universal;
        hanging.axis = is_universal ? FixedDirection{parent, directions[of_parent]}
                                    : FixedDirection{element.body[0], element.first};
        hanging.second = is_universal ? FixedDirection{body, directions[of_body]}
                                      : FixedDirection{element.body[0], element.first.unitOrthogonal()};
    }
    return hanging;
}

// The rows first .. are those of the joint on which `body` hangs.
inline void hang(MechanismModel& model, TwinJoint joint, int body, int parent, int first = 0, int last = 0) {
    model.tree.bodies.push_back(hanging_body(model, joint, body, parent, first, last));
}

// Every joint cut: bodies are free, and joints are rows.
inline MechanismModel with_free_bodies(MechanismModel model) {
    model.tree = {};
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) hang(model, TwinJoint::free, b, -1);
    return model;
}

inline void prescribe(MechanismModel& model, int element, int hanging, int freedom) {
    model.tree.prescribed.push_back({element, hanging, freedom});
}

// Where a joint is when the mechanism is put together, in the world.
struct JointPlace {
    Eigen::Vector3d point, axis, second;
};

// Adds the rows of a joint between two bodies where they are, the first of which is `sides`[0], and hangs `body` on
// `parent`; both orders of the sides are the same mechanism.
inline void add_joint(MechanismModel& model, TwinJoint joint, int body, int parent, const JointPlace& place,
                      bool is_backwards = false) {
    const std::array<int, 2> sides = is_backwards ? std::array{body, parent} : std::array{parent, body};
    const auto pose = [&](std::size_t side) {
        const int b = sides[side];
        return b < 0 ? ModelBody{} : model.bodies[static_cast<std::size_t>(b)];
    };
    const auto seen = [&](std::size_t side, const Eigen::Vector3d& direction) {
        return Eigen::Vector3d(pose(side).orientation.transpose() * direction);
    };
    const auto point = [&](std::size_t side) { return seen(side, place.point - pose(side).position_m); };
    const Eigen::Vector3d z = place.axis.normalized(), x = (place.second - z.dot(place.second) * z).normalized(),
                          y = z.cross(x);
    const int first = static_cast<int>(model.elements.size());
    const auto meets = [&] { add_point(model, sides[0], sides[1], point(0), point(1)); };
    const auto across = [&](const Eigen::Vector3d& on_first, const Eigen::Vector3d& on_second) {
        add_dot_1(model, sides[0], sides[1], seen(0, on_first), seen(1, on_second));
    };
    const auto stays = [&](const Eigen::Vector3d& normal) {
        add_dot_2(model, sides[0], sides[1], seen(0, normal));
        model.elements.back().point = {point(0), point(1)};
    };
    using enum TwinJoint;
    if (joint == fixed || joint == revolute || joint == universal || joint == spherical) meets();
    if (joint == universal) is_backwards ? across(x, z) : across(z, x);
    if (joint == fixed || joint == translational) across(x, y), across(y, z), across(z, x);
    if (joint == revolute || joint == prismatic || joint == cylindrical || joint == planar) across(z, x), across(z, y);
    if (joint == prismatic || joint == cylindrical) stays(x), stays(y);
    if (joint == prismatic) across(y, x);
    if (joint == planar) stays(z);
    hang(model, joint, body, parent, first, static_cast<int>(model.elements.size()));
}

// A spring of 0.8 m with a damper between a point of the ground and one of the body.
inline void add_spring(MechanismModel& model, int body, const Eigen::Vector3d& at, double stiffness, double damping) {
    ModelElement spring;
    spring.kind = RowKind::distance;
    spring.body = {-1, body};
    spring.point = {at, Eigen::Vector3d(0.2, -0.1, 0.3)};
    spring.function = static_cast<int>(model.functions.size());
    model.functions.push_back(0.8);
    spring.has_law = true;
    spring.stiffness[0] = stiffness, spring.damping[0] = damping;
    model.elements.push_back(spring);
}

// Four bodies without symmetry, one on the other, with a spring, a damper and a load in time at the end.
inline MechanismModel spatial_chain(bool is_backwards = false) {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    const std::array<Eigen::Vector3d, 4> at = {Eigen::Vector3d(0.3, 0.4, -0.2), Eigen::Vector3d(0.9, 0.6, -1.1),
                                               Eigen::Vector3d(1.3, 0.1, -1.4), Eigen::Vector3d(1.6, 0.4, -2.0)};
    for (int b = 0; b < 4; ++b) {
        model.bodies.push_back(general_body(2.5 - 0.4 * b, at[static_cast<std::size_t>(b)],
                                            general_rotation(0.4 - 0.3 * b, -0.8 + 0.5 * b, 0.3 * b)));
        model.bodies.back().angular_velocity_rad_s = {1.0 - 0.5 * b, -0.8, 0.5 + 0.3 * b};
    }
    const auto middle = [&](int a, int b) {
        return Eigen::Vector3d(0.5 * (at[static_cast<std::size_t>(a)] + at[static_cast<std::size_t>(b)]) +
                               Eigen::Vector3d(0.05, -0.1, 0.07));
    };
    add_joint(model, TwinJoint::revolute, 0, -1, {origin, {0.3, 0.9, 0.2}, ex}, is_backwards);
    add_joint(model, TwinJoint::universal, 1, 0, {middle(0, 1), {0.1, 0.5, 0.7}, ex}, is_backwards);
    add_joint(model, TwinJoint::spherical, 2, 1, {middle(1, 2), ez, ex}, is_backwards);
    add_joint(model, TwinJoint::cylindrical, 3, 2, {middle(2, 3), {0.4, 0.2, -0.9}, ex}, is_backwards);
    add_spring(model, 3, {0.4, 1.0, -1.5}, 40.0, 1.5);
    model.functions.push_back(2.0 * sin(3.0 * TimeFunction::time()));
    model.loads = {{ModelLoadKind::force_body, 3, {0.1, 0.2, -0.1}, {1, -1, 1}}};
    return model;
}

// A free body that carries one on a planar joint and one on a prismatic one; a third on a translational joint of the
// ground carries a fixed one. Springs hold them together.
inline MechanismModel sliding_tree(bool is_backwards = false) {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    for (int b = 0; b < 5; ++b) {
        model.bodies.push_back(general_body(1.0 + 0.3 * b, {0.4 * b, 0.2 - 0.3 * b, -0.5 + 0.2 * b},
                                            general_rotation(-0.3 + 0.2 * b, 0.5 * b, 0.7 - 0.4 * b)));
        model.bodies.back().angular_velocity_rad_s = {0.7 - 0.4 * b, 0.9, -0.5 + 0.2 * b};
        model.bodies.back().velocity_m_s = {0.3, 0.2 * b, -0.4};
    }
    hang(model, TwinJoint::free, 0, -1);
    add_joint(model, TwinJoint::planar, 1, 0, {{0.2, 0.1, -0.2}, {0.3, -0.5, 0.8}, ex}, is_backwards);
    add_joint(model, TwinJoint::prismatic, 2, 0, {{0.5, -0.1, -0.1}, {0.6, 0.1, 0.4}, ez}, is_backwards);
    add_joint(model, TwinJoint::translational, 3, -1, {{0.9, -0.4, 0.1}, {0.2, 0.2, 0.9}, ex}, is_backwards);
    add_joint(model, TwinJoint::fixed, 4, 3, {{1.4, -0.8, 0.2}, ez, ex}, is_backwards);
    for (int b = 0; b < 4; ++b) add_spring(model, b, {0.4 * b, 0.8, -0.9}, 60.0, 1.0);
    return model;
}

// The crank on its hinge, the slider on its guide, and the rod on the slider by the universal joint: the ball between
// crank and rod is cut.
inline MechanismModel slider_crank_with_tree() {
    MechanismModel model = spatial_slider_crank();
    // crank 0 to 2; ball 3; universal joint 4 and 5; guide 6 to 10
    hang(model, TwinJoint::revolute, 0, -1, 0, 3);
    hang(model, TwinJoint::prismatic, 2, -1, 6, 11);
    hang(model, TwinJoint::universal, 1, 2, 4, 6);
    return model;
}

// The ball between coupler and rocker is cut; the rotor's angle is prescribed.
inline MechanismModel four_link_with_tree() {
    MechanismModel model = four_link();
    // rotor 0 to 2; universal joint 3 and 4; ball 5; rocker 6 to 8; driver 9
    hang(model, TwinJoint::revolute, 0, -1, 0, 3);
    hang(model, TwinJoint::universal, 1, 0, 3, 5);
    hang(model, TwinJoint::revolute, 2, -1, 6, 9);
    prescribe(model, 9, 0, 0);
    return model;
}

inline MechanismModel double_pendulum_with_tree() {
    MechanismModel model = double_pendulum();
    hang(model, TwinJoint::revolute, 0, -1, 0, 3);
    hang(model, TwinJoint::revolute, 1, 0, 3, 6);
    return model;
}

inline MechanismModel driven_chain(bool is_backwards = false) {
    MechanismModel model = spatial_chain(is_backwards);
    const TimeFunction t = TimeFunction::time();
    const double sign = is_backwards ? -1.0 : 1.0;
    const auto row = [&](std::size_t hanging, std::size_t which) {
        return model.elements[static_cast<std::size_t>(model.tree.bodies[hanging].elements[which])];
    };
    const ModelElement turn = row(0, 1);
    const Eigen::Vector3d a = turn.first.unitOrthogonal();
    const MechanismState start = assembled_start(model).motion.state;
    const auto orientation = [&](int body) {
        return body < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                        : start.bodies[static_cast<std::size_t>(body)].orientation;
    };
    const Eigen::Vector3d on_second = orientation(turn.body[1]).transpose() * orientation(turn.body[0]) * a;
    add_driven_angle(model, turn.body[0], turn.body[1], a, turn.first.cross(a), on_second,
                     sign * (0.4 * sin(3.0 * t) + 0.5 * t * t));
    prescribe(model, static_cast<int>(model.elements.size()) - 1, 0, 0);
    ModelElement displacement = row(3, 2);
    displacement.first = row(3, 0).first;
    displacement.function = static_cast<int>(model.functions.size());
    model.functions.push_back(sign * (0.1 * sin(5.0 * t) + 0.2 * t));
    model.elements.push_back(displacement);
    prescribe(model, static_cast<int>(model.elements.size()) - 1, 3, 0);
    return model;
}

inline MechanismSettings joint_settings(const std::string& integrator, double end_s, double step_s) {
    MechanismSettings settings = mechanism_settings(integrator, end_s, step_s);
    settings.joint_coordinates = true;
    return settings;
}

}  // namespace myriad::reference
