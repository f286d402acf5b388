// The four charts offer what implicit methods ask, each derivative against central differences along retract.
#include "kernels/orientation/implicit_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/orientation/orientation.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

using Vec3 = Vec<3, double>;
constexpr int motion_samples = 200;
// Truncation: step^2 times third derivatives, of order 100 where accelerations are of order 10; round-off: 1e-16 times
// values of order 10 over the step. Both below 1e-8; errors of a formula are of order 1.
constexpr double difference_step = 1e-5, difference_tolerance = 1e-7;
// Some ten operations on values of order 10.
constexpr double round_off_of_a_motion = 2e-14;

template <template <class> class ChartOf>
struct On {
    template <class Real>
    using Chart = ChartOf<Real>;
};
template <class On>
class ImplicitChart : public testing::Test {};
using Charts = testing::Types<On<RotationGroup>, On<CardanChart>, On<EulerZxzChart>, On<EulerParameterChart>>;
TYPED_TEST_SUITE(ImplicitChart, Charts);

template <int N>
Vec<N, double> draw(Arguments& arguments, double size) {
    Vec<N, double> v;
    for (int i = 0; i < N; ++i) v[i] = arguments.uniform(-size, size);
    return v;
}
double distance(Vec3 a, Vec3 b) { return std::sqrt(dot(a - b, a - b)); }
// The rotation vector from a to b per 2 difference_step.
Vec3 rotation_rate(const Rotation<double>& a, const Rotation<double>& b) {
    return (0.5 / difference_step) * log(inverse(a) * b);
}
Vec3 rate(Vec3 a, Vec3 b) { return (0.5 / difference_step) * (b - a); }

// A state inside a step: away from every singular angle (|cos b|, |sin theta| >= cos 1), Euler parameters off the unit
// sphere, rates and accelerations that belong to no motion in particular.
template <class Chart>
struct State {
    typename Chart::Coordinates q0, q;
    typename Chart::Rates u, v, a;
    explicit State(Arguments& arguments) {
        Chart::start(exp_any(draw<3>(arguments, 0.5)), draw<3>(arguments, 2.0), q0, v);
        u = draw<Chart::rate_count>(arguments, 0.3);
        q = Chart::retract(q0, u);
        v = v + draw<Chart::rate_count>(arguments, 1.0), a = draw<Chart::rate_count>(arguments, 10.0);
    }
};

TYPED_TEST(ImplicitChart, StartsAtTheGivenMotion) {
    using Chart = typename TypeParam::template Chart<double>;
    Arguments arguments(51);
    for (int i = 0; i < motion_samples; ++i) {
        const Rotation<double> rotation = exp_any(draw<3>(arguments, 0.8));
        const Vec3 w = draw<3>(arguments, 3.0), w_rate = draw<3>(arguments, 3.0);
        typename Chart::Coordinates q;
        typename Chart::Rates v;
        Chart::start(rotation, w, q, v);
        EXPECT_TRUE(Chart::regular(q));
        const auto motion = Chart::motion(q, v, Chart::acceleration(q, v, w_rate));
        EXPECT_LE(distance(log(inverse(rotation) * motion.rotation), {}), round_off_of_a_motion);
        EXPECT_LE(distance(log(inverse(rotation) * Chart::rotation(q)), {}), round_off_of_a_motion);
        EXPECT_LE(distance(motion.angular_velocity, w), round_off_of_a_motion);
        EXPECT_LE(distance(Chart::angular_velocity(q, v), w), round_off_of_a_motion);
        EXPECT_LE(distance(motion.angular_acceleration, w_rate), round_off_of_a_motion);
    }
}

// R' = R w~ and w' is the rate of w, along q + t v + t^2 v'/2.
TYPED_TEST(ImplicitChart, NamesTheRatesOfItsRotation) {
    using Chart = typename TypeParam::template Chart<double>;
    Arguments arguments(52);
    for (int i = 0; i < motion_samples; ++i) {
        const Vec3 w = draw<3>(arguments, 3.0), w_rate = draw<3>(arguments, 3.0);
        typename Chart::Coordinates q;
        typename Chart::Rates v;
        Chart::start(exp_any(draw<3>(arguments, 0.8)), w, q, v);
        const auto a = Chart::acceleration(q, v, w_rate);
        const auto at = [&](double t) {
            return Chart::motion(Chart::retract(q, fma(0.5 * t * t, a, t * v)), fma(t, a, v), a);
        };
        const auto before = at(-difference_step), after = at(difference_step);
        EXPECT_LE(distance(rotation_rate(before.rotation, after.rotation), w), difference_tolerance);
        EXPECT_LE(distance(rate(before.angular_velocity, after.angular_velocity), w_rate), difference_tolerance);
    }
}

