#include "host/backends/cuda/device_task.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/cuda/device_tables.hpp"
#include "host/backends/interface/tiles.hpp"

namespace myriad::backends::cuda {

ArrayPlaces::ArrayPlaces(const Shape& shape, std::uint64_t count) {
    const std::uint64_t slots = tiles_of(count) * tile_instances;
    const auto rows = [&](int number) { return slots * static_cast<std::uint64_t>(number); };
    initial_states = rows(shape.record_fields);
    final_states = initial_states + rows(shape.state_channels);
    quantities = final_states + rows(shape.state_channels);
    trajectory = quantities + rows(shape.quantities);
    end = trajectory + rows(shape.rows * shape.observed);
}

template <class Number>
DeviceTask<Number>::DeviceTask(std::shared_ptr<const Device> device, const Task& task, const Shape& shape,
                               const CompiledTask& compiled)
    : device_(std::move(device)),
      task_(task),
      shape_(shape),
      compiler_(compiled.with(advance_kernel).compiler),
      advance_(device_, compiled.with(advance_kernel), advance_kernel),
      constants_(device_),
      tables_(device_),
      stream_(device_) {
    if (!advance_.is_traced || compiled.has(begin_kernel))
        begin_.emplace(device_, compiled.with(begin_kernel), begin_kernel);
    if (advance_.is_traced) known_ = known_parameters(task_);
    store_constants();
}

template <class Number>
bool DeviceTask<Number>::is_known(int field) const {
    const auto at = static_cast<std::size_t>(field);
    return at < known_.size() && !std::isnan(known_[at]);
}

template <class Number>
bool DeviceTask<Number>::differs(int field, std::uint64_t count, const double* values) const {
    if (!is_known(field)) return false;
    const auto known = static_cast<Number>(known_[static_cast<std::size_t>(field)]);
    return std::any_of(values, values + count, [&](double value) { return static_cast<Number>(value) != known; });
}

// Parameters that all instances share, then thresholds, then windows; and the tables of a mechanism.
template <class Number>
void DeviceTask<Number>::store_constants() {
    device_->use();
    std::vector<Number> values(task_.parameters.begin(), task_.parameters.end());
    thresholds_at_ = values.size();
    values.insert(values.end(), task_.thresholds.begin(), task_.thresholds.end());
    values.resize(thresholds_at_ + most_quantities);
    values.insert(values.end(), task_.windows.begin(), task_.windows.end());
    values.resize(thresholds_at_ + 3 * most_quantities);
    constants_.reserve(values.size() * sizeof(Number));
    device_->require(
        device_->call().upload(constants_.address(), values.data(), values.size() * sizeof(Number), stream_.handle()),
        "copying parameters to the GPU");
    std::vector<std::byte> tables;
    if (task_.plan.mechanism != nullptr) {
        tables_.reserve(device_tables(task_, 0).size());
        tables = device_tables(task_, tables_.address());
        device_->require(device_->call().upload(tables_.address(), tables.data(), tables.size(), stream_.handle()),
                         "copying the mechanism to the GPU");
    }
    stream_.synchronize();
}

template <class Number>
void DeviceTask<Number>::launch(const Kernel& kernel, const DeviceInstances& instances, std::int64_t attempts) const {
    const ArrayPlaces places(shape_, instances.count);
    const auto array = [](CUdeviceptr address, std::uint64_t at) {
        return reinterpret_cast<Number*>(address + at * sizeof(Number));
    };
    Launch<Number> launch{};
    launch.records = array(instances.arrays, places.records);
    launch.initial_states = array(instances.arrays, places.initial_states);
    launch.final_states = array(instances.arrays, places.final_states);
    launch.quantities = array(instances.arrays, places.quantities);
    launch.trajectory = shape_.rows > 0 ? array(instances.arrays, places.trajectory) : nullptr;
    launch.parameters = array(constants_.address(), 0);
    launch.thresholds = array(constants_.address(), thresholds_at_);
    launch.windows = array(constants_.address(), thresholds_at_ + most_quantities);
    launch.former = array(instances.former, 0);
    launch.order = reinterpret_cast<const unsigned int*>(instances.order);
    launch.slots = static_cast<long long>(instances.slots);
    launch.attempts = attempts;
    launch.schedule = task_.schedule;
    const CUdeviceptr tables = tables_.address();
    long long second = kernel.is_traced ? (instances.are_mixed ? 1 : 0) : static_cast<long long>(tables);
    void* arguments[] = {&launch, &second};  // CUDA reads as many as the kernel has
    const auto threads = static_cast<unsigned>(kernel.block.threads);
    const auto blocks = static_cast<unsigned>((instances.slots + threads - 1) / threads);
    device_->require(
        device_->call().launch(kernel.function, blocks, 1, 1, threads, 1, 1, 0, stream_.handle(), arguments, nullptr),
        "starting a kernel for " + std::to_string(launch.slots) + " instances");
}

template class DeviceTask<double>;
template class DeviceTask<float>;

void copy_tiles(const Device& device, const TileRows& from, const TileRows& to, std::uint64_t bytes,
                std::uint64_t tiles, const Stream& stream, const char* doing) {
    if (bytes == 0 || tiles == 0) return;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = from.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.srcHost = from.host, copy.srcDevice = from.device, copy.srcPitch = from.bytes_of_tile;
    copy.dstMemoryType = to.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstHost = const_cast<void*>(to.host), copy.dstDevice = to.device, copy.dstPitch = to.bytes_of_tile;
    copy.WidthInBytes = bytes, copy.Height = tiles;
    device.require(device.call().copy_rows(&copy, stream.handle()), doing);
}

}  // namespace myriad::backends::cuda
