// Latin hypercube (McKay, Beckman, Conover, Technometrics 21, 1979): of N instances, each coordinate has exactly one in
// each of N equal strata, in a random order of its own, at a random place within the stratum.
//
// The order is a permutation that is computed, not stored: a Feistel network on the smallest 2^b >= N numbers, walked
// until it lands below N. Its round function is a bit mixer keyed by Philox words of (seed, dimension, N), so that
// memory does not grow with N and any instance is found at once. Not handled: extension. Another N is another design.
#pragma once
#include <array>

#include "host/study/sampling/design.hpp"

namespace myriad::study {

// A permutation of 0 ... size - 1 as a pure function of (seed, dimension, size).
class KeyedPermutation {
  public:
    KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint64_t dimension);
    std::uint64_t operator()(std::uint64_t index) const;

  private:
    // On few bits a round does little: all orders of up to 7 numbers come out equally likely from 32 rounds on
    // (chi-square over 400 seeds per order), not from 24. From 31 numbers on, 8 rounds show nothing in where a pair of
    // them goes.
    static constexpr std::size_t most_rounds = 32, usual_rounds = 8;
    static constexpr std::uint64_t largest_small_size = 256;
    std::uint64_t size_, low_mask_, high_mask_;
    unsigned low_bits_;
    std::size_t rounds_;
    std::array<std::uint64_t, most_rounds> keys_;
};

class LatinHypercube final : public Design {
  public:
    // Throws UserError unless 1 <= instances <= 2^40.
    LatinHypercube(std::size_t dimensions, std::uint64_t instances, std::uint64_t seed, const std::string& where);

    std::size_t dimensions() const override { return orders_.size(); }
    std::optional<std::uint64_t> fixed_size() const override { return instances_; }
    std::uint64_t capacity() const override { return instances_; }
    // The formulas for independent instances hold the mean in an interval that is too wide: stratification removes the
    // part of the variance that is a sum of functions of one parameter each (Stein, Technometrics 29, 1987).
    Intervals intervals() const override { return {IntervalBasis::latin_hypercube, 1}; }
    std::string text() const override;
    void unit_point(std::uint64_t instance, std::span<double> point) const override;

  private:
    std::uint64_t instances_, seed_;
    std::vector<KeyedPermutation> orders_;
};

}  // namespace myriad::study
