// Which steps of a mechanism a run on a CPU takes: those of the program, which read the mechanism's tables, or those
// compiled for it, at once where they are kept or asked for, else once a run has turned out to be long. Not safe to use
// from several threads but for is_compiling().
#pragma once
#include <atomic>
#include <future>
#include <optional>

#include "host/backends/compiled_kernels/processor_kernels.hpp"
#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

class CompiledSteps {
  public:
    CompiledSteps() = default;
    ~CompiledSteps() { forget(); }
    CompiledSteps(const CompiledSteps&) = delete;
    CompiledSteps& operator=(const CompiledSteps&) = delete;

    // For a run in packs of `width` doubles. Compiles where the settings ask for it, and throws as processor_kernels()
    // does.
    void choose(const Task& task, int width, const Settings& settings);
    // Whether a long run would go over to them.
    bool may_follow() const { return may_follow_; }
    // Begins to compile, on a thread beside the run, where that is worth it.
    void follow_where_long(double seconds_left);
    // Null while the program's steps are to be taken.
    KernelFunctions<double>::Groups advance();
    bool is_compiling() const { return is_compiling_; }

  private:
    void forget();

    Task task_;
    int width_ = 1;
    std::optional<ProcessorKernels> compiled_;
    bool may_follow_ = false;
    std::atomic<bool> forgotten_{false}, is_compiling_{false};
    std::future<std::optional<ProcessorKernels>> compiling_;
};

}  // namespace myriad::backends
