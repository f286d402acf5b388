// The kernels of a task on a GPU, what all of its instances share, and the stream in which they run.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/cuda/driver.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/study/task.hpp"

namespace myriad::backends::cuda {

// Where the arrays of so many instances lie in one block of memory, in Numbers.
struct ArrayPlaces {
    std::uint64_t records = 0, initial_states = 0, final_states = 0, quantities = 0, trajectory = 0, end = 0;
    ArrayPlaces(const Shape& shape, std::uint64_t count);
};

// The kernels of a task for the device in one of their forms; throws UserError where there are none, and
// CompilationCancelled after `cancelled` was raised.
using Compile = std::function<CompiledTask(const Task& task, KernelForm form, const std::atomic<bool>* cancelled)>;

// Instances on the device, and which of them a launch takes.
struct DeviceInstances {
    CUdeviceptr arrays = 0;
    std::uint64_t count = 0;
    CUdeviceptr order = 0;  // slots to run; 0: all in order
    std::uint64_t slots = 0;
    CUdeviceptr former = 0;  // [tile][varied field][32], for renew()
    bool are_mixed = false;  // whether one of them differs from what the traced step takes for constants
};

template <class Number>
class DeviceTask {
  public:
    DeviceTask(std::shared_ptr<const Device> device, const Task& task, const Shape& shape,
               const CompiledTask& compiled);

    const Task& task() const { return task_; }
    const Shape& shape() const { return shape_; }
    const Stream& stream() const { return stream_; }
    // Whether there is a kernel that begins instances. Else the host does, as a compiler would take longer for one.
    bool can_begin() const { return begin_.has_value(); }
    // They only queue the kernel.
    void begin(const DeviceInstances& instances) const { launch(begin_.value(), instances, 0); }
    void advance(const DeviceInstances& instances, std::int64_t attempts) const {
        launch(advance_, instances, attempts);
        if (instances.are_mixed) launch(others_.value(), instances, attempts);
    }
    // Whether one of so many instances has another value in a varied field than the traced step takes for a constant.
    bool differs(int field, std::uint64_t count, const double* values) const;
    bool is_known(int field) const;
    // The kernels of a renewal and of instances that differ are programs of their own, brought when they are first
    // needed.
    bool can_renew() const { return renew_.has_value(); }
    bool takes_others() const { return others_.has_value(); }
    void bring_renewal(const Compile& compile) {
        renew_.emplace(device_, compile(task_, KernelForm::renewal, nullptr).with(renew_kernel), renew_kernel);
    }
    void bring_others(const Compile& compile, const std::atomic<bool>* cancelled = nullptr) {
        others_.emplace(device_, compile(task_, KernelForm::others, cancelled).with(others_kernel), others_kernel);
    }
    bool is_traced() const { return advance_.is_traced; }
    // Whether a launch may leave instances behind: catch_up.hpp.
    bool may_leave_behind() const { return is_traced() && has_contact(task_); }
    // The compiler of its steps.
    const std::string& compiler() const { return compiler_; }
    void renew(const DeviceInstances& instances) const { launch(renew_.value(), instances, 0); }

  private:
    struct Kernel {
        Kernel(const std::shared_ptr<const Device>& owner, const CompiledKernels& compiled, const char* name)
            : block(compiled.block),
              is_traced(compiled.is_traced),
              module(owner, compiled.cubin),
              function(module.function(name)) {}
        BlockShape block;
        bool is_traced;
        Module module;
        CUfunction function;
    };
    void store_constants();
    void launch(const Kernel& kernel, const DeviceInstances& instances, std::int64_t attempts) const;

    std::shared_ptr<const Device> device_;
    Task task_;
    Shape shape_;
    std::string compiler_;
    Kernel advance_;
    std::optional<Kernel> begin_, renew_, others_;
    KnownParameters known_;  // that the traced step takes for constants
    DeviceArray constants_, tables_;
    std::size_t thresholds_at_ = 0;
    Stream stream_;  // destroyed first, and waited for then: it reads the arrays above
};

// One side of a copy: tiles on the host, or else on the device.
struct TileRows {
    const void* host = nullptr;
    CUdeviceptr device = 0;
    std::uint64_t bytes_of_tile = 0;
};
// Queues the copy of the first `bytes` of so many tiles. `doing` completes "while ...".
void copy_tiles(const Device& device, const TileRows& from, const TileRows& to, std::uint64_t bytes,
                std::uint64_t tiles, const Stream& stream, const char* doing);

}  // namespace myriad::backends::cuda
