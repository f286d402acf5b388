#include "host/study/sampling/sobol.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "host/study/sampling/counter_random.hpp"
#include "host/text/user_error.hpp"
#include "tests/sampling/kolmogorov.hpp"
#include "tests/sampling/places.hpp"

namespace myriad::study {
namespace {

// Five factors with mean 1, none of them linear: the integral over the cube is 1.
double smooth(std::span<const double> point) {
    double product = 1.0;
    for (const double u : point) product *= 1.0 + 0.8 * (std::exp(u) - std::numbers::e + 1.0);
    return product;
}

double mean_over(const Design& design, std::uint64_t first, std::uint64_t step, std::uint64_t count) {
    std::vector<double> point(design.dimensions());
    double sum = 0.0;
    for (std::uint64_t i = 0; i < count; ++i) {
        design.unit_point(first + i * step, point);
        sum += smooth(point);
    }
    return sum / static_cast<double>(count);
}

TEST(SobolSequence, BeginsWithThePublishedPoints) {
    // Joe and Kuo (2008) in Gray code order, as in Bratley and Fox (1988): the first eight points in three dimensions.
    const double published[8][3] = {{0, 0, 0},
                                    {0.5, 0.5, 0.5},
                                    {0.75, 0.25, 0.25},
                                    {0.25, 0.75, 0.75},
                                    {0.375, 0.375, 0.625},
                                    {0.875, 0.875, 0.125},
                                    {0.625, 0.125, 0.875},
                                    {0.125, 0.625, 0.375}};
    const SobolSequence sequence(3);
    for (std::uint64_t i = 0; i < 8; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(static_cast<double>(sequence.digits(i, k)) * 0x1p-64, published[i][k]);
}

TEST(SobolSequence, IsANetInEveryDimension) {
    // Each of the 2^m equal parts of an axis holds one of the first 2^m points, for the last dimension too.
    constexpr unsigned m = 12;
    const SobolSequence sequence(SobolSequence::most_dimensions);
    for (const std::size_t k : {0u, 1u, 17u, 500u, 3666u}) {
        std::set<std::uint64_t> parts;
        for (std::uint64_t i = 0; i < (1u << m); ++i) parts.insert(sequence.digits(i, k) >> (64 - m));
        EXPECT_EQ(parts.size(), 1u << m);
    }
}

TEST(ScrambledSobol, EveryReplicateIsANet) {
    constexpr unsigned m = 6;
    constexpr std::uint64_t replicates = 5, count = 1u << m;
    const ScrambledSobol design(4, 3, replicates, design_place);
    std::vector<double> point(4);
    for (std::uint64_t r = 0; r < replicates; ++r)
        for (std::size_t k = 0; k < 4; ++k) {
            std::set<int> parts;
            for (std::uint64_t i = 0; i < count; ++i) {
                design.unit_point(i * replicates + r, point);
                parts.insert(static_cast<int>(point[k] * count));
            }
            EXPECT_EQ(parts.size(), count);
        }
}

TEST(ScrambledSobol, TheFirstTwoDimensionsFillEveryElementaryBox) {
    // The first two dimensions are a (0, m, 2)-net: one point in each box of 2^-a by 2^-(m-a); the scramble keeps it.
    constexpr unsigned m = 8;
    const ScrambledSobol design(2, 4, 2, design_place);
    std::vector<double> point(2);
    for (unsigned a = 0; a <= m; ++a) {
        std::set<std::pair<int, int>> boxes;
        for (std::uint64_t i = 0; i < (1u << m); ++i) {
            design.unit_point(2 * i, point);
            boxes.insert({static_cast<int>(point[0] * (1u << a)), static_cast<int>(point[1] * (1u << (m - a)))});
        }
        EXPECT_EQ(boxes.size(), 1u << m) << a;
    }
}

TEST(ScrambledSobol, NoTwoPointsOfAReplicateTieAndNoneIsZeroOrOne) {
    constexpr std::uint64_t count = 1u << 16;
    const ScrambledSobol design(2, 5, 2, design_place);
    std::vector<double> point(2);
    std::set<double> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
        design.unit_point(2 * i, point);
        ASSERT_TRUE(point[1] > 0.0 && point[1] < 1.0);
        seen.insert(point[1]);
    }
    EXPECT_EQ(seen.size(), count);
    // At the far end of the sequence too.
    seen.clear();
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        design.unit_point(design.capacity() - i, point);
        seen.insert(point[0]);
    }
    EXPECT_EQ(seen.size(), 1000u);
}

TEST(ScrambledSobol, APointIsUniformOverTheSeeds) {
    constexpr std::size_t seeds = 4000;
    for (const std::uint64_t instance : {0u, 5u, 1000u}) {
        std::vector<double> places;
        std::vector<double> point(3);
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            ScrambledSobol(3, seed, 2, design_place).unit_point(instance, point);
            places.push_back(point[2]);
        }
        EXPECT_LT(kolmogorov_distance(places, [](double u) { return u; }), kolmogorov_bound(seeds, rare));
    }
}

