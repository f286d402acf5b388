#include "host/backends/interface/free_memory.hpp"

#include <fstream>
#include <string>

namespace myriad::backends {

std::optional<std::uint64_t> free_memory() {
    std::ifstream information("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kilobytes = 0;
    while (information >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(information, unit);
    }
    return {};
}

}  // namespace myriad::backends
