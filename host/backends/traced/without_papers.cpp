#include "host/backends/traced/trace.hpp"

namespace myriad::backends {

std::optional<TracedRun> trace_on_chart(const Task&, const KnownParameters&, graph::Rules) { return std::nullopt; }

}  // namespace myriad::backends
