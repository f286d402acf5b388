// Interpolation between points: what it reproduces, its order, its continuity, what holds outside, and the same from a
// second implementation.
#include "host/mechanism/expression/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "host/reference/mathematics/tabulated_function.hpp"

namespace myriad::mechanism {
namespace {

// Of values and slopes of size one to ten at unevenly spread points: the spline's system is solved with some tens of
// round-offs.
constexpr double rounding = 1e-13;

std::vector<double> uneven_points(int count, double first, double last) {
    std::vector<double> points;
    for (int i = 0; i < count; ++i) {
        const double even = static_cast<double>(i) / (count - 1);
        points.push_back(first + (last - first) * (even + 0.08 * std::sin(7.0 * even) * even * (1.0 - even)));
    }
    return points;
}

Table table_of(const std::function<double(double)>& f, std::vector<double> arguments, Interpolation interpolation,
               Outside outside = Outside::refuse) {
    Table table{"f", std::move(arguments), {}, interpolation, outside, std::nullopt};
    for (const double x : table.arguments) table.values.push_back(f(x));
    return table;
}
Tables tables_of(const Table& table) {
    Tables tables;
    tables.add(table);
    return tables;
}

double cubic(double x) { return 1.0 - 2.0 * x + 0.5 * x * x + 3.0 * x * x * x; }
double cubic_slope(double x) { return -2.0 + x + 9.0 * x * x; }
double cubic_curvature(double x) { return 1.0 + 18.0 * x; }

TEST(Interpolation, OfACubicByASplineIsTheCubic) {
    for (const int points : {4, 5, 33, 1000})
        for (const bool has_end_slopes : {false, true}) {
            Table table = table_of(cubic, uneven_points(points, -1.0, 1.0), Interpolation::cubic_spline);
            if (has_end_slopes) table.end_slopes = {cubic_slope(-1.0), cubic_slope(1.0)};
            const Tables tables = tables_of(table);
            // The second derivative divides round-off by the square of an interval, the shortest of which is half the
            // mean.
            const double of_curvature = rounding * points * points;
            for (int k = 0; k <= 200; ++k) {
                const double x = -1.0 + 0.01 * k;
                const PolynomialValue<double> f = tables.at(0, x);
                EXPECT_NEAR(f.value, cubic(x), rounding) << points;
                EXPECT_NEAR(f.slope, cubic_slope(x), rounding * points);
                EXPECT_NEAR(f.curvature, cubic_curvature(x), of_curvature);
            }
        }
}

TEST(Interpolation, OfTwoAndThreePointsIsALineAndAParabola) {
    const auto parabola = [](double x) { return 1.0 + x - 2.0 * x * x; };
    const Tables line = tables_of(table_of(parabola, {0.0, 0.5}, Interpolation::cubic_spline)),
                 bent = tables_of(table_of(parabola, {0.0, 0.2, 0.5}, Interpolation::cubic_spline));
    EXPECT_NEAR(line.at(0, 0.3).value, 1.0 + 0.3 * 0.0, rounding);
    EXPECT_EQ(line.at(0, 0.3).curvature, 0.0);
    for (const double x : {0.0, 0.1, 0.2, 0.4, 0.5}) {
        EXPECT_NEAR(bent.at(0, x).value, parabola(x), rounding);
        EXPECT_NEAR(bent.at(0, x).slope, 1.0 - 4.0 * x, rounding);
    }
    Table given = table_of(parabola, {0.0, 0.5}, Interpolation::cubic_spline);
    given.end_slopes = {1.0, -1.0};
    EXPECT_NEAR(tables_of(given).at(0, 0.3).value, parabola(0.3), rounding);
}

// Largest errors of value, slope and second derivative of a sine sampled at so many even intervals.
std::array<double, 3> errors_of_sine(int intervals, Interpolation interpolation) {
    std::vector<double> points;
    for (int i = 0; i <= intervals; ++i) points.push_back(4.0 * i / intervals);
    const Tables tables = tables_of(table_of([](double x) { return std::sin(x); }, points, interpolation));
    std::array<double, 3> worst{};
    for (int k = 0; k <= 4000; ++k) {
        const double x = 0.001 * k;
        const PolynomialValue<double> f = tables.at(0, x);
        worst[0] = std::max(worst[0], std::abs(f.value - std::sin(x)));
        worst[1] = std::max(worst[1], std::abs(f.slope - std::cos(x)));
        worst[2] = std::max(worst[2], std::abs(f.curvature + std::sin(x)));
    }
    return worst;
}

TEST(Interpolation, OfASineConvergesWithTheOrderOfItsForm) {
    struct Claim {
        Interpolation interpolation;
        std::array<double, 3> order;  // of value, slope, second derivative; 0: none
    };
    // Monotone cubics flatten extrema, where their slope errs by the interval's square and their value by as much.
    for (const Claim& claim :
         {Claim{Interpolation::cubic_spline, {4.0, 3.0, 2.0}}, Claim{Interpolation::monotone_cubic, {2.0, 1.0, 0.0}},
          Claim{Interpolation::linear, {2.0, 1.0, 0.0}}}) {
        const std::array<double, 3> coarse = errors_of_sine(40, claim.interpolation),
                                    fine = errors_of_sine(160, claim.interpolation);
        for (std::size_t k = 0; k < 3; ++k) {
            if (claim.order[k] == 0.0) continue;
            const double order = std::log2(coarse[k] / fine[k]) / 2.0;
            EXPECT_GT(order, claim.order[k] - 0.25) << static_cast<int>(claim.interpolation) << " derivative " << k;
        }
    }
}

Table random_table(unsigned seed, int points, Interpolation interpolation, Outside outside) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> width(0.2, 1.5), value(-3.0, 3.0);
    Table table{"f", {-2.0}, {value(random)}, interpolation, outside, std::nullopt};
    for (int i = 1; i < points; ++i) {
        table.arguments.push_back(table.arguments.back() + width(random));
        table.values.push_back(i % 5 == 4 ? table.values.back() : value(random));
    }
    return table;
}

TEST(Interpolation, HasTheContinuityThatItsFormStates) {
    for (const int points : {2, 3, 4, 31, 33})
        for (const auto& [interpolation, continuous] : {std::pair{Interpolation::linear, 1},
                                                        {Interpolation::monotone_cubic, 2},
                                                        {Interpolation::cubic_spline, 3}}) {
            const Table table = random_table(3u, points, interpolation, Outside::refuse);
            const Tables tables = tables_of(table);
            double jump_of_next = 0.0;
            for (std::size_t i = 1; i + 1 < table.arguments.size(); ++i) {
                const PolynomialValue<double> after = tables.at(0, table.arguments[i]),
                                              before = tables.at(0, std::nextafter(table.arguments[i], -1e9));
                const double jumps[] = {after.value - before.value, after.slope - before.slope,
                                        after.curvature - before.curvature, after.third - before.third};
                EXPECT_EQ(after.value, table.values[i]);
                // Third derivatives are up to a thousand, and so are the round-offs of what is below them.
                for (int k = 0; k < continuous; ++k) EXPECT_NEAR(jumps[k], 0.0, 1e3 * rounding) << k;
                jump_of_next = std::max(jump_of_next, std::abs(jumps[continuous]));
            }
            if (points > 4) EXPECT_GT(jump_of_next, 0.1) << "the next derivative jumps";
        }
}

TEST(Interpolation, ByMonotoneCubicsStaysBetweenThePoints) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        const Table table = random_table(seed, 40, Interpolation::monotone_cubic, Outside::refuse);
        const Tables tables = tables_of(table);
        for (std::size_t i = 0; i + 1 < table.arguments.size(); ++i) {
            const auto [low, high] = std::minmax(table.values[i], table.values[i + 1]);
            double last = table.values[i];
            for (int k = 0; k <= 100; ++k) {
                const double x = std::min(table.arguments[i] + 0.01 * k * (table.arguments[i + 1] - table.arguments[i]),
                                          table.arguments[i + 1]);
                const double value = tables.at(0, x).value;
                EXPECT_GE(value, low - rounding);
                EXPECT_LE(value, high + rounding);
                EXPECT_GE((value - last) * (table.values[i + 1] - table.values[i]), -rounding) << "it turns back";
                last = value;
            }
        }
    }
}

