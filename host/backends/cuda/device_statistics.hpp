// The parts of a summary that grow with the number of instances, on the GPU: block moments and sorted values.
//
// The library is opened when it is first asked for, beside the program or where the loader finds it. Moments have the
// bits of the host; the sorted values too, except for the order of +0 and -0, which compare equal.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "host/statistics/statistics.hpp"

namespace myriad::backends::cuda {

// Sorts as study::sorted_sample does. None where the library or a GPU is missing, or the GPU refuses (out of memory,
// say); `why` then says so in a sentence, and the caller does it on the host.
std::optional<study::SortedSample> device_sorted_sample(std::span<const double> values,
                                                        std::span<const unsigned char> included, std::uint64_t first,
                                                        std::uint64_t stride, std::string& why);
// Empty where the device statistics can be used, else why not.
std::string device_statistics_missing();

}  // namespace myriad::backends::cuda
