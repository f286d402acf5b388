// Systems offer what implicit methods ask, on every chart, shown by another method: Newmark's trapezoidal rule, which
// is generalized-alpha without damping.
#include <type_traits>

#include "papers/lgim/kernels/cardan_charts.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"
#include "tests/kernels/states.hpp"

namespace myriad::test {
namespace {

using ImplicitCharts = ChartList<RotationGroup, EulerParameterChart, EulerZxzChart, CardanChart>;

template <class On>
class ImplicitSystem : public testing::Test {};
TYPED_TEST_SUITE(ImplicitSystem, OnCharts<ImplicitCharts>::types);

template <class S>
auto rates_of(const S&, const typename S::Velocity& v) {
    if constexpr (std::is_same_v<typename S::Velocity, typename S::Chart::Rates>)
        return v;
    else
        return S::turning(v);
}
template <class S>
const auto& orientation_of(const S&, const typename S::Configuration& q) {
    if constexpr (requires { q.position; })
        return q.orientation;
    else
        return q;
}
template <class S, class By>
Mat3<double> derivative(const S& system, const OrientationMotion<double>& motion, const By& by, double c_q) {
    if constexpr (requires { system.residual_derivative(motion, by, c_q); })
        return system.residual_derivative(motion, by, c_q);
    else
        return system.residual_derivative(motion, by);
}

// Stiffness, damping and mass in one: the residual of the rotation against differences along a correction.
TYPED_TEST(ImplicitSystem, DerivesItsResidualAsDifferencesDo) {
    using System = typename TypeParam::template System<double>;
    using Chart = typename System::Chart;
    const double coefficients[][3] = {{1.0, 0.1, 0.01}, {1.7, 0.9, 0.35}, {0.0, 0.0, 1.0}, {0.0, 1.0, 1e-9}};
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto q = orientation_of(system, made.motion.q);
        const auto v = rates_of(system, made.motion.v);
        typename Chart::Rates a, u{};
        for (int i = 0; i < Chart::rate_count; ++i) a[i] = 4.0 * (backends::uniform(instance, 41 + i) - 0.5);
        const double* c = coefficients[instance % 4];
        const auto by = Chart::correction(q, v, a, u, c[0], c[1], c[2], true);
        const Vec<3, double> z{0.3, -0.5, 0.7}, analytic = derivative(system, Chart::motion(q, v, a), by, c[2]) * z;
        const auto x = by.rates(z);
        const auto residual = [&](double s) {
            return system.residual(
                Chart::motion(Chart::retract(q, (s * c[2]) * x), fma(s * c[1], x, v), fma(s * c[0], x, a)));
        };
        const auto after = residual(difference_step), before = residual(-difference_step);
        for (int i = 0; i < 3; ++i)
            EXPECT_NEAR((after[i] - before[i]) / (2.0 * difference_step), analytic[i],
                        difference_tolerance * (10.0 + std::abs(analytic[i])));
    }
}

constexpr double newton_tolerance = 1e-12;
constexpr int most_iterations = 12;

// One step of v+ = v + h (a + a+)/2, u = h v + h^2 (a + a+)/4; gives the sizes of the corrections.
template <class System>
std::vector<double> trapezoidal_step(const System& system, double h, Motion<System>& motion,
                                     typename System::Velocity& a) {
    std::vector<double> sizes;
    const Motion<System> begin = motion;
    typename System::Velocity u = fma(0.5 * h * h, a, h * begin.v), v = fma(h, a, begin.v), x;
    for (int k = 0; k < most_iterations && (sizes.empty() || !(sizes.back() <= newton_tolerance)); ++k) {
        motion = {System::retract(begin.q, u), v};
        sizes.push_back(std::sqrt(system.newton_correction(motion, a, u, 1.0, 0.5 * h, 0.25 * h * h, true, 0.0, x)));
        a = a + x, v = fma(0.5 * h, x, v), u = fma(0.25 * h * h, x, u);
    }
    motion = {System::settle(System::retract(begin.q, u)), v};
    return sizes;
}

TYPED_TEST(ImplicitSystem, ConvergesQuadraticallyToItsAcceleration) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        auto motion = made.motion;
        auto a = made.system.acceleration(motion.q, motion.v);
        const auto sizes = trapezoidal_step(made.system, 0.05, motion, a);
        ASSERT_LE(sizes.back(), newton_tolerance);
        // The constant of the quadratic convergence is of the order of the second derivatives of q: 100 is ample, and
        // far below the ratio of 1e6 and more that a wrong derivative would give.
        for (std::size_t k = 1; k < sizes.size(); ++k)
            EXPECT_LE(sizes[k], 100.0 * sizes[k - 1] * sizes[k - 1] + newton_tolerance) << "iteration " << k;
        const auto w_rate = [&](const typename System::Velocity& rates) {
            using Chart = typename System::Chart;
            return Chart::motion(orientation_of(made.system, motion.q), rates_of(made.system, motion.v),
                                 rates_of(made.system, rates))
                .angular_acceleration;
        };
        const auto implicit = w_rate(a), by_formula = w_rate(made.system.acceleration(motion.q, motion.v));
        // Newton's last correction of the angles, over h^2 / 4.
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(implicit[i], by_formula[i], newton_tolerance / (0.25 * 0.05 * 0.05));
    }
}

}  // namespace
}  // namespace myriad::test
