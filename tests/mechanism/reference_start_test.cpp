// Planar joints and start values on the reference path, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "kernels/system/description.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

constexpr double converged_samples = 1e-9;

// A plate on a plane across (0, 0.6, 0.8), held at its centre of mass, about whose normal it is a top.
constexpr const char* plate_of_the_reference = R"({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"plate": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.4, 0.6]}},
    "joints": {"plane": {"type": "planar", "bodies": ["ground", "plate"], "points_m": [[1.0, 0.5, -0.2], [0.0, 0.0, 0.0]],
        "axes": [[0.0, 0.6, 0.8], [0.0, 0.0, 1.0]], "references": [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        "displacement_1_m": 0.3, "displacement_rate_1_m_s": 1.5, "displacement_2_m": -0.4,
        "displacement_rate_2_m_s": 2.0, "angle_rad": 9.0, "rate_rad_s": 5.0}},
    "sensors": {
        "along": {"type": "displacement_1", "joint": "plane"}, "up": {"type": "displacement_2", "joint": "plane"},
        "up_rate": {"type": "displacement_rate_2", "joint": "plane"}, "turn": {"type": "angle", "joint": "plane"}}})";

int channel_of_sensor(const Mechanism& mechanism, const std::string& name) {
    for (const NamedChannels& group : mechanism.channels)
        if (group.name == name) return mechanism.table.bodies * body_channels + group.first_channel;
    throw std::out_of_range("no channel " + name);
}

TEST(ReferenceStart, LetsAPlateSlideAndTurnOnAPlaneFromWhereItsJointStarts) {
    const auto mechanism = parse_mechanism(plate_of_the_reference, "plate.json");
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism->table, p);
    // Discrete rotations turn by less than the rate: by the midpoint rules of their quaternions.
    constexpr double step = 2e-3, turn = 5.0 * step;
    for (const auto& [integrator, turn_of_step] : {std::pair{"generalized_alpha", turn},
                                                   {"energy_momentum", 4.0 * std::atan(turn / 4.0)},
                                                   {"energy_momentum_convective", 2.0 * std::atan(turn / 2.0)}}) {
        SCOPED_TRACE(integrator);
        reference::MechanismSettings settings;
        settings.integrator = integrator, settings.end_s = 0.2, settings.step_s = step;
        settings.after_step = [&, turned = turn_of_step](const reference::MechanismSample& sample) {
            const double t = sample.motion.state.time_s;
            const auto sensed = [&](const char* name) {
                return backends::reference_channel(mechanism->table, p, model, sample,
                                                   channel_of_sensor(*mechanism, name));
            };
            // The second slide is along normal x reference: (0, 0.8, -0.6), down the slope.
            constexpr double down_m_s2 = 0.6 * 9.81;
            EXPECT_NEAR(sensed("along"), 0.3 + 1.5 * t, converged_samples);
            EXPECT_NEAR(sensed("up"), -0.4 + 2.0 * t + 0.5 * down_m_s2 * t * t, converged_samples);
            EXPECT_NEAR(sensed("up_rate"), 2.0 + down_m_s2 * t, converged_samples);
            EXPECT_NEAR(sensed("turn"), 9.0 + turned * t / step, converged_samples)
                << "over full turns, from the start value";
        };
        const reference::MechanismResult result = run_reference_mechanism(model, settings);
        EXPECT_EQ(result.status, "ok") << result.reason;
        EXPECT_EQ(result.steps_taken, 100);
    }
}

TEST(ReferenceStart, RefusesValuesThatDoNotHoldAndNamesTheirRow) {
    const auto mechanism = parse_mechanism(R"json({
        "bodies": {"arm": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.3},
            "stop": {"type": "D", "bodies": ["ground", "arm"], "points_m": [[2, 0, 0], [1, 0, 0]],
                "value_m": "sqrt((2 - cos(0.3))^2 + sin(0.3)^2)"}}})json",
                                           "stop.json");
    std::vector<double> values = nominal_values(*mechanism);
    const auto status_of = [&](double angle) {
        values[number_of(*mechanism, "joints.hinge.angle_rad")] = angle;
        const std::vector<double> p =
            mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
        reference::MechanismSettings settings;
        settings.end_s = 1e-3, settings.step_s = 1e-3;
        return run_reference_mechanism(backends::reference_model(mechanism->table, p), settings);
    };
    EXPECT_EQ(status_of(0.3).status, "ok");
    const reference::MechanismResult open = status_of(0.7);
    EXPECT_EQ(open.status, "assembly_failed");
    EXPECT_EQ(open.worst_row, 5) << "of the hinge's five rows and the distance";
}

}  // namespace
}  // namespace myriad::mechanism
