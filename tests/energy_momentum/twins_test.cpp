// The energy-momentum methods of mechanisms against the reference path, which has quaternions, their rates and momenta
// as coordinates, dense matrices and derivatives by forward differentiation.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "tests/energy_momentum/run.hpp"
#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

// Both stop Newton's method at corrections of 1e-10 or less, of lengths of some metres and angles; momenta are up to a
// thousand times as large. A term gone wrong shows by 1e-5.
constexpr double state_tolerance = 2e-9, momentum_tolerance = 1e-7;

template <class Integrator>
void expect_the_twins_motion(const Mechanism& mechanism, double h, int steps, const std::string& name) {
    SCOPED_TRACE(name + ", " + Integrator::name);
    SteppedInstance<Integrator> instance(mechanism, h, steps);
    for (int k = 0; k < steps; ++k) ASSERT_TRUE(instance.step()) << sentence_of(instance.reason());
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    reference::MechanismSettings settings;
    settings.integrator = Integrator::name, settings.step_s = h, settings.end_s = h * steps;
    const reference::MechanismResult twin =
        reference::run_reference_mechanism(backends::reference_model(mechanism, parameters), settings);
    ASSERT_EQ(twin.status, "ok") << twin.reason;
    const auto distance = [](const Vec<3, double>& ours, const Eigen::Vector3d& theirs) {
        return (Eigen::Vector3d(ours[0], ours[1], ours[2]) - theirs).norm();
    };
    double largest = 0.0;
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const reference::BodyState& body = twin.last.motion.state.bodies[static_cast<std::size_t>(b)];
        const Rotation<double>& q = instance.motion().q.orientation[b];
        const Eigen::Matrix3d orientation = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
        largest =
            std::max({largest, distance(instance.motion().q.position[b], body.position),
                      (orientation - body.orientation).norm(), distance(instance.motion().v.linear(b), body.velocity),
                      distance(instance.motion().v.turning(b), body.angular_velocity)});
    }
    EXPECT_LE(largest, state_tolerance);
    const Invariants ours = instance.invariants();
    EXPECT_NEAR(ours.generalized, twin.last.generalized_energy_j, momentum_tolerance);
    EXPECT_NEAR(ours.work, twin.last.work_j, momentum_tolerance);
    EXPECT_NEAR(ours.momentum_defect, twin.last.momentum_defect, momentum_tolerance);
    EXPECT_NEAR(ours.length_rate, twin.last.quaternion_rate_residual, momentum_tolerance);
    EXPECT_LE((ours.kept_moment - twin.last.angular_momentum).norm(), momentum_tolerance);
}

void expect_the_twins_motions(const Mechanism& mechanism, double h, int steps, const std::string& name) {
    expect_the_twins_motion<Convective>(mechanism, h, steps, name);
    expect_the_twins_motion<Midpoint>(mechanism, h, steps, name);
    expect_the_twins_motion<EnergyMomentum>(mechanism, h, steps, name);
}

TEST(EnergyMomentumTwins, AgreeOnMechanismsOfTheCatalog) {
    expect_the_twins_motions(*catalog_mechanism("double_pendulum"), 2e-3, 50, "double_pendulum");
    expect_the_twins_motions(*catalog_mechanism("heavy_top"), 1e-3, 50, "heavy_top");
    expect_the_twins_motions(*catalog_mechanism("four_bar_loop"), 0.1, 15, "four_bar_loop");
}

TEST(EnergyMomentumTwins, AgreeOnLoadsLawsAndDotRows) {
    expect_the_twins_motions(*parse_mechanism(pushed_block_text, "pushed_block"), 0.01, 50, "pushed_block");
    expect_the_twins_motions(*parse_mechanism(gimbal_text, "gimbal"), 0.01, 50, "gimbal");
    expect_the_twins_motions(*parse_mechanism(hinged_pair_text, "hinged_pair"), 0.01, 50, "hinged_pair");
    const std::string sprung = sprung_pair("0.2", "\"0.8 + 0.1 * sin(3 * t)\"");
    expect_the_twins_motions(*parse_mechanism(sprung, "sprung_pair"), 0.01, 50, "sprung_pair");
}

TEST(EnergyMomentumTwins, AgreeOnAnglesBushingsAndDrivers) {
    expect_the_twins_motions(*parse_mechanism(torsion_oscillator_text, "torsion_oscillator"), 0.01, 50,
                             "torsion_oscillator");
    expect_the_twins_motions(*wound_pair("0.03", R"json("2 * sin(3 * t)")json"), 0.01, 50, "wound_pair");
    expect_the_twins_motions(*bushed_pair("0.1"), 0.01, 50, "bushed_pair");
    expect_the_twins_motions(*parse_mechanism(driven_chain_text, "driven_chain"), 0.01, 30, "driven_chain");
    expect_the_twins_motion<Convective>(*catalog_mechanism("slider_crank_haug"), 2e-3, 20, "slider_crank_haug");
    expect_the_twins_motion<EnergyMomentum>(*catalog_mechanism("slider_crank_haug"), 2e-3, 20, "slider_crank_haug");
    expect_the_twins_motion<Convective>(*catalog_mechanism("puma560"), 2e-3, 10, "puma560");
}

}  // namespace

}  // namespace myriad::mechanism
