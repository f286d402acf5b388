// The reference path of mechanisms against closed forms and against the converged values of the facts.
#include <gtest/gtest.h>

#include "tests/reference/mechanism_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d, Eigen::VectorXd;

// The facts give ten decimals.
constexpr double last_decimal = 1e-10;

const BodyState& body_at_end(const MechanismResult& result, std::size_t body) {
    return result.last.motion.state.bodies[body];
}

Vector3d acceleration_at_end(const MechanismResult& result, int body) {
    return result.last.motion.acceleration.segment<3>(6 * body);
}

// The positions of all bodies at the end of a run with generalized-alpha, without its second order error.
VectorXd positions(const MechanismModel& model, double end_s, double step_s, const std::string& chart = "rotation") {
    const auto run = [&](double h) {
        const MechanismResult result =
            run_reference_mechanism(model, mechanism_settings("generalized_alpha", end_s, h, chart));
        EXPECT_EQ(result.status, "ok") << result.reason;
        VectorXd x(3 * static_cast<Eigen::Index>(model.bodies.size()));
        for (std::size_t b = 0; b < model.bodies.size(); ++b)
            x.segment<3>(3 * static_cast<Eigen::Index>(b)) = body_at_end(result, b).position;
        return x;
    };
    return extrapolated(run(step_s), run(0.5 * step_s), 2);
}

}  // namespace

