// A run of consecutive instances, and the bookkeeping of those that are left to do.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace myriad::results {

struct InstanceRange {
    std::uint64_t first = 0, count = 0;
    std::uint64_t end() const { return first + count; }
    friend bool operator==(const InstanceRange&, const InstanceRange&) = default;
};

// "0 to 499", ends included; the range is not empty.
inline std::string text_of(InstanceRange range) {
    return std::to_string(range.first) + " to " + std::to_string(range.end() - 1);
}

// The part of [0, instances) that is not in `finished` (ascending, disjoint), cut at the multiples of `chunk` of the
// global instance number (chunk >= 1), so that the pieces of a resumed run fall on the same boundaries as those of an
// undisturbed one.
inline std::vector<InstanceRange> missing_ranges(const std::vector<InstanceRange>& finished, std::uint64_t instances,
                                                 std::uint64_t chunk) {
    std::vector<InstanceRange> missing;
    const auto add_gap = [&](std::uint64_t begin, std::uint64_t end) {
        while (begin < end) {
            const std::uint64_t to_boundary = chunk - begin % chunk;
            const std::uint64_t count = to_boundary < end - begin ? to_boundary : end - begin;
            missing.push_back({begin, count});
            begin += count;
        }
    };
    std::uint64_t begin = 0;
    for (const InstanceRange& range : finished) {
        add_gap(begin, range.first);
        begin = range.end();
    }
    add_gap(begin, instances);
    return missing;
}

}  // namespace myriad::results
