#include "host/graph/text/c_function.hpp"

#include <array>
#include <memory>

#include "host/graph/elementary_graph.hpp"
#include "host/graph/text/c_parts.hpp"
#include "host/graph/text/c_words.hpp"
#include "kernels/math/elementary.hpp"

namespace myriad::graph {

namespace {

std::string numbered(const char* name, std::int64_t number) { return name + std::to_string(number); }
std::string in_array(const std::string& name, std::int64_t number) { return name + "[" + std::to_string(number) + "]"; }

// Writes one program, what it calls before it.
class Function {
  public:
    using Name = std::function<std::string(std::int64_t)>;
    Function(CShared& shared, const Program& program, Name input, Name output, bool is_step)
        : shared_(shared),
          program_(program),
          graph_(program.graph()),
          input_(std::move(input)),
          output_(std::move(output)),
          is_step_(is_step),
          first_table_(shared.tables_count),
          parts_(program, [this](const Node& n) { return weight_of(n); }),
          ending_(program.events().size()),
          array_place_(index(graph_.size()), CParts::nowhere) {
        for (const Table& table : graph_.tables) shared_.tables += c_table(table, shared_.tables_count++);
        for (const auto& block : graph_.blocks) called_.push_back(written(*block, "APART"));
        inlines_ = parts_.weight() <= shared_.form.longest_straight;
        if (is_step_ && !inlines_) parts_.cut(shared_.form.longest_part);
        body_.resize(index(parts_.count()));
        for (NodeId node = 0; node < graph_.size(); ++node)
            if (program_.is_live(node) && program_.last_use(node) >= 0)
                ending_[index(program_.last_use(node))].push_back(node);
        for (int at_event = 0; at_event < static_cast<int>(ending_.size()); ++at_event) write(at_event);
    }
    bool inlines() const { return inlines_; }
    // The functions that it is cut into; then itself, behind its head.
    std::string parts() const {
        std::string text;
        for (std::size_t part = 1; part < body_.size(); ++part)
            text += "APART void part" + std::to_string(part) +
                    "(const double* __restrict fields, Real* __restrict s, Mask* __restrict m) {\n" + body_[part] +
                    "}\n";
        return text;
    }
    std::string body() const {
        std::string arrays;
        if (body_.size() > 1)
            arrays = "Real s[" + std::to_string(arrays_[0].size + 1) + "];\nMask m[" +
                     std::to_string(arrays_[1].size + 1) + "];\n";
        return arrays + body_[CParts::root];
    }
    static std::string written(CShared& shared, const Graph& graph, const char* attributes) {
        const Program program(graph);
        const Function function(
            shared, program, [](std::int64_t number) { return in_array("a", number); },
            [](std::int64_t number) { return in_array("r", number); }, false);
        const std::string name = numbered("f", shared.functions_count++);
        shared.functions += std::string(attributes) + " void " + name +
                            "(const Real* __restrict a, Real* __restrict r) {\n" + function.body() + "}\n";
        return name;
    }

  private:
    CShared& shared_;
    const Program& program_;
    const Graph& graph_;
    const Name input_, output_;
    const bool is_step_;
    const int first_table_;
    CParts parts_;
    bool inlines_ = true;                     // elementary functions
    std::vector<std::string> called_, body_;  // names of blocks; texts of parts
    // Numbers and masks that parts hand to each other.
    struct Array {
        std::size_t size = 0;
        std::vector<int> free = {};
    };
    std::array<Array, 2> arrays_{};
    std::vector<std::vector<NodeId>> ending_;  // by event: values that are read there for the last time
    std::vector<int> array_place_;             // by node

    const Node& at(NodeId node) const { return graph_.at(node); }
    int weight_of(const Node& n) { return inlines_ && has_elementary_graph(n.op) ? elementary(n.op).operations : 1; }

    std::string written(const Graph& graph, const char* attributes) { return written(shared_, graph, attributes); }
    const CShared::Elementary& elementary(Op op) {
        const auto [entry, is_new] = shared_.elementary.try_emplace(op == Op::cosine ? Op::sine : op);
        if (is_new) {
            const std::shared_ptr<const Graph> graph = elementary_graph(op, shared_.format);
            entry->second = {written(*graph, "ELEMENTARY"), Program(*graph).counts().all()};
        }
        return entry->second;
    }

