// Mechanisms with contact whose motion is known in closed form, with their trees of joints.
#pragma once
#include "tests/reference/joint_models.hpp"

namespace myriad::reference {

constexpr double gravity_m_s2 = 9.81;

inline ModelBody ball(double mass, double radius, const Eigen::Vector3d& position,
                      const Eigen::Vector3d& velocity = origin) {
    const double inertia = 0.4 * mass * radius * radius;
    ModelBody result = body(mass, {inertia, inertia, inertia}, position);
    result.velocity_m_s = velocity;
    return result;
}

// A sphere of body j, or a point, on a plane of body i through point_i.
inline ModelContact on_plane(int i, int j, const Eigen::Vector3d& point_i, const Eigen::Vector3d& normal,
                             const Eigen::Vector3d& tangent, const Eigen::Vector3d& point_j, double radius) {
    ModelContact contact;
    contact.body = {i, j};
    contact.point = {point_i, point_j};
    contact.normal = normal, contact.tangent = tangent;
    contact.radius_m = {0.0, radius};
    return contact;
}

inline ModelContact between_spheres(int i, int j, double radius_i, double radius_j) {
    ModelContact contact;
    contact.kind = ModelContactKind::sphere_sphere;
    contact.body = {i, j};
    contact.radius_m = {radius_i, radius_j};
    return contact;
}

inline ModelContact with_law(ModelContact contact, double friction, double normal_restitution,
                             double tangential_restitution = 0.0) {
    contact.friction = friction, contact.normal_restitution = normal_restitution;
    contact.tangential_restitution = tangential_restitution;
    return contact;
}

// On the plane z = 0.
inline MechanismModel ball_on_floor(double height, double friction, double restitution) {
    constexpr double radius = 0.1;
    MechanismModel model;
    model.gravity_m_s2 = {0.0, 0.0, -gravity_m_s2};
    model.bodies = {ball(2.0, radius, {0.3, -0.2, radius + height})};
    model.contacts = {with_law(on_plane(-1, 0, origin, ez, ex, origin, radius), friction, restitution)};
    return with_free_bodies(model);
}

// A box on its four lower corners, on the plane z = 0 under gravity that is tilted by the incline towards x.
inline MechanismModel box_on_incline(double incline, double friction, double velocity_along_x) {
    const Eigen::Vector3d half(0.2, 0.15, 0.05);
    MechanismModel model;
    model.gravity_m_s2 = gravity_m_s2 * Eigen::Vector3d(std::sin(incline), 0.0, -std::cos(incline));
    model.bodies = {body(3.0, {0.025, 0.0425, 0.0625}, {0.0, 0.0, half.z()})};
    model.bodies[0].velocity_m_s = {velocity_along_x, 0.0, 0.0};
    for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
            model.contacts.push_back(
                with_law(on_plane(-1, 0, origin, ez, ex, {x * half.x(), y * half.y(), -half.z()}, 0.0), friction, 0.0));
    return with_free_bodies(model);
}

// A rod that hangs from the origin on a revolute joint about y, its tip at a wall x = `wall`, moving towards it.
inline MechanismModel rod_at_a_wall(double angle, double rate, double wall, double friction, double restitution) {
    constexpr double length = 1.0, mass = 1.5;
    // The direction of the rod is (sin angle, 0, -cos angle).
    const Eigen::Vector3d along(std::sin(angle), 0.0, -std::cos(angle));
    MechanismModel model;
    model.gravity_m_s2 = {0.0, 0.0, -gravity_m_s2};
    const double inertia = mass * length * length / 12.0;
    model.bodies = {body(mass, {1e-4, inertia, inertia}, 0.5 * length * along, axes(along, ey))};
    // x' = angle' (cos angle, 0, sin angle): a turn about -y.
    model.bodies[0].angular_velocity_rad_s = {0.0, -rate, 0.0};
    model.bodies[0].velocity_m_s = 0.5 * length * rate * Eigen::Vector3d(std::cos(angle), 0.0, std::sin(angle));
    add_revolute(model, -1, 0, origin, -0.5 * length * ex, ey, ex, ez);
    hang(model, TwinJoint::revolute, 0, -1, 0, 3);
    model.contacts = {
        with_law(on_plane(-1, 0, {wall, 0.0, 0.0}, -ex, ez, 0.5 * length * ex, 0.0), friction, restitution)};
    return model;
}

}  // namespace myriad::reference
