#include "host/backends/cpu/compiled_steps.hpp"

#include <chrono>
#include <exception>

#include "host/backends/compiled_kernels/machine_compiler.hpp"

namespace myriad::backends {

namespace {

// To compile takes 2 to 10 s, and saves a third of what is left.
constexpr double long_run_s = 20.0;

}  // namespace

void CompiledSteps::choose(const Task& task, int width, const Settings& settings) {
    forget();
    task_ = task, width_ = width;
    compiled_.reset();
    may_follow_ = false;
    if (settings.kernels == names::table_kernels || settings.kernels == names::interpreted_kernels ||
        !may_have_processor_kernels(task))
        return;
    compiled_ = kept_processor_kernels(task, width);
    if (compiled_) return;
    if (settings.kernels == names::compiled_kernels) {
        if (settings.notice) settings.notice("compiling for this mechanism");
        compiled_ = processor_kernels(task, width);
    } else {
        may_follow_ = settings.starts_at_once;
    }
}

void CompiledSteps::follow_where_long(double seconds_left) {
    if (!may_follow_ || seconds_left < long_run_s) return;
    may_follow_ = false, forgotten_ = false, is_compiling_ = true;
    compiling_ = std::async(std::launch::async, [this]() -> std::optional<ProcessorKernels> {
        try {
            return processor_kernels(task_, width_, &forgotten_);
        } catch (const std::exception&) {
            return std::nullopt;  // the run goes on as it began
        } catch (const CompilationCancelled&) {
            return std::nullopt;
        }
    });
}

KernelFunctions<double>::Groups CompiledSteps::advance() {
    if (compiling_.valid() && compiling_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        compiled_ = compiling_.get(), is_compiling_ = false;
    return compiled_ ? compiled_->advance : nullptr;
}

void CompiledSteps::forget() {
    forgotten_ = true;
    if (compiling_.valid()) compiling_.wait();
    compiling_ = {}, is_compiling_ = false;
}

}  // namespace myriad::backends
