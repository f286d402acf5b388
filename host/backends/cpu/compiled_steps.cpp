#include "host/backends/cpu/compiled_steps.hpp"

#include <chrono>
#include <exception>

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

CompiledSteps::Made CompiledSteps::made(const Task& task, int width, const std::optional<CompilerInput>& text,
                                        const std::atomic<bool>* cancelled) {
    Made made;
    if (text) {
        made.step = compiled_function(*text, cancelled);
        made.compiler = {made.step->compiler, made.step->seconds};
    } else {
        made.kernels = processor_kernels(task, width, cancelled);
        made.compiler = {made.kernels->compiler, made.kernels->seconds};
    }
    return made;
}

std::optional<StepsCompiler> compile_steps(const Task& task, int width) {
    const auto traced = InterpretedSteps::of(task, width);
    const auto text = traced ? traced->compiler_input() : std::nullopt;
    if (!text && (traced || !may_have_processor_kernels(task))) return std::nullopt;
    try {
        return CompiledSteps::made(task, width, text, nullptr).compiler;
    } catch (const UserError&) {
        return std::nullopt;
    }
}

void CompiledSteps::take(Made made) {
    if (made.step) traced_->take(*made.step);
    if (made.kernels) kernels_ = std::move(made.kernels);
    if (!made.failure.empty() && notice_)
        notice_("steps are not compiled for this run, which continues as it began: " + made.failure);
}

void CompiledSteps::choose(const Task& task, int width, const Settings& settings) {
    forget();
    task_ = task, width_ = width, notice_ = settings.notice;
    kernels_.reset(), text_.reset();
    may_follow_ = has_told_ = false;
    traced_ = settings.kernels == names::double_kernels ? nullptr : InterpretedSteps::of(task, width);
    if (traced_) text_ = traced_->compiler_input();
    if (!traced_ && settings.kernels == names::interpreted_kernels && notice_ && task.system == joint_mechanism_system)
        notice_("--kernels interpreted does not take this study yet: its steps read tables");
    const bool may_be_compiled = text_ || (!traced_ && may_have_processor_kernels(task));
    if (!may_be_compiled || !(settings.kernels.empty() || settings.kernels == names::compiled_kernels)) return;
    if (settings.kernels == names::compiled_kernels) {
        if (notice_) notice_("compiling for this mechanism");
        return take(made(task, width, text_, nullptr));
    }
    if (const auto kept = text_ ? kept_function(*text_) : std::nullopt)
        traced_->take(*kept);
    else if (!text_)
        kernels_ = kept_processor_kernels(task, width);
    may_follow_ = settings.starts_at_once && !kernels_ && !(traced_ && traced_->is_compiled());
}

void CompiledSteps::follow_where_long(double seconds_left, double instance_steps_left) {
    const bool pays = text_ ? instance_steps_left >= instance_steps_that_pay(width_, traced_->operations())
                            : seconds_left >= long_run_s;
    if (!may_follow_ || !pays) return;
    may_follow_ = false, forgotten_ = false, is_compiling_ = true;
    compiling_ = std::async(std::launch::async, [this]() -> Made {
        try {
            return made(task_, width_, text_, &forgotten_);
        } catch (const UserError& error) {
            return {.failure = error.what_is_wrong()};
        } catch (const std::exception& error) {
            return {.failure = error.what()};
        } catch (const CompilationCancelled&) {
            return {};
        }
    });
}

template <class Number>
StepsOfALaunch<Number> CompiledSteps::steps(const KernelFunctions<Number>& kernels) {
    if (compiling_.valid() && compiling_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        take(compiling_.get()), is_compiling_ = false;
    if (const InterpretedSteps* const traced = traced_.get())
        return {[traced](const PlanTable&, const Launch<Number>& launch, long long first, long long count) {
                    traced->advance(launch, first, count);
                },
                traced->block()};
    if constexpr (sizeof(Number) == sizeof(double))
        if (kernels_) return {kernels_->advance, kernels.width};
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
