#include "host/graph/program.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

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
          place_(program.size() + index(graph_.region_count()), -1),
          first_reader_(program.size() + 1, 0) {
        for (NodeId node = 0; node < graph_.size(); ++node)
            if (program_.is_live(node) && graph_.at(node).region == region && program_.stands_in_order(node))
                steps_.push_back(node);
        for (int inner = 1; inner < graph_.region_count(); ++inner)
            if (graph_.region(inner).parent == region && !program_.live_carried(inner).empty())
                steps_.push_back(~inner);
        const auto when_traced = [&](int step) { return step >= 0 ? 2 * step + 1 : 2 * graph_.region(~step).end; };
        std::sort(steps_.begin(), steps_.end(), [&](int a, int b) { return when_traced(a) < when_traced(b); });
        list_reads();
        list_readers();
    }
    void keep(NodeId value) { left_[index(value)] = always_read; }
    void write() {
        for (const int step : steps_)
            if (step < 0 || ends_a_value(step)) bring(step);
        for (const int step : steps_) bring(step);
    }

  private:
    static constexpr int always_read = std::numeric_limits<int>::max() / 2;
    struct Read {
        NodeId value;
        int given_by;  // the step
    };
    const Program& program_;
    const Graph& graph_;
    const int region_;
    std::vector<int>& order_;
    std::vector<int> steps_;  // as they were traced
    std::vector<int> left_;   // by value: readings to come
    std::vector<int> place_;  // by step: where it stands in `steps_`
    std::vector<Read> reads_;
    std::vector<std::size_t> first_read_;  // by place
    std::vector<int> readers_;
    std::vector<std::size_t> first_reader_;  // by value
    std::vector<char> is_done_;              // by place

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::size_t number(int step) const { return step >= 0 ? index(step) : program_.size() + index(~step); }
    std::size_t place(int step) const { return index(place_[number(step)]); }
    bool is_done(int step) const { return is_done_[place(step)] != 0; }
    // Values of this region that a step reads, each once.
    std::span<const Read> reads(int step) const {
        const std::size_t at = place(step);
        return std::span(reads_).subspan(first_read_[at], first_read_[at + 1] - first_read_[at]);
    }
    std::span<const int> readers(NodeId value) const {
        const std::size_t first = first_reader_[index(value)];
        return std::span(readers_).subspan(first, first_reader_[index(value) + 1] - first);
    }
    void list_reads() {
        is_done_.resize(steps_.size(), 0);
        for (std::size_t at = 0; at < steps_.size(); ++at) place_[number(steps_[at])] = static_cast<int>(at);
        std::vector<int> read_by(program_.size(), -1);  // by value: the place that read it last
        for (std::size_t at = 0; at < steps_.size(); ++at) {
            const int step = steps_[at];
            first_read_.push_back(reads_.size());
            const auto add = [&](NodeId value) {
                const int given_by = program_.step_of(value, region_);
                if (given_by == no_step || given_by == step || read_by[index(value)] == static_cast<int>(at)) return;
                read_by[index(value)] = static_cast<int>(at);
                reads_.push_back({value, given_by});
            };
            if (step >= 0)
                graph_.each_operand(step, add);
            else
                for (const NodeId value : program_.reads_[index(~step)]) add(value);
        }
        first_read_.push_back(reads_.size());
    }
    void list_readers() {
        for (const Read& read : reads_) ++left_[index(read.value)];
        for (std::size_t value = 0; value < program_.size(); ++value)
            first_reader_[value + 1] = first_reader_[value] + index(left_[value]);
        readers_.resize(reads_.size());
        std::vector<std::size_t> next = first_reader_;
        for (const int step : steps_)
            for (const Read& read : reads(step)) readers_[next[index(read.value)]++] = step;
    }
    bool ends_a_value(int step) const {
        return std::ranges::any_of(reads(step), [&](const Read& read) { return left_[index(read.value)] == 1; });
    }
    bool is_ready(int step) const {
        return std::ranges::all_of(reads(step), [&](const Read& read) { return is_done(read.given_by); });
    }
    // First what it reads.
    void bring(int wanted) {
        std::vector<int> stack{wanted};
        while (!stack.empty()) {
            const int step = stack.back();
            if (is_done(step) || is_ready(step)) {
                stack.pop_back(), append(step);
                continue;
            }
            const std::span<const Read> before = reads(step);
            for (auto read = before.rbegin(); read != before.rend(); ++read)
                if (!is_done(read->given_by)) stack.push_back(read->given_by);
        }
    }
    // Then what can read a value for the last time.
    void append(int first) {
        std::vector<int> work{first};
        while (!work.empty()) {
            const int step = work.back();
            work.pop_back();
            if (is_done(step)) continue;
            is_done_[place(step)] = 1, order_.push_back(step);
            for (const Read& read : reads(step)) --left_[index(read.value)];
            const auto take_readers = [&](NodeId value) {
                for (const int reader : readers(value))
                    if (reader >= 0 && !is_done(reader) && ends_a_value(reader) && is_ready(reader))
                        work.push_back(reader);
            };
            for (const Read& read : reads(step)) take_readers(read.value);
            if (step >= 0) take_readers(step);
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
