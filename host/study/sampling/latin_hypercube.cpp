#include "host/study/sampling/latin_hypercube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "host/study/sampling/counter_random.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

// The finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint64_t dimension)
    : size_(size), rounds_(size <= largest_small_size ? most_rounds : usual_rounds) {
    const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
    low_bits_ = bits - bits / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << (bits / 2)) - 1;
    for (std::size_t first = 0; first < most_rounds; first += 4) {
        const auto words = random_words(seed, RandomUse::stratum_order, first / 4, dimension, size);
        std::copy(words.begin(), words.end(), keys_.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t index) const {
    do {
        std::uint64_t high = index >> low_bits_, low = index & low_mask_;
        for (std::size_t round = 0; round < rounds_; round += 2) {
            high ^= mix(low ^ keys_[round]) & high_mask_;
            low ^= mix(high ^ keys_[round + 1]) & low_mask_;
        }
        index = (high << low_bits_) | low;
    } while (index >= size_);
    return index;
}

LatinHypercube::LatinHypercube(std::size_t dimensions, std::uint64_t instances, std::uint64_t seed,
                               const std::string& where)
    : instances_(instances), seed_(seed) {
    // Beyond it a double no longer holds the place within a stratum.
    constexpr std::uint64_t largest_size = std::uint64_t{1} << 40;
    if (instances == 0 || instances > largest_size)
        throw UserError(ExitCode::usage_or_input, where,
                        "a Latin hypercube of " + std::to_string(instances) + " instances cannot be made",
                        "give between 1 and 2^40 instances");
    orders_.reserve(dimensions);
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
        orders_.emplace_back(instances, seed, dimension);
}

std::string LatinHypercube::text() const {
    return "latin_hypercube(seed " + std::to_string(seed_) + ", " + std::to_string(instances_) + " instances)";
}

void LatinHypercube::unit_point(std::uint64_t instance, std::span<double> point) const {
    for (std::size_t first = 0; first < orders_.size(); first += 4) {
        const auto words = random_words(seed_, RandomUse::stratum_jitter, instance, first / 4, instances_);
        const std::size_t count = std::min<std::size_t>(4, orders_.size() - first);
        for (std::size_t k = 0; k < count; ++k) {
            const auto stratum = static_cast<double>(orders_[first + k](instance));
            // The sum may round up to the next stratum, and in the last one to 1.
            double place = stratum + open_unit(words[k]);
            if (place >= stratum + 1.0) place = std::nextafter(stratum + 1.0, 0.0);
            point[first + k] = place / static_cast<double>(instances_);
        }
    }
}

}  // namespace myriad::study
