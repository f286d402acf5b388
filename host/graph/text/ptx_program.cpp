#include <optional>
#include <set>

#include "host/graph/elementary_graph.hpp"
#include "host/graph/text/ptx_statements.hpp"
#include "kernels/math/elementary.hpp"

namespace myriad::graph {

class PtxStatements::OfProgram {
  public:
    OfProgram(PtxStatements& to, const Program& program, const Input& input, const InPlace& in_place)
        : to_(to),
          program_(program),
          graph_(program.graph()),
          input_(input),
          in_place_(in_place),
          first_table_(to.first_tables_.try_emplace(&graph_, to.tables_.size()).first->second),
          operands_(place(graph_.size())),
          same_as_(operands_.size(), no_node),
          truth_(operands_.size()) {
        if (first_table_ == to.tables_.size())
            to.tables_.insert(to.tables_.end(), graph_.tables.begin(), graph_.tables.end());
        for (NodeId node = 0; node < graph_.size(); ++node)
            if (at(node).is(Op::truth)) truth_[place(node)] = at(node).data == 1;
        for (const auto& [node, field] : in_place_.carried) memory_.insert(field);
    }
    std::vector<Value> written() {
        for (const auto& [kind, number] : program_.events()) {
            if (kind == Event::Kind::compute)
                compute(number);
            else if (number > 0)
                kind == Event::Kind::begin ? begin(number) : end(number);
        }
        std::vector<Value> values;
        for (const Output& output : graph_.outputs) {
            const Node& n = at(meant(output.node));
            const bool stays = in_memory(output.node) == output.field;
            values.push_back({stays ? "" : operand(output.node), n.is_mask, n.is(Op::input)});
        }
        return values;
    }

  private:
    using Kind = PtxStatements::Kind;
    struct Open {
        std::string top, end;
        std::vector<NodeId> learned;  // masks that are known inside
    };
    PtxStatements& to_;
    const Program& program_;
    const Graph& graph_;
    const Input& input_;
    const InPlace& in_place_;
    std::set<std::int64_t> memory_;  // fields in place
    const std::size_t first_table_;
    std::vector<std::string> operands_;
    std::vector<NodeId> same_as_;             // by node: where a known mask makes it equal to another one
    std::vector<std::optional<bool>> truth_;  // of masks that are known
    std::vector<Open> open_;
    std::map<std::pair<NodeId, int>, std::vector<Value>> turns_;  // sine and cosine, by argument and region
    std::map<NodeId, std::vector<Value>> results_;                // by call

    static std::size_t place(int node) { return static_cast<std::size_t>(node); }
    const Node& at(NodeId node) const { return graph_.at(node); }
    static Kind kind_of(const Node& n) { return n.is_mask ? Kind::mask : Kind::number; }
    std::string typed(const char* instruction) const { return std::string(instruction) + "." + to_.number_type(); }
    std::string move_of(const Node& n) const { return n.is_mask ? "mov.pred" : typed("mov"); }

    NodeId meant(NodeId node) const {
        while (same_as_[place(node)] != no_node) node = same_as_[place(node)];
        return node;
    }
    std::optional<bool> truth(NodeId mask) const { return truth_[place(meant(mask))]; }
    std::string operand(NodeId node) {
        node = meant(node);
        const Node& n = at(node);
        if (n.is(Op::constant)) return to_.number(n.value());
        if (n.is_mask && truth(node)) return to_.computed(Kind::mask, "mov.pred", {*truth(node) ? "-1" : "0"});
        if (const std::optional<std::int64_t> field = in_memory(node)) return input_(*field);
        return n.is(Op::input) ? input_(n.data) : operands_[place(node)];
    }
    // The field in whose place it lies.
    std::optional<std::int64_t> in_memory(NodeId node) const {
        const Node& n = at(node);
        if (n.is(Op::input)) return memory_.contains(n.data) ? std::optional(n.data) : std::nullopt;
        const auto found = in_place_.carried.find(node);
        return found == in_place_.carried.end() ? std::nullopt : std::optional(found->second);
    }
    // What follows from a region's condition.
    void learn(NodeId mask, bool is_true, std::vector<NodeId>& learned) {
        mask = meant(mask);
        if (truth(mask)) return;
        truth_[place(mask)] = is_true, learned.push_back(mask);
        const Node& n = at(mask);
        if (n.is(Op::opposite)) learn(n.a, !is_true, learned);
        if (n.is(is_true ? Op::both : Op::either)) learn(n.a, is_true, learned), learn(n.b, is_true, learned);
    }

