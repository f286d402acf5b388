#include "host/backends/cuda/on_host.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/interface/standard_arithmetic.hpp"
#include "host/backends/interface/tiles.hpp"

namespace myriad::backends::cuda {

namespace {

// A launch over slots in the host's memory; what all instances share is in `constants`.
template <class Number>
Launch<Number> launch_on_host(const DeviceTask<Number>& kernels, std::uint64_t count, Number* host,
                              std::span<const unsigned int> order, TileArrays<Number>& constants) {
    const Shape& shape = kernels.shape();
    const ArrayPlaces places(shape, count);
    Launch<Number> launch = constants.launch(shape, kernels.task(), order.empty() ? count : order.size());
    launch.records = host + places.records;
    launch.initial_states = host + places.initial_states;
    launch.final_states = host + places.final_states;
    launch.quantities = host + places.quantities;
    launch.trajectory = shape.rows > 0 ? host + places.trajectory : nullptr;
    launch.order = order.empty() ? nullptr : order.data();
    return launch;
}

// Groups of `width` slots, `groups_at_once` of them at a time on each processor.
template <class Number>
void run_all(const Task& task, const Launch<Number>& launch, typename KernelFunctions<Number>::Groups function,
             int width, long long groups_at_once) {
    const long long groups = (launch.slots + width - 1) / width;
    std::atomic<long long> next{0};
    const auto work = [&] {
        const StandardArithmetic arithmetic;
        for (long long first = next.fetch_add(groups_at_once); first < groups; first = next.fetch_add(groups_at_once))
            function(task.plan, launch, first, std::min(groups_at_once, groups - first));
    };
    std::vector<std::thread> others(static_cast<std::size_t>(
        std::min<long long>(hardware_threads(), (groups + groups_at_once - 1) / groups_at_once) - 1));
    for (std::thread& other : others) other = std::thread(work);
    work();
    for (std::thread& other : others) other.join();
}

}  // namespace

template <class Number>
void start_on_host(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                   Number* host, const Stream& copying, std::span<const unsigned int> order) {
    const Shape& shape = kernels.shape();
    const ArrayPlaces places(shape, instances.count);
    TileArrays<Number> constants;
    const Launch<Number> launch = launch_on_host(kernels, instances.count, host, order, constants);
    const std::uint64_t row = static_cast<std::uint64_t>(shape.observed) * tile_instances,
                        rows = row * static_cast<std::uint64_t>(shape.rows), tiles = tiles_of(instances.count);
    // An instance that cannot begin writes no row, and `host` may hold one of a former chunk.
    for (std::uint64_t tile = 0; order.empty() && rows > 0 && tile < tiles; ++tile)
        std::fill_n(launch.trajectory + tile * rows, row, std::numeric_limits<Number>::quiet_NaN());
    run_all<Number>(kernels.task(), launch, functions_of<Number>(find_kernel(start_kernels(), kernels.task())).begin, 1,
                    tile_instances);
    device.require(device.call().upload(instances.arrays, host, places.trajectory * sizeof(Number), copying.handle()),
                   "copying the instances to the GPU");
    copy_tiles(device, {host + places.trajectory, 0, rows * sizeof(Number)},
               {nullptr, instances.arrays + places.trajectory * sizeof(Number), rows * sizeof(Number)},
               rows > 0 ? row * sizeof(Number) : 0, tiles, copying, "copying the first rows to the GPU");
}

template <class Number>
void step_on_host(const DeviceTask<Number>& kernels, const KernelFunctions<Number>& functions, std::uint64_t count,
                  Number* host, std::span<const unsigned int> order) {
    // To start a thread takes as long as some hundred steps.
    constexpr long long slots_at_once = 64;
    TileArrays<Number> constants;
    Launch<Number> launch = launch_on_host(kernels, count, host, order, constants);
    launch.attempts = 1;
    run_all<Number>(kernels.task(), launch, functions.advance, functions.width, slots_at_once / functions.width);
}

template void start_on_host(const Device&, const DeviceTask<double>&, const DeviceInstances&, double*, const Stream&,
                            std::span<const unsigned int>);
template void start_on_host(const Device&, const DeviceTask<float>&, const DeviceInstances&, float*, const Stream&,
                            std::span<const unsigned int>);
template void step_on_host(const DeviceTask<double>&, const KernelFunctions<double>&, std::uint64_t, double*,
                           std::span<const unsigned int>);
template void step_on_host(const DeviceTask<float>&, const KernelFunctions<float>&, std::uint64_t, float*,
                           std::span<const unsigned int>);

}  // namespace myriad::backends::cuda
