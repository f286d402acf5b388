// A table whose driver's rate jumps under a ball that rests on it, by every scheme and on the reference path.
#include "host/backends/reference/reference_channels.hpp"
#include "host/backends/reference/reference_contacts.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

// What a step's equations and contact laws leave of velocities.
constexpr double met = 1e-8;

// The ball lies on the table, and its restitution is not 0.
ContactMechanism resting_ball(const std::string& way) {
    ContactMechanism given = ball_on_a_table(0.5, way, 0.0);
    for (int k = 0; k < 3; ++k)
        given.parameters[static_cast<std::size_t>(parameters_of_body(1) + body_position + k)] = k == 2 ? 0.1 : 0.0;
    return given;
}

template <class Member>
class JumpingTable : public testing::Test {};
TYPED_TEST_SUITE(JumpingTable, AllSchemes);

// Newton's law asks for the velocity before the jump, which is 0: the ball goes up with the table, without a rebound.
TYPED_TEST(JumpingTable, TakesABallAlongAtItsRateWithoutARebound) {
    const ContactMechanism given = resting_ball("0.8 * max(0, t - 0.0203)");
    CoordinateRun run(In::joint, TypeParam::name, given, contact_schedule(1e-3, 40));
    run.run([&](CoordinateRun& at) {
        const bool is_behind = at.time_s() > 0.0205;
        EXPECT_NEAR(at.velocity(0)[2], is_behind ? 0.8 : 0.0, met);
        EXPECT_NEAR(at.velocity(1)[2], is_behind ? 0.8 : 0.0, met) << "at " << at.time_s() << " s";
    });
    EXPECT_EQ(run.status(), Status::ok);
    // The table stands 0.7 of a step before it moves with it, and the ball has not been lifted by so much.
    EXPECT_NEAR(run.position(1)[2] - run.position(0)[2], 0.1, 1e-3);
}

TYPED_TEST(JumpingTable, LeavesABallBehindThatFalls) {
    const ContactMechanism given = resting_ball("-0.8 * max(0, t - 0.02)");
    CoordinateRun run(In::joint, TypeParam::name, given, contact_schedule(1e-3, 60));
    run.run();
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(run.velocity(0)[2], -0.8, met);
    EXPECT_NEAR(run.velocity(1)[2], -gravity * 0.04, 2e-2) << "within two steps of free fall";
}

}  // namespace
}  // namespace myriad::test
