// Which contacts count as struck, and what friction takes over a step.
#include "kernels/contact/effort.hpp"

#include <gtest/gtest.h>

namespace myriad::test::effort {
namespace {

constexpr double step_s = 0.01, gap_tolerance_m = 1e-6, approach_m_s = -0.5;

// A contact that touches, is approached, had no impulse and takes one; what it had and has may be given.
StruckContacts<double> look(double gap_m, double velocity_m_s, double before_N_s, double impulse_N_s,
                            bool in_lanes = true) {
    StruckContacts<double> contacts;
    contacts.look_at(in_lanes, gap_m, velocity_m_s, step_s, gap_tolerance_m, before_N_s, impulse_N_s);
    return contacts;
}

TEST(StruckContacts, CountOneThatCameAndTakesAnImpulse) {
    const StruckContacts<double> contacts = look(0.0, approach_m_s, 0.0, 2.0);
    EXPECT_TRUE(contacts.struck);
    EXPECT_EQ(contacts.largest_N_s, 2.0);
    // Deep in penetration the way that it moves through counts, not the gap.
    EXPECT_TRUE(look(-0.1, approach_m_s, 0.0, 2.0).struck);
    // Open a step ago: its gap before was more than the tolerance, whatever it does now.
    EXPECT_TRUE(look(1e-3, 0.0, 0.0, 2.0).struck);
}

TEST(StruckContacts, LeaveOutThoseThatSeparateOrAreOfOtherLanes) {
    EXPECT_FALSE(look(0.0, -approach_m_s, 0.0, 2.0).struck);
    const StruckContacts<double> of_others = look(0.0, approach_m_s, 0.0, 2.0, false);
    EXPECT_FALSE(of_others.struck);
    EXPECT_EQ(of_others.largest_N_s, 0.0);
}

// What round-off leaves of a force that has ended is none: whether an impact counts must not hang on it.
TEST(StruckContacts, AreThoseThatHadNoForceButForRoundOff) {
    constexpr double h = 1e-3, tolerance_m = 1e-9, impulse_N_s = 0.005, coming_m_s = -0.4, resting_m_s = 0.0;
    const auto struck = [&](double gap_m, double velocity_m_s, double impulse_before_N_s, double now_N_s) {
        StruckContacts<double> contacts;
        contacts.look_at(true, gap_m, velocity_m_s, h, tolerance_m, impulse_before_N_s, now_N_s);
        return contacts.struck;
    };
    EXPECT_TRUE(struck(-1e-6, coming_m_s, 0.0, impulse_N_s));
    EXPECT_TRUE(struck(-1e-6, coming_m_s, 2e-39, impulse_N_s));
    EXPECT_TRUE(struck(-1e-6, coming_m_s, 1e-18, impulse_N_s));
    EXPECT_FALSE(struck(-1e-6, coming_m_s, 1e-6, impulse_N_s)) << "it had a force";
    EXPECT_FALSE(struck(-1e-6, coming_m_s, 0.0, 0.0)) << "it takes none";
    EXPECT_FALSE(struck(-1e-6, resting_m_s, 0.0, impulse_N_s)) << "it rests";
}

// The impulse of the impact is what exceeds the force that the contact had.
TEST(StruckContacts, KeepTheLargestImpulseAboveTheFormerForce) {
    StruckContacts<double> contacts;
    contacts.look_at(true, 0.0, approach_m_s, step_s, gap_tolerance_m, 0.0, 2.0);
    contacts.look_at(true, 0.0, approach_m_s, step_s, gap_tolerance_m, 4.0, 5.5);
    contacts.look_at(true, 0.0, approach_m_s, step_s, gap_tolerance_m, 1.0, 4.0);
    EXPECT_TRUE(contacts.struck);
    EXPECT_EQ(contacts.largest_N_s, 3.0);
}

TEST(FrictionWork, IsTheMeanPowerAndAfterAnImpactThatOfTheEnd) {
    EXPECT_EQ(FrictionWork<double>::over(0.5, false, 2.0, 6.0), 2.0);
    EXPECT_EQ(FrictionWork<double>::over(0.5, true, 2.0, 6.0), 3.0);
}

}  // namespace
}  // namespace myriad::test::effort
