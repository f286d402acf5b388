// The interpreters of traced steps for one vector width; compiled once for each.
#include "host/graph/interpreter.hpp"

#include "host/backends/cpu_variants/interpreters.hpp"

namespace myriad::backends {

namespace {

#if defined(MYRIAD_SCALAR)
using WidestDouble = double;
using WidestFloat = float;
#elif defined(__AVX512F__)
using WidestDouble = Pack<double, 8>;
using WidestFloat = Pack<float, 16>;
#else
using WidestDouble = Pack<double, 4>;
using WidestFloat = Pack<float, 8>;
#endif

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

graph::Interpreter MYRIAD_JOIN(MYRIAD_VARIANT, _interpreter)(graph::Format format) {
    return format == graph::Format::fp64 ? graph::interpreter<WidestDouble>() : graph::interpreter<WidestFloat>();
}

}  // namespace myriad::backends
