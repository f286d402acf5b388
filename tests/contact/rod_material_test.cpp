// The material of the flexible rod and its state at the start: damping after Kelvin and Voigt and an initial
// deformation, against closed forms of vibrations and energies.
#include <Eigen/Eigenvalues>
#include <array>
#include <vector>

#include "kernels/systems/slider_crank_flexible_sizes.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {

// A size that no study can name.
struct OneMode : BeamModes<BeamEnds::clamped_free, 1, 1> {
    static constexpr const char *name = "", *summary = "";
};

namespace {

using ModalRod = SliderCrankFlexible<double, NoChart, OneMode>;
using OneElement = SliderCrankFlexible1Element<double, NoChart>;
using TwoElements = SliderCrankFlexible2Elements<double, NoChart>;
using TwoPinned = SliderCrankFlexible2ElementsPinned<double, NoChart>;
using FreeModes = SliderCrankFlexible2ModesFree<double, NoChart>;
using Values = std::map<std::string, double>;

constexpr double length = 0.306, rod_mass = 0.038, slider_mass = 0.076, bending = 2.5e4, stretching = 3e6;

// At rest but for its vibration, without gravity and walls, its root on a crank too heavy to be moved.
Values at_rest(const Values& more) {
    Values values{{"gravity_m_s2", 0.0},
                  {"clearance_m", 10.0},
                  {"initial_rate_rad_s[0]", 0.0},
                  {"initial_rate_rad_s[1]", 0.0},
                  {"crank.inertia_kg_m2", 1e9},
                  {"rod.bending_stiffness_N_m2", bending},
                  {"rod.axial_stiffness_N", stretching}};
    values.insert(more.begin(), more.end());
    return values;
}

std::string deformation(int i) { return "initial_deformation[" + std::to_string(i) + "]"; }
std::string deformation_rate(int i) { return "initial_deformation_rate_1_s[" + std::to_string(i) + "]"; }

// x'' + 2 zeta omega x' + omega^2 x = 0 from x = 1 and x' = 0.
double decay(double zeta, double omega, double t) {
    const double root = std::sqrt(std::abs(1.0 - zeta * zeta)), phase = omega * root * t, even = -zeta * omega * t;
    if (zeta < 1.0) return std::exp(even) * (std::cos(phase) + zeta / root * std::sin(phase));
    return std::exp(even) * (std::cosh(phase) + zeta / root * std::sinh(phase));
}

// One axial mode sqrt(2) sin(pi s/2) with the slider at its end: a mass l^2 (m2 + 2 m3) on a spring EA l (pi/2)^2.
TEST(RodDamping, LetsAnAxialModeDecayAsTheClosedFormDoes) {
    constexpr double mass = length * length * (rod_mass + 2.0 * slider_mass),
                     spring = stretching * length * M_PI * M_PI / 4.0, start = 1e-4;
    const double omega = std::sqrt(spring / mass), period = 2.0 * M_PI / omega;
    for (const double zeta : {0.0, 0.02, 0.3, 2.0}) {
        const double step = period / 500.0;
        ContactRun<NonsmoothEdAlpha, ModalRod> run(
            parameters_with<ModalRod>(at_rest({{"rod.damping_time_s", 2.0 * zeta / omega}, {deformation(0), start}})),
            contact_schedule(step, 3.0 * period, 1.0));
        EXPECT_NEAR(run.memory.initial_energy_J, 0.5 * spring * start * start, 1e-12 * spring * start * start);
        // A scheme of order 3 with 500 steps in a period of zeta = 0; the faster root of zeta = 2 is 3.7 times as fast.
        constexpr double tolerance = 1e-6;
        double worst = 0.0;
        run.run([&](const auto& now) {
            worst = std::max(worst, std::abs(now.motion.q[3] / start - decay(zeta, omega, now.progress.time_s)));
        });
        EXPECT_EQ(run.reason, 0.0);
        EXPECT_LT(worst, tolerance) << zeta;
        // The missing energy is the loss; the trapezoidal rule over a period is off by (omega h)^2/12.
        const double lost = run.memory.initial_energy_J - run.system.energy(run.motion.q, run.motion.v);
        EXPECT_NEAR(run.memory.damping_loss_J, lost, 1e-4 * run.memory.initial_energy_J) << zeta;
        if (zeta == 0.0) EXPECT_EQ(run.memory.damping_loss_J, 0.0);
        if (zeta > 0.0) EXPECT_LT(0.2 * run.memory.initial_energy_J, run.memory.damping_loss_J);
        EXPECT_LE(run.memory.energy_error_J, 1e-4 * run.memory.initial_energy_J) << zeta;
    }
}

// Bending and stretching of elements about the pin, in modes of the whole linear system: damping by the stiffness
// couples none of them, and each has zeta = damping time times omega/2.
TEST(RodDamping, DampsEveryModeByItsFrequency) {
    constexpr int n = TwoElements::freedoms;
    const TwoElements system = TwoElements::prepare(parameters_with<TwoElements>(at_rest({}))).system;
    Eigen::MatrixXd mass(n, n), stiffness(n, n);
    const Vec<n, double> zero{};
    const auto m = system.mass(zero);
    const auto k = system.tangents_of(zero, zero, zero, 0.0).stiffness;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) mass(i, j) = m.e[i][j], stiffness(i, j) = k.e[i][j];
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(stiffness, mass);
    constexpr double amplitude = 1e-7;  // its square, what the linear system leaves out, is round-off
    int compared = 0;
    for (int mode = 0; mode < n; ++mode) {
        const double omega = std::sqrt(std::max(modes.eigenvalues()[mode], 0.0));
        if (omega < 1.0) continue;  // crank, slider and the rod as a whole
        const Eigen::VectorXd shape =
            modes.eigenvectors().col(mode) / modes.eigenvectors().col(mode).cwiseAbs().maxCoeff();
        constexpr double zeta = 0.1;
        Values values{{"rod.damping_time_s", 2.0 * zeta / omega}};
        for (int i = 0; i < n; ++i)
            values[i < 3 ? "initial_angle_rad[" + std::to_string(i) + "]" : deformation(i - 3)] = amplitude * shape[i];
        const double period = 2.0 * M_PI / omega;
        ContactRun<NonsmoothEdAlpha, TwoElements> run(parameters_with<TwoElements>(at_rest(values)),
                                                      contact_schedule(period / 500.0, period, 1.0));
        run.run();
        const double expected = decay(zeta, omega, run.progress.time_s);
        for (int i = 0; i < n; ++i)
            EXPECT_NEAR(run.motion.q[i] / amplitude, expected * shape[i], 1e-5) << mode << " " << i;
        ++compared;
    }
    EXPECT_EQ(compared, TwoElements::elastic);
}

