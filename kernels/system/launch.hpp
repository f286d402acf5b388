// The data that a backend hands to the per-instance code: plain, the same on every side of a launch.
//
// Records, states and trajectories lie in tiles of 32 instances, field by field inside a tile:
//   records    [tile][field][32]         fields: varied parameters, then Progress, Motion, memory, Certificate, sums
//   states     [tile][channel][32]       the channels that make up the state, at the start and at the end
//   trajectory [tile][row][channel][32]  the observed channels
// so that a warp reads whole rows, a core reads aligned packs, and an instance can be moved as a whole.
#pragma once
#include "kernels/system/reduction.hpp"

namespace myriad {

struct MechanismTable;

constexpr int tile_instances = 32;
constexpr int most_parameters = 2048;
constexpr int most_quantities = 16;
constexpr int most_channels = 512;
constexpr int most_plan_links = 24;
// Of fixed steps: a certificate looks at the states of the first ones, and at one of as many then. A power of 2, whose
// reciprocal is exact.
constexpr int steps_per_certificate = 16;

// The parts of a study that compiled code may bake in: which parameters vary, what is reduced, what is observed.
// `varied[i]` is the field of parameter i in the record, or -1 where all instances share its value.
struct PlanTable {
    const MechanismTable* mechanism;  // null where the system is code
    int keeps_factors;                // 1: instances keep the factors of a modified Newton method from step to step
    int varied_count, quantity_count, observed_count;
    int varied[most_parameters];
    Reduction reductions[most_quantities];
    int quantity_channels[most_quantities];  // or norms: kernels/math/norm.hpp
    int windowed[most_quantities];           // 1: over the launch's window of time only
    Between between[most_quantities];
    int quantity_rates[most_quantities];   // where `between` is cubic
    int observed_channels[most_channels];  // channels or norms, as above
    short axes_codes[most_plan_links];     // of a tree's links: kernels/tree/links.hpp; 0: general
};

// When steps are taken, how large, and when channels are observed. Rows of the trajectory: the initial state is row 0.
struct Schedule {
    double end_s;
    double step_s;         // of fixed-step methods
    double last_step_s;    // size of the step after `full_steps`; 0 where the span is a multiple of the step
    double full_steps;     // whole numbers in a double: a Real counts steps
    double total_steps;    // full_steps, or one more
    double observe_steps;  // a row every so many steps; 0: no rows, or rows by time
    double observe_s;      // adaptive methods: a row every so many seconds; 0: no rows
    double rows;           // of the trajectory
    double relative_tolerance, absolute_tolerance;  // adaptive methods
    double initial_step_s, smallest_step_s, largest_step_s;
    double most_attempts;           // accepted and rejected steps together, of one instance
    double spectral_radius;         // generalized_alpha: at infinite frequency, 0 to 1
    double newton_tolerance;        // bound on the 2-norm of the last correction, for implicit methods
    double most_newton_iterations;  // of one step; a whole number
    double full_dexp_inverse;       // 1 or 0: of explicit methods that may cut it
    double tangent_operator;        // 1 or 0
    double exact_matrix;            // 1 or 0: of implicit methods in joint coordinates
    double published_start;  // 1: index-3 methods begin in the given state, kernels/integrators/implicit_start.hpp
    // Systems with contacts.
    double prox_tolerance;        // bound on the residual of the contact laws, relative: kernels/contact/prox.hpp
    double most_prox_iterations;  // of one contact problem; a whole number
    double gap_tolerance_m;       // gaps up to this are closed; initial ones below minus this are penetrations
    double project_penetration;   // 1: an initial penetration is moved out of, 0: refused
    double strikes_within_step;   // 1: contacts strike where they touch, 0: where a step looks at them, as published
    double impact_threshold_N_s;  // an impact counts where its largest normal impulse is above
    double free_alphas;           // 1: generalized-alpha by alpha_m and alpha_f, not by the spectral radius
    double alpha_m, alpha_f;
    double ed_alpha_ratio;  // alpha_AR of ED-alpha
};

template <class Number>
struct Launch {
    Number* records;
    Number* initial_states;
    Number* final_states;
    Number* trajectory;         // null where nothing is observed
    Number* quantities;         // [tile][quantity][32]
    const Number* parameters;   // [parameter] values of those that do not vary
    const Number* thresholds;   // [quantity]
    const Number* windows;      // [quantity][from_s, to_s], read where the plan says so
    const unsigned int* order;  // slots to run, by cost; null: all in order
    const Number* former;       // [tile][varied field][32], what the records' memories belong to; read by renew() alone
    long long slots;            // how many slots (entries of `order`) there are
    long long attempts;         // how many steps this launch tries at most, per instance
    Schedule schedule;
};

}  // namespace myriad
