// First-order indices and their intervals against functions whose indices are known, for every random design: the bias
// over many seeds, and how often the interval holds the index.
#include "host/statistics/first_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>

#include "host/statistics/normal_score.hpp"
#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sobol.hpp"
#include "tests/statistics/place.hpp"

namespace myriad::study {
namespace {

constexpr std::size_t dimensions = 8;  // those that a function does not name have no effect
using Point = std::span<const double>;

struct Case {
    const char* name;
    std::size_t dimension;
    double index;
    std::function<double(Point)> quantity;
};

// Ishigami, Homma 1990, with a = 7, b = 0.1.
double ishigami(Point u) {
    constexpr double pi = std::numbers::pi;
    const double x = pi * (2.0 * u[0] - 1.0), y = pi * (2.0 * u[1] - 1.0), z = pi * (2.0 * u[2] - 1.0);
    return std::sin(x) + 7.0 * std::pow(std::sin(y), 2) + 0.1 * std::pow(z, 4) * std::sin(x);
}
// Variances 1/12, 1/12 and 16/144.
double with_interaction(Point u) { return u[0] + u[1] + 4.0 * (u[0] - 0.5) * (u[1] - 0.5); }
// exp of normals of variances 1/4 and 1/400.
double lognormal(Point u) { return std::exp(0.5 * normal_score(u[0]) + 0.05 * normal_score(u[1])); }
const double lognormal_index = (std::exp(0.25) - 1.0) / (std::exp(0.2525) - 1.0);
// The output of a four-bar, which its input angle explains nearly alone, beside seven small tolerances.
double nearly_all(Point u) {
    double rest = 0.0;
    for (std::size_t k = 1; k < dimensions; ++k) rest += normal_score(u[k]);
    return normal_score(u[0]) + std::sqrt((1.0 / 0.979 - 1.0) / 7.0) * rest;
}
// A jump of variance 0.37 0.63, inside a class; 0.04/12 beside it.
double jump(Point u) { return (u[0] > 0.37 ? 1.0 : 0.0) + 0.2 * u[1]; }
// The third of four values counts: 3/16, and 1/12.
double few_values(Point u) { return (std::floor(4.0 * u[0]) == 2.0 ? 1.0 : 0.0) + u[1]; }

std::vector<Case> cases() {
    return {{"Ishigami 1", 0, 0.3139, ishigami},
            {"Ishigami 2", 1, 0.4424, ishigami},
            {"Ishigami 3", 2, 0.0, ishigami},
            {"interaction", 0, 0.3, with_interaction},
            {"no effect", 5, 0.0, with_interaction},
            {"lognormal", 0, lognormal_index, lognormal},
            {"nearly all", 0, 0.979, nearly_all},
            {"jump", 0, 0.2331 / (0.2331 + 0.04 / 12.0), jump},
            {"few values", 0, 0.1875 / (0.1875 + 1.0 / 12.0), few_values}};
}

std::unique_ptr<Design> design_of(const std::string& kind, std::uint64_t instances, std::uint64_t seed) {
    if (kind == "monte_carlo") return std::make_unique<MonteCarlo>(dimensions, seed);
    if (kind == "latin_hypercube") return std::make_unique<LatinHypercube>(dimensions, instances, seed, test_place);
    return std::make_unique<ScrambledSobol>(dimensions, seed, ScrambledSobol::default_replicates, test_place);
}

class FirstOrderIndex : public testing::TestWithParam<std::tuple<const char*, std::uint64_t>> {};

TEST_P(FirstOrderIndex, HasNoBiasAndAnIntervalThatHoldsIt) {
    const auto [kind, n] = GetParam();
    const std::uint64_t seeds = n > 2000 ? 40 : 120;
    const std::vector<Case> all = cases();
    std::vector<std::vector<double>> errors(all.size());
    std::vector<double> held(all.size(), 0.0);
    std::vector<std::uint64_t> instance(n);
    std::iota(instance.begin(), instance.end(), std::uint64_t{0});
    std::vector<double> points(n * dimensions), x(n), y(n);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto design = design_of(kind, n, seed);
        for (std::uint64_t i = 0; i < n; ++i)
            design->unit_point(i, std::span(points).subspan(i * dimensions, dimensions));
        for (std::size_t c = 0; c < all.size(); ++c) {
            for (std::uint64_t i = 0; i < n; ++i) {
                const Point u = std::span(points).subspan(i * dimensions, dimensions);
                x[i] = u[all[c].dimension], y[i] = all[c].quantity(u);
                if (std::string(all[c].name) == "few values") x[i] = std::floor(4.0 * x[i]);
                // As a study has it: a parameter of normal distribution, not its place in the unit cube, towards whose
                // ends these quantities grow without bound.
                if (std::string(all[c].name) == "nearly all" || std::string(all[c].name) == "lognormal")
                    x[i] = 5.0 + normal_score(x[i]);
            }
            const Estimate index = first_order_index(x, y, instance, design->intervals(), 0.95);
            errors[c].push_back(index.value - all[c].index);
            ASSERT_TRUE(index.interval);
            held[c] += index.interval->low <= all[c].index && all[c].index <= index.interval->high;
        }
    }
    const double count = static_cast<double>(seeds);
    for (std::size_t c = 0; c < all.size(); ++c) {
        const double bias = std::accumulate(errors[c].begin(), errors[c].end(), 0.0) / count;
        double squares = 0.0;
        for (const double error : errors[c]) squares += (error - bias) * (error - bias);
        const double deviation = std::sqrt(squares / (count - 1.0));
        std::printf("%-16s %5d %-12s bias %+.4f  deviation %.4f  held %.3f\n", kind, static_cast<int>(n), all[c].name,
                    bias, deviation, held[c] / count);
        // By chance once in a thousand; the second part is what a parabola leaves of Ishigami's sines at n = 500.
        EXPECT_NEAR(bias, 0.0, 3.3 * deviation / std::sqrt(count) + 0.002) << all[c].name;
        // Promised of an approximate interval.
        constexpr double promised = 0.93;
        EXPECT_GE(held[c] / count, promised - 3.3 * std::sqrt(promised * (1.0 - promised) / count)) << all[c].name;
    }
}

INSTANTIATE_TEST_SUITE_P(Designs, FirstOrderIndex,
                         testing::Combine(testing::Values("monte_carlo", "latin_hypercube", "sobol"),
                                          testing::Values(500, 2000, 10'000)),
                         [](const auto& given) {
                             return std::string(std::get<0>(given.param)) + "_" +
                                    std::to_string(std::get<1>(given.param));
                         });

// All combinations of 8 and 5 levels: 5 x^2 + y, exactly.
TEST(FirstOrderIndexOfAGrid, IsTheShareOfTheLevelsMeans) {
    std::vector<double> x, y, values;
    std::vector<std::uint64_t> instance;
    for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 5; ++b) {
            x.push_back(a), y.push_back(b), values.push_back(5.0 * a * a + b);
            instance.push_back(instance.size());
        }
    // Variances of a^2 over 0 ... 7 (584.5 - 17.5^2 = 278.25 from sums 140 and 4676) and of b over 0 ... 4.
    const double of_x = 25.0 * 278.25, of_y = 2.0;
    const Intervals grid{IntervalBasis::none, 1};
    const Estimate share = first_order_index(x, values, instance, grid, 0.95);
    EXPECT_NEAR(share.value, of_x / (of_x + of_y), 1e-13);
    EXPECT_NEAR(first_order_index(y, values, instance, grid, 0.95).value, of_y / (of_x + of_y), 1e-13);
    EXPECT_FALSE(share.interval);
    EXPECT_EQ(share.no_interval, "a grid draws nothing at random");
}

TEST(FirstOrderIndexOfWhatFollowsFromX, IsOne) {
    std::vector<double> x, y;
    std::vector<std::uint64_t> instance;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        x.push_back(static_cast<double>((i * 389) % 1000)), y.push_back(3.0 - 2.0 * x.back());
        instance.push_back(i);
    }
    const Estimate share = first_order_index(x, y, instance, {IntervalBasis::independent, 1}, 0.95);
    EXPECT_NEAR(share.value, 1.0, 1e-14);
    EXPECT_LE(share.interval->high, 1.0);
}

// Numbers of the instances tell the replicates only: the order in which they stand in memory has no influence.
TEST(FirstOrderIndexOfReplicates, NeedsTwoInstancesInEach) {
    std::vector<double> x, y;
    std::vector<std::uint64_t> instance;
    for (std::uint64_t i = 0; i < 31; ++i) {
        x.push_back(static_cast<double>((i * 7) % 31)), y.push_back(x.back() + static_cast<double>(i % 3));
        instance.push_back(i);
    }
    const Estimate few = first_order_index(x, y, instance, {IntervalBasis::replicated, 16}, 0.95);
    EXPECT_FALSE(few.interval);
    EXPECT_EQ(few.no_interval, "needs 32 instances");
    EXPECT_TRUE(first_order_index(x, y, instance, {IntervalBasis::replicated, 15}, 0.95).interval);
}

}  // namespace
}  // namespace myriad::study
