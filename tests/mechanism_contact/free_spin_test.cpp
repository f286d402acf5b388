// Spinning bodies that no joint holds strike a floor by Moreau's rule, and no step gives them energy. The claims of
// ensembles/expected/spinning_box.json hold its free spin against Euler's equations.
#include "tests/mechanism_contact/coordinate_run.hpp"

namespace myriad::test {
namespace {

const Vector spin_at_start(0.5, 60.0, 0.5);
constexpr double spun_mass = 1.0;

// A brick that spins about its middle axis, high above a floor that one of its corners may touch.
ContactMechanism brick_at(double height_m, double restitution = 0.0) {
    ContactMechanism brick(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "brick": {"mass_kg": 1.0, "inertia_kg_m2": [0.002, 0.004, 0.0055]}}})");
    brick.set_position(0, {0.0, 0.0, height_m}), brick.set_velocity(0, Vector::Zero(), spin_at_start);
    brick.add_sphere_plane(-1, 0, origin, up, {0.1, 0.075, 0.025}, 0.0, {0.3, restitution, 0.0});
    return brick;
}

// The gyroscopic term does no work in a step with an impact and friction either, and so the balance of the energy,
// which knows what those take, closes to round-off.
TEST(FreeSpin, ByMoreausRuleGainsNoEnergyInImpacts) {
    for (const double restitution : {0.0, 0.8}) {
        ContactMechanism brick = brick_at(0.15, restitution);
        const int error =
                      brick.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::energy_balance_error)),
                  impacts = brick.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::impacts));
        for (const In coordinates : {In::joint, In::body}) {
            CoordinateRun run(coordinates, "moreau_midpoint", brick, contact_schedule(1e-3, 500));
            run.run();
            EXPECT_EQ(run.status(), Status::ok);
            EXPECT_GE(run.channel(impacts), 1.0);
            EXPECT_LT(run.channel(error), 1e-15 * 500 * 10.0) << "round-off of 10 J in each step";
        }
    }
}

// A sphere has no gyroscopic moment: an impact with friction about an axis across its spin leaves both as they add up.
TEST(FreeSpin, OfASphereChangesByTheMomentOfAnImpactAlone) {
    ContactMechanism ball(R"({"gravity_m_s2": [0, 0, 0], "bodies": {
        "ball": {"mass_kg": 1.0, "inertia_kg_m2": [0.004, 0.004, 0.004]}}})");
    ball.set_position(0, {0.0, 0.0, 0.1002}), ball.set_velocity(0, {3.0, 0.0, -1.0}, {0.0, 0.0, 50.0});
    ball.add_sphere_plane(-1, 0, origin, up, Vector::Zero(), 0.1, {0.2, 0.0, 0.0});
    CoordinateRun run(In::joint, "moreau_midpoint", ball, contact_schedule(1e-3, 1));
    run.run();
    // The sphere slides along x before and after: mu m |v_z| along -x, with the arm 0.1 m about y.
    const Vector w = run.angular_velocity();
    EXPECT_NEAR(run.velocity()[0], 3.0 - 0.2 * spun_mass * 1.0, 1e-14);
    EXPECT_NEAR(w.norm(), std::hypot(50.0, 0.2 * 0.1 / 0.004), 1e-12);
    EXPECT_NEAR(w[2], 50.0, 1e-12);
}

}  // namespace
}  // namespace myriad::test
