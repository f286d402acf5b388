// Runs compiled per-instance code without a backend: the same tiles, but launches of any length.
#pragma once
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/interface/tiles.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {

inline const KernelEntry& find_kernel(const KernelList& kernels, const Task& task) {
    for (int i = 0; i < kernels.count; ++i) {
        const KernelEntry& entry = kernels.entries[i];
        if (task.system == entry.system && task.chart == entry.chart && task.integrator == entry.integrator)
            return entry;
    }
    throw std::logic_error("a variant lacks " + task.system + " " + task.chart + " " + task.integrator);
}

// A launch tries at most `attempts` steps per instance; launches follow until no instance runs.
template <class Number>
Chunk run_kernel(const KernelFunctions<Number>& functions, const KernelEntry& entry, const Task& task,
                 const Instances& instances, long long attempts) {
    const Shape shape =
        shape_of(task, entry.state_channels(task.plan), entry.invariants, entry.record_fields(task.plan));
    const std::uint64_t count = instances.size();
    TileArrays<Number> arrays;
    arrays.resize(shape, count);
    store_varied(shape, count, columns(instances, 0, count).data(), arrays.records.data());
    Launch<Number> launch = arrays.launch(shape, task, count);
    launch.attempts = attempts;
    const auto groups = [&] { return (launch.slots + functions.width - 1) / functions.width; };
    functions.begin(task.plan, launch, 0, launch.slots);
    std::vector<unsigned int> order(count);
    for (unsigned int i = 0; i < count; ++i) order[i] = i;
    for (keep_running(shape, arrays.records.data(), order); !order.empty();
         keep_running(shape, arrays.records.data(), order)) {
        launch.order = order.data();
        launch.slots = static_cast<long long>(order.size());
        functions.advance(task.plan, launch, 0, groups());
    }
    Chunk chunk;
    read_chunk(shape, count, arrays.records.data(), arrays.initial_states.data(), arrays.final_states.data(),
               arrays.trajectory.data(), arrays.quantities.data(), chunk);
    return chunk;
}

}  // namespace myriad::backends
