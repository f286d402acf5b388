// The paper's model problem (nonsmooth sect. 2.8) from the first acceleration as printed: its constraint on velocity
// level and on acceleration level. The claims of ensembles/expected/ hold the stiff spring and other starts.
#include "papers/nonsmooth/three_masses.hpp"

#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using Held = ThreeMassesHeld<double, NoChart>;

// With the first acceleration of eq. 25 as printed, which no study can begin with.
template <class Member>
CompiledContactRun<Member, Held> held_run_as_printed(double radius) {
    CompiledContactRun<Member, Held> run(parameters_with<Held>({}), contact_schedule(1e-3, 5.0, radius));
    for (int i = 0; i < 3; ++i) run.memory.acceleration[i] = run.memory.algorithmic[i] = gravity;
    return run;
}

// The tolerance of the contact laws, 1e-12, of velocities up to 10 m/s, over 5 s.
constexpr double summed_law_tolerance = 1e-10;

// Fig. 17: on acceleration level a velocity of mass 3 stays and its place drifts linearly ...
TEST(ThreeMassesTest, AccelerationLevelDriftsFromThePrintedStart) {
    auto run = held_run_as_printed<GeneralizedAlphaOnAcceleration>(0.8);
    double early = 0.0;
    run.run([&](const auto& now) {
        if (std::abs(now.progress.time_s - 1.0) < 1e-9) early = now.motion.v[2];
        // ... but the force follows the motion at once (fig. 18).
        if (now.progress.steps > 0.0) {
            EXPECT_NEAR(now.memory.force[0], now.motion.q[2] - now.motion.q[1] - gravity, 1e-8);
        }
    });
    EXPECT_LT(1e-3, std::abs(early));  // of the order of g h
    EXPECT_NEAR(run.motion.v[2], early, summed_law_tolerance);
    EXPECT_NEAR(run.motion.q[2], 5.0 * early, 1e-2 * std::abs(5.0 * early));
    std::printf("| acceleration level, start as printed | residual velocity %.3e m/s, place after 5 s %.3e m |\n",
                early, run.motion.q[2]);
}

// ... on velocity level the place is off by a constant, and the acceleration and with it the force oscillate from step
// to step, dying out as fast as the method damps (figs. 17, 18).
TEST(ThreeMassesTest, VelocityLevelOscillatesFromThePrintedStart) {
    const auto oscillation_of = [](double radius) {
        auto run = held_run_as_printed<NonsmoothGeneralizedAlpha>(radius);
        double place = 0.0;
        std::vector<double> oscillation;
        run.run([&](const auto& now) {
            oscillation.push_back(now.memory.force[0] + now.motion.q[1] + gravity);
            if (std::abs(now.progress.time_s - 1.0) < 1e-9) place = now.motion.q[2];
        });
        EXPECT_LE(std::abs(run.motion.v[2]), summed_law_tolerance);
        EXPECT_NEAR(run.motion.q[2], place, 1e-3 * std::abs(place));
        EXPECT_LT(10.0 * summed_law_tolerance, std::abs(place));  // g h^2, less the more the oscillation evens out
        EXPECT_LT(oscillation[1] * oscillation[2], 0.0);
        EXPECT_LT(1.0, std::abs(oscillation[1]));
        std::printf(
            "| velocity level, start as printed, rho %.2f | place %.2e m | force off by %.2f, %.2f, %.2f, ... after "
            "50 steps %.1e N |\n",
            radius, place, oscillation[1], oscillation[2], oscillation[3], oscillation[50]);
        return std::abs(oscillation[50]);
    };
    const double weak = oscillation_of(0.95), strong = oscillation_of(0.5);
    EXPECT_LT(0.1, weak);
    EXPECT_LT(strong, 1e-6);
}

}  // namespace
}  // namespace myriad::test
