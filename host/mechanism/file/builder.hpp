// The state that the readers of a mechanism file's sections share: the numbers, the table of the kernels as it grows,
// names that were given, and the limits. One builder makes one mechanism.
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/mechanism/assembly/start_values.hpp"
#include "host/mechanism/compiled.hpp"
#include "host/mechanism/coordinates_of_joints.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/mechanism/tree/joint_coordinates.hpp"

namespace myriad::mechanism {

// An object of the file with its address.
struct Entry {
    JsonValue value;
    std::string address;
};

// A point of a body, from its origin, or the world's for the ground.
struct PointNumbers {
    int body = -1;
    VectorNumbers numbers{};
    Vector relative_to_centre_of_mass(const Inputs& in) const { return in[numbers] - in.centre_of_mass(body); }
};

// The name of one of them, or "orientation".
bool has_coordinate(const std::string& joint_type, const std::string& name);

// "rate_2" observes "angle_2", "displacement_rate" observes "displacement"; and the other way round.
std::string coordinate_of_sensor(const std::string& sensor);
std::string rate_of(const std::string& coordinate);

// Directions between which an angle is counted. Axis and `from` are fixed on body[0], `to` on body[1].
struct CountedTurn {
    std::array<int, 2> body;
    std::function<Vector(const Inputs&)> axis, from, to;
};

// A joint of the model at the numbers of an instance: directions in the axes of its bodies, A and B.
struct JointGeometry : model::Joint {
    PointNumbers point(std::size_t side) const { return {body[side], points[side]}; }
    Vector axis(const Inputs& in, int side) const { return unit(in[axes[static_cast<std::size_t>(side)]]); }
    // Perpendicular to the axis and to each other: right-handed with it in this order.
    Vector first_normal(const Inputs& in, int side) const;
    Vector second_normal(const Inputs& in, int side) const { return cross(axis(in, side), first_normal(in, side)); }
    // The direction on A from which the angle counts, or on B to which it counts: see the key "references". It is made
    // perpendicular to the axis from a direction that the file gives or that follows from its orientations.
    Vector reference(const Inputs& in, int side) const {
        return made_perpendicular(reference_direction(in, side), axis(in, side));
    }
    Vector reference_direction(const Inputs& in, int side) const;
    // The orientation of B relative to A, as the file gives it. Axes that are far apart are laid on each other, as
    // StartPose does it.
    Rotation<double> orientation_at_zero(const Inputs& in) const;
    CountedTurn turn(const std::string& coordinate) const;
    // A unit vector on body A along the slide `which` of the joint, from 0. A joint without slides has three axes.
    Vector slide_direction(const Inputs& in, int which) const;
};

struct JointRecord : JointGeometry {
    int place = -1;                                       // in Mechanism::joints
    std::map<std::string, std::vector<int>> elements_of;  // those that measure a coordinate, by the coordinate's name
    StartJoint start;
};

// Geometry of an element, one direction or point (3 parameters) or quaternion (4) after the other.
struct Part {
    int count;
    Write write;
};
template <class Function>
Part vector_part(Function vector) {
    return {3, [vector](const Inputs& in, double* out) {
                const Vector v = vector(in);
                for (int k = 0; k < 3; ++k) out[k] = v[k];
            }};
}
inline Part point_part(const PointNumbers& point) {
    return vector_part([point](const Inputs& in) { return point.relative_to_centre_of_mass(in); });
}

// An element with neither stiffness nor damping is only watched.
using model::Law;

// A coordinate of a joint, or its rate.
struct CoordinateVariable {
    int joint;  // in Mechanism::joints
    std::string coordinate;
    bool is_rate;
};
// A formula of time and such variables with its partial derivatives: CoordinateForce of
// kernels/mechanism/joint_table.hpp before the freedoms of the tree are known. Instructions that read a coordinate or a
// rate number its variable.
struct CoordinateFormula {
    struct Partial {
        CoordinateVariable by;
        int result;
    };
    std::vector<Instruction> instructions;
    int value = 0, derivatives = 0;
    std::vector<Partial> partials;
    std::vector<CoordinateVariable> variables;
};

// What acts on a coordinate of a joint of the tree, by its parameters in the kernels.
struct OnCoordinate {
    JsonValue at;      // of the file, for messages
    std::string what;  // "joint friction"
    int joint;         // in Mechanism::joints
    std::string coordinate;
    int parameter;              // of friction and rotors
    CoordinateFormula formula;  // of a force
    int bearing = -1;           // parameter of a friction's coefficient and radius
};

class Builder {
  public:
    explicit Builder(Mechanism& mechanism);

