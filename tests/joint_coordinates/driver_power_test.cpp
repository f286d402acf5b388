// The power of drivers of tree coordinates, which a step finds without evaluating its end: the work that it adds up
// against the driver's multipliers, which channels find from the state alone.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

// A universal joint driven about both axes, with a body that hangs on the driven one by a spherical joint: its turning
// makes the matrix unsymmetric, and the drivers feel it from outside. A third body hangs on a slide with a spring.
constexpr const char* arm_with_bob = R"json({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {
        "arm": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.4, 0.5], "centre_of_mass_m": [0.1, 0.2, -0.3]},
        "bob": {"mass_kg": 0.7, "inertia_kg_m2": [0.02, 0.03, 0.04], "position_m": [0.0, -0.05, -1.3],
                "angular_velocity_rad_s": [9.0, -4.0, 14.0]},
        "slider": {"mass_kg": 0.4, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0.0, 0.5, -0.5]}},
    "joints": {
        "cross": {"type": "universal", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                  "axes": [[1, 0, 0], [0, 1, 0]]},
        "ball": {"type": "spherical", "bodies": ["arm", "bob"], "points_m": [[0, 0, -1.0], [0, 0.05, 0.3]]},
        "slide": {"type": "prismatic", "bodies": ["arm", "slider"], "points_m": [[0, 0.5, -0.5], [0, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]}},
    "forces": {"coil": {"type": "spring_damper", "bodies": ["arm", "slider"], "points_m": [[0, 0.5, 0.5], [0, 0, 0]],
                        "stiffness_N_m": 90.0, "damping_N_s_m": 0.0, "rest_length_m": 1.0}},
    "drivers": {
        "first": {"type": "angle_1", "joint": "cross", "value_rad": "2.5 * t + 0.3 * sin(4 * t)"},
        "second": {"type": "angle_2", "joint": "cross", "value_rad": "0.4 * sin(3 * t)"}}})json";

struct Driven {
    const char* name;
    std::vector<std::function<double(double)>> rates_rad_s;
    std::vector<std::string> drivers;
};

std::shared_ptr<const Mechanism> mechanism_of(const Driven& driven) {
    return std::string(driven.name) == "arm_with_bob" ? parse_mechanism(arm_with_bob, "arm_with_bob.json")
                                                      : catalog_mechanism(driven.name);
}

// The largest difference between the mean power of two steps, by their work, and that of their drivers' multipliers, as
// a share of the largest: 1/4, 2/4, 1/4 of the powers by trapezoids, or 1/6, 4/6, 1/6 by Simpson's rule.
double missing_power(const Driven& driven, const Mechanism& mechanism, Method method, double step_s) {
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.newton_tolerance = 1e-12;
    setup.step_s = step_s, setup.steps = static_cast<int>(std::lround(0.2 / step_s));
    setup.observed = {channel_index(mechanism, "work")};
    for (const std::string& driver : driven.drivers)
        setup.observed.push_back(channel_index(mechanism, "multiplier." + driver));
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EXPECT_EQ(end.rows.size(), static_cast<std::size_t>(setup.steps) + 1);
    const bool sums_over_stages = method == Method::rk4 || method == Method::rk67;
    const double outer = sums_over_stages ? 1.0 / 6.0 : 0.25, middle = 1.0 - 2.0 * outer;
    std::vector<double> powers_W;
    double largest_W = 0.0, difference_W = 0.0;
    for (std::size_t i = 0; i < end.rows.size(); ++i) {
        double power_W = 0.0;
        for (std::size_t k = 0; k < driven.drivers.size(); ++k)
            power_W -= end.rows[i][1 + k] * driven.rates_rad_s[k](step_s * static_cast<double>(i));
        largest_W = std::max(largest_W, std::abs(power_W));
        powers_W.push_back(power_W);
        if (i < 2) continue;
        const double mean_W = (end.rows[i][0] - end.rows[i - 2][0]) / (2.0 * step_s);
        difference_W =
            std::max(difference_W, std::abs(mean_W - outer * (powers_W[i - 2] + power_W) - middle * powers_W[i - 1]));
    }
    EXPECT_GT(largest_W, 1.0) << "W, so that there is something to compare";
    return difference_W / largest_W;
}

const Driven all_driven[] = {
    {"four_link", {[](double) { return std::numbers::pi; }}, {"motor"}},
    {"slider_crank_haug", {[](double) { return 2.0 * std::numbers::pi; }}, {"motor"}},
    {"arm_with_bob",
     {[](double t) { return 2.5 + 1.2 * std::cos(4.0 * t); }, [](double t) { return 1.2 * std::cos(3.0 * t); }},
     {"first", "second"}}};

// Forces are linear in accelerations and multipliers, which is all that an explicit method or an analysis corrects.
TEST(PowerOfDrivers, IsExactWhereOnlyAccelerationsAreSolvedFor) {
    constexpr double round_off = 1e-11;  // of sums of some hundred terms; 2e-14 was seen
    constexpr double of_simpson = 1e-8;  // (rate h)^4 / 180 of motions of up to 20 rad/s
    for (const Driven& driven : all_driven)
        for (const Method method : {Method::kinematics, Method::rk4, Method::rk67}) {
            const auto mechanism = mechanism_of(driven);
            if (method == Method::kinematics && mechanism->freedoms > 0) continue;
            EXPECT_LE(missing_power(driven, *mechanism, method, 1e-3),
                      method == Method::kinematics ? round_off : of_simpson)
                << driven.name << ", method " << static_cast<int>(method);
        }
}

// The last correction of an implicit step changes velocities and positions, and forces with them. It is as long as the
// accelerations are not smooth, which at a start they are not: of second order in the step, as the method's motion is.
// So half the step leaves a quarter, and higher orders beside it. At 1 ms the power of the four link misses by 2e-5,
// which is (rate h)^2 twice over; five times that would be a fault.
TEST(PowerOfDrivers, IsOfTheMethodsOrderInImplicitSteps) {
    constexpr double step_s = 1e-3, at_this_step = 1e-4, share_at_half_the_step = 0.27;
    for (const Driven& driven : all_driven)
        for (const Method method : {Method::generalized_alpha, Method::implicit_euler}) {
            const auto mechanism = mechanism_of(driven);
            const double whole = missing_power(driven, *mechanism, method, step_s),
                         half = missing_power(driven, *mechanism, method, 0.5 * step_s);
            EXPECT_LE(whole, at_this_step) << driven.name << ", method " << static_cast<int>(method);
            EXPECT_LE(half, share_at_half_the_step * whole) << driven.name << ", method " << static_cast<int>(method);
        }
}

}  // namespace
}  // namespace myriad::mechanism
