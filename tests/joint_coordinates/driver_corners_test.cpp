// Corners of drivers: pulses that begin and end within a step, corners that no branch names, and jumps of
// accelerations.
#include "host/mechanism/driver_corners.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "tests/joint_coordinates/hanging_bob.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"

namespace myriad::mechanism::hanging_bobs {
namespace {
namespace driver_corners {

constexpr Method methods_of_trees[] = {Method::rk4,    Method::rk67,           Method::ode23,
                                       Method::dopri5, Method::implicit_euler, Method::generalized_alpha};

// The carriage's rate jumps at times, and has a constant acceleration from each of them on. Without gravity
// I angle'' = m l a cos(angle), and a jump by dv adds m l dv cos(angle)/I to the rate.
struct Event {
    double time_s, jump_m_s, acceleration_m_s2 = 0.0;
};
constexpr double by_speed = bob_kg * arm_m / about_hinge_kg_m2;

struct Swing {
    double angle = 0.0, rate = 0.0;
    // Classical Runge-Kutta in steps whose error is far below what is looked at.
    void go(double seconds, double acceleration_m_s2) {
        constexpr int steps = 5'000;
        const double h = seconds / steps, k = by_speed * acceleration_m_s2;
        for (int i = 0; i < steps; ++i) {
            const double a1 = k * std::cos(angle), v2 = rate + 0.5 * h * a1, a2 = k * std::cos(angle + 0.5 * h * rate),
                         v3 = rate + 0.5 * h * a2, a3 = k * std::cos(angle + 0.5 * h * v2), v4 = rate + h * a3,
                         a4 = k * std::cos(angle + h * v3);
            angle += h / 6.0 * (rate + 2.0 * v2 + 2.0 * v3 + v4), rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        }
    }
};
Swing swung_by(const std::vector<Event>& events, double end_s) {
    Swing bob;
    for (std::size_t i = 0; i < events.size(); ++i) {
        bob.rate += by_speed * events[i].jump_m_s * std::cos(bob.angle);
        bob.go((i + 1 < events.size() ? events[i + 1].time_s : end_s) - events[i].time_s, events[i].acceleration_m_s2);
    }
    return bob;
}

struct Pulse {
    const char* way;
    std::vector<Event> events;
};
std::vector<Pulse> pulses() {
    return {{"if(t < 0.1, 0, if(t < 0.11, 5 * (t - 0.1), if(t < 0.12, 0.05 - 5 * (t - 0.11), 0)))",
             {{0.1, 5.0}, {0.11, -10.0}, {0.12, 5.0}}},
            {"max(0, 0.5 * min(t - 0.1, 0.2 - t))", {{0.1, 0.5}, {0.15, -1.0}, {0.2, 0.5}}},
            {"10 * max(0, 0.0004 - (t - 0.1)^2)", {{0.08, 0.4, -20.0}, {0.12, 0.4}}},
            {"max(0, 0.002 - abs(t - 0.1371))", {{0.1351, 1.0}, {0.1371, -2.0}, {0.1391, 1.0}}},
            {"abs(t - 0.1) - 2 * abs(t - 0.15) + abs(t - 0.2)", {{0.1, 2.0}, {0.15, -4.0}, {0.2, 2.0}}}};
}
constexpr double until_s = 0.4;

std::string reference_status(const Mechanism& mechanism, const std::string& integrator, double step_s, double end_s,
                             std::vector<double>& last, double tolerance = 1e-9) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism, p);
    reference::MechanismSettings settings;
    settings.integrator = integrator, settings.joint_coordinates = true, settings.end_s = end_s;
    settings.step_s = step_s;
    settings.control.relative_tolerance = settings.control.absolute_tolerance = tolerance;
    settings.after_step = [&](const reference::MechanismSample& sample) {
        last.clear();
        for (const int channel : channels_of(mechanism, seen))
            last.push_back(backends::reference_channel(mechanism.table, p, model, sample, channel));
    };
    return run_reference_mechanism(model, settings).status;
}

TEST(DriverCorners, OfPulsesWithinATrialStepAreSeenByAdaptiveMethods) {
    for (const Pulse& pulse : pulses()) {
        const auto mechanism = parsed(hanging_bob(pulse.way));
        const Swing exact = swung_by(pulse.events, until_s);
        for (const auto& [method, name] : {std::pair(Method::dopri5, "dopri5"), std::pair(Method::ode23, "ode23")}) {
            SCOPED_TRACE(pulse.way + std::string(", ") + name);
            // A few hundred times the tolerance of a step, 1e-8.
            const std::vector<double> end = rows_of(*mechanism, method, until_s, 1).back();
            EXPECT_NEAR(end[rate], exact.rate, 3e-6);
            EXPECT_NEAR(end[angle], exact.angle, 3e-6);
            std::vector<double> twin;
            EXPECT_EQ(reference_status(*mechanism, name, 0.0, until_s, twin), "ok");
            EXPECT_NEAR(twin[rate], exact.rate, 3e-6);
            EXPECT_NEAR(twin[angle], exact.angle, 3e-6);
        }
    }
}

TEST(DriverCorners, OfPulsesOfManyFixedStepsAreOfFirstOrder) {
    for (const Pulse& pulse : pulses()) {
        const auto mechanism = parsed(hanging_bob(pulse.way));
        const Swing exact = swung_by(pulse.events, until_s);
        for (const Method method : {Method::rk4, Method::rk67, Method::generalized_alpha, Method::implicit_euler}) {
            SCOPED_TRACE(pulse.way + std::string(", method ") + std::to_string(static_cast<int>(method)));
            // Jumps of up to 10 m/s, each of them a step of 0.1 ms late at the most.
            EXPECT_NEAR(rows_of(*mechanism, method, 1e-4, 4000).back()[rate], exact.rate, 0.02);
        }
    }
}

// Whether a formula has a corner of sqrt and the like, or a pole, within a second, by the search of studies.
std::shared_ptr<const Mechanism> with_corner(const char* way, double time_s) {
    auto mechanism = parsed(hanging_bob(way));
    const DriverCorners corners = corners_of_drivers(*mechanism, mechanism->nominal_kernel_parameters(), 1.0);
    EXPECT_TRUE(corners.sharp) << way;
    if (corners.sharp) EXPECT_NEAR(corners.sharp->time_s, time_s, 1e-6) << way;
    return mechanism;
}

// The step in which it lies ends the instance.
void expect_end(const Mechanism& mechanism, Method method, double time_s) {
    SCOPED_TRACE(static_cast<int>(method));
    RunSetup setup = setup_of(mechanism, method, 1e-3, 1000);
    setup.relative_tolerance = setup.absolute_tolerance = 1e-6;
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::invalid_parameter);
    EXPECT_EQ(end.reason, Reason::driver_breaks);
    EXPECT_NEAR(end.time_s, time_s, 1e-3);
}
void expect_end_on_the_reference_path(const Mechanism& mechanism, const std::string& name) {
    std::vector<double> last;
    EXPECT_EQ(reference_status(mechanism, name, name == "dopri5" ? 0.0 : 1e-3, 1.0, last), "invalid_parameter") << name;
}

