// Uneven spans, assembly and failures of the reference path of mechanisms. Its motions are those of the kernels, by
// every method and chart (`myriad validate mechanism_twins`).
#include <gtest/gtest.h>

#include "host/text/user_error.hpp"
#include "tests/reference/joint_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Vector3d, Eigen::VectorXd;

struct End {
    VectorXd position, velocity, acceleration, multipliers;  // of all bodies
    std::vector<Eigen::Matrix3d> orientation;
};

End end_of(const MechanismModel& model, const MechanismSettings& settings) {
    const MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << settings.integrator << ' ' << settings.chart << ' ' << result.reason;
    const MechanismMotion& motion = result.last.motion;
    End end{VectorXd(3 * static_cast<Index>(model.bodies.size())),
            velocity_vector(motion.state),
            motion.acceleration,
            motion.multipliers,
            {}};
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        end.position.segment<3>(3 * static_cast<Index>(b)) = motion.state.bodies[b].position;
        end.orientation.push_back(motion.state.bodies[b].orientation);
    }
    return end;
}

}  // namespace

TEST(Steps, OfAnUnevenSpanAreEqualWhereThereAreConstraintsAndElseEndWithAShorterOne) {
    const auto times = [](const MechanismModel& model, double end_s) {
        std::vector<double> times_s;
        MechanismSettings settings = mechanism_settings("implicit_euler", end_s, 0.01);
        settings.after_step = [&](const MechanismSample& sample) { times_s.push_back(sample.motion.state.time_s); };
        EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
        return times_s;
    };
    EXPECT_EQ(times(spatial_double_pendulum(), 0.1).size(), 11u);
    const std::vector<double> equal = times(spatial_double_pendulum(), 0.105),
                              last_shorter = times(bodies_on_springs(), 0.105);
    ASSERT_EQ(equal.size(), 12u);
    ASSERT_EQ(last_shorter.size(), 12u);
    for (std::size_t n = 0; n < 11; ++n) {
        EXPECT_NEAR(equal[n], 0.105 / 11.0 * static_cast<double>(n), 1e-16);
        EXPECT_NEAR(last_shorter[n], 0.01 * static_cast<double>(n), 1e-16);
    }
    EXPECT_EQ(equal[11], 0.105);
    EXPECT_EQ(last_shorter[11], 0.105);
}

TEST(Steps, OfAnUnevenSpanDoNotSpoilItsMultipliers) {
    // A last step of 10 us after steps of 1 ms moves those of a double pendulum by 23 % (generalized_alpha) to 3,000 %
    // (implicit_euler). The motion itself changes them by less than a thousandth; what a start leaves to die out may
    // differ between 200 and 201 steps.
    constexpr double share = 0.05;
    for (const char* method :
         {"generalized_alpha", "implicit_euler", "moreau_midpoint", "nonsmooth_generalized_alpha", "nonsmooth_bathe"}) {
        const auto multipliers = [&](double end_s) -> VectorXd {
            MechanismSettings settings = mechanism_settings(method, end_s, 1e-3);
            settings.joint_coordinates = is_contact_method(method);
            return end_of(with_free_bodies(spatial_double_pendulum()), settings).multipliers;
        };
        const VectorXd even = multipliers(0.2), uneven = multipliers(0.20001);
        EXPECT_LE((uneven - even).norm(), share * even.norm()) << method;
    }
}

TEST(Assembly, MovesWhatIsNotPinnedOntoTheConstraints) {
    MechanismModel model = double_pendulum();
    model.bodies[0].position_m += Vector3d(0.01, -0.02, 0.03);
    model.bodies[1].orientation = model.bodies[1].orientation * rotation_exponential({0.02, -0.05, 0.04});
    model.bodies[0].orientation_is_pinned = true;
    const AssembledStart start = assembled_start(model);
    EXPECT_EQ(start.motion.state.bodies[0].orientation, model.bodies[0].orientation);
    // With its orientation held, the joint at the origin puts rod 1 back to where it was.
    EXPECT_LE((start.motion.state.bodies[0].position - double_pendulum().bodies[0].position_m).norm(), 1e-14);
    EXPECT_GE(start.correction, 0.03);
    EXPECT_LE(mechanism_terms(model, start.motion.state, start.motion.multipliers).largest_constraint, 1e-14);
}

TEST(Assembly, MovesTheLightBodyMore) {
    // Two free point-like bodies that should meet: they do so in their common centre of mass.
    MechanismModel model;
    model.bodies = {body(3.0, {1.0, 1.0, 1.0}, origin), body(1.0, {1.0, 1.0, 1.0}, {0.0, 4.0, 0.0})};
    model.bodies[0].velocity_m_s = {0.0, 0.0, 4.0};
    add_point(model, 0, 1, origin, origin);
    const AssembledStart start = assembled_start(model);
    EXPECT_LE((start.motion.state.bodies[0].position - Vector3d(0.0, 1.0, 0.0)).norm(), 1e-14);
    EXPECT_LE((start.motion.state.bodies[1].position - Vector3d(0.0, 1.0, 0.0)).norm(), 1e-14);
    // Momentum is kept: 3 * 4 = (3 + 1) * 3.
    EXPECT_LE((start.motion.state.bodies[1].velocity - Vector3d(0.0, 0.0, 3.0)).norm(), 1e-14);
    EXPECT_NEAR(start.correction, std::sqrt(1.0 + 9.0), 1e-14);
}

