#include "host/graph/text/carried_in_place.hpp"

namespace myriad::graph {

namespace {

class InPlaceFinder {
  public:
    explicit InPlaceFinder(const Program& program) : program_(program), graph_(program.graph()) {}
    std::map<NodeId, std::int64_t> found;

    // `node` has the value of a field behind its last region, `before` the value in front of its first one.
    void find(NodeId node, NodeId before, std::int64_t field) {
        std::vector<NodeId> chain;
        for (; !is(node, before, field); node = carried(node).first) {
            const Node& n = graph_.at(node);
            if (!n.is(Op::carried)) return;
            const int region = static_cast<int>(n.data);
            if (program_.repeats(region) || program_.last_use(carried(node).first) > program_.end_of(region)) return;
            chain.push_back(node);
        }
        for (const NodeId one : chain)
            if (!found.try_emplace(one, field).second) return;
        for (const NodeId one : chain) find(carried(one).next, carried(one).first, field);
    }

  private:
    const Program& program_;
    const Graph& graph_;

    bool is(NodeId node, NodeId before, std::int64_t field) const {
        if (before != no_node) return node == before;
        return graph_.at(node).is(Op::input) && graph_.at(node).data == field;
    }
    const Carried& carried(NodeId node) const {
        const Node& n = graph_.at(node);
        return graph_.region(static_cast<int>(n.data)).carried[static_cast<std::size_t>(n.a)];
    }
};

}  // namespace

std::map<NodeId, std::int64_t> carried_in_place(const Program& program) {
    InPlaceFinder finder(program);
    for (const Output& output : program.graph().outputs) finder.find(output.node, no_node, output.field);
    return finder.found;
}

}  // namespace myriad::graph
