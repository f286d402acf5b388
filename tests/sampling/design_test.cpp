#include "host/study/sampling/design.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <set>

#include "host/study/sampling/counter_random.hpp"
#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sobol.hpp"
#include "host/text/user_error.hpp"
#include "tests/sampling/kolmogorov.hpp"
#include "tests/sampling/places.hpp"

namespace myriad::study {
namespace {

std::vector<double> coordinate(const Design& design, std::uint64_t count, std::size_t dimension) {
    std::vector<double> point(design.dimensions()), values;
    for (std::uint64_t i = 0; i < count; ++i) {
        design.unit_point(i, point);
        values.push_back(point[dimension]);
    }
    return values;
}

TEST(CounterRandom, PhiloxGivesThePublishedWords) {
    // kat_vectors of Random123 1.14: philox4x64, 10 rounds.
    const r123::Philox4x64 philox;
    const r123::Philox4x64::ctr_type zeros = philox({{0, 0, 0, 0}}, {{0, 0}});
    EXPECT_EQ(zeros[0], 0x16554d9eca36314cu);
    EXPECT_EQ(zeros[1], 0xdb20fe9d672d0fdcu);
    EXPECT_EQ(zeros[2], 0xd7e772cee186176bu);
    EXPECT_EQ(zeros[3], 0x7e68b68aec7ba23bu);
    const r123::Philox4x64::ctr_type digits_of_pi =
        philox({{0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u}},
               {{0x452821e638d01377u, 0xbe5466cf34e90c6cu}});
    EXPECT_EQ(digits_of_pi[0], 0xa528f45403e61d95u);
    EXPECT_EQ(digits_of_pi[1], 0x38c72dbd566e9788u);
    EXPECT_EQ(digits_of_pi[2], 0xa5a1610e72fd18b5u);
    EXPECT_EQ(digits_of_pi[3], 0x57bd43b5e52b7fe6u);
}

TEST(MonteCarlo, FirstPointOfSeedZeroIsThePublishedPhiloxWords) {
    // Monte Carlo is use 0, so counter and key are all zero; the upper 52 bits and the middle of what they leave open.
    const MonteCarlo design(5, 0);
    std::vector<double> point(5);
    design.unit_point(0, point);
    const std::uint64_t words[] = {0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu};
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(point[k], (2.0 * static_cast<double>(words[k] >> 12) + 1.0) * 0x1p-53);
}

TEST(CounterRandom, UnitsAreNeverZeroOrOne) {
    EXPECT_EQ(open_unit(0), 0x1p-53);
    EXPECT_EQ(open_unit(~std::uint64_t{0}), 1.0 - 0x1p-53);
    EXPECT_EQ(open_unit(0x123456789abcdef0u) + open_unit(~0x123456789abcdef0u), 1.0);
}

TEST(MonteCarlo, CoordinatesAreUniformAndUncorrelated) {
    constexpr std::size_t count = 20000, dimensions = 6;
    const MonteCarlo design(dimensions, 42);
    std::vector<std::vector<double>> columns;
    for (std::size_t k = 0; k < dimensions; ++k) {
        columns.push_back(coordinate(design, count, k));
        EXPECT_LT(kolmogorov_distance(columns[k], [](double u) { return u; }), kolmogorov_bound(count, rare));
    }
    // Standard error of a correlation of independent variables is 1/sqrt(N); 5 of them: once in two million.
    const double bound = 5.0 / std::sqrt(count);
    for (std::size_t j = 0; j < dimensions; ++j)
        for (std::size_t k = 0; k < j; ++k) {
            double sum = 0.0, lagged = 0.0;
            for (std::size_t i = 0; i + 1 < count; ++i) {
                sum += 12.0 * (columns[j][i] - 0.5) * (columns[k][i] - 0.5) / count;
                lagged += 12.0 * (columns[j][i] - 0.5) * (columns[k][i + 1] - 0.5) / count;
            }
            EXPECT_LT(std::abs(sum), bound);
            EXPECT_LT(std::abs(lagged), bound);
        }
}

TEST(Designs, DifferentSeedsShareNoCoordinate) {
    std::set<double> seen;
    std::size_t count = 0;
    for (const std::uint64_t seed : {0u, 1u, 2u, 1000u})
        for (int kind = 0; kind < 3; ++kind) {
            std::unique_ptr<Design> design;
            if (kind == 0) design = std::make_unique<MonteCarlo>(3, seed);
            if (kind == 1) design = std::make_unique<LatinHypercube>(3, 50, seed, design_place);
            if (kind == 2) design = std::make_unique<ScrambledSobol>(3, seed, 4, design_place);
            for (std::size_t k = 0; k < 3; ++k)
                for (const double u : coordinate(*design, 50, k)) {
                    seen.insert(u);
                    ++count;
                }
        }
    EXPECT_EQ(seen.size(), count);
}

TEST(Designs, ASeedKeepsItsMeaning) {
    // Hashes of the bits (FNV-1a): a study that is run again years later has the same instances. No library function
    // but Philox and the Sobol numbers takes part, so they hold on every machine.
    const auto hash = [](const Design& design) {
        std::uint64_t bits = 0xcbf29ce484222325u;
        std::vector<double> point(design.dimensions());
        for (std::uint64_t i = 0; i < 1000; ++i) {
            design.unit_point(i, point);
            for (const double u : point) bits = (bits ^ std::bit_cast<std::uint64_t>(u)) * 0x100000001b3u;
        }
        return bits;
    };
    EXPECT_EQ(hash(MonteCarlo(5, 7)), 0x1ac3cf30654a7462u);
    EXPECT_EQ(hash(ScrambledSobol(5, 7, 16, design_place)), 0xc342bd288515de6au);
    EXPECT_EQ(hash(LatinHypercube(5, 1000, 7, design_place)), 0x909f417a88dfb057u);
}

TEST(KeyedPermutation, IsAPermutation) {
    for (const std::uint64_t size : {1u, 2u, 3u, 31u, 33u, 1000u, 1024u, 4097u}) {
        const KeyedPermutation permutation(size, 7, 2);
        std::set<std::uint64_t> images;
        for (std::uint64_t i = 0; i < size; ++i) images.insert(permutation(i));
        EXPECT_EQ(images.size(), size);
        EXPECT_EQ(*images.rbegin(), size - 1);
    }
}

TEST(KeyedPermutation, EveryOrderOfUpToSixIsAsLikely) {
    for (const std::uint64_t size : {2u, 3u, 4u, 5u, 6u}) {
        std::vector<std::uint64_t> order(size);
        std::size_t orders = 1;
        for (std::size_t k = 2; k <= size; ++k) orders *= k;
        std::map<std::vector<std::uint64_t>, int> seen;
        constexpr int draws_per_order = 400;
        const int seeds = draws_per_order * static_cast<int>(orders);
        for (int seed = 0; seed < seeds; ++seed) {
            const KeyedPermutation permutation(size, static_cast<std::uint64_t>(seed), 0);
            for (std::uint64_t i = 0; i < size; ++i) order[i] = permutation(i);
            ++seen[order];
        }
        EXPECT_EQ(seen.size(), orders);
        double chi_square = 0.0;
        for (const auto& [_, times] : seen) chi_square += std::pow(times - draws_per_order, 2) / draws_per_order;
        const double degrees = static_cast<double>(orders - 1);
        // Mean and five standard deviations of chi-square.
        EXPECT_LT(chi_square, degrees + 5.0 * std::sqrt(2.0 * degrees)) << size;
    }
}

TEST(KeyedPermutation, APairGoesToAnyPairAsLikely) {
    // Sizes on either side of the one where the number of rounds changes.
    for (const std::uint64_t size : {31u, 255u, 257u}) {
        constexpr int draws_per_pair = 10;
        const std::uint64_t pairs = size * (size - 1);
        std::vector<int> seen(size * size, 0);
        for (std::uint64_t seed = 0; seed < draws_per_pair * pairs; ++seed) {
            const KeyedPermutation permutation(size, seed, 1);
            ++seen[permutation(3) * size + permutation(4)];
        }
        double chi_square = 0.0;
        for (std::uint64_t cell = 0; cell < seen.size(); ++cell)
            if (cell / size != cell % size) chi_square += std::pow(seen[cell] - draws_per_pair, 2) / draws_per_pair;
        const double degrees = static_cast<double>(pairs - 1);
        EXPECT_LT(chi_square, degrees + 5.0 * std::sqrt(2.0 * degrees)) << size;
    }
}

TEST(KeyedPermutation, OrdersOfTwoDimensionsAreUncorrelated) {
    constexpr std::uint64_t size = 1000;
    const double centre = 0.5 * (size - 1), variance = (1.0 * size * size - 1.0) / 12.0;
    for (std::uint64_t dimension = 0; dimension < 20; ++dimension) {
        const KeyedPermutation a(size, 3, dimension), b(size, 3, dimension + 1);
        double with_other = 0.0, with_index = 0.0, with_next = 0.0;
        for (std::uint64_t i = 0; i < size; ++i) {
            const double x = static_cast<double>(a(i)) - centre;
            with_other += x * (static_cast<double>(b(i)) - centre) / (variance * size);
            with_index += x * (static_cast<double>(i) - centre) / (variance * size);
            with_next += x * (static_cast<double>(a((i + 1) % size)) - centre) / (variance * size);
        }
        // Standard error 1/sqrt(N - 1); 4.5 of them, 60 comparisons: once in 2,500 seeds.
        const double bound = 4.5 / std::sqrt(size - 1.0);
        EXPECT_LT(std::abs(with_other), bound);
        EXPECT_LT(std::abs(with_index), bound);
        EXPECT_LT(std::abs(with_next), bound);
    }
}

TEST(LatinHypercube, HasOnePointInEveryStratumOfEveryDimension) {
    constexpr std::size_t dimensions = 6;
    for (const std::uint64_t size : {1u, 31u, 33u, 1000u}) {
        const LatinHypercube design(dimensions, size, 11, design_place);
        for (std::size_t k = 0; k < dimensions; ++k) {
            std::set<std::uint64_t> strata;
            for (const double u : coordinate(design, size, k)) {
                ASSERT_TRUE(u > 0.0 && u < 1.0);
                strata.insert(static_cast<std::uint64_t>(u * static_cast<double>(size)));
            }
            EXPECT_EQ(strata.size(), size) << k;
        }
    }
}

TEST(LatinHypercube, PlaceWithinTheStratumIsUniform) {
    constexpr std::uint64_t size = 20000;
    const LatinHypercube design(5, size, 12, design_place);
    for (const std::size_t k : {0u, 4u}) {
        std::vector<double> places = coordinate(design, size, k);
        for (double& u : places) u = u * size - std::floor(u * size);
        EXPECT_LT(kolmogorov_distance(places, [](double u) { return u; }), kolmogorov_bound(size, rare));
    }
}

TEST(LatinHypercube, TheLastStratumOfTheLargestSizeStaysBelowOne) {
    constexpr std::uint64_t size = std::uint64_t{1} << 40;
    const LatinHypercube design(1, size, 13, design_place);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        double u = 0.0;
        design.unit_point(size - 1 - i, {&u, 1});
        ASSERT_TRUE(u > 0.0 && u < 1.0);
    }
    EXPECT_THROW(LatinHypercube(1, 0, 1, design_place), UserError);
    EXPECT_THROW(LatinHypercube(1, size + 1, 1, design_place), UserError);
}

TEST(Grid, MeetsEveryCombinationOfLevelsOnceTheLastParameterFastest) {
    const Grid grid({2, 1, 3}, design_place);
    EXPECT_EQ(grid.fixed_size(), 6u);
    EXPECT_EQ(grid.intervals().basis, IntervalBasis::none);
    std::vector<double> point(3);
    for (std::uint64_t i = 0; i < 6; ++i) {
        grid.unit_point(i, point);
        EXPECT_DOUBLE_EQ(point[0], i < 3 ? 0.25 : 0.75);
        EXPECT_DOUBLE_EQ(point[1], 0.5);
        EXPECT_DOUBLE_EQ(point[2], (static_cast<double>(i % 3) + 0.5) / 3.0);
    }
}

TEST(Grid, RefusesNoLevelsAndMoreInstancesThanCanBeCounted) {
    EXPECT_THROW(Grid({3, 0}, design_place), UserError);
    EXPECT_THROW(Grid(std::vector<std::uint64_t>(60, 2), design_place), UserError);
    EXPECT_EQ(Grid(std::vector<std::uint64_t>(52, 2), design_place).fixed_size(), std::uint64_t{1} << 52);
}

}  // namespace
}  // namespace myriad::study
