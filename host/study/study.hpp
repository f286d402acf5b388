// A study: what a study file asks for, checked, with every name resolved and every default filled in.
//
// The file is JSON with comments and trailing commas; its keys stand in study_keys.hpp, and `myriad schema study`
// prints them. Every error is a UserError (usage_or_input) that names the file and the JSON path.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/catalog/system_description.hpp"
#include "host/statistics/statistics.hpp"
#include "host/study/sampling/sampler.hpp"
#include "host/study/task.hpp"

namespace myriad::mechanism {
class Mechanism;
class VariedParameters;
enum class Coordinates;
}  // namespace myriad::mechanism

namespace myriad::study {

// Values that the command line puts over the file before anything is checked.
struct Overrides {
    // "integrator.step_s=1e-4", "parameters.mass_kg.normal.mean=3": the path, then JSON or, where it is none, plain
    // text. The file's JSON paths ("/integrator/step_s") are understood too.
    std::vector<std::string> assignments;
    std::optional<std::uint64_t> instances, seed;
    std::optional<std::string> precision;
};

// Reasons to read a study. The one in a result file holds the mechanism and the values that were used, and may come
// from anybody: to `repeat` its instances or for its `statistics` no other file is opened. A table's rows are not read,
// and the sampler is absent; a mechanism's path is refused. Statistics need no step: settings that this build refuses,
// but the one that wrote the result took, are passed over, and task() has no meaning.
enum class Purpose { run, repeat, statistics };

struct FixedSteps {
    double step_s = 0.0;
};
struct AdaptiveSteps {
    double relative_tolerance = 0.0, absolute_tolerance = 0.0;
    double initial_step_s = 0.0, smallest_step_s = 0.0, largest_step_s = 0.0;  // the largest one 0: not given
    std::uint64_t most_attempts = 0;
};

// Settings of implicit methods beside their fixed step.
struct NewtonSettings {
    double spectral_radius = 0.0, tolerance = 0.0;
    std::uint64_t most_iterations = 0;
    bool modified = false, tangent_operator = false, published_start = false, exact_matrix = false;
};

// The trajectory: one entry per address in the study; all scalars of all entries, in this order, are the columns that a
// backend observes.
struct Observation {
    std::uint64_t every_steps = 0;  // fixed-step methods; 0: nothing is observed
    double every_s = 0.0;           // of either kind of method
    std::uint64_t rows = 0;         // the initial state included
    std::vector<ChannelGroup> groups;
};

// Settings of methods for contact.
struct ContactSettings {
    double prox_tolerance = 0.0, gap_tolerance_m = 0.0, impact_threshold_N_s = 0.0, ed_alpha_ratio = 0.0;
    std::uint64_t most_prox_iterations = 0;
    bool project_penetration = false, strikes_within_step = false;
    std::optional<double> alpha_m, alpha_f;  // both or none
};

// States count from one time to the other, both included.
struct TimeWindow {
    double from_s = 0.0, to_s = 0.0;
};

// Of a mode about the equilibrium, in the order of linear_quantities (study_keys.hpp).
enum class LinearQuantity { frequency_Hz, frequency_rad_s, damping_ratio };
struct ModeQuantity {
    LinearQuantity kind;
    int mode;  // from 1
};

struct Quantity {
    std::string name;
    std::optional<ModeQuantity> of_mode;  // then there is no reduction
    Reduction reduction = Reduction::final;
    int channel = 0;  // or a norm: kernels/math/norm.hpp
    std::string channel_address;
    double threshold = 0.0;  // of first_time_above and first_time_below
    bool is_at_steps = false;
    std::string unit;
    std::optional<TimeWindow> window;  // where it is not the whole span
    std::optional<Event> event;        // where its probability is asked for
};

enum class OnFailure { proceed, stop, retry };

// What a result file holds beside the endings of instances and their parameters.
struct ResultSettings {
    bool keeps_quantities = true, keeps_states = true, keeps_certificate = true, keeps_trajectories = true;
    backends::Precision trajectory_precision = backends::Precision::fp64;
    int compression = 0;  // 0: none, to 9
};

// A parameter that differs from instance to instance: row i of the sampler. It is field i of a backend's records, but
// for a mechanism, whose kernel parameters follow from it (host/ensemble/instances/record_parameters.hpp).
struct VariedParameter {
    int parameter = 0;  // position in the system's description; of a mechanism: in its numbers
    std::string address, unit;
    std::string distribution;  // for reports: "normal(mean 78, standard deviation 2)", "column of the table"
};

struct Study {
    std::string file;  // as in messages
    std::string title, description;
    std::shared_ptr<const SystemDescription> system;
    std::shared_ptr<const mechanism::Mechanism> mechanism;  // null for a system of the catalog
    // For a mechanism; where the coordinates are not what was asked for, a part of a sentence that says why.
    mechanism::Coordinates coordinates{};
    std::string body_coordinates_because;
    std::string chart;
    IntegratorDescription integrator;
    double end_s = 0.0;
    FixedSteps fixed;                // where the integrator is not adaptive
    AdaptiveSteps adaptive;          // where it is
    bool full_dexp_inverse = false;  // of explicit methods that may cut it
    NewtonSettings newton;           // where it is implicit
    ContactSettings contact;         // where it is for contact
    backends::Precision precision = backends::Precision::fp64;

