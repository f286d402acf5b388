// A mechanism as its file defines it. The reader makes this model of the entries of a file, and the kernels' table of
// the model (host/mechanism/file/rows.cpp); the reference path reads the model alone, so that a wrong row of the table
// is wrong in one of the two.
//
// Every number is the place of its address among Mechanism::numbers, and body -1 is the ground. Points, axes and frames
// are those of the file: from the origin of a body, in its axes, of any length. Functions of time are numbered as in
// the table. Not handled: where start values of joints put the bodies; sensors.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace myriad::mechanism {
class Expression;
}

namespace myriad::model {

using VectorNumbers = std::array<std::size_t, 3>;

enum class OrientationForm { quaternion, rotation_vector, cardan_xyz, matrix, two_axes };

struct OrientationNumbers {
    OrientationForm form = OrientationForm::rotation_vector;
    std::vector<std::size_t> numbers;  // 4, 3, 3, 9 (by rows), or 3 and 3
    std::array<int, 2> axes{};         // which two, in rising order
};

struct BodyFrame {
    OrientationNumbers orientation;
    VectorNumbers centre_of_mass{};
};

struct Body {
    std::size_t mass = 0;
    std::vector<std::size_t> inertia;  // xx yy zz, and xy xz yz where the file may have them, in the axes of its frame
    OrientationNumbers inertia_frame;
    BodyFrame frame;
    // Position and velocity of the origin before assembly. The angular velocity is in axes of the body or the world.
    VectorNumbers position{}, velocity{}, angular_velocity{};
    bool turns_in_world = false;
    bool position_is_pinned = false, orientation_is_pinned = false;  // assembly leaves them
};

// A joint or a basic constraint between the bodies A and B.
struct Joint {
    std::string type;  // as in the file: "revolute", "DP1"
    std::array<int, 2> body{-1, -1};
    std::array<VectorNumbers, 2> points{}, axes{};  // DP2 and CD have the first axis alone
    bool has_axes = false;
    std::optional<std::array<VectorNumbers, 2>> references = {};
    std::array<int, 2> across{};  // the coordinate axis of A, and of B, of which a direction across its axis is made
    bool points_along_a = false;  // its points are held along directions of A, not along those of the world
    int function = -1;            // of a basic constraint: its value

    bool has_parallel_axes() const { return has_axes && type != "universal" && !is_basic(); }
    bool keeps_references() const { return type == "prismatic" || (type == "translational" && has_axes); }
    bool is_basic() const { return type == "DP1" || type == "DP2" || type == "D" || type == "CD"; }
};

// Stiffness and damping of each row. Springs have none below 0, gains of controllers may be.
struct Law {
    std::vector<std::size_t> stiffness, damping;
    bool may_be_negative = false;
};

// Measures a coordinate of a joint, or what a basic constraint or a "bushing" measures between two bodies. Without a
// law it holds the value at the function; with one that has no numbers it is only watched.
struct Element {
    int joint = -1;  // in Model::joints
    std::string coordinate;
    Joint between;                                 // where it belongs to no joint
    OrientationNumbers frame = {};                 // of a bushing, on A
    std::optional<Law> law = {}, about_axes = {};  // the second one of a bushing, which has one of the two or both
    int function = -1;
};

struct Load {
    bool is_force = true, in_body_axes = false;
    int body = 0;
    VectorNumbers point{};  // of a force
    std::array<int, 3> function{-1, -1, -1};
    bool has_point = false;  // in the file: else a force acts at the centre of mass
};

struct Function {
    std::shared_ptr<const mechanism::Expression> formula;
    std::vector<std::size_t> reads;  // by the names of the formula
};

// A coordinate of a joint, as its sensor is called.
struct Coordinate {
    int joint = -1;
    std::string name;
};
// What a file leaves out has no number.
struct Friction {
    Coordinate on;
    std::optional<std::size_t> dry, viscous, rate, coefficient, radius;
};
struct Rotor {
    Coordinate on;
    std::size_t inertia = 0, ratio = 0;
};
// of[1] = ratio of[0] + offset
struct Coupling {
    std::array<Coordinate, 2> of;
    std::size_t ratio = 0, offset = 0;
};

// A force along a coordinate: a function of time, or a formula of coordinates, rates, parameters and time.
struct CoordinateForce {
    struct Variable {
        Coordinate of;
        bool is_rate = false;
    };
    Coordinate on;
    int function = -1;
    Function formula;
    std::vector<std::optional<Variable>> names;  // those of the formula that are variables
};

// An entry of the section "contacts", which may be several contacts.
struct Contact {
    std::string type;  // as in the file: "sphere_plane", "joint_limits"
    std::array<int, 2> body{-1, -1};
    VectorNumbers plane_point{}, normal{};  // on A
    std::optional<VectorNumbers> tangent = {};
    int across = 0;  // the coordinate axis of which the tangent is made where none is given
    int tangents = 2;
    // On B the point, the centre, both ends of a capsule, or the middle and the edges of a box. The centres on A and B
    // of two spheres; on A both ends of a capsule, then on B the centre of the sphere at it.
    std::vector<VectorNumbers> points = {};
    std::vector<std::size_t> radii = {};  // of B, or of A and B
    std::optional<std::size_t> clearance = {};
    std::optional<std::size_t> friction = {}, normal_restitution = {}, tangential_restitution = {};
    Coordinate limited = {};
    std::optional<std::size_t> lower = {}, upper = {};
};

// In the order of the tree that the host has chosen: parents before children.
struct TreeBody {
    int body = 0, parent = -1;
    int joint = -1;  // on which it hangs; -1: free on the ground
};

struct Model {
    VectorNumbers gravity{};
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<Element> elements;  // behind those of the joints, in the order of the table
    std::vector<Load> loads;
    std::vector<Friction> frictions;
    std::vector<Rotor> rotors;
    std::vector<Coupling> couplings;
    std::vector<CoordinateForce> coordinate_forces;
    std::vector<Contact> contacts;
    std::vector<Function> functions;
    std::vector<TreeBody> tree;
};

}  // namespace myriad::model
