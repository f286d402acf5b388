// Random numbers without state: 256 bits as a pure function of the seed, the use they are put to, and three counters.
//
// Philox4x64-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) from Random123.
// The seed is the key, so different seeds are different permutations of the counters; the use is part of the counter,
// so no two uses of one seed share a number.
#pragma once
#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace myriad::study {

// The numbers are part of what a seed means: they are never given to another use.
enum class RandomUse : std::uint64_t {
    monte_carlo = 0,
    stratum_jitter = 1,
    stratum_order = 2,
    scramble_matrix = 3,
    scramble_shift = 4,
};

inline std::array<std::uint64_t, 4> random_words(std::uint64_t seed, RandomUse use, std::uint64_t first,
                                                 std::uint64_t second = 0, std::uint64_t third = 0) {
    const r123::Philox4x64::ctr_type words =
        r123::Philox4x64{}({{first, second, third, static_cast<std::uint64_t>(use)}}, {{seed, 0}});
    return {words[0], words[1], words[2], words[3]};
}

// The upper 52 bits of a word as the middle of one of 2^52 equal parts of (0, 1): an odd multiple of 2^-53, exact,
// never 0 or 1, symmetric about 1/2.
inline double open_unit(std::uint64_t word) {
    return (static_cast<double>(static_cast<std::int64_t>(word >> 12)) + 0.5) * 0x1p-52;
}

}  // namespace myriad::study
