// The linear analysis of the schemes (nonsmooth sects. 2.4 to 2.7, appendices A and B) on their amplification matrices,
// which are taken from the code: one step from each unit state.
#include <Eigen/Eigenvalues>
#include <complex>

#include "papers/nonsmooth/amplification.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using bench::Oscillator;
using Eigen::Matrix3d, Eigen::Vector3d;

// Entries of the amplification matrices are of the order of one or of W^2, and steps are exact but for round-off.
constexpr double round_off_of_a_step = 1e-12;

// (q, h v, h^2 b) -> the same a step later; b: the acceleration that the method remembers. W = w h, h = 1.
template <class Member>
Matrix3d amplification(double frequency_step, const Schedule& settings) {
    const bench::Amplification rows = bench::amplification_of<Member>(frequency_step, settings);
    Matrix3d matrix;
    for (int row = 0; row < 3; ++row)
        matrix.row(row) = Eigen::RowVector3d::Map(rows[static_cast<std::size_t>(row)].data());
    return matrix;
}

struct Spectrum {
    double radius, period_error;
    std::complex<double> principal;
};

template <class Member>
Spectrum spectrum(double frequency_step, const Schedule& settings) {
    const Eigen::Vector3cd values = amplification<Member>(frequency_step, settings).eigenvalues();
    Spectrum result{values.cwiseAbs().maxCoeff(), 0.0, 0.0};
    double nearest = 1e300;
    for (const auto& value : values) {
        const double distance = std::abs(value - std::polar(1.0, frequency_step));
        if (distance < nearest) nearest = distance, result.principal = value;
    }
    result.period_error = frequency_step / std::abs(std::arg(result.principal)) - 1.0;
    return result;
}

Schedule unit_step(double spectral_radius) {
    Schedule schedule = contact_schedule(1.0, 10.0, spectral_radius);
    schedule.newton_tolerance = 1e-13;
    return schedule;
}
Schedule alphas(double alpha_m, double alpha_f) {
    Schedule schedule = unit_step(0.0);
    schedule.free_alphas = 1.0, schedule.alpha_m = alpha_m, schedule.alpha_f = alpha_f;
    return schedule;
}

// nonsmooth eqs. 95, 96
Matrix3d published_generalized_alpha(double alpha_m, double alpha_f, double w) {
    const double gamma = 0.5 - alpha_m + alpha_f, beta = 0.25 * std::pow(1.0 - alpha_m + alpha_f, 2), s = w * w;
    const double m = 1.0 - alpha_m, f = 1.0 - alpha_f, d = m + f * beta * s;
    Matrix3d a;
    a << m - alpha_f * beta * s, m, (0.5 - beta) * m - beta * alpha_m,  //
        -gamma * s, m - f * (gamma - beta) * s, (1.0 - gamma) * m - gamma * alpha_m - f * (0.5 * gamma - beta) * s, -s,
        -f * s, -f * (0.5 - beta) * s - alpha_m;
    return a / d;
}

TEST(LinearAnalysis, GeneralizedAlphaHasThePublishedAmplificationMatrix) {
    for (const double w : {0.01, 0.3, 1.0, 7.0, 100.0}) {
        for (const double radius : {0.0, 0.5, 0.8, 1.0}) {
            const double m = (2.0 * radius - 1.0) / (radius + 1.0), f = radius / (radius + 1.0);
            const Matrix3d published = published_generalized_alpha(m, f, w);
            const double tolerance = round_off_of_a_step * published.norm();
            EXPECT_LE((amplification<NonsmoothGeneralizedAlpha>(w, unit_step(radius)) - published).norm(), tolerance);
            EXPECT_LE((amplification<NonsmoothGeneralizedAlpha>(w, alphas(m, f)) - published).norm(), tolerance);
        }
        const Matrix3d hht = published_generalized_alpha(0.0, 0.2, w);
        EXPECT_LE((amplification<NonsmoothGeneralizedAlpha>(w, alphas(0.0, 0.2)) - hht).norm(),
                  round_off_of_a_step * hht.norm());
    }
}

