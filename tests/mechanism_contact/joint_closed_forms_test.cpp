// Contact in joint coordinates against what an impact keeps: momentum, energy, prescribed motion. The claims of
// ensembles/expected hold bounces, slides, a pendulum at a wall and a cradle in both coordinates.
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class ContactOfTrees : public testing::Test {};
TYPED_TEST_SUITE(ContactOfTrees, AllSchemes);

// A table that a driver moves up and down, and a ball on it. The table does not jump where the ball strikes it, and the
// ball leaves with w+ = (1 + e) v_table - e w-.
TYPED_TEST(ContactOfTrees, DoesNotStopWhatADriverMoves) {
    constexpr double h = 1e-3, e = 0.5, amplitude = 0.05, frequency = 6.0;
    ContactMechanism table = ball_on_a_driven_table(e);
    const int impulse = table.channel(ChannelKind::contact_impulse, 0);
    double before = 0.0;
    int impacts = 0;
    ContactRun run(TypeParam::name, table, contact_schedule(h, 600));
    run.run([&](const ContactRun& now) {
        const double phase = frequency * now.time_s(), w = now.velocity(1)[2];
        EXPECT_NEAR(now.position(0)[2], amplitude * std::sin(phase), 1e-14);
        EXPECT_NEAR(now.velocity(0)[2], amplitude * frequency * std::cos(phase), 1e-13);
        if (now.channel(impulse) > 0.0 && ++impacts == 1)
            EXPECT_NEAR(w, (1.0 + e) * now.velocity(0)[2] - e * before, 2.0 * gravity * h);
        before = w;
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_GE(impacts, 1);
}

// A chain of three rods that floats without gravity and strikes a wall without friction: what the wall does not give is
// kept, and an impact without loss takes no energy.
TYPED_TEST(ContactOfTrees, KeepsMomentumAndEnergyInAnImpactOfAChain) {
    ContactMechanism chain(R"({"gravity_m_s2": [0, 0, 0], "bodies": {
        "a": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0, 0, 0]},
        "b": {"mass_kg": 0.7, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0.4, 0, 0]},
        "c": {"mass_kg": 0.9, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0.8, 0, 0]}},
        "joints": {
            "ab": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]]},
            "bc": {"type": "revolute", "bodies": ["b", "c"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    chain.add_sphere_plane(-1, 2, {0.0, 0.0, -0.15}, up, {0.15, 0.0, 0.0}, 0.05, {0.0, 1.0, 0.0});
    for (int b = 0; b < 3; ++b) chain.set_velocity(b, {0.3, 0.1, -1.0});
    const int impulse = chain.channel(ChannelKind::contact_impulse, 0),
              energy = chain.channel(ChannelKind::total_energy, 0);
    const double masses[] = {0.5, 0.7, 0.9};
    const auto momentum = [&](const ContactRun& now) {
        Vector sum = Vector::Zero();
        for (int b = 0; b < 3; ++b) sum += masses[b] * now.velocity(b);
        return sum;
    };
    struct Missing {
        double momentum = -1.0, energy = -1.0;
    };
    // Over the step of the first impact.
    const auto missing_at_impact = [&](double step_s) {
        Missing missing;
        Vector before = Vector::Zero();
        double energy_before = 0.0;
        ContactRun run(TypeParam::name, chain, contact_schedule(step_s, static_cast<int>(0.2 / step_s)));
        run.run([&](const ContactRun& now) {
            const Vector after = momentum(now);
            const double energy_after = now.channel(energy);
            if (now.channel(impulse) > 0.0 && now.time_s() > 0.0 && missing.momentum < 0.0)
                missing = {(after - before - now.channel(impulse) * up).norm(), std::abs(energy_after - energy_before)};
            before = after, energy_before = energy_after;
        });
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_GE(missing.momentum, 0.0) << "no impact";
        return missing;
    };
    const Missing missing = missing_at_impact(1e-3);
    if (TypeParam::impacts_apart) {
        // The scheme errs between the impacts.
        EXPECT_LT(missing.momentum, 1e-5);
        EXPECT_LT(missing.energy, 1e-5);
    } else {
        // Moreau's rule has the impact in the pose of the middle of the step, half a step's turn from that of the end.
        const Missing finer = missing_at_impact(1e-3 / 16.0);
        EXPECT_LT(finer.momentum, missing.momentum / 12.0);
        EXPECT_LT(finer.energy, missing.energy / 12.0);
    }
}

}  // namespace
}  // namespace myriad::test
