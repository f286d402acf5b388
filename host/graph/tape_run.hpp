// A tape bound to the memory of one block of instances, ready to run.
//
// One TapeRun belongs to one thread; Number is that of the interpreter's Real. `instances` is a multiple of the
// interpreter's width.
#pragma once
#include <cstdlib>
#include <memory>
#include <new>

#include "host/graph/tape.hpp"
#include "host/graph/tape_memory.hpp"

namespace myriad::graph {

template <class Number>
class TapeRun {
  public:
    TapeRun(const Tape& tape, const Interpreter& interpreter, int instances)
        : interpreter_(interpreter),
          instances_(instances),
          own_tables_(tape.tables),
          slot_bytes_(interpreter.real_bytes * (instances / interpreter.width)),
          constants_at_(tape.slots * slot_bytes_) {
        const long bytes = constants_at_ + static_cast<long>(tape.constants.size()) * interpreter.real_bytes;
        const long whole = (bytes + alignment - 1) / alignment * alignment;
        memory_.reset(static_cast<char*>(std::aligned_alloc(alignment, static_cast<std::size_t>(whole))));
        if (!memory_) throw std::bad_alloc();
        for (long i = 0; i < whole; ++i) memory_[static_cast<std::size_t>(i)] = 0;
        const int reals = instances / interpreter.width;
        for (const Instruction& i : tape.code) {
            Bound bound{};
            bound.run = interpreter.function_of(i.code, reals);
            if (!bound.run) throw Refusal("an instruction that no interpreter has");
            bound.to = i.to < 0 ? -1 : address(i.to), bound.also = i.also < 0 ? -1 : address(i.also);
            bound.a = address(i.a), bound.b = address(i.b), bound.c = address(i.c), bound.data = i.data;
            bound.step_a = step(i.a), bound.step_b = step(i.b), bound.step_c = step(i.c);
            code_.push_back(bound);
        }
        for (const Table& table : own_tables_) tables_.push_back({table.pieces.data(), table.function});
        block_ = {memory_.get(), reals, code_.data(), tables_.data()};
        start_ = code_.data() + tape.start;
        for (std::size_t i = 0; i < tape.constants.size(); ++i)
            interpreter.put_constant(block_, address(~static_cast<int>(i)), tape.constants[i].value,
                                     tape.constants[i].is_mask);
    }
    int instances() const { return instances_; }
    // The numbers of a field, one for each instance.
    Number* field(int number) { return reinterpret_cast<Number*>(memory_.get() + number * slot_bytes_); }
    void run(long steps) {
        for (long step = 0; step < steps; ++step) interpreter_.run(start_, block_);
    }

  private:
    static constexpr long alignment = 64;
    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    const Interpreter interpreter_;
    int instances_;
    std::vector<Table> own_tables_;
    std::vector<TableOnTape> tables_;
    long slot_bytes_, constants_at_;
    std::unique_ptr<char[], Free> memory_;
    std::vector<Bound> code_;
    Block block_{};
    const Bound* start_ = nullptr;

    long address(int operand) const {
        return operand >= 0 ? operand * slot_bytes_ : constants_at_ + ~operand * interpreter_.real_bytes;
    }
    long step(int operand) const { return operand >= 0 ? interpreter_.real_bytes : 0; }
};

}  // namespace myriad::graph
