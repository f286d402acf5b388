// The interpreters of traced steps, one for each vector width of the build.
#pragma once
#include "host/graph/tape_memory.hpp"

namespace myriad::backends {

graph::Interpreter scalar_interpreter();
graph::Interpreter avx2_interpreter();
graph::Interpreter avx512_interpreter();

}  // namespace myriad::backends
