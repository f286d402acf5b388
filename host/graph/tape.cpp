#include "host/graph/tape.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace myriad::graph {

namespace {

struct Written {
    int start, first_slot;
};

// Writes the instructions of one program behind what a tape has.
class Writer {
  public:
    // `called`: the blocks of its graph.
    Writer(Tape& tape, const Program& program, int first_slot, const std::vector<Written>& called)
        : tape_(tape),
          program_(program),
          graph_(program.graph()),
          first_slot_(first_slot),
          first_table_(static_cast<std::int64_t>(tape.tables.size())),
          called_(called),
          slot_(static_cast<std::size_t>(graph_.size()), unset),
          wanted_(slot_.size(), unset),
          place_(slot_.size(), -1),
          owns_(slot_.size(), 0),
          ending_(program.events().size()),
          copies_(static_cast<std::size_t>(graph_.region_count())),
          heads_(copies_.size(), 0) {
        tape_.tables.insert(tape_.tables.end(), graph_.tables.begin(), graph_.tables.end());
        find_places();
        for (NodeId node = 0; node < graph_.size(); ++node) {
            const Node& n = graph_.at(node);
            if (n.is(Op::input)) slot_[index(node)] = first_slot_ + static_cast<int>(n.data);
            if (program.is_live(node) && program.last_use(node) >= 0)
                ending_[index(program.last_use(node))].push_back(node);
        }
        want_outputs();
        for (int at = 0; at < static_cast<int>(program.events().size()); ++at) write(at);
        emit(Control::stop);
    }

  private:
    static constexpr int unset = -1;
    Tape& tape_;
    const Program& program_;
    const Graph& graph_;
    const int first_slot_;
    const std::int64_t first_table_;
    const std::vector<Written>& called_;
    std::vector<int> slot_, wanted_, place_;  // by node; place: the event that computes it
    std::vector<char> owns_;                  // the slot, which is free after the last reading
    std::vector<std::vector<NodeId>> ending_;
    std::vector<std::vector<Carried>> copies_;  // by region: whose next value is moved
    std::vector<std::size_t> heads_;
    std::vector<int> free_;
    std::map<std::pair<bool, std::int64_t>, int> constants_;
    std::map<int, std::pair<NodeId, NodeId>> turns_;  // by event: sine and cosine, no_node where not live

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    const Node& at(NodeId node) const { return graph_.at(node); }
    int new_slot() {
        if (free_.empty()) return tape_.slots++;
        const int slot = free_.back();
        free_.pop_back();
        return slot;
    }
    Instruction& emit(Control control, int to = unset, int a = unset, std::int64_t data = 0) {
        tape_.code.push_back({static_cast<int>(control), to, unset, a, unset, unset, data});
        if (control == Control::move) ++tape_.moves;
        return tape_.code.back();
    }
    void move(int to, int from) {
        if (to != from) emit(Control::move, to, from);
    }
    int operand(NodeId node) {
        if (node == no_node) return unset;
        const Node& n = at(node);
        if (!n.is(Op::constant) && !n.is(Op::truth)) {
            if (slot_[index(node)] == unset) throw Refusal(n.line.text() + ": a value without a slot");
            return slot_[index(node)];
        }
        const auto [entry, is_new] =
            constants_.try_emplace({n.is_mask, n.data}, static_cast<int>(tape_.constants.size()));
        if (is_new) tape_.constants.push_back({n.is_mask ? static_cast<double>(n.data) : n.value(), n.is_mask});
        return ~entry->second;
    }

