// The interpreters of traced steps, for each vector width of the build one in each format.
#pragma once
#include "host/graph/tape_memory.hpp"

namespace myriad::backends {

graph::Interpreter scalar_interpreter(graph::Format format);
graph::Interpreter avx2_interpreter(graph::Format format);
graph::Interpreter avx512_interpreter(graph::Format format);

}  // namespace myriad::backends