TYPED_TEST(ImplicitChart, CorrectsRotationVelocityAndAccelerationByTheirDerivatives) {
    using Chart = typename TypeParam::template Chart<double>;
    Arguments arguments(53);
    // As in implicit Euler, generalized-alpha and position analysis, and with no relation between them.
    const double coefficients[][3] = {{1.0, 0.1, 0.01}, {1.7, 0.9, 0.35}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < motion_samples; ++i) {
        const State<Chart> s(arguments);
        const double c_a = coefficients[i % 3][0], c_v = coefficients[i % 3][1], c_q = coefficients[i % 3][2];
        const auto correction = Chart::correction(s.q, s.v, s.a, s.u, c_a, c_v, c_q, true);
        const Vec3 z = draw<3>(arguments, 1.0);
        const auto with_length = correction.rates({}), x = correction.rates(z) - with_length;
        const auto expect_derivative = [&](const typename Chart::Rates& along, const Vec3& turn) {
            const auto at = [&](double by) {
                return Chart::motion(Chart::retract(s.q0, fma(by * c_q, along, s.u)), fma(by * c_v, along, s.v),
                                     fma(by * c_a, along, s.a));
            };
            const auto before = at(-difference_step), after = at(difference_step);
            EXPECT_LE(distance(rotation_rate(before.rotation, after.rotation), c_q * turn), difference_tolerance);
            EXPECT_LE(distance(rate(before.angular_velocity, after.angular_velocity), correction.velocity * turn),
                      difference_tolerance);
            EXPECT_LE(
                distance(rate(before.angular_acceleration, after.angular_acceleration), correction.acceleration * turn),
                difference_tolerance);
        };
        expect_derivative(x, z);
        expect_derivative(with_length, {});
    }
}

TEST(EulerParameterChart, TakesItsLengthToOneQuadratically) {
    Arguments arguments(54);
    for (int i = 0; i < motion_samples; ++i) {
        const State<EulerParameterChart<double>> s(arguments);
        const double c_q = 0.3;
        const auto correction = EulerParameterChart<double>::correction(s.q, s.v, s.a, s.u, 1.0, 0.5, c_q, true);
        const auto x = correction.rates({});
        const double error = dot(s.q, s.q) - 1.0, after = dot(fma(c_q, x, s.q), fma(c_q, x, s.q)) - 1.0;
        // (1 + c_q mu)^2 p.p = p.p (1 - error / (2 p.p))^2 = 1 + error^2 / (4 p.p)
        EXPECT_NEAR(after, 0.25 * error * error / (1.0 + error), round_off_of_a_motion);
        EXPECT_GT(std::fabs(error), 1e-4) << "this state tests nothing";
    }
}

TEST(EulerParameterChart, SettlesOnTheUnitSphere) {
    const Vec<4, double> p{0.5, -0.5, 0.5, 0.5 + 1e-9};
    const auto settled = EulerParameterChart<double>::settle(p);
    EXPECT_NEAR(dot(settled, settled), 1.0, 4e-16);
    EXPECT_FALSE(EulerParameterChart<double>::regular({0.01, 0.0, 0.02, 0.0}));
}

TEST(RotationGroup, LeavesOutTheTangentOperatorOnDemand) {
    const Vec3 u{0.3, -0.4, 0.2};
    const auto correction = RotationGroup<double>::correction(exp(u), {}, {}, u, 1.5, 0.25, 0.125, false);
    const Vec3 z{0.1, 0.2, 0.3};
    EXPECT_EQ(distance(correction.rates(z), z), 0.0);
    EXPECT_EQ(distance(correction.velocity * z, 0.25 * z), 0.0);
    EXPECT_EQ(distance(correction.acceleration * z, 1.5 * z), 0.0);
}

