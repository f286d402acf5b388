#include "host/backends/traced/trace_contact.hpp"

#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

template std::optional<TracedRun> trace_contact_in<double>(const Task& task, const KnownParameters& known,
                                                           graph::Rules rules);

}  // namespace myriad::backends
