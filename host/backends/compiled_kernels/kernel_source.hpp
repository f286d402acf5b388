// The source text of the GPU kernels of a task.
//
// A mechanism in joint coordinates takes its steps by the text of its traced step
// (host/backends/traced/traced_kernel.hpp), which includes nothing; all others by the kernels' templates, with the plan
// compiled in.
// Compiled in are then system, chart, integrator and precision, the mechanism, which parameters vary, what is reduced
// and what is observed, and no values: steps, tolerances, thresholds and parameters come with the launch. A mechanism
// is put together by a kernel in which none of this is compiled: one of a size class (kernel_capacity.hpp), which reads
// the tables of the task (device_tables.hpp), its second argument. The kernels are extern "C" and take one
// Launch<Number> by value:
//   begin_instances      slot i of the launch: initial state and first row of the trajectory
//   advance_instances    the same for at most `attempts` trial steps
//   advance_others       the same, of instances with other numbers than the traced step takes for constants
//   renew_instances      the same where parameters have changed; a source of its own, as few runs ask for it
// Their blocks are set by the macros MYRIAD_THREADS and MYRIAD_BLOCKS, which the compiler's options define.
#pragma once
#include <string>
#include <vector>

#include "host/study/task.hpp"

namespace myriad::backends::cuda {

inline constexpr const char* begin_kernel = "begin_instances";
inline constexpr const char* advance_kernel = "advance_instances";
inline constexpr const char* others_kernel = "advance_others";
inline constexpr const char* renew_kernel = "renew_instances";

// Beside the kernels of a run, `compiled`: `renewal` is the kernel that renews a memory, of any system, `others` the
// one of the instances that the traced step does not take, and `start` the one that begins the instances of a traced
// step.
enum class KernelForm { compiled, renewal, others, start };

// One source with both kernels, or one with each: `begin` first; of a traced step one kernel for each form. Throws
// UserError where the catalog lacks what the task names, and with exit code 3 where no step is traced, or one has
// more operations than a compiler is good at.
std::vector<std::string> kernel_sources(const Task& task, KernelForm form = KernelForm::compiled);

// Whether the task is run by a method for contact.
bool has_contact(const Task& task);

}  // namespace myriad::backends::cuda
