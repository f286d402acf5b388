// Sobol points, scrambled and replicated.
//
// The sequence: digit vectors of Joe and Kuo (SIAM J. Sci. Comput. 30, 2008) from Boost.Random, in Gray code order
// (Antonov and Saleev 1979). The scramble: digits y = L x + e modulo 2, L a random lower triangular matrix with unit
// diagonal, e a random shift, per dimension and replicate (Matousek, J. Complexity 14, 1998). Each point is then
// uniform on the cube, the net stays a net, and the variance of a mean is that of Owen's nested scramble (Owen,
// "Variance with alternative scramblings of digital nets", ACM TOMACS 13, 2003). An interval cannot come from one net,
// whose points depend on each other, but comes from the spread among R independent scrambles: instance i is point i / R
// of replicate i mod R, so that every prefix of the instances is spread evenly over the replicates. Best balanced when
// the number of instances is R times a power of two. Limits: 3667 dimensions, 2^40 points in a replicate, 1024
// replicates; 52 binary digits.
#pragma once
#include "host/study/sampling/design.hpp"

namespace myriad::study {

// Points of the plain sequence, and the columns they are combined from.
class SobolSequence {
  public:
    static constexpr std::size_t most_dimensions = 3667;
    static constexpr unsigned index_bits = 40;

    explicit SobolSequence(std::size_t dimensions);

    // Digits after the binary point, the first one in the most significant bit; index < 2^40.
    std::uint64_t digits(std::uint64_t index, std::size_t dimension) const;
    // The digits that bit `bit` of the Gray code of an index contributes.
    std::uint64_t column(std::size_t dimension, unsigned bit) const { return columns_[dimension * index_bits + bit]; }

  private:
    std::vector<std::uint64_t> columns_;
};

class ScrambledSobol final : public Design {
  public:
    static constexpr std::uint64_t default_replicates = 16, most_replicates = 1024;

    // Throws UserError for more than 3667 dimensions or a number of replicates outside 2 ... 1024.
    ScrambledSobol(std::size_t dimensions, std::uint64_t seed, std::uint64_t replicates, const std::string& where);

    std::size_t dimensions() const override { return dimensions_; }
    std::uint64_t capacity() const override { return replicates_ << SobolSequence::index_bits; }
    Intervals intervals() const override { return {IntervalBasis::replicated, replicates_}; }
    std::string text() const override;
    void unit_point(std::uint64_t instance, std::span<double> point) const override;

  private:
    std::size_t dimensions_;
    std::uint64_t seed_, replicates_;
    // Per replicate and dimension: the shift e, then L applied to each of the sequence's columns.
    std::vector<std::uint64_t> scrambled_;
};

}  // namespace myriad::study
