#include "host/graph/tracer.hpp"

#include <algorithm>
#include <exception>

namespace myriad::graph {

namespace {
thread_local Tracer* present_tracer = nullptr;
thread_local long long births = 0;
constexpr int most_passes = 20;
}  // namespace

Variable::Variable(bool mask, NodeId its_node) : node(its_node), birth(++births), is_mask(mask) {}
Variable& Variable::operator=(const Variable& other) {
    const NodeId value = other.node;
    if (present_tracer)
        present_tracer->assign(*this, value);
    else
        node = value;
    return *this;
}

Tracer::Tracer(Graph& graph, Rules rules) : build(graph, rules), before_(present_tracer), birth_(++births) {
    present_tracer = this;
    behind_.emplace(true);
}
Tracer::~Tracer() { present_tracer = before_; }
Tracer& Tracer::present() {
    if (!present_tracer) throw Refusal("a Symbol is used while nothing is traced");
    return *present_tracer;
}

NodeId Tracer::read(const Variable& variable) const {
    if (variable.birth < birth_) throw Refusal(graph().line.text() + ": a Symbol of another trace is read");
    if (variable.node != no_node) return variable.node;
    return variable.is_mask ? Builder(build).truth(false) : Builder(build).constant(0.0);
}

void Tracer::assign(Variable& variable, NodeId node) {
    if (variable.birth < birth_) throw Refusal(graph().line.text() + ": a Symbol of another trace is assigned");
    if (!frames_.empty() && variable.birth <= frames_.back().birth) {
        Frame& frame = frames_.back();
        if (frame.place.try_emplace(&variable, frame.changed.size()).second)
            frame.changed.push_back({&variable, variable.node});
    }
    variable.node = node;
}

bool Tracer::decide(const Variable& mask, Line line) const {
    const NodeId node = read(mask);
    if (!build.is_known(node)) throw Refusal(line.text() + ": a branch on data; write it with MYRIAD_WHEN");
    return build.is_true(node);
}

void Tracer::leave_behind(const Variable& mask, Line line) {
    graph().line = line;
    assign(*behind_, build.either(read(*behind_), read(mask)));
}

int Tracer::open(RegionKind kind, NodeId condition) {
    const int region = graph().open(kind, condition);
    frames_.push_back({births, region, {}, {}});
    return region;
}

std::vector<NodeId> Tracer::restore(Frame& frame) const {
    std::vector<NodeId> now;
    for (const auto& [variable, before] : frame.changed) now.push_back(variable->node), variable->node = before;
    return now;
}

Tracer::Values Tracer::call(const std::string& name, const Values& arguments,
                            const std::function<Values(const Values&)>& body) {
    std::string key = name;
    Values given;
    for (const NodeId argument : arguments) {
        const Node& node = graph().at(argument);
        if (build.is_known(argument))
            key += " " + std::string(description_of(node.op).name) + std::to_string(node.data);
        else
            key += node.is_mask ? " mask" : " number", given.push_back(argument);
    }
    const auto [entry, is_new] = known_blocks_.try_emplace(key, static_cast<int>(graph().blocks.size()));
    if (is_new) {
        auto block = std::make_shared<Graph>(graph().format);
        Tracer inner(*block);
        Values inputs;
        int number = 0;
        for (const NodeId argument : arguments) {
            const Node& node = graph().at(argument);
            if (node.is(Op::constant))
                inputs.push_back(inner.build.constant(node.value()));
            else if (node.is(Op::truth))
                inputs.push_back(inner.build.truth(node.data == 1));
            else
                inputs.push_back(inner.build.input(number++, node.is_mask));
        }
        for (const NodeId output : body(inputs))
            block->outputs.push_back({static_cast<std::int64_t>(block->outputs.size()), output});
        graph().blocks.push_back(std::move(block));
    }
    const NodeId made = build.call(entry->second, given);
    const std::size_t count = graph().blocks[static_cast<std::size_t>(entry->second)]->outputs.size();
    Values results;
    for (std::size_t i = 0; i < count; ++i) results.push_back(build.result(made, static_cast<int>(i)));
    return results;
}

When::When(const Variable& mask, Line line) : unwinding_(std::uncaught_exceptions()) {
    Tracer& tracer = Tracer::present();
    tracer.graph().line = line;
    const NodeId node = tracer.read(mask);
    is_taken_ = !tracer.build.is_false(node);
    if (tracer.build.is_known(node)) return;
    tracer.open(RegionKind::when, node);
    is_open_ = true;
}
When::~When() noexcept(false) {
    if (is_open_ && std::uncaught_exceptions() == unwinding_) close();
}

void When::close() {
    Tracer& tracer = Tracer::present();
    Graph& graph = tracer.graph();
    Tracer::Frame frame = std::move(tracer.frames_.back());
    tracer.frames_.pop_back();
    const std::vector<NodeId> now = tracer.restore(frame);
    const Region& region = graph.region(frame.region);
    const bool has_regions = frame.region + 1 < graph.region_count();
    int nodes = 0;
    for (NodeId n = region.begin; n < graph.size(); ++n) nodes += graph.at(n).region == frame.region ? 1 : 0;
    if (!has_regions && nodes < tracer.fewest_nodes_of_region) {
        graph.dissolve();
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != frame.changed[i].second) tracer.assign(*frame.changed[i].first, now[i]);
        return;
    }
    std::map<std::pair<NodeId, NodeId>, NodeId> made;
    std::vector<std::pair<Variable*, NodeId>> leaving;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const auto [variable, before] = frame.changed[i];
        if (now[i] == before || now[i] == no_node) continue;
        const NodeId first = tracer.read(*variable);
        const auto [entry, is_new] = made.try_emplace({first, now[i]}, no_node);
        if (is_new) {
            entry->second = graph.carry(frame.region, first, variable->is_mask);
            graph.set_next(frame.region, region.carried.size() - 1, now[i]);
        }
        leaving.push_back({variable, entry->second});
    }
    graph.close();
    for (const auto& [variable, node] : leaving) tracer.assign(*variable, node);
}

