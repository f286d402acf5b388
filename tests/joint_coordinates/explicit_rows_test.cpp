// Explicit methods with rows in joint coordinates: their orders on closed loops, rows at round-off for ten thousand
// steps, the reference path, rows that move in time, and failures beside healthy neighbours.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "kernels/system/description.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"

namespace myriad::mechanism {
namespace {

// A loop of the catalog without its driver: rows and a driver together would leave no error of the method.
std::shared_ptr<const Mechanism> undriven(const std::string& name) {
    nlohmann::json file = nlohmann::json::parse(catalog_mechanism(name)->text);
    file.erase("drivers");
    return parse_mechanism(file.dump(), name);
}

// States and angular accelerations of the bodies, and multipliers.
std::vector<int> of_the_loop(const Mechanism& mechanism) {
    std::vector<int> observed;
    for (int b = 0; b < mechanism.table.bodies; ++b)
        for (const int part : {0, 1, 2, 7, 8, 9, 10, 11, 12}) observed.push_back(b * body_channels + part);
    for (int c = 0; c < mechanism.table.channels; ++c) {
        const ChannelKind kind = mechanism.table.channel[c].kind;
        if (kind == ChannelKind::multiplier || kind == ChannelKind::angular_acceleration)
            observed.push_back(mechanism.table.bodies * body_channels + c);
    }
    return observed;
}

std::vector<double> end_of(const Mechanism& mechanism, Method method, double step_s, double end_s) {
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.method = method, setup.step_s = step_s;
    setup.steps = static_cast<int>(std::lround(end_s / step_s));
    // Adaptive methods refuse nothing and go from row to row.
    setup.relative_tolerance = setup.absolute_tolerance = 1e6;
    setup.observed = of_the_loop(mechanism);
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EXPECT_LE(end.constraint_residual, 1e-13);
    EXPECT_LE(end.velocity_residual, 1e-11);
    return end.rows.back();
}

double distance_of(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]) / (1.0 + std::abs(b[i])));
    return largest;
}

struct OrderClaim {
    const char* mechanism;
    Method method;
    int order;
    double step_s, end_s;
    friend void PrintTo(const OrderClaim& claim, std::ostream* out) {
        *out << claim.mechanism << " order " << claim.order;
    }
};

class ExplicitOrders : public testing::TestWithParam<OrderClaim> {};

TEST_P(ExplicitOrders, AreKeptOnClosedLoops) {
    const OrderClaim claim = GetParam();
    const auto mechanism = undriven(claim.mechanism);
    ASSERT_EQ(mechanism->freedoms, 1);
    ASSERT_GT(mechanism->table.joint.constraint_rows, 0);
    const std::vector<double> converged = end_of(*mechanism, Method::rk67, claim.step_s / 16.0, claim.end_s);
    double before = 0.0;
    for (const double share : {1.0, 0.5, 0.25}) {
        const double error =
            distance_of(end_of(*mechanism, claim.method, share * claim.step_s, claim.end_s), converged);
        if (share < 1.0) {
            EXPECT_GE(std::log2(before / error), claim.order - 0.35) << before << " -> " << error;
        }
        before = error;
    }
}

INSTANTIATE_TEST_SUITE_P(Each, ExplicitOrders,
                         testing::Values(OrderClaim{"four_link", Method::rk4, 4, 1e-2, 0.4},
                                         OrderClaim{"four_link", Method::rk67, 6, 2e-2, 0.4},
                                         OrderClaim{"four_link", Method::ode23, 3, 5e-3, 0.4},
                                         OrderClaim{"four_link", Method::dopri5, 5, 1e-2, 0.4},
                                         OrderClaim{"slider_crank_iftomm", Method::rk4, 4, 4e-3, 0.096},
                                         OrderClaim{"slider_crank_iftomm", Method::rk67, 6, 1.6e-2, 0.096},
                                         OrderClaim{"slider_crank_iftomm", Method::ode23, 3, 2e-3, 0.096},
                                         OrderClaim{"slider_crank_iftomm", Method::dopri5, 5, 8e-3, 0.096}));

TEST(ExplicitRows, StayAtRoundOffForTenThousandSteps) {
    for (const char* name : {"four_link", "slider_crank_haug", "slider_crank_iftomm"}) {
        SCOPED_TRACE(name);
        const auto mechanism = undriven(name);
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.method = Method::rk4, setup.step_s = 1e-3, setup.steps = 10'000;
        setup.maxima = {channel_index(*mechanism, "constraint_residual"),
                        channel_index(*mechanism, "velocity_residual")};
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_LE(end.maxima[0], 2e-14);
        EXPECT_LE(end.maxima[1], 2e-12);
    }
}

TEST(ExplicitRows, MoveAsOnTheReferencePath) {
    for (const char* name : {"four_link", "slider_crank_haug", "slider_crank_iftomm"})
        for (const Method method : {Method::rk4, Method::rk67, Method::ode23, Method::dopri5}) {
            SCOPED_TRACE(testing::Message() << name << " " << static_cast<int>(method));
            const auto mechanism = undriven(name);
            RunSetup setup;
            setup.coordinates = Coordinates::joint, setup.method = method, setup.step_s = 2e-3, setup.steps = 20;
            setup.relative_tolerance = 1e-6, setup.absolute_tolerance = 1e-8;
            setup.observed = of_the_loop(*mechanism);
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            EXPECT_LE(largest_difference(end.rows, reference_rows(*mechanism, setup)), 1e-9);
        }
}