    std::string constant(const Node& n) {
        return numbered(
            "k", static_cast<std::int64_t>(
                     shared_.constants.try_emplace({n.is_mask, n.data}, shared_.constants.size()).first->second));
    }
    std::string zero() { return constant({Op::constant}); }
    std::string value(NodeId node) {
        const Node& n = at(node);
        if (n.is(Op::constant) || n.is(Op::truth)) return constant(n);
        if (n.is(Op::input)) return n.is_mask ? "AS_MASK(" + input_(n.data) + ")" : input_(n.data);
        if (array_place_[index(node)] != CParts::nowhere)
            return in_array(n.is_mask ? "m" : "s", array_place_[index(node)]);
        return numbered("x", node);
    }
    // Begins a statement that gives a node its value.
    std::string definition(NodeId node, bool is_constant = true) {
        const bool is_mask = at(node).is_mask;
        if (parts_.is_handed_on(node)) {
            Array& array = arrays_[is_mask ? 1 : 0];
            int& place = array_place_[index(node)];
            if (array.free.empty())
                place = static_cast<int>(array.size++);
            else
                place = array.free.back(), array.free.pop_back();
            return value(node) + " = ";
        }
        return std::string(is_constant ? "const " : "") + (is_mask ? "Mask " : "Real ") + numbered("x", node) + " = ";
    }
    void release(int at_event) {
        for (const NodeId node : ending_[index(at_event)])
            if (array_place_[index(node)] != CParts::nowhere)
                arrays_[at(node).is_mask ? 1 : 0].free.push_back(array_place_[index(node)]);
    }

    void write(int at_event) {
        const auto [kind, number] = program_.events()[index(at_event)];
        const int part = parts_.part_of(at_event);
        std::string& to = body_[index(part)];
        // A part is called where its first event stands.
        if (part != CParts::root && to.empty())
            body_[CParts::root] += "part" + std::to_string(part) + "(fields, s, m);\n", to = "\n";
        if (kind == Event::Kind::compute) {
            if (parts_.place_of(number) == at_event) to += statement(number, at_event);
        } else if (number > 0) {
            to += kind == Event::Kind::begin ? begin(number) : end(number);
        } else if (kind == Event::Kind::end) {
            return to += outputs(), void();
        }
        release(at_event);
    }

    std::string statement(NodeId node, int at_event) {
        const Node& n = at(node);
        if (n.is(Op::call)) return call(node);
        if (n.is(Op::sine) || n.is(Op::cosine)) {
            std::string text = called(numbered("r", node), 2, elementary(Op::sine).name, {n.a});
            for (const Op op : {Op::sine, Op::cosine})
                for (NodeId other = 0; other < graph_.size(); ++other)
                    if (at(other).is(op) && parts_.place_of(other) == at_event)
                        text += definition(other) + numbered("r", node) + (op == Op::sine ? "[0];\n" : "[1];\n");
            return text;
        }
        if (n.is(Op::exponential) || n.is(Op::arc_tangent)) {
            const std::string results = numbered("r", node);
            std::vector<NodeId> arguments{n.a};
            if (n.b != no_node) arguments.push_back(n.b);
            return called(results, 1, elementary(n.op).name, arguments) + definition(node) + results + "[0];\n";
        }
        const std::string text = expression(n);
        return definition(node) + text + ";\n";
    }
    std::string called(const std::string& results, std::size_t count, const std::string& function,
                       const std::vector<NodeId>& arguments) {
        std::string text = "Real " + results + "[" + std::to_string(count) + "]; { const Real given[] = {";
        for (const NodeId argument : arguments)
            text += (at(argument).is_mask ? "AS_REAL(" + value(argument) + ")" : value(argument)) + ", ";
        return text + "}; " + function + "(given, " + results + "); }\n";
    }
    std::string call(NodeId node) {
        const Call& call = graph_.calls[index(static_cast<int>(at(node).data))];
        const std::string results = numbered("r", node);
        const std::size_t count = graph_.blocks[index(call.block)]->outputs.size();
        std::string text = called(results, count, called_[index(call.block)], call.arguments);
        for (NodeId result = node + 1; result < graph_.size(); ++result)
            if (at(result).is(Op::result) && at(result).a == node && program_.is_live(result)) {
                const std::string number = in_array(results, at(result).data);
                text += definition(result) + (at(result).is_mask ? "AS_MASK(" + number + ")" : number) + ";\n";
            }
        return text;
    }
    std::string expression(const Node& n) {
        const auto x = [&](NodeId node) { return node == no_node ? std::string() : value(node); };
        const std::string a = x(n.a), b = x(n.b), c = x(n.c);
        switch (n.op) {
            case Op::add:
                return a + " + " + b;
            case Op::subtract:
                return a + " - " + b;
            case Op::multiply:
                return a + " * " + b;
            case Op::divide:
                return a + " / " + b;
            case Op::negate:
                return "-" + a;
            case Op::fma:
                return "fma_of(" + a + ", " + b + ", " + c + ")";
            case Op::fnma:
                return "fma_of(-" + a + ", " + b + ", " + c + ")";
            case Op::fms:
                return "fma_of(" + a + ", " + b + ", -" + c + ")";
            case Op::fnms:
                return "fma_of(-" + a + ", " + b + ", -" + c + ")";
            case Op::square_root:
                return "root_of(" + a + ")";
            case Op::unsigned_zero:
                return a + " + " + zero();
            case Op::finite_term:
                return "fma_of(" + a + ", " + zero() + ", " + b + ")";
            case Op::nearest_integer: {
                const double grid = shared_.format == Format::fp64 ? myriad::Format<double>::integer_grid
                                                                   : myriad::Format<float>::integer_grid;
                const std::string k =
                    constant({Op::constant, no_node, no_node, no_node, __builtin_bit_cast(std::int64_t, grid)});
                return "(" + a + " + " + k + ") - " + k;
            }
            case Op::keep_bits:
            case Op::set_bits:
                return std::string(description_of(n.op).name) + "(" + a + ", (Bits)" +
                       std::to_string(static_cast<std::uint64_t>(n.data)) + "ULL)";
            case Op::shift_up:
            case Op::shift_down:
                return std::string(description_of(n.op).name) + "(" + a + ")";
            case Op::select:
                return "choose(" + a + ", " + b + ", " + c + ")";
            case Op::less:
                return "COMPARED(" + a + " < " + b + ")";
            case Op::less_equal:
                return "COMPARED(" + a + " <= " + b + ")";
            case Op::equal:
                return "COMPARED(" + a + " == " + b + ")";
            case Op::both:
                return a + " & " + b;
            case Op::either:
                return a + " | " + b;
            case Op::opposite:
                return "NEITHER(" + a + ")";
            case Op::table_place:
            case Op::table_offset:
                return numbered(description_of(n.op).name, first_table_ + n.data) + "(" + a + ", " + b + ")";
            case Op::table_coefficient:
                return numbered(description_of(n.op).name, first_table_ + n.data / 4) + "(" + a + ", " +
                       std::to_string(n.data % 4) + ")";
            default:
                throw Refusal(n.line.text() + ": C text has no " + description_of(n.op).name);
        }
    }

