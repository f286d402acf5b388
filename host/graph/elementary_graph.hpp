// Elementary functions as graphs of arithmetic: those of the kernels (kernels/math/elementary.hpp), traced.
#pragma once
#include <memory>

#include "host/graph/graph.hpp"

namespace myriad::graph {

constexpr bool has_elementary_graph(Op op) {
    return op == Op::sine || op == Op::cosine || op == Op::exponential || op == Op::arc_tangent;
}
// The first outputs are sine and cosine, for either; else there is one.
std::shared_ptr<const Graph> elementary_graph(Op op, Format format);

}  // namespace myriad::graph
