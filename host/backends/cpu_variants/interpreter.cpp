// The interpreters of traced steps for one vector width; compiled once for each.
#include "host/graph/interpreter.hpp"

#include "host/backends/cpu_variants/interpreters.hpp"
#include "host/backends/cpu_variants/widest_numbers.hpp"

namespace myriad::backends {

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

graph::Interpreter MYRIAD_JOIN(MYRIAD_VARIANT, _interpreter)(graph::Format format) {
    return format == graph::Format::fp64 ? graph::interpreter<WidestDouble>() : graph::interpreter<WidestFloat>();
}

}  // namespace myriad::backends
