// The backend that runs the Eigen twins, one instance after the other in one thread: for validation and replay.
#pragma once
#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

std::unique_ptr<Backend> make_reference_backend(const Settings& settings);

}  // namespace myriad::backends
