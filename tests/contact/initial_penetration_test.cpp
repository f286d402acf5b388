// The way of a formula system out of an initial penetration.
#include "kernels/systems/slider_crank_clearance.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using Crank = SliderCrankClearance<double, NoChart>;

// A linearized gap is closed; the gap itself stays open by its curvature over the way, some hundredths, squared.
constexpr double left_open_m = 1e-5;

Schedule projecting() {
    Schedule schedule = contact_schedule(1e-3, 0.1);
    schedule.project_penetration = 1.0;
    return schedule;
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
