// Pieces of polynomials: which one an argument falls on, the derivatives, and the same bits in any lane.
#include "kernels/math/piecewise_polynomial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

// Piece i begins at i and has the value i at its beginning, and digits that tell the coefficients apart.
struct Stairs {
    std::vector<PolynomialPiece> pieces;
    explicit Stairs(int count) {
        for (int i = 0; i < count; ++i)
            pieces.push_back({static_cast<double>(i), static_cast<double>(i), {1.0 * i, 0.3, -0.7, 0.9 + 0.1 * i}});
    }
    const PolynomialPiece& piece(int i) const { return pieces[static_cast<std::size_t>(i)]; }
};

TEST(PiecewisePolynomial, FindsThePieceOfEveryArgumentForAnyNumberOfPieces) {
    for (const int count : {1, 2, 3, 4, 5, 31, 33, 1000}) {
        const Stairs stairs(count);
        const PiecewisePolynomial all{0, count, false};
        for (int i = 0; i < count; ++i) {
            EXPECT_EQ(polynomial_at(stairs, all, 1.0 * i).value, i) << "of " << count;
            EXPECT_EQ(polynomial_at(stairs, all, 1.0 * i).third, 6.0 * (0.9 + 0.1 * i));
            if (i > 0)
                EXPECT_EQ(polynomial_at(stairs, all, std::nextafter(1.0 * i, 0.0)).third, 6.0 * (0.9 + 0.1 * (i - 1)));
        }
        EXPECT_EQ(polynomial_at(stairs, all, -7.0).third, 6.0 * 0.9) << "before all";
        EXPECT_EQ(polynomial_at(stairs, all, count + 7.0).third, 6.0 * (0.9 + 0.1 * (count - 1))) << "behind all";
    }
}

TEST(PiecewisePolynomial, HasTheDerivativesOfItsCubic) {
    struct {
        PolynomialPiece only{0.0, 0.5, {2.0, -3.0, 5.0, 7.0}};
        const PolynomialPiece& piece(int) const { return only; }
    } const one;
    const PolynomialValue<double> f = polynomial_at(one, {0, 1, false}, 1.0);
    const double s = 0.5;
    EXPECT_EQ(f.value, 2.0 - 3.0 * s + 5.0 * s * s + 7.0 * s * s * s);
    EXPECT_EQ(f.slope, -3.0 + 10.0 * s + 21.0 * s * s);
    EXPECT_EQ(f.curvature, 10.0 + 42.0 * s);
    EXPECT_EQ(f.third, 42.0);
}

TEST(PiecewisePolynomial, HasNoValueOnEndsThatRefuseNorAtNaN) {
    const Stairs stairs(4);
    const PiecewisePolynomial refusing{0, 4, true};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double argument : {-1.0, 0.5, 3.0, 40.0, nan}) {
        const PolynomialValue<double> f = polynomial_at(stairs, refusing, argument);
        for (const double part : {f.value, f.slope, f.curvature, f.third}) EXPECT_TRUE(std::isnan(part)) << argument;
    }
    EXPECT_EQ(polynomial_at(stairs, refusing, 2.0).value, 2.0);
    EXPECT_TRUE(std::isnan(polynomial_at(stairs, {0, 4, false}, nan).value));
}

template <class Number, int width>
void expect_same_bits_in_lanes(int count) {
    const Stairs stairs(33);
    const PiecewisePolynomial all{1, 31, true};
    Arguments arguments(7);
    std::vector<Number> u;
    for (int i = 0; i < count; ++i) u.push_back(static_cast<Number>(arguments.uniform(-1.0, 35.0)));
    for (std::size_t first = 0; first < u.size(); first += width) {
        Pack<Number, width> packed(0.0);
        const std::size_t lanes = std::min(u.size() - first, static_cast<std::size_t>(width));
        for (std::size_t lane = 0; lane < lanes; ++lane)
            Lanes<Pack<Number, width>>::set(packed, static_cast<int>(lane), u[first + lane]);
        const auto together = polynomial_at(stairs, all, packed);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto alone = polynomial_at(stairs, all, u[first + lane]);
            const Number expected[] = {alone.value, alone.slope, alone.curvature, alone.third};
            int part = 0;
            for (const auto& value : {together.value, together.slope, together.curvature, together.third}) {
                const Number found = Lanes<Pack<Number, width>>::get(value, static_cast<int>(lane));
                const bool both_nan = std::isnan(found) && std::isnan(expected[part]);
                EXPECT_TRUE(both_nan || std::memcmp(&found, &expected[part], sizeof found) == 0) << u[first + lane];
                ++part;
            }
        }
    }
}

TEST(PiecewisePolynomial, HasTheSameBitsInAnyLane) {
    for (const int count : {1, 31, 33, 1000}) {
        expect_same_bits_in_lanes<double, 4>(count);
        expect_same_bits_in_lanes<double, 8>(count);
        expect_same_bits_in_lanes<float, 8>(count);
        expect_same_bits_in_lanes<float, 16>(count);
    }
}

}  // namespace
}  // namespace myriad::test
