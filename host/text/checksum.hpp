// A 64-bit checksum against torn and damaged records, not against malice: four interleaved lanes of
// lane = mix((lane xor word) * odd), words of 8 bytes, the tail padded with zeros, the length added at the end. Every
// step is a bijection of the lane and of the word, so any damage that stays within one word is found with certainty,
// and any other with probability 1 - 2^-64. The value does not depend on how the bytes are cut into calls of add().
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace myriad {

class Checksum {
  public:
    explicit Checksum(std::uint64_t seed = 0) {
        for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = mixed(seed + i + 1, multiplier);
    }

    void add(std::span<const std::byte> bytes) {
        length_ += bytes.size();
        if (waiting_ > 0) {
            const std::size_t taken = std::min(bytes.size(), block_bytes - waiting_);
            std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(waiting_));
            waiting_ += taken;
            bytes = bytes.subspan(taken);
            if (waiting_ < block_bytes) return;
            absorb(block_.data());
            waiting_ = 0;
        }
        for (; bytes.size() >= block_bytes; bytes = bytes.subspan(block_bytes)) absorb(bytes.data());
        std::copy_n(bytes.begin(), bytes.size(), block_.begin());
        waiting_ = bytes.size();
    }

    std::uint64_t value() const {
        Checksum rest = *this;
        std::fill(rest.block_.begin() + static_cast<std::ptrdiff_t>(waiting_), rest.block_.end(), std::byte{0});
        rest.absorb(rest.block_.data());
        std::uint64_t sum = length_;
        for (const std::uint64_t lane : rest.lanes_) sum = mixed(sum, lane);
        return mixed(sum, multiplier);
    }

  private:
    static constexpr std::size_t block_bytes = 32;
    static constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15u;  // odd: 2^64 over the golden ratio

    static std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
        lane = (lane ^ word) * multiplier;
        return lane ^ (lane >> 29);
    }

    void absorb(const std::byte* block) {
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            std::uint64_t word;
            std::memcpy(&word, block + 8 * i, 8);
            lanes_[i] = mixed(lanes_[i], word);
        }
    }

    std::array<std::uint64_t, 4> lanes_;
    std::array<std::byte, block_bytes> block_{};
    std::size_t waiting_ = 0;
    std::uint64_t length_ = 0;
};

}  // namespace myriad
