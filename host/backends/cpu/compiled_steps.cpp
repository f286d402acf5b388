#include "host/backends/cpu/compiled_steps.hpp"

#include <chrono>
#include <exception>

#include "host/text/user_error.hpp"

namespace myriad::backends {

namespace {

// A compiler takes as long over an operation as an interpreter over so many of a vector, and over any text as over so
// many operations. Compiled steps save two thirds of the interpreter's time.
constexpr double vectors_of_an_operation = 3e5, operations_of_any_text = 1000.0, least_gain = 2.0;

double instance_steps_that_pay(int width, double operations) {
    return least_gain * vectors_of_an_operation * width * (1.0 + operations_of_any_text / operations);
}

}  // namespace

std::optional<CompiledFunction> compile_steps(const Task& task, int width) {
    const std::unique_ptr<InterpretedSteps> traced = InterpretedSteps::of(task, width);
    const std::optional<CompilerInput> input = traced ? traced->compiler_input() : std::nullopt;
    try {
        return input ? std::optional(compiled_function(*input)) : std::nullopt;
    } catch (const UserError&) {
        return std::nullopt;
    }
}

void CompiledSteps::choose(const Task& task, int width, const Settings& settings) {
    forget();
    width_ = width, notice_ = settings.notice;
    input_ = std::nullopt;
    may_follow_ = has_told_ = false;
    traced_ = settings.kernels == names::double_kernels ? nullptr : InterpretedSteps::of(task, width);
    if (!traced_ && settings.kernels == names::interpreted_kernels && notice_ && task.mechanism)
        notice_("--kernels interpreted does not take this study, which runs by the kernels of the program");
    if (!traced_ || (!settings.kernels.empty() && settings.kernels != names::compiled_kernels)) return;
    input_ = traced_->compiler_input();
    if (!input_ && !settings.kernels.empty() && notice_)
        notice_("--kernels compiled does not take this study: its step is interpreted");
    if (!input_) return;
    if (const auto kept = kept_function(*input_)) return traced_->take(*kept);
    if (settings.kernels == names::compiled_kernels) {
        if (notice_) notice_("compiling for this mechanism");
        traced_->take(compiled_function(*input_));
    } else {
        may_follow_ = settings.starts_at_once;
    }
}

void CompiledSteps::follow_where_long(double instance_steps_left) {
    if (!may_follow_ || instance_steps_left < instance_steps_that_pay(width_, traced_->operations())) return;
    may_follow_ = false, forgotten_ = false, is_compiling_ = true;
    compiling_ = std::async(std::launch::async, [this]() -> Made {
        try {
            return {compiled_function(*input_, &forgotten_)};
        } catch (const UserError& error) {
            return {.failure = error.what_is_wrong()};
        } catch (const std::exception& error) {
            return {.failure = error.what()};
        } catch (const CompilationCancelled&) {
            return {};
        }
    });
}

void CompiledSteps::take_what_followed() {
    if (!compiling_.valid() || compiling_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    const Made made = compiling_.get();
    is_compiling_ = false;
    if (made.function) traced_->take(*made.function);
    if (!made.failure.empty() && notice_)
        notice_("steps are not compiled for this run, which continues as it began: " + made.failure);
}

template <class Number>
StepsOfALaunch<Number> CompiledSteps::steps(const KernelFunctions<Number>& kernels) {
    take_what_followed();
    if (const InterpretedSteps* const traced = traced_.get(); traced && !traced->is_left_too_often())
        return {[traced](const PlanTable&, const Launch<Number>& launch, long long first, long long count) {
                    traced->advance(launch, first, count);
                },
                traced->block()};
    return {kernels.advance, kernels.width};
}
template StepsOfALaunch<double> CompiledSteps::steps(const KernelFunctions<double>& kernels);
template StepsOfALaunch<float> CompiledSteps::steps(const KernelFunctions<float>& kernels);

void CompiledSteps::look_back() {
    if (has_told_ || !traced_ || !traced_->has_refused()) return;
    has_told_ = true;
    if (notice_)
        notice_(
            "the first compiled steps have other bits than interpreted ones, which are taken instead; name another "
            "compiler in MYRIAD_COMPILER");
}

void CompiledSteps::forget() {
    forgotten_ = true;
    if (compiling_.valid()) compiling_.wait();
    compiling_ = {}, is_compiling_ = false;
}

}  // namespace myriad::backends