    // A sine and the cosine of its argument are computed at the first of both, results with their call.
    void find_places() {
        std::map<std::pair<NodeId, int>, int> first;
        for (int at_event = 0; at_event < static_cast<int>(program_.events().size()); ++at_event) {
            const Event event = program_.events()[index(at_event)];
            if (event.kind != Event::Kind::compute) continue;
            const Node& n = at(event.number);
            int& place = place_[index(event.number)];
            place = at_event;
            if (n.is(Op::sine) || n.is(Op::cosine)) {
                auto& shared = first.try_emplace({n.a, n.region}, at_event).first->second;
                if (half_of(shared, n.op) != no_node) shared = at_event;
                place = shared, half_of(place, n.op) = event.number;
            }
            if (n.is(Op::result)) place = place_[index(n.a)];
        }
    }
    NodeId& half_of(int turn, Op op) {
        auto& [sine, cosine] = turns_.try_emplace(turn, no_node, no_node).first->second;
        return op == Op::sine ? sine : cosine;
    }
    // A field's new value takes the place of the old one where nobody reads that later.
    void want_outputs() {
        std::map<std::int64_t, int> read_until;
        for (NodeId node = 0; node < graph_.size(); ++node)
            if (at(node).is(Op::input) && program_.is_live(node)) read_until[at(node).data] = program_.last_use(node);
        for (const Output& output : graph_.outputs) {
            const auto found = read_until.find(output.field);
            write_directly(output.node, 0, first_slot_ + static_cast<int>(output.field),
                           found == read_until.end() ? -1 : found->second);
        }
    }
    // Lets a value of a region be computed in a slot that is read until then. False: it has to be moved there.
    bool write_directly(NodeId node, int region, int slot, int read_until) {
        const Node& n = at(node);
        int& wanted = wanted_[index(node)];
        if (wanted != unset || n.region != region) return false;
        const bool is_left = n.is(Op::carried) && !program_.repeats(static_cast<int>(n.data));
        if (!is_left && place_[index(node)] < 0) return false;
        const int defined = is_left ? program_.begin_of(static_cast<int>(n.data)) : place_[index(node)];
        if (defined < read_until) return false;
        wanted = slot;
        return true;
    }

    void release(int at_event) {
        for (const NodeId node : ending_[index(at_event)])
            if (owns_[index(node)]) free_.push_back(slot_[index(node)]), owns_[index(node)] = 0;
    }
    int place_for(NodeId node) {
        int& slot = slot_[index(node)];
        if (wanted_[index(node)] != unset) return slot = wanted_[index(node)];
        owns_[index(node)] = 1;
        return slot = new_slot();
    }

    void write(int at_event) {
        const Event event = program_.events()[index(at_event)];
        if (event.kind == Event::Kind::compute) return compute(event.number, at_event);
        if (event.number > 0 && event.kind == Event::Kind::begin) begin(event.number, at_event);
        if (event.kind == Event::Kind::end) {
            if (event.number == 0) return store_outputs();
            end(event.number);
        }
        release(at_event);
    }
    void compute(NodeId node, int at_event) {
        const Node& n = at(node);
        if (n.is(Op::call)) return call(node, at_event);
        if (place_[index(node)] < at_event) return release(at_event);  // computed with another one
        Instruction instruction{static_cast<int>(n.op), unset, unset, operand(n.a), operand(n.b), operand(n.c), n.data};
        if (n.is(Op::table_place) || n.is(Op::table_offset)) instruction.data += first_table_;
        if (n.is(Op::table_coefficient)) instruction.data += 4 * first_table_;
        release(at_event);
        if (n.is(Op::sine) || n.is(Op::cosine)) {
            const auto [sine, cosine] = turns_.at(at_event);
            instruction.code = static_cast<int>(Op::sine);
            if (sine != no_node) instruction.to = place_for(sine);
            if (cosine != no_node) instruction.also = place_for(cosine);
        } else {
            instruction.to = place_for(node);
        }
        tape_.code.push_back(instruction);
    }
    void call(NodeId node, int at_event) {
        const Call& call = graph_.calls[index(static_cast<int>(at(node).data))];
        const auto [start, slots] = called_[index(call.block)];
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            move(slots + static_cast<int>(i), operand(call.arguments[i]));
        emit(Control::run_block, unset, unset, start);
        release(at_event);
        for (NodeId result = node + 1; result < graph_.size(); ++result)
            if (at(result).is(Op::result) && at(result).a == node && program_.is_live(result))
                move(place_for(result), slots + static_cast<int>(at(result).data));
    }

