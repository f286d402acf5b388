// A few instances of what a GPU computed, once more on the CPU: bit for bit the same, or the run ends.
//
// The two agree by contract, and tests hold that. But the machine code of a study's kernels is made on the user's
// machine, by whatever compiler is there, and one has been seen to take an array for unset. So a run checks itself: the
// first instances of its first chunk, whole, and those of later chunks as long as that takes a small share of the time.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"

namespace myriad::ensemble {

class DeviceComparison {
  public:
    static constexpr std::uint64_t most_instances = 8;

    // `study`: as errors name it.
    DeviceComparison(backends::Task task, std::string study);

    // Those of a chunk's varied parameters, [field][count], that belong to the instances which are compared.
    static std::vector<double> compared_of(const std::vector<double>& fields, std::uint64_t count);

    // `compared` as above, of the chunk that begins with `first_instance`. Throws UserError where a bit differs, with
    // the names of the device and of its compiler and driver. False where `stop` was raised.
    bool compare(const std::string& device, const std::string& tools, std::uint64_t first_instance,
                 const std::vector<double>& compared, const backends::Chunk& chunk, const std::atomic<bool>& stop);

  private:
    backends::Task task_;
    std::string study_;
    std::unique_ptr<backends::Backend> cpu_;
    std::chrono::steady_clock::time_point began_;
    double seconds_ = 0.0;  // taken so far
};

}  // namespace myriad::ensemble
