// The records and channels of a run with contact, and the way out of an initial penetration: closed forms.
#include "kernels/systems/bouncing_ball.hpp"
#include "kernels/systems/cradle.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/sliding_block.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using Ball = BouncingBall<double, NoChart>;
using Block = SlidingBlock<double, NoChart>;
using Crank = SliderCrankClearance<double, NoChart>;
using Pendulums = Cradle<double, NoChart>;

template <class Member>
class Record : public testing::Test {};
TYPED_TEST_SUITE(Record, AllSchemes);

// The first force is that of a step 2^-20 as long, whose velocities it changes by little more than their round-off.
constexpr double round_off_of_forces = 1e-7;
// A linearized gap is closed; the gap itself stays open by its curvature over the way, some hundredths, squared.
constexpr double left_open_m = 1e-5;

template <class Run>
double channel(const Run& run, int of_contact) {
    return run.channel(decltype(run.system)::channel_count + of_contact);
}
template <class Run>
double entry(const Run& run, ContactRecord which) {
    return contact_record(run.memory, static_cast<int>(which));
}

// It slides straight down and never stops: the friction mu m g cos(a) is constant, and its power is linear in time,
// which the trapezoidal rule takes exactly.
TYPED_TEST(Record, HasTheWorkOfFrictionAsWear) {
    constexpr double incline = 0.6, friction = 0.2, mass = 2.0, v = 0.5, end_s = 0.5;
    ContactRun<TypeParam, Block> run(
        parameters_with<Block>(
            {{"incline_rad", incline}, {"friction", friction}, {"mass_kg", mass}, {"initial_velocity_m_s[0]", v}}),
        contact_schedule(1e-2, end_s));
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    const double a = gravity * (std::sin(incline) - friction * std::cos(incline));
    const double work = friction * mass * gravity * std::cos(incline) * (v * end_s + 0.5 * a * end_s * end_s);
    EXPECT_NEAR(entry(run, ContactRecord::wear_work), work, round_off_of_a_run);
    EXPECT_NEAR(entry(run, ContactRecord::friction_loss), work, round_off_of_a_run);
    EXPECT_NEAR(entry(run, ContactRecord::energy_balance_error), 0.0, round_off_of_a_run);
    EXPECT_NEAR(entry(run, ContactRecord::largest_force), mass * gravity * std::cos(incline), round_off_of_forces);
    EXPECT_EQ(entry(run, ContactRecord::first_contact_time), 0.0);
    // Gap, three velocities, three forces, three impulses, the record.
    EXPECT_NEAR(channel(run, 0), 0.0, round_off_of_a_run);
    EXPECT_NEAR(channel(run, 2), v + a * end_s, round_off_of_a_run);
    EXPECT_NEAR(channel(run, 4), mass * gravity * std::cos(incline), round_off_of_forces);
    EXPECT_NEAR(channel(run, 5), -friction * mass * gravity * std::cos(incline), round_off_of_forces);
    EXPECT_EQ(channel(run, 10 + static_cast<int>(ContactRecord::wear_work)), entry(run, ContactRecord::wear_work));
    EXPECT_EQ(contact_channel_count<Block>, 10 + contact_record_count);
}

// One impact at the speed of the fall, of m (1 + e) v; half a millisecond and what gravity adds in it.
TYPED_TEST(Record, HasTheImpulseOfAFall) {
    constexpr double height = 0.5, restitution = 0.6, mass = 3.0, h = 5e-4;
    ContactRun<TypeParam, Ball> run(
        parameters_with<Ball>({{"initial_height_m", height}, {"normal_restitution", restitution}, {"mass_kg", mass}}),
        contact_schedule(h, 0.4));
    EXPECT_TRUE(std::isnan(entry(run, ContactRecord::first_contact_time)));
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    const double speed = std::sqrt(2.0 * gravity * height), step_error = 2.0 * mass * gravity * h;
    EXPECT_EQ(entry(run, ContactRecord::impacts), 1.0);
    EXPECT_NEAR(entry(run, ContactRecord::first_contact_time), speed / gravity, h);
    EXPECT_NEAR(entry(run, ContactRecord::largest_impulse), mass * (1.0 + restitution) * speed, step_error);
    EXPECT_NEAR(entry(run, ContactRecord::impact_loss), 0.5 * mass * speed * speed * (1.0 - restitution * restitution),
                step_error * speed);
    EXPECT_EQ(entry(run, ContactRecord::wear_work), 0.0);
}