    void begin(int region, int at_event) {
        const bool repeats = program_.repeats(region);
        std::set<NodeId> taken;
        std::vector<std::pair<int, int>> moves;
        for (const Carried& carried : program_.live_carried(region)) {
            const NodeId first = carried.first;
            int& slot = slot_[index(carried.node)];
            int read_until = at_event;  // what lies in the slot before its next value
            const int last = program_.last_use(first);
            if (wanted_[index(carried.node)] != unset) {
                slot = wanted_[index(carried.node)];
                moves.push_back({slot, operand(first)});
            } else if (owns_[index(first)] && !taken.contains(first) &&
                       (last == at_event || (!repeats && last <= program_.end_of(region)))) {
                slot = slot_[index(first)], owns_[index(first)] = 0, owns_[index(carried.node)] = 1;
                taken.insert(first), read_until = last;
            } else {
                slot = new_slot(), owns_[index(carried.node)] = 1;
                moves.push_back({slot, operand(first)});
            }
            if (repeats) read_until = std::max(read_until, program_.last_use_in_turn(carried.node));
            if (!write_directly(carried.next, region, slot, read_until)) copies_[index(region)].push_back(carried);
        }
        move_at_once(moves);
        heads_[index(region)] = tape_.code.size();
        emit(Control::skip_unless_any, unset, operand(graph_.region(region).condition));
    }
    void end(int region) {
        std::vector<std::pair<int, int>> moves;
        for (const Carried& carried : copies_[index(region)])
            moves.push_back({slot_[index(carried.node)], operand(carried.next)});
        move_at_once(moves);
        const std::size_t head = heads_[index(region)];
        if (program_.repeats(region))
            emit(Control::back_if_any, unset, operand(graph_.region(region).condition),
                 static_cast<std::int64_t>(head) + 1);
        tape_.code[head].data = static_cast<std::int64_t>(tape_.code.size());
    }
    // As if all were read before the first is written.
    void move_at_once(std::vector<std::pair<int, int>> moves) {
        std::vector<int> kept;
        for (auto& [to, from] : moves) {
            const int source = from, target = to;
            const bool is_overwritten = std::any_of(moves.begin(), moves.end(), [&](const auto& other) {
                return other.first == source && other.first != target;
            });
            if (!is_overwritten) continue;
            kept.push_back(new_slot());
            move(kept.back(), from);
            from = kept.back();
        }
        for (const auto& [to, from] : moves) move(to, from);
        free_.insert(free_.end(), kept.begin(), kept.end());
    }
    void store_outputs() {
        std::vector<std::pair<int, int>> moves;
        for (const Output& output : graph_.outputs)
            moves.push_back({first_slot_ + static_cast<int>(output.field), operand(output.node)});
        move_at_once(moves);
    }
};

// Appends the blocks of a graph, and of these, and then the program itself.
Written append(Tape& tape, const Program& program, int fields) {
    const Graph& graph = program.graph();
    for (const Output& output : graph.outputs) fields = std::max(fields, static_cast<int>(output.field) + 1);
    const int first_slot = tape.slots;
    tape.slots += fields;
    std::vector<Written> called;
    for (const auto& block : graph.blocks) {
        int inputs = 0;
        for (NodeId node = 0; node < block->size(); ++node)
            if (block->at(node).is(Op::input)) inputs = std::max(inputs, static_cast<int>(block->at(node).data) + 1);
        called.push_back(append(tape, Program(*block), inputs));
    }
    const int start = static_cast<int>(tape.code.size());
    Writer(tape, program, first_slot, called);
    return {start, first_slot};
}

}  // namespace

Tape make_tape(const Program& program, int fields) {
    Tape tape;
    tape.format = program.graph().format, tape.fields = fields;
    tape.start = static_cast<std::size_t>(append(tape, program, fields).start);
    return tape;
}

}  // namespace myriad::graph
