// The paper's model problem (nonsmooth sect. 2.8): the stiff spring against modal analysis, and the constraint in its
// place on velocity level against acceleration level, with the first acceleration as printed and as it should be.
#include "papers/nonsmooth/three_masses.hpp"

#include <Eigen/Eigenvalues>

#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using Stiff = ThreeMasses<double, NoChart>;
using Held = ThreeMassesHeld<double, NoChart>;

// From rest in the unstressed position: q = q_s + sum of modes about the static displacement.
Eigen::Vector3d modal(double last_stiffness, double t) {
    Eigen::Matrix3d k;
    k << 2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 1.0 + last_stiffness;
    const Eigen::Vector3d still = k.ldlt().solve(Eigen::Vector3d::Constant(gravity));
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes(k);
    const Eigen::Vector3d weights = modes.eigenvectors().transpose() * -still;
    Eigen::Vector3d q = still;
    for (int i = 0; i < 3; ++i)
        q += weights[i] * std::cos(std::sqrt(modes.eigenvalues()[i]) * t) * modes.eigenvectors().col(i);
    return q;
}

struct StiffRun {
    double soft, stiff;  // worst errors of masses 1 and 2, and of mass 3, over 5 s, m
};
template <class Member>
StiffRun stiff_run(double h, double radius) {
    ContactRun<Member, Stiff> run(parameters_with<Stiff>({}), contact_schedule(h, 5.0, radius));
    StiffRun worst{0.0, 0.0};
    run.run([&](const auto& now) {
        const Eigen::Vector3d exact = modal(1e7, now.progress.time_s);
        worst.soft = std::max({worst.soft, std::abs(now.motion.q[0] - exact[0]), std::abs(now.motion.q[1] - exact[1])});
        worst.stiff = std::max(worst.stiff, std::abs(now.motion.q[2] - exact[2]));
    });
    EXPECT_EQ(run.reason, 0.0);
    std::printf("| %-27s rho %.1f, h %.0e | masses 1, 2: %.2e m | mass 3: %.2e m |\n", Member::name, radius, h,
                worst.soft, worst.stiff);
    return worst;
}

// Fig. 15: all follow masses 1 and 2 through 3.2 steps per radian of the stiff spring; ED-alpha's phase is the best.
TEST(ThreeMassesTest, SoftMassesFollowModalAnalysisThroughAStiffSpring) {
    const StiffRun generalized = stiff_run<NonsmoothGeneralizedAlpha>(1e-3, 0.8),
                   bathe = stiff_run<NonsmoothBathe>(1e-3, 0.0), ed = stiff_run<NonsmoothEdAlpha>(1e-3, 0.0);
    // h^2 w^2 / 12 of the phase, w t < 10 rad, amplitudes of 20 m: 1e-5 m for methods of order 2.
    for (const StiffRun& run : {generalized, bathe, ed}) EXPECT_LE(run.soft, 2e-5);
    EXPECT_LT(ed.soft, bathe.soft);
    EXPECT_LT(bathe.soft, generalized.soft);
    // Mass 3 moves by 3e-6 m; what the methods differ in is less than that.
    for (const StiffRun& run : {generalized, bathe, ed}) EXPECT_LE(run.stiff, 4e-6);
}

// The explicit schemes cannot: w h = 3.2.
TEST(ThreeMassesTest, ExplicitSchemesAreUnstableAtTheStiffSpring) {
    ContactRun<HalfExplicit, Stiff> run(parameters_with<Stiff>({}), contact_schedule(1e-3, 0.1));
    run.run();
    EXPECT_LT(1.0, std::abs(run.motion.q[2]) + (run.reason > 0.0 ? 10.0 : 0.0));
}

template <class Member>
ContactRun<Member, Held> held_run(double radius) {
    return {parameters_with<Held>({}), contact_schedule(1e-3, 5.0, radius)};
}
// With the first acceleration of eq. 25 as printed, which no study can begin with.
template <class Member>
CompiledContactRun<Member, Held> held_run_as_printed(double radius) {
    CompiledContactRun<Member, Held> run(parameters_with<Held>({}), contact_schedule(1e-3, 5.0, radius));
    for (int i = 0; i < 3; ++i) run.memory.acceleration[i] = run.memory.algorithmic[i] = gravity;
    return run;
}

// The tolerance of the contact laws, 1e-12, of velocities up to 10 m/s, over 5 s.
constexpr double summed_law_tolerance = 1e-10;

// With the start as it should be neither level drifts in this linear problem, and the force is that of the motion.
TEST(ThreeMassesTest, BothLevelsHoldTheConstraintFromAConsistentStart) {
    const auto check = [](auto run) {
        double worst_velocity = 0.0, worst_place = 0.0, worst_force = 0.0;
        run.run([&](const auto& now) {
            worst_velocity = std::max(worst_velocity, std::abs(now.motion.v[2]));
            worst_place = std::max(worst_place, std::abs(now.motion.q[2]));
            // l = k3 (q3 - q2) - m g
            worst_force = std::max(worst_force, std::abs(now.memory.force[0] + now.motion.q[1] + gravity));
        });
        EXPECT_EQ(run.reason, 0.0);
        EXPECT_LE(worst_velocity, summed_law_tolerance);
        EXPECT_LE(worst_place, summed_law_tolerance);
        EXPECT_LE(worst_force, 1e-8);
    };
    check(held_run<NonsmoothGeneralizedAlpha>(0.8));
    check(held_run<GeneralizedAlphaOnAcceleration>(0.8));
    check(held_run<NonsmoothBathe>(0.0));
    check(held_run<NonsmoothEdAlpha>(0.0));
}

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
