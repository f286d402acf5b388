// The source text of the two GPU kernels of a task, with its plan compiled in.
//
// In joint coordinates nothing is: one source serves every mechanism, and its kernels take the tables of the task
// (device_tables.hpp) as a second argument. Else compiled in are system, chart, integrator and precision, which
// parameters vary, what is reduced and what is observed. Values never are: steps, tolerances, thresholds and parameters
// come with the launch, so one compiled kernel serves every study of the same shape. The kernels are extern "C" and
// take one Launch<Number> by value:
//   begin_instances      slot i of the launch: initial state and first row of the trajectory
//   advance_instances    the same for at most `attempts` trial steps
// Their blocks are set by the macros MYRIAD_THREADS and MYRIAD_BLOCKS, which the compiler's options define.
#pragma once
#include <string>

#include "host/study/task.hpp"

namespace myriad::backends::cuda {

inline constexpr const char* begin_kernel = "begin_instances";
inline constexpr const char* advance_kernel = "advance_instances";

// Throws UserError where the catalog lacks what the task names.
std::string kernel_source(const Task& task);

// Whether the kernels of the task take its tables.
bool reads_tables(const Task& task);
// Whether the task is run by a method for contact.
bool has_contact(const Task& task);

}  // namespace myriad::backends::cuda
