// Instances that energy-momentum methods cannot go on with: their statuses, alone and in a pack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

class EnergyMomentumLanes : public testing::TestWithParam<Method> {};

RunSetup setup_of(const Mechanism& mechanism, double step_s, int steps) {
    RunSetup setup{};
    setup.method = EnergyMomentumLanes::GetParam();
    setup.step_s = step_s, setup.steps = steps, setup.most_newton_iterations = 40;
    setup.observed = {0, 1, 2, channel_index(mechanism, "energy"), channel_index(mechanism, "work")};
    return setup;
}

std::vector<InstanceEnd> in_packs(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                  RunSetup setup) {
    setup.width = Width::packs;
    return run_instances(mechanism, parameters, setup);
}

void expect_same_ends(const InstanceEnd& a, const InstanceEnd& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_TRUE(same_bits(a.record, b.record));
    EXPECT_TRUE(same_bits(a.final_state, b.final_state));
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t row = 0; row < a.rows.size(); ++row) EXPECT_TRUE(same_bits(a.rows[row], b.rows[row]));
}

// A body that nothing turns about an axis of no inertia: alone and beside others.
TEST_P(EnergyMomentumLanes, StopWhereTheMatrixIsSingular) {
    const auto mechanism = catalog_mechanism("four_bar_loop");
    const RunSetup setup = setup_of(*mechanism, 0.05, 40);
    const std::vector<double> healthy = mechanism->nominal_kernel_parameters();
    std::vector<std::vector<double>> parameters(8, healthy);
    for (const std::size_t n : {std::size_t{1}, std::size_t{6}}) {
        // Bar 2 loses the inertia along its length.
        double* inertia = &parameters[n][static_cast<std::size_t>(body_parameter(1, body_inertia))];
        *std::min_element(inertia, inertia + 3) = 0.0;
    }
    const auto ends = in_packs(*mechanism, parameters, setup);
    const auto alone = run_instances(*mechanism, {healthy, parameters[1]}, setup);
    ASSERT_EQ(alone[0].status, Status::ok);
    EXPECT_EQ(alone[1].status, Status::singular_matrix);
    for (std::size_t n = 0; n < ends.size(); ++n) expect_same_ends(ends[n], alone[n == 1 || n == 6 ? 1 : 0]);
}

// A step cannot converge in one iteration; it stops with its last good state.
TEST_P(EnergyMomentumLanes, StopWhereNewtonStalls) {
    const auto mechanism = parse_mechanism(sprung_pair("0.2", "0.8"), "sprung_pair.json");
    RunSetup setup = setup_of(*mechanism, 0.01, 40);
    setup.most_newton_iterations = 1;
    const InstanceEnd end = run_instances(*mechanism, {mechanism->nominal_kernel_parameters()}, setup).front();
    EXPECT_EQ(end.status, Status::newton_stalled);
    EXPECT_EQ(end.steps, 0.0);
    EXPECT_TRUE(same_bits(end.final_state, end.initial_state));
}

INSTANTIATE_TEST_SUITE_P(Methods, EnergyMomentumLanes,
                         testing::Values(Method::energy_momentum_convective, Method::livens_midpoint,
                                         Method::energy_momentum));

}  // namespace

}  // namespace myriad::mechanism
