// Failures of Newton's iteration of a step, each in its lane alone; the modified one finds the same solution; and bits
// do not depend on where a launch ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

struct Provocation {
    std::string name, text;
    std::map<std::string, double> spoilt;
    Status status;
    Reason reason;
    RunSetup setup;
    friend void PrintTo(const Provocation& provocation, std::ostream* out) { *out << provocation.name; }
};

RunSetup setup_of(Method method, double step_s, int steps) {
    RunSetup setup{};
    setup.method = method, setup.step_s = step_s, setup.steps = steps, setup.width = Width::packs;
    setup.chart = OrientationChart::rotation_vector;
    return setup;
}

// A body on a ball, spinning as told.
constexpr const char* top = R"json({
    "parameters": {"spin_rad_s": 1.0, "limit_s": 1.0},
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"top": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.12, 0.15], "centre_of_mass_m": [0.2, 0.1, 0.3],
                       "angular_velocity_rad_s": [0.3, 0.5, "spin_rad_s"]}},
    "joints": {"ball": {"type": "spherical", "bodies": ["ground", "top"], "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}},
    "forces": {"push": {"type": "torque", "body": "top", "torque_N_m": ["sqrt(limit_s - t)", 0.0, 0.0]}}})json";

// Three angles of a body on a ball, by products of directions: those of `third` come to be those of `second`.
constexpr const char* three_angles = R"json({
    "parameters": {"x": 0.0, "y": 1.0, "z": 0.0, "body_x": 0.0, "body_y": 0.0, "body_z": 1.0},
    "bodies": {"body": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.12, 0.15]}},
    "joints": {"ball": {"type": "spherical", "bodies": ["ground", "body"], "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}},
    "drivers": {
        "first": {"type": "DP1", "bodies": ["ground", "body"], "axes": [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], "value": "0.1 * t^3"},
        "second": {"type": "DP1", "bodies": ["ground", "body"], "axes": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "value": "0.1 * t^3"},
        "third": {"type": "DP1", "bodies": ["ground", "body"], "axes": [["x", "y", "z"], ["body_x", "body_y", "body_z"]],
                  "value": "0.1 * t^3"}}})json";

// A crank of radius r whose end is driven along x beyond 1 m.
constexpr const char* crank = R"json({
    "parameters": {"radius_m": 2.0},
    "bodies": {"crank": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.1, 0.1]}},
    "joints": {"pivot": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
                         "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]}},
    "drivers": {"slide": {"type": "CD", "bodies": ["ground", "crank"], "direction": [1.0, 0.0, 0.0],
                          "points_m": [[0.0, 0.0, 0.0], ["radius_m * 0.6", "radius_m * 0.8", 0.0]], "value_m": "START"}}})json";

// Turns about y alone, exactly onto the singular angle of cardan_xyz after 20 steps of 0.01 s.
constexpr const char* turning = R"json({
    "parameters": {"rate_rad_s": 1.0},
    "bodies": {"ball": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "angular_velocity_rad_s": [0.0, "rate_rad_s", 0.0]}}})json";

std::string crank_text() {
    std::string text = crank;
    return text.replace(text.find("START"), 5, "0.6 * radius_m + (1.01 - 0.6 * radius_m) * min(t / 0.02, 1)");
}

// The same, its third angle following a root.
std::string square_root_text() {
    std::string text = three_angles;
    const std::string cube = "0.1 * t^3";
    text.replace(text.rfind(cube), cube.size(), "0.1 * (1 - sqrt(limit_s - t))");
    text.replace(text.find("\"x\""), 3, "\"limit_s\": 1.0, \"x\"");
    return text;
}

