#include "host/study/sampling/copula.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sampler.hpp"
#include "host/study/sampling/sobol.hpp"
#include "host/text/user_error.hpp"
#include "tests/sampling/kolmogorov.hpp"
#include "tests/sampling/places.hpp"

namespace myriad::study {
namespace {

const std::vector<std::string> names = {"mass_kg", "length_m", "speed_m_s", "tilt_rad"};

std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = static_cast<double>(k);
    return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size());
    const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / std::sqrt(aa * bb);
}

std::vector<Parameter> four_parameters() {
    return {{names[0], {Normal{3.0, 0.5}, correlation_place}},
            {names[1], {Beta{2.0, 5.0, 1.0, 4.0}, correlation_place}},
            {names[2], {Uniform{-1.0, 1.0}, correlation_place}},
            {names[3], {LognormalByMedian{0.2, 1.5}, correlation_place}}};
}

const std::vector<CorrelatedPair> pairs = {{names[3], names[0], -0.7}, {names[1], names[3], 0.35}};

TEST(Copula, ReproducesTheRankCorrelationUnderEveryRandomDesign) {
    constexpr std::uint64_t count = 20000;
    const std::shared_ptr<const Design> designs[] = {std::make_shared<MonteCarlo>(4, 1),
                                                     std::make_shared<LatinHypercube>(4, count, 2, correlation_place),
                                                     std::make_shared<ScrambledSobol>(4, 3, 16, correlation_place)};
    // The standard error of a rank correlation is at most 1/sqrt(N); five of them.
    const double bound = 5.0 / std::sqrt(count);
    for (const auto& design : designs) {
        const Sampler sampler(four_parameters(), design, Copula(names, pairs, correlation_place), correlation_place);
        std::vector<double> all(4 * count);
        sampler.sample(0, count, all.data());
        std::vector<std::vector<double>> rank;
        for (std::size_t k = 0; k < 4; ++k)
            rank.push_back(ranks({all.begin() + static_cast<std::ptrdiff_t>(k * count),
                                  all.begin() + static_cast<std::ptrdiff_t>((k + 1) * count)}));
        EXPECT_NEAR(correlation(rank[0], rank[3]), rank_correlation(-0.7), bound) << design->text();
        EXPECT_NEAR(correlation(rank[1], rank[3]), rank_correlation(0.35), bound) << design->text();
        for (const auto& [j, k] : {std::pair{0u, 1u}, {0u, 2u}, {1u, 2u}, {2u, 3u}})
            EXPECT_NEAR(correlation(rank[j], rank[k]), 0.0, bound) << design->text() << j << k;
    }
}

TEST(Copula, LeavesTheMarginalDistributionsAndTheUncorrelatedParametersAlone) {
    constexpr std::uint64_t count = 20000;
    const auto design = std::make_shared<MonteCarlo>(4, 5);
    const Sampler tied(four_parameters(), design, Copula(names, pairs, correlation_place), correlation_place);
    const Sampler free(four_parameters(), design, {}, correlation_place);
    std::vector<double> with(4 * count), without(4 * count);
    tied.sample(0, count, with.data());
    free.sample(0, count, without.data());
    for (std::size_t i = 0; i < count; ++i) {
        // Not in any pair: the same bits. The first correlated parameter: its own draws.
        ASSERT_EQ(with[2 * count + i], without[2 * count + i]);
        ASSERT_EQ(with[i], without[i]);
    }
    const auto end = [&](std::size_t k) { return with.begin() + static_cast<std::ptrdiff_t>(k * count); };
    const auto lognormal = [](double x) {
        return 0.5 * std::erfc(-std::log(x / 0.2) / std::log(1.5) / std::sqrt(2.0));
    };
    EXPECT_LT(kolmogorov_distance({end(3), end(4)}, lognormal), kolmogorov_bound(count, rare));
    // Beta(2, 5): 1 - (1-y)^5 (1 + 5y), the binomial sum.
    const auto beta = [](double x) {
        const double y = (x - 1.0) / 3.0;
        return 1.0 - std::pow(1.0 - y, 5) * (1.0 + 5.0 * y);
    };
    EXPECT_LT(kolmogorov_distance({end(1), end(2)}, beta), kolmogorov_bound(count, rare));
}

