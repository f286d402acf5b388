// A mechanism in plain words: bodies, elements between two bodies, loads, functions of time; numbers in SI units.
//
//   body      state of the CENTRE OF MASS: position (world), orientation R (body to world), velocity (world), angular
//             velocity (body frame)
//   element   1 or 3 scalar rows phi(q, t) between the bodies i (0) and j (1); body -1 is the ground. Without a law it
//             is a constraint phi = 0, with one it is a force element whose force is -B^T (k phi + d phi').
//   d         = (r_j + R_j point[1]) - (r_i + R_i point[0]); points are relative to the centre of mass, in body axes
//   f         the element's function of time, or 0
//
//   kind                    rows  phi
//   point                   3     d
//   coordinate_difference   1     direction . d - f          (direction in the world)
//   dot_1                   1     (R_i first) . (R_j other) - f
//   dot_2                   1     (R_i first) . d - f
//   distance                1     |d| - f
//   driven_angle            1     cos f (R_i second).(R_j other) - sin f (R_i first).(R_j other)
//   angle                   1     the angle from first to other, from first towards second, less f; over full turns
//   rotation_vector         3     log(F_i^T R_i^T R_j F_j)           (F: a frame fixed on each body)
//
// first and second are perpendicular, and perpendicular to the joint's axis; other is on body j. Source of the rows:
// rA paper, eqs. 1 to 4 (the distance not squared).
#pragma once
#include <Eigen/Dense>
#include <array>
#include <memory>
#include <vector>

#include "host/reference/mathematics/time_function.hpp"
#include "host/reference/tree/joint_tree.hpp"

