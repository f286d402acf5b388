#include "host/program/instance_selection.hpp"

#include <charconv>
#include <utility>

#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

// Two whole numbers around `separator`, and nothing else.
std::optional<Pair> two_numbers(const std::string& text, char separator) {
    Pair numbers{};
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, numbers.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != separator) return {};
    const auto second = std::from_chars(first.ptr + 1, end, numbers.second);
    if (second.ec != std::errc() || second.ptr != end) return {};
    return numbers;
}

// floor(k n / r) without the product, for r < 2^32 and k <= r.
std::uint64_t share(std::uint64_t k, std::uint64_t n, std::uint64_t r) { return k * (n / r) + k * (n % r) / r; }

}  // namespace

std::optional<results::InstanceRange> selected_instances(const std::optional<std::string>& range,
                                                         const std::optional<std::string>& shard,
                                                         std::uint64_t instances) {
    const std::string of_study =
        "the study has " + std::to_string(instances) + " instances, 0 to " + std::to_string(instances - 1);
    if (range) {
        const std::string option = "--range " + *range;
        const auto ends = two_numbers(*range, ':');
        if (!ends) refuse_at(option, "this is no range", "write --range 500:1000 for the instances 500 to 999");
        if (ends->first >= ends->second)
            refuse_at(option, "the range holds no instance", "write its first instance, then the one behind its last");
        if (ends->second > instances)
            refuse_at(option, of_study, "end the range at " + std::to_string(instances) + " or before");
        return results::InstanceRange{ends->first, ends->second - ends->first};
    }
    if (shard) {
        constexpr std::uint64_t most_shards = (std::uint64_t{1} << 32) - 1;
        const std::string option = "--shard " + *shard;
        const auto part = two_numbers(*shard, '/');
        if (!part) refuse_at(option, "this is no shard", "write --shard 0/16 for the first of 16 parts");
        const auto [k, r] = *part;
        if (r == 0 || r > most_shards || k >= r)
            refuse_at(option, "there is no such shard",
                      "the shards of R are 0/R to (R - 1)/R; R is at most " + std::to_string(most_shards));
        const std::uint64_t first = share(k, instances, r), end = share(k + 1, instances, r);
        if (first == end)
            refuse_at(option, "this shard holds no instance: " + of_study,
                      "cut it into at most " + std::to_string(instances) + " shards");
        return results::InstanceRange{first, end - first};
    }
    return {};
}

std::filesystem::path part_beside(const std::filesystem::path& whole, results::InstanceRange range) {
    return whole.parent_path() /
           (whole.stem().string() + "." + std::to_string(range.first) + "-" + std::to_string(range.end()) + ".h5");
}

}  // namespace myriad::program