TEST(Copula, MatrixAndPairsAreTheSame) {
    const std::vector<double> matrix = {1, 0, 0, -0.7, 0, 1, 0, 0.35, 0, 0, 1, 0, -0.7, 0.35, 0, 1};
    const Copula from_pairs(names, pairs, correlation_place), from_matrix(names, matrix, correlation_place);
    ASSERT_EQ(from_matrix.members().size(), 3u);
    std::vector<double> scratch(3), a = {0.2, 0.6, 0.7, 0.9}, b = a;
    from_pairs.to_scores(a, scratch);
    from_matrix.to_scores(b, scratch);
    EXPECT_EQ(a, b);
}

TEST(Copula, RankCorrelationIsKnownAtItsEndsAndInBetween) {
    EXPECT_DOUBLE_EQ(rank_correlation(1.0), 1.0);
    EXPECT_DOUBLE_EQ(rank_correlation(-1.0), -1.0);
    EXPECT_EQ(rank_correlation(0.0), 0.0);
    // 2 sin(pi/12) = (sqrt 6 - sqrt 2) / 2
    EXPECT_DOUBLE_EQ(rank_correlation(0.5 * (std::sqrt(6.0) - std::sqrt(2.0))), 0.5);
}

TEST(Copula, SmallestEigenvalueMatchesKnownMatrices) {
    constexpr double tolerance = 1e-14;
    // Equal correlations r among n: eigenvalues 1 - r and 1 + (n - 1) r.
    EXPECT_NEAR(smallest_eigenvalue({1, -0.6, -0.6, -0.6, 1, -0.6, -0.6, -0.6, 1}, 3), -0.2, tolerance);
    // The second difference matrix: 2 - 2 cos(pi / (n + 1)).
    EXPECT_NEAR(smallest_eigenvalue({2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2}, 4),
                2.0 - 2.0 * std::cos(std::acos(-1.0) / 5.0), tolerance);
}

TEST(Copula, ContradictingCorrelationsAreRefused) {
    const auto refused = [](const auto& correlations, const std::string& what) {
        try {
            const Copula copula(names, correlations, correlation_place);
            ADD_FAILURE() << "accepted; expected: " << what;
        } catch (const UserError& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage_or_input);
            EXPECT_NE(error.what_is_wrong().find(what), std::string::npos) << error.what();
            EXPECT_FALSE(error.remedy().empty());
        }
    };
    using Pairs = std::vector<CorrelatedPair>;
    refused(Pairs{{names[0], names[1], -0.6}, {names[1], names[2], -0.6}, {names[2], names[0], -0.6}},
            "smallest eigenvalue -0.2");
    refused(Pairs{{names[0], "mas_kg", 0.1}}, "mas_kg is correlated, but is not a parameter");
    refused(Pairs{{names[0], names[0], 0.1}}, "with itself");
    refused(Pairs{{names[0], names[1], 0.1}, {names[1], names[0], 0.1}}, "twice");
    refused(Pairs{{names[0], names[1], 1.0}}, "is 1");
    refused(Pairs{{names[0], names[1], std::nan("")}}, "is nan");
    refused(std::vector<double>(9, 0.0), "9 numbers");
    refused(std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}, "with itself is 2");
    refused(std::vector<double>{1, 0.5, 0, 0, 0.4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "in the other");
}

TEST(Copula, HasNoMeaningInAGrid) {
    const auto grid = std::make_shared<Grid>(std::vector<std::uint64_t>{2, 2, 2, 2}, correlation_place);
    EXPECT_THROW(Sampler(four_parameters(), grid, Copula(names, pairs, correlation_place), correlation_place),
                 UserError);
    EXPECT_NO_THROW(Sampler(four_parameters(), grid, {}, correlation_place));
}

}  // namespace
}  // namespace myriad::study
