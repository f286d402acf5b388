// The backend that runs the reference implementation (Eigen), one instance after the other in one thread.
#pragma once
#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

std::unique_ptr<Backend> make_reference_backend(const Settings& settings);

}  // namespace myriad::backends