void expect_corner(const char* way, double time_s) {
    SCOPED_TRACE(way);
    const auto mechanism = with_corner(way, time_s);
    for (const Method method : methods_of_trees) expect_end(*mechanism, method, time_s);
    for (const char* name : {"rk4", "generalized_alpha", "dopri5"}) expect_end_on_the_reference_path(*mechanism, name);
}

TEST(DriverCorners, ThatNoBranchNamesEndAnInstance) {
    expect_corner("t - 0.10037 + sqrt((t - 0.10037)^2)", 0.10037);
    expect_corner("t - 0.10037 + ((t - 0.10037)^2)^0.5", 0.10037);
    expect_corner("2 / (10 * pi) * asin(sin(10 * pi * t + 0.001))", 0.05 - 1e-4 / std::numbers::pi);
    expect_corner("0.1 * acos(cos(10 * t + 0.5))", 0.1 * (std::numbers::pi - 0.5));
    expect_corner("atan2(sin(10 * t), cos(10 * t))", 0.1 * std::numbers::pi);
    expect_corner("0.1 * atan2(t - 0.2345, -0.5)", 0.2345);
}

TEST(DriverCorners, AtPolesEndAnInstance) {
    with_corner("1e-7 * tan(12 * t + 0.1)", (0.5 * std::numbers::pi - 0.1) / 12.0);
    with_corner("1e-10 * t / (t - 0.2345)^2", 0.2345);
    with_corner("1e-7 * log(abs(t - 0.2345))", 0.2345);
    // A limit that the formula has there is not found.
    with_corner("0.1 * sin(t - 0.2345) / (t - 0.2345)", 0.2345);
    // The error control of adaptive methods may ask for ever smaller steps before.
    const auto mechanism = with_corner("1e-7 / (0.2345 - t)", 0.2345);
    for (const Method method : {Method::rk4, Method::generalized_alpha}) expect_end(*mechanism, method, 0.2345);
    expect_end_on_the_reference_path(*mechanism, "rk4");
}

