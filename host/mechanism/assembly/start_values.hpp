// The state of a mechanism before assembly where its file gives values with which joints start.
//
//   joint      R_B F_B = R_A F_A Q,   r_B + R_B s_B = r_A + R_A (s_A + F_A x)
//   Q          turn about z by the angle; universal: about z, then about x; spherical: any;  x: the slides
//   outward    along the spanning tree, from the ground: a joint with a given value places its outer body, with the
//              file's values of its other coordinates; others keep the file's relative pose; a body without a pose
//              takes Q = I, x = 0. Each body moves with its parent, but for given rates and what drivers prescribe
//   then       where a row of a joint or driver is still open, all bodies move until none is and the given values hold:
//              min |Z|_M subject to phi(q) = 0 and the given values, by Newton's method (start_rows.hpp)
//   follows    a coordinate that is coupled with one of a given value starts with ratio * value + offset
//   rates      those of joints hold, and given velocities of bodies as far as these let them (start_velocities.hpp)
//   given      what the file gives of poses and velocities and these start values change is measured as assembly
//              measures its own changes; angles that count from the pose of the file, and coordinates that follow
//              others, move it and contradict nothing
//
// F: joint frame in body axes, s: point from the centre of mass. Only groups of bodies with a given value are touched.
// What assembly then finds is together, so that it moves nothing. Not handled: a loop that is closed in several ways;
// the nearest one to the bodies that were placed outward is taken.
#pragma once
#include <functional>
#include <optional>

#include "host/mechanism/compiled.hpp"
#include "host/mechanism/tree/spanning_tree.hpp"
#include "kernels/mechanism/taylor.hpp"
#include "kernels/tree/topology.hpp"

namespace myriad::mechanism {

struct JointFrame {
    Vector point;       // from the centre of mass, body axes; of the ground in the world
    Mat3<double> axes;  // its columns x, y, z, body axes
};

// The coordinate that another one is coupled with: numbers of the file. `leads`: the coupling reads
// other = ratio * own + offset.
struct FollowedCoordinate {
    std::size_t joint = 0, coordinate = 0, ratio = 0, offset = 0;
    bool leads = false;
};

// Numbers of the file; none where the file leaves the key out.
struct StartCoordinate {
    std::string name;  // "angle_1"
    bool turns = true;
    std::optional<std::size_t> value, rate;
    int driver = -1;  // the function that a driver prescribes
    std::optional<FollowedCoordinate> follows = {};
};

struct StartJoint {
    TreeJoint type = TreeJoint::fixed;
    std::array<int, 2> body{-1, -1};
    std::function<std::array<JointFrame, 2>(const Inputs&)> frames;
    std::vector<StartCoordinate> coordinates;       // in the order of the tree's freedoms; none of a spherical joint
    std::optional<OrientationNumbers> orientation;  // of B relative to A
    std::optional<VectorNumbers> angular_velocity;  // of B relative to A, axes of B
    int first_row = 0;                              // among all constraint rows, from 1
    bool counts_from_pose = false;                  // its angles are 0 where the file has the bodies

    bool is_given() const;
    bool follows() const;
};

// The angle that a counter of turns starts nearest to: a given value, a followed one, or a driver's at time 0.
struct CountedStart {
    int parameter = 0;
    std::optional<std::size_t> number;
    int function = -1;
    std::optional<FollowedCoordinate> follows = {};
};

struct StartPlan {
    std::vector<StartJoint> joints;           // as Mechanism::joints; those that no tree carries have no frames
    SpanningTree uncut;                       // joints that the file cuts may stand in it
    std::vector<bool> is_placed, takes_part;  // of each body
    std::vector<bool> is_solved;              // takes part, and not only because a coordinate follows another one
    std::vector<bool> is_of_uncut;  // of each constraint row, from 1, of joints of `uncut` and drivers on them
    std::vector<CountedStart> counters;
    int open_row_parameter = 0;  // MechanismTable::open_start_row, and those behind it

    bool moves_bodies() const { return open_row_parameter != 0; }
    // The value with which a coordinate starts, its own or a followed one.
    std::optional<double> value(const StartCoordinate& one, const Inputs& in) const;
    std::optional<double> value(const FollowedCoordinate& followed, const Inputs& in) const;
};

// The kernel parameters that start_bodies writes, in rising order, and whether it reads each of all of them.
std::vector<int> parameters_of_start(const StartPlan& plan);
std::vector<bool> parameters_read_by_start(const StartPlan& plan, const MechanismTable& table);

// Replaces the state of the bodies that the file gives, among the kernel parameters of an instance, and writes the
// parameters of counters and of the open row.
void start_bodies(const StartPlan& plan, const MechanismTable& table, const Inputs& in, std::span<double> parameters);

// Turns the bodies of which the file counts angles from its pose by the values of these angles.
void turn_from_pose(const StartPlan& plan, const MechanismTable& table, const Inputs& in, std::span<double> parameters);

// A function of time at the start, which drivers prescribe.
Taylor<double> function_at_start(const MechanismTable& table, std::span<const double> parameters, int function);

// A coordinate of a joint where the bodies stand according to these kernel parameters.
double coordinate_at(const StartJoint& joint, std::size_t coordinate, const Inputs& in,
                     std::span<const double> parameters);

}  // namespace myriad::mechanism
