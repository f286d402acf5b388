// Follows per-instance code that runs on Symbols: which variables a region changes, and what leaves it.
//
// A variable (a Symbol or a SymbolMask) has the number of its birth and tells the tracer when it is assigned. So the
// tracer sees which variables that are older than a region the region changes, and kernels name nothing. The body of a
// `repeat` runs several times: first to see what it changes, then with these variables carried, until that is all.
// Hence only Symbols may change in it, or what each turn sets anew. A `when` that turns out small becomes straight
// code: lanes that did not ask for it take no harm, because the kernel keeps their values by selects as it does beside
// neighbours that ask.
//
// Refused, with the line: a branch on data (`any` of a mask that is not known), a loop left by break or return, a value
// of a region read behind it, a loop whose condition it does not change, a Symbol of another trace.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "host/graph/builder.hpp"

namespace myriad::graph {

struct Variable {
    NodeId node = no_node;  // not set yet: 0, or false
    long long birth;
    const bool is_mask;
    explicit Variable(bool mask, NodeId its_node = no_node);
    Variable(const Variable& other) : Variable(other.is_mask, other.node) {}
    Variable& operator=(const Variable& other);
    ~Variable() = default;
};

class Tracer {
  public:
    // Becomes the one of this thread, until it is destroyed.
    explicit Tracer(Graph& graph, Rules rules = Rules::all());
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    ~Tracer();
    static Tracer& present();

    Builder build;
    Graph& graph() const { return build.graph(); }
    // Regions `when` of fewer nodes become straight code.
    int fewest_nodes_of_region = 8;

    NodeId read(const Variable& variable) const;
    void assign(Variable& variable, NodeId node);
    // `any(mask)`: a known one; otherwise it is a branch on data.
    bool decide(const Variable& mask, Line line) const;
    // Leaves the lanes in `mask` behind. behind(): all lanes that were left so far.
    void leave_behind(const Variable& mask, Line line);
    NodeId behind() const { return read(*behind_); }

    // A call of a block. `body` makes outputs from inputs; it is traced when a block of this name is first called with
    // these constants among its arguments. It sees no Symbol but its inputs.
    using Values = std::vector<NodeId>;
    Values call(const std::string& name, const Values& arguments, const std::function<Values(const Values&)>& body);

  private:
    friend class When;
    friend class Turns;
    // An open region, and what has been assigned in it with the values from before.
    struct Frame {
        long long birth;
        int region;
        std::vector<std::pair<Variable*, NodeId>> changed;
        std::unordered_map<Variable*, std::size_t> place;
    };
    Tracer* const before_;
    const long long birth_;
    std::vector<Frame> frames_;
    std::map<std::string, int> known_blocks_;
    std::optional<Variable> behind_;

    int open(RegionKind kind, NodeId condition);
    // Gives the variables what they had before, and returns what they have now.
    std::vector<NodeId> restore(Frame& frame) const;
};

// The region of MYRIAD_WHEN (kernels/math/control.hpp) on Symbols.
class When {
  public:
    explicit When(const Variable& mask, Line line = Line::here());
    When(const When&) = delete;
    When& operator=(const When&) = delete;
    ~When() noexcept(false);
    explicit operator bool() const { return is_taken_; }

  private:
    bool is_taken_ = false, is_open_ = false;
    int unwinding_;
    void close();
};

// The turns of MYRIAD_REPEAT on Symbols.
class Turns {
  public:
    explicit Turns(Line line = Line::here());
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;
    ~Turns() noexcept(false);
    // True: the body runs (once more). `going` is computed before the first turn and at the end of each.
    bool go_on(const Variable& going);

  private:
    struct Kept {
        Variable* variable;
        bool is_certain;  // was dropped once, and turned out to change all the same
    };
    bool is_open_ = false, has_ended_ = false;
    int passes_ = 0, unwinding_;
    NodeId first_condition_ = no_node;
    Graph::Mark mark_{};
    int outer_ = 0;
    std::vector<Kept> kept_;
    std::vector<Variable*> dropped_;
    Variable* like_condition_ = nullptr;  // ends a turn as the condition does, and shares its place
    Line line_;

    Tracer& tracer() const { return Tracer::present(); }
    // Whether what the pass has changed is what was carried through it; sets what the next one carries.
    bool is_settled(const Region& region);
    void begin_pass();
    void end(NodeId condition);
};

}  // namespace myriad::graph
