// The task and the results of a backend: an ensemble made ready, and a chunk of it done.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/system/launch.hpp"

namespace myriad::mechanism {
class Mechanism;
class VariedParameters;
}  // namespace myriad::mechanism

namespace myriad::backends {

// The names in the catalog under which the kernels of every mechanism stand: on a tree of joints, and on the charts of
// papers/.
inline constexpr const char* joint_mechanism_system = "mechanism_in_joint_coordinates";
inline constexpr const char* charted_mechanism_system = "mechanism_on_chart";

enum class Precision { fp64, fp32 };

// Kernels hold whole numbers in Reals: up to here they count without a gap, 2^53 and 2^24.
constexpr double largest_count(Precision precision) {
    return precision == Precision::fp32 ? 16'777'216.0 : 9'007'199'254'740'992.0;
}

struct Task {
    std::string system, chart, integrator;  // names of the catalog
    Precision precision = Precision::fp64;
    PlanTable plan{};
    Schedule schedule{};
    std::vector<double> parameters;  // of every parameter of the system; those that vary are ignored
    std::vector<double> thresholds;  // of every quantity
    std::vector<double> windows;     // [quantity][from_s, to_s], where the plan has any; may be empty where it has none
    // The mechanism of the two systems above: the kernels read its table, and `parameters` are those of the table.
    std::shared_ptr<const mechanism::Mechanism> mechanism;
    std::shared_ptr<const mechanism::VariedParameters> varied_parameters;  // of the mechanism
};

// Row lengths that follow from a task and its system.
struct Shape {
    int varied = 0, quantities = 0, observed = 0, rows = 0, state_channels = 0, invariants = 0;
    int record_fields = 0, sums = 0;  // sums: of the quantities, last in a record
};

// A chunk of finished instances, instance by instance: element [instance][...] of each array. A NaN is always the quiet
// one without payload, so that equal results have equal bits.
struct Chunk {
    std::uint64_t count = 0;
    std::vector<std::int32_t> status, reason, warnings;
    std::vector<std::int64_t> steps, rejected;
    std::vector<double> time_s;
    std::vector<double> initial_state, final_state;            // [count][state_channels]
    std::vector<double> invariants_initial, invariants_drift;  // [count][invariants]
    std::vector<double> quantities;                            // [count][quantities]
    // [count]: mechanism::Stability of equilibria, where the study asks for modes. No backend fills it, nor the
    // quantities of modes: host/ensemble/instances/linear_analysis.hpp.
    std::vector<std::int32_t> stability;
    std::vector<double> trajectory;  // [count][rows][observed], NaN where never reached
};

}  // namespace myriad::backends
