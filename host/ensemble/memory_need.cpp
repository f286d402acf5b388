#include "host/ensemble/memory_need.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "host/backends/interface/free_memory.hpp"
#include "host/results/disk/disk_space.hpp"
#include "host/text/user_error.hpp"

namespace myriad::ensemble {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// The limit of this process' control group, by version 2 or by the memory controller of version 1, and of those above.
// "max" is no number; without a limit version 1 gives a number that no machine has.
std::uint64_t limit_of_control_group() {
    constexpr std::string_view unified = "0::", controller = ":memory:";
    std::ifstream groups("/proc/self/cgroup");
    std::string line;
    std::uint64_t limit = no_limit;
    while (std::getline(groups, line)) {
        const std::size_t found = line.find(controller);
        const bool is_unified = line.starts_with(unified);
        if (!is_unified && found == std::string::npos) continue;
        const std::string mounted = is_unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        const std::string file = is_unified ? "/memory.max" : "/memory.limit_in_bytes";
        for (std::filesystem::path group = line.substr(is_unified ? unified.size() : found + controller.size());;
             group = group.parent_path()) {
            std::uint64_t bytes = 0;
            if (std::ifstream(mounted + group.string() + file) >> bytes) limit = std::min(limit, bytes);
            if (!group.has_relative_path()) break;
        }
    }
    return limit;
}

std::uint64_t memory_of_machine() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    const std::uint64_t machine =
        pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : no_limit;
    return std::min(machine, limit_of_control_group());
}

}  // namespace

std::uint64_t statistics_bytes(const study::Study& study, std::uint64_t instances) {
    // Status, reason, warnings and runs in 4 bytes each, two counts of steps in 8, a mark in 1; two columns of numbers.
    std::uint64_t each = 4 * 4 + 2 * 8 + 1 + 2 * 8;
    // All varied numbers, and the ranks of a parameter and a quantity on each thread.
    if (study.statistics.sensitivity)
        each += 8 * study.varied.size() + 2 * 8 * std::min<std::uint64_t>(study.varied.size(), statistics_threads);
    return instances > no_limit / each ? no_limit : instances * each;
}

std::optional<std::string> check_memory(const study::Study& study, std::uint64_t instances,
                                        std::uint64_t bytes_of_chunks) {
    const std::uint64_t statistics = statistics_bytes(study, instances), need = std::max(statistics, bytes_of_chunks);
    const bool is_chunks = bytes_of_chunks > statistics;
    const std::string what = (is_chunks ? "the chunks on their way to the disk need "
                                        : "the statistics of " + std::to_string(instances) + " instances need ") +
                             results::bytes_text(need) + " of memory";
    if (const std::uint64_t there = memory_of_machine(); need > there)
        throw UserError(ExitCode::usage_or_input, study.file, what + ", and there are " + results::bytes_text(there),
                        is_chunks ? "use a smaller --chunk, or observe fewer channels or rows" : "run fewer instances");
    if (const auto free = backends::free_memory(); free && need > *free)
        return what + ", and " + results::bytes_text(*free) + " are free now";
    return {};
}

}  // namespace myriad::ensemble
