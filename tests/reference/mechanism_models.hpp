// The mechanisms of the facts (A.1, A.3, B.1 to B.4), put together by hand from the rows of their joints, and one with
// an element of every kind between bodies without any symmetry.
#pragma once
#include <cmath>
#include <numbers>

#include "host/reference/run_reference_mechanism.hpp"
#include "tests/reference/models.hpp"

namespace myriad::reference {

using std::numbers::pi;

inline const Eigen::Vector3d weight{0.0, 0.0, -9.81};

inline Eigen::Matrix3d axes(const Eigen::Vector3d& x, const Eigen::Vector3d& y) {
    Eigen::Matrix3d R;
    R << x.normalized(), y.normalized(), x.normalized().cross(y.normalized());
    return R;
}

inline ModelBody body(double mass, const Eigen::Vector3d& principal_inertia, const Eigen::Vector3d& position,
                      const Eigen::Matrix3d& orientation = Eigen::Matrix3d::Identity()) {
    ModelBody result;
    result.mass_kg = mass;
    result.inertia_kg_m2 = principal_inertia.asDiagonal();
    result.position_m = position;
    result.orientation = orientation;
    return result;
}

inline void add_point(MechanismModel& model, int i, int j, const Eigen::Vector3d& point_i,
                      const Eigen::Vector3d& point_j) {
    ModelElement element;
    element.body = {i, j};
    element.point = {point_i, point_j};
    model.elements.push_back(element);
}

inline void add_dot_1(MechanismModel& model, int i, int j, const Eigen::Vector3d& first, const Eigen::Vector3d& other) {
    ModelElement element;
    element.kind = RowKind::dot_1;
    element.body = {i, j};
    element.first = first;
    element.other = other;
    model.elements.push_back(element);
}

inline void add_dot_2(MechanismModel& model, int i, int j, const Eigen::Vector3d& first) {
    ModelElement element;
    element.kind = RowKind::dot_2;
    element.body = {i, j};
    element.first = first;
    model.elements.push_back(element);
}

// The axis on i is perpendicular to f and g on j.
inline void add_revolute(MechanismModel& model, int i, int j, const Eigen::Vector3d& point_i,
                         const Eigen::Vector3d& point_j, const Eigen::Vector3d& axis_i, const Eigen::Vector3d& f,
                         const Eigen::Vector3d& g) {
    add_point(model, i, j, point_i, point_j);
    add_dot_1(model, i, j, axis_i, f);
    add_dot_1(model, i, j, axis_i, g);
}

// The angle from `first` (on i) towards `second` to `other` (on j) is the function.
inline void add_driven_angle(MechanismModel& model, int i, int j, const Eigen::Vector3d& first,
                             const Eigen::Vector3d& second, const Eigen::Vector3d& other, const TimeFunction& angle) {
    ModelElement element;
    element.kind = RowKind::driven_angle;
    element.body = {i, j};
    element.first = first;
    element.second = second;
    element.other = other;
    element.function = static_cast<int>(model.functions.size());
    model.functions.push_back(angle);
    model.elements.push_back(element);
}

inline const Eigen::Vector3d ex{1.0, 0.0, 0.0}, ey{0.0, 1.0, 0.0}, ez{0.0, 0.0, 1.0}, origin{0.0, 0.0, 0.0};

// Facts A.1, on a spherical joint.
inline MechanismModel fast_top_on_a_joint() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.bodies = {body(15.0, {0.234375, 0.46875, 0.234375}, ey)};
    model.bodies[0].velocity_m_s = {4.61538, 0.0, 0.0};
    model.bodies[0].angular_velocity_rad_s = {0.0, 150.0, -4.61538};
    add_point(model, -1, 0, origin, -ey);
    return model;
}

inline ModelBody long_rod(const Eigen::Vector3d& position, const Eigen::Matrix3d& orientation) {
    return body(78.0, vector_of(reference_values::driven_pendulum::inertia), position, orientation);
}

// Facts B.1: the rod's direction is (0, sin u, -cos u) with u = pi/4 cos(2 t).
inline MechanismModel driven_pendulum() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    const double c = std::sqrt(0.5);
    model.bodies = {long_rod({0.0, 2.0 * c, -2.0 * c}, axes({0.0, c, -c}, {0.0, c, c}))};
    add_revolute(model, -1, 0, origin, -2.0 * ex, ex, ex, ey);
    add_driven_angle(model, -1, 0, ey, ez, ey, 0.25 * pi * cos(2.0 * TimeFunction::time()));
    return model;
}

// Facts B.2.
inline MechanismModel double_pendulum() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.bodies = {long_rod({0.0, 2.0, 0.0}, axes(ey, ez)),
                    body(39.0, {0.01625, 13.008125, 13.008125}, {0.0, 4.0, -1.0}, axes(-ez, ey))};
    add_revolute(model, -1, 0, origin, -2.0 * ex, ex, ex, ey);
    add_revolute(model, 0, 1, 2.0 * ex, -ex, ez, ex, ey);
    return model;
}

