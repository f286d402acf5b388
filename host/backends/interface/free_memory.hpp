// Memory of this machine.
#pragma once
#include <cstdint>
#include <optional>

namespace myriad::backends {

// Bytes that can be taken without swapping, as the system estimates; nothing where it does not say.
std::optional<std::uint64_t> free_memory();

}  // namespace myriad::backends
