#include "host/reference/formulation/orientation_chart.hpp"

#include <gtest/gtest.h>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/mathematics/cardan_angles.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Central differences: third derivatives of size 1000 times its square / 6, and round-off 1e-14 over it.
constexpr double chart_difference = 3e-6, chart_difference_tolerance = 1e-8;

const Matrix3d start = rotation_exponential({0.4, -0.8, 0.3});

struct Point {
    VectorXd increment, rates, second_rates;
};
Point general_point(Index size) {
    const VectorXd increment = 0.1 * VectorXd::LinSpaced(size, -1.0, 2.0);
    return {increment, VectorXd::LinSpaced(size, 3.0, -1.0), VectorXd::LinSpaced(size, 0.5, 2.0)};
}

Vector3d axis_of(const Matrix3d& skew_matrix) {
    return 0.5 * Vector3d(skew_matrix(2, 1) - skew_matrix(1, 2), skew_matrix(0, 2) - skew_matrix(2, 0),
                          skew_matrix(1, 0) - skew_matrix(0, 1));
}

}  // namespace

TEST(OrientationChart, StartsAtTheOrientationWithTheMotionItIsGiven) {
    const Vector3d w(1.0, -2.0, 3.0), w_dot(-4.0, 1.0, 0.5);
    for (const std::string& name : orientation_chart_names()) {
        const auto chart = make_orientation_chart(name, start);
        const VectorXd none = VectorXd::Zero(chart->size()), rates = chart->rates(none, w);
        const ChartMotion motion = chart->motion(none, rates, chart->second_rates(none, rates, w_dot));
        EXPECT_LE((motion.orientation - start).norm(), 1e-14) << name;
        EXPECT_LE((motion.angular_velocity - w).norm(), 1e-14) << name;
        EXPECT_LE((motion.angular_acceleration - w_dot).norm(), 1e-13) << name;
        if (name == "euler_zxz") {
            // Its offset puts the start at theta = pi/2, where the rates are orthonormal.
            const MatrixXd G = motion.velocity_by_rates;
            EXPECT_LE((G.transpose() * G - MatrixXd::Identity(3, 3)).norm(), 1e-14);
        }
    }
}

TEST(OrientationChart, TakesBodyRatesBesideTheCardanAnglesForExplicitMethods) {
    const auto angles = make_orientation_chart("cardan_xyz", start),
               body_rate = make_explicit_chart("cardan_xyz_body_rate", start);
    const Point p = general_point(3);
    const ChartMotion motion = body_rate->motion(p.increment, p.rates, p.second_rates);
    EXPECT_EQ(motion.angular_velocity, p.rates);
    EXPECT_EQ(motion.angular_acceleration, p.second_rates);
    EXPECT_LE((body_rate->rates(p.increment, p.rates) - p.rates).norm(), 1e-14);
    EXPECT_LE((body_rate->second_rates(p.increment, p.rates, p.second_rates) - p.second_rates).norm(), 1e-14);
    // The angles move so that the rotation has this angular velocity, also after steps.
    for (int step = 0; step < 2; ++step) {
        const ChartMotion of_angles =
            angles->motion(p.increment, body_rate->slope(p.increment, p.rates), VectorXd::Zero(3));
        EXPECT_LE((of_angles.angular_velocity - p.rates).norm(), 1e-14);
        EXPECT_EQ(of_angles.orientation, body_rate->motion(p.increment, p.rates, p.second_rates).orientation);
        angles->advance(p.increment), body_rate->advance(p.increment);
    }
    EXPECT_THROW(make_orientation_chart("cardan_xyz_body_rate", start), UserError) << "no implicit method knows it";
}

TEST(OrientationChart, HasTheAngularVelocityOfItsRotation) {
    for (const std::string& name : orientation_chart_names()) {
        if (name == "rotation") continue;  // its rates are the angular velocity, not the derivative of coordinates
        const auto chart = make_orientation_chart(name, start);
        Point p = general_point(chart->size());
        if (name == "euler_parameters") {
            // A motion on the unit sphere: there w' is the derivative of w.
            const VectorXd start_p = quaternion_of(start), unit = (start_p + p.increment).normalized();
            p.increment = unit - start_p;
            p.rates -= unit * unit.dot(p.rates);
            p.second_rates -= unit * (unit.dot(p.second_rates) + p.rates.squaredNorm());
        }
        const auto at = [&](double dt) {
            return chart->motion(p.increment + dt * p.rates + 0.5 * dt * dt * p.second_rates,
                                 p.rates + dt * p.second_rates, p.second_rates);
        };
        const ChartMotion motion = at(0.0);
        const Matrix3d R_dot =
            (at(chart_difference).orientation - at(-chart_difference).orientation) / (2.0 * chart_difference);
        EXPECT_LE((axis_of(motion.orientation.transpose() * R_dot) - motion.angular_velocity).norm(),
                  chart_difference_tolerance)
            << name;
        const Vector3d w_dot =
            (at(chart_difference).angular_velocity - at(-chart_difference).angular_velocity) / (2.0 * chart_difference);
        EXPECT_LE((w_dot - motion.angular_acceleration).norm(), chart_difference_tolerance) << name;
    }
}

