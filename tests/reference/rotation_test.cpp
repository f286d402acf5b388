#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <vector>

#include "host/reference/mathematics/cardan_angles.hpp"

namespace myriad::reference {

namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();
// A handful of products and sums of numbers up to 1.
constexpr double few_ulp = 8 * ulp;

// At zero, where closed forms divide by zero or cancel, at generic angles, and near the half turn.
const std::vector<double> angles{0.0, 1e-300, 1e-8, 1e-4, 0.3, 1.5, 3.0, std::numbers::pi - 1e-8, std::numbers::pi,
                                 4.0};
const Eigen::Vector3d axis = Eigen::Vector3d(0.48, -0.6, 0.64);

Eigen::Matrix3d axis_and_angle(double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

}  // namespace

TEST(RotationExponential, EqualsTheRotationAboutTheAxis) {
    for (const double angle : angles)
        EXPECT_LE((rotation_exponential(angle * axis) - axis_and_angle(angle)).cwiseAbs().maxCoeff(), few_ulp) << angle;
}

TEST(TangentOperator, IsTheDerivativeOfTheExponential) {
    // Central differences: truncation step^2 / 6 and round-off ulp / step, both near 1e-10 at this step.
    const double step = 1e-5, tolerance = 1e-9;
    const Eigen::Vector3d direction(0.3, 0.8, -0.5);
    for (const double angle : angles) {
        const Eigen::Vector3d u = angle * axis;
        const Eigen::Matrix3d rate =
            (rotation_exponential(u + step * direction) - rotation_exponential(u - step * direction)) / (2 * step);
        const Eigen::Matrix3d expected = rotation_exponential(u) * skew(tangent_operator(u) * direction);
        EXPECT_LE((rate - expected).cwiseAbs().maxCoeff(), tolerance) << angle;
    }
}

TEST(TangentOperator, IsAnUlpFromTheIdentityPlusHalfTheSkewMatrixAtSmallAngles) {
    for (const double angle : {1e-300, 1e-12, 1e-9}) {
        const Eigen::Vector3d u = angle * axis;
        const Eigen::Matrix3d expected = Eigen::Matrix3d::Identity() - 0.5 * skew(u);
        EXPECT_LE((tangent_operator(u) - expected).cwiseAbs().maxCoeff(), few_ulp) << angle;
    }
}

TEST(TangentInverse, EqualsItsOwnClosedForm) {
    // T^-1 w = w + u x w / 2 + g u x (u x w): another formula than the one that is solved.
    const Eigen::Vector3d w(1.0, -2.0, 0.5);
    for (const double angle : {0.1, 0.7, 1.5, 3.0}) {
        const Eigen::Vector3d u = angle * axis;
        const double g = (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
        const Eigen::Vector3d expected = w + 0.5 * u.cross(w) + g * u.cross(u.cross(w));
        // g loses ulp / angle^2 to cancellation.
        EXPECT_LE((tangent_inverse(u, w) - expected).norm(), 4 * few_ulp * (1.0 + 1.0 / (angle * angle))) << angle;
    }
}

// What is left out begins with the fourth commutator, whose coefficient is B_4 / 4! = -1/720.
TEST(TangentInverseToTwoCommutators, LeavesOutTheFourthOne) {
    const Eigen::Vector3d w(0.3, -1.1, 0.7);
    for (const double angle : {0.05, 0.1, 0.2}) {
        const Eigen::Vector3d u = angle * axis;
        const Eigen::Vector3d fourth = u.cross(u.cross(u.cross(u.cross(w)))) / -720.0;
        const Eigen::Vector3d left = tangent_inverse(u, w) - tangent_inverse_to_two_commutators(u, w);
        EXPECT_LE((left - fourth).norm(), 0.01 * fourth.norm() + 10 * few_ulp) << angle;
    }
}

// The first terms left out are of seventh order: half^7 / 7! of the sine.
TEST(QuaternionExponentialToSixthPower, LeavesOutTheSeventh) {
    for (const double angle : {0.3, 0.75, 1.5}) {
        const Eigen::Quaterniond q = quaternion_exponential_to_sixth_power(angle * axis);
        const double half = 0.5 * angle * axis.norm();
        EXPECT_NEAR(q.vec().norm() - std::sin(half), std::pow(half, 7) / 5040.0, 0.02 * std::pow(half, 7) / 5040.0);
        EXPECT_NEAR(q.w(), std::cos(half), std::pow(half, 8) / 40320.0);
    }
}

TEST(Orthonormalization, RemovesADeviationToSecondOrder) {
    const double deviation = 1e-6;
    Eigen::Matrix3d noise;
    noise << 0.3, -0.2, 0.9, 0.5, 0.1, -0.7, -0.4, 0.8, 0.6;
    const Eigen::Matrix3d R = orthonormalized(axis_and_angle(1.1) + deviation * noise);
    EXPECT_LE((R.transpose() * R - Eigen::Matrix3d::Identity()).norm(), 10 * deviation * deviation);
}

// Down to lengths whose square and cube underflow, and on both sides of where the formula changes.
TEST(SmallTurn, IsItsTaylorPolynomial) {
    for (const double angle : {1e-300, 1e-171, 1e-155, 1e-110, 1e-60, 1e-12, 0.99e-4, 1.01e-4}) {
        const Eigen::Vector3d u = angle * axis.normalized();
        const Eigen::Matrix3d U = skew(u), one = Eigen::Matrix3d::Identity();
        EXPECT_LE((rotation_exponential(u) - (one + U + U * U / 2.0 + U * U * U / 6.0)).norm(), few_ulp) << angle;
        EXPECT_LE((tangent_operator(u) - (one - U / 2.0 + U * U / 6.0 - U * U * U / 24.0)).norm(), few_ulp) << angle;
    }
}

TEST(Quaternion, HasTheHalfAngleAndAPositiveScalarPart) {
    for (const double angle : {0.0, 1e-8, 0.3, 1.5, 3.0}) {
        Eigen::Vector4d expected;
        expected << std::cos(0.5 * angle), std::sin(0.5 * angle) * axis;
        EXPECT_LE((quaternion_of(axis_and_angle(angle)) - expected).norm(), few_ulp) << angle;
        EXPECT_GE(quaternion_of(axis_and_angle(-angle))[0], 0.0);
        EXPECT_GE(quaternion_of(axis_and_angle(angle + std::numbers::pi))[0], 0.0);
    }
}

TEST(CardanAngles, AreInvertedByTheRotation) {
    for (const Eigen::Vector3d& rho :
         {Eigen::Vector3d(0.0, 0.0, 0.0), Eigen::Vector3d(0.3, -1.2, 2.5), Eigen::Vector3d(-2.9, 1.4, -0.7)})
        EXPECT_LE((cardan_angles_of(cardan_rotation(rho)) - rho).norm(), 10 * few_ulp);
}

TEST(CardanRateMatrix, TurnsAngleRatesIntoTheBodyAngularVelocity) {
    const double step = 1e-5, tolerance = 1e-9;  // as for the tangent operator
    const Eigen::Vector3d rho(0.3, -1.2, 2.5), rates(0.7, -0.4, 1.1);
    const Eigen::Matrix3d R_dot =
        (cardan_rotation(rho + step * rates) - cardan_rotation(rho - step * rates)) / (2 * step);
    const Eigen::Matrix3d expected = cardan_rotation(rho) * skew(cardan_rate_matrix(rho) * rates);
    EXPECT_LE((R_dot - expected).cwiseAbs().maxCoeff(), tolerance);

    const Eigen::Matrix3d G_dot =
        (cardan_rate_matrix(rho + step * rates) - cardan_rate_matrix(rho - step * rates)) / (2 * step);
    EXPECT_LE((cardan_rate_matrix_derivative(rho, rates) - G_dot).cwiseAbs().maxCoeff(), tolerance);
}

}  // namespace myriad::reference
