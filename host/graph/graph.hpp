// The graph of one step: what is computed, from what, in which region; and, at the end, what is stored.
//
// A study's per-instance code runs once on Symbols (symbol.hpp). Each operation on them asks a Builder (builder.hpp)
// for a node, which simplifies and finds equal expressions; the Tracer (tracer.hpp) opens regions. Then a Program
// (program.hpp) leaves out what nobody reads and puts the rest in order, and a form runs it: the tape (tape.hpp,
// interpreter.hpp), or text.
//
//   node     an operation on earlier nodes; a number in the graph's format, or a mask
//   region   `when`: entered if any lane wants it; `repeat`: while any lane goes on. Regions are nested, region 0 is
//            the step. A value leaves a region as a `carried` node: of a `when` the new value, or the old one where it
//            was not entered; of a `repeat` the value of the present turn inside, of the last one behind it
//   call     of a block, a graph of its own, which has been traced once
//
// Operations that do not change in a loop stand in front of it. A value of a region is not seen outside: reading it
// there is refused. Each node knows the line of the source that made it. Not handled: indexing at run time.
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/graph/operation.hpp"
#include "kernels/math/piecewise_polynomial.hpp"

namespace myriad::graph {

using NodeId = int;
constexpr NodeId no_node = -1;

// Says what cannot be traced, and the line that asked for it.
struct Refusal : std::logic_error {
    using std::logic_error::logic_error;
};

// A line of the source. As a default argument of a function it is the caller's.
struct Line {
    const char* file = "";
    int number = 0;
    static constexpr Line here(const char* file = __builtin_FILE(), int number = __builtin_LINE()) {
        return {file, number};
    }
    std::string text() const { return std::string(file) + ":" + std::to_string(number); }
};

struct Node {
    Op op = Op::constant;
    NodeId a = no_node, b = no_node, c = no_node;
    std::int64_t data = 0;
    bool is_mask = false;
    int region = 0;  // that computes it; of a carried one: where it is seen
    Line line = {};

    double value() const { return __builtin_bit_cast(double, data); }  // of a constant
    bool is(Op other) const { return op == other; }
    // Compares expressions, wherever they stand.
    friend bool operator==(const Node& x, const Node& y) {
        return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c && x.data == y.data && x.is_mask == y.is_mask;
    }
};

struct Carried {
    NodeId node, first, next;  // first: before the region; next: at the end of the region, or of a turn
};

enum class RegionKind { step, when, repeat };

struct Region {
    RegionKind kind = RegionKind::step;
    int parent = -1;
    NodeId condition = no_node;  // a mask; of a repeat the carried one that says who goes on
    std::vector<Carried> carried = {};
    Line line = {};
    NodeId begin = 0, end = 0;  // nodes made while it was open
};

struct Output {
    std::int64_t field;  // the input that it replaces, or a number of its own
    NodeId node;
};

struct Table {
    std::vector<PolynomialPiece> pieces;
    PiecewisePolynomial function;  // of `pieces` alone
    const PolynomialPiece& piece(int i) const { return pieces[static_cast<std::size_t>(i)]; }
};

class Graph;
struct Call {
    int block;
    std::vector<NodeId> arguments;
    friend bool operator==(const Call&, const Call&) = default;
};

class Graph {
  public:
    explicit Graph(Format its_format = Format::fp64) : format(its_format) {}
    Format format;
    std::vector<Output> outputs;
    std::vector<Table> tables;
    std::vector<Call> calls;
    std::vector<std::shared_ptr<const Graph>> blocks;

    const Node& at(NodeId node) const { return nodes_[static_cast<std::size_t>(node)]; }
    NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
    const Region& region(int r) const { return regions_[static_cast<std::size_t>(r)]; }
    int region_count() const { return static_cast<int>(regions_.size()); }
    // True where code of region `from` may read what region `of` computes: it is the same or lies around it.
    bool sees(int from, int of) const;
    // Calls `use` with each operand, the arguments of a call included.
    template <class Use>
    void each_operand(NodeId node, Use use) const {
        const Node& n = at(node);
        if (n.op == Op::carried) return;
        if (n.op == Op::call)
            for (const NodeId argument : calls[static_cast<std::size_t>(n.data)].arguments) use(argument);
        for (const NodeId operand : {n.a, n.b, n.c})
            if (operand != no_node) use(operand);
    }

    // For builders and tracers.
    NodeId find(Node node);     // the node that has this expression, or a new one
    NodeId add_new(Node node);  // without looking for an equal one
    int find_call(const Call& call);
    int find_table(const Table& table);
    int present() const { return present_; }  // the region that is open
    Line line;                                // that the next nodes come from
    int open(RegionKind kind, NodeId condition);
    NodeId carry(int region, NodeId first, bool is_mask);
    void set_next(int region, std::size_t place, NodeId next) { region_at(region).carried[place].next = next; }
    void set_condition(int region, NodeId condition) { region_at(region).condition = condition; }
    // Ends the present region; its carried nodes are seen from then on.
    void close();
    // Closes a region whose operations go to its parent. Not for one with regions in it or carried nodes.
    void dissolve();
    struct Mark {
        NodeId nodes;
        int regions;
    };
    Mark mark() const { return {size(), region_count()}; }
    // Everything since the mark is as if it had never been. What was open then is open again.
    void roll_back(const Mark& mark, int present);

  private:
    struct Hash {
        std::size_t operator()(const Node& node) const;
    };
    std::vector<Node> nodes_;
    std::vector<Region> regions_ = std::vector<Region>(1);
    std::unordered_map<Node, NodeId, Hash> known_;
    int present_ = 0;

    Region& region_at(int r) { return regions_[static_cast<std::size_t>(r)]; }
    Node& node_at(NodeId node) { return nodes_[static_cast<std::size_t>(node)]; }
    int home_of(const Node& node, NodeId id) const;
    void forget(NodeId node);
};

}  // namespace myriad::graph
