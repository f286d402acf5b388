// The instances of a run that fills one tile and begins another.
#pragma once
#include <cstdint>

namespace myriad::backends {

constexpr std::uint64_t instances_past_a_tile = 33;

}  // namespace myriad::backends