namespace myriad::reference {

enum class RowKind { point, coordinate_difference, dot_1, dot_2, distance, driven_angle, angle, rotation_vector };

struct ModelBody {
    double mass_kg = 0.0;
    Eigen::Matrix3d inertia_kg_m2 = Eigen::Matrix3d::Zero();  // about the centre of mass, body axes
    // Before assembly.
    Eigen::Vector3d position_m = Eigen::Vector3d::Zero(), velocity_m_s = Eigen::Vector3d::Zero(),
                    angular_velocity_rad_s = Eigen::Vector3d::Zero();
    Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();
    bool position_is_pinned = false, orientation_is_pinned = false;
    bool velocity_is_held = false, angular_velocity_is_held = false;  // at the start, because they are given
    bool gives_velocity = false, gives_angular_velocity = false;      // couplings may contradict these
};

// How a body moves at the start: with the body that carries it, where nothing else is said. Carriers stand before.
struct ModelStartMotion {
    int body = 0, carrier = -1;  // -1: the ground
    std::vector<int> elements;   // of its joint and of the drivers on it; none of a free body
    int axis_element = -1,
        across_element = -1;  // the first row of two for parallel axes; a universal joint's; -1: none
    // Whether a velocity is given on the body's outer side; and whether only several joints can meet it together.
    bool moves = false, waits = false;
    // No position is given; or a driver moves it, and it carries such bodies.
    bool hangs = false, carries_hung = false;
    int point_element = -1;                   // its second point is the joint's
    int linear_from = -1, angular_from = -1;  // whose given velocities it has: its own, or of a body welded to it
    bool origin_rests = false;  // the linear one is not given: it is that of a turn about the frame's origin
    // The given velocity is that of the centre of mass less this, in the axes of the body that it is given for.
    Eigen::Vector3d from_origin = Eigen::Vector3d::Zero();
};

struct ModelElement {
    RowKind kind = RowKind::point;
    std::array<int, 2> body{-1, -1};
    std::array<Eigen::Vector3d, 2> point{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    Eigen::Vector3d direction = Eigen::Vector3d::Zero(), first = Eigen::Vector3d::Zero(),
                    second = Eigen::Vector3d::Zero(), other = Eigen::Vector3d::Zero();
    std::array<Eigen::Matrix3d, 2> frame{Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()};  // F_i, F_j
    int function = -1;
    bool has_law = false;
    bool is_sensor = false;        // only looked at: neither a constraint nor a force
    double start_angle_rad = 0.0;  // of kind angle: at the start it lies within half a turn of this
    Eigen::Vector3d stiffness = Eigen::Vector3d::Zero(), damping = Eigen::Vector3d::Zero();  // per row, of a law
    // A row that is not active was found redundant: it is watched, and no multiplier belongs to it.
    std::array<bool, 3> active{true, true, true};

    int rows() const { return kind == RowKind::point || kind == RowKind::rotation_vector ? 3 : 1; }
};

enum class ModelLoadKind { force_world, force_body, torque_world, torque_body };

struct ModelLoad {
    ModelLoadKind kind = ModelLoadKind::force_world;
    int body = 0;
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  // of a force, relative to the centre of mass, body axes
    std::array<int, 3> function{-1, -1, -1};          // its components; -1: zero
};

// Friction on the value of an element, a rate u: force -(dry tanh(u / rate) + viscous u) along its gradient. If it is
// set-valued, -(dry Sgn(u) + viscous u): methods with contact find its dry part with the forces of contacts, and in a
// step `dry` has `by_force` times the force in the joint of JointTree::bodies[hanging] at its beginning added.
struct ModelFriction {
    int element = 0;
    double dry = 0.0, viscous = 0.0, rate = 1.0;
    bool is_set = false;
    double by_force = 0.0;
    int hanging = 0;
};

// An inertia that a gear turns `ratio` times as fast as the value of an element.
struct ModelRotor {
    int element = 0;
    double inertia = 0.0, ratio = 1.0;
};

// A force along the gradient of an element's value: a formula of the values of elements, of their rates and of
// functions of time.
struct ModelCoordinateForce {
    enum class Reads { value, rate, function };
    struct Variable {
        Reads reads = Reads::value;
        int index = 0;  // of an element, or of a function
    };
    int element = 0;
    TimeFunction formula;
    std::vector<Variable> variables;
};

enum class ModelContactKind { sphere_plane, sphere_sphere, sphere_capsule, lower_limit, upper_limit };

// A unilateral contact between bodies i (0) and j (1); body -1 is the ground. n, t: unit vectors fixed on i.
//   sphere_plane    gap (R_i normal) . d - radius[1] + play / 2,   touches at r_j + R_j point[1] - radius[1] R_i normal
//   sphere_sphere   gap |d| - radius[0] - radius[1] + play / 2,    touches at
//                                                                  r_i + R_i point[0] + radius[0] d / |d|
//   sphere_capsule  the same, from the point of the segment point[0] to `end` that is nearest to the sphere
//   lower_limit     gap u - bound,  upper_limit  bound - u       u: the value of an element; it has no tangents
// With one tangent friction acts along `tangent` alone, between spheres along the first of two across d.
struct ModelContact {
    ModelContactKind kind = ModelContactKind::sphere_plane;
    std::array<int, 2> body{-1, -1};
    std::array<Eigen::Vector3d, 2> point{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    Eigen::Vector3d normal = Eigen::Vector3d::UnitZ(), tangent = Eigen::Vector3d::UnitX();
    std::array<double, 2> radius_m{0.0, 0.0};
    double play_m = 0.0;
    Eigen::Vector3d end = Eigen::Vector3d::Zero();  // of a capsule's segment, on body i
    int element = -1;                               // of a limit
    double bound = 0.0;                             // rad or m
    double friction = 0.0, normal_restitution = 0.0, tangential_restitution = 0.0;
    int tangents = 2;
    double size_m = 1.0;  // what a penetration is compared with; limits have none
};

struct MechanismModel {
    Eigen::Vector3d gravity_m_s2 = Eigen::Vector3d::Zero();
    double length_scale_m = 1.0;  // what a correction of a position is relative to, beside angles
    std::vector<ModelBody> bodies;
    bool moves_at_start = false;                     // false: nothing moves but what rows demand
    bool starts_together = false;                    // whether a given velocity waits
    double moved_before = 0.0, faster_before = 0.0;  // how far start values of joints changed poses and velocities
    std::vector<ModelStartMotion> start_motions;     // of every body; none: Newton's method starts from the given pose
    std::vector<ModelElement> elements;
    std::vector<ModelLoad> loads;
    std::vector<ModelFriction> frictions;
    std::vector<ModelRotor> rotors;
    std::vector<ModelCoordinateForce> coordinate_forces;
    std::vector<ModelContact> contacts;
    std::vector<TimeFunction> functions;
    // Where drivers have corners: the time whose branches all functions have, NaN for their own.
    std::shared_ptr<double> branch_time_s;
    // The constraint row, as MechanismTerms counts them, that stays open where joints have the values that they are to
    // start with; -1 where none does.
    int open_start_row = -1;
    JointTree tree;  // for joint coordinates
};

struct BodyState {
    Eigen::Vector3d position, velocity, angular_velocity;
    Eigen::Matrix3d orientation;
};

struct MechanismState {
    double time_s = 0.0;
    std::vector<BodyState> bodies;
    // For every element of kind angle its angle when the last step ended, which tells the turn that it is in.
    std::vector<double> counted_angles;
};

}  // namespace myriad::reference
