// A vibration in explicit steps, as docs/limits.md describes it: m x'' + k x = 0 from rest, z = h omega.
//
//   half_explicit     E_n = E_0 (1 + z^4 / 4)^n
//   moreau_midpoint   omega^2 x^2 + (1 - z^2 / 4) v^2 stays: E <= E_0 / (1 - z^2 / 4) below z = 2; beyond it E grows
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mechanism_contact/certified_runs.hpp"

namespace myriad::test {
namespace {

constexpr double sums_of_many_steps = 1e-10;  // round-off, relative

class VibrationInExplicitSteps : public testing::TestWithParam<const char*> {
  protected:
    // E_n / E_0
    double energy(const char* scheme, double z, int steps) const {
        return of("joint",
                  R"("joints": {"guide": {"type": "prismatic", "bodies": ["ground", "mass"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                          "axes": [[1, 0, 0], [1, 0, 0]], "references": [[0, 1, 0], [0, 1, 0]],
                                          "displacement_m": 0.01}},
                     "forces": {"spring": {"type": "linear_spring_damper", "joint": "guide", "stiffness_N_m": 10000}})",
                  scheme, z, steps) /
               0.5;
    }
    // E_n / E_0 of a spring that turns a body, wound by almost two turns.
    double energy_of_turning(const char* scheme, double z, int steps) const {
        return of("body",
                  R"("joints": {"shaft": {"type": "revolute", "bodies": ["ground", "mass"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                          "axes": [[0, 0, 1], [0, 0, 1]], "references": [[1, 0, 0], [1, 0, 0]],
                                          "angle_rad": 12}},
                     "forces": {"spring": {"type": "torsional_spring_damper", "joint": "shaft", "stiffness_N_m_rad": 1000}})",
                  scheme, z, steps) /
               (0.5 * 1000.0 * 12.0 * 12.0);
    }

  private:
    // J, at the end. The mass has the frequency 100 rad/s on either spring.
    double of(const char* coordinates, const std::string& held, const char* scheme, double z, int steps) const {
        const std::string text = R"({"instances": 1, "coordinates": ")" + std::string(coordinates) +
                                 R"(", "mechanism": {"gravity_m_s2": [0, 0, 0],
            "bodies": {"mass": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1]}}, )" +
                                 held + R"(}, "quantities": {"energy_J": {"final": "energy"}}, )" +
                                 integrator_keys(scheme, z / 100.0, steps) + "}";
        const CertifiedRuns run(text, GetParam(), {{}});
        EXPECT_TRUE(run.ok()) << scheme;
        return run.quantity();
    }
};

TEST_P(VibrationInExplicitSteps, GrowsByAFactorInEachStepOfTheHalfExplicitScheme) {
    constexpr int steps = 20;
    for (const double z : {0.1, 0.5, 1.0, 1.9}) {
        const double expected = std::pow(1.0 + z * z * z * z / 4.0, steps);
        EXPECT_NEAR(energy("half_explicit", z, steps), expected, sums_of_many_steps * expected) << z;
    }
}
// In body coordinates the spring reads an angle that is counted over full turns.
TEST_P(VibrationInExplicitSteps, GrowsByTheSameFactorWhereASpringIsWoundByTurns) {
    constexpr int steps = 60;
    for (const double z : {0.04, 0.07, 0.1}) {
        const double expected = std::pow(1.0 + z * z * z * z / 4.0, steps);
        EXPECT_NEAR(energy_of_turning("half_explicit", z, steps), expected, sums_of_many_steps * expected) << z;
    }
}
TEST_P(VibrationInExplicitSteps, StaysBoundedByMoreausRuleBelowTwoOverItsFrequency) {
    for (const int steps : {50, 99, 200}) {
        EXPECT_LE(energy("moreau_midpoint", 1.9, steps), (1.0 + sums_of_many_steps) / (1.0 - 1.9 * 1.9 / 4.0)) << steps;
        EXPECT_GT(energy("moreau_midpoint", 2.1, steps), 1e10) << steps;
    }
}

INSTANTIATE_TEST_SUITE_P(On, VibrationInExplicitSteps, testing::ValuesIn(path_names));

}  // namespace
}  // namespace myriad::test
