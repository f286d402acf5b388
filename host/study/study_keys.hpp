// The keys of a study file and the defaults of those that may be left out: one place for the reader, its messages and
// the JSON Schema.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/text/names_of.hpp"
#include "kernels/run/reductions.hpp"

namespace myriad::study {

enum class KeyType { text, number, positive_number, share, whole_number, boolean, structure };

struct Key {
    const char* name;
    KeyType type;
    bool required;
    const char* meaning;
};

using Kind = KindOfObject<Key>;

namespace defaults {
inline constexpr const char* chart = "rotation";
inline constexpr const char* precision = "fp64";
inline constexpr const char* design = "monte_carlo";
inline constexpr std::uint64_t seed = 1;
inline constexpr const char* on_failure = "continue";
inline constexpr double allowed_failed_share = 0.0;
// Adaptive methods. The first step tried is the whole span: the error control cuts it to size in a few attempts. The
// smallest one, as a share of the span, is where time still advances in the precision of the run, with a digit to
// spare.
inline constexpr double smallest_step_share_fp64 = 1e-14, smallest_step_share_fp32 = 1e-6;
inline constexpr std::uint64_t most_attempts = 1'000'000'000;  // or to what the precision counts
// Implicit methods. In fp32 the corrections of a Newton iteration end at some ten round-offs of the coordinates.
inline constexpr double spectral_radius = 0.9;
inline constexpr double newton_tolerance_fp64 = 1e-10, newton_tolerance_fp32 = 1e-6;
inline constexpr std::uint64_t most_newton_iterations = 12, most_newton_iterations_of_kinematics = 50,
                               most_newton_iterations_of_energy_momentum = 40;
// Methods for contact. Round-off must not open a contact that rests, and in fp32 a gap carries that of the lengths it
// is a difference of.
inline constexpr double prox_tolerance_fp64 = 1e-12, prox_tolerance_fp32 = 1e-5;
inline constexpr double gap_tolerance_m_fp64 = 1e-9, gap_tolerance_m_fp32 = 1e-6;
inline constexpr double newton_tolerance_of_contact_fp64 = 1e-11, newton_tolerance_of_contact_fp32 = 1e-5;
inline constexpr std::uint64_t most_prox_iterations = 200, most_newton_iterations_of_contact = 20;
inline constexpr double impact_threshold_N_s = 0.0, ed_alpha_ratio = 1.0 / 6.0;
}  // namespace defaults
// fp32 resolves 6e-8 of a number, and a residual is a sum of several: a relative tolerance below some tens of
// round-offs asks for what the numbers cannot show.
inline constexpr double smallest_fp32_tolerance = 1e-6;
// A result of more would take terabytes, and the list of its chunks memory before the run begins.
inline constexpr std::uint64_t most_instances = 10'000'000'000;
inline constexpr std::size_t most_quantiles = 1000, most_varied_parameters = 1000;
// More than this is a mistake: quadratic convergence needs a handful.
inline constexpr std::uint64_t largest_most_newton_iterations = 10'000;

inline constexpr Key study_keys[] = {
    {"title", KeyType::text, false, "one line for reports"},
    {"description", KeyType::text, false, "what is studied, and where the numbers come from"},
    {"system", KeyType::text, false, "name of a system that is built in; `myriad list` shows them"},
    {"mechanism", KeyType::structure, false, "or a mechanism: its file, relative to the study's folder, or itself"},
    {"coordinates", KeyType::text, false,
     "the unknowns of a mechanism, joint or body; replaces \"coordinates\" of the mechanism file, see `myriad schema "
     "mechanism`. What joint coordinates do not take runs in body coordinates, and the run says why"},
    {"start", KeyType::text, false,
     "assembled or equilibrium: replaces \"start\" of the mechanism file, see `myriad schema mechanism`. Quantities of "
     "modes (eigenfrequency_Hz, damping_ratio) need equilibrium"},
    {"chart", KeyType::text, false, "how orientations are held; default rotation"},
    {"integrator", KeyType::structure, true, "method, span and steps or tolerances"},
    {"precision", KeyType::text, false,
     "fp64 (default), or fp32 on the chart rotation: for mechanisms, and for other systems without contact by explicit "
     "methods, generalized_alpha and implicit_euler"},
    {"instances", KeyType::whole_number, false, "their number; a grid and a table determine it themselves"},
    {"design", KeyType::structure, false, "how the instances spread over the parameters; default monte_carlo, seed 1"},
    {"parameters", KeyType::structure, false, "values and distributions by address; the others keep their defaults"},
    {"correlations", KeyType::structure, false, "Gaussian copula: correlations of the normal scores of pairs"},
    {"assembly", KeyType::text, false,
     "warn (default) or refuse, where the poses of a mechanism contradict its joints while all that varies has its "
     "middle value; replaces \"assembly\" of the mechanism file, see `myriad schema mechanism`"},
    {"observe", KeyType::structure, false, "channels to keep as trajectories, and how often"},
    {"quantities", KeyType::structure, false,
     "numbers by name: a channel condensed over all accepted steps, or a property of a mode of small motions about the "
     "equilibrium"},
    {"results", KeyType::structure, false, "what the result file holds, how precisely, and whether compressed"},
    {"statistics", KeyType::structure, false, "quantiles and confidence of the statistics over instances"},
    {"on_failure", KeyType::text, false,
     "continue (default), stop, or retry: a failed instance runs again at a quarter, then at a sixteenth of the step. "
     "Adaptive methods keep their tolerances: they take 4, then 16 times as many attempts, and a thousandth of the "
     "smallest step"},
    {"allowed_failed_share", KeyType::share, false, "more failed instances than this share: exit code 2; default 0"},
    {"$schema", KeyType::text, false, "for editors, which check the file by it; not read"},
};

inline constexpr Key fixed_step_keys[] = {
    {"name", KeyType::text, true, "name of the method"},
    {"step_s", KeyType::positive_number, true, "time step; with constraint rows of a mechanism the largest one"},
    {"end_s", KeyType::positive_number, true,
     "span; one that is no multiple of the step ends with a shorter step or, with constraint rows of a mechanism, is "
     "divided into equal steps, which the run reports"},
};
inline constexpr Key adaptive_step_keys[] = {
    {"name", KeyType::text, true, "name of the method"},
    {"end_s", KeyType::positive_number, true, "span"},
    {"relative_tolerance", KeyType::number, true, "bound on the local error, relative to the size of a component"},
    {"absolute_tolerance", KeyType::positive_number, true, "bound on the local error, in the units of the state"},
    {"initial_step_s", KeyType::positive_number, false, "first step tried; default end_s"},
    {"smallest_step_s", KeyType::positive_number, false,
     "smallest step to try; default 1e-14 end_s, with fp32 1e-6 end_s"},
    {"largest_step_s", KeyType::positive_number, false,
     "largest step to try; default end_s, or end_s / 256 if a quantity is read between start and end"},
    {"most_attempts", KeyType::whole_number, false,
     "limit of accepted and rejected steps together; default 1e9, with fp32 2^24"},
};

// Beside those of explicit methods whose order allows it.
inline constexpr Key dexp_inverse_keys[] = {
    {"dexp_inverse", KeyType::text, false,
     "on the chart rotation. cut (default): the series of dexp^-1 ends with its second commutator, which changes the "
     "error of these methods by less than 1 %, and stages take a short series of the exponential. full: both in full, "
     "as "
     "published. Mechanisms, rk67 and dopri5, whose error it would change, have full alone"},
};

// Beside those of a fixed step: of every implicit method, of those that step in time, of those with a spectral radius.
inline constexpr Key newton_keys[] = {
    {"newton_tolerance", KeyType::positive_number, false,
     "bound on the last correction: lengths over the mechanism's size, rotations in rad; default 1e-10, with fp32 "
     "1e-6"},
    {"most_newton_iterations", KeyType::whole_number, false,
     "limit per step, of each try where a step begins again; default 12, for kinematics 50, for energy-momentum "
     "methods 40"},
};
inline constexpr Key implicit_step_keys[] = {
    {"iteration_matrix", KeyType::text, false,
     "simplified (default, unless in joint coordinates a body on a spherical joint carries another one, or a loop "
     "has redundant constraints that its coordinates move): mass, forces on coordinates, and how the reactions on a "
     "body without a joint turn with it, made once a step, so that an iteration costs little more than a residual. "
     "An instance whose step it does not solve begins the step again by the exact one. exact: the whole derivative, "
     "made for every iteration; for steps that turn a body by more than some 0.05 rad, and where simplified stalls"},
    {"newton", KeyType::text, false,
     "of mechanisms on the charts of papers/, for comparison. full (default), or modified: the factors of a matrix "
     "serve for several iterations and steps"},
    {"tangent_operator", KeyType::boolean, false,
     "of systems, and of mechanisms on the chart rotation_vector, for comparison: whether the matrix of a step "
     "differentiates the exponential map exactly; default false"},
    {"start", KeyType::text, false,
     "where the first step of a mechanism with constraint rows begins. shifted (default): beside the given state, "
     "where "
     "the method's own motion runs, by amounts of the order of the step squared (implicit_euler: of the step), so that "
     "reactions have the method's order from the first step on; results still show the given state as the start. "
     "published: in the given state, as in the papers; reactions then oscillate at first, with an error of order 1 "
     "(implicit_euler: one that does not fall with the step)"},
};
// Keys of earlier versions, told with the reason why they are gone.
struct RetiredKey {
    const char *name, *reason, *remedy;
};
inline constexpr RetiredKey retired_integrator_keys[] = {
    {"solve_precision", "every method solves its linear systems in the precision of the run",
     "leave it out; \"precision\": \"fp32\" beside \"integrator\" runs the whole study in fp32"},
};
inline constexpr Key spectral_radius_keys[] = {
    {"spectral_radius", KeyType::share, false,
     "at infinite frequency, 0 to 1: 0 damps the fastest motions at once; default 0.9"},
};

// Keys of methods for contact, beside those of a fixed step: for all, for those that iterate, for generalized-alpha,
// for ED-alpha.
inline constexpr Key contact_keys[] = {
    {"prox_tolerance", KeyType::positive_number, false,
     "bound on the residual of the contact laws, relative; default 1e-12, with fp32 1e-5"},
    {"most_prox_iterations", KeyType::whole_number, false, "limit per contact problem; default 200"},
    {"gap_tolerance_m", KeyType::positive_number, false,
     "gaps up to this are closed, and deeper ones at the start are penetrations; default 1e-9, with fp32 1e-6"},
    {"impact_threshold_N_s", KeyType::number, false,
     "an impact counts if its largest normal impulse is above this; the force of a contact that is closed already, "
     "times the step, is no such impulse, whatever the threshold; default 0"},
    {"initial_penetration", KeyType::text, false,
     "refuse (default), or project: bodies that overlap at the start are moved apart"},
    {"strikes", KeyType::text, false,
     "within_step: contacts that touch or pass within a step strike where they touch, the default of mechanisms; "
     "published: a step looks at contacts once, as in the papers, the only rule of systems"},
};
inline constexpr Key contact_newton_keys[] = {
    {"newton_tolerance", KeyType::positive_number, false,
     "bound on the last correction, relative to the velocities, by the kinetic energy; default 1e-11, with fp32 1e-5"},
    {"most_newton_iterations", KeyType::whole_number, false, "limit per stage of a step; default 20"},
};
inline constexpr Key free_alpha_keys[] = {
    {"alpha_m", KeyType::number, false, "with alpha_f, instead of a spectral radius; 0 is the HHT method"},
    {"alpha_f", KeyType::number, false, "from alpha_m to 1/2"},
};
inline constexpr Key ed_alpha_keys[] = {
    {"ed_alpha_ratio", KeyType::positive_number, false, "alpha_AR of the method; default 1/6"},
};

inline constexpr Key seeded_design_keys[] = {
    {"kind", KeyType::text, false, "kind of design; default monte_carlo"},
    {"seed", KeyType::whole_number, false, "seed of the random numbers; default 1"},
};
inline constexpr Key sobol_design_keys[] = {
    {"kind", KeyType::text, true, "kind of design"},
    {"seed", KeyType::whole_number, false, "seed of the random scrambles; default 1"},
    {"replicates", KeyType::whole_number, false, "independent scrambles, for the intervals; default 16"},
};
inline constexpr Key grid_design_keys[] = {
    {"kind", KeyType::text, true, "kind of design"},
};
inline constexpr Key table_design_keys[] = {
    {"kind", KeyType::text, true, "kind of design"},
    {"file", KeyType::text, true, "CSV with addresses as header; relative to the study's folder"},
    {"columns", KeyType::structure, false, "addresses to take; default all columns, which must then be addresses"},
    {"independent", KeyType::boolean, false,
     "whether the rows are independent random samples, so that statistics have intervals; default false"},
};
inline constexpr Kind design_kinds[] = {
    {"monte_carlo", seeded_design_keys, "independent random instances"},
    {"latin_hypercube", seeded_design_keys, "each parameter evenly stratified"},
    {"sobol", sobol_design_keys, "scrambled Sobol points: the smallest error of a mean"},
    {"grid", grid_design_keys, "all combinations of the levels of each parameter"},
    {"table", table_design_keys, "one instance for each row of a CSV file"},
};

inline constexpr Key uniform_keys[] = {{"low", KeyType::number, true, "lower bound"},
                                       {"high", KeyType::number, true, "upper bound"}};
inline constexpr Key normal_keys[] = {{"mean", KeyType::number, true, "mean"},
                                      {"standard_deviation", KeyType::number, true, "standard deviation"}};
inline constexpr Key truncated_normal_keys[] = {
    {"mean", KeyType::number, true, "mean before truncation"},
    {"standard_deviation", KeyType::number, true, "standard deviation before truncation"},
    {"low", KeyType::number, false, "lower bound; default none"},
    {"high", KeyType::number, false, "upper bound; default none"}};
inline constexpr Key lognormal_keys[] = {
    {"mean", KeyType::number, false, "mean of the variable itself; with standard_deviation"},
    {"standard_deviation", KeyType::number, false, "standard deviation of the variable itself"},
    {"median", KeyType::number, false, "or the median; with geometric_standard_deviation"},
    {"geometric_standard_deviation", KeyType::number, false, "factor that holds 68 % of the values"}};
inline constexpr Key triangular_keys[] = {{"low", KeyType::number, true, "lower bound"},
                                          {"mode", KeyType::number, true, "most likely value"},
                                          {"high", KeyType::number, true, "upper bound"}};
inline constexpr Key beta_keys[] = {{"alpha", KeyType::positive_number, true, "shape at the lower bound"},
                                    {"beta", KeyType::positive_number, true, "shape at the upper bound"},
                                    {"low", KeyType::number, false, "lower bound; default 0"},
                                    {"high", KeyType::number, false, "upper bound; default 1"}};
inline constexpr Key discrete_keys[] = {
    {"values", KeyType::structure, true, "the values, each once"},
    {"weights", KeyType::structure, false, "weights of the values, in the same order; default equal"}};
// "values": [...] is short for "discrete": {"values": [...]}.
inline constexpr const char* values_key = "values";
// Beside a distribution in a grid.
inline constexpr const char* levels_key = "levels";
// "constant" takes its number directly.
inline constexpr Kind distribution_kinds[] = {
    {"constant", {}, "no spread, but a place in the design: the other parameters' samples stay"},
    {"uniform", uniform_keys, "all values equally likely"},
    {"normal", normal_keys, "normal (Gaussian)"},
    {"truncated_normal", truncated_normal_keys, "normal, kept between bounds"},
    {"lognormal", lognormal_keys, "its logarithm is normal"},
    {"triangular", triangular_keys, "rising to the mode, falling behind it"},
    {"beta", beta_keys, "beta distribution, stretched to [low, high]"},
    {"discrete", discrete_keys, "one of a list of values"},
};

inline constexpr Key correlation_keys[] = {
    {"between", KeyType::structure, true, "two addresses"},
    {"correlation", KeyType::number, true, "correlation of the normal scores, between -1 and 1"},
};
inline constexpr Key observe_keys[] = {
    {"every_steps", KeyType::whole_number, false, "a row every so many steps; fixed-step methods"},
    {"every_s", KeyType::positive_number, false,
     "a row every so many seconds; a multiple of a fixed step, or a part of a span that is divided into equal steps"},
    {"channels", KeyType::structure, true,
     "addresses: \"position\", \"position.top.y\", \"energy\"; of a mechanism's body position, velocity and "
     "acceleration belong to its centre of mass, and a \"point\" sensor at [0, 0, 0] shows its origin"},
};
// Beside the reduction of a quantity.
inline constexpr Key quantity_keys[] = {
    {"from_s", KeyType::number, false, "the motion counts from this time on; default 0"},
    {"to_s", KeyType::positive_number, false, "and until this one, both included; default end_s"},
    {"between", KeyType::text, false,
     "interpolated (default): extremes, crossings and the ends of a window lie between steps, where the channel has a "
     "course there; steps: values at the ends of steps alone"},
    {"probability", KeyType::structure, false,
     "{\"above\": x} or {\"below\": x}: the share of the instances whose quantity lies there, with an "
     "interval. An undefined quantity is neither"},
};
inline constexpr Key event_keys[] = {
    {"above", KeyType::number, false, "greater than this, in the quantity's unit"},
    {"below", KeyType::number, false, "less than this"},
};
inline constexpr Key threshold_keys[] = {
    {"channel", KeyType::text, true, "address of a scalar channel"},
    {"threshold", KeyType::number, true, "value to pass, in the channel's unit"},
};
inline constexpr Key statistics_keys[] = {
    {"quantiles", KeyType::structure, false, "probabilities; default 0.05, 0.25, 0.5, 0.75, 0.95"},
    {"confidence", KeyType::share, false, "confidence of the intervals; default 0.95"},
    {"sensitivity", KeyType::boolean, false,
     "whether to show how strongly each quantity depends on each varied parameter; default false"},
};

inline constexpr Key results_keys[] = {
    {"keep", KeyType::structure, false,
     "a list of quantities, states, certificate, trajectories; default: all. Numbers and endings of instances and "
     "their "
     "parameters are always kept; statistics need the quantities"},
    {"trajectory_precision", KeyType::text, false,
     "fp64 or fp32: how a file holds trajectories; default: the precision of the run"},
    {"compression", KeyType::whole_number, false,
     "0 (default: none) to 9 (smallest and slowest): deflate over shuffled bytes, for all columns"},
};

// Quantities of the modes of an instance that is linearised at its equilibrium (host/mechanism/linear/modes.hpp), each
// with the number of a mode. In the order of LinearQuantity.
struct LinearQuantityDescription {
    const char *name, *unit, *meaning;
};
inline constexpr LinearQuantityDescription linear_quantities[] = {
    {"eigenfrequency_Hz", "Hz",
     "omega / 2 pi of a mode of small motions about the equilibrium, undamped where there is no damper, else that of "
     "the mode as it is damped: omega^2 is the product of its two roots. Modes are counted from 1 by rising frequency, "
     "rigid ones (0 Hz) among them; undefined where the mode grows away from the equilibrium"},
    {"eigenfrequency_rad_s", "rad/s", "the same omega in rad/s"},
    {"damping_ratio", "1",
     "of the same mode: minus the sum of its roots over 2 omega; 1 is critical, more is overdamped, below 0 it grows; "
     "undefined of a rigid mode"},
};

// In the order of Reduction.
inline constexpr std::span<const ReductionDescription> reductions = Reductions::descriptions;

inline constexpr const char* precision_names[] = {"fp64", "fp32"};
inline constexpr const char* kept_names[] = {"quantities", "states", "certificate", "trajectories"};
inline constexpr std::uint64_t strongest_compression = 9;
inline constexpr const char* dexp_inverse_names[] = {"cut", "full"};
inline constexpr const char* between_names[] = {"interpolated", "steps"};
inline constexpr const char* newton_names[] = {"full", "modified"};
inline constexpr const char* iteration_matrix_names[] = {"simplified", "exact"};
inline constexpr const char* start_names[] = {"shifted", "published"};
inline constexpr const char* initial_penetration_names[] = {"refuse", "project"};
inline constexpr const char* strikes_names[] = {"published", "within_step"};
inline constexpr const char* on_failure_names[] = {"continue", "stop", "retry"};

}  // namespace myriad::study
