// The memory of a launch while a run is traced: each number of its arrays is a variable, and what kernels load and
// store (kernels/run/slots.hpp) reads and assigns it.
//
// A field is a place in the memory of a traced step: the record of an instance, field by field, then what the step or
// the end of a launch hands out.
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "host/graph/symbol.hpp"
#include "kernels/run/slots.hpp"

namespace myriad::graph {

class TracedMemory {
  public:
    TracedMemory() { present_ = this; }
    TracedMemory(const TracedMemory&) = delete;
    TracedMemory& operator=(const TracedMemory&) = delete;
    ~TracedMemory() { present_ = nullptr; }
    static TracedMemory& present() { return *present_; }

    // An array of so many fields, by a pointer that is never read. Inputs have the values from before the step.
    template <class Number>
    Number* array(int count, bool are_inputs) {
        Array& added = arrays_[&marks_.emplace_back()];
        added.first = fields();
        for (int i = 0; i < count; ++i) {
            Variable& variable = variables_.emplace_back(false);
            before_.push_back(are_inputs ? Tracer::present().build.input(added.first + i) : no_node);
            if (are_inputs) variable = of(before_.back());
        }
        return reinterpret_cast<Number*>(&marks_.back());
    }
    // The first fields that are numbers have these values; no step changes them.
    void set(const std::vector<double>& numbers) {
        for (std::size_t field = 0; field < numbers.size(); ++field)
            if (numbers[field] == numbers[field])
                variables_[field] = of(before_[field] = Tracer::present().build.constant(numbers[field]));
    }
    // The first array; of others, results show no zero below 0.
    bool is_record(const void* array) const { return array == &marks_.front(); }
    int fields() const { return static_cast<int>(variables_.size()); }
    Variable& at(const void* array, long long row) {
        const auto found = arrays_.find(array);
        if (found == arrays_.end()) throw Refusal("memory is read that is not traced");
        return variables_[static_cast<std::size_t>(found->second.first + row)];
    }
    // Fields that have another value than before the step, and all of those that are no inputs.
    void hand_out(Graph& graph) const {
        for (int i = 0; i < fields(); ++i) {
            const NodeId node = Tracer::present().read(variables_[static_cast<std::size_t>(i)]);
            if (node != before_[static_cast<std::size_t>(i)]) graph.outputs.push_back({i, node});
        }
    }

  private:
    struct Array {
        int first = 0;
    };
    static inline thread_local TracedMemory* present_ = nullptr;
    std::deque<double> marks_;
    std::map<const void*, Array> arrays_;
    std::deque<Variable> variables_;
    std::vector<NodeId> before_;

    static Variable of(NodeId node) { return Variable(false, node); }
};

}  // namespace myriad::graph

namespace myriad::inline MYRIAD_VARIANT {

// Of the one instance that is traced.
template <class N>
struct Slots<graph::Symbol<N>> {
    using Real = graph::Symbol<N>;
    static constexpr int width = 1;
    static Slots of(const Launch<N>&, long long) { return {}; }
    Real load(const N* array, long long, long long row) const {
        return Real::of(graph::node_of(graph::TracedMemory::present().at(array, row)));
    }
    void store(N* array, long long, long long row, const Real& x) const {
        graph::TracedMemory& memory = graph::TracedMemory::present();
        memory.at(array, row) = memory.is_record(array) ? x : unsigned_zero(x);
    }
    // The row has a field for each entry; who runs the step sees by the count of rows that it is due.
    void store_in_row(const graph::SymbolMask&, N* array, long long, long long, int entry, const Real&,
                      const Real& x) const {
        graph::TracedMemory::present().at(array, entry) = unsigned_zero(x);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
