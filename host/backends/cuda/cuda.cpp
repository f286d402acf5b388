#include "host/backends/cuda/cuda.hpp"

#include <algorithm>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/cuda/device_ensemble.hpp"
#include "host/backends/cuda/device_statistics.hpp"
#include "host/backends/cuda/device_steps.hpp"
#include "host/backends/cuda/driver.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends {

namespace {

// Several waves over the largest GPU; more instances at once would hide no more latency.
constexpr std::uint64_t most_instances_per_chunk = std::uint64_t{1} << 18;
// A bound on page-locked host memory, which other programs cannot use meanwhile.
constexpr std::uint64_t most_bytes_per_chunk = std::uint64_t{1} << 30;
// A share of the memory that is free when a task is prepared; the kernels' own needs and other programs get the rest.
constexpr double usable_share = 0.9;
// Of a multiprocessor, at most, on GPUs of the last ten years.
constexpr std::uint64_t resident_threads = 2048;

std::string describe(const cuda::Device& device) {
    return device.name() + ", " + std::to_string(device.multiprocessors()) + " multiprocessors, " +
           std::to_string(device.total_bytes() >> 30) + " GiB" + device.place();
}

// The driver sets the stacks of all threads aside that the GPU can hold at once, whatever a launch asks for.
void require_room_for_stacks(const cuda::CompiledTask& compiled, const cuda::Device& device) {
    int stack = 0;
    for (const cuda::KernelFigures& kernel : compiled.figures()) stack = std::max(stack, kernel.stack_bytes);
    const std::uint64_t all =
        static_cast<std::uint64_t>(stack) * static_cast<std::uint64_t>(device.multiprocessors()) * resident_threads;
    if (all <= device.free_bytes()) return;
    throw UserError(ExitCode::device, device.name(),
                    "the stacks of its threads need " + std::to_string(all >> 20) + " MiB, " + std::to_string(stack) +
                        " bytes each, and " + std::to_string(device.free_bytes() >> 20) + " MiB are free",
                    "use --backend cpu, or a GPU with more memory");
}

// A compiler takes 6 to 28 s for a kernel that begins instances, and a core some 20 us for an instance. Without a
// compiler the host begins all.
constexpr std::uint64_t most_instances_begun_by_host = 1'000'000;
bool begins_on_host(const Task& task, std::uint64_t instances, const std::string& architecture,
                    const cuda::CacheFolders& folders) {
    if (!is_traced(task)) return false;
    std::string why;
    if (instances > most_instances_begun_by_host && cuda::RuntimeCompiler::open(why)) return false;
    const KernelEntry& entry = find_kernel(start_kernels(), task);
    const bool is_in_program =
        task.precision == Precision::fp64 ? entry.fp64.are_compiled() : entry.fp32.are_compiled();
    return is_in_program && !cuda::is_kept(task, architecture, folders, cuda::KernelForm::start);
}

// Kernels of a run of so many instances.
cuda::CompiledTask compiled_kernels(const Task& task, std::uint64_t instances, const cuda::Device& device,
                                    const Settings& settings, cuda::KernelForm form,
                                    const std::atomic<bool>* cancelled) {
    const cuda::CacheFolders folders = cuda::cache_folders();
    // Kernels of instances that differ are brought while chunks run, by several devices on several threads.
    const auto tell = [&] {
        if (!settings.notice || form == cuda::KernelForm::others) return;
        settings.notice(
            "Compiling the GPU kernels of this study: that takes from a second to a minute" +
            (folders.writable.empty() ? std::string(".") : ". They are kept in " + folders.writable.string() + "."));
    };
    const std::string architecture = device.architecture();
    cuda::CompiledTask compiled = cuda::compiled_task(task, architecture, folders, tell, form, cancelled);
    if (form == cuda::KernelForm::compiled && is_traced(task) &&
        !begins_on_host(task, instances, architecture, folders))
        compiled.parts.push_back(
            cuda::compiled_task(task, architecture, folders, tell, cuda::KernelForm::start, cancelled).parts.front());
    require_room_for_stacks(compiled, device);
    return compiled;
}

cuda::Compile compile_for(std::shared_ptr<const cuda::Device> device, std::uint64_t instances,
                          const Settings& settings) {
    return [=](const Task& task, cuda::KernelForm form, const std::atomic<bool>* cancelled) {
        return compiled_kernels(task, instances, *device, settings, form, cancelled);
    };
}

int number_of_device(const Settings& settings) {
    return settings.devices.empty() ? settings.rank_on_node.value_or(0) : settings.devices.front();
}

std::shared_ptr<const cuda::Device> open_device(const Settings& settings) {
    std::string why;
    auto device = cuda::Device::open(why, number_of_device(settings));
    if (!device)
        throw UserError(ExitCode::device, "--backend cuda", why, "use --backend cpu, or a machine with an NVIDIA GPU");
    return device;
}

class CudaBackend final : public LateBackend {
  public:
    CudaBackend(std::shared_ptr<const cuda::Device> device, const Settings& settings)
        : settings_(settings), device_(std::move(device)) {
        device_->use();
    }

    const char* name() const override { return names::cuda; }
    std::string device() const override {
        device_->use();
        return describe(*device_);
    }
    std::string tools() const override { return tools_; }
    int buffers() const override { return cuda::chunks_in_flight; }
    study::SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included,
                                      std::uint64_t first, std::uint64_t stride) const override {
        std::string why;
        device_->use();
        if (auto sample = cuda::device_sorted_sample(values, included, first, stride, why)) return *std::move(sample);
        return Backend::sorted_sample(values, included, first, stride);
    }