std::vector<Provocation> provocations() {
    constexpr Method alpha = Method::generalized_alpha, euler = Method::implicit_euler;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    RunSetup few = setup_of(alpha, 1e-2, 10);
    few.most_newton_iterations = 5;
    RunSetup on_angles = setup_of(alpha, 1e-2, 40);
    on_angles.chart = OrientationChart::cardan_xyz;
    RunSetup analysis = setup_of(Method::kinematics, 1e-3, 40);
    analysis.most_newton_iterations = 50;
    const std::map<std::string, double> same_angle{
        {"parameters.x", 1.0}, {"parameters.y", 0.0}, {"parameters.body_y", 1.0}, {"parameters.body_z", 0.0}};
    return {
        {"newton_stalled",
         top,
         {{"parameters.spin_rad_s", 80.0}},
         Status::newton_stalled,
         Reason::newton_did_not_converge,
         few},
        {"driven_beyond_reach",
         crank_text(),
         {{"parameters.radius_m", 1.0}},
         Status::newton_stalled,
         Reason::newton_did_not_converge,
         analysis},
        {"singular_pose", three_angles, same_angle, Status::singular_matrix, Reason::matrix_singular, analysis},
        {"root_of_a_negative_number",
         top,
         {{"parameters.limit_s", 0.0355}},
         Status::not_finite,
         Reason::state_not_finite,
         setup_of(alpha, 1e-2, 10)},
        {"root_of_a_negative_number_euler",
         top,
         {{"parameters.limit_s", 0.0355}},
         Status::not_finite,
         Reason::state_not_finite,
         setup_of(euler, 1e-2, 10)},
        {"root_of_a_negative_number_in_a_driver",
         square_root_text(),
         {{"parameters.limit_s", 0.0355}},
         Status::not_finite,
         Reason::state_not_finite,
         analysis},
        {"infinite_parameter",
         top,
         {{"parameters.limit_s", infinity}},
         Status::invalid_parameter,
         Reason::parameter_not_finite,
         setup_of(alpha, 1e-2, 10)},
        {"chart_singular",
         turning,
         {{"parameters.rate_rad_s", std::numbers::pi / 2 / 0.2}},
         Status::chart_singular,
         Reason::chart_at_its_singularity,
         on_angles},
        {"step_rotation_too_large",
         top,
         {{"parameters.spin_rad_s", 400.0}},
         Status::step_rotation_too_large,
         Reason::rotation_beyond_series,
         setup_of(alpha, 1e-2, 10)},
        {"step_rotation_too_large_euler",
         top,
         {{"parameters.spin_rad_s", 400.0}},
         Status::step_rotation_too_large,
         Reason::rotation_beyond_series,
         setup_of(euler, 1e-2, 10)},
    };
}

class NewtonFailures : public testing::TestWithParam<Provocation> {};

