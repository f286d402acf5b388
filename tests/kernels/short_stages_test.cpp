// What dexp^-1 cut after its second commutator, and unit quaternions, cost in accuracy: against the method in full, on
// tops and free bodies, and over spins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/orientation/unit_quaternions.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

using Address = std::pair<const char*, double>;

Task task_of(const std::string& system, const std::string& chart, const std::string& integrator, double end_s,
             double step_s, bool is_full = false) {
    Task task = plain_task({system, chart, integrator, false}, static_cast<int>(std::lround(end_s / step_s)), step_s);
    task.schedule.full_dexp_inverse = is_full ? 1.0 : 0.0;
    return task;
}

// The defaults of the system but for these.
std::vector<double> defaults_with(const std::string& system, std::initializer_list<Address> given) {
    std::vector<double> values;
    for (const study::DescribedParameter& parameter : study::find_system(system, "test").parameters)
        values.push_back(parameter.value);
    for (const auto& [address, value] : given)
        values[static_cast<std::size_t>(parameter_index(system, address))] = value;
    return values;
}

// The angle (rad) between the orientations in which instance i ends.
double turn_between(const Chunk& a, const Chunk& b, std::uint64_t i) {
    const std::size_t channels = a.final_state.size() / a.count;
    const auto quaternion = [&](const Chunk& chunk) {
        const double* q = chunk.final_state.data() + i * channels + 3;
        return Rotation<double>{q[0], q[1], q[2], q[3]};
    };
    const Vec<3, double> turn = log(inverse(quaternion(a)) * quaternion(b));
    return std::sqrt(dot(turn, turn));
}

constexpr const char* tops_spin = "initial_angular_velocity_rad_s[1]";
constexpr const char* tops_tumbling = "initial_angular_velocity_rad_s[2]";

struct Body {
    const char *name, *system;
    std::vector<double> parameters;
    double end_s, step_s;
};
std::vector<Body> bodies() {
    return {{"fast top", "heavy_top", defaults_with("heavy_top", {}), 1.0, 4e-4},
            {"the same, large steps", "heavy_top", defaults_with("heavy_top", {}), 1.0, 1.6e-3},
            {"slow top", "heavy_top", defaults_with("heavy_top", {{tops_spin, 5.0}}), 1.0, 1e-2},
            {"slow top, large steps", "heavy_top", defaults_with("heavy_top", {{tops_spin, 20.0}}), 1.0, 2e-2},
            {"tumbling body", "free_rigid_body", defaults_with("free_rigid_body", {}), 1.0, 2e-3},
            {"the same, large steps", "free_rigid_body", defaults_with("free_rigid_body", {}), 1.0, 1e-2}};
}

// The commutators that are left out, and the terms of the stages' exponential, are of higher order than the error.
TEST(ShortStages, ChangeTheErrorOfRk4ByLessThanOnePercent) {
    constexpr double largest_change = 0.01;
    for (const Body& body : bodies()) {
        const Instances one = {body.parameters};
        const Chunk truth = run_scalar(task_of(body.system, "rotation", "rk67", body.end_s, body.step_s / 16), one);
        const auto error = [&](bool is_full) {
            return turn_between(
                run_scalar(task_of(body.system, "rotation", "rk4", body.end_s, body.step_s, is_full), one), truth, 0);
        };
        const double full = error(true), cut = error(false);
        RecordProperty(body.name, std::to_string(100.0 * (cut / full - 1.0)) + " %");
        EXPECT_GT(full, 1e-9) << body.name << ": round-off alone would show nothing";
        EXPECT_LE(std::abs(cut - full), largest_change * full) << body.name;
    }
}

TEST(ShortStages, LeaveOde23ItsStepsAndErrors) {
    constexpr double largest_change = 0.01;
    for (const Body& body : bodies()) {
        const Instances one = {body.parameters};
        const Chunk truth = run_scalar(task_of(body.system, "rotation", "rk67", body.end_s, 1e-4), one);
        const auto run = [&](bool is_full) {
            Task task = plain_task({body.system, "rotation", "ode23", true}, 1, body.end_s);
            task.schedule.relative_tolerance = task.schedule.absolute_tolerance = 1e-6;
            task.schedule.most_attempts = 1e6, task.schedule.full_dexp_inverse = is_full ? 1.0 : 0.0;
            return run_scalar(task, one);
        };
        const Chunk full = run(true), cut = run(false);
        EXPECT_LE(std::abs(cut.steps[0] - full.steps[0]), 0.01 * full.steps[0] + 1) << body.name;
        const double error = turn_between(full, truth, 0);
        EXPECT_LE(std::abs(turn_between(cut, truth, 0) - error), largest_change * error) << body.name;
    }
}