    void begin(int region) {
        const Region& its = graph_.region(region);
        Open open{to_.new_label(), to_.new_label(), {}};
        for (const Carried& carried : program_.live_carried(region)) {
            const Node& n = at(carried.node);
            if (in_memory(carried.node)) continue;
            const std::string first = operand(carried.first);
            operands_[place(carried.node)] = to_.computed(kind_of(n), move_of(n), {first});
        }
        if (truth(its.condition) != true) to_.line("@!" + operand(its.condition) + " bra", {open.end});
        if (program_.repeats(region)) to_.label(open.top);
        learn(its.condition, true, open.learned);
        open_.push_back(std::move(open));
    }
    // As if all next values were read before the first is written.
    void end(int region) {
        std::vector<std::pair<const Carried*, std::string>> next;
        const std::vector<Carried> all = program_.live_carried(region);
        for (const Carried& carried : all) {
            const Node& n = at(meant(carried.next));
            if (meant(carried.next) == carried.node) continue;
            const std::optional<std::int64_t> field = in_memory(carried.node);
            if (field && in_memory(meant(carried.next)) == field) continue;
            std::string value = operand(carried.next);
            if (n.is(Op::carried) && n.data == region) value = to_.computed(kind_of(n), move_of(n), {value});
            next.push_back({&carried, value});
        }
        for (const auto& [carried, value] : next)
            if (const std::optional<std::int64_t> field = in_memory(carried->node))
                in_place_.store(*field, value);
            else
                to_.line(move_of(at(carried->node)), {operands_[place(carried->node)], value});
        const Open open = std::move(open_.back());
        open_.pop_back();
        for (const NodeId mask : open.learned) truth_[place(mask)].reset();
        if (program_.repeats(region)) to_.line("@" + operand(graph_.region(region).condition) + " bra", {open.top});
        to_.label(open.end);
    }

    void compute(NodeId node) {
        const Node& n = at(node);
        if (n.is(Op::select) || joins_masks(n.op)) {
            if (decided(node)) return;
        } else if (n.is(Op::result)) {
            return set(node, results_.at(n.a)[place(static_cast<int>(n.data))].operand);
        } else if (n.is(Op::call)) {
            return call(node);
        } else if (n.is(Op::sine) || n.is(Op::cosine)) {
            return set(node, turn(n)[n.is(Op::sine) ? 0 : 1].operand);
        } else if (n.is(Op::exponential)) {
            return set(node, elementary(n.op, {operand(n.a)}).front().operand);
        } else if (n.is(Op::arc_tangent)) {
            const std::string a = operand(n.a), b = operand(n.b);
            return set(node, elementary(n.op, {a, b}).front().operand);
        }
        set(node, value(n));
    }
    // Sine and cosine, which an outer region may have already.
    const std::vector<Value>& turn(const Node& n) {
        for (int region = n.region; region >= 0; region = graph_.region(region).parent)
            if (const auto found = turns_.find({n.a, region}); found != turns_.end()) return found->second;
        return turns_[{n.a, n.region}] = elementary(Op::sine, {operand(n.a)});
    }
    void set(NodeId node, const std::string& operand) { operands_[place(node)] = operand; }

    // Whether a choice, or a mask of masks, follows from known masks.
    bool decided(NodeId node) {
        const Node& n = at(node);
        const std::optional<bool> a = truth(n.a);
        const auto is = [&](bool truth) { truth_[place(node)] = truth; };
        // Memory may change before the last reading.
        const auto equals = [&](NodeId other) {
            if (in_memory(meant(other)))
                set(node, operand(other));
            else
                same_as_[place(node)] = other;
        };
        if (n.is(Op::select)) {
            if (a) equals(*a ? n.b : n.c);
            return a.has_value();
        }
        if (n.is(Op::opposite)) {
            if (a) is(!*a);
            return a.has_value();
        }
        const bool deciding = n.is(Op::either);
        const std::optional<bool> b = truth(n.b);
        if (a == deciding || b == deciding)
            is(deciding);
        else if (a)
            equals(n.b);
        else if (b)
            equals(n.a);
        return a || b;
    }

    std::vector<Value> elementary(Op op, const std::vector<std::string>& arguments) {
        auto found = to_.elementary_.find(op);
        if (found == to_.elementary_.end())
            found = to_.elementary_.try_emplace(op, elementary_graph(op, to_.format)).first;
        return to_.write(found->second.program, [&](std::int64_t i) { return arguments[static_cast<std::size_t>(i)]; });
    }
    void call(NodeId node) {
        const Call& call = graph_.calls[place(static_cast<int>(at(node).data))];
        const std::shared_ptr<const Graph>& graph = graph_.blocks[place(call.block)];
        const Program& block = to_.blocks_.try_emplace(graph.get(), graph).first->second.program;
        std::vector<std::string> arguments;
        for (const NodeId argument : call.arguments) arguments.push_back(operand(argument));
        std::vector<Value>& results = results_[node];
        results = to_.write(block, [&](std::int64_t i) { return arguments[static_cast<std::size_t>(i)]; });
        // A register of an argument may change before the result is read.
        for (Value& value : results)
            if (value.is_input)
                value.operand = value.is_mask ? to_.computed(Kind::mask, "mov.pred", {value.operand})
                                              : to_.computed(Kind::number, typed("mov"), {value.operand});
    }

