#include "host/backends/cuda/start_on_host.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/interface/standard_arithmetic.hpp"
#include "host/backends/interface/tiles.hpp"

namespace myriad::backends::cuda {

namespace {

template <class Number>
void begin_all(const Task& task, const Launch<Number>& launch) {
    const KernelEntry& entry = find_kernel(start_kernels(), task);
    typename KernelFunctions<Number>::Groups begin = nullptr;
    if constexpr (std::is_same_v<Number, double>)
        begin = entry.fp64.begin;
    else
        begin = entry.fp32.begin;
    std::atomic<long long> next{0};
    const auto work = [&] {
        const StandardArithmetic arithmetic;
        for (long long first = next.fetch_add(tile_instances); first < launch.slots;
             first = next.fetch_add(tile_instances))
            begin(task.plan, launch, first, std::min<long long>(tile_instances, launch.slots - first));
    };
    std::vector<std::thread> others(static_cast<std::size_t>(
        std::min<long long>(hardware_threads(), (launch.slots + tile_instances - 1) / tile_instances) - 1));
    for (std::thread& other : others) other = std::thread(work);
    work();
    for (std::thread& other : others) other.join();
}

}  // namespace

template <class Number>
void start_on_host(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                   Number* host, const Stream& copying, std::span<const unsigned int> order) {
    const Task& task = kernels.task();
    const Shape& shape = kernels.shape();
    const ArrayPlaces places(shape, instances.count);
    TileArrays<Number> constants;  // what all instances share
    Launch<Number> launch = constants.launch(shape, task, order.empty() ? instances.count : order.size());
    launch.records = host + places.records;
    launch.initial_states = host + places.initial_states;
    launch.final_states = host + places.final_states;
    launch.quantities = host + places.quantities;
    launch.trajectory = shape.rows > 0 ? host + places.trajectory : nullptr;
    launch.order = order.empty() ? nullptr : order.data();
    const std::uint64_t row = static_cast<std::uint64_t>(shape.observed) * tile_instances,
                        rows = row * static_cast<std::uint64_t>(shape.rows), tiles = tiles_of(instances.count);
    // An instance that cannot begin writes no row, and `host` may hold one of a former chunk.
    for (std::uint64_t tile = 0; order.empty() && rows > 0 && tile < tiles; ++tile)
        std::fill_n(launch.trajectory + tile * rows, row, std::numeric_limits<Number>::quiet_NaN());
    begin_all(task, launch);
    device.require(device.call().upload(instances.arrays, host, places.trajectory * sizeof(Number), copying.handle()),
                   "copying the instances to the GPU");
    copy_tiles(device, {host + places.trajectory, 0, rows * sizeof(Number)},
               {nullptr, instances.arrays + places.trajectory * sizeof(Number), rows * sizeof(Number)},
               rows > 0 ? row * sizeof(Number) : 0, tiles, copying, "copying the first rows to the GPU");
}

template void start_on_host(const Device&, const DeviceTask<double>&, const DeviceInstances&, double*, const Stream&,
                            std::span<const unsigned int>);
template void start_on_host(const Device&, const DeviceTask<float>&, const DeviceInstances&, float*, const Stream&,
                            std::span<const unsigned int>);

}  // namespace myriad::backends::cuda