// nonsmooth eqs. 106, 107: its rows are (h^2 a, h v, q), its columns (q, h v, h^2 a).
TEST(LinearAnalysis, BatheHasThePublishedAmplificationMatrix) {
    for (const double w : {0.01, 0.3, 1.0, 7.0, 100.0}) {
        const double s = w * w, d = (16.0 + s) * (9.0 + s);
        Matrix3d published;
        published << 144.0 - 19.0 * s, 144.0 - 5.0 * s, 28.0,     //
            -96.0 * s + s * s, 144.0 - 47.0 * s, 48.0 - 4.0 * s,  //
            -144.0 * s + 19.0 * s * s, -144.0 * s + 5.0 * s * s, -28.0 * s;
        published /= d;
        const Matrix3d own = amplification<NonsmoothBathe>(w, unit_step(0.0));
        EXPECT_LE((own - published).norm(), round_off_of_a_step * published.norm()) << w << "\n"
                                                                                    << own << "\n"
                                                                                    << published;
    }
}

// nonsmooth eqs. 86 to 90, with the step that c_7 and c_14 lack; `as_printed`: without it.
Matrix3d published_ed_alpha(double radius, double ratio, double h, double frequency, bool as_printed) {
    const double alpha = (1.0 - radius) / (1.0 + radius), square = frequency * frequency,
                 denominator = h * ratio * (alpha + 1.0), missing = as_printed ? 1.0 : h;
    const double c2 = 0.5 * h, c3 = 0.5 * h, c4 = 2.0 * ratio * alpha / denominator,
                 c5 = 2.0 * (0.5 - ratio * alpha) / denominator, c6 = -1.0 / denominator,
                 c7 = missing * ratio * (1.0 - alpha) / denominator, c8 = -h * ratio, c10 = h * ratio * alpha,
                 c11 = h * ratio * (1.0 - alpha), c12 = 1.0 / denominator, c13 = -2.0 * (0.5 + ratio) / denominator,
                 c14 = -missing * ratio * (1.0 - alpha) / denominator, c15 = 2.0 * ratio / denominator;
    // Both accelerations by the velocities v+ and v_j, for each of which the equation of motion holds.
    Eigen::Matrix2d of_velocities;
    of_velocities << c4 + c3 * square, c6 + c2 * square, c15 + c8 * square, c12 + c10 * square;
    Matrix3d a;
    for (int column = 0; column < 3; ++column) {
        const double q = column == 0, v = column == 1 ? 1.0 / h : 0.0, old = column == 2 ? 1.0 / (h * h) : 0.0;
        const Eigen::Vector2d v_end_and_jump =
            of_velocities.inverse() *
            Eigen::Vector2d(-c5 * v - c7 * old - square * q, -c13 * v - c14 * old - square * (q + c11 * v));
        const double end = v_end_and_jump[0], jump = v_end_and_jump[1];
        a.col(column) << q + c2 * jump + c3 * end, h * end, h * h * (c4 * end + c5 * v + c6 * jump + c7 * old);
    }
    return a;
}

TEST(LinearAnalysis, EdAlphaHasThePublishedAmplificationMatrixWithTheStepThatEq90Lacks) {
    for (const double h : {1.0, 0.1}) {
        for (const double w : {0.01, 0.3, 1.0, 7.0, 100.0}) {
            for (const double radius : {0.0, 0.5, 0.8, 1.0}) {
                for (const double ratio : {1.0 / 6.0, 0.3}) {
                    Schedule settings = unit_step(radius);
                    settings.ed_alpha_ratio = ratio;
                    const Matrix3d published = published_ed_alpha(radius, ratio, h, w / h, false);
                    const Matrix3d own = amplification<NonsmoothEdAlpha>(w, settings);
                    EXPECT_LE((own - published).norm(), round_off_of_a_step * published.norm())
                        << w << ", radius " << radius;
                }
            }
        }
    }
    // As printed it is another one for every step but 1, and does not come nearer for shorter ones.
    for (const double h : {0.1, 0.01})
        EXPECT_LT(
            0.1, (published_ed_alpha(0.5, 1.0 / 6.0, h, 1.0, true) - amplification<NonsmoothEdAlpha>(h, unit_step(0.5)))
                     .norm());
}

