// Reactions from the first step on: multipliers of an index-3 method have the method's order over the whole span, in
// every chart, and what is seen of the start is the given state all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

using enum OrientationChart;

constexpr int coarse_steps = 50;
// Steps of the finest run; its own error is then 1/64 of that of the fine one at order 2, 1/8 at order 1. Finer still,
// the round-off of positions, over h^2 in a multiplier, would show.
constexpr int finest_of_fine = 8;
// The next order of the error, and the finest run's own.
constexpr double order_margin = 0.12;

// A motor turns the crank of a four-bar linkage from a speed that is not zero; all that a start can have is there:
// drivers with a second and third derivative, a load in time, springs and dampers.
constexpr const char* driven_four_bar = R"json({
    "gravity_m_s2": [0, -9.81, 0],
    "parameters": {"crank_m": 0.1, "coupler_m": 0.3, "rocker_m": 0.25, "ground_m": 0.3, "angle_rad": 1.1,
        "density_kg_m": 3,
        "pin_x_m": "crank_m * cos(angle_rad)", "pin_y_m": "crank_m * sin(angle_rad)",
        "dx_m": "ground_m - pin_x_m", "diagonal_m": "sqrt(dx_m^2 + pin_y_m^2)",
        "along_m": "(coupler_m^2 - rocker_m^2 + diagonal_m^2) / (2 * diagonal_m)",
        "across_m": "sqrt(coupler_m^2 - along_m^2)",
        "end_x_m": "pin_x_m + (along_m * dx_m + across_m * pin_y_m) / diagonal_m",
        "end_y_m": "pin_y_m + (across_m * dx_m - along_m * pin_y_m) / diagonal_m"},
    "bodies": {
        "crank": {"mass_kg": "density_kg_m * crank_m", "inertia_kg_m2": [1e-4, 2e-3, 2e-3],
            "position_m": ["pin_x_m / 2", "pin_y_m / 2", 0],
            "orientation": {"x_axis": ["pin_x_m", "pin_y_m", 0], "y_axis": ["-pin_y_m", "pin_x_m", 0]}},
        "coupler": {"mass_kg": "density_kg_m * coupler_m", "inertia_kg_m2": [1e-3, 7e-3, 7e-3],
            "position_m": ["(pin_x_m + end_x_m) / 2", "(pin_y_m + end_y_m) / 2", 0],
            "orientation": {"x_axis": ["end_x_m - pin_x_m", "end_y_m - pin_y_m", 0],
                "y_axis": ["pin_y_m - end_y_m", "end_x_m - pin_x_m", 0]}},
        "rocker": {"mass_kg": "density_kg_m * rocker_m", "inertia_kg_m2": [1e-3, 5e-3, 5e-3],
            "position_m": ["(ground_m + end_x_m) / 2", "end_y_m / 2", 0],
            "orientation": {"x_axis": ["end_x_m - ground_m", "end_y_m", 0],
                "y_axis": ["-end_y_m", "end_x_m - ground_m", 0]}}
    },
    "joints": {
        "pivot": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], ["-crank_m / 2", 0, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]], "references": [[1, 0, 0], [1, 0, 0]]},
        "pin": {"type": "spherical", "bodies": ["crank", "coupler"],
            "points_m": [["crank_m / 2", 0, 0], ["-coupler_m / 2", 0, 0]]},
        "knee": {"type": "universal", "bodies": ["coupler", "rocker"],
            "points_m": [["coupler_m / 2", 0, 0], ["rocker_m / 2", 0, 0]], "axes": [[0, 1, 0], [0, 0, 1]]},
        "pillar": {"type": "revolute", "bodies": ["ground", "rocker"],
            "points_m": [["ground_m", 0, 0], ["-rocker_m / 2", 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]],
            "references": [[1, 0, 0], [1, 0, 0]]}
    },
    "drivers": {"motor": {"type": "angle", "joint": "pivot",
        "value_rad": "angle_rad + 8 * t + 5 * t^2 + 0.2 * sin(20 * t)"}},
    "forces": {
        "push": {"type": "force", "body": "rocker", "force_N": ["3 * cos(15 * t)", "20 * t", 0.5]},
        "spring": {"type": "spring_damper", "bodies": ["ground", "coupler"],
            "points_m": [[0.1, 0.4, 0.1], [0, 0.02, 0]], "stiffness_N_m": 200, "damping_N_s_m": 4, "rest_length_m": 0.2}
    },
    "sensors": {
        "force": {"type": "reaction_force", "joint": "pillar"},
        "motor_torque": {"type": "reaction_torque", "joint": "motor"}
    }
})json";

