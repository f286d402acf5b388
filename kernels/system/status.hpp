// How an instance stands or how it ended, the reason, and warnings. Inside the kernels these codes are small whole
// numbers held in a Real, so that one visitor over Reals loads, stores and freezes them with everything else.
#pragma once

namespace myriad {

enum class Status {
    ok = 0,
    not_run = 1,
    running = 2,  // between two launches only: a finished result never says so
    newton_stalled = 3,
    prox_stalled = 4,
    singular_matrix = 5,
    not_finite = 6,
    step_too_small = 7,
    step_limit = 8,
    step_rotation_too_large = 9,
    chart_singular = 10,
    capacity_exceeded = 11,
    assembly_failed = 12,
    invalid_parameter = 13,
};
constexpr int status_count = 14;

enum class Reason {
    none = 0,
    parameter_not_finite = 1,
    mass_not_positive = 2,
    inertia_not_positive_semidefinite = 3,
    inertia_singular = 4,
    state_not_finite = 5,
    rotation_beyond_series = 6,
    step_below_smallest = 7,
    attempts_used_up = 8,
    chart_at_its_singularity = 9,
    parameters_refused = 10,
    start_not_finite = 11,
    newton_did_not_converge = 12,
    matrix_singular = 13,
    constraints_inconsistent = 14,
    loop_does_not_close = 15,
    length_not_positive = 16,
    prox_did_not_converge = 17,
    contact_law_invalid = 18,
    start_penetrates = 19,
    stiffness_not_positive = 20,
    damping_negative = 21,
    projection_did_not_converge = 22,
    friction_invalid = 23,
    rotor_inertia_negative = 24,
    no_equilibrium = 25,
    rows_lose_rank = 26,
    loop_at_dead_point = 27,
    spare_row_not_met = 28,
    driver_breaks = 29,
    impact_did_not_converge = 30,
    start_without_forces = 31,
};
constexpr int reason_count = 32;

// Bits of the warnings of an instance: odd, but published models do it, so it runs. Their descriptions stand below.
enum class Warning {
    inertia_breaks_triangle_inequality = 1,
    initial_velocity_projected = 2,
    impacts_may_gain_energy = 4,
    equilibrium_unstable = 8,
};

#if !defined(__CUDACC_RTC__)
constexpr const char* name_of(Status status) {
    constexpr const char* names[status_count] = {"ok",
                                                 "not_run",
                                                 "running",
                                                 "newton_stalled",
                                                 "prox_stalled",
                                                 "singular_matrix",
                                                 "not_finite",
                                                 "step_too_small",
                                                 "step_limit",
                                                 "step_rotation_too_large",
                                                 "chart_singular",
                                                 "capacity_exceeded",
                                                 "assembly_failed",
                                                 "invalid_parameter"};
    return names[static_cast<int>(status)];
}

// A sentence for people: what happened and what to try.
constexpr const char* sentence_of(Reason reason) {
    constexpr const char* sentences[reason_count] = {
        "",
        "a parameter or initial value is NaN or infinite, or the stiffness or damping of a spring is negative; look at "
        "its distribution",
        "the mass is not positive; bound its distribution away from zero",
        "the inertia has a negative principal moment; bound its distribution",
        "the inertia that has to be inverted is singular; give every axis some inertia",
        "the next state is not finite; the last finite one is kept; try a smaller step, or look at the arguments for "
        "which a table or a formula of the mechanism has no value",
        "one step turns a body farther than the method can follow; use a smaller step",
        "the error control asks for a step below smallest_step_s; loosen the tolerances or lower smallest_step_s",
        "most_attempts steps were tried before the end; raise most_attempts or loosen the tolerances",
        "the chart came too close to its singular angle; use the chart 'rotation'",
        "the reference path refuses the parameters; another backend says which one",
        "the initial state that follows from the parameters is not finite; look at the initial values",
        "Newton's method did not converge within most_newton_iterations; use a smaller step, take "
        "\"iteration_matrix\": "
        "\"exact\" where the method has it, or raise the limit",
        "the matrix of a step is singular: a singular pose, or a motion that no inertia resists, and a smaller step "
        "does not help; start from another pose, or look at what /instance/detail names",
        "no state near the initial values meets all constraints; bound the distributions, or start nearer to one",
        "the loop cannot be closed with these lengths; bound their distributions",
        "a length is not positive, or a radius or clearance is negative; bound its distribution",
        "contacts jam, or the method is unstable with this step: the laws of contact were not met within "
        "most_prox_iterations; use a smaller step, give restitution 0 where friction may lock a contact, or raise the "
        "limit",
        "a coefficient of friction is negative, one of restitution outside 0 to 1, or the lower end of limits above "
        "the upper one; look at its value, or bound its distribution",
        "bodies overlap, or a joint stands beyond a limit, at the start; move the initial values, or give the "
        "integrator \"initial_penetration\": \"project\", which a small motion has to resolve",
        "a stiffness that must be positive is not; bound its distribution away from zero",
        "a damping is negative and would make energy; bound its distribution",
        "a step left the constraints too far to be brought back onto them; use a smaller step",
        "the friction of a joint is negative, or its regularisation is not positive; bound its distribution",
        "a rotor has a negative inertia; bound its distribution",
        "no static equilibrium was found near the assembled pose: look for a motion that nothing resists; or leave out "
        "\"start\": \"equilibrium\"",
        "the rows that were kept of a loop with redundant ones lose rank in a pose in which the loop does not, and a "
        "smaller step does not help; without contacts, take \"generalized_alpha\" with \"iteration_matrix\": "
        "\"exact\"; with contacts, keep the motion away from that pose",
        "a loop stands near a dead point, where its rows lose rank, and a smaller step only comes nearer to it; take "
        "\"generalized_alpha\" with \"iteration_matrix\": \"exact\", or \"energy_momentum_convective\"",
        "a row that was left out as redundant in the pose of the file is no longer met: that pose is a singular one of "
        "its loop; start from another",
        "the value of a driver jumps, or its formula comes to a corner of sqrt, a power below 1, asin, acos or atan2, "
        "or to a pole; let each part of it begin where the one before ends, write corners with abs, max, min, if or a "
        "table, end before a pole, and look at the numbers that the study varies",
        "the laws of an impact were not met within most_prox_iterations: where friction locks it and restitutions "
        "differ, they may have no solution; give normal_restitution 0, or tangential_restitution the same value, or "
        "raise the limit",
        "no forces, or only boundless ones, let the contacts of the start obey their laws, not even after an impulse: "
        "friction all but gives way to a slip (Painleve's paradox); lower the friction, or start with another slip"};
    return sentences[static_cast<int>(reason)];
}

struct WarningDescription {
    Warning bit;
    const char* meaning;
    const char* instances;  // what instances with it are: "33 with an inertia that ..."
};
constexpr WarningDescription warning_descriptions[] = {
    {Warning::inertia_breaks_triangle_inequality, "the inertia breaks the triangle inequality",
     "with an inertia that breaks the triangle inequality"},
    {Warning::initial_velocity_projected, "the initial velocity was moved onto the constraints",
     "whose initial velocity was moved onto the constraints"},
    {Warning::impacts_may_gain_energy, "by its contact law an impact may gain energy",
     "with a contact law by which an impact may gain energy"},
    {Warning::equilibrium_unstable, "the equilibrium of the start is unstable",
     "that start at an unstable equilibrium"},
};
#endif

}  // namespace myriad