TEST(Interpolation, HoldsExtendsOrRefusesOutsideThePoints) {
    for (const Interpolation interpolation :
         {Interpolation::linear, Interpolation::monotone_cubic, Interpolation::cubic_spline}) {
        const auto at = [&](Outside outside, double x) {
            return tables_of(table_of(cubic, {-1.0, -0.3, 0.2, 0.5, 1.0}, interpolation, outside)).at(0, x);
        };
        for (const double x : {-1.5, 1.5}) {
            const double end = x < 0.0 ? -1.0 : 1.0;
            EXPECT_TRUE(std::isnan(at(Outside::refuse, x).value));
            EXPECT_EQ(at(Outside::hold, x).value, cubic(end));
            EXPECT_EQ(at(Outside::hold, x).slope, 0.0);
            const double slope = at(Outside::extend, end).slope;
            EXPECT_NEAR(at(Outside::extend, x).value, cubic(end) + slope * (x - end), rounding);
            EXPECT_NEAR(at(Outside::extend, x).slope, slope, rounding);
            EXPECT_EQ(at(Outside::extend, x).curvature, 0.0);
        }
        // What the rounding of a run's times adds to the last point is inside.
        EXPECT_NEAR(at(Outside::refuse, 1.0 + 1e-12).value, cubic(1.0), 1e-10);
        EXPECT_NEAR(at(Outside::refuse, -1.0 - 1e-12).value, cubic(-1.0), 1e-10);
        EXPECT_TRUE(std::isnan(at(Outside::refuse, 1.0 + 1e-6).value));
    }
}

