// Body coordinates are joint coordinates with every joint cut: the same start, the same motion, the same reactions.
#include <gtest/gtest.h>

#include <cmath>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

// All channels but counts, residuals, and multipliers, which belong to rows.
std::vector<int> channels_of_motion(const Mechanism& mechanism) {
    const int of_bodies = 13 * mechanism.table.bodies;
    std::vector<int> wanted;
    for (int i = 0; i < of_bodies + mechanism.table.channels; ++i) {
        const ChannelKind kind =
            i < of_bodies ? ChannelKind::total_energy : mechanism.table.channel[i - of_bodies].kind;
        const bool is_of_rows = kind == ChannelKind::newton_iterations || kind == ChannelKind::assembly_correction ||
                                kind == ChannelKind::constraint_residual || kind == ChannelKind::velocity_residual ||
                                kind == ChannelKind::multiplier;
        if (!is_of_rows) wanted.push_back(i);
    }
    return wanted;
}

struct CutCase {
    const char* mechanism;
    Method method;
    double step_s, tolerance;
    friend void PrintTo(const CutCase& one, std::ostream* out) { *out << one.mechanism; }
};
class CutJoints : public testing::TestWithParam<CutCase> {};

// Relative to the largest value of each channel, or to 1.
TEST_P(CutJoints, MoveAsTheTreeDoes) {
    const CutCase& one = GetParam();
    const auto tree = catalog_mechanism(one.mechanism);
    const auto cut = with_joints_cut(tree);
    ASSERT_EQ(cut->body_coordinates_because, "");
    EXPECT_EQ(cut->table.joint.joints, 0) << "of the tree";
    EXPECT_EQ(cut->table.joint.tree.freedoms, 6 * cut->table.bodies);
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.method = one.method, setup.step_s = one.step_s, setup.steps = 20;
    setup.newton_tolerance = 1e-13, setup.observed = channels_of_motion(*tree);
    const InstanceEnd expected = run_nominal(*tree, setup), end = run_nominal(*cut, setup);
    ASSERT_EQ(expected.status, Status::ok);
    ASSERT_EQ(end.status, Status::ok);
    for (std::size_t c = 0; c < setup.observed.size(); ++c) {
        double scale = 1.0, apart = 0.0;
        for (std::size_t row = 0; row < end.rows.size(); ++row) {
            const double theirs = expected.rows[row][c], ours = end.rows[row][c];
            const int part = setup.observed[c] % 13;
            const bool is_quaternion = setup.observed[c] < 13 * cut->table.bodies && 3 <= part && part < 7;
            scale = std::max(scale, std::abs(theirs));
            apart =
                std::max(apart, is_quaternion ? std::abs(std::abs(ours) - std::abs(theirs)) : std::abs(ours - theirs));
        }
        EXPECT_LE(apart, one.tolerance * scale) << "channel " << setup.observed[c];
    }
}

// Explicit methods take an error of their order in every coordinate, and these differ: of order 6 it is round-off in
// such steps. Kinematic analysis has none.
INSTANTIATE_TEST_SUITE_P(Bundled, CutJoints,
                         testing::Values(CutCase{"pendulum", Method::kinematics, 1e-3, 1e-11},
                                         CutCase{"slider_crank", Method::kinematics, 1e-3, 1e-9},
                                         CutCase{"heavy_top", Method::rk67, 1e-4, 1e-9},
                                         CutCase{"double_pendulum", Method::rk67, 1e-3, 1e-9},
                                         CutCase{"slider_crank_iftomm", Method::rk67, 1e-3, 1e-9},
                                         CutCase{"three_masses", Method::rk67, 1e-4, 1e-9},
                                         CutCase{"four_bar_loop", Method::rk67, 1e-3, 1e-9}),
                         [](const auto& given) { return std::string(given.param.mechanism); });

// The kernels of bodies take the same steps of energy-momentum methods by another elimination.
TEST(EnergyMomentumOnCutJoints, TakesTheStepsThatBodiesDo) {
    for (const char* name : {"heavy_top", "double_pendulum", "slider_crank_iftomm", "slider_crank_haug",
                             "four_bar_loop", "high_speed_rotor"})
        for (const Method method :
             {Method::energy_momentum, Method::livens_midpoint, Method::energy_momentum_convective}) {
            SCOPED_TRACE(testing::Message() << name << ", method " << static_cast<int>(method));
            const auto bodies = catalog_mechanism(name);
            RunSetup setup;
            setup.coordinates = Coordinates::body, setup.method = method, setup.step_s = 1e-3, setup.steps = 20;
            setup.newton_tolerance = 1e-13;
            for (int channel = 0; channel < 13 * bodies->table.bodies; ++channel) setup.observed.push_back(channel);
            const InstanceEnd expected = run_nominal(*bodies, setup);
            setup.coordinates = Coordinates::joint;
            const InstanceEnd end = run_nominal(*with_joints_cut(bodies), setup);
            ASSERT_EQ(expected.status, Status::ok);
            ASSERT_EQ(end.status, Status::ok);
            for (std::size_t c = 0; c < setup.observed.size(); ++c) {
                double scale = 1.0, apart = 0.0;
                for (std::size_t row = 0; row < end.rows.size(); ++row) {
                    scale = std::max(scale, std::abs(expected.rows[row][c]));
                    apart = std::max(apart, std::abs(end.rows[row][c] - expected.rows[row][c]));
                }
                // Newton's method leaves an error of positions in each step, over a step in velocities.
                EXPECT_LE(apart, 2e-9 * scale) << "channel " << setup.observed[c];
            }
        }
}

}  // namespace
}  // namespace myriad::mechanism