TEST(DrivenPendulum, KinematicsAreTheClosedForm) {
    MechanismSettings settings = mechanism_settings("kinematics", 3.0, 0.1);
    const double tolerance = 1e-13;  // round-off of numbers of size 5
    settings.after_step = [&](const MechanismSample& sample) {
        const double t = sample.motion.state.time_s;
        const BodyState& body = sample.motion.state.bodies[0];
        EXPECT_LE((body.position - DrivenPendulum::position(t)).norm(), tolerance) << t;
        EXPECT_LE((body.velocity - DrivenPendulum::velocity(t)).norm(), tolerance) << t;
        EXPECT_LE((sample.motion.acceleration.head<3>() - DrivenPendulum::acceleration(t)).norm(), 10 * tolerance) << t;
        // The driver's multiplier is minus its torque: phi is the angle there, to first order.
        EXPECT_NEAR(sample.element_multipliers[3][0], -DrivenPendulum::torque(t), 1e3 * 10 * tolerance) << t;
    };
    const MechanismResult result = run_reference_mechanism(DrivenPendulum::model(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    const BodyState& end = body_at_end(result, 0);
    EXPECT_NEAR(end.position.y(), 1.3692891883, last_decimal);
    EXPECT_NEAR(end.position.z(), -1.4577541353, last_decimal);
    EXPECT_NEAR(end.velocity.y(), 0.6398153429, last_decimal);
    EXPECT_NEAR(end.velocity.z(), 0.6009876496, last_decimal);
    EXPECT_NEAR(acceleration_at_end(result, 0).y(), -4.6610391386, last_decimal);
    EXPECT_NEAR(acceleration_at_end(result, 0).z(), -3.8495933811, last_decimal);
}

TEST(DrivenPendulum, HasNoPositionErrorWhateverTheMethod) {
    for (const std::string method : {"implicit_euler", "generalized_alpha"})
        for (const std::string& chart : orientation_chart_names()) {
            if (chart == "cardan_xyz") continue;  // its start is the singularity of the Cardan angles
            const MechanismResult result =
                run_reference_mechanism(DrivenPendulum::model(), mechanism_settings(method, 0.6, 0.02, chart));
            ASSERT_EQ(result.status, "ok") << method << chart << result.reason;
            EXPECT_LE((body_at_end(result, 0).position - DrivenPendulum::position(0.6)).norm(), 1e-13)
                << method << chart;
        }
}

TEST(FourLink, IsSolvedWithItsSingularInertias) {
    const MechanismResult result = run_reference_mechanism(four_link(), mechanism_settings("kinematics", 3.0, 0.05));
    ASSERT_EQ(result.status, "ok") << result.reason;
    const BodyState& rocker = body_at_end(result, 2);
    EXPECT_NEAR(rocker.position.x(), -2.4374422811, last_decimal);
    EXPECT_NEAR(rocker.position.z(), 3.3538654378, last_decimal);
    EXPECT_NEAR(rocker.velocity.x(), 5.4145674997, last_decimal);
    EXPECT_NEAR(rocker.velocity.z(), -2.5226337783, last_decimal);
    EXPECT_NEAR(acceleration_at_end(result, 2).x(), -17.7380282, 1e-7);  // as many decimals as the facts give
    EXPECT_NEAR(acceleration_at_end(result, 2).z(), -2.3747313692, last_decimal);

    // Dynamics at an intermediate time against the kinematics there: the motion is prescribed.
    const double end = 0.4;
    const MechanismResult truth = run_reference_mechanism(four_link(), mechanism_settings("kinematics", end, 0.05));
    for (const std::string& chart : orientation_chart_names()) {
        const MechanismResult dynamic =
            run_reference_mechanism(four_link(), mechanism_settings("generalized_alpha", end, 0.01, chart));
        ASSERT_EQ(dynamic.status, "ok") << chart << dynamic.reason;
        EXPECT_LE((body_at_end(dynamic, 2).position - body_at_end(truth, 2).position).norm(), 1e-12) << chart;
        const double error = (body_at_end(dynamic, 2).velocity - body_at_end(truth, 2).velocity).norm();
        EXPECT_LE(error, 0.02) << chart;  // of second order: a hundred times the square of the step
        EXPECT_GE(error, 1e-8) << chart;
    }
}

TEST(FourLink, StartsWhereTheFactsSay) {
    const AssembledStart start = assembled_start(four_link());
    EXPECT_LE(start.correction, 1e-8);  // the file's numbers have eight decimals
    EXPECT_NEAR(start.motion.state.bodies[2].velocity.z(), -2.8180737328, last_decimal);
    EXPECT_NEAR(start.motion.acceleration[14], -1.8328900876, last_decimal);
}

TEST(DrivenSliderCrank, KinematicsAreTheClosedForm) {
    // B.4: x, v, a of the slider.
    const std::vector<std::array<double, 4>> truth = {{0.25, 0.207846096908, 0.290207898277, 1.114318334852},
                                                      {0.5, 0.28, 0.179519580205, -1.468643173853},
                                                      {0.75, 0.274226184016, -0.219959225139, -1.328135031545}};
    MechanismSettings settings = mechanism_settings("kinematics", 0.75, 0.05);
    std::size_t next = 0;
    settings.after_step = [&](const MechanismSample& sample) {
        if (next == truth.size() || std::abs(sample.motion.state.time_s - truth[next][0]) > 1e-9) return;
        EXPECT_NEAR(sample.motion.state.bodies[2].position.x(), truth[next][1], 1e-12);
        EXPECT_NEAR(sample.motion.state.bodies[2].velocity.x(), truth[next][2], 1e-12);
        EXPECT_NEAR(sample.motion.acceleration[12], truth[next][3], 1e-11);
        ++next;
    };
    const MechanismResult result = run_reference_mechanism(driven_slider_crank(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    EXPECT_EQ(next, truth.size());
}

TEST(SpatialSliderCrank, MovesAsConvergedBenchmarkDoes) {
    // A.3 at t = 0.5, "about 9 digits". Left of the extrapolation is the fourth order: 2e-8 at this step.
    const double tolerance = 1e-7;
    const VectorXd x = positions(spatial_slider_crank(), 0.5, 1e-3);
    EXPECT_NEAR(x[6], 0.184952630, tolerance);
    const double theta = 5.583762553;
    EXPECT_NEAR(x[1], 0.1 - 0.04 * std::sin(theta), tolerance);
    EXPECT_NEAR(x[2], 0.12 + 0.04 * std::cos(theta), tolerance);
}

TEST(SpatialSliderCrank, KeepsItsEnergyToSecondOrder) {
    const auto error = [](double step_s) {
        const MechanismResult result =
            run_reference_mechanism(spatial_slider_crank(), mechanism_settings("generalized_alpha", 0.2, step_s));
        EXPECT_EQ(result.status, "ok") << result.reason;
        return std::abs(result.last.kinetic_energy_j + result.last.potential_energy_j - 0.76643568);
    };
    const double coarse = error(4e-3), fine = error(1e-3);
    EXPECT_LE(fine, 1e-4);
    EXPECT_GE(coarse / fine, 10.0);  // 16
}

TEST(DoublePendulum, MovesAsTheConvergedBenchmarkDoes) {
    // B.2 at t = 1. Left of the extrapolation is the fourth order: 1e-8 at this step.
    const double tolerance = 1e-7;
    for (const std::string& chart : orientation_chart_names()) {
        if (chart == "cardan_xyz") continue;  // its start is the singularity of the Cardan angles
        const VectorXd x = positions(double_pendulum(), 1.0, 2e-3, chart);
        EXPECT_NEAR(x[1], 0.1680725859, tolerance) << chart;
        EXPECT_NEAR(x[2], -1.9929253889, tolerance) << chart;
        EXPECT_NEAR(x[4], 1.3129965652, tolerance) << chart;
        EXPECT_NEAR(x[5], -4.1997698163, tolerance) << chart;
    }
}

TEST(FastTopOnAJoint, StartsWithTheConvergedAccelerations) {
    // A.1; the numbers of that start are given to six digits, the accelerations that follow from them to ten.
    const AssembledStart start = assembled_start(fast_top_on_a_joint());
    EXPECT_LE(start.correction, 1e-14);
    const VectorXd& a = start.motion.acceleration;
    EXPECT_LE((a.head<3>() - Vector3d(0.0, -21.3017325444, -30.9608307692)).norm(), 1e-9);
    EXPECT_LE((a.tail<3>() - Vector3d(661.3461692307692, 0.0, 0.0)).norm(), 1e-9);
}

TEST(FastTopOnAJoint, TurnsAsThePublishedValueSays) {
    // A.1: global omega_y at t = 0.01.
    const auto omega_y = [](double step_s) {
        const MechanismResult result =
            run_reference_mechanism(fast_top_on_a_joint(), mechanism_settings("generalized_alpha", 0.01, step_s));
        EXPECT_EQ(result.status, "ok") << result.reason;
        const BodyState& top = body_at_end(result, 0);
        return VectorXd::Constant(1, (top.orientation * top.angular_velocity).y());
    };
    const double truth = 149.8473939540758;
    const double coarse = std::abs(omega_y(1e-4)[0] - truth), fine = std::abs(omega_y(5e-5)[0] - truth);
    EXPECT_GE(coarse / fine, 3.6);
    EXPECT_LE(coarse / fine, 4.4);
    EXPECT_NEAR(extrapolated(omega_y(1e-4), omega_y(5e-5), 2)[0], truth, 1e-6);
}

}  // namespace myriad::reference
