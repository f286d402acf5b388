// One instance on the reference path: a system by name, an integrator by name, parameters and settings; out come the
// trajectory of its observables and how it ended. Systems and integrators are looked up in the two lists below; nothing
// here is shared with the kernels. Not handled: systems with constraints, but for the energy-momentum integrators,
// under which the observables of livens_formula.hpp are there too.
#pragma once
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/explicit/runge_kutta.hpp"

namespace myriad::reference {

struct Settings {
    // Called with the initial state and after every accepted step; a run of any length then needs no memory. May throw,
    // which ends the run.
    std::function<void(double time_s, const Observables&)> after_step;
    // Called with the state just before an impact, and with the one just behind where that is not the end of the step.
    std::function<void(double time_s, const Observables&)> before_jump, behind_jump;
    // One of formulation_names(); of an implicit method one of orientation_chart_names().
    std::string chart = "rotation";
    double end_s = 0.0;
    std::optional<double> step_s;  // fixed steps; without it `control` chooses them
    StepControl control;
    // Both may be used; the initial state is observed when either is. A span between two observation times ends with a
    // shorter step, as does the whole run.
    std::vector<double> observation_times_s;  // increasing, from 0 to end_s
    int observe_every_steps = 0;              // 0: not by steps
    double largest_step_rotation_rad = std::numbers::pi;
    DexpInverse dexp_inverse = DexpInverse::full;  // of explicit methods up to order 4; beyond it is always full
    long most_steps = 1'000'000'000;
    double spectral_radius = 0.9;     // of generalized_alpha
    int most_newton_iterations = 50;  // of a step of an implicit method
    // For the Hamiltonian integrators of a rigid body: the exact inverse of the regularised mass, not the one that
    // holds at unit length (livens_formula.hpp).
    bool exact_inverse_mass = false;
    ContactMethod contact;  // of methods for contact; the name and the spectral radius are taken from elsewhere
};

struct Sample {
    double time_s;
    Observables observables;
};

struct Result {
    std::string status;      // ok, not_finite, step_too_small, step_limit, step_rotation_too_large, chart_singular,
                             // invalid_parameter, newton_stalled, singular_matrix, prox_stalled, assembly_failed
    std::string reason;      // empty when ok
    bool in_impact = false;  // where prox_stalled happened
    std::vector<Sample> trajectory;
    // The last good state; no observables where there is none (invalid_parameter, a start on the chart's singularity).
    double final_time_s = 0.0;
    Configuration final_configuration;
    Eigen::VectorXd final_velocity;
    Observables final_observables;
    long steps_taken = 0, steps_rejected = 0;
};

std::vector<std::string> reference_systems();
std::vector<std::string> reference_integrators();

// Throws UserError for unknown names, for a missing parameter and for settings that make no sense; everything that can
// befall one instance of many is a status.
Result run_reference(const std::string& system, const std::string& integrator, const Parameters& parameters,
                     const Settings& settings);

}  // namespace myriad::reference