TEST(EulerZxzChart, IsSingularWhereTheFirstAndTheLastAxisAreOne) {
    using Chart = EulerZxzChart<double>;
    Chart::Coordinates q;
    Vec3 v;
    Chart::start(exp_any(Vec3{0.0, 0.0, 0.0}), {}, q, v);  // R = 1, where A = 1 would be singular
    EXPECT_TRUE(Chart::regular(q));
    q.angles = {0.4, 1e-10, -0.3};
    EXPECT_FALSE(Chart::regular(q));
    q.angles = {0.4, 3.141592653589793, -0.3};
    EXPECT_FALSE(Chart::regular(q));
}

// The numbers of a state in the fields' order, one lane of them.
template <class Real, class Fields>
void append_lane(std::vector<NumberOf<Real>>& to, Fields fields, int lane) {
    visit_fields([&](Real& x) { to.push_back(Lanes<Real>::get(x, lane)); }, fields);
}
template <class Real>
void append_lane(std::vector<NumberOf<Real>>& to, const Mat3<Real>& m, int lane) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) to.push_back(Lanes<Real>::get(m.e[i][j], lane));
}
// Every number the chart gives for the lanes' generic numbers, lane by lane.
template <template <class> class ChartOf, class Real>
std::vector<std::vector<NumberOf<Real>>> everything(int first) {
    using Chart = ChartOf<Real>;
    using Number = NumberOf<Real>;
    constexpr int width = Lanes<Real>::width, count = 9 + 2 * Chart::rate_count;
    Vec<count, Real> given;
    for (int lane = 0; lane < width; ++lane) {
        Arguments arguments(static_cast<std::uint64_t>(60 + first + lane));
        for (int i = 0; i < count; ++i)
            Lanes<Real>::set(given[i], lane, static_cast<Number>(arguments.uniform(-0.5, 0.5)));
    }
    const auto vec = [&](int at) -> Vec<3, Real> { return {given[at], given[at + 1], given[at + 2]}; };
    typename Chart::Coordinates q0;
    typename Chart::Rates u, a, v;
    for (int i = 0; i < Chart::rate_count; ++i) u[i] = given[9 + i], a[i] = given[9 + Chart::rate_count + i];
    Chart::start(exp_any(vec(0)), vec(3), q0, v);
    const auto q = Chart::settle(Chart::retract(q0, u));
    const auto motion = Chart::motion(q, v, a);
    const auto correction = Chart::correction(q, v, a, u, Real(1.0), Real(0.5), Real(0.25), true);
    std::vector<std::vector<Number>> all(width);
    for (int lane = 0; lane < width; ++lane) {
        auto& to = all[static_cast<std::size_t>(lane)];
        append_lane<Real>(to, q, lane), append_lane<Real>(to, v, lane), append_lane<Real>(to, motion.rotation, lane);
        append_lane<Real>(to, motion.angular_velocity, lane);
        append_lane<Real>(to, motion.angular_acceleration, lane);
        append_lane<Real>(to, Chart::acceleration(q, v, vec(6)), lane);
        append_lane(to, correction.acceleration, lane), append_lane(to, correction.velocity, lane);
        append_lane<Real>(to, correction.rates(vec(6)), lane);
    }
    return all;
}
template <template <class> class ChartOf, class Number, int W>
void expect_same_bits() {
    const auto packed = everything<ChartOf, Pack<Number, W>>(0);
    for (int lane = 0; lane < W; ++lane) {
        const auto& of_lane = packed[static_cast<std::size_t>(lane)];
        const auto plain = everything<ChartOf, Number>(lane)[0];
        ASSERT_EQ(plain.size(), of_lane.size());
        EXPECT_EQ(std::memcmp(plain.data(), of_lane.data(), plain.size() * sizeof(Number)), 0) << "lane " << lane;
    }
}
TYPED_TEST(ImplicitChart, HasTheSameBitsInEveryLane) {
    expect_same_bits<TypeParam::template Chart, double, 4>();
    expect_same_bits<TypeParam::template Chart, double, 8>();
    expect_same_bits<TypeParam::template Chart, float, 8>();
    expect_same_bits<TypeParam::template Chart, float, 16>();
}

}  // namespace
}  // namespace myriad::test