// The matrices of q'' = -W^2 q in steps of 1, by hand: the middle q + v/2 gives Moreau's v+, the mean of both
// velocities its q+; the half-explicit scheme is the trapezoidal rule of a_1 = -W^2 q and a_2 = -W^2 (q + v).
TEST(LinearAnalysis, ExplicitSchemesHaveTheMatricesOfTheirRules) {
    for (const double w : {0.01, 0.3, 1.0, 7.0, 100.0}) {
        const double s = w * w;
        Matrix3d midpoint, trapezoidal;
        midpoint << 1.0 - 0.5 * s, 1.0 - 0.25 * s, 0.0, -s, 1.0 - 0.5 * s, 0.0, -s, -0.5 * s, 0.0;
        trapezoidal << 1.0 - 0.5 * s, 1.0, 0.0, -s, 1.0 - 0.5 * s, 0.0, -s, -s, 0.0;
        EXPECT_LE((amplification<MoreauMidpoint>(w, unit_step(0.0)) - midpoint).norm(),
                  round_off_of_a_step * midpoint.norm());
        EXPECT_LE((amplification<HalfExplicit>(w, unit_step(0.0)) - trapezoidal).norm(),
                  round_off_of_a_step * trapezoidal.norm());
        // Its roots 1 - W^2/2 +- i W lie outside the unit circle at every step: nothing damps.
        EXPECT_NEAR(spectrum<HalfExplicit>(w, unit_step(0.0)).radius, std::hypot(1.0 - 0.5 * s, w),
                    round_off_of_a_step * (1.0 + s));
    }
}

TEST(LinearAnalysis, SpectralRadiiReachTheirLimits) {
    // 1/W^2 of the limit is left, 1e-12, of which a triple eigenvalue makes its cube root.
    constexpr double very_stiff = 1e6, limit_tolerance = 2e-4;
    for (const double radius : {0.0, 0.3, 0.5, 0.8, 1.0}) {
        EXPECT_NEAR(spectrum<NonsmoothGeneralizedAlpha>(very_stiff, unit_step(radius)).radius, radius, limit_tolerance);
        EXPECT_NEAR(spectrum<NonsmoothEdAlpha>(very_stiff, unit_step(radius)).radius, radius, limit_tolerance);
    }
    EXPECT_NEAR(spectrum<NonsmoothBathe>(very_stiff, unit_step(0.0)).radius, 0.0, limit_tolerance);
    // HHT, by eq. 103 and lambda_3 = alpha_f / (alpha_f - 1): at point E both are 1/2, beyond it the radius grows.
    for (const double alpha_f : {0.05, 0.2, 1.0 / 3.0, 0.4}) {
        const double expected = std::max((1.0 - alpha_f) / (1.0 + alpha_f), alpha_f / (1.0 - alpha_f));
        EXPECT_NEAR(spectrum<NonsmoothGeneralizedAlpha>(very_stiff, alphas(0.0, alpha_f)).radius, expected,
                    limit_tolerance);
    }
}

TEST(LinearAnalysis, SchemesAreUnconditionallyStable) {
    for (double w = 1e-2; w < 1e5; w *= 1.3) {
        for (const double radius : {0.0, 0.5, 0.8}) {
            EXPECT_LE(spectrum<NonsmoothGeneralizedAlpha>(w, unit_step(radius)).radius, 1.0 + round_off_of_a_step);
            EXPECT_LE(spectrum<NonsmoothEdAlpha>(w, unit_step(radius)).radius, 1.0 + round_off_of_a_step);
        }
        EXPECT_LE(spectrum<NonsmoothBathe>(w, unit_step(0.0)).radius, 1.0 + round_off_of_a_step);
    }
    // The explicit ones are not: at W = 2.2 a step amplifies.
    EXPECT_LT(1.0, spectrum<MoreauMidpoint>(2.2, unit_step(0.0)).radius);
    EXPECT_LT(1.0, spectrum<HalfExplicit>(2.2, unit_step(0.0)).radius);
}

