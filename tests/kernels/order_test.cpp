// Orders measured on generic bodies: error against step of the fixed-step methods, error and number of steps against
// the tolerance of the adaptive ones.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t instance_count = 30;
constexpr double span_s = 0.8;

class Order : public testing::TestWithParam<Member> {};

// Mean over the instances of log2 of the distance of two results.
double mean_log_distance(const Chunk& a, const Chunk& b) {
    double sum = 0.0;
    const std::size_t channels = a.final_state.size() / a.count;
    for (std::uint64_t i = 0; i < a.count; ++i)
        sum += std::log2(distance(a.final_state.data() + i * channels, b.final_state.data() + i * channels, channels));
    return sum / static_cast<double>(a.count);
}

TEST_P(Order, IsTheOneOfTheMethod) {
    const Member member = GetParam();
    const Instances instances = generic_instances(member.system, instance_count);
    if (!member.adaptive) {
        const int order = member.integrator == "rk4" ? 4 : 6;
        // Differences of successive results shrink by 2^order; steps at which round-off (1e-15) is far below them.
        const auto run = [&](int steps) { return run_portable(plain_task(member, steps, span_s / steps), instances); };
        const Chunk coarse = run(40), middle = run(80), fine = run(160);
        const double measured = mean_log_distance(coarse, middle) - mean_log_distance(middle, fine);
        RecordProperty("order", std::to_string(measured));
        // The next term of the error is a step times as large as the leading one: 0.02 times rates of some 1/s.
        EXPECT_NEAR(measured, order, 0.25);
        return;
    }
    const int order = member.integrator == "ode23" ? 3 : 5;
    const Member exact{member.system, member.chart, "rk67", false};
    const Chunk expected = run_portable(plain_task(exact, 800, span_s / 800), instances);
    const auto run = [&](double tolerance) {
        Task task = plain_task(member, 1, span_s);
        task.schedule.relative_tolerance = task.schedule.absolute_tolerance = tolerance;
        task.schedule.most_attempts = 1e6;
        return run_portable(task, instances);
    };
    const double loose_tolerance = 1e-5, tight_tolerance = 1e-9;
    const Chunk loose = run(loose_tolerance), tight = run(tight_tolerance);
    const double decades = std::log2(loose_tolerance / tight_tolerance);
    const double error_exponent = (mean_log_distance(loose, expected) - mean_log_distance(tight, expected)) / decades;
    double step_exponent = 0.0;
    for (std::uint64_t i = 0; i < instance_count; ++i)
        step_exponent += std::log2(static_cast<double>(tight.steps[i]) / static_cast<double>(loose.steps[i]));
    step_exponent /= decades * static_cast<double>(instance_count);
    RecordProperty("error_exponent", std::to_string(error_exponent));
    RecordProperty("step_exponent", std::to_string(step_exponent));
    // The estimate is of order h^p, p the order, and so is the error at the end: the error follows the tolerance. At
    // the loose end there are few steps, and the first and last are not chosen by the control alone.
    EXPECT_NEAR(error_exponent, 1.0, 0.15);
    EXPECT_NEAR(step_exponent, 1.0 / order, 0.15 / order);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Order, testing::ValuesIn(catalog_members()), [](const auto& info) {
    std::string name = info.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
}  // namespace myriad::backends
