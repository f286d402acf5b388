// A tape bound to the memory of one block of instances, ready to run.
//
// One TapeRun belongs to one thread. It computes by Reals of type Real: a number, or a pack of the processor's widest
// vectors. `instances` is a multiple of the Real's lanes.
#pragma once
#include <cstdlib>
#include <memory>

#include "host/graph/interpreter.hpp"
#include "host/graph/tape.hpp"

namespace myriad::graph {

template <class Real>
class TapeRun {
  public:
    using Number = NumberOf<Real>;
    TapeRun(const Tape& tape, int instances)
        : instances_(instances),
          own_tables_(tape.tables),
          slot_bytes_(static_cast<long>(sizeof(Real)) * (instances / Lanes<Real>::width)),
          constants_at_(tape.slots * slot_bytes_) {
        const long bytes = constants_at_ + static_cast<long>(tape.constants.size() * sizeof(Real));
        const long whole = (bytes + alignment - 1) / alignment * alignment;
        memory_.reset(static_cast<char*>(std::aligned_alloc(alignment, static_cast<std::size_t>(whole))));
        if (!memory_) throw std::bad_alloc();
        for (long i = 0; i < whole; ++i) memory_[static_cast<std::size_t>(i)] = 0;
        for (const Instruction& i : tape.code) {
            Bound bound{};
            bound.run = bound_to(i.code);
            if (!bound.run) throw Refusal("an instruction that no interpreter has");
            bound.to = i.to < 0 ? -1 : address(i.to), bound.also = i.also < 0 ? -1 : address(i.also);
            bound.a = address(i.a), bound.b = address(i.b), bound.c = address(i.c), bound.data = i.data;
            bound.step_a = step(i.a), bound.step_b = step(i.b), bound.step_c = step(i.c);
            code_.push_back(bound);
        }
        for (const Table& table : own_tables_) tables_.push_back({table.pieces.data(), table.function});
        block_ = {memory_.get(), instances / Lanes<Real>::width, code_.data(), tables_.data()};
        start_ = code_.data() + tape.start;
        for (std::size_t i = 0; i < tape.constants.size(); ++i)
            put_constant<Real>(block_, address(~static_cast<int>(i)), tape.constants[i].value,
                               tape.constants[i].is_mask);
    }
    int instances() const { return instances_; }
    // The numbers of a field, one for each instance.
    Number* field(int number) { return reinterpret_cast<Number*>(memory_.get() + number * slot_bytes_); }
    void run(long steps) {
        for (long step = 0; step < steps; ++step) run_from(start_, block_);
    }

  private:
    static constexpr long alignment = 64;
    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    int instances_;
    std::vector<Table> own_tables_;
    std::vector<TableOnTape> tables_;
    long slot_bytes_, constants_at_;
    std::unique_ptr<char[], Free> memory_;
    std::vector<Bound> code_;
    Block block_{};
    const Bound* start_ = nullptr;

    // The usual blocks have code of their own.
    auto bound_to(int code) const {
        switch (instances_ / Lanes<Real>::width) {
            case 8:
                return function_of<Real, 8>(code);
            case 16:
                return function_of<Real, 16>(code);
            default:
                return function_of<Real, 0>(code);
        }
    }
    long address(int operand) const {
        return operand >= 0 ? operand * slot_bytes_ : constants_at_ + ~operand * static_cast<long>(sizeof(Real));
    }
    long step(int operand) const { return operand >= 0 ? static_cast<long>(sizeof(Real)) : 0; }
};

}  // namespace myriad::graph