// A body without symmetry that hangs on a moving point and spins, and another one on it.
constexpr const char* driven_pendulum = R"json({
    "gravity_m_s2": [0.3, -0.4, -9.7],
    "bodies": {
        "upper": {"mass_kg": 2, "inertia_kg_m2": {"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.02, "xz": -0.03, "yz": 0.01},
            "position_m": [0.3, 0.1, -0.5], "orientation": {"cardan_xyz_rad": [0.3, -0.5, 0.8]},
            "angular_velocity_rad_s": [1, -2, 3.5]},
        "lower": {"mass_kg": 1.5, "inertia_kg_m2": [0.11, 0.12, 0.05], "position_m": [0.5, 0.4, -1.1],
            "orientation": {"cardan_xyz_rad": [-0.4, 0.2, 1.1]}, "angular_velocity_rad_s": [-3, 1.5, 2]}
    },
    "joints": {
        "x": {"type": "CD", "bodies": ["ground", "upper"], "direction": [1, 0, 0],
            "points_m": [[0, 0, 0], [0.1, 0.2, 0.5]], "value_m": 0.1},
        "link": {"type": "spherical", "bodies": ["upper", "lower"], "points_m": [[0.1, -0.1, -0.4], [0.2, 0, 0.3]]}
    },
    "drivers": {
        "y": {"type": "CD", "bodies": ["ground", "upper"], "direction": [0, 1, 0],
            "points_m": [[0, 0, 0], [0.1, 0.2, 0.5]], "value_m": "0.2 * sin(7 * t) + t"},
        "z": {"type": "CD", "bodies": ["ground", "upper"], "direction": [0, 0, 1],
            "points_m": [[0, 0, 0], [0.1, 0.2, 0.5]], "value_m": "0.1 * cos(9 * t) - 3 * t^3"}
    },
    "sensors": {"force": {"type": "reaction_force", "joint": "link"}}
})json";

struct Case {
    const char* name;
    const char* text;  // null: a mechanism of the catalog
    const char* sensor;
    double span_s;
    Method method;
    double spectral_radius;
    OrientationChart chart;
    friend void PrintTo(const Case& run, std::ostream* out) { *out << run.name; }
};

std::shared_ptr<const Mechanism> mechanism_of(const Case& run) {
    return run.text ? parse_mechanism(run.text, run.name) : catalog_mechanism(run.name);
}

RunSetup setup_of(const Case& run, const Mechanism& mechanism, int steps) {
    RunSetup setup{};
    setup.method = run.method, setup.chart = run.chart, setup.spectral_radius = run.spectral_radius;
    setup.step_s = run.span_s / steps, setup.steps = steps;
    // The last corrections of accelerations are those of positions over h^2.
    setup.newton_tolerance = 1e-14, setup.most_newton_iterations = 20;
    for (int component = 0; component < 3; ++component)
        setup.observed.push_back(channel_index(mechanism, run.sensor, component));
    return setup;
}

double order_of(Method method) { return method == Method::implicit_euler ? 1.0 : 2.0; }

// The largest error of the sensor over all steps, against the run with the finest steps.
double largest_error(const std::vector<std::vector<double>>& rows, const std::vector<std::vector<double>>& finest) {
    const std::size_t share = (finest.size() - 1) / (rows.size() - 1);
    double largest = 0.0;
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t k = 0; k < rows[row].size(); ++k) {
            const double error = std::abs(rows[row][k] - finest[row * share][k]);
            if (!(error <= largest)) largest = error;
        }
    return largest;
}

class ReactionOrders : public testing::TestWithParam<Case> {};

TEST_P(ReactionOrders, AreThoseOfTheMethodOverTheWholeSpan) {
    const auto mechanism = mechanism_of(GetParam());
    const auto rows = [&](int steps) {
        const InstanceEnd end = run_nominal(*mechanism, setup_of(GetParam(), *mechanism, steps));
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        return end.rows;
    };
    const auto finest = rows(2 * finest_of_fine * coarse_steps);
    const double coarse = largest_error(rows(coarse_steps), finest),
                 fine = largest_error(rows(2 * coarse_steps), finest);
    EXPECT_GE(std::log2(coarse / fine), order_of(GetParam().method) - order_margin) << coarse << ", " << fine;
}

