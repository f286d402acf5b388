// One mechanism on the reference path: assembled at its start, then integrated, or analysed at given times; out come
// its motion after every step and how it ended. Nothing here is shared with the kernels.
#pragma once
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/explicit/runge_kutta.hpp"
#include "host/reference/implicit/implicit_integrator.hpp"

namespace myriad::reference {

// The motion at the end of a step.
struct MechanismSample {
    MechanismMotion motion;
    std::vector<Eigen::Vector3d> element_multipliers;  // as of mechanism_equations.hpp
    double kinetic_energy_j = 0.0, potential_energy_j = 0.0;
    // Done by loads, drivers and dampers since the start: the trapezoidal rule over the steps, or what an
    // energy-momentum integrator's discrete equations say.
    double work_j = 0.0;
    double constraint_residual = 0.0, velocity_residual = 0.0;  // the largest of all rows, redundant ones included
    int newton_iterations = 0;                                  // linear solves of the step
    double assembly_correction = 0.0, velocity_correction = 0.0;
    // energy_momentum and livens_midpoint: p . v - T + V, |p - M(q) v| and the norm of the bodies' |q . q'|. Any other
    // integrator: T + V, 0 and 0.
    double generalized_energy_j = 0.0, momentum_defect = 0.0, quaternion_rate_residual = 0.0;
    // Sums over all bodies, about the origin; from the momenta where there are any.
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), angular_momentum = Eigen::Vector3d::Zero();
    // Contact methods only.
    ContactSample contacts;
    std::optional<MechanismState> before_impact;  // ContactJoints::before_impact()
    ContactRecord contact_record;
    double contact_energy_error_j = 0.0;  // largest |T + V + losses - work - initial energy| so far
};

struct MechanismSettings {
    // implicit_euler, generalized_alpha, kinematics, energy_momentum, livens_midpoint, energy_momentum_convective
    // (those three on the chart "rotation"; multipliers and accelerations of the step's middle), one of
    // contact_methods() (in joint coordinates; the only ones for a mechanism with contacts), or an explicit method
    // (butcher_tables.hpp) where there are no constraint rows
    std::string integrator = "generalized_alpha";
    std::string chart = "rotation";  // one of orientation_chart_names(), of an explicit method also
                                     // cardan_xyz_body_rate; of kinematics it only says where it ends
    // Takes the coordinates of the model's tree, on the chart "rotation", by implicit_euler, generalized_alpha,
    // kinematics, methods with contact, and explicit methods where there are no rows outside the tree
    bool joint_coordinates = false;
    double end_s = 0.0;
    double step_s = 0.0;  // 0: `control` chooses the steps of an explicit method
    StepControl control;
    std::vector<double> stops_s;  // increasing, below end_s: times that chosen steps end at
    long most_steps = 1'000'000'000;
    double largest_step_rotation_rad = std::numbers::pi;  // of a body, on the chart "rotation"
    double spectral_radius = 0.9;
    bool published_start = false;  // of an implicit method: implicit_start.hpp
    // In joint coordinates the steps lead across a pose in which the kept rows of a loop lose rank: redundant_rows.hpp.
    bool passes_lost_rank = false;
    ContactMethod contact;  // without its name, spectral radius, iterations and rotation
    int most_newton_iterations = 50;
    // Called with the assembled start and after every step. May throw, which ends the run.
    std::function<void(const MechanismSample&)> after_step;
    // Called with states within a step of a method that chooses its steps, before its end.
    std::function<void(const MechanismSample&)> within_step;
    // Called with the state just before an impact or a jump of drivers, where `is_straight` says that the motion to
    // there is not that of the end of the step; and with the one just behind, where that is not the end of the step.
    std::function<void(const MechanismSample&, bool is_straight)> before_jump;
    std::function<void(const MechanismSample&)> behind_jump;
};

struct MechanismResult {
    std::string status;             // ok, newton_stalled, prox_stalled, singular_matrix, not_finite, chart_singular,
                                    // assembly_failed, step_rotation_too_large, step_too_small, step_limit
    std::string reason;             // empty when ok
    int worst_row = -1;             // where assembly failed: the constraint row that is farthest from being met
    bool start_penetrates = false;  // why assembly failed
    bool rests_unstably = false;    // at the equilibrium of the start
    bool rows_lose_rank = false;    // why the matrix is singular: redundant_rows.hpp
    bool in_impact = false;         // where prox_stalled happened
    MechanismSample last;           // the last good one; without bodies where assembly failed
    long steps_taken = 0, steps_rejected = 0;
};

// Steps of step_s; a span that is no multiple of it is divided into equal steps that are shorter, or, without
// constraints and in kinematics, ends with a shorter one. Throws UserError for unknown names and for settings that make
// no sense.
MechanismResult run_reference_mechanism(const MechanismModel& model, const MechanismSettings& settings);

}  // namespace myriad::reference