    std::uint64_t instances = 0;
    std::string design;  // "monte_carlo", "latin_hypercube", "sobol", "grid", "table"
    std::optional<std::uint64_t> seed, replicates;
    std::filesystem::path table_file;     // resolved against the study's folder
    bool rows_are_independent = false;    // of a table
    std::vector<double> parameters;       // of the system, in its order; meaningless where one varies
    std::vector<VariedParameter> varied;  // in the order of the system's parameters
    // For a mechanism: 1 where the study gives a number's value or distribution, and the parameters of the kernel that
    // then differ from instance to instance: field i of a backend's records is the i-th of them.
    std::vector<unsigned char> given;
    std::shared_ptr<const mechanism::VariedParameters> kernel_parameters;

    Observation observation;
    std::vector<Quantity> quantities;
    ResultSettings results;
    StatisticsSettings statistics;
    OnFailure on_failure = OnFailure::proceed;
    double allowed_failed_share = 0.0;

    // The whole study with every default, as JSON with sorted keys, but quantities and the entries of a mechanism in
    // their order: reading it gives the same study.
    std::string canonical_json;
    // For standard error, before the run: nothing is wrong, but a person may want to know.
    std::vector<std::string> warnings;

    // Of the mechanism in its coordinates; 0 for a system that is code.
    int constraint_rows() const;
    // That of its system and its integrator.
    std::vector<CertificateEntry> certificate() const { return certificate_of(*system, integrator); }

    // Whether instances are linearised at their equilibria.
    bool has_modes() const;
    // The reduction of a quantity and its channel, or a property and its mode: "max of position.top.z over all accepted
    // steps".
    static std::string meaning_of(const Quantity& quantity);

    bool has_sampler() const { return sampler_ != nullptr; }
    // Its addresses are those of `varied`. std::logic_error where the table was skipped.
    const Sampler& sampler() const;
    backends::Task task() const;
    // The times of the trajectory's rows, as the kernels reach them; empty where nothing is observed.
    std::vector<double> observation_times_s() const;
    // 128 bits as hexadecimal text over everything that determines the values of an instance, a table's numbers
    // included: not the title, the description, the statistics or the allowed share of failures.
    const std::string& fingerprint() const { return fingerprint_; }
    // That of the same study with this many instances, whose first ones are then the same as here; nothing where a
    // design of another size is another design (latin_hypercube, grid) or a table has fewer rows.
    std::optional<std::string> fingerprint_with(std::uint64_t other_instances) const;
    // The conclusions that the design allows from the instances, and whether their parameters may be correlated. A
    // table has them also where its rows were skipped.
    Intervals intervals() const {
        if (sampler_) return sampler_->intervals();
        return {rows_are_independent ? IntervalBasis::independent : IntervalBasis::undeclared, 1};
    }
    bool may_be_correlated() const { return !sampler_ || sampler_->may_be_correlated(); }

    std::shared_ptr<const Sampler> sampler_;
    std::string fingerprint_;
};

// Of a file, or of the bundled study of this name where there is no such file.
Study read_study(const std::filesystem::path& file, const Overrides& overrides = {});
// The same from a text; `name` stands for the file in messages, `folder` is where a table's path begins.
Study parse_study(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const Overrides& overrides = {}, Purpose purpose = Purpose::run);

// "continue", "stop", "retry"
const char* name_of(OnFailure policy);
const char* name_of(backends::Precision precision);  // "fp64", "fp32"
const char* name_of(Reduction reduction);            // "max", "first_time_above", ... as in a study

}  // namespace myriad::study
