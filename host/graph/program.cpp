#include "host/graph/program.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace myriad::graph {

namespace {
constexpr int no_step = std::numeric_limits<int>::max();
}

int Counts::of_group(Group group) const {
    int sum = 0;
    for (int op = 0; op < op_count; ++op)
        if (op_descriptions[op].group == group) sum += of[static_cast<std::size_t>(op)];
    return sum;
}
int Counts::all() const { return std::accumulate(of.begin(), of.end(), 0) - of_group(Group::leaf) + (*this)[Op::call]; }
Counts& Counts::operator+=(const Counts& other) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
    return *this;
}

Program::Program(const Graph& graph)
    : graph_(&graph), is_live_(size(), 0), last_use_(size(), -1), last_use_in_turn_(size(), -1) {
    const auto regions = static_cast<std::size_t>(graph.region_count());
    reads_.resize(regions), order_.resize(regions), begin_.resize(regions, -1), end_.resize(regions, -1);
    find_live();
    find_reads();
    sort();
    list_events(0);
    find_last_uses();
}

void Program::find_live() {
    std::vector<NodeId> work;
    std::vector<char> is_live_region(static_cast<std::size_t>(graph_->region_count()), 0);
    const auto need = [&](NodeId node) {
        if (node == no_node || is_live(node)) return;
        is_live_[static_cast<std::size_t>(node)] = 1, work.push_back(node);
    };
    const auto need_region = [&](int region) {
        for (; region > 0 && !is_live_region[static_cast<std::size_t>(region)]; region = graph_->region(region).parent)
            is_live_region[static_cast<std::size_t>(region)] = 1, need(graph_->region(region).condition);
    };
    for (const Output& output : graph_->outputs) need(output.node);
    while (!work.empty()) {
        const NodeId node = work.back();
        work.pop_back();
        const Node& n = graph_->at(node);
        if (n.is(Op::carried)) {
            const int owner = static_cast<int>(n.data);
            const Carried& carried = graph_->region(owner).carried[static_cast<std::size_t>(n.a)];
            need(carried.first), need(carried.next), need_region(owner);
        } else {
            graph_->each_operand(node, need);
            need_region(n.region);
        }
    }
}

std::vector<Carried> Program::live_carried(int region) const {
    std::vector<Carried> live;
    for (const Carried& carried : graph_->region(region).carried)
        if (is_live(carried.node)) live.push_back(carried);
    return live;
}

bool Program::stands_in_order(NodeId node) const {
    const Op op = graph_->at(node).op;
    return is_computed(op) || op == Op::result;
}

// The step in a region's sequence that gives a value: the node, or the inner region that it leaves; no_step: the
// value is there already.
int Program::step_of(NodeId node, int region) const {
    const Node& n = graph_->at(node);
    if (n.region != region) return no_step;
    if (n.is(Op::carried)) return ~static_cast<int>(n.data);
    return stands_in_order(node) ? node : no_step;
}

void Program::find_reads() {
    const auto read = [&](NodeId node, int region) {
        if (node == no_node) return;
        const int home = graph_->at(node).region;
        for (int r = region; r > 0 && r != home; r = graph_->region(r).parent)
            reads_[static_cast<std::size_t>(r)].push_back(node);
    };
    for (NodeId node = 0; node < graph_->size(); ++node)
        if (is_live(node)) graph_->each_operand(node, [&](NodeId operand) { read(operand, graph_->at(node).region); });
    for (int r = 1; r < graph_->region_count(); ++r) {
        const std::vector<Carried> carried = live_carried(r);
        if (carried.empty()) continue;
        read(graph_->region(r).condition, r);
        for (const Carried& c : carried) read(c.first, r), read(c.next, r);
    }
}