TEST_P(NewtonFailures, StopTheirLaneAtItsLastGoodStateAndNoOther) {
    const Provocation& given = GetParam();
    const auto mechanism = with_joints_cut(parse_mechanism(given.text, given.name + ".json"));
    const std::size_t lanes = lanes_of_a_pack();
    std::vector<std::vector<double>> healthy(lanes, mechanism->nominal_kernel_parameters());
    for (std::size_t lane = 0; lane < lanes; ++lane)
        healthy[lane][gravity_parameter] += 0.1 * static_cast<double>(lane);
    const std::vector<InstanceEnd> before = run_instances(*mechanism, healthy, given.setup);
    const std::vector<double> spoilt = with_numbers(*mechanism, given.spoilt);
    RunSetup alone = given.setup;
    alone.width = Width::alone;
    const InstanceEnd by_itself = run_instances(*mechanism, {spoilt}, alone).front();
    for (std::size_t bad = 0; bad < lanes; ++bad) {
        SCOPED_TRACE(testing::Message() << "lane " << bad);
        auto instances = healthy;
        instances[bad] = spoilt;
        const std::vector<InstanceEnd> after = run_instances(*mechanism, instances, given.setup);
        EXPECT_EQ(name_of(after[bad].status), std::string(name_of(given.status)));
        EXPECT_EQ(sentence_of(after[bad].reason), std::string(sentence_of(given.reason)));
        EXPECT_LT(after[bad].steps, given.setup.steps);
        // A refused parameter leaves whatever it makes of the state.
        if (given.status != Status::invalid_parameter) {
            for (const double x : after[bad].final_state) EXPECT_TRUE(std::isfinite(x));
            EXPECT_TRUE(same_bits(after[bad].record, by_itself.record));
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (lane == bad) continue;
            EXPECT_EQ(before[lane].status, Status::ok) << sentence_of(before[lane].reason);
            EXPECT_TRUE(same_bits(after[lane].record, before[lane].record)) << "lane " << lane;
            EXPECT_TRUE(same_bits(after[lane].final_state, before[lane].final_state)) << "lane " << lane;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, NewtonFailures, testing::ValuesIn(provocations()),
                         [](const auto& given) { return given.param.name; });

std::vector<std::vector<double>> three_speeds(const Mechanism& mechanism, std::size_t count) {
    std::vector<std::vector<double>> instances(count, mechanism.nominal_kernel_parameters());
    for (std::size_t n = 0; n < count; ++n)
        for (int k = 0; k < 3; ++k) {
            instances[n][static_cast<std::size_t>(gravity_parameter + k)] += 0.3 * static_cast<double>(n);
            instances[n][static_cast<std::size_t>(body_parameter(0, body_angular_velocity + k))] +=
                0.5 * static_cast<double>(n);
        }
    return instances;
}

TEST(ModifiedNewton, FindsTheSolutionOfTheFullOneWithKeptFactors) {
    // A last correction of the tolerance is one of the velocities by some 2/h times as much, in each of the steps; the
    // motions are not chaotic yet.
    constexpr double tolerance = 1e-12, step_s = 1e-3;
    constexpr int steps = 300;
    constexpr double same = steps * 2.0 * tolerance / step_s;
    for (const char* name : {"double_pendulum", "slider_crank_iftomm"}) {
        SCOPED_TRACE(name);
        const auto mechanism = catalog_mechanism(name);
        RunSetup setup{};
        setup.step_s = step_s, setup.steps = steps, setup.newton_tolerance = tolerance;
        setup.chart = OrientationChart::rotation_vector;
        const InstanceEnd full = run_nominal(*mechanism, setup);
        setup.modified_newton = true;
        setup.most_newton_iterations = 30;
        const InstanceEnd modified = run_nominal(*mechanism, setup);
        ASSERT_EQ(full.status, Status::ok) << sentence_of(full.reason);
        ASSERT_EQ(modified.status, Status::ok) << sentence_of(modified.reason);
        for (std::size_t i = 0; i < full.final_state.size(); ++i)
            EXPECT_NEAR(modified.final_state[i], full.final_state[i], same) << i;
        // Old factors take more corrections, or they were none.
        EXPECT_GT(modified.newton_iterations, full.newton_iterations);
    }
}

// A disc of I = 0.5 kg m^2 about a hinge beside its centre of mass, with a torsional spring, a damper and a torque:
// I a'' + c a' + k a = sin 3 t.
constexpr const char* oscillator = R"json({
    "bodies": {"disc": {"mass_kg": 2.0, "inertia_kg_m2": [0.32, 0.32, 0.32], "position_m": [0.3, 0.0, 0.0]}},
    "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "disc"], "points_m": [[0.0, 0.0, 0.0], [-0.3, 0.0, 0.0]],
                         "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]}},
    "forces": {"coil": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 8.0,
                        "damping_N_m_s_rad": 0.3, "rest_angle_rad": 0.0},
               "drive": {"type": "torque", "body": "disc", "torque_N_m": [0.0, 0.0, "sin(3 * t)"]}},
    "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "pivot": {"type": "reaction_force", "joint": "hinge"}}})json";

double exact_angle(double t) {
    constexpr double inertia = 0.5, damping = 0.3, stiffness = 8.0, rate = 3.0;
    // The steady motion is the imaginary part of z exp(i rate t); the free one takes angle and rate to zero at t = 0.
    const std::complex<double> z = 1.0 / std::complex<double>(stiffness - inertia * rate * rate, damping * rate);
    const double decay = 0.5 * damping / inertia, free = std::sqrt(stiffness / inertia - decay * decay);
    const double a = -z.imag(), b = (-rate * z.real() + decay * a) / free;
    return (z * std::polar(1.0, rate * t)).imag() +
           std::exp(-decay * t) * (a * std::cos(free * t) + b * std::sin(free * t));
}

TEST(ModifiedNewton, KeepsTheAccuracyOfTheFullOneFromTenMillisecondsToAMicrosecond) {
    const auto mechanism = parse_mechanism(oscillator, "oscillator.json");
    // Reactions of full Newton carry round-off of positions over the squared step, which alternates from step to step
    // and is damped by a spectral radius of 0.9 no faster: at 1e-6 s it is a tenth of a newton.
    const auto noise_N = [](double h) { return 2e-13 / (h * h); };
    for (const auto& [step_s, end_s] :
         {std::pair{1e-2, 2.0}, {1e-3, 2.0}, {2.5e-4, 2.0}, {1e-4, 1.0}, {1e-5, 0.1}, {1e-6, 0.01}}) {
        SCOPED_TRACE(step_s);
        RunSetup setup{};
        setup.step_s = step_s, setup.steps = static_cast<int>(std::lround(end_s / step_s));
        setup.observed = {channel_index(*mechanism, "angle"), channel_index(*mechanism, "pivot", 0),
                          channel_index(*mechanism, "pivot", 1)};
        setup.chart = OrientationChart::rotation_vector;
        const InstanceEnd full = run_nominal(*mechanism, setup);
        setup.modified_newton = true;
        const InstanceEnd modified = run_nominal(*mechanism, setup);
        ASSERT_EQ(full.status, Status::ok) << sentence_of(full.reason);
        ASSERT_EQ(modified.status, Status::ok) << sentence_of(modified.reason);
        double error = 0.0, full_error = 0.0, largest_force = 0.0, largest_difference = 0.0;
        for (std::size_t n = 0; n < full.rows.size(); ++n) {
            const double exact = exact_angle(static_cast<double>(n) * step_s);
            error = std::max(error, std::abs(modified.rows[n][0] - exact));
            full_error = std::max(full_error, std::abs(full.rows[n][0] - exact));
            for (std::size_t k = 1; k < 3; ++k) {
                largest_force = std::max(largest_force, std::abs(full.rows[n][k]));
                largest_difference = std::max(largest_difference, std::abs(modified.rows[n][k] - full.rows[n][k]));
            }
        }
        EXPECT_LE(error, 1.01 * full_error + 1e-12);
        EXPECT_LE(largest_difference, 1e-5 * largest_force + noise_N(step_s));
        EXPECT_LE(modified.most_newton_iterations, 6.0);
    }
}

TEST(ModifiedNewton, StallsAtNoStepOfTheMechanismsOfTheCatalog) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm"}) {
        const auto mechanism = catalog_mechanism(name);
        for (const double step_s : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
            RunSetup setup{};
            setup.step_s = step_s, setup.steps = 100, setup.modified_newton = true;
            setup.chart = OrientationChart::rotation_vector;
            const InstanceEnd end = run_nominal(*mechanism, setup);
            EXPECT_EQ(end.status, Status::ok) << name << ' ' << step_s << ' ' << sentence_of(end.reason);
        }
    }
}

