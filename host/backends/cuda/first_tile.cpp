#include "host/backends/cuda/first_tile.hpp"

#include <algorithm>
#include <cmath>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu/interpreted_steps.hpp"
#include "host/backends/interface/other_bits.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/run/outcome.hpp"

namespace myriad::backends::cuda {

namespace {

// The arrays that a launch writes, of the first tile.
template <class Number>
TileArrays<Number> first_tile(const Device& device, const DeviceTask<Number>& kernels,
                              const DeviceInstances& instances) {
    const ArrayPlaces places(kernels.shape(), instances.count);
    TileArrays<Number> tile;
    tile.resize(kernels.shape(), std::min<std::uint64_t>(instances.count, tile_instances));
    const auto bring = [&](std::uint64_t at, std::vector<Number>& to) {
        if (to.empty()) return;
        device.require(device.call().download(to.data(), instances.arrays + at * sizeof(Number),
                                              to.size() * sizeof(Number), kernels.stream().handle()),
                       "copying the first instances from the GPU");
    };
    bring(places.records, tile.records), bring(places.final_states, tile.final_states);
    bring(places.quantities, tile.quantities), bring(places.trajectory, tile.trajectory);
    kernels.stream().synchronize();
    return tile;
}

template <class Number>
bool are_same(Number a, Number b) {
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

template <class Number>
void advance_and_compare(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                         const std::vector<unsigned int>& order, long long attempts) {
    std::vector<unsigned int> slots;
    std::copy_if(order.begin(), order.end(), std::back_inserter(slots),
                 [](auto slot) { return slot < tile_instances; });
    TileArrays<Number> expected = first_tile(device, kernels, instances);
    kernels.advance(instances, attempts);
    const TileArrays<Number> found = first_tile(device, kernels, instances);

    const Task& task = kernels.task();
    const auto steps = InterpretedSteps::of(task, cpu_width(0));
    Launch<Number> launch = expected.launch(kernels.shape(), task, slots.size());
    launch.order = slots.data(), launch.attempts = attempts;
    steps->advance(launch, 0, (launch.slots + steps->block() - 1) / steps->block());

    const std::size_t status = static_cast<std::size_t>(kernels.shape().varied + status_of_progress) * tile_instances;
    std::erase_if(
        slots, [&](unsigned int slot) { return found.records[status + slot] == static_cast<Number>(status_behind); });
    const auto compare = [&](const char* what, const std::vector<Number>& of_device,
                             const std::vector<Number>& of_cpu) {
        for (std::size_t row = 0; row < of_cpu.size(); row += tile_instances)
            for (const unsigned int slot : slots)
                if (!are_same(of_device[row + slot], of_cpu[row + slot]))
                    refuse_other_bits(device.name(), tools_of(kernels.compiler()),
                                      task.mechanism->name + " by " + task.integrator, slot, what);
    };
    compare("record", found.records, expected.records);
    compare("final state", found.final_states, expected.final_states);
    compare("quantities", found.quantities, expected.quantities);
    compare("trajectory", found.trajectory, expected.trajectory);
}

template void advance_and_compare(const Device&, const DeviceTask<double>&, const DeviceInstances&,
                                  const std::vector<unsigned int>&, long long);
template void advance_and_compare(const Device&, const DeviceTask<float>&, const DeviceInstances&,
                                  const std::vector<unsigned int>&, long long);

}  // namespace myriad::backends::cuda
