// Where a mechanism starts, and where a driven one is at a time: position, velocity and acceleration analysis.
//
//   positions      M (Z + d) + B^T m = 0, B d = -phi, repeated; Z is the sum of the corrections d so far, so that in
//                  the end Z^T M Z is the least that meets phi = 0. Pinned coordinates stay. It begins in
//                  the pose of start_pose.hpp.
//   velocities     M (v - v_0) + B^T m = 0, B v = -phi_t; given velocities stay where rows can be met so, else none
//                  does. v_0: start_velocities.hpp
//   accelerations  M v' + B^T lambda = f, B v' = -gamma
//
// Displacements are those of mechanism_equations.hpp. Systems without a unique solution get the one of least norm.
// Source: rA paper sect. 2.1.1. Not handled: a mechanism in a pose where its rows lose rank.
#pragma once
#include <memory>
#include <optional>

#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

struct MechanismMotion;

// Rates of drivers have jumped: the power of all that does work until then; the work of the jump, and of putting
// drivers where their functions are, which it holds; the motion just before. `is_inside`: the corner lies in the step,
// whose motion is then not followed to the end.
struct JumpOfDrivers {
    double work_rate_before = 0.0, work_j = 0.0, work_of_moving_j = 0.0;
    std::shared_ptr<const MechanismMotion> before{};
    bool is_inside = false;
};

struct MechanismMotion {
    MechanismState state;
    Eigen::VectorXd acceleration;  // 6 per body: of the centre of mass (world), angular (body frame)
    Eigen::VectorXd multipliers;   // of the active constraint rows
    // The couplings of the tree, in joint coordinates: 0 for those found redundant; the largest |phi| and |phi'|.
    Eigen::VectorXd coupling_multipliers{};
    double coupling_residual = 0.0, coupling_rate_residual = 0.0;
    std::optional<JumpOfDrivers> jump{};  // at the end of the step
    std::optional<double> step_work_j{};  // before the jump, of a method that sums it over its stages
};

struct AssembledStart {
    MechanismMotion motion;
    double correction = 0.0;           // displacement_norm of Z: how far positions and orientations were moved
    double velocity_correction = 0.0;  // the same of the change of given velocities
};

// The state the model gives, projected on the constraints at t = 0. Throws StepFailure: assembly_failed where a
// constraint cannot be met, a redundant one included, singular_matrix where no accelerations follow.
AssembledStart assembled_start(const MechanismModel& model);

// Those that no pin holds.
std::vector<Eigen::Index> movable_coordinates(const MechanismModel& model);
// The velocities with which the model starts, from those that it gives in `state`; how far these were changed. Throws
// StepFailure: assembly_failed.
double assemble_velocities(const MechanismModel& model, MechanismState& state);

// v' and lambda of M v' + B^T lambda = f, B v' = -gamma.
struct AccelerationSolution {
    Eigen::VectorXd acceleration, multipliers;
};
// Throws StepFailure (singular_matrix) where nothing solves the equations.
AccelerationSolution solved_accelerations(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& jacobian,
                                          const Eigen::VectorXd& force, const Eigen::VectorXd& acceleration_term);

// Accelerations and multipliers at a state. Throws StepFailure (singular_matrix).
MechanismMotion with_accelerations(const MechanismModel& model, const MechanismState& state);

// The motion of a mechanism without freedom at `time_s`, near `before`; the multipliers by inverse dynamics.
// `iterations` counts linear solves. Throws StepFailure: newton_stalled, singular_matrix.
MechanismMotion driven_motion(const MechanismModel& model, const MechanismMotion& before, double time_s,
                              int most_iterations, int& iterations);

// The angles of all elements of kind angle become those of the state.
void count_angles(const MechanismModel& model, MechanismState& state);

// 2-norm over all bodies of (translation / length scale, rotation).
double displacement_norm(const MechanismModel& model, const Eigen::VectorXd& displacement);

}  // namespace myriad::reference