TEST(DriverCorners, OfSmoothFormulasAreNone) {
    for (const char* way :
         {"sqrt(1 + t^2) - 1", "0.1 * cos(3 * t) + sqrt(0.25 - sin(3 * t)^2 * 0.01) - 0.6", "asin(0.3 * sin(t))",
          "acos(0.9 * cos(5 * t)) - acos(0.9)", "atan2(0.3 + t, t - 0.5) - atan2(0.3, -0.5)", "(0.1 + t)^0.5 - 0.1^0.5",
          "if(t < 2, t, sqrt((t - 0.5)^2))", "max(t, 0.2 * sqrt((t - 0.5)^2) - 1)", "0.1 / (1 + t^2)",
          "0.02 * log(1 + exp(20 * (t - 0.5)))", "0.1 * tan(t)", "0.3 * t / (1.1 + cos(6 * t))",
          "if(t < 2, t, 1 / (t - 0.5))"}) {
        SCOPED_TRACE(way);
        const auto mechanism = parsed(hanging_bob(way));
        const DriverCorners corners = corners_of_drivers(*mechanism, mechanism->nominal_kernel_parameters(), 1.0);
        EXPECT_FALSE(corners.sharp || corners.rate || corners.value);
        for (const Method method : methods_of_trees)
            EXPECT_EQ(run_nominal(*mechanism, setup_of(*mechanism, method, 1e-2, 100)).status, Status::ok)
                << static_cast<int>(method);
    }
}

// Both paths measure their errors against the same sizes of what drivers prescribe.
TEST(DriverCorners, LeaveAdaptiveStepsOfSmoothDriversToTheirTolerance) {
    const auto mechanism = parsed(hanging_bob("0.2 * sin(10 * t)", 9.81));
    const RunSetup setup = [&] {
        RunSetup given = setup_of(*mechanism, Method::dopri5, 2.0, 1);
        given.relative_tolerance = given.absolute_tolerance = 1e-3;
        return given;
    }();
    std::vector<double> twin;
    EXPECT_EQ(reference_status(*mechanism, "dopri5", 0.0, 2.0, twin, 1e-3), "ok");
    // They take the same steps, so that their numbers are of round-off apart.
    EXPECT_NEAR(run_nominal(*mechanism, setup).rows.back()[rate], twin[rate], 1e-9);
}

// The carriage is accelerated by 10 m/s^2 from 0.1003 s on, in which no rate jumps.
TEST(DriverCorners, OfAccelerationsEndTheStepsOfAdaptiveMethods) {
    const auto mechanism = parsed(hanging_bob("5 * max(0, t - 0.1003)^2"));
    const Swing exact = swung_by({{0.1003, 0.0, 10.0}}, until_s);
    for (const auto& [method, name, most] :
         {std::tuple(Method::dopri5, "dopri5", 25.0), std::tuple(Method::ode23, "ode23", 400.0)}) {
        RunSetup setup = setup_of(*mechanism, method, until_s, 1);
        const InstanceEnd end = run_nominal(*mechanism, setup);
        EXPECT_NEAR(end.rows.back()[rate], exact.rate, 1e-6);
        EXPECT_LT(end.steps, most) << "steps do not shrink before the corner";
        std::vector<double> twin;
        EXPECT_EQ(reference_status(*mechanism, name, 0.0, until_s, twin), "ok");
        EXPECT_NEAR(twin[rate], exact.rate, 1e-6);
    }
}

TEST(DriverCorners, OfAccelerationsAtTheEndsOfFixedStepsLeaveMethodsTheirOrder) {
    const auto mechanism = parsed(hanging_bob("5 * max(0, t - 0.1)^2"));
    const Swing exact = swung_by({{0.1, 0.0, 10.0}}, until_s);
    for (const auto& [method, name] : {std::pair(Method::rk4, "rk4"), std::pair(Method::rk67, "rk67")}) {
        // An error of h^4 and less; a stage with the other acceleration would make one of 0.002.
        EXPECT_NEAR(rows_of(*mechanism, method, 1e-3, 400).back()[rate], exact.rate, 1e-9) << name;
        std::vector<double> twin;
        EXPECT_EQ(reference_status(*mechanism, name, 1e-3, until_s, twin), "ok");
        EXPECT_NEAR(twin[rate], exact.rate, 1e-9) << name;
    }
}

}  // namespace driver_corners
}  // namespace
}  // namespace myriad::mechanism::hanging_bobs
