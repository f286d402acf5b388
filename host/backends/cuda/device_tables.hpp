// The tables of a task that a kernel reads at run time, laid out for the device's memory: plan, mechanism and the
// programs of its elimination, with their pointers set to where they will lie.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/study/task.hpp"

namespace myriad::backends::cuda {

// The bytes to be copied to `address`, at which the plan then lies.
std::vector<std::byte> device_tables(const Task& task, std::uint64_t address);

}  // namespace myriad::backends::cuda