std::string name_of_case(const testing::TestParamInfo<Case>& given) {
    constexpr const char* charts[] = {"rotation", "rotation_vector", "euler_parameters", "euler_zxz", "cardan_xyz"};
    const Case& run = given.param;
    return std::string(run.name) + "_" + charts[static_cast<int>(run.chart)] +
           (run.method == Method::implicit_euler
                ? "_implicit_euler"
                : "_radius_" + std::to_string(static_cast<int>(std::lround(100.0 * run.spectral_radius))));
}

std::vector<Case> cases() {
    struct Subject {
        const char *name, *text, *sensor;
        double span_s;
        bool on_the_group_alone = false;  // steps small enough for other coordinates leave reactions only round-off
    };
    std::vector<Case> all;
    for (const Subject& subject : {Subject{"four_bar", driven_four_bar, "motor_torque", 0.1},
                                   Subject{"four_bar_pillar", driven_four_bar, "force", 0.1},
                                   Subject{"driven_pendulum", driven_pendulum, "force", 0.2},
                                   Subject{"slider_crank_iftomm", nullptr, "pivot_force", 0.1},
                                   Subject{"heavy_top", nullptr, "support_force", 0.01, true}})
        for (const OrientationChart chart : {rotation, euler_parameters, euler_zxz, cardan_xyz}) {
            if (subject.on_the_group_alone && chart != rotation) continue;
            for (const double radius : {0.9, 0.5, 0.0})
                all.push_back({subject.name, subject.text, subject.sensor, subject.span_s, Method::generalized_alpha,
                               radius, chart});
            all.push_back(
                {subject.name, subject.text, subject.sensor, subject.span_s, Method::implicit_euler, 0.9, chart});
        }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, ReactionOrders, testing::ValuesIn(cases()), name_of_case);

// A bar on a hinge, held across it by a bushing whose oscillation is as fast as the step, which is as
// stiff as both methods take at all.
constexpr const char* stiff_bushing = R"json({
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {
        "upper": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.2, 0.2], "position_m": [0.5, 0, 0]},
        "lower": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.1, 0.15], "position_m": [1.5, 0.1, 0],
            "velocity_m_s": [0.3, -0.5, 0.2], "angular_velocity_rad_s": [0.5, 2, -1]}
    },
    "joints": {"hinge": {"type": "spherical", "bodies": ["ground", "upper"], "points_m": [[0, 0, 0], [-0.5, 0, 0]]}},
    "forces": {"mount": {"type": "bushing", "bodies": ["upper", "lower"], "points_m": [[0.5, 0, 0], [-0.5, 0, 0]],
        "stiffness_N_m": [1e6, 1e6, 1e6], "damping_N_s_m": [1e2, 1e2, 1e2],
        "stiffness_N_m_rad": [1e4, 1e4, 1e4], "damping_N_m_s_rad": [1, 1, 1]}},
    "sensors": {"force": {"type": "reaction_force", "joint": "hinge"}}
})json";

constexpr Method both_methods[] = {Method::generalized_alpha, Method::implicit_euler};

TEST(Start, OfStiffSpringsThrowsNothingAbout) {
    const auto mechanism = parse_mechanism(stiff_bushing, "stiff_bushing");
    RunSetup setup{};
    setup.step_s = 1e-3, setup.steps = 50, setup.most_newton_iterations = 30;
    setup.maxima = {channel_index(*mechanism, "kinetic_energy")};
    for (int component = 0; component < 3; ++component)
        setup.maxima.push_back(channel_index(*mechanism, "force", component));
    for (const Method method : both_methods) {
        setup.method = method;
        setup.published_start = false;
        const InstanceEnd shifted = run_nominal(*mechanism, setup);
        setup.published_start = true;
        const InstanceEnd published = run_nominal(*mechanism, setup);
        ASSERT_EQ(shifted.status, Status::ok) << sentence_of(shifted.reason);
        ASSERT_EQ(published.status, Status::ok) << sentence_of(published.reason);
        for (std::size_t i = 0; i < setup.maxima.size(); ++i)
            EXPECT_LE(std::abs(shifted.maxima[i] - published.maxima[i]), 0.1 * std::abs(published.maxima[i]))
                << shifted.maxima[i] << " for " << published.maxima[i];
    }
}

