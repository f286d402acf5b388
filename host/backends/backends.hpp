// The list of backends, and one of them by its name.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

// Every backend of the project, in the order in which `auto` tries them: cuda, cpu, reference.
std::vector<Availability> backends();
// `auto` takes the first available one. Throws UserError (exit code 3) in one sentence where a backend is not there.
std::unique_ptr<Backend> make_backend(const std::string& name, const Settings& settings);
// Settings that were given and change nothing where this backend runs the task, a sentence each.
std::vector<std::string> idle_settings(const std::string& name, const Settings& settings, const Task& task);
// The one that shares no code with it: the reference path of the kernels, and the kernels of the reference path.
std::string twin_of(const std::string& name);

}  // namespace myriad::backends
