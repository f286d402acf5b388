// Orders measured on generic bodies: error against step of the fixed-step methods, error and number of steps against
// the tolerance of the adaptive ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t converging_count = 30;
constexpr double span_s = 0.8;

class Order : public testing::TestWithParam<Member> {};

// Free bodies turn faster, so that errors stand clear of round-off; on the chart less so, because of its singularity.
Instances moving_instances(const Member& member) {
    Instances instances = generic_instances(member.system, converging_count);
    if (member.system != "free_rigid_body") return instances;
    const double factor = member.chart == "rotation" || member.chart == "euler_parameters" ? 5.0 : 2.0;
    const int first = parameter_index(member.system, "initial_angular_velocity_rad_s[0]");
    for (auto& instance : instances)
        for (int i = first; i < first + 3; ++i) instance[static_cast<std::size_t>(i)] *= factor;
    return instances;
}

// The median over the instances: one that passes close to the chart's singularity is not yet in the range of its order.
double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::vector<double> log_distances(const Chunk& a, const Chunk& b) {
    std::vector<double> logs;
    const std::size_t channels = a.final_state.size() / a.count;
    for (std::uint64_t i = 0; i < a.count; ++i)
        logs.push_back(
            std::log2(distance(a.final_state.data() + i * channels, b.final_state.data() + i * channels, channels)));
    return logs;
}

double median_difference(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return median(a);
}

TEST_P(Order, IsTheOneOfTheMethod) {
    const Member member = GetParam();
    const Instances instances = moving_instances(member);
    if (!member.adaptive) {
        const std::map<std::string, int> orders = {
            {"rk4", 4}, {"rk67", 6}, {"generalized_alpha", 2}, {"implicit_euler", 1}};
        const auto known = orders.find(member.integrator);
        const int order = known == orders.end() ? 2 : known->second;  // energy-momentum methods and midpoint rules
        // Differences of successive results shrink by 2^order; steps at which round-off (1e-15) and what Newton's
        // method leaves (1e-10) are far below them.
        const int coarsest = order == 6 ? 20 : order == 4 ? 40 : 200;
        const auto run = [&](int steps) { return run_scalar(plain_task(member, steps, span_s / steps), instances); };
        const Chunk coarse = run(coarsest), middle = run(2 * coarsest), fine = run(4 * coarsest);
        const double measured = median_difference(log_distances(coarse, middle), log_distances(middle, fine));
        RecordProperty("order", std::to_string(measured));
        // The next term of the error is a step times as large as the leading one: 0.02 to 0.04 times rates of some 1/s.
        EXPECT_NEAR(measured, order, 0.2);
        return;
    }
    const int order = member.integrator == "ode23" ? 3 : 5;
    const Member exact{member.system, member.chart, "rk67", false};
    const Chunk expected = run_scalar(plain_task(exact, 800, span_s / 800), instances);
    const auto run = [&](double tolerance) {
        Task task = plain_task(member, 1, span_s);
        task.schedule.relative_tolerance = task.schedule.absolute_tolerance = tolerance;
        task.schedule.most_attempts = 1e6;
        return run_scalar(task, instances);
    };
    // Tight enough that tens of steps are taken, loose enough that round-off (1e-14 of the exact result) is not seen.
    const double loose_tolerance = order == 3 ? 1e-5 : 1e-7, tight_tolerance = order == 3 ? 1e-8 : 1e-11;
    const Chunk loose = run(loose_tolerance), tight = run(tight_tolerance);
    const double octaves = std::log2(loose_tolerance / tight_tolerance);
    const double error_exponent =
        median_difference(log_distances(loose, expected), log_distances(tight, expected)) / octaves;
    std::vector<double> step_exponents;
    for (std::uint64_t i = 0; i < converging_count; ++i)
        step_exponents.push_back(std::log2(static_cast<double>(tight.steps[i]) / static_cast<double>(loose.steps[i])) /
                                 octaves);
    const double step_exponent = median(step_exponents);
    RecordProperty("error_exponent", std::to_string(error_exponent));
    RecordProperty("step_exponent", std::to_string(step_exponent));
    // The estimate is of order h^p, p the order, and so is the error at the end: the error follows the tolerance, the
    // number of steps its 1/p-th power. The first and last steps are not chosen by the control alone.
    // On quaternions the leading error of dopri5 for a rotation, (h w / 2)^6 / 3600, is one of length, which the end of
    // a step takes away: without torque the error is of the next order.
    const bool is_free = member.system == "free_rigid_body" && member.chart == "euler_parameters" && order == 5;
    EXPECT_NEAR(error_exponent, is_free ? 6.0 / 5 : 1.0, 0.15);
    EXPECT_NEAR(step_exponent, 1.0 / order, 0.15 / order);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Order, testing::ValuesIn(smooth_members()), [](const auto& given) {
    std::string name = given.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
}  // namespace myriad::backends