Turns::Turns(Line line) : unwinding_(std::uncaught_exceptions()), line_(line) {}
Turns::~Turns() noexcept(false) {
    if (is_open_ && !has_ended_ && std::uncaught_exceptions() == unwinding_)
        throw Refusal(line_.text() + ": a loop is left by break or return");
}

bool Turns::go_on(const Variable& going) {
    Graph& graph = tracer().graph();
    graph.line = line_;
    const NodeId condition = tracer().read(going);
    if (passes_++ == 0) {
        if (tracer().build.is_false(condition)) return false;
        first_condition_ = condition, outer_ = graph.present(), mark_ = graph.mark();
        is_open_ = true;
        tracer().open(RegionKind::repeat, no_node);
        return true;
    }
    if (is_settled(graph.region(tracer().frames_.back().region))) {
        const Region& region = graph.region(tracer().frames_.back().region);
        const auto place = static_cast<std::size_t>(graph.at(region.condition).a);
        if (place == kept_.size() || kept_[place].variable->node == condition) {
            end(condition);
            return false;
        }
    }
    if (passes_ > most_passes) throw Refusal(line_.text() + ": a loop that does not settle");
    like_condition_ = nullptr;
    for (const Kept& kept : kept_)
        if (kept.variable->node == condition) like_condition_ = kept.variable;
    begin_pass();
    return true;
}

bool Turns::is_settled(const Region& region) {
    const Tracer::Frame& frame = tracer().frames_.back();
    bool is_settled = passes_ > 2;  // the first pass carried nothing
    std::vector<Kept> next;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        const Carried& carried = region.carried[i];
        const NodeId now = kept_[i].variable->node;
        if ((now == carried.node || now == carried.first) && !kept_[i].is_certain)
            dropped_.push_back(kept_[i].variable), is_settled = false;
        else
            next.push_back(kept_[i]);
    }
    for (const auto& change : frame.changed) {
        Variable* const variable = change.first;
        const auto is_same = [&](const Kept& kept) { return kept.variable == variable; };
        if (variable->node == change.second || std::any_of(kept_.begin(), kept_.end(), is_same)) continue;
        const bool was_dropped = std::find(dropped_.begin(), dropped_.end(), variable) != dropped_.end();
        next.push_back({variable, was_dropped}), is_settled = false;
    }
    if (!is_settled) kept_ = next;
    return is_settled;
}

// Leaves the pass as if it had not been, and begins the next one with carried variables.
void Turns::begin_pass() {
    Graph& graph = tracer().graph();
    tracer().restore(tracer().frames_.back());
    tracer().frames_.pop_back();
    graph.roll_back(mark_, outer_);
    const int region = tracer().open(RegionKind::repeat, no_node);
    NodeId shared = no_node;
    for (const Kept& kept : kept_) {
        const NodeId first = tracer().read(*kept.variable);
        const NodeId node = graph.carry(region, first, kept.variable->is_mask);
        tracer().assign(*kept.variable, node);
        if (kept.variable == like_condition_ && first == first_condition_) shared = node;
    }
    graph.set_condition(region, shared == no_node ? graph.carry(region, first_condition_, true) : shared);
}

void Turns::end(NodeId condition) {
    Graph& graph = tracer().graph();
    Tracer::Frame frame = std::move(tracer().frames_.back());
    tracer().frames_.pop_back();
    if (tracer().build.is_known(condition) && tracer().build.is_true(condition))
        throw Refusal(line_.text() + ": a loop that never ends");
    for (std::size_t i = 0; i < kept_.size(); ++i) graph.set_next(frame.region, i, tracer().read(*kept_[i].variable));
    const std::vector<Carried> carried = graph.region(frame.region).carried;
    if (carried.size() > kept_.size()) graph.set_next(frame.region, kept_.size(), condition);
    tracer().restore(frame);
    graph.close();
    for (std::size_t i = 0; i < kept_.size(); ++i) tracer().assign(*kept_[i].variable, carried[i].node);
    has_ended_ = true;
}

}  // namespace myriad::graph
