// The number of instances in a chunk, chosen so that it lasts about ten seconds and a kill never costs more.
//
// The first chunk is the smallest that keeps the backend busy; later ones follow the rate of the last that was timed,
// and grow by a bounded factor, since the first instances may be the quick ones. Which instances share a chunk changes
// no bit of theirs.
#pragma once
#include <algorithm>
#include <cstdint>

namespace myriad::ensemble {

class ChunkSize {
  public:
    static constexpr double wanted_seconds = 10.0;
    static constexpr std::uint64_t most_growth = 16, tile = 32;

    // 1 <= smallest <= most
    ChunkSize(std::uint64_t smallest, std::uint64_t most) : smallest_(smallest), most_(most), size_(smallest) {}
    std::uint64_t next() const { return size_; }
    // A chunk took so long. A chunk below the smallest size, the rest of a gap, says nothing about the rate.
    void took(std::uint64_t instances, double seconds) {
        if (instances < smallest_) return;
        const std::uint64_t grown = instances > most_ / most_growth ? most_ : instances * most_growth;
        const double wanted = static_cast<double>(instances) * wanted_seconds / std::max(seconds, 1e-9);
        size_ = wanted < static_cast<double>(grown) ? static_cast<std::uint64_t>(wanted) : grown;
        if (size_ > tile) size_ -= size_ % tile;
        size_ = std::clamp(size_, smallest_, most_);
    }

  private:
    std::uint64_t smallest_, most_, size_;
};

}  // namespace myriad::ensemble
