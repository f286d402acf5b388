// The row of an impact, as docs/results.md describes it: a ball without rebound falls on the ground and stays there.
//
//   the contact closes in a step that ends at t: v = -g t before and 0 after, impulse m g t
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mechanism_contact/certified_runs.hpp"

namespace myriad::test {
namespace {

constexpr double fall_m_s2 = 9.81, ball_kg = 2.0, ball_step_s = 1e-3, closes_s = 0.0993, round_off = 1e-10;
constexpr int impact_step = 100;

double shown(const char* scheme, const char* path, const char* channel, int step) {
    std::ostringstream text;
    text.precision(17);
    text << R"({"instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81],
        "bodies": {"ball": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0, )"
         << 0.5 + 0.5 * fall_m_s2 * closes_s * closes_s << R"(]}},
        "contacts": {"ground": {"type": "sphere_plane", "bodies": ["ground", "ball"], "plane_point_m": [0, 0, 0],
                                "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.5}}},
        "quantities": {"shown": {"final": ")"
         << channel << "\"}}, " << integrator_keys(scheme, ball_step_s, step) << "}";
    const CertifiedRuns run(text.str(), path, {{}});
    EXPECT_TRUE(run.ok()) << scheme << " on " << path;
    return run.quantity();
}

class RowOfAnImpact : public testing::TestWithParam<const char*> {
  protected:
    void expect(const char* scheme, const char* channel, double value) const {
        EXPECT_NEAR(shown(scheme, GetParam(), channel, impact_step), value, round_off * (1.0 + std::abs(value)))
            << channel << " by " << scheme;
    }
};

TEST_P(RowOfAnImpact, ShowsVelocitiesAfterItAndForcesBeforeIt) {
    for (const char* scheme : scheme_names) {
        if (scheme == std::string("moreau_midpoint")) continue;
        expect(scheme, "velocity.ball.z", 0.0);
        expect(scheme, "acceleration.ball.z", -fall_m_s2);
        expect(scheme, "contact_force.ground.normal", 0.0);
        expect(scheme, "contact_impulse.ground.normal", ball_kg * fall_m_s2 * impact_step * ball_step_s);
    }
}

TEST_P(RowOfAnImpact, ShowsChangesAndImpulsesOverTheStepByMoreausRule) {
    const double before = fall_m_s2 * (impact_step - 1) * ball_step_s,
                 impulse = ball_kg * (before + fall_m_s2 * ball_step_s);
    expect("moreau_midpoint", "velocity.ball.z", 0.0);
    expect("moreau_midpoint", "acceleration.ball.z", before / ball_step_s);
    expect("moreau_midpoint", "contact_force.ground.normal", impulse / ball_step_s);
    expect("moreau_midpoint", "contact_impulse.ground.normal", impulse);
}

TEST_P(RowOfAnImpact, ComesBeforeThoseOfRest) {
    const double weight = ball_kg * fall_m_s2;
    for (const char* scheme : {"nonsmooth_bathe", "half_explicit", "moreau_midpoint"}) {
        EXPECT_NEAR(shown(scheme, GetParam(), "acceleration.ball.z", impact_step + 1), 0.0, round_off) << scheme;
        EXPECT_NEAR(shown(scheme, GetParam(), "contact_force.ground.normal", impact_step + 1), weight,
                    round_off * weight)
            << scheme;
    }
}

INSTANTIATE_TEST_SUITE_P(On, RowOfAnImpact, testing::ValuesIn(path_names));

}  // namespace
}  // namespace myriad::test