// Facts A.3: crank, rod, slider.
inline MechanismModel spatial_slider_crank() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.length_scale_m = 0.1;
    const Eigen::Vector3d A(0.0, 0.1, 0.12), pin(0.0, 2.0, -1.0);
    model.bodies = {body(0.12, {1e-4, 1e-4, 1e-5}, {0.0, 0.1, 0.16}),
                    body(0.5, {4e-4, 4e-3, 4e-3}, {0.1, 0.05, 0.1}, axes({2.0, -1.0, -2.0}, pin)),
                    body(2.0, {1e-4, 1e-4, 1e-4}, {0.2, 0.0, 0.0})};
    model.bodies[0].angular_velocity_rad_s = 6.0 * ex;
    model.bodies[0].velocity_m_s = {0.0, -0.24, 0.0};
    model.bodies[1].velocity_m_s = {0.12, -0.24, 0.0};
    model.bodies[1].angular_velocity_rad_s =
        model.bodies[1].orientation.transpose() * Eigen::Vector3d(1.92, -0.96, 0.48);
    model.bodies[2].velocity_m_s = {0.24, 0.0, 0.0};
    add_revolute(model, -1, 0, A, -0.04 * ez, ex, ey, ez);
    add_point(model, 0, 1, 0.04 * ez, -0.15 * ex);
    add_point(model, 1, 2, 0.15 * ex, origin);
    add_dot_1(model, 2, 1, ex, ey);
    add_dot_2(model, -1, 2, ey);
    add_dot_2(model, -1, 2, ez);
    add_dot_1(model, -1, 2, ex, ey);
    add_dot_1(model, -1, 2, ex, ez);
    add_dot_1(model, -1, 2, ey, ez);
    return model;
}

// Facts B.3, with the rocker's exact angle: rotor, coupler, rocker; every inertia is singular.
inline MechanismModel four_link() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    const Eigen::Vector3d D(-4.0, -8.5, 0.0), toward_D(0.471772357, 0.0, -0.881720388);
    namespace known = reference_values::four_link;
    model.bodies = {body(2.0, {4.0, 2.0, 0.0}, origin),
                    body(1.0, {12.4, 0.01, 0.0}, vector_of(known::coupler_start_position),
                         axes({0.750157212, -0.661259471, -0.00026326988}, {0.614025856, 0.696721311, -0.37087958})),
                    body(1.0, {4.54, 0.01, 0.0}, D - 3.7 * toward_D, axes(-ey, toward_D))};
    model.bodies[0].angular_velocity_rad_s = pi * ex;
    model.bodies[1].velocity_m_s = vector_of(known::coupler_start_velocity);
    model.bodies[1].angular_velocity_rad_s = {0.49773763, 1.9303387, -0.98813601};
    model.bodies[2].velocity_m_s = vector_of(known::rocker_start_velocity);
    model.bodies[2].angular_velocity_rad_s = {1.61443, 0.0, 0.0};
    add_revolute(model, -1, 0, origin, origin, ex, ey, ez);
    add_point(model, 0, 1, 2.0 * ez, 6.1 * ey);
    add_dot_1(model, 0, 1, Eigen::Vector3d(0.75, -0.662, 0.0).normalized(), ez);
    add_point(model, 1, 2, -6.1 * ey, -3.7 * ey);
    add_revolute(model, -1, 2, D, 3.7 * ey, ey, ey, ez);
    add_driven_angle(model, -1, 0, ez, -ey, ez, pi * TimeFunction::time());
    return model;
}

inline Eigen::Matrix3d general_rotation(double x, double y, double z) {
    return rotation_exponential(Eigen::Vector3d(x, y, z));
}

inline ModelBody general_body(double mass, const Eigen::Vector3d& position, const Eigen::Matrix3d& orientation) {
    ModelBody result = body(mass, origin, position, orientation);
    result.inertia_kg_m2 << 0.9, 0.11, -0.07, 0.11, 1.3, 0.05, -0.07, 0.05, 0.7;
    result.inertia_kg_m2 *= mass;
    return result;
}

