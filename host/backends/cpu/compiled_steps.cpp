#include "host/backends/cpu/compiled_steps.hpp"

#include <chrono>
#include <exception>
#include <limits>

#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends {

namespace {

// To compile templates takes 2 to 10 s, and saves a third of what is left.
constexpr double long_run_s = 20.0;
// A compiler takes as long over an operation as an interpreter over so many of a vector, and over any text as over so
// many operations. Compiled steps save two thirds of the interpreter's time.
constexpr double vectors_of_an_operation = 3e5, operations_of_any_text = 1000.0, least_gain = 2.0;

double instance_steps_that_pay(int width, double operations) {
    return least_gain * vectors_of_an_operation * width * (1.0 + operations_of_any_text / operations);
}

}  // namespace

CompiledSteps::Form CompiledSteps::compiled(const Task& task, int width, std::unique_ptr<InterpretedSteps> traced,
                                            const std::atomic<bool>* cancelled) {
    Form form;
    if (const auto input = traced ? traced->compiler_input() : std::nullopt) {
        const CompiledFunction function = compiled_function(*input, cancelled);
        traced->take(function);
        form.traced = std::move(traced), form.compiler = {function.compiler, function.seconds};
    } else if (may_have_processor_kernels(task)) {
        form.kernels = processor_kernels(task, width, cancelled);
        form.compiler = {form.kernels->compiler, form.kernels->seconds};
    }
    return form;
}

std::optional<StepsCompiler> compile_steps(const Task& task, int width) {
    if (!may_have_processor_kernels(task)) return std::nullopt;
    try {
        return CompiledSteps::compiled(task, width, InterpretedSteps::of(task, width), nullptr).compiler;
    } catch (const UserError&) {
        return std::nullopt;
    }
}

CompiledSteps::Form CompiledSteps::followed(double seconds_left, double instance_steps_left) const {
    try {
        auto traced = InterpretedSteps::of(task_, width_);
        const bool has_text = traced && traced->compiler_input();
        if (has_text ? instance_steps_left < instance_steps_that_pay(width_, traced->operations())
                     : seconds_left < long_run_s)
            return {};
        return compiled(task_, width_, std::move(traced), &forgotten_);
    } catch (const UserError& error) {
        return {.failure = error.what_is_wrong()};
    } catch (const std::exception& error) {
        return {.failure = error.what()};
    } catch (const CompilationCancelled&) {
        return {};
    }
}

void CompiledSteps::choose(const Task& task, int width, const Settings& settings) {
    forget();
    task_ = task, width_ = width, notice_ = settings.notice;
    form_ = {}, may_follow_ = only_seconds_count_ = has_told_ = false;
    if (settings.kernels == names::interpreted_kernels) {
        form_.traced = InterpretedSteps::of(task, width);
        if (!form_.traced && notice_ && task.system == joint_mechanism_system)
            notice_("--kernels interpreted does not take this study yet: its steps read tables");
        return;
    }
    if (settings.kernels == names::table_kernels || !may_have_processor_kernels(task)) return;
    if (settings.kernels == names::compiled_kernels) {
        if (notice_) notice_("compiling for this mechanism");
        form_ = compiled(task, width, InterpretedSteps::of(task, width), nullptr);
    } else {
        form_.kernels = kept_processor_kernels(task, width);
        may_follow_ = !form_.kernels && settings.starts_at_once;
    }
}

void CompiledSteps::follow_where_long(double seconds_left, double instance_steps_left) {
    const bool may_pay =
        !only_seconds_count_ &&
        instance_steps_left >= instance_steps_that_pay(width_, std::numeric_limits<double>::infinity());
    if (!may_follow_ || !(may_pay || seconds_left >= long_run_s)) return;
    may_follow_ = false, forgotten_ = false, is_compiling_ = true;
    compiling_ = std::async(std::launch::async, [this, seconds_left, instance_steps_left] {
        return followed(seconds_left, instance_steps_left);
    });
}

void CompiledSteps::take_what_followed() {
    if (!compiling_.valid() || compiling_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    form_ = compiling_.get(), is_compiling_ = false;
    if (!form_.failure.empty() && notice_)
        notice_("steps are not compiled for this run, which continues as it began: " + form_.failure);
    may_follow_ = only_seconds_count_ = !form_.traced && !form_.kernels && form_.failure.empty();
}

template <class Number>
StepsOfALaunch<Number> CompiledSteps::steps(const KernelFunctions<Number>& kernels) {
    take_what_followed();
    if (const InterpretedSteps* const traced = form_.traced.get())
        return {[traced](const PlanTable&, const Launch<Number>& launch, long long first, long long count) {
                    traced->advance(launch, first, count);
                },
                traced->block()};
    if constexpr (sizeof(Number) == sizeof(double))
        if (form_.kernels) return {form_.kernels->advance, kernels.width};
    return {kernels.advance, kernels.width};
}
template StepsOfALaunch<double> CompiledSteps::steps(const KernelFunctions<double>& kernels);
template StepsOfALaunch<float> CompiledSteps::steps(const KernelFunctions<float>& kernels);

void CompiledSteps::look_back() {
    if (has_told_ || !form_.traced || !form_.traced->has_refused()) return;
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