// The local error of the principal root is W^(p+1).
template <class Member>
double order_of(double spectral_radius) {
    const auto error = [&](double w) {
        return std::abs(spectrum<Member>(w, unit_step(spectral_radius)).principal - std::polar(1.0, w));
    };
    return std::log2(error(0.02) / error(0.01)) - 1.0;
}

TEST(LinearAnalysis, OrdersAreThoseOfThePaper) {
    constexpr double order_tolerance = 0.05;  // the next term of the error at W = 0.01
    for (const double radius : {0.0, 0.5, 0.8}) {
        EXPECT_NEAR(order_of<NonsmoothGeneralizedAlpha>(radius), 2.0, order_tolerance);
        EXPECT_NEAR(order_of<NonsmoothEdAlpha>(radius), 3.0, order_tolerance);
    }
    EXPECT_NEAR(order_of<NonsmoothBathe>(0.0), 2.0, order_tolerance);
    EXPECT_NEAR(order_of<MoreauMidpoint>(0.0), 2.0, order_tolerance);  // no force depends on the velocity
    EXPECT_NEAR(order_of<HalfExplicit>(0.0), 2.0, order_tolerance);
}

// nonsmooth figs. 10 to 12, at the step that they show largest: h = T/10.
TEST(LinearAnalysis, PeriodErrorsAreRankedAsInThePaper) {
    const double w = 0.1 * 2.0 * std::acos(-1.0);
    const auto bathe = spectrum<NonsmoothBathe>(w, unit_step(0.0));
    const auto generalized = spectrum<NonsmoothGeneralizedAlpha>(w, unit_step(0.0));
    const auto newmark = spectrum<NonsmoothGeneralizedAlpha>(w, alphas(0.0, 0.0));
    const auto ed = spectrum<NonsmoothEdAlpha>(w, unit_step(0.0));
    std::printf(
        "| h = T/10 | radius, period error: Newmark %.4f, %.4f | generalized-alpha(0) %.4f, %.4f | Bathe %.4f, "
        "%.4f | ED-alpha(0) %.4f, %.5f |\n",
        newmark.radius, newmark.period_error, generalized.radius, generalized.period_error, bathe.radius,
        bathe.period_error, ed.radius, ed.period_error);
    EXPECT_LT(bathe.period_error, newmark.period_error);
    EXPECT_LT(newmark.period_error, generalized.period_error);
    EXPECT_LT(std::abs(ed.period_error), bathe.period_error);
    EXPECT_LT(generalized.radius, bathe.radius);
    EXPECT_NEAR(newmark.radius, 1.0, round_off_of_a_step);
}

// The ratio moves the cut-off and the period error, not the limit; the period error is smallest at 1/6.
TEST(LinearAnalysis, EdAlphaHasItsSmallestPeriodErrorAtOneSixth) {
    const auto with = [](double ratio, double w) {
        Schedule schedule = unit_step(0.0);
        schedule.ed_alpha_ratio = ratio;
        return spectrum<NonsmoothEdAlpha>(w, schedule);
    };
    const double best = std::abs(with(1.0 / 6.0, 0.2).period_error);
    for (const double ratio : {0.05, 0.1, 0.14, 0.2, 0.3, 0.5}) {
        EXPECT_LT(best, std::abs(with(ratio, 0.2).period_error)) << ratio;
        EXPECT_NEAR(with(ratio, 1e6).radius, 0.0, 1e-4);
    }
}

}  // namespace
}  // namespace myriad::test