    bool has_to_compile(const Task& task) const override {
        const cuda::CacheFolders folders = cuda::cache_folders();
        std::string why;
        device_->use();
        // The text of a traced step compiles in the time that a stand-in would need to begin.
        return task.mechanism == nullptr &&
               !cuda::is_kept(task, device_->architecture(), folders, cuda::KernelForm::compiled) &&
               cuda::RuntimeCompiler::open(why);
    }

    MemoryPlan prepare_unless(const std::atomic<bool>& stopped, const Task& task, std::uint64_t instances) override {
        device_->use();
        ensemble_.reset();
        const cuda::CompiledTask compiled = kernels_of(task, instances, stopped);
        const KernelEntry& entry = find_kernel(start_kernels(), task);
        shape_ = shape_of(task, entry);
        ensemble_ = cuda::make_device_ensemble(device_, task, shape_, entry.adaptive, compiled,
                                               compile_for(device_, instances, settings_), settings_.progress);
        tools_ = cuda::tools_of(compiled.with(cuda::advance_kernel).compiler);
        MemoryPlan plan = this->plan(task, instances);
        // One wave: it takes as long as a single instance.
        const cuda::BlockShape block = compiled.with(cuda::advance_kernel).block;
        const auto wave = static_cast<std::uint64_t>(device_->multiprocessors()) *
                          static_cast<std::uint64_t>(block.threads * block.blocks);
        plan.smallest_chunk = std::clamp<std::uint64_t>(wave, 1, plan.instances_per_chunk);
        return plan;
    }
    MemoryPlan plan(const Task& task, std::uint64_t instances) override {
        device_->use();
        const Shape shape = shape_of(task, find_kernel(start_kernels(), task));
        MemoryPlan plan;
        const std::size_t number = task.precision == Precision::fp64 ? sizeof(double) : sizeof(float);
        plan.bytes_per_instance = backends::bytes_per_instance(shape, number) + sizeof(unsigned int);
        plan.bytes_available = static_cast<std::uint64_t>(usable_share * static_cast<double>(device_->free_bytes()));
        const std::uint64_t share = plan.bytes_available / cuda::chunks_in_flight / plan.bytes_per_instance;
        const std::uint64_t fit = share / tile_instances * tile_instances;  // memory is taken in whole tiles
        if (fit == 0 || std::min(settings_.chunk, instances) > fit)
            throw UserError(
                ExitCode::device, device_->name(),
                "two chunks of " + std::to_string(std::max<std::uint64_t>(settings_.chunk, 1)) + " instances with " +
                    std::to_string(plan.bytes_per_instance) + " bytes each do not fit into " +
                    std::to_string(plan.bytes_available) + " bytes of free memory",
                (fit > 0 ? "use --chunk " + std::to_string(fit) + " or smaller, observe" : std::string("observe")) +
                    " fewer channels or rows, or free the GPU's memory");
        const std::uint64_t staged =
            std::max<std::uint64_t>(tile_instances, most_bytes_per_chunk / plan.bytes_per_instance);
        plan.instances_per_chunk =
            settings_.chunk ? std::min(settings_.chunk, instances)
                            : std::max<std::uint64_t>(1, std::min({most_instances_per_chunk, fit, staged, instances}));
        return plan;
    }
    Shape shape() const override { return shape_; }

    void start(int buffer, std::uint64_t count, const double* varied) override {
        ensemble_->start(buffer, count, varied);
    }
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) override {
        return ensemble_->finish(buffer, chunk, stop);
    }
    double compute_seconds() const override { return ensemble_ ? ensemble_->compute_seconds() : 0.0; }

  private:
    static Shape shape_of(const Task& task, const KernelEntry& entry) {
        return backends::shape_of(task, entry.state_channels(task.plan), entry.invariants,
                                  entry.record_fields(task.plan));
    }
    cuda::CompiledTask kernels_of(const Task& task, std::uint64_t instances, const std::atomic<bool>& stopped) const {
        try {
            return compiled_kernels(task, instances, *device_, settings_, cuda::KernelForm::compiled, &stopped);
        } catch (const cuda::CompilationCancelled&) {
            throw PreparingStopped{};
        }
    }

    Settings settings_;
    std::shared_ptr<const cuda::Device> device_;
    Shape shape_;
    std::string tools_;
    std::unique_ptr<cuda::DeviceEnsemble> ensemble_;
};

}  // namespace

Availability cuda_availability(const Settings& settings) {
    std::string why;
    const auto device = cuda::Device::open(why, number_of_device(settings));
    if (!device) return {names::cuda, false, why};
    device->use();
    // Traced steps need the driver alone.
    const bool has_compiler = cuda::RuntimeCompiler::open(why) != nullptr;
    return {names::cuda, true,
            describe(*device) + (has_compiler ? ""
                                              : "; without NVRTC for studies in body coordinates or of systems of "
                                                "the catalog, unless their kernels are kept")};
}

int cuda_devices() {
    std::string why;
    const auto device = cuda::Device::open(why);
    return device ? device->devices() : 0;
}

std::unique_ptr<LateBackend> make_cuda_backend(const Settings& settings) {
    return std::make_unique<CudaBackend>(open_device(settings), settings);
}

std::unique_ptr<SteppedLaunches> make_cuda_launches(const Settings& settings, const Task& task, std::uint64_t count,
                                                    const double* varied) {
    const auto device = open_device(settings);
    device->use();
    return cuda::make_device_steps(device, task, find_kernel(start_kernels(), task),
                                   compile_for(device, count, settings), count, varied);
}

}  // namespace myriad::backends