// It falls on an incline and slides from there. Friction did nothing before the impact; counting it would cost an
// order: 0.5 h times the power after it. Generalized-alpha is left out, whose forces ring after an impact.
TYPED_TEST(Record, BalancesTheEnergyOfALandingToSecondOrder) {
    if (std::string(TypeParam::name) == NonsmoothGeneralizedAlpha::name) return;
    const auto error_at = [](double h) {
        Schedule schedule = contact_schedule(h, 0.5);
        schedule.spectral_radius = 0.0;
        ContactRun<TypeParam, Block> run(parameters_with<Block>({{"incline_rad", 0.6},
                                                                 {"friction", 0.2},
                                                                 {"normal_restitution", 0.0},
                                                                 {"tangential_restitution", 0.0},
                                                                 {"mass_kg", 2.0},
                                                                 {"initial_position_m[2]", 0.0123},
                                                                 {"initial_velocity_m_s[0]", 3.0}}),
                                         schedule);
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        EXPECT_EQ(run.memory.impacts, 1.0);
        EXPECT_LT(0.5, run.memory.friction_loss_J);
        return run.memory.energy_error_J;
    };
    // A hundredfold by the order, of which round-off takes a share.
    const double coarse = error_at(1e-3), fine = error_at(1e-4);
    EXPECT_LE(fine, std::max(coarse / 50.0, round_off_of_a_run)) << coarse;
}

// A mass on the ground keeps its weight when the impact is over, whatever it fell from: this is the largest force
// between impacts. Generalized-alpha is left out: it goes on from the accelerations of before the impact, and its
// forces swing about the weight.
TYPED_TEST(Record, HasTheWeightAsTheLargestForceOfAMassThatFell) {
    if (std::string(TypeParam::name) == NonsmoothGeneralizedAlpha::name) return;
    constexpr double mass = 3.0;
    ContactRun<TypeParam, Ball> run(
        parameters_with<Ball>({{"normal_restitution", 0.0}, {"initial_height_m", 0.5}, {"mass_kg", mass}}),
        contact_schedule(1e-3, 0.6));
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    EXPECT_EQ(run.memory.impacts, 1.0);
    EXPECT_NEAR(run.memory.largest_force_N, mass * gravity, round_off_of_forces);
}

Schedule projecting() {
    Schedule schedule = contact_schedule(1e-3, 0.1);
    schedule.project_penetration = 1.0;
    return schedule;
}
constexpr double start_penetrates = static_cast<double>(Reason::start_penetrates);

TEST(InitialPenetration, IsRefusedOrMovedOut) {
    const auto deep = parameters_with<Block>({{"initial_position_m[0]", 0.3}, {"initial_position_m[2]", -0.02}});
    using Run = ContactRun<NonsmoothGeneralizedAlpha, Block>;
    EXPECT_EQ(Run(deep, contact_schedule(1e-3, 0.1)).reason, start_penetrates);
    const Run moved(deep, projecting());
    EXPECT_EQ(moved.reason, 0.0);
    EXPECT_EQ(moved.motion.q[0], 0.3);
    EXPECT_NEAR(moved.motion.q[2], 0.0, 1e-15);
    // Bodies that do not overlap stay where they are, bit by bit.
    const auto apart = parameters_with<Block>({{"initial_position_m[2]", 0.02}});
    EXPECT_EQ(Run(apart, projecting()).motion.q[2], 0.02);
}

// The heavier ball gives way less: by M^-1 W, as the masses.
TEST(InitialPenetration, MovesTheLighterBallFarther) {
    const auto deep = parameters_with<Pendulums>({{"ball_1.mass_kg", 3.0},
                                                  {"ball_2.mass_kg", 1.0},
                                                  {"initial_angle_rad[0]", 0.004},
                                                  {"initial_angle_rad[1]", -0.004}});
    const ContactRun<NonsmoothBathe, Pendulums> run(deep, projecting());
    ASSERT_EQ(run.reason, 0.0);
    EXPECT_NEAR(run.system.contact_state(run.motion.q).gap[0], 0.0, left_open_m);
    const double left = 0.004 - run.motion.q[0], right = run.motion.q[1] + 0.004;
    EXPECT_GT(left, 0.0);
    // The directions turn by some 1e-2 on the way.
    EXPECT_NEAR(right / left, 3.0, 0.03);
}

// Two corners are too deep; the walls behind must not be entered.
TEST(InitialPenetration, LeavesNoOtherContactPenetrated) {
    const auto deep = parameters_with<Crank>({{"initial_angle_rad[0]", -0.02}, {"initial_angle_rad[2]", 0.01}});
    const ContactRun<HalfExplicit, Crank> run(deep, projecting());
    ASSERT_EQ(run.reason, 0.0);
    const auto contact = run.system.contact_state(run.motion.q);
    double nearest = 1.0;
    for (int k = 0; k < 4; ++k) {
        EXPECT_GE(contact.gap[k], -1e-9) << "corner " << k;
        nearest = std::min(nearest, contact.gap[k]);
    }
    EXPECT_NEAR(nearest, 0.0, left_open_m) << "moved farther than needed";
}

}  // namespace
}  // namespace myriad::test
