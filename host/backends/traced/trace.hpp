// The step of a study as a graph: what a mechanism in joint coordinates does.
#pragma once
#include <optional>
#include <vector>

#include "host/graph/builder.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

// Inputs are the fields of a record, in the order of kernels/run/record.hpp. Behind them the step hands out the numbers
// of a row; the end of a launch takes and hands out the final states, then the quantities.
struct TracedRun {
    graph::Graph step, end;
    int record_fields = 0, step_fields = 0, end_fields = 0;
    // Whether the step may leave an instance behind, with status_behind: kernels on numbers then take its step.
    bool leaves_behind = false;
};

// Fields of Progress, which stand behind the varied parameters.
constexpr int steps_of_progress = 1, rejected_of_progress = 2, rows_of_progress = 3, status_of_progress = 4;

// Values of varied parameters that are known while a step is traced, in the order of the record's first fields: NaN
// where none is. Empty: nothing is known.
using KnownParameters = std::vector<double>;

// Values that the structure of the mechanism gives all instances; an instance with special numbers may differ.
KnownParameters known_parameters(const Task& task);

// False for body coordinates, and in single precision jumps of drivers in mechanisms with tables.
bool is_traced(const Task& task);

// Compilers are good at texts of up to so many operations.
inline constexpr int most_compiled_operations = 20'000;

// Traces the run of a mechanism on a chart of papers/. Nothing in a build without papers/.
std::optional<TracedRun> trace_on_chart(const Task& task, const KnownParameters& known, graph::Rules rules);

// Nothing where is_traced() is false.
std::optional<TracedRun> trace_run(const Task& task, const KnownParameters& known = {},
                                   graph::Rules rules = graph::Rules::all());

}  // namespace myriad::backends