    std::string value(const Node& n) {
        const auto number = [&](const std::string& instruction, const std::vector<std::string>& operands) {
            return to_.computed(Kind::number, instruction, operands);
        };
        const auto mask = [&](const std::string& instruction, const std::vector<std::string>& operands) {
            return to_.computed(Kind::mask, instruction, operands);
        };
        std::vector<std::string> x;
        for (const NodeId node : {n.a, n.b, n.c})
            if (node != no_node) x.push_back(operand(node));
        const auto negated = [&](std::size_t i) { return number(typed("neg"), {x[i]}); };
        switch (n.op) {
            case Op::add:
                return number(typed("add.rn"), x);
            case Op::subtract:
                return number(typed("sub.rn"), x);
            case Op::multiply:
                return number(typed("mul.rn"), x);
            case Op::divide:
                return number(typed("div.rn"), x);
            case Op::negate:
                return negated(0);
            case Op::fma:
                return number(typed("fma.rn"), x);
            case Op::fnma:
                return number(typed("fma.rn"), {negated(0), x[1], x[2]});
            case Op::fms:
                return number(typed("fma.rn"), {x[0], x[1], negated(2)});
            case Op::fnms:
                return number(typed("fma.rn"), {negated(0), x[1], negated(2)});
            case Op::square_root:
                return number(typed("sqrt.rn"), x);
            case Op::unsigned_zero:
                return number(typed("add.rn"), {x[0], to_.number(0.0)});
            case Op::finite_term:
                return number(typed("fma.rn"), {x[0], to_.number(0.0), x[1]});
            case Op::nearest_integer: {
                const std::string grid = to_.number(to_.format == Format::fp64 ? myriad::Format<double>::integer_grid
                                                                               : myriad::Format<float>::integer_grid);
                return number(typed("sub.rn"), {number(typed("add.rn"), {x[0], grid}), grid});
            }
            case Op::keep_bits:
                return of_bits("and.b", x[0], std::to_string(bits_in_format(n.data)));
            case Op::set_bits:
                return of_bits("or.b", x[0], std::to_string(bits_in_format(n.data)));
            case Op::shift_up:
                return of_bits("shl.b", x[0], fraction_bits());
            case Op::shift_down:
                return of_bits("shr.s", x[0], fraction_bits());
            case Op::select:
                return number(typed("selp"), {x[1], x[2], x[0]});
            case Op::less:
                return mask(typed("setp.lt"), x);
            case Op::less_equal:
                return mask(typed("setp.le"), x);
            case Op::equal:
                return mask(typed("setp.eq"), x);
            case Op::both:
                return mask("and.pred", x);
            case Op::either:
                return mask("or.pred", x);
            case Op::opposite:
                return mask("not.pred", x);
            case Op::table_place:
                return to_.table_place(table(n.data), x[0], x[1]);
            case Op::table_offset:
                return to_.table_offset(table(n.data), x[0], x[1]);
            case Op::table_coefficient:
                return to_.table_coefficient(table(n.data / 4), x[0], static_cast<int>(n.data % 4));
            default:
                throw Refusal(n.line.text() + ": PTX has no " + description_of(n.op).name);
        }
    }
    std::size_t table(std::int64_t number) const { return first_table_ + static_cast<std::size_t>(number); }
    const char* fraction_bits() const { return to_.format == Format::fp64 ? "52" : "23"; }
    std::int64_t bits_in_format(std::int64_t bits) const {
        return to_.format == Format::fp64 ? bits : static_cast<std::int32_t>(bits);
    }
    std::string of_bits(const std::string& instruction, const std::string& x, const std::string& other) {
        const std::string width = std::to_string(8 * to_.number_bytes());
        const Kind kind = to_.format == Format::fp64 ? Kind::address : Kind::integer;
        const std::string bits = to_.computed(kind, "mov.b" + width, {x});
        return to_.computed(Kind::number, "mov.b" + width, {to_.computed(kind, instruction + width, {bits, other})});
    }
};

std::vector<PtxStatements::Value> PtxStatements::write(const Program& program, const Input& input,
                                                       const InPlace& in_place) {
    return OfProgram(*this, program, input, in_place).written();
}

}  // namespace myriad::graph