    Mechanism& mechanism;
    Numbers numbers;
    std::vector<BodyFrame> bodies;
    std::map<std::string, JointRecord> joints;
    std::set<std::string> joints_along_a;        // names: tree/rows_along_bodies.hpp
    bool cuts_joints = false;                    // all of them, as if each had "cut" in the file
    std::map<int, MeasuredCoordinate> measured;  // by element, of those that measure a coordinate of a joint
    StartPlan start;
    std::map<int, int> tensions;  // by channel, the element whose multiplier it is: rows are numbered later
    std::vector<OnCoordinate> frictions, rotors, coordinate_forces, limits;  // file/on_coordinates.cpp

    // Numbers of an entry's keys. `fallback` is the value where a key that is not required is left out.
    std::size_t number(const Entry& entry, const Key& key, double fallback = 0.0);
    VectorNumbers vector(const Entry& entry, const Key& key, const Vector& fallback = {0.0, 0.0, 0.0});
    std::array<std::size_t, 2> two_numbers(const Entry& entry, const Key& key);
    std::array<VectorNumbers, 2> two_vectors(const Entry& entry, const Key& key);
    VectorNumbers direction(const Entry& entry, const Key& key);  // of a length above zero
    std::array<VectorNumbers, 2> two_directions(const Entry& entry, const Key& key);
    OrientationNumbers orientation(const Entry& entry, const Key& key);
    std::array<int, 2> two_bodies(const Entry& entry);
    std::array<PointNumbers, 2> points(const Entry& entry, const std::array<int, 2>& bodies,
                                       const Key& key = points_key);
    // The points of its two bodies, which `measures` takes into the length scale.
    void read_points(const Entry& entry, model::Joint& joint, bool measures = true);
    int body(const Entry& entry);
    JointRecord& joint(const Entry& entry);
    int place_of_joint(const std::string& name) const;                    // among the mechanism's joints
    JointRecord& joint_that(const Entry& entry, const std::string& has);  // the coordinate of this name
    // The same by name, for messages at `at`.
    JointRecord& joint_called(const std::string& name, const JsonValue& at);
    void require_coordinate(const JointRecord& joint, const std::string& name, const JsonValue& at);
    void require_zero_of(const JointRecord& joint, const JsonValue& at);

    static std::vector<JsonValue> three(const JsonValue& value);
    // A vector that stands at `value`: "joints.hinge.points_m[1]".
    VectorNumbers vector_at(const JsonValue& value, const std::string& address, const Key& key);

    // Index of a function of time, -1 where the key is left out.
    int function(const Entry& entry, const Key& key);
    int function_at(const JsonValue& value, const std::string& address, const Key& key);
    // The same of an expression. What it has in common with those before is computed once.
    // `reads`: the numbers that its names are.
    int function_of(const Expression& expression, std::vector<std::size_t> reads);
    // The same of named parameters; other names do not stand for a number and are not read.
    int function_of(const Expression& expression);
    std::vector<std::size_t> parameters_read_by(const Expression& expression) const;
    ParameterOffsets parameter_offsets();

    int add_parameters(int count, Write write);  // behind all others
    int add_number(const std::optional<std::size_t>& number, double otherwise = 0.0);
    void assign_parameters(int first, int count, Write write);  // of gravity and bodies, whose place is fixed
    int add_element(const JsonValue& at, ElementKind kind, const std::array<int, 2>& bodies,
                    const std::vector<Part>& geometry, int function = -1, const std::optional<Law>& law = {});
    void add_channel(const JsonValue& at, const Channel& channel);

    // Put an entry into the model, and make the kernels' table of what the model has of it (rows.cpp,
    // contact_rows.cpp).
    void add(const JsonValue& at, const model::Joint& joint);
    int add(const JsonValue& at, const model::Element& element);
    void add(const std::string& name, const model::Contact& contact);
    void add(const JsonValue& at, const model::Load& load, int parameter);  // of its point, -1 of a torque
    // An element that measures a coordinate of the joint for a law or for a sensor; without a law it drives it.
    int add_coordinate(const JsonValue& at, JointRecord& joint, const std::string& coordinate, int function,
                       const std::optional<Law>& law);