// A cantilever of two elements bent by a force at its end: w (3 s^2 - s^3)/2.
Values bent(double w, const Values& more) {
    Values values{
        {deformation(2), w * 5.0 / 16}, {deformation(3), w * 9.0 / 8}, {deformation(4), w}, {deformation(5), 1.5 * w}};
    values.insert(more.begin(), more.end());
    return values;
}

// With the crank's motion and gravity: the balance is violated by the scheme alone, at its order.
TEST(RodDamping, IsPartOfTheEnergyBalance) {
    const Values values = bent(3e-3, {{"clearance_m", 10.0}, {"rod.damping_time_s", 2e-6}});
    std::array<double, 2> error{}, lost{};
    for (std::size_t i = 0; i < error.size(); ++i) {
        ContactRun<NonsmoothBathe, TwoElements> run(parameters_with<TwoElements>(values),
                                                    contact_schedule(i == 0 ? 1e-6 : 5e-7, 0.003, 0.0));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        error[i] = run.memory.energy_error_J, lost[i] = run.memory.damping_loss_J;
    }
    std::printf("| damping takes %.3e J | balance off by %.1e, %.1e J |\n", lost[0], error[0], error[1]);
    EXPECT_LT(20.0 * error[0], lost[0]);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.2);
}

// Every scheme counts it, with impacts on the way, and shows it as a channel, the last one.
template <class Member>
double loss_with_impacts(double radius) {
    ContactRun<Member, TwoElements> run(
        parameters_with<TwoElements>(bent(2e-3, {{"rod.damping_time_s", 1e-6}, {"friction", 0.0}})),
        contact_schedule(2e-7, 0.003, radius));
    run.run();
    EXPECT_EQ(run.reason, 0.0);
    EXPECT_LT(0.0, run.memory.impacts);
    std::printf("| %-28s | %g impacts | damping %.4e J | balance off by %.1e J |\n", Member::name, run.memory.impacts,
                run.memory.damping_loss_J, run.memory.energy_error_J);
    EXPECT_EQ(run.channel(Timestepping<Member>::template channel_count<TwoElements> - 1), run.memory.damping_loss_J);
    EXPECT_LT(run.memory.energy_error_J, 1e-3 * run.memory.damping_loss_J);
    return run.memory.damping_loss_J;
}
TEST(RodDamping, IsCountedByEveryScheme) {
    const double bathe = loss_with_impacts<NonsmoothBathe>(0.0);
    for (const double other :
         {loss_with_impacts<NonsmoothGeneralizedAlpha>(0.8), loss_with_impacts<NonsmoothEdAlpha>(0.0),
          loss_with_impacts<HalfExplicit>(0.0), loss_with_impacts<MoreauMidpoint>(0.0)})
        EXPECT_NEAR(other, bathe, 1e-3 * bathe);
}