// Steady: the torque vanishes, so that the group's step is the exponential of h w, to round-off. The quaternion's phase
// falls short by (h w / 2)^5 / 120 a step, twice that as a rotation: 4e-5 rad after 1 s at 150 rad/s with 1e-3 s.
TEST(UnitQuaternions, LagBehindASteadySpinThatTheGroupMeets) {
    constexpr double step_s = 1e-3;
    for (const double spin : {5.0, 20.0, 50.0, 100.0, 150.0, 200.0}) {
        const Instances one = {
            defaults_with("heavy_top", {{tops_spin, spin}, {tops_tumbling, 0.0}, {"gravity_m_s2", 0.0}})};
        const auto after_one_second = [&](const char* chart, const char* integrator) {
            return run_scalar(task_of("heavy_top", chart, integrator, 1.0, step_s), one);
        };
        const Chunk truth = after_one_second("rotation", "rk67");
        const double group = turn_between(after_one_second("rotation", "rk4"), truth, 0),
                     quaternions = turn_between(after_one_second("euler_parameters", "rk4"), truth, 0);
        const double lag = 2.0 / step_s * std::pow(0.5 * step_s * spin, 5) / 120.0;
        RecordProperty(("spin_" + std::to_string(static_cast<int>(spin))).c_str(),
                       std::to_string(1e9 * group) + " and " + std::to_string(1e9 * quaternions) + " nrad");
        EXPECT_LE(group, 1000 * 4e-16) << spin << ": round-off of a thousand products";
        EXPECT_NEAR(quaternions, lag, 0.02 * lag + 1000 * 4e-16) << spin;
    }
}

// On the paper's fast top, whose error is that of the angular velocity, quaternions are as good.
TEST(UnitQuaternions, HaveTheErrorOfTheGroupOnAFastTop) {
    const Instances one = {defaults_with("heavy_top", {})};
    for (const double step_s : {4e-4, 2e-4, 1e-4}) {
        const Chunk truth = run_scalar(task_of("heavy_top", "rotation", "rk67", 1.0, 2e-5), one);
        const auto error = [&](const char* chart) {
            return turn_between(run_scalar(task_of("heavy_top", chart, "rk4", 1.0, step_s), one), truth, 0);
        };
        EXPECT_NEAR(error("euler_parameters") / error("rotation"), 1.0, 0.1) << step_s;
    }
}

TEST(UnitQuaternions, KeepUnitLengthToRoundOffWhateverTheStep) {
    for (const double step_s : {1e-4, 1e-3, 1e-2}) {  // up to 1.5 rad a step
        const Chunk end =
            run_scalar(task_of("heavy_top", "euler_parameters", "rk4", 0.1, step_s), {defaults_with("heavy_top", {})});
        const double* q = end.final_state.data() + 3;
        EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15) << step_s;
    }
}

// What a tolerance is compared with: a small difference of two quaternions is the turn between them, as on the group.
TEST(UnitQuaternions, MeasureErrorsAsRotations) {
    const Rotation<double> q = exp_any(Vec<3, double>{0.7, -1.9, 0.4});
    for (const double size : {1e-3, 1e-6}) {
        const Vec<3, double> turn{0.3 * size, -0.8 * size, 0.5 * size};
        const Rotation<double> turned = q * exp(turn);
        const Vec<3, double> measured = ShortMaps<UnitQuaternions<double>>::moved(
                                 q, {turned.w - q.w, turned.x - q.x, turned.y - q.y, turned.z - q.z}),
                             on_group = ShortMaps<RotationGroup<double>>::moved(q, 0.5 * turn);
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(measured[i], turn[i], size * size * size + 1e-15);
            EXPECT_EQ(on_group[i], turn[i]);
        }
    }
}

}  // namespace
}  // namespace myriad::backends