TEST(Assembly, MovesTheBodiesLeastInAllNotOnlyInEveryCorrection) {
    // A mass point 2 m beside the circle that it is to lie on goes to the nearest point of it, from far away.
    MechanismModel model;
    model.bodies = {body(3.0, {1.0, 1.0, 1.0}, {2.0, 1.5, 0.0})};
    model.functions = {TimeFunction(0.5)};
    ModelElement distance;
    distance.kind = RowKind::distance;
    distance.body = {-1, 0};
    distance.function = 0;
    model.elements = {distance};
    add_point(model, -1, 0, origin, origin);
    model.elements[1].kind = RowKind::coordinate_difference;
    model.elements[1].direction = Vector3d(0.0, 0.6, 0.8);
    const AssembledStart start = assembled_start(model);
    const Vector3d x = start.motion.state.bodies[0].position;
    // The plane (0, 0.6, 0.8).x = 0 has the nearest point of the ball's circle in the direction of the projection.
    const Vector3d n(0.0, 0.6, 0.8), projected = model.bodies[0].position_m - n * n.dot(model.bodies[0].position_m);
    EXPECT_LE((x - 0.5 * projected.normalized()).norm(), 1e-13);
    EXPECT_NEAR(start.correction, (x - model.bodies[0].position_m).norm(), 1e-13);
}

TEST(Assembly, FailsWhereALoopCannotClose) {
    MechanismModel model = four_link();
    model.elements[6].point[1] = 30.0 * ey;  // the rocker's hinge, farther than everything reaches
    const MechanismResult result = run_reference_mechanism(model, mechanism_settings("kinematics", 1.0, 0.1));
    EXPECT_EQ(result.status, "assembly_failed");
    EXPECT_TRUE(result.last.motion.state.bodies.empty());
    ASSERT_EQ(model.elements[6].kind, RowKind::point);
    int before = 0;
    for (std::size_t e = 0; e < 6; ++e) before += model.elements[e].rows();
    EXPECT_GE(result.worst_row, before);
    EXPECT_LT(result.worst_row, before + 3);
}

TEST(Kinematics, EndsWhereAChartHasItsSingularity) {
    // About y, by 90 degrees at the eighth step.
    MechanismModel model;
    model.bodies = {body(1.0, {0.1, 0.1, 0.2}, origin)};
    add_revolute(model, -1, 0, origin, origin, ey, ez, ex);
    add_driven_angle(model, -1, 0, ez, ex, ez, 0.5 * pi * TimeFunction::time());
    const auto run = [&](const std::string& chart) {
        MechanismSettings settings = mechanism_settings("kinematics", 2.0, 0.125);
        settings.chart = chart;
        return run_reference_mechanism(model, settings);
    };
    EXPECT_EQ(run("rotation").status, "ok");
    EXPECT_EQ(run("euler_parameters").status, "ok");
    const MechanismResult result = run("cardan_xyz");
    EXPECT_EQ(result.status, "chart_singular");
    EXPECT_EQ(result.steps_taken, 7);
}

TEST(RedundantRows, AreWatchedAndDoNotMakeTheMatrixSingular) {
    // The hinge of the pendulum once more: five rows that say nothing new.
    MechanismModel model = double_pendulum();
    add_revolute(model, -1, 0, origin, -2.0 * ex, ex, ex, ey);
    EXPECT_EQ(run_reference_mechanism(model, mechanism_settings("implicit_euler", 0.1, 0.01)).status,
              "singular_matrix");
    for (std::size_t e = model.elements.size() - 3; e < model.elements.size(); ++e)
        model.elements[e].active = {false, false, false};
    MechanismResult watched = run_reference_mechanism(model, mechanism_settings("implicit_euler", 0.1, 0.01));
    const MechanismResult plain =
        run_reference_mechanism(double_pendulum(), mechanism_settings("implicit_euler", 0.1, 0.01));
    ASSERT_EQ(watched.status, "ok");
    EXPECT_EQ(watched.last.motion.state.bodies[1].position, plain.last.motion.state.bodies[1].position);
    EXPECT_EQ(watched.last.motion.multipliers.size(), plain.last.motion.multipliers.size());

    // Watched rows that contradict the others: the same hinge a millimetre away.
    model.elements[model.elements.size() - 3].point[0] = {0.0, 0.0, 1e-3};
    EXPECT_EQ(run_reference_mechanism(model, mechanism_settings("implicit_euler", 0.1, 0.01)).status,
              "assembly_failed");
}

TEST(Failures, HaveTheirStatus) {
    MechanismSettings settings = mechanism_settings("generalized_alpha", 0.1, 0.01);
    settings.most_newton_iterations = 1;
    EXPECT_EQ(run_reference_mechanism(spatial_double_pendulum(), settings).status, "newton_stalled");
    EXPECT_EQ(run_reference_mechanism(double_pendulum(), mechanism_settings("implicit_euler", 0.1, 0.01, "cardan_xyz"))
                  .status,
              "chart_singular");
    // A free pendulum is not driven.
    EXPECT_EQ(run_reference_mechanism(double_pendulum(), mechanism_settings("kinematics", 0.1, 0.01)).status,
              "singular_matrix");
    MechanismModel without_mass = bodies_on_springs();
    without_mass.bodies[1].mass_kg = 0.0;
    EXPECT_EQ(run_reference_mechanism(without_mass, mechanism_settings("generalized_alpha", 0.1, 0.01)).status,
              "singular_matrix");
    MechanismModel infinite = bodies_on_springs();
    infinite.functions[1] = 1.0 / (0.05 - TimeFunction::time());
    EXPECT_EQ(run_reference_mechanism(infinite, mechanism_settings("generalized_alpha", 0.1, 0.05)).status,
              "not_finite");
    EXPECT_THROW(run_reference_mechanism(double_pendulum(), mechanism_settings("rk4", 0.1, 0.01)), UserError);
    EXPECT_THROW(run_reference_mechanism(double_pendulum(), mechanism_settings("implicit_midpoint", 0.1, 0.01)),
                 UserError);
}

}  // namespace myriad::reference