// A rod between two masses on lines, whose length a driver changes, and a spring between bodies that no joint joins:
// the row holds at the end of every step, and energy less the work of driver and damper stays.
constexpr const char* driven_length = R"text({
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": [1, 0, 0]},
               "b": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, -1.5]}},
    "joints": {"along": {"type": "prismatic", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[1, 0, 0], [1, 0, 0]]},
               "down": {"type": "prismatic", "bodies": ["ground", "b"], "points_m": [[0, 0, 0], [0, 0, 0]],
                        "axes": [[0, 0, -1], [0, 0, -1]]}},
    "drivers": {"rod": {"type": "D", "bodies": ["a", "b"], "points_m": [[0, 0, 0], [0, 0, 0]],
                        "value_m": "1.8027756377319946 + 0.1 * sin(3 * t)"}},
    "forces": {"spring": {"type": "spring_damper", "bodies": ["a", "b"], "points_m": [[0, 0.3, 0], [0, 0, 0.2]],
                          "stiffness_N_m": 40, "damping_N_s_m": 0.5, "rest_length_m": 1}}})text";

TEST(ExplicitRows, ThatMoveInTimeHoldAtTheEndOfEveryStep) {
    const auto mechanism = parse_mechanism(driven_length, "driven.json");
    EXPECT_EQ(mechanism->freedoms, 1);
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 1e-3, setup.steps = 2000;
    setup.observed = of_the_loop(*mechanism);
    for (const char* name : {"energy", "work", "constraint_residual", "velocity_residual"})
        setup.observed.push_back(channel_index(*mechanism, name));
    for (const Method method : {Method::rk4, Method::dopri5}) {
        setup.method = method;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_LE(largest_difference(end.rows, reference_rows(*mechanism, setup)), 1e-9);
        const std::size_t at = setup.observed.size() - 4;
        for (const auto& row : end.rows) {
            EXPECT_LE(row[at + 2], 1e-14);
            EXPECT_LE(row[at + 3], 1e-13);
            // Work is summed by the trapezoidal rule.
            EXPECT_NEAR(row[at] - row[at + 1], end.rows.front()[at], method == Method::rk4 ? 1e-4 : 1e-2);
        }
    }
}

// A rod pulls the end of a link away until the link is stretched: no step beyond it can meet the row.
constexpr const char* stretched_link = R"text({
    "parameters": {"rate_m_s": 0.1}, "gravity_m_s2": [0, -9.81, 0],
    "bodies": {"link": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, -0.5, 0]}},
    "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "link"], "points_m": [[0, 0, 0], [0, 0.5, 0]],
                         "axes": [[0, 0, 1], [0, 0, 1]]}},
    "drivers": {"rod": {"type": "D", "bodies": ["ground", "link"], "points_m": [[2, 0, 0], [0, -0.5, 0]],
                        "value_m": "sqrt(5) + rate_m_s * t"}}})text";

TEST(ExplicitRows, ThatCannotBeMetAreAStatusBesideHealthyNeighbours) {
    const auto mechanism = parse_mechanism(stretched_link, "stretched.json");
    // The link is stretched where the rod is 3 m long.
    constexpr double rate_m_s = 1.0;
    const double end_s = 3.0 - std::sqrt(5.0);
    for (const Method method : {Method::rk4, Method::dopri5}) {
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.method = method, setup.step_s = 1e-2, setup.steps = 100;
        setup.width = Width::packs;
        const std::size_t lanes = lanes_of_a_pack();
        const std::vector<std::vector<double>> sound(lanes, mechanism->nominal_kernel_parameters());
        const std::vector<InstanceEnd> expected = run_instances(*mechanism, sound, setup);
        for (const InstanceEnd& end : expected) ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        for (std::size_t spoilt = 0; spoilt < lanes; ++spoilt) {
            auto instances = sound;
            instances[spoilt] = with_numbers(*mechanism, {{"parameters.rate_m_s", rate_m_s}});
            const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
            if (method == Method::rk4) {
                EXPECT_EQ(ends[spoilt].status, Status::newton_stalled);
                EXPECT_EQ(ends[spoilt].reason, Reason::projection_did_not_converge);
                EXPECT_NEAR(ends[spoilt].time_s, end_s, setup.step_s);
            } else {
                EXPECT_EQ(ends[spoilt].status, Status::step_too_small);
                EXPECT_NEAR(ends[spoilt].time_s, end_s, 1e-5);
            }
            for (std::size_t n = 0; n < lanes; ++n)
                if (n != spoilt) EXPECT_TRUE(same_bits(ends[n].record, expected[n].record)) << "instance " << n;
        }
    }
}

}  // namespace
}  // namespace myriad::mechanism