TEST(ScrambledSobol, EstimatesAreUnbiasedAndReplicatesIndependent) {
    constexpr std::uint64_t seeds = 400, replicates = 4, points = 64;
    std::vector<double> estimates;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const ScrambledSobol design(5, seed, replicates, design_place);
        for (std::uint64_t r = 0; r < replicates; ++r)
            estimates.push_back(mean_over(design, r, replicates, points) - 1.0);
    }
    double sum = 0.0, squares = 0.0;
    for (const double e : estimates) sum += e, squares += e * e;
    const double n = static_cast<double>(estimates.size()), deviation = std::sqrt(squares / n);
    // Five standard errors of a mean, and of a correlation: each once in two million.
    EXPECT_LT(std::abs(sum / n), 5.0 * deviation / std::sqrt(n));
    for (std::size_t other = 1; other < replicates; ++other) {
        double products = 0.0;
        for (std::uint64_t seed = 0; seed < seeds; ++seed)
            products += estimates[seed * replicates] * estimates[seed * replicates + other];
        EXPECT_LT(std::abs(products / (seeds * deviation * deviation)), 5.0 / std::sqrt(seeds)) << other;
    }
}

// Slope of log(error) over log(points) between 2^6 and 2^13 points, and log2 of the error at the latter.
struct Rate {
    double slope, log2_error;
};

Rate measured_rate(std::size_t dimensions, bool sobol) {
    constexpr std::uint64_t repetitions = 64;
    const ScrambledSobol net(dimensions, 9, repetitions, design_place);
    const auto log2_error = [&](std::uint64_t points) {
        double squares = 0.0;
        for (std::uint64_t r = 0; r < repetitions; ++r) {
            const double error = sobol ? mean_over(net, r, repetitions, points) - 1.0
                                       : mean_over(MonteCarlo(dimensions, 1000 + r), 0, 1, points) - 1.0;
            squares += error * error / repetitions;
        }
        return 0.5 * std::log2(squares);
    };
    const double coarse = log2_error(1u << 6), fine = log2_error(1u << 13);
    return {(fine - coarse) / 7.0, fine};
}

// A root mean square of 64 errors is known to 9 %; between two of them, 7 doublings apart, three standard errors of the
// slope.
constexpr double slope_noise = 3.0 * 0.18 / 7.0;

TEST(ScrambledSobol, TheVarianceOfAMeanIsThatOfOwensScramble) {
    // In one dimension Owen's nested scramble puts one independent uniform point in each of N equal strata. The linear
    // scramble has the same variance (Owen 2003), though not the same distribution: rare scrambles carry much of it.
    constexpr std::uint64_t points = 8, seeds = 40000;
    // Mean and variance of exp(u) over u uniform on [a, b], summed over the strata.
    double exact_variance = 0.0;
    for (std::uint64_t k = 0; k < points; ++k) {
        const double a = static_cast<double>(k) / points, b = a + 1.0 / points;
        const double mean = points * (std::exp(b) - std::exp(a));
        exact_variance += (0.5 * points * (std::exp(2.0 * b) - std::exp(2.0 * a)) - mean * mean) / (points * points);
    }
    double sum = 0.0, squares = 0.0, fourth = 0.0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const ScrambledSobol design(1, seed, 2, design_place);
        double mean = 0.0, u = 0.0;
        for (std::uint64_t i = 0; i < points; ++i) {
            design.unit_point(2 * i, {&u, 1});
            mean += std::exp(u) / points;
        }
        const double square = (mean - std::numbers::e + 1.0) * (mean - std::numbers::e + 1.0);
        sum += mean - std::numbers::e + 1.0;
        squares += square / seeds;
        fourth += square * square / seeds;
    }
    EXPECT_LT(std::abs(sum / seeds), 5.0 * std::sqrt(exact_variance / seeds));
    // Five standard errors of the measured variance.
    EXPECT_NEAR(squares, exact_variance, 5.0 * std::sqrt((fourth - squares * squares) / seeds));
}

TEST(ScrambledSobol, ConvergesFasterThanMonteCarloInFiveDimensions) {
    const Rate sobol = measured_rate(5, true), random = measured_rate(5, false);
    std::printf("error ~ N^%.2f (Sobol), N^%.2f (Monte Carlo); at N = 8192 Sobol is %.0f times better\n", sobol.slope,
                random.slope, std::exp2(random.log2_error - sobol.log2_error));
    // N^-3/2 (log N)^((d-1)/2): from 2^6 to 2^13 points the logarithms take (13/6)^2 back.
    const double logarithms = 2.0 * std::log2(13.0 / 6.0) / 7.0;
    EXPECT_LT(sobol.slope, -1.5 + logarithms + slope_noise);
    EXPECT_NEAR(random.slope, -0.5, slope_noise);
    EXPECT_LT(sobol.log2_error, random.log2_error - 6.0);
}

TEST(ScrambledSobol, RefusesWhatItCannotDo) {
    EXPECT_THROW(ScrambledSobol(3668, 1, 2, design_place), UserError);
    EXPECT_THROW(ScrambledSobol(2, 1, 1, design_place), UserError);
    EXPECT_THROW(ScrambledSobol(2, 1, 1025, design_place), UserError);
}

}  // namespace
}  // namespace myriad::study