void Program::sort() {
    // Places that a node's operands need, as if the graph were a tree.
    std::vector<int> need(size(), 0);
    for (NodeId node = 0; node < graph_->size(); ++node) {
        if (!is_live(node) || !stands_in_order(node)) continue;
        std::vector<int> of;
        graph_->each_operand(node, [&](NodeId operand) { of.push_back(need[static_cast<std::size_t>(operand)]); });
        std::sort(of.rbegin(), of.rend());
        int most = 1;
        for (std::size_t i = 0; i < of.size(); ++i) most = std::max(most, of[i] + static_cast<int>(i));
        need[static_cast<std::size_t>(node)] = most;
    }
    std::vector<char> is_done(size(), 0), is_done_region(static_cast<std::size_t>(graph_->region_count()), 0);
    const auto done = [&](int step) -> char& {
        return step >= 0 ? is_done[static_cast<std::size_t>(step)] : is_done_region[static_cast<std::size_t>(~step)];
    };
    struct Waiting {
        int step;
        std::vector<int> before;
    };
    std::vector<Waiting> stack;
    const auto visit = [&](int first, int region) {
        const auto push = [&](int step) {
            std::vector<std::pair<int, int>> before;
            const auto wait_for = [&](NodeId operand) {
                const int given_by = step_of(operand, region);
                if (given_by != no_step && given_by != step)
                    before.push_back({need[static_cast<std::size_t>(operand)], given_by});
            };
            if (step >= 0)
                graph_->each_operand(step, wait_for);
            else
                for (const NodeId operand : reads_[static_cast<std::size_t>(~step)]) wait_for(operand);
            // The last is taken first.
            std::stable_sort(before.begin(), before.end(), [](auto& x, auto& y) { return x.first < y.first; });
            Waiting waiting{step, {}};
            for (const auto& [places, given_by] : before) waiting.before.push_back(given_by);
            stack.push_back(std::move(waiting));
        };
        if (first == no_step || done(first)) return;
        push(first);
        while (!stack.empty()) {
            std::vector<int>& before = stack.back().before;
            if (before.empty()) {
                const int step = stack.back().step;
                stack.pop_back();
                if (done(step)) continue;
                done(step) = 1;
                order_[static_cast<std::size_t>(region)].push_back(step);
            } else {
                const int next = before.back();
                before.pop_back();
                if (!done(next)) push(next);
            }
        }
    };
    for (const Output& output : graph_->outputs) visit(step_of(output.node, 0), 0);
    for (int r = 1; r < graph_->region_count(); ++r)
        for (const Carried& carried : live_carried(r)) visit(step_of(carried.next, r), r);
}

void Program::list_events(int region) {
    const auto r = static_cast<std::size_t>(region);
    begin_[r] = static_cast<int>(events_.size()), events_.push_back({Event::Kind::begin, region});
    for (const int step : order_[r])
        if (step < 0)
            list_events(~step);
        else
            events_.push_back({Event::Kind::compute, step});
    end_[r] = static_cast<int>(events_.size()), events_.push_back({Event::Kind::end, region});
}

void Program::find_last_uses() {
    const auto use = [&](NodeId node, int at, int region) {
        if (node == no_node) return;
        const Node& n = graph_->at(node);
        for (int r = region; r > 0 && r != n.region; r = graph_->region(r).parent) {
            if (n.is(Op::carried) && r == n.data) {
                int& in_turn = last_use_in_turn_[static_cast<std::size_t>(node)];
                in_turn = std::max(in_turn, at);
            }
            if (repeats(r)) at = std::max(at, end_of(r));
        }
        int& last = last_use_[static_cast<std::size_t>(node)];
        last = std::max(last, at);
    };
    for (int at = 0; at < static_cast<int>(events_.size()); ++at) {
        const Event event = events_[static_cast<std::size_t>(at)];
        if (event.kind == Event::Kind::compute) {
            const int region = graph_->at(event.number).region;
            graph_->each_operand(event.number, [&](NodeId operand) { use(operand, at, region); });
            continue;
        }
        const Region& region = graph_->region(event.number);
        for (const Carried& carried : live_carried(event.number)) {
            if (event.kind == Event::Kind::begin)
                use(carried.first, at, region.parent), use(region.condition, at, region.parent);
            else
                use(carried.next, at, event.number), use(carried.node, at, region.parent);
        }
    }
    for (const Output& output : graph_->outputs)
        last_use_[static_cast<std::size_t>(output.node)] = static_cast<int>(events_.size()) - 1;
}

Counts Program::counts(int region) const {
    Counts counts;
    for (const int step : order_[static_cast<std::size_t>(region)])
        if (step >= 0) ++counts.of[static_cast<std::size_t>(graph_->at(step).op)];
    return counts;
}
Counts Program::counts() const {
    Counts all;
    for (int r = 0; r < graph_->region_count(); ++r) all += counts(r);
    return all;
}

Program::ByUse Program::counts_by_use() const {
    ByUse sums;
    for (int r = 0; r < graph_->region_count(); ++r) {
        bool turns = false;
        for (int around = r; around > 0; around = graph_->region(around).parent) turns = turns || repeats(around);
        (r == 0 ? sums.always : turns ? sums.each_turn : sums.when_wanted) += counts(r);
    }
    return sums;
}

int Program::most_alive() const {
    std::vector<int> ending(events_.size() + 1, 0);
    int alive = 0, most = 0;
    const auto begins = [&](NodeId node) {
        if (last_use(node) < 0) return;
        ++alive, ++ending[static_cast<std::size_t>(last_use(node))];
        most = std::max(most, alive);
    };
    for (NodeId node = 0; node < graph_->size(); ++node)
        if (is_live(node) && graph_->at(node).is(Op::input)) begins(node);
    for (std::size_t at = 0; at < events_.size(); ++at) {
        const Event event = events_[at];
        if (event.kind == Event::Kind::compute && !graph_->at(event.number).is(Op::call)) begins(event.number);
        if (event.kind == Event::Kind::begin)
            for (const Carried& carried : live_carried(event.number)) begins(carried.node);
        alive -= ending[at];
    }
    return most;
}

}  // namespace myriad::graph
