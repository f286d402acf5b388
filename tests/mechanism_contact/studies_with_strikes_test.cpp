// Studies whose contacts strike within a step: a shot that steps would jump over, and a pellet that would sink in.
// Closed forms; tests/reference/strikes_within_step_test.cpp has the methods' orders.
#include <gtest/gtest.h>

#include "tests/mechanism_contact/certified_runs.hpp"

namespace myriad::test {
namespace {

std::string study(const std::string& mechanism, const std::string& quantity, const char* scheme, double end_s) {
    std::ostringstream text;
    text.precision(17);
    text << R"({"instances": 1, "mechanism": )" << mechanism << R"(, "quantities": {"q": )" << quantity
         << R"(}, "integrator": {"name": ")" << scheme << R"(", "step_s": 1e-3, "end_s": )" << end_s
         << R"(, "strikes": "within_step"}})";
    return text.str();
}

std::vector<std::pair<const char*, const char*>> schemes_and_backends() {
    std::vector<std::pair<const char*, const char*>> both;
    for (const char* scheme : scheme_names)
        for (const char* backend : {backends::names::reference, backends::names::cpu})
            both.emplace_back(scheme, backend);
    return both;
}

std::string shot_from(const std::string& start) {
    const std::string body = R"("mass_kg": 0.01, "inertia_kg_m2": [1e-7, 1e-7, 1e-7])";
    return R"({"bodies": {"target": {)" + body + R"(}, "bullet": {)" + body + R"(, "position_m": [)" + start +
           R"(, 0, 0], "velocity_m_s": [90, 0, 0]}}, "contacts": {"hit": {"type": "sphere_sphere",
              "bodies": ["target", "bullet"], "points_m": [[0, 0, 0], [0, 0, 0]], "radii_m": [0.01, 0.01],
              "normal_restitution": 1}}})";
}

// 90 mm in a step, past the radii of 10 mm.
TEST(StudiesWithStrikes, SeeAShotThatAStepWouldJumpOver) {
    for (const auto& [scheme, backend] : schemes_and_backends())
        for (const char* start : {"-1.0003", "-0.9403"}) {
            SCOPED_TRACE(std::string(scheme) + " by " + backend + start);
            const auto run = [&, scheme = scheme, backend = backend](const char* quantity) {
                return CertifiedRuns(study(shot_from(start), quantity, scheme, 0.03), backend, {});
            };
            const CertifiedRuns speed = run(R"({"final": "velocity.target.x"})"),
                                place = run(R"({"final": "position.target.x"})"),
                                touch =
                                    run(R"({"first_time_above": {"channel": "velocity.target.x", "threshold": 45}})");
            ASSERT_TRUE(speed.ok() && place.ok() && touch.ok());
            const double touch_s = (-std::stod(start) - 0.02) / 90.0;
            EXPECT_NEAR(speed.quantity(), 90.0, 1e-9);
            EXPECT_NEAR(place.quantity(), 90.0 * (0.03 - touch_s), 1e-9);
            EXPECT_NEAR(touch.quantity(), touch_s, 1e-12);
            EXPECT_EQ(speed.kept("impacts"), 1.0);
            EXPECT_EQ(speed.kept("jumped_contacts"), 0.0);
        }
}

// It falls 10 m at 14 m/s: published schemes leave it 4 mm and more below.
TEST(StudiesWithStrikes, LeaveAPelletAtTheSurface) {
    const std::string mechanism = R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"pellet": {"mass_kg": 0.004,
        "inertia_kg_m2": [4e-8, 4e-8, 4e-8], "position_m": [0, 0, 10.003]}}, "contacts": {"floor": {
        "type": "sphere_plane", "bodies": ["ground", "pellet"], "plane_point_m": [0, 0, 0],
        "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.005, "friction": 0.3}}})";
    for (const auto& [scheme, backend] : schemes_and_backends()) {
        SCOPED_TRACE(std::string(scheme) + " by " + backend);
        const CertifiedRuns run(study(mechanism, R"({"final": "gap.floor"})", scheme, 3.0), backend, {});
        ASSERT_TRUE(run.ok());
        EXPECT_NEAR(run.quantity(), -0.5 * 9.81 * 1e-6, 1e-9);
        EXPECT_EQ(run.kept("sunk_depth"), 0.0);
        EXPECT_LE(run.kept("energy_balance_error"), 1e-11);
    }
}

}  // namespace

}  // namespace myriad::test
