// One file in joint and in body coordinates: the same motion and the same reactions to the error of the method, which
// falls with its order; the same start to round-off.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

struct Both {
    const char* mechanism;
    Method method;
    double step_s;
    int steps, order;
    friend void PrintTo(const Both& line, std::ostream* out) { *out << line.mechanism << ", order " << line.order; }
};

// Steps in the range where an error is that of the method, not of round-off or of the first steps.
constexpr Both both[] = {
    {"double_pendulum", Method::generalized_alpha, 2e-3, 250, 2},
    {"four_link", Method::generalized_alpha, 2e-3, 250, 2},
    {"heavy_top", Method::generalized_alpha, 1e-4, 1000, 2},
    {"puma560", Method::generalized_alpha, 2e-3, 200, 2},
    {"slider_crank_haug", Method::generalized_alpha, 2e-3, 200, 2},
    {"slider_crank_iftomm", Method::generalized_alpha, 2e-3, 200, 2},
    {"double_pendulum", Method::implicit_euler, 1e-3, 250, 1},
    {"four_link", Method::implicit_euler, 1e-3, 250, 1},
    {"slider_crank_iftomm", Method::implicit_euler, 1e-3, 250, 1},
};

// Channels that are the same in both coordinates at any step; the others count iterations or are residuals.
std::vector<int> compared_channels(const Mechanism& mechanism) {
    std::vector<int> channels(static_cast<std::size_t>(13 * mechanism.table.bodies));
    std::iota(channels.begin(), channels.end(), 0);
    for (const NamedChannels& named : mechanism.channels) {
        if (named.name == "newton_iterations" || named.name == "assembly_correction" ||
            named.name.ends_with("_residual"))
            continue;
        for (int k = 0; k < named.count; ++k) channels.push_back(13 * mechanism.table.bodies + named.first_channel + k);
    }
    return channels;
}

std::vector<double> last_row(const Mechanism& mechanism, const Both& line, int refinement, Coordinates coordinates) {
    RunSetup setup;
    setup.method = line.method, setup.coordinates = coordinates;
    setup.step_s = line.step_s / refinement, setup.steps = line.steps * refinement;
    setup.observed = compared_channels(mechanism);
    setup.newton_tolerance = 1e-13;  // what it leaves counts over the squared step in multipliers
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok);
    return end.rows.back();
}

// The largest difference of a channel, relative to one and to the largest of those channels that are its like:
// round-off of a reaction that is zero is that of the others. Quaternions are compared up to their sign.
double difference(const Mechanism& mechanism, const std::vector<double>& a, std::vector<double> b) {
    const int of_bodies = 13 * mechanism.table.bodies;
    for (int body = 0; body < mechanism.table.bodies; ++body) {
        const auto first = static_cast<std::size_t>(13 * body + 3);
        const double along = std::inner_product(&a[first], &a[first] + 4, &b[first], 0.0);
        if (along < 0.0)
            for (std::size_t k = first; k < first + 4; ++k) b[k] = -b[k];
    }
    const std::vector<int> channels = compared_channels(mechanism);
    const auto kind_of = [&](std::size_t i) {
        return channels[i] < of_bodies ? -1 : static_cast<int>(mechanism.table.channel[channels[i] - of_bodies].kind);
    };
    std::map<int, double> size;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double& largest = size.try_emplace(kind_of(i), 1.0).first->second;
        largest = std::max({largest, std::abs(a[i]), std::abs(b[i])});
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]) / size.at(kind_of(i)));
    return largest;
}

class BothCoordinates : public testing::TestWithParam<Both> {};

TEST_P(BothCoordinates, AgreeToTheOrderOfTheMethod) {
    const auto mechanism = catalog_mechanism(GetParam().mechanism);
    ASSERT_GT(mechanism->table.joint.tree.links, 0) << mechanism->body_coordinates_because;
    double before = 0.0;
    for (const int refinement : {1, 2, 4}) {
        const double now = difference(*mechanism, last_row(*mechanism, GetParam(), refinement, Coordinates::joint),
                                      last_row(*mechanism, GetParam(), refinement, Coordinates::body));
        if (refinement > 1) {
            // Below this the difference is what Newton's tolerance leaves.
            if (now < 1e-8) return;
            EXPECT_NEAR(std::log2(before / now), GetParam().order, 0.35) << refinement << ": " << before << ", " << now;
        }
        before = now;
    }
}
// The matrix has the whole derivative of the rows, with the tangent operator of the step, so that a correction of a
// good guess leaves nothing of them that another one would have to take away.
TEST(CorrectionsOfLoops, AreOneAStepButWhereTheMotionChangesFast) {
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.method = Method::generalized_alpha;
    setup.step_s = 1e-3, setup.steps = 1000;
    const InstanceEnd driven = run_nominal(*catalog_mechanism("slider_crank_haug"), setup);
    EXPECT_LE(driven.newton_iterations / driven.steps, 1.1);
    const InstanceEnd free = run_nominal(*catalog_mechanism("slider_crank_iftomm"), setup);
    EXPECT_LE(free.newton_iterations / free.steps, 1.5);
    EXPECT_LE(free.constraint_residual, 1e-13);
}
INSTANTIATE_TEST_SUITE_P(Mechanisms, BothCoordinates, testing::ValuesIn(both));

}  // namespace
}  // namespace myriad::mechanism
