// Velocity residuals, energies and momenta of long runs. The claims of ensembles/expected/ hold constraints over 10,000
// steps.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

constexpr int long_steps = 10'000;

// The largest value of a channel from 0.1 s to 1 s, after whatever the first steps leave.
double largest_velocity_residual(const Mechanism& mechanism, Method method, double h) {
    RunSetup setup{};
    setup.method = method, setup.step_s = h, setup.steps = static_cast<int>(std::lround(1.0 / h));
    setup.observed = {channel_index(mechanism, "velocity_residual")};
    setup.chart = OrientationChart::rotation_vector;  // it takes published inertias without a moment about one axis
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok);
    double largest = 0.0;
    for (std::size_t row = end.rows.size() / 10; row < end.rows.size(); ++row)
        largest = std::max(largest, end.rows[row][0]);
    return largest;
}

// Half the step leaves a quarter or half of it; the window takes in the next order.
TEST(VelocityResidual, OfGeneralizedAlphaIsOfOrderTwo) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm", "four_link"}) {
        const auto mechanism = catalog_mechanism(name);
        const double ratio = largest_velocity_residual(*mechanism, Method::generalized_alpha, 2e-3) /
                             largest_velocity_residual(*mechanism, Method::generalized_alpha, 1e-3);
        EXPECT_GT(ratio, 3.5) << name;
        EXPECT_LT(ratio, 4.5) << name;
    }
}

TEST(VelocityResidual, OfImplicitEulerIsOfOrderOne) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm", "four_link"}) {
        const auto mechanism = catalog_mechanism(name);
        const double ratio = largest_velocity_residual(*mechanism, Method::implicit_euler, 1e-3) /
                             largest_velocity_residual(*mechanism, Method::implicit_euler, 5e-4);
        EXPECT_GT(ratio, 1.8) << name;
        EXPECT_LT(ratio, 2.2) << name;
    }
}

// A free body in two springs of unequal inertia moments: nothing is constrained and nothing is lost.
constexpr const char* body_in_springs = R"({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"block": {"mass_kg": 1.5, "inertia_kg_m2": [0.02, 0.05, 0.06], "position_m": [0.1, 0.0, -0.2],
                         "velocity_m_s": [0.3, 0.2, 0.0], "angular_velocity_rad_s": [1.0, 2.0, -1.0]}},
    "forces": {
        "left": {"type": "spring_damper", "bodies": ["ground", "block"], "points_m": [[-1.0, 0.0, 0.5], [-0.1, 0.05, 0.0]],
                 "stiffness_N_m": 60.0, "rest_length_m": 0.5},
        "right": {"type": "spring_damper", "bodies": ["ground", "block"], "points_m": [[1.0, 0.2, 0.5], [0.1, 0.0, 0.05]],
                  "stiffness_N_m": 80.0, "rest_length_m": 0.6}}
})";

struct EnergyError {
    double first_half = 0.0, second_half = 0.0, at_end = 0.0;
};

EnergyError energy_error(const char* text, double spectral_radius, double h, double seconds) {
    const auto mechanism = parse_mechanism(text, "springs.json");
    RunSetup setup{};
    setup.spectral_radius = spectral_radius, setup.step_s = h, setup.steps = static_cast<int>(std::lround(seconds / h));
    setup.observed = {channel_index(*mechanism, "energy")};
    setup.exact_matrix = true;  // Newton's last corrections are round-off
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EnergyError error;
    for (std::size_t row = 0; row < end.rows.size(); ++row) {
        double& half = 2 * row < end.rows.size() ? error.first_half : error.second_half;
        half = std::max(half, std::abs(end.rows[row][0] - end.rows[0][0]));
    }
    error.at_end = end.rows.back()[0] - end.rows[0][0];
    return error;
}

// A spring of rest length 0 at the centre of mass: a linear force, -k d.
constexpr const char* linear_spring = R"({
    "bodies": {"ball": {"mass_kg": 1.5, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.5, 0.1, -0.2],
                        "velocity_m_s": [0.3, 1.2, 0.9], "angular_velocity_rad_s": [1.0, 2.0, -1.0]}},
    "forces": {"spring": {"type": "spring_damper", "bodies": ["ground", "ball"],
                          "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "stiffness_N_m": 60.0, "rest_length_m": 0.0}}
})";

// For a linear force the method is then the trapezoidal rule, which keeps the energy.
TEST(Energy, OfALinearSpringIsKeptToRoundOffForSpectralRadiusOne) {
    // Some 10 J, with an ulp of 2e-15, over 10,000 steps.
    const EnergyError error = energy_error(linear_spring, 1.0, 4e-3, 40.0);
    EXPECT_LT(error.first_half, 1e-12);
    EXPECT_LT(error.second_half, 1e-12);
}

TEST(Energy, IsDissipatedBelowSpectralRadiusOne) {
    const EnergyError damped = energy_error(body_in_springs, 0.5, 4e-3, 20.0);
    EXPECT_LT(damped.at_end, 0.0);
    EXPECT_GT(damped.second_half, 1.5 * damped.first_half);
}

struct Momenta {
    Eigen::Vector3d linear, angular;
};

Momenta momenta_of(const std::vector<double>& state) {
    const double masses[] = {1.0, 2.0};
    const Eigen::Vector3d inertias[] = {{0.1, 0.2, 0.25}, {0.3, 0.2, 0.4}};
    Momenta sum{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    for (int b = 0; b < 2; ++b) {
        const double* s = state.data() + 13 * b;
        const Eigen::Vector3d r(s[0], s[1], s[2]), v(s[7], s[8], s[9]), w(s[10], s[11], s[12]);
        const Eigen::Quaterniond q(s[3], s[4], s[5], s[6]);
        sum.linear += masses[b] * v;
        sum.angular += masses[b] * r.cross(v) + q * inertias[b].cwiseProduct(w);
    }
    return sum;
}

TEST(Momentum, OfAFreePairIsKeptToRoundOffAndItsMomentOfMomentumToOrderTwo) {
    const auto pair = parse_mechanism(sprung_pair("0.2", "0.8"), "sprung_pair.json");
    double drift[2];
    for (int k = 0; k < 2; ++k) {
        RunSetup setup{};
        setup.step_s = k == 0 ? 2e-3 : 1e-3, setup.steps = (k + 1) * long_steps / 2;
        const InstanceEnd end = run_nominal(*pair, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        const Momenta before = momenta_of(end.initial_state), after = momenta_of(end.final_state);
        // A momentum of 1 kg m/s in 10,000 steps, each of which may round it by some ulp.
        EXPECT_LT((after.linear - before.linear).norm(), 1e-11);
        drift[k] = (after.angular - before.angular).norm();
        EXPECT_LT(drift[k], 1e-3 * before.angular.norm());
    }
    EXPECT_NEAR(drift[0] / drift[1], 4.0, 0.5);
}

}  // namespace

}  // namespace myriad::mechanism
