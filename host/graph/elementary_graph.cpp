#include "host/graph/elementary_graph.hpp"

#include "host/graph/symbol.hpp"

namespace myriad::graph {

namespace {

template <class Number>
std::shared_ptr<const Graph> traced(Op op, Format format) {
    using Real = Symbol<Number>;
    const auto graph = std::make_shared<Graph>(format);
    Tracer tracer(*graph);
    const Real x = Real::of(tracer.build.input(0));
    std::vector<Real> results;
    if (op == Op::sine || op == Op::cosine) {
        const SineCosine<Real> both = myriad::sincos<Real>(x);
        results = {both.sine, both.cosine};
    } else if (op == Op::exponential) {
        results = {myriad::exp<Real>(x)};
    } else if (op == Op::arc_tangent) {
        results = {myriad::atan2<Real>(x, Real::of(tracer.build.input(1)))};
    }
    for (const Real& result : results)
        graph->outputs.push_back({static_cast<std::int64_t>(graph->outputs.size()), node_of(result)});
    return graph;
}

}  // namespace

std::shared_ptr<const Graph> elementary_graph(Op op, Format format) {
    return format == Format::fp64 ? traced<double>(op, format) : traced<float>(op, format);
}

}  // namespace myriad::graph
