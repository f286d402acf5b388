// The same bits in every lane: instances of other parameters, in flight while this one is in contact, one of them
// broken.
#include <cstring>

#include "kernels/orientation.hpp"
#include "kernels/systems/bouncing_ball.hpp"
#include "kernels/systems/cradle.hpp"
#include "kernels/systems/rolling_ball.hpp"
#include "kernels/systems/rolling_disc.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"
#include "kernels/systems/sliding_block.hpp"
#include "kernels/systems/three_masses.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

using Packed = Pack<double, 4>;
constexpr int broken_lane = 1;

template <class Member>
class ContactLanes : public testing::Test {};
using AllSchemes =
    testing::Types<MoreauMidpoint, HalfExplicit, NonsmoothGeneralizedAlpha, NonsmoothBathe, NonsmoothEdAlpha>;
TYPED_TEST_SUITE(ContactLanes, AllSchemes);

std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Everything an instance keeps: q, v and the memory.
template <class Run>
std::vector<double> numbers_of(Run& run, int lane) {
    using Real = typename Run::Real;
    std::vector<double> numbers;
    const auto note = [&](Real& x) { numbers.push_back(Lanes<Real>::get(x, lane)); };
    visit_fields(note, run.motion), visit_fields(note, run.memory);
    numbers.push_back(Lanes<Real>::get(run.progress.steps, lane));
    numbers.push_back(Lanes<Real>::get(run.reason, lane));
    return numbers;
}

template <class Member, template <class, template <class> class> class SystemOf, template <class> class Chart = NoChart>
void expect_the_same_bits(double h, double end, const std::map<std::string, double>& changed) {
    using Alone = SystemOf<double, Chart>;
    using Four = SystemOf<Packed, Chart>;
    Arguments draw(41);
    ParameterVector<Alone> alone[4];
    ParameterVector<Four> four;
    for (int lane = 0; lane < 4; ++lane) {
        alone[lane] = parameters_with<Alone>(changed);
        for (int i = 0; i < Alone::parameter_count; ++i) alone[lane][i] *= draw.uniform(0.6, 1.0);
        if (lane == broken_lane) alone[lane][0] = std::nan("");
        for (int i = 0; i < Alone::parameter_count; ++i) four[i].lanes[lane] = alone[lane][i];
    }
    const Schedule schedule = contact_schedule(h, end, 0.7);
    ContactRun<Member, Four> together(four, schedule);
    together.run();
    for (int lane = 0; lane < 4; ++lane) {
        ContactRun<Member, Alone> run(alone[lane], schedule);
        run.run();
        EXPECT_EQ(run.reason > 0.0, lane == broken_lane);
        if (lane == broken_lane) continue;
        const std::vector<double> expected = numbers_of(run, 0), given = numbers_of(together, lane);
        ASSERT_EQ(given.size(), expected.size());
        for (std::size_t i = 0; i < given.size(); ++i)
            EXPECT_EQ(bits_of(given[i]), bits_of(expected[i])) << Alone::name << " lane " << lane << " number " << i;
    }
}

// Planar contacts with impacts and bilateral ones, on every scheme ...
TYPED_TEST(ContactLanes, HaveTheSameBits) {
    expect_the_same_bits<TypeParam, SliderCrankClearance>(1e-4, 0.05, {});
    expect_the_same_bits<TypeParam, SliderCrankClearance>(1e-4, 0.02, {{"clearance_m", 0.0}});
}

// ... and every system on one of them: the code of the schemes is the same.
TEST(ContactLanesTest, HaveTheSameBitsInEverySystem) {
    expect_the_same_bits<NonsmoothBathe, BouncingBall>(1e-3, 1.5, {});
    expect_the_same_bits<NonsmoothBathe, SlidingBlock>(1e-2, 1.0,
                                                       {{"initial_position_m[2]", 0.1}, {"normal_restitution", 0.5}});
    expect_the_same_bits<NonsmoothBathe, Cradle>(1e-3, 1.0, {});
    expect_the_same_bits<NonsmoothBathe, RollingDisc>(1e-2, 1.0,
                                                      {{"initial_position_m[1]", 0.1}, {"normal_restitution", 0.5}});
    expect_the_same_bits<NonsmoothBathe, ThreeMasses>(1e-3, 0.1, {{"stiffness_0_N_m", 100.0}});
    expect_the_same_bits<NonsmoothBathe, ThreeMassesHeld>(1e-2, 1.0, {});
    expect_the_same_bits<NonsmoothBathe, SliderCrankFlexible2Elements>(
        1e-4, 0.02, {{"rod.damping_time_s", 1e-5}, {"initial_deformation[4]", 1e-4}});
    expect_the_same_bits<NonsmoothBathe, SliderCrankFlexible2Modes>(1e-4, 0.02, {});
    expect_the_same_bits<NonsmoothBathe, RollingBall, RotationGroup>(
        1e-2, 1.0, {{"initial_position_m[2]", 0.1}, {"initial_angular_velocity_rad_s[1]", 30.0}});
}

// A step that cannot be solved stops its lane at the last good state, with a reason, and no other one.
TEST(ContactLanesTest, StopAloneWhereContactsAreNotSolved) {
    using Crank = SliderCrankClearance<Packed, NoChart>;
    Schedule schedule = contact_schedule(1e-4, 0.02);
    ParameterVector<Crank> parameters = parameters_with<Crank>({});
    parameters[4].lanes[2] = 1.0;  // so much clearance that nothing touches
    schedule.most_prox_iterations = 0;
    ContactRun<NonsmoothBathe, Crank> run(parameters, schedule);
    run.run();
    for (int lane = 0; lane < 4; ++lane) {
        const bool free = lane == 2;
        EXPECT_EQ(run.reason.lanes[lane], free ? 0.0 : static_cast<double>(Reason::prox_did_not_converge));
        EXPECT_EQ(run.progress.steps.lanes[lane] == schedule.total_steps, free);
        EXPECT_TRUE(std::isfinite(run.motion.q[1].lanes[lane]));
    }
}

}  // namespace
}  // namespace myriad::test