    // Computes the parameters first .. first + count - 1, which were added or assigned one after the other.
    Write writing_of(int first, int count) const;

    // Points of bodies define the length scale; points of the ground and origins of bodies the extent.
    void measure(const PointNumbers& point) { measured_.push_back(point); }
    void measure_origin(const VectorNumbers& origin) { placed_.push_back(origin); }

    // Values of the numbers as the file has them.
    Inputs nominal();
    void require_limit(const JsonValue& at, int count, int most, const std::string& plural) const;
    // Checks the number of a section's entries before any is read.
    void require_count(const JsonValue& section, int most, const std::string& plural) const;
    // The type's keys, checked.
    const Kind& kind(const Entry& entry, std::span<const Kind> kinds, const std::string& what) const;
    // Fixes how the mechanism's parameters follow from the numbers; nothing is added afterwards.
    void finish();

  private:
    int parameter_of(std::size_t number);
    int parameter_of_literal(double value);
    void add_sizes();
    LastStep last_step() const;

    std::vector<double> nominal_;
    std::vector<Assignment> assignments_;
    std::vector<PointNumbers> measured_;
    std::vector<VectorNumbers> placed_;
    std::map<std::size_t, int> number_parameters_;
    std::map<std::uint64_t, int> literal_parameters_;
};

// The sections of the file. Tables are read first, because expressions look them up; their files stand in `folder`,
// and without one none is opened.
void read_tables(Builder& builder, const JsonValue& root, const std::optional<std::filesystem::path>& folder);
// The section with the points of all tables in place of their files.
Json with_points(Json section, const Tables& tables);
void read_bodies(Builder& builder, const JsonValue& root);
void read_joints(Builder& builder, const JsonValue& root);
void read_drivers(Builder& builder, const JsonValue& root);
void read_forces(Builder& builder, const JsonValue& root);
void read_couplings(Builder& builder, const JsonValue& root);
void read_contacts(Builder& builder, const JsonValue& root);
void read_sensors(Builder& builder, const JsonValue& root);
// The values with which a joint starts, and where they put the bodies when all else has been read.
void read_start_values(Builder& builder, const Entry& entry, JointRecord& joint);
void plan_start(Builder& builder);
// Refuses start values that contradict each other, drivers or what stays, and warns of poses that they replace.
void check_start(Builder& builder, const JsonValue& root);
void add_channels(Builder& builder, const JsonValue& root);
// The coordinate of a joint of the tree that the entry names, or the only one of its joint.
const JointCoordinate& coordinate_of(Builder& builder, const Entry& entry);
// Refuses a key of the unit that the coordinate does not have.
void refuse_other_unit(const Entry& entry, const JointCoordinate& coordinate, const Key& right, const Key& wrong);
// Friction on a coordinate of a joint, and the rotors of a joint that has been read.
void read_friction(Builder& builder, const Entry& entry);
void read_joint_force(Builder& builder, const Entry& entry);
void read_rotors(Builder& builder, const Entry& entry, const JointRecord& joint);
// The force on a coordinate of the joint that stands at the key: a formula, in which names without a point may be the
// joint's own coordinates and rates (coordinate_forces.cpp).
CoordinateFormula read_coordinate_formula(Builder& builder, const Entry& entry, const Key& key, int joint);
// Adds a sensor without a channel for each coordinate on which something acts and that no element measures.
void measure_coordinates(Builder& builder);
// Says which freedoms of the tree the coordinates are. Refuses coordinates of joints that the tree does not carry.
void place_on_coordinates(Builder& builder, const SpanningTree& tree);
// Refuses what acts in joint coordinates alone where these do not take the mechanism.
void require_joint_coordinates(const Builder& builder, const JsonValue& root);
inline constexpr const char* equilibrium_needs_joint_coordinates =
    "it starts at an equilibrium, which is found in joint coordinates";
// The parameters of links, and of elements and loads in link frames (joint_parameters.cpp): behind all others.
void add_joint_coordinates(Builder& builder);
// Refuses couplings that joint coordinates do not take.
void check_couplings(const Builder& builder, const JsonValue& root);

}  // namespace myriad::mechanism
