#include "host/results/disk/disk_space.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <system_error>

#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

// The largest number stands for all that are larger.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > most / b ? most : a * b;
}
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return a > most - b ? most : a + b;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 7> units = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    auto number = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < units.size(); ++unit) number /= 1000.0;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g %s", number, units[unit]);
    return text.data();
}

std::optional<std::string> check_disk_space(const std::filesystem::path& result_path, const Layout& layout,
                                            std::uint64_t missing) {
    const std::filesystem::path folder =
        result_path.has_parent_path() ? result_path.parent_path() : std::filesystem::path(".");
    std::error_code error;
    const std::uint64_t free = std::filesystem::space(folder, error).available;
    if (error) return {};
    const std::uint64_t row = bytes_per_instance(layout), values = product(missing, row),
                        result = product(layout.instances, row);
    const std::string remedy =
        "run fewer instances, observe fewer channels or rows, free space, or choose another --out";
    if (values > free)
        throw UserError(ExitCode::output, result_path.string(),
                        std::to_string(missing) + " instances of " + std::to_string(row) + " bytes are " +
                            bytes_text(values) + ", and the disk has " + bytes_text(free) + " free",
                        remedy);
    if (layout.compression == 0 || sum(values, result) <= free) return {};
    return "the disk has " + bytes_text(free) + " free; at the end the values take " + bytes_text(values) +
           " more and the compressed result up to " + bytes_text(result) +
           " beside them: free space until then, or the run ends with code 4 and --resume writes the result";
}

}  // namespace myriad::results