TEST(Interpolation, IsThatOfTheReference) {
    using reference::Differentiated, reference::TabulatedFunction;
    using Once = Differentiated<double, 1>;
    using Twice = Differentiated<Once, 1>;
    for (const int points : {2, 3, 4, 31, 33, 1000})
        for (const Interpolation interpolation :
             {Interpolation::linear, Interpolation::monotone_cubic, Interpolation::cubic_spline})
            for (const Outside outside : {Outside::refuse, Outside::hold, Outside::extend})
                for (const bool has_end_slopes : {false, true}) {
                    if (has_end_slopes && interpolation != Interpolation::cubic_spline) continue;
                    Table table = random_table(11u, points, interpolation, outside);
                    if (has_end_slopes) table.end_slopes = {1.5, -0.75};
                    const Tables tables = tables_of(table);
                    const TabulatedFunction twin(table.arguments, table.values,
                                                 static_cast<TabulatedFunction::Form>(interpolation),
                                                 static_cast<TabulatedFunction::Outside>(outside), table.end_slopes);
                    const double first = table.arguments.front(), span = table.arguments.back() - first;
                    for (int k = -20; k <= 220; ++k) {
                        Twice x(first + span * (0.005 * k + 1e-4));
                        x.value.derivative[0] = 1.0, x.derivative[0].value = 1.0;
                        const Twice expected = twin(x);
                        const PolynomialValue<double> found = tables.at(0, x.value.value);
                        if (std::isnan(expected.value.value)) {
                            EXPECT_TRUE(std::isnan(found.value));
                            continue;
                        }
                        // Values up to ten far from zero, on a line that is extended up to hundreds.
                        const double tolerance = 1e3 * rounding * (1.0 + 0.01 * std::abs(expected.value.value));
                        EXPECT_NEAR(found.value, expected.value.value, tolerance) << points << " at " << k;
                        EXPECT_NEAR(found.slope, expected.derivative[0].value, tolerance);
                        EXPECT_NEAR(found.curvature, expected.derivative[0].derivative[0], 10.0 * tolerance);
                    }
                }
}

}  // namespace
}  // namespace myriad::mechanism