    std::string begin(int region) {
        std::string text;
        for (const Carried& carried : program_.live_carried(region)) {
            const std::string first = value(carried.first);
            text += definition(carried.node, false) + first + ";\n";
        }
        const std::string condition = value(graph_.region(region).condition);
        return text + (program_.repeats(region) ? "while (any(" : "if (any(") + condition + ")) {\n";
    }
    // As if all next values were read before the first is written.
    std::string end(int region) {
        std::string kept, moved;
        for (const Carried& carried : program_.live_carried(region)) {
            std::string next = value(carried.next);
            const Node& n = at(carried.next);
            if (n.is(Op::carried) && n.data == region) {
                const std::string name = numbered("t", carried.node);
                kept += std::string("const ") + (n.is_mask ? "Mask " : "Real ") + name + " = " + next + ";\n";
                next = name;
            }
            moved += value(carried.node) + " = " + next + ";\n";
        }
        return kept + moved + "}\n";
    }
    std::string outputs() {
        std::string kept, stored;
        for (const Output& output : graph_.outputs) {
            const Node& n = at(output.node);
            std::string from = value(output.node);
            if (n.is(Op::input) && is_step_) {
                const std::string name = numbered("o", output.field);
                kept += "const Real " + name + " = " + from + ";\n";
                from = name;
            }
            stored += output_(output.field);
            stored += " = " + (n.is_mask ? "AS_REAL(" + from + ")" : from) + ";\n";
        }
        return kept + stored;
    }
};

}  // namespace

std::string CShared::constants_text() const {
    std::string text;
    for (const auto& [bits, number] : constants) {
        const auto [is_mask, data] = bits;
        const bool is_long = !is_mask && format == Format::fp64 && (data & 0xffffffff) != 0;
        text += std::string(is_mask   ? "NUMBER Mask k"
                            : is_long ? "LONG_NUMBER Real k"
                                      : "NUMBER Real k") +
                std::to_string(number) + " = " +
                (is_mask ? "SAME_MASK(" + std::to_string(data) + ")"
                         : "SAME(" + c_number(__builtin_bit_cast(double, data)) + ")") +
                ";\n";
    }
    return text;
}

CStep c_step(CShared& shared, const Program& program, const std::function<std::string(std::int64_t)>& field) {
    const Function step(shared, program, field, field, true);
    return {step.parts(), step.body(), step.inlines()};
}

}  // namespace myriad::graph
