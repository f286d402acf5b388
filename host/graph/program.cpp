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

// Puts the steps of one region in order: nodes, and inner regions as a whole.
class Program::Sequence {
  public:
    Sequence(Program& program, int region)
        : program_(program),
          graph_(*program.graph_),
          region_(region),
          order_(program.order_[index(region)]),
          left_(program.size(), 0),
          is_done_(program.size() + index(graph_.region_count()), 0),
          readers_(program.size()) {
        for (NodeId node = 0; node < graph_.size(); ++node)
            if (program_.is_live(node) && graph_.at(node).region == region && program_.stands_in_order(node))
                steps_.push_back(node);
        for (int inner = 1; inner < graph_.region_count(); ++inner)
            if (graph_.region(inner).parent == region && !program_.live_carried(inner).empty())
                steps_.push_back(~inner);
        const auto when_traced = [&](int step) { return step >= 0 ? 2 * step + 1 : 2 * graph_.region(~step).end; };
        std::sort(steps_.begin(), steps_.end(), [&](int a, int b) { return when_traced(a) < when_traced(b); });
        for (const int step : steps_)
            each_read(step, [&](NodeId value) { ++left_[index(value)], readers_[index(value)].push_back(step); });
    }
    void keep(NodeId value) { left_[index(value)] = always_read; }
    void write() {
        for (const int step : steps_)
            if (step < 0 || ends_a_value(step)) bring(step);
        for (const int step : steps_) bring(step);
    }

  private:
    static constexpr int always_read = std::numeric_limits<int>::max() / 2;
    const Program& program_;
    const Graph& graph_;
    const int region_;
    std::vector<int>& order_;
    std::vector<int> steps_;  // as they were traced
    std::vector<int> left_;   // by value: readings to come
    std::vector<char> is_done_;
    std::vector<std::vector<int>> readers_;

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    char& is_done(int step) { return is_done_[step >= 0 ? index(step) : program_.size() + index(~step)]; }
    bool is_given_here(NodeId value) const { return program_.step_of(value, region_) != no_step; }
    // Values of this region that a step reads, each once.
    template <class Use>
    void each_read(int step, Use use) const {
        std::vector<NodeId> values;
        const auto add = [&](NodeId value) {
            if (is_given_here(value) && program_.step_of(value, region_) != step &&
                std::find(values.begin(), values.end(), value) == values.end())
                values.push_back(value);
        };
        if (step >= 0)
            graph_.each_operand(step, add);
        else
            for (const NodeId value : program_.reads_[index(~step)]) add(value);
        for (const NodeId value : values) use(value);
    }
    bool ends_a_value(int step) const {
        bool ends = false;
        each_read(step, [&](NodeId value) { ends = ends || left_[index(value)] == 1; });
        return ends;
    }
    std::vector<int> missing(int step) {
        std::vector<int> steps;
        each_read(step, [&](NodeId value) {
            const int given_by = program_.step_of(value, region_);
            if (!is_done(given_by)) steps.push_back(given_by);
        });
        return steps;
    }
    // First what it reads.
    void bring(int wanted) {
        std::vector<int> stack{wanted};
        while (!stack.empty()) {
            const int step = stack.back();
            const std::vector<int> before = is_done(step) ? std::vector<int>{} : missing(step);
            if (before.empty()) stack.pop_back(), append(step);
            stack.insert(stack.end(), before.rbegin(), before.rend());
        }
    }
    // Then what can read a value for the last time.
    void append(int first) {
        std::vector<int> work{first};
        while (!work.empty()) {
            const int step = work.back();
            work.pop_back();
            if (is_done(step)) continue;
            is_done(step) = 1, order_.push_back(step);
            std::vector<NodeId> touched;
            each_read(step, [&](NodeId value) { --left_[index(value)], touched.push_back(value); });
            if (step >= 0) touched.push_back(step);
            for (const NodeId value : touched)
                for (const int reader : readers_[index(value)])
                    if (reader >= 0 && !is_done(reader) && ends_a_value(reader) && missing(reader).empty())
                        work.push_back(reader);
        }
    }
};

void Program::sort() {
    for (int r = 0; r < graph_->region_count(); ++r) {
        Sequence sequence(*this, r);
        if (r == 0)
            for (const Output& output : graph_->outputs) sequence.keep(output.node);
        for (const Carried& carried : live_carried(r)) sequence.keep(carried.next);
        sequence.write();
    }
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