// Two bodies, every kind of row as a constraint or with a law, every kind of load. No constraint is met: for
// derivatives only.
inline MechanismModel every_kind() {
    MechanismModel model;
    model.gravity_m_s2 = {1.0, -2.0, -9.0};
    model.bodies = {general_body(2.5, {0.3, 0.1, -2.0}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {0.9, -0.6, -1.1}, general_rotation(-0.3, 0.5, 1.2))};
    const TimeFunction t = TimeFunction::time();
    model.functions = {0.3 + 0.7 * sin(1.3 * t), 0.2 * t * t - cos(t), 2.0 + t / (1.0 + t)};
    int next = 0;
    for (const bool has_law : {false, true})
        for (const RowKind kind : {RowKind::point, RowKind::coordinate_difference, RowKind::dot_1, RowKind::dot_2,
                                   RowKind::distance, RowKind::driven_angle, RowKind::angle, RowKind::rotation_vector})
            for (const std::array<int, 2> bodies : {std::array{0, 1}, std::array{-1, 0}, std::array{1, -1}}) {
                ModelElement element;
                element.kind = kind;
                element.body = bodies;
                element.point = {Eigen::Vector3d(0.2, -0.3, 0.5), Eigen::Vector3d(-0.4, 0.1, 0.2)};
                element.direction = Eigen::Vector3d(0.6, -0.3, 0.7).normalized();
                const Eigen::Matrix3d frame = general_rotation(0.7, 0.1 * next, -0.4);
                element.first = frame.col(0), element.second = frame.col(1);
                element.other = general_rotation(-0.2, 0.4, 0.1).col(2);
                element.frame = {general_rotation(0.1 * next, 0.3, -0.2), general_rotation(-0.3, 0.2, 0.1 * next)};
                element.function = next++ % 3;
                element.has_law = has_law;
                element.stiffness = {3.0, 5.0, 7.0};
                element.damping = {0.3, 0.7, 0.2};
                model.elements.push_back(element);
            }
    for (const ModelLoadKind kind : {ModelLoadKind::force_world, ModelLoadKind::force_body, ModelLoadKind::torque_world,
                                     ModelLoadKind::torque_body}) {
        model.loads.push_back({kind, 0, {0.3, -0.2, 0.6}, {0, 1, 2}});
        model.loads.push_back({kind, 1, {-0.1, 0.4, 0.2}, {2, -1, 0}});
    }
    return model;
}

// Two bodies on springs and dampers, no constraint: for explicit methods as well.
inline MechanismModel bodies_on_springs() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.bodies = {general_body(2.5, {0.3, 0.1, -2.0}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {0.9, -0.6, -1.1}, general_rotation(-0.3, 0.5, 1.2))};
    model.bodies[0].velocity_m_s = {0.5, -0.2, 0.3};
    model.bodies[0].angular_velocity_rad_s = {1.0, -2.0, 0.5};
    model.bodies[1].angular_velocity_rad_s = {-0.5, 1.5, 2.0};
    model.functions = {TimeFunction(0.8), 2.0 * sin(3.0 * TimeFunction::time())};
    for (const std::array<int, 2> bodies : {std::array{-1, 0}, std::array{0, 1}}) {
        ModelElement spring;
        spring.kind = RowKind::distance;
        spring.body = bodies;
        spring.point = {Eigen::Vector3d(0.2, -0.3, 0.5), Eigen::Vector3d(-0.4, 0.1, 0.2)};
        spring.function = 0;
        spring.has_law = true;
        spring.stiffness[0] = 60.0, spring.damping[0] = 2.0;
        model.elements.push_back(spring);
        ModelElement bushing;
        bushing.kind = RowKind::rotation_vector;
        bushing.body = bodies;
        bushing.frame = {general_rotation(0.1, 0.3, -0.2), general_rotation(0.2, -0.1, 0.3)};
        bushing.has_law = true;
        bushing.stiffness = {20.0, 30.0, 25.0}, bushing.damping = {0.5, 0.4, 0.3};
        model.elements.push_back(bushing);
    }
    model.loads = {{ModelLoadKind::force_body, 1, {0.1, 0.2, -0.1}, {1, -1, 1}}};
    return model;
}

// Two bodies without symmetry, one hanging from the other and that from the ground on spherical joints.
inline MechanismModel spatial_double_pendulum() {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.bodies = {general_body(2.5, {0.3, 0.4, -0.2}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {0.9, 0.6, -1.1}, general_rotation(-0.3, 0.5, 0.6))};
    model.bodies[0].angular_velocity_rad_s = {1.0, -2.0, 0.5};
    model.bodies[1].angular_velocity_rad_s = {-0.5, 1.5, 2.0};
    add_point(model, -1, 0, origin, {0.2, -0.5, 0.3});
    add_point(model, 0, 1, {-0.1, 0.6, -0.2}, {0.3, -0.2, 0.7});
    return model;
}

inline MechanismSettings mechanism_settings(const std::string& integrator, double end_s, double step_s,
                                            const std::string& chart = "rotation") {
    MechanismSettings settings;
    settings.integrator = integrator;
    settings.chart = chart;
    settings.end_s = end_s;
    settings.step_s = step_s;
    return settings;
}

// (4 fine - coarse) / 3 for a method of second order, 2 fine - coarse for one of first.
inline Eigen::VectorXd extrapolated(const Eigen::VectorXd& coarse, const Eigen::VectorXd& fine, int order) {
    const double weight_of_fine = std::pow(2.0, order);
    return (weight_of_fine * fine - coarse) / (weight_of_fine - 1.0);
}

}  // namespace myriad::reference