// The bending moment at the root of a damped rod is that of its material.
TEST(RodDamping, ActsInTheMomentAtTheRoot) {
    const auto values = [](double damping) { return at_rest({{"rod.damping_time_s", damping}}); };
    const OneElement damped = OneElement::prepare(parameters_with<OneElement>(values(1e-3))).system;
    OneElement::Configuration q{};
    OneElement::Velocity v{};
    q[4] = 1e-3, q[5] = 2e-3, v[4] = 0.4, v[5] = -0.3;
    const auto curvature = [](double w, double slope) { return 6.0 * w - 2.0 * slope; };  // of the cubic at s = 0
    const double expected = bending / length * (curvature(1e-3, 2e-3) + 1e-3 * curvature(0.4, -0.3));
    EXPECT_NEAR(damped.root_moment(q, v), expected, 1e-12 * std::abs(expected));
}

template <class System>
double energy_at_start(const Values& values) {
    return ContactRun<NonsmoothBathe, System>(parameters_with<System>(at_rest(values)), contact_schedule(1e-6, 1e-6))
        .memory.initial_energy_J;
}

// Rods at rest, by the strain energies of textbooks.
TEST(RodDeformation, HasTheElasticEnergyOfItsShape) {
    const auto expect_near = [](double own, double expected) { EXPECT_NEAR(own, expected, 1e-12 * expected); };
    constexpr double w = 2e-3, strain = 1e-4;
    // A cantilever bent by a force at its end: slope 3/2 of its deflection over its length, force 3 EI w/l^2.
    expect_near(energy_at_start<OneElement>({{deformation(1), w}, {deformation(2), 1.5 * w}}),
                1.5 * bending * w * w / length);
    // The same shape w (3 s^2 - s^3)/2 on two elements.
    expect_near(energy_at_start<TwoElements>(bent(w, {})), 1.5 * bending * w * w / length);
    // An arc of constant curvature 2 w/l between its ends in the pinned frame: slopes w and -w, deflection w/4 between.
    expect_near(energy_at_start<TwoPinned>({{deformation(2), w}, {deformation(3), w / 4}, {deformation(5), -w}}),
                2.0 * bending * w * w / length);
    // Stretched evenly.
    expect_near(energy_at_start<TwoElements>({{deformation(0), strain / 2}, {deformation(1), strain}}),
                0.5 * stretching * length * strain * strain);
    // The first bending mode of a free beam: wave number 4.73004.
    expect_near(energy_at_start<FreeModes>({{deformation(2), w}}),
                0.5 * bending * std::pow(4.730040744862704, 4) * w * w / length);
}

TEST(RodDeformation, HasTheKineticEnergyOfItsRates) {
    constexpr double rate = 3.0;
    const auto expect_near = [](double own, double expected) { EXPECT_NEAR(own, expected, 1e-12 * expected); };
    // Stretched evenly at l s rate: the slider moves with l rate, the rod with a third of the square.
    expect_near(energy_at_start<OneElement>({{deformation_rate(0), rate}}),
                0.5 * (slider_mass + rod_mass / 3) * length * length * rate * rate);
    // A free beam's first mode about its root: mean square 1 and 2^2 about it; its ends move alike.
    expect_near(energy_at_start<FreeModes>({{deformation_rate(2), rate}}),
                0.5 * rod_mass * 5.0 * length * length * rate * rate);
}

// Each coordinate says what it is, in the order of the coordinates.
TEST(RodDeformation, NamesItsCoordinates) {
    const auto described = [](const auto& parameters, const std::string& address) {
        for (const ParameterDescription& parameter : parameters)
            if (parameter.address == address) return std::string(parameter.unit) + "|" + parameter.meaning;
        return std::string("none");
    };
    EXPECT_EQ(described(TwoElements::parameters, deformation(1)),
              "1|initial axial displacement of node 2, part of the rod's length");
    EXPECT_EQ(described(TwoElements::parameters, deformation(2)),
              "1|initial transverse displacement of node 1, part of the rod's length");
    EXPECT_EQ(described(TwoElements::parameters, deformation(5)), "rad|initial slope of node 2");
    EXPECT_EQ(described(TwoElements::parameters, deformation_rate(5)), "rad/s|its initial rate");
    EXPECT_EQ(described(TwoElements::parameters, deformation(6)), "none");
    EXPECT_EQ(described(TwoPinned::parameters, deformation(2)), "rad|initial slope of node 0");
    EXPECT_EQ(described(TwoPinned::parameters, deformation(5)), "rad|initial slope of node 2");
    EXPECT_EQ(described(FreeModes::parameters, deformation(3)),
              "1|initial amplitude of bending mode 2, part of the rod's length");
    EXPECT_EQ(described(FreeModes::parameters, deformation_rate(3)), "1/s|its initial rate");
}

}  // namespace
}  // namespace myriad::test
