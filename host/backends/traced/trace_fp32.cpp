#include "host/backends/traced/trace_run.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

template std::optional<TracedRun> trace_in<float>(const Task& task, const KnownParameters& known, graph::Rules rules);

}  // namespace myriad::backends
