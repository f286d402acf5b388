// Which steps a run on a CPU takes.
//
// A study that can be traced begins by the interpreter of its step, others run by the program's own kernels. Steps
// compiled from the text of the traced step follow, at once where they are kept or asked for, else once a run has
// turned out to be long. Not safe to use from several
// threads but for is_compiling().
#pragma once
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/backends/cpu/interpreted_steps.hpp"
#include "host/backends/interface/backend.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends {

template <class Number>
struct StepsOfALaunch {
    std::function<std::remove_pointer_t<typename KernelFunctions<Number>::Groups>> advance;
    int block;  // slots of a group
};

// Compiles the steps of a study for this processor; nothing where that cannot be.
std::optional<CompiledFunction> compile_steps(const Task& task, int width);

class CompiledSteps {
  public:
    CompiledSteps() = default;
    ~CompiledSteps() { forget(); }
    CompiledSteps(const CompiledSteps&) = delete;
    CompiledSteps& operator=(const CompiledSteps&) = delete;

    // For a run in packs of `width` doubles. Compiles where the settings ask for it, and throws as compiled_function()
    // does.
    void choose(const Task& task, int width, const Settings& settings);
    // Whether a long run would go over to them.
    bool may_follow() const { return may_follow_; }
    // Begins to compile, on a thread beside the run, where that is worth it by what is left of the run.
    void follow_where_long(double instance_steps_left);
    // For the next launch; `kernels` are those of the program.
    template <class Number>
    StepsOfALaunch<Number> steps(const KernelFunctions<Number>& kernels);
    // After each launch: tells where compiled steps have turned out to have other bits.
    void look_back();
    bool is_compiling() const { return is_compiling_; }

  private:
    struct Made {
        std::optional<CompiledFunction> function = std::nullopt;
        std::string failure = {};
    };
    void take_what_followed();
    void forget();

    int width_ = 1;
    std::function<void(const std::string&)> notice_;
    std::unique_ptr<InterpretedSteps> traced_;
    std::optional<CompilerInput> input_;  // where steps may be compiled
    bool may_follow_ = false, has_told_ = false;
    std::atomic<bool> forgotten_{false}, is_compiling_{false};
    std::future<Made> compiling_;
};

}  // namespace myriad::backends
