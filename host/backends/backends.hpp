// The list of backends, and one of them by its name.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/interface/backend.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends {

// Every backend of the project, in the order in which `auto` tries them: cuda, cpu, reference.
std::vector<Availability> backends();
// `auto` takes the first available one. Throws UserError (exit code 3) in one sentence where a backend is not there.
std::unique_ptr<Backend> make_backend(const std::string& name, const Settings& settings);
// `count` instances in the memory of the backend `name` (auto, cuda or cpu), begun and to be advanced step by step;
// `varied` holds [field][count]. `auto` goes on with the CPU where the GPU does not take the task. Throws UserError as
// above, and where a backend has none in memory.
StepByStep step_by_step(const std::string& name, const Settings& settings, const Task& task, std::uint64_t count,
                        const double* varied);
// Settings that were given and change nothing where this backend runs the task, a sentence each.
std::vector<std::string> idle_settings(const std::string& name, const Settings& settings, const Task& task);
// The notice of a run that goes on with the CPU.
std::string not_on_the_gpu(const UserError& error);
// The one that shares no code with it: the reference path of the kernels, and the kernels of the reference path.
std::string twin_of(const std::string& name);

}  // namespace myriad::backends
