// A graph made ready to run: what nobody reads is left out, and the rest stands in an order that keeps few numbers
// alive.
//
// Each region has its own sequence of steps: nodes, and inner regions as a whole. They stand as they were traced, which
// is how the kernels' authors put them. A step that ends no value's life waits until it is read; one that does comes as
// soon as it can. The events are the same as one sequence, with the last reading of each value.
#pragma once
#include <array>

#include "host/graph/graph.hpp"

namespace myriad::graph {

struct Counts {
    std::array<int, op_count> of{};
    int operator[](Op op) const { return of[static_cast<std::size_t>(op)]; }
    int of_group(Group group) const;
    int arithmetic() const { return of_group(Group::arithmetic); }
    int all() const;  // without leaves
    Counts& operator+=(const Counts& other);
};

struct Event {
    enum class Kind { compute, begin, end } kind;
    int number;  // a node, or a region
};

class Program {
  public:
    explicit Program(const Graph& graph);
    const Graph& graph() const { return *graph_; }
    bool is_live(NodeId node) const { return is_live_[static_cast<std::size_t>(node)] != 0; }
    const std::vector<Event>& events() const { return events_; }
    // Places among the events: the last that reads a value, -1 where none does; of outputs the end. What a loop reads
    // from outside is read until its end.
    int last_use(NodeId node) const { return last_use_[static_cast<std::size_t>(node)]; }
    // The last place that reads a carried value in one turn of its `repeat`.
    int last_use_in_turn(NodeId node) const { return last_use_in_turn_[static_cast<std::size_t>(node)]; }
    int begin_of(int region) const { return begin_[static_cast<std::size_t>(region)]; }
    int end_of(int region) const { return end_[static_cast<std::size_t>(region)]; }
    std::vector<Carried> live_carried(int region) const;
    bool repeats(int region) const { return graph_->region(region).kind == RegionKind::repeat; }

    // Counts of a region without the inner ones; blocks count once.
    Counts counts(int region) const;
    Counts counts() const;  // of all regions
    // By how often a region runs: always; in each turn of a `repeat` behind its first; where some lane wants it.
    struct ByUse {
        Counts always, each_turn, when_wanted;
    };
    ByUse counts_by_use() const;
    int most_alive() const;  // numbers and masks at once, without constants

  private:
    const Graph* graph_;
    std::vector<char> is_live_;
    std::vector<std::vector<NodeId>> reads_;  // by region: values from outside, as the region's parent sees them
    std::vector<std::vector<int>> order_;     // by region: nodes, and ~region
    std::vector<Event> events_;
    std::vector<int> last_use_, last_use_in_turn_, begin_, end_;

    class Sequence;
    std::size_t size() const { return static_cast<std::size_t>(graph_->size()); }
    bool stands_in_order(NodeId node) const;
    int step_of(NodeId node, int region) const;
    void find_live();
    void find_reads();
    void sort();
    void list_events(int region);
    void find_last_uses();
};

}  // namespace myriad::graph