TEST(ModifiedNewton, GivesALaneInAPackItsOwnBits) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm"}) {
        const auto mechanism = catalog_mechanism(name);
        const auto instances = three_speeds(*mechanism, 4);
        RunSetup setup{};
        setup.steps = 200, setup.modified_newton = true, setup.most_newton_iterations = 30;
        setup.chart = OrientationChart::rotation_vector;
        const auto alone = run_instances(*mechanism, instances, setup);
        setup.width = Width::packs;
        const auto packs = run_instances(*mechanism, instances, setup);
        for (std::size_t lane = 0; lane < 4; ++lane) {
            EXPECT_EQ(alone[lane].status, Status::ok) << sentence_of(alone[lane].reason);
            EXPECT_TRUE(same_bits(alone[lane].record, packs[lane].record)) << name << " lane " << lane;
        }
    }
}

struct Launches {
    const char* mechanism;
    Method method;
    OrientationChart chart;
    bool modified_newton, tangent_operator;
};

TEST(Launches, MayEndAnywhereWithoutAnEffectOnTheBits) {
    using enum OrientationChart;
    constexpr Method alpha = Method::generalized_alpha;
    const Launches runs[] = {{"double_pendulum", alpha, rotation, false, false},
                             {"slider_crank_iftomm", alpha, rotation_vector, true, false},
                             {"slider_crank_iftomm", alpha, rotation_vector, false, true},
                             {"four_link", alpha, euler_parameters, false, false},
                             {"slider_crank_iftomm", alpha, euler_zxz, true, false},
                             {"puma560", alpha, cardan_xyz, false, false},
                             {"double_pendulum", Method::implicit_euler, rotation_vector, true, false},
                             {"slider_crank_haug", Method::kinematics, rotation, false, false}};
    for (const Launches& run : runs) {
        const auto mechanism = catalog_mechanism(run.mechanism);
        for (const Width width : {Width::alone, Width::packs}) {
            if (width == Width::packs && run.chart != rotation) continue;
            SCOPED_TRACE(testing::Message() << run.mechanism << " chart " << static_cast<int>(run.chart) << " width "
                                            << static_cast<int>(width));
            RunSetup setup{};
            setup.method = run.method, setup.chart = run.chart, setup.width = width;
            setup.modified_newton = run.modified_newton, setup.tangent_operator = run.tangent_operator;
            setup.steps = 50, setup.most_newton_iterations = 50;
            setup.observed = {channel_index(*mechanism, "energy"), channel_index(*mechanism, "work")};
            setup.maxima = {channel_index(*mechanism, "velocity_residual")};
            const auto instances = three_speeds(*mechanism, run.method == Method::kinematics ? 1 : 6);
            const auto all = run_instances(*mechanism, instances, setup);
            for (const long long attempts : {1, 7}) {
                setup.attempts_per_launch = attempts;
                const auto parts = run_instances(*mechanism, instances, setup);
                for (std::size_t n = 0; n < all.size(); ++n) {
                    EXPECT_EQ(all[n].status, Status::ok) << sentence_of(all[n].reason);
                    EXPECT_TRUE(same_bits(all[n].final_state, parts[n].final_state)) << attempts << " attempts";
                    EXPECT_EQ(all[n].rows, parts[n].rows) << attempts << " attempts";
                    EXPECT_EQ(all[n].maxima, parts[n].maxima) << attempts << " attempts";
                }
            }
        }
    }
}

}  // namespace

}  // namespace myriad::mechanism
