#include "host/study/sampling/sampler.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sobol.hpp"
#include "host/text/user_error.hpp"
#include "tests/sampling/places.hpp"

namespace myriad::study {
namespace {

std::vector<Parameter> three_parameters() {
    return {{"mass_kg", {Normal{78.0, 2.0}, study_place}},
            {"length_m", {Triangular{0.1, 0.2, 0.5}, study_place}},
            {"friction", {Discrete{{0.1, 0.3}, {2.0, 1.0}}, study_place}}};
}

std::vector<std::shared_ptr<const Design>> designs(std::uint64_t size) {
    return {std::make_shared<MonteCarlo>(3, 8), std::make_shared<ScrambledSobol>(3, 8, 16, study_place),
            std::make_shared<LatinHypercube>(3, size, 8, study_place),
            std::make_shared<Grid>(std::vector<std::uint64_t>{size / 4, 2, 2}, study_place)};
}

std::vector<double> samples(const Sampler& sampler, std::uint64_t first, std::uint64_t count) {
    std::vector<double> out(sampler.addresses().size() * count);
    sampler.sample(first, count, out.data());
    return out;
}

TEST(Sampler, BitsDoNotDependOnChunks) {
    constexpr std::uint64_t size = 1000;
    const std::vector<CorrelatedPair> pairs = {{"length_m", "mass_kg", 0.4}};
    for (const auto& design : designs(size)) {
        const auto parameters = three_parameters();
        const std::vector<std::string> names = {"mass_kg", "length_m", "friction"};
        const bool random = design->intervals().basis != IntervalBasis::none;
        const Sampler sampler(parameters, design, random ? Copula(names, pairs, study_place) : Copula(), study_place);
        const auto whole = samples(sampler, 0, size);
        for (const std::uint64_t chunk : {1u, 31u, 33u}) {
            for (std::uint64_t first = 0; first < size; first += chunk) {
                const std::uint64_t count = std::min(chunk, size - first);
                const auto part = samples(sampler, first, count);
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::uint64_t j = 0; j < count; ++j)
                        ASSERT_EQ(part[k * count + j], whole[k * size + first + j]) << design->text();
            }
        }
        EXPECT_EQ(sampler.value(617, 1), whole[size + 617]);
    }
}

TEST(Sampler, TwoThreadsDrawTheSameBits) {
    constexpr std::uint64_t size = 4000;
    for (const auto& design : designs(size)) {
        const Sampler sampler(three_parameters(), design, {}, study_place);
        std::vector<double> one, other;
        std::thread first([&] { one = samples(sampler, 0, size); });
        std::thread second([&] { other = samples(sampler, 0, size); });
        first.join();
        second.join();
        EXPECT_EQ(one, other);
    }
}

TEST(Sampler, MonteCarloAndSobolExtend) {
    // The first thousand of a thousand and of ten thousand.
    for (std::size_t kind = 0; kind < 2; ++kind) {
        const Sampler sampler(three_parameters(), designs(1000)[kind], {}, study_place);
        const auto few = samples(sampler, 0, 1000), many = samples(sampler, 0, 10000);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(few[k * 1000 + i], many[k * 10000 + i]);
        EXPECT_FALSE(sampler.fixed_size());
    }
}

TEST(Sampler, InstancesBeyondThirtyTwoBitsAreDistinct) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
        const Sampler sampler(three_parameters(), designs(1000)[kind], {}, study_place);
        const std::uint64_t far = std::uint64_t{1} << 32;
        EXPECT_NE(sampler.value(far, 0), sampler.value(0, 0));
        EXPECT_EQ(samples(sampler, far - 2, 5)[3], sampler.value(far + 1, 0));
    }
}

TEST(Sampler, SwitchingASpreadOffMovesNoOtherSample) {
    for (const auto& design : designs(1000)) {
        auto parameters = three_parameters();
        const auto before = samples(Sampler(parameters, design, {}, study_place), 0, 100);
        parameters[0].distribution = Distribution(Normal{78.0, 0.0}, study_place);
        const auto after = samples(Sampler(parameters, design, {}, study_place), 0, 100);
        for (std::size_t i = 0; i < 100; ++i) {
            EXPECT_EQ(after[i], 78.0);
            EXPECT_EQ(after[100 + i], before[100 + i]);
            EXPECT_EQ(after[200 + i], before[200 + i]);
        }
    }
}

TEST(Sampler, GridTakesEachDiscreteValueOnce) {
    const std::vector<Parameter> parameters = {{"a", {Discrete{{3.0, 1.0, 2.0}, {}}, study_place}},
                                               {"b", {Constant{5.0}, study_place}},
                                               {"c", {Uniform{0.0, 1.0}, study_place}}};
    const auto levels = grid_levels(parameters, std::vector<std::uint64_t>{0, 0, 2}, study_place);
    EXPECT_EQ(levels, (std::vector<std::uint64_t>{3, 1, 2}));
    const Sampler sampler(parameters, std::make_shared<Grid>(levels, study_place), {}, study_place);
    EXPECT_EQ(samples(sampler, 0, 6),
              (std::vector<double>{1, 1, 2, 2, 3, 3, 5, 5, 5, 5, 5, 5, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75}));
    EXPECT_THROW(grid_levels(parameters, std::vector<std::uint64_t>{0, 0, 0}, study_place), UserError);
    EXPECT_THROW(grid_levels(parameters, std::vector<std::uint64_t>{2, 0, 2}, study_place), UserError);
    EXPECT_THROW(grid_levels(three_parameters(), std::vector<std::uint64_t>{2, 2, 2}, study_place), UserError);
}

TEST(Sampler, RefusesWhatTheDesignCannotGive) {
    const auto all = designs(1000);
    for (const auto& design : all) {
        const Sampler sampler(three_parameters(), design, {}, study_place);
        EXPECT_THROW(sampler.require_instances(0, study_place), UserError);
        EXPECT_NO_THROW(sampler.require_instances(1000, study_place));
        const bool fixed = sampler.fixed_size().has_value();
        if (fixed)
            EXPECT_THROW(sampler.require_instances(999, study_place), UserError) << design->text();
        else
            EXPECT_NO_THROW(sampler.require_instances(999, study_place)) << design->text();
    }
    auto twice = three_parameters();
    twice[2].address = "mass_kg";
    EXPECT_THROW(Sampler(twice, all[0], {}, study_place), UserError);
}

}  // namespace
}  // namespace myriad::study
