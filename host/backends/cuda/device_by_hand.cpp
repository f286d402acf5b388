#include "host/backends/cuda/device_by_hand.hpp"

#include <stdexcept>

#include "host/backends/compiled_kernels/kernel_report.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends::cuda {

CompiledByHand compile_by_hand(const KernelByHand& kernel, const std::string& architecture) {
    std::string why;
    const auto compiler = RuntimeCompiler::open(why);
    if (!compiler)
        throw UserError(ExitCode::device, "kernel by hand", "there is no run-time compiler: " + why,
                        "install NVRTC of CUDA 12 or 13");
    std::vector<std::string> options = kernel_options(architecture);
    std::erase(options, "--fmad=false");
    const CompiledSource code = compiler->compile(kernel.source, options);
    for (const KernelFigures& figures : kernel_figures(code.log, code.ptx))
        if (figures.kernel == kernel.name)
            return {compiler->version(), code.cubin, figures.registers, figures.stack_bytes, code.seconds};
    throw std::invalid_argument("the source has no kernel of the name '" + kernel.name + "'");
}

RunByHand run_by_hand(const std::shared_ptr<const Device>& device, const KernelByHand& kernel,
                      const EnsembleByHand& ensemble, int repetitions) {
    unsigned long long instances = ensemble.instances;
    if (instances == 0 || ensemble.parameters.size() % instances != 0 || ensemble.state.size() % instances != 0)
        throw std::invalid_argument("an ensemble by hand of sizes that contradict each other");
    const CompiledByHand compiled = compile_by_hand(kernel, device->architecture());
    device->use();
    const Module module(device, compiled.cubin);
    const CUfunction function = module.function(kernel.name.c_str());
    const Stream stream(device);
    const Event begun(device), done(device);
    DeviceArray parameters(device), state(device);
    parameters.reserve(ensemble.parameters.size_bytes()), state.reserve(ensemble.state.size_bytes());
    const auto upload = [&](const DeviceArray& to, std::span<const double> from) {
        device->require(device->call().upload(to.address(), from.data(), from.size_bytes(), stream.handle()),
                        "copying an ensemble to the GPU");
    };
    upload(parameters, ensemble.parameters);

    CUdeviceptr parameters_at = parameters.address(), state_at = state.address();
    double step_s = ensemble.step_s;
    long long steps = ensemble.steps;
    void* arguments[] = {&parameters_at, &state_at, &instances, &step_s, &steps};
    const auto blocks = static_cast<unsigned>((instances + threads_by_hand - 1) / threads_by_hand);
    RunByHand result;
    for (int run = 0; run <= repetitions; ++run) {
        upload(state, ensemble.state);
        stream.record(begun);
        device->require(device->call().launch(function, blocks, 1, 1, threads_by_hand, 1, 1, 0, stream.handle(),
                                              arguments, nullptr),
                        "starting a kernel by hand");
        stream.record(done);
        stream.synchronize();
        if (run > 0) result.seconds.push_back(done.seconds_since(begun));
    }
    result.state.resize(ensemble.state.size());
    device->require(
        device->call().download(result.state.data(), state.address(), ensemble.state.size_bytes(), stream.handle()),
        "copying states back");
    stream.synchronize();
    return result;
}

}  // namespace myriad::backends::cuda
