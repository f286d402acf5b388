#include "host/study/sampling/sobol.hpp"

#include <array>
#include <bit>
#include <boost/random/sobol.hpp>

#include "host/study/sampling/counter_random.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

constexpr unsigned digit_count = 64;
constexpr std::size_t stride = 1 + SobolSequence::index_bits;

std::uint64_t gray_code(std::uint64_t index) { return index ^ (index >> 1); }

// Row r of L as a word: digit 1 is the most significant bit, ones on the diagonal, random digits before it.
using ScrambleMatrix = std::array<std::uint64_t, digit_count>;

ScrambleMatrix scramble_matrix(std::uint64_t seed, std::uint64_t replicate, std::uint64_t dimension) {
    ScrambleMatrix rows;
    for (unsigned first = 0; first < digit_count; first += 4) {
        const auto words = random_words(seed, RandomUse::scramble_matrix, first / 4, dimension, replicate);
        for (unsigned k = 0; k < 4; ++k) {
            const std::uint64_t diagonal = std::uint64_t{1} << (digit_count - 1 - (first + k));
            const std::uint64_t before = ~(diagonal | (diagonal - 1));
            rows[first + k] = (words[k] & before) | diagonal;
        }
    }
    return rows;
}

std::uint64_t product(const ScrambleMatrix& rows, std::uint64_t digits) {
    std::uint64_t result = 0;
    for (const std::uint64_t row : rows)
        result = (result << 1) | (static_cast<std::uint64_t>(std::popcount(row & digits)) & 1u);
    return result;
}

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions) : columns_(dimensions * index_bits) {
    if (dimensions == 0) return;
    boost::random::sobol_engine<std::uint64_t, digit_count> engine(dimensions);
    for (unsigned bit = 0; bit < index_bits; ++bit) {
        // The Gray code of 2^(bit+1) - 1 is this bit alone; the engine counts from the sequence's second point.
        engine.seed((std::uint64_t{2} << bit) - 2);
        for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
            columns_[dimension * index_bits + bit] = engine();
    }
}

std::uint64_t SobolSequence::digits(std::uint64_t index, std::size_t dimension) const {
    std::uint64_t digits = 0;
    for (std::uint64_t code = gray_code(index); code != 0; code &= code - 1)
        digits ^= column(dimension, static_cast<unsigned>(std::countr_zero(code)));
    return digits;
}

ScrambledSobol::ScrambledSobol(std::size_t dimensions, std::uint64_t seed, std::uint64_t replicates,
                               const std::string& where)
    : dimensions_(dimensions), seed_(seed), replicates_(replicates) {
    if (dimensions > SobolSequence::most_dimensions)
        throw UserError(ExitCode::usage_or_input, where,
                        "the study varies " + std::to_string(dimensions) +
                            " parameters, but Sobol points are known for " +
                            std::to_string(SobolSequence::most_dimensions),
                        "use \"monte_carlo\" or \"latin_hypercube\"");
    if (replicates < 2 || replicates > most_replicates)
        throw UserError(ExitCode::usage_or_input, where, "replicates is " + std::to_string(replicates),
                        "give between 2 and " + std::to_string(most_replicates) +
                            "; intervals come from the spread among the replicates");
    const SobolSequence sequence(dimensions);
    scrambled_.reserve(replicates * dimensions * stride);
    for (std::uint64_t replicate = 0; replicate < replicates; ++replicate)
        for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
            const ScrambleMatrix matrix = scramble_matrix(seed, replicate, dimension);
            scrambled_.push_back(random_words(seed, RandomUse::scramble_shift, 0, dimension, replicate)[0]);
            for (unsigned bit = 0; bit < SobolSequence::index_bits; ++bit)
                scrambled_.push_back(product(matrix, sequence.column(dimension, bit)));
        }
}

std::string ScrambledSobol::text() const {
    return "sobol(seed " + std::to_string(seed_) + ", " + std::to_string(replicates_) + " replicates)";
}

void ScrambledSobol::unit_point(std::uint64_t instance, std::span<double> point) const {
    const std::uint64_t code = gray_code(instance / replicates_);
    const std::uint64_t* scrambled = scrambled_.data() + (instance % replicates_) * dimensions_ * stride;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension, scrambled += stride) {
        std::uint64_t digits = scrambled[0];
        for (std::uint64_t rest = code; rest != 0; rest &= rest - 1) digits ^= scrambled[1 + std::countr_zero(rest)];
        point[dimension] = open_unit(digits);
    }
}

}  // namespace myriad::study
