// Steps of a study by an interpreter: a tape (host/graph/tape.hpp) that runs on blocks of instances, without a
// compiler.
//
// The tape takes for constants what follows from the mechanism's structure in all instances. A group with another
// instance, such as one whose drawn angle is 0, takes a tape that reads all parameters. The bits are the same.
//
// An instance that a step leaves behind (kernels/math/control.hpp) takes this step by the program's kernels at once, so
// that a block stays together. Where that happens often, nothing is gained: is_left_too_often().
//
// A compiled step takes the place of the first tape once there is one. The first group that it advances is also
// advanced by the tape, field by field and step by step. Where a bit differs the tape goes on.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/graph/tape.hpp"
#include "host/graph/tape_memory.hpp"

namespace myriad::backends {

class InterpretedSteps {
  public:
    // Slots of a launch that are stepped together.
    int block() const { return traced_->block; }

    // `width`: of vectors, one of cpu_widths(). Null where trace_run() does not handle the task.
    static std::unique_ptr<InterpretedSteps> of(const Task& task, int width);
    ~InterpretedSteps();
    // The groups [first, first + count) of `block` slots each, in the task's precision. From several threads at once.
    template <class Number>
    void advance(const Launch<Number>& launch, long long first, long long count) const;

    int operations() const { return traced_->operations; }
    // Whether more than one of 20 steps so far has left its instance behind.
    bool is_left_too_often() const { return least_left_ < left_ && tried_ < steps_per_left_ * left_; }
    // The input of a compiler; none in single precision, and where a step has more operations than a compiler is
    // good at.
    std::optional<CompilerInput> compiler_input() const;
    // Once.
    void take(const CompiledFunction& function) { compiled_ = reinterpret_cast<CompiledStep>(function.address); }
    bool is_compiled() const { return compiled_ != nullptr; }
    // Whether a compiled step was taken and had other bits.
    bool has_refused() const { return has_refused_; }

  private:
    using CompiledStep = void (*)(double*);
    template <class Number>
    class Worker;
    struct Tapes {
        explicit Tapes(const TracedRun& run);
        graph::Tape step, end;
    };
    // Tapes and sizes that all runs of a task share.
    struct Traced {
        Traced(const Task& given, KnownParameters known, TracedRun run);
        const Task task;
        // The tapes of `known`, and those that hold for every instance, made when one needs them.
        const KnownParameters known;
        const Tapes usual;
        const bool leaves_behind;
        const graph::Graph usual_step;
        const int record_fields, observed, states, quantities, progress, operations, block;
        const Tapes& general() const;

      private:
        mutable std::optional<Tapes> general_;
        mutable std::once_flag needs_general_;
    };
    // The one of the run before, where it was of the same task. Null where trace_run() does not handle it.
    static std::shared_ptr<const Traced> traced(const Task& task);
    InterpretedSteps(std::shared_ptr<const Traced> traced, const graph::Interpreter& interpreter,
                     const KernelEntry* kernels);
    template <class Number>
    using Idle = std::vector<std::unique_ptr<Worker<Number>>>;
    template <class Number>
    std::unique_ptr<Worker<Number>> worker() const;

    const graph::Interpreter interpreter_;
    const std::shared_ptr<const Traced> traced_;
    const KernelEntry* const kernels_;  // of instances that a step leaves behind; null where it leaves none
    mutable std::atomic<CompiledStep> compiled_{nullptr};
    mutable std::atomic<bool> has_refused_{false};
    // Kernels take as long over one instance as over a whole vector.
    static constexpr long long steps_per_left_ = 20, least_left_ = 1000;
    mutable std::atomic<long long> tried_{0}, left_{0};
    mutable std::once_flag compares_;
    mutable std::mutex lock_;
    mutable std::tuple<Idle<double>, Idle<float>> idle_;  // one of them is used
};

}  // namespace myriad::backends