// States, channels, quantities and certificate show the start as it was given, and all of that again where the first
// step fails.
TEST(Start, IsSeenAsItWasGiven) {
    const auto mechanism = parse_mechanism(driven_pendulum, "driven_pendulum");
    for (const Method method : both_methods)
        for (const OrientationChart chart : {rotation, euler_parameters, euler_zxz, cardan_xyz}) {
            RunSetup setup{};
            setup.method = method, setup.chart = chart, setup.steps = 3, setup.step_s = 1e-2;
            for (int channel = 0; channel < 26; ++channel) setup.observed.push_back(channel);
            for (const char* name : {"energy", "velocity_residual"})
                setup.observed.push_back(channel_index(*mechanism, name)),
                    setup.maxima.push_back(channel_index(*mechanism, name));
            const auto run = [&](bool published, int most_iterations) {
                setup.published_start = published, setup.most_newton_iterations = most_iterations;
                setup.newton_tolerance = most_iterations == 1 ? 1e-300 : 1e-12;
                return run_nominal(*mechanism, setup);
            };
            const InstanceEnd shifted = run(false, 12), published = run(true, 12), failed = run(false, 1);
            ASSERT_EQ(shifted.status, Status::ok) << sentence_of(shifted.reason);
            EXPECT_TRUE(same_bits(shifted.rows[0], published.rows[0]));
            EXPECT_TRUE(same_bits(shifted.initial_state, published.initial_state));
            EXPECT_FALSE(same_bits(shifted.rows[1], published.rows[1]));
            ASSERT_EQ(failed.status, Status::newton_stalled);
            EXPECT_EQ(failed.steps, 0.0);
            EXPECT_TRUE(same_bits(failed.final_state, published.initial_state));
            const std::vector<double>& start = published.rows[0];
            EXPECT_TRUE(same_bits(failed.maxima, {start[26], start[27]}));
            EXPECT_EQ(failed.velocity_residual, start[27]);
            EXPECT_EQ(failed.energy_drift, 0.0);
        }
}

TEST(Start, OfAMechanismWithoutRowsKeepsItsBits) {
    const auto mechanism = parse_mechanism(R"json({
        "bodies": {"body": {"mass_kg": 2, "inertia_kg_m2": [0.2, 0.3, 0.4], "position_m": [0.1, 0.2, 0.3],
            "angular_velocity_rad_s": [1, -2, 3]}},
        "forces": {"mount": {"type": "bushing", "bodies": ["ground", "body"], "points_m": [[0, 0, 0], [0.1, 0, 0]],
            "stiffness_N_m": [100, 200, 300], "stiffness_N_m_rad": [10, 20, 30]}}
    })json",
                                           "body_on_a_bushing");
    for (const Method method : both_methods) {
        RunSetup setup{};
        setup.method = method;
        const InstanceEnd shifted = run_nominal(*mechanism, setup);
        setup.published_start = true;
        ASSERT_EQ(shifted.status, Status::ok);
        EXPECT_TRUE(same_bits(shifted.record, run_nominal(*mechanism, setup).record));
    }
}

// A point at two rods in one line: their rows are one, and what a shift would be is not determined.
TEST(Start, KeepsTheGivenStateWhereRowsLoseRank) {
    const auto mechanism = parse_mechanism(R"json({
        "parameters": {"x_m": 0.6, "y_m": 0.8},
        "bodies": {"body": {"mass_kg": 2, "inertia_kg_m2": [0.2, 0.3, 0.4], "angular_velocity_rad_s": [1, -2, 3]}},
        "joints": {
            "left": {"type": "D", "bodies": ["ground", "body"], "points_m": [[-1, 0, 0], [0, 0, 0]], "value_m": 1},
            "right": {"type": "D", "bodies": ["ground", "body"], "points_m": [["x_m", "y_m", 0], [0, 0, 0]],
                "value_m": 1}
        }
    })json",
                                           "two_rods");
    const std::vector<std::vector<double>> instances = {
        with_numbers(*mechanism, {{"parameters.x_m", 1.0}, {"parameters.y_m", 0.0}}),
        mechanism->nominal_kernel_parameters()};
    for (const Width width : {Width::alone, Width::packs}) {
        RunSetup setup{};
        setup.width = width;
        const std::vector<InstanceEnd> shifted = run_instances(*mechanism, instances, setup);
        setup.published_start = true;
        const std::vector<InstanceEnd> published = run_instances(*mechanism, instances, setup);
        EXPECT_EQ(shifted[0].status, published[0].status);
        EXPECT_TRUE(same_bits(shifted[0].final_state, published[0].final_state));
        EXPECT_EQ(shifted[1].status, Status::ok);
    }
}

}  // namespace

}  // namespace myriad::mechanism
