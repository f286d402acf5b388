// The Cardan chart against products of elementary rotations in 240 bits and their differences.
#include "kernels/orientation/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/mathematics/error_table.hpp"
#include "tests/mathematics/precise_rotations.hpp"

namespace myriad::test {
namespace {

constexpr int chart_samples = 300;

// Rx(a) Ry(b) Rz(c), each factor turning body coordinates to the coordinates on its left by the right-hand rule.
Matrix reference_rotation(const Vector& rho) {
    const Precise o(0.0), l(1.0);
    const Precise sa = sin(rho[0]), ca = cos(rho[0]), sb = sin(rho[1]), cb = cos(rho[1]), sc = sin(rho[2]),
                  cc = cos(rho[2]);
    const Matrix x{{{l, o, o}, {o, ca, -sa}, {o, sa, ca}}}, y{{{cb, o, sb}, {o, l, o}, {-sb, o, cb}}},
        z{{{cc, -sc, o}, {sc, cc, o}, {o, o, l}}};
    return x * (y * z);
}
// omega~ = R^T dR/dt by central differences, right to about 1e-36.
Vector reference_angular_velocity(const Vector& rho, const Vector& rho_dot) {
    const Precise h(1e-18);
    const Matrix r_dot =
        (Precise(0.5) / h) * (reference_rotation(rho + h * rho_dot) - reference_rotation(rho - h * rho_dot));
    return axial(transposed(reference_rotation(rho)) * r_dot);
}
double distance(const Matrix& a, const Mat3<double>& b) {
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) square += std::pow(static_cast<double>(a[i][j] - Precise(b.e[i][j])), 2.0);
    return std::sqrt(square);
}
Vec<3, double> draw(Arguments& a, double size) {
    return {a.uniform(-size, size), a.uniform(-size, size), a.uniform(-size, size)};
}
struct Case {
    Vec<3, double> rho, rho_dot;
};
// |b| up to nearly pi/2 in half of the cases, any angle in the others: the formulas do not care.
Case generic(Arguments& a, int i) {
    Case c{draw(a, pi), draw(a, 1.0)};
    if (i % 2 == 0) c.rho[1] = a.uniform(-1.57, 1.57);
    return c;
}

template <class Error>
void expect_error_below(double bound, const char* name, Error error) {
    Arguments arguments(23);
    WorstError worst;
    for (int i = 0; i < chart_samples; ++i) {
        const Case c = generic(arguments, i);
        worst.add(error(c.rho, c.rho_dot) / epsilon<double>, c.rho[1]);
    }
    print_error_row(name, "double", "any angles; argument: b", worst, "epsilon");
    EXPECT_LE(worst.error, bound) << name;
}

// The bounds of kernels/orientation/chart.hpp; G^-1 G adds those of both maps.
TEST(CardanChart, RotatesByXThenYThenZFromBodyToWorld) {
    expect_error_below(6.0, "Cardan rotation", [](const Vec<3, double>& rho, const Vec<3, double>&) {
        return distance(reference_rotation(precise(rho)), matrix_of(CardanXyz<double>::at(rho).rotation));
    });
}
TEST(CardanChart, MapsAngleRatesToTheBodyAngularVelocity) {
    expect_error_below(2.0, "Cardan G rho_dot", [](const Vec<3, double>& rho, const Vec<3, double>& rho_dot) {
        const Vector omega = precise(CardanXyz<double>::at(rho).angular_velocity(rho_dot));
        return distance(omega, reference_angular_velocity(precise(rho), precise(rho_dot)));
    });
}
TEST(CardanChart, DifferentiatesItsMapAlongTheMotion) {
    expect_error_below(2.0, "Cardan G_dot rho_dot", [](const Vec<3, double>& rho, const Vec<3, double>& rho_dot) {
        const Precise h(1e-15);
        const Vector p = precise(rho), v = precise(rho_dot);
        const Vector difference =
            (Precise(0.5) / h) * (reference_angular_velocity(p + h * v, v) - reference_angular_velocity(p - h * v, v));
        return distance(precise(CardanXyz<double>::at(rho).angular_velocity_rate(rho_dot)), difference);
    });
}
TEST(CardanChart, InvertsItsMapWithALossOfDigitsOfOneOverCosB) {
    expect_error_below(4.0, "Cardan G^-1 G * cos b", [](const Vec<3, double>& rho, const Vec<3, double>& rate) {
        const auto chart = CardanXyz<double>::at(rho);
        return std::fabs(chart.cos_b) * distance(precise(chart.rates(chart.angular_velocity(rate))), precise(rate));
    });
}

TEST(CardanChart, ReturnsTheAnglesOfARotationAwayFromTheSingularAngle) {
    Arguments arguments(29);
    const double tolerance = 8.0 * epsilon<double>;  // two arc tangents of up to pi, divided by cos b >= cos 1.2
    for (int i = 0; i < 1000; ++i) {
        const Vec<3, double> rho{arguments.uniform(-pi, pi), arguments.uniform(-1.2, 1.2), arguments.uniform(-pi, pi)};
        const Vec<3, double> back = cardan_angles(CardanXyz<double>::at(rho).rotation);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(back[k], rho[k], tolerance / std::cos(rho[1])) << k;
    }
}

TEST(CardanChart, GivesAnglesOfTheSameRotationForEveryQuaternion) {
    Arguments arguments(31);
    WorstError worst;
    for (int i = 0; i < 1000; ++i) {
        const Rotation<double> q = exp_any(draw(arguments, 3.5));
        const Vec<3, double> rho = cardan_angles(q);
        for (int k = 0; k < 3; ++k) ASSERT_LE(std::fabs(rho[k]), k == 1 ? 0.5 * pi : pi);
        worst.add(distance(reference_rotation(precise(rho)), matrix_of(q)) / epsilon<double>, rho[1]);
    }
    print_error_row("angles of a rotation", "double", "any rotation; argument: b", worst, "epsilon");
    EXPECT_LE(worst.error, 10.0);
}

// At and near the singular angle the rotation is kept to the same few epsilon, G stays finite, a + c (or a - c) is
// still right, and only the split into a and c and the inverse map are lost.
TEST(CardanChart, KeepsTheRotationNearItsSingularAngle) {
    for (const double side : {1.0, -1.0}) {
        for (const double gap : {1e-2, 1e-5, 1e-8, 1e-12, 0.0}) {
            const Vec<3, double> rho{0.4, side * (0.5 * pi - gap), 1.1};
            const auto chart = CardanXyz<double>::at(rho);
            EXPECT_NEAR(chart.cos_b, std::cos(rho[1]), 2.0 * epsilon<double>) << gap;
            const Vec<3, double> back = cardan_angles(chart.rotation);
            EXPECT_LE(distance(reference_rotation(precise(back)), matrix_of(chart.rotation)), 10.0 * epsilon<double>)
                << gap;
            EXPECT_NEAR(back[0] + side * back[2], rho[0] + side * rho[2], 8.0 * epsilon<double>) << gap;
            const Vec<3, double> omega = chart.angular_velocity({0.3, -0.2, 0.7});
            EXPECT_TRUE(is_finite(omega[0]) && is_finite(omega[1]) && is_finite(omega[2]));
        }
    }
}

TEST(CardanChart, HasInfiniteRatesOrNoneAtItsSingularAngleButNoWrongOnes) {
    CardanXyz<double> chart = CardanXyz<double>::at({0.3, 1.0, 0.2});
    chart.cos_b = 0.0;
    EXPECT_FALSE(is_finite(chart.rates({0.1, 0.2, 0.3})[0]));
}

TEST(CardanChart, AgreesWithTheTangentOperatorForATurnAboutOneAxis) {
    // Rz(c): rotation vector (0, 0, c) and angles (0, 0, c) are the same curve, so are their velocities.
    const Vec<3, double> along{0.0, 0.0, 1.3};
    const Vec<3, double> by_chart = CardanXyz<double>::at(along).angular_velocity({0.0, 0.0, 0.7});
    const Vec<3, double> by_group = tangent(along, {0.0, 0.0, 0.7});
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(by_chart[k], by_group[k], epsilon<double>);
}

}  // namespace
}  // namespace myriad::test
