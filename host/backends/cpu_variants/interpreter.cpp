// The interpreter of traced steps for one vector width; compiled once for each.
#include "host/graph/interpreter.hpp"

#include "host/backends/cpu_variants/interpreters.hpp"

namespace myriad::backends {

#if defined(MYRIAD_SCALAR)
using Widest = double;
#elif defined(__AVX512F__)
using Widest = Pack<double, 8>;
#else
using Widest = Pack<double, 4>;
#endif

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

graph::Interpreter MYRIAD_JOIN(MYRIAD_VARIANT, _interpreter)() { return graph::interpreter<Widest>(); }

}  // namespace myriad::backends