TEST(OrientationChart, HasTheDerivativesOfDifferences) {
    for (const std::string& name : orientation_chart_names()) {
        const auto chart = make_orientation_chart(name, start);
        const Index size = chart->size();
        const Point p = general_point(size);
        const ChartMotion motion = chart->motion(p.increment, p.rates, p.second_rates);
        for (Index k = 0; k < size; ++k) {
            const VectorXd step = chart_difference * VectorXd::Unit(size, k);
            const auto slope = [&](const VectorXd& a, const VectorXd& b, const VectorXd& c) {
                const ChartMotion after = chart->motion(p.increment + a, p.rates + b, p.second_rates + c);
                const ChartMotion before = chart->motion(p.increment - a, p.rates - b, p.second_rates - c);
                Eigen::Matrix<double, 9, 1> result;
                result << axis_of(motion.orientation.transpose() * (after.orientation - before.orientation)),
                    after.angular_velocity - before.angular_velocity,
                    after.angular_acceleration - before.angular_acceleration;
                return Eigen::Matrix<double, 9, 1>(result / (2.0 * chart_difference));
            };
            const VectorXd none = VectorXd::Zero(size);
            Eigen::Matrix<double, 9, 1> by_coordinates, by_rates, by_second_rates;
            by_coordinates << motion.displacement_by_coordinates.col(k), motion.velocity_by_coordinates.col(k),
                motion.acceleration_by_coordinates.col(k);
            by_rates << Vector3d::Zero(), motion.velocity_by_rates.col(k), motion.acceleration_by_rates.col(k);
            by_second_rates << Vector3d::Zero(), Vector3d::Zero(), motion.acceleration_by_second_rates.col(k);
            EXPECT_LE((slope(step, none, none) - by_coordinates).norm(), chart_difference_tolerance) << name << k;
            EXPECT_LE((slope(none, step, none) - by_rates).norm(), chart_difference_tolerance) << name << k;
            EXPECT_LE((slope(none, none, step) - by_second_rates).norm(), chart_difference_tolerance) << name << k;
        }
    }
}

TEST(OrientationChart, HasThePublishedRateMatrices) {
    // Cardan angles: lgim sect. 2.1 through cardan_angles.hpp. Euler parameters: w = 2 (-e, e0 I - skew(e)) p'.
    const auto cardan = make_orientation_chart("cardan_xyz", start);
    const Point p = general_point(3);
    const Vector3d rho = cardan_angles_of(start) + p.increment;
    EXPECT_LE((cardan->motion(p.increment, p.rates, p.second_rates).velocity_by_rates - cardan_rate_matrix(rho)).norm(),
              1e-14);
    const auto parameters = make_orientation_chart("euler_parameters", start);
    const Eigen::Vector4d q = quaternion_of(start);
    MatrixXd G(3, 4);
    G << -q.tail<3>(), q[0] * Matrix3d::Identity() - skew(q.tail<3>());
    const VectorXd none = VectorXd::Zero(4);
    EXPECT_LE((parameters->motion(none, none, none).velocity_by_rates - 2.0 * G).norm(), 1e-14);
}

TEST(OrientationChart, EndsAtItsSingularity) {
    const auto zxz = make_orientation_chart("euler_zxz", start);
    const VectorXd none = VectorXd::Zero(3);
    EXPECT_THROW(zxz->motion(Vector3d(0.0, -std::acos(0.0), 0.0), none, none), StepFailure);
    const auto cardan = make_orientation_chart("cardan_xyz", Matrix3d::Identity());
    EXPECT_THROW(cardan->motion(Vector3d(0.0, std::acos(0.0), 0.0), none, none), StepFailure);
    EXPECT_THROW(make_orientation_chart("euler_zyx", start), UserError);
}

}  // namespace myriad::reference
