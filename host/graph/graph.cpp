#include "host/graph/graph.hpp"

#include <algorithm>
#include <cstring>

namespace myriad::graph {

std::size_t Graph::Hash::operator()(const Node& node) const {
    std::uint64_t hash = static_cast<std::uint64_t>(node.op);
    const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 0x9e3779b97f4a7c15ull, hash ^= hash >> 29; };
    mix(static_cast<std::uint64_t>(node.a)), mix(static_cast<std::uint64_t>(node.b));
    mix(static_cast<std::uint64_t>(node.c)), mix(static_cast<std::uint64_t>(node.data));
    return hash;
}

bool Graph::sees(int from, int of) const {
    for (; from >= 0; from = region(from).parent)
        if (from == of) return true;
    return false;
}

// The present region, or the outermost loop's parent up to which no operand changes.
int Graph::home_of(const Node& node, NodeId id) const {
    if (!is_computed(node.op) && node.op != Op::result) return 0;
    const auto all_seen_from = [&](int r) {
        bool is_seen = true;
        const auto look = [&](NodeId operand) { is_seen = is_seen && sees(r, at(operand).region); };
        if (node.op == Op::call)
            for (const NodeId argument : calls[static_cast<std::size_t>(node.data)].arguments) look(argument);
        for (const NodeId operand : {node.a, node.b, node.c})
            if (operand != no_node) look(operand);
        return is_seen;
    };
    static_cast<void>(id);
    int home = present_;
    if (!all_seen_from(home))
        throw Refusal(line.text() + ": a value of a region is read behind it, by " + description_of(node.op).name);
    while (region(home).kind == RegionKind::repeat && all_seen_from(region(home).parent)) home = region(home).parent;
    return home;
}

NodeId Graph::find(Node node) {
    const auto [entry, is_new] = known_.try_emplace(node, size());
    if (!is_new) return entry->second;
    try {
        return add_new(node);
    } catch (...) {
        known_.erase(entry);
        throw;
    }
}

NodeId Graph::add_new(Node node) {
    node.region = home_of(node, size());
    node.line = line;
    nodes_.push_back(node);
    return size() - 1;
}

int Graph::find_call(const Call& call) {
    const auto found = std::find(calls.begin(), calls.end(), call);
    if (found != calls.end()) return static_cast<int>(found - calls.begin());
    calls.push_back(call);
    return static_cast<int>(calls.size()) - 1;
}

int Graph::find_table(const Table& table) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const Table& known = tables[i];
        if (known.pieces.size() == table.pieces.size() && known.function.ends == table.function.ends &&
            known.function.corners == table.function.corners &&
            std::memcmp(known.pieces.data(), table.pieces.data(), table.pieces.size() * sizeof(PolynomialPiece)) == 0)
            return static_cast<int>(i);
    }
    tables.push_back(table);
    return static_cast<int>(tables.size()) - 1;
}

int Graph::open(RegionKind kind, NodeId condition) {
    regions_.push_back({kind, present_, condition, {}, line, size(), size()});
    return present_ = region_count() - 1;
}

NodeId Graph::carry(int region, NodeId first, bool is_mask) {
    Region& owner = region_at(region);
    Node node{Op::carried, static_cast<NodeId>(owner.carried.size()), no_node, no_node, region, is_mask};
    node.region = present_, node.line = line;
    nodes_.push_back(node);
    owner.carried.push_back({size() - 1, first, no_node});
    return size() - 1;
}

void Graph::close() {
    Region& closed = region_at(present_);
    for (NodeId n = closed.begin; n < size(); ++n)
        if (at(n).region == present_) forget(n);
    for (const Carried& carried : closed.carried) node_at(carried.node).region = closed.parent;
    closed.end = size();
    present_ = closed.parent;
}

void Graph::dissolve() {
    const Region dissolved = region(present_);
    for (NodeId n = dissolved.begin; n < size(); ++n)
        if (at(n).region == present_) node_at(n).region = dissolved.parent;
    regions_.pop_back();
    present_ = dissolved.parent;
}

void Graph::roll_back(const Mark& mark, int present) {
    for (NodeId n = mark.nodes; n < size(); ++n) forget(n);
    nodes_.resize(static_cast<std::size_t>(mark.nodes)), regions_.resize(static_cast<std::size_t>(mark.regions));
    present_ = present;
}

void Graph::forget(NodeId node) {
    const auto found = known_.find(at(node));
    if (found != known_.end() && found->second == node) known_.erase(found);
}

}  // namespace myriad::graph
