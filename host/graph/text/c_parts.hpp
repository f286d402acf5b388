// How a program is cut into functions: which one each event stands in, and which values one hands to another.
//
// Parts are ranges of events, whole regions among them. A region that is too long for a part stays in the root
// function, which calls the parts, and its body is cut.
#pragma once
#include <functional>
#include <map>

#include "host/graph/program.hpp"

namespace myriad::graph {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

class CParts {
  public:
    static constexpr int root = 0, nowhere = -1;

    // `weight`: the operations that a node stands for.
    CParts(const Program& program, std::function<int(const Node&)> weight);
    void cut(int longest_part);
    // Operations of the program.
    int weight() const { return weight_of(0); }
    int count() const { return count_; }
    int part_of(int event) const { return part_[index(event)]; }
    // The event that gives a node its value: sines come with the cosine of their argument, results with their call, and
    // carried nodes begin with their region.
    int place_of(NodeId node) const { return place_[index(node)]; }
    bool is_handed_on(NodeId node) const { return is_handed_on_[index(node)] != 0; }

  private:
    const Program& program_;
    const Graph& graph_;
    const std::function<int(const Node&)> weight_;
    int count_ = 1;
    std::vector<int> part_, place_;
    std::vector<char> is_handed_on_;

    const Event& event(int at) const { return program_.events()[index(at)]; }
    void find_places();
    void find_handed_on();
    int weight_between(int first, int last) const;
    int weight_of(int region) const;
    void cut(int region, int longest_part);
};

}  // namespace myriad::graph
