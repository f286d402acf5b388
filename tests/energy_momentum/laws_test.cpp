// Angles, bushings and drivers under the energy-momentum methods: springs give back their energy, the work of dampers
// and drivers is recorded, and the motions converge.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/integrators/kinematics.hpp"
#include "tests/energy_momentum/drift.hpp"
#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

// Some tens of joules round by 1e-14 in each of up to 4,000 steps, whose last correction is below 1e-12 of lengths and
// angles: times moments of 10 N m.
constexpr double law_round_off = 2e-10;

int body_of(const Mechanism& mechanism, const std::string& name) {
    const auto& names = mechanism.body_names;
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(TorsionalSprings, GiveBackWhatTheyTookOverManyTurns) {
    const auto pair = wound_pair("0.0", "1.0");
    EXPECT_LT(drift_of<Convective>(*pair, 5e-3, 4000).total_energy, law_round_off);
    SteppedInstance<Convective> instance(*pair, 5e-3, 200);
    double most = 0.0;
    for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(instance.step());
        for (int angle = 0; angle < pair->table.angles; ++angle)
            most = std::max(most, std::abs(instance.motion().q.turned[angle]));
    }
    EXPECT_GT(most, 2.0 * std::numbers::pi);
    EXPECT_LT(drift_of<EnergyMomentum>(*pair, 5e-3, 500).generalized_energy, law_round_off);
    // The midpoint rule keeps neither.
    EXPECT_GT(drift_of<Midpoint>(*pair, 5e-3, 500).total_energy, 1e-5);
}

TEST(TorsionalSprings, OfMovingRestAnglesAndDampersDoTheWorkThatIsWrittenDown) {
    const auto pair = wound_pair("0.03", R"json("2 * sin(3 * t)")json");
    SteppedInstance<Convective> convective(*pair, 5e-3, 1000);
    EXPECT_LT(drift_of(convective, 0, 1000).total_energy, law_round_off);
    EXPECT_LT(convective.memory().work, -0.1);
    EXPECT_LT(drift_of<EnergyMomentum>(*pair, 5e-3, 500).generalized_energy, law_round_off);
}

// Bodies in space on a hinge: a spring about it has no net torque.
TEST(TorsionalSprings, BetweenFreeBodiesKeepTheMomenta) {
    std::string text = hinged_pair_text;
    text.replace(text.rfind('}'), 1, R"(, "forces": {"coil": {"type": "torsional_spring_damper", "joint": "hinge",
        "stiffness_N_m_rad": 3.0, "damping_N_m_s_rad": 0.02, "rest_angle_rad": 0.5}}})");
    const auto pair = parse_mechanism(text, "sprung_hinge.json");
    const Drift of_mean = drift_of<Convective>(*pair, 0.01, 1000),
                of_paper = drift_of<EnergyMomentum>(*pair, 0.01, 200);
    EXPECT_LT(of_mean.total_energy, law_round_off);
    EXPECT_LT(of_mean.momentum, law_round_off);
    EXPECT_LT(of_mean.moment, law_round_off);
    EXPECT_LT(of_paper.generalized_energy, law_round_off);
    EXPECT_LT(of_paper.momentum, law_round_off);
}

// A linear oscillator over 13 turns: theta = A sin(w t), w = sqrt(k/J) = 2, A = 20.
TEST(TorsionalSprings, SwingAsTheClosedFormWithOrderTwo) {
    const auto disc = parse_mechanism(torsion_oscillator_text, "torsion_oscillator.json");
    const auto error = [&]<class Integrator>(int steps) {
        SteppedInstance<Integrator> instance(*disc, 1.0 / steps, steps);
        drift_of(instance, 0, steps);
        return std::abs(instance.motion().q.turned[0] - 20.0 * std::sin(2.0));
    };
    expect_order_two(error.operator()<Convective>(200), error.operator()<Convective>(400), "convective");
    expect_order_two(error.operator()<Midpoint>(200), error.operator()<Midpoint>(400), "midpoint");
    expect_order_two(error.operator()<EnergyMomentum>(200), error.operator()<EnergyMomentum>(400), "energy_momentum");
}

// Both its rows and its turns: y = v/w sin(w t), w = 5; about z theta = 4/2 sin(2 t), up to 2 rad.
TEST(Bushings, SwingAsTheClosedFormWithOrderTwo) {
    const auto block = parse_mechanism(bushed_block_text, "bushed_block.json");
    const auto errors = [&]<class Integrator>(int steps) {
        SteppedInstance<Integrator> instance(*block, 1.0 / steps, steps);
        drift_of(instance, 0, steps);
        const Rotation<double>& q = instance.motion().q.orientation[0];
        const double angle = 2.0 * std::atan2(q.z, q.w);
        return std::pair{std::abs(instance.position(0).y() - 0.2 * std::sin(5.0)),
                         std::abs(angle - 2.0 * std::sin(2.0))};
    };
    const auto check = [&]<class Integrator>() {
        const auto coarse = errors.operator()<Integrator>(100), fine = errors.operator()<Integrator>(200);
        expect_order_two(coarse.first, fine.first, std::string(Integrator::name) + ": position");
        expect_order_two(coarse.second, fine.second, std::string(Integrator::name) + ": angle");
    };
    check.operator()<Convective>();
    check.operator()<Midpoint>();
    check.operator()<EnergyMomentum>();
}

TEST(Bushings, GiveBackWhatTheyTookAndKeepTheMomenta) {
    const auto pair = bushed_pair("0.0");
    const Drift of_mean = drift_of<Convective>(*pair, 0.01, 3000),
                of_paper = drift_of<EnergyMomentum>(*pair, 0.01, 500);
    EXPECT_LT(of_mean.total_energy, law_round_off);
    EXPECT_LT(of_mean.momentum, law_round_off);
    EXPECT_LT(of_mean.moment, law_round_off);
    EXPECT_LT(of_paper.generalized_energy, law_round_off);
    EXPECT_LT(of_paper.momentum, law_round_off);
}

TEST(Bushings, WithDampersTakeEnergyAndNoMoment) {
    const auto pair = bushed_pair("0.1");
    const Drift drift = drift_of<Convective>(*pair, 0.01, 1000);
    EXPECT_LT(drift.total_energy, law_round_off);
    EXPECT_LT(drift.momentum, law_round_off);
    EXPECT_LT(drift.moment, law_round_off);
    SteppedInstance<Convective> instance(*pair, 0.01, 200);
    double work = 0.0;
    for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(instance.step());
        EXPECT_LE(instance.memory().work, work);
        work = instance.memory().work;
    }
    EXPECT_LT(work, -0.05);
}

// By slides, angles and lengths that are functions of time: 200 J of work in all directions.
TEST(Drivers, DoTheWorkThatIsWrittenDown) {
    const auto chain = parse_mechanism(driven_chain_text, "driven_chain.json");
    SteppedInstance<Convective> instance(*chain, 5e-3, 1000);
    EXPECT_LT(drift_of(instance, 0, 1000).total_energy, law_round_off);
    EXPECT_GT(std::abs(instance.memory().work), 0.1);
    EXPECT_LT(drift_of<EnergyMomentum>(*chain, 5e-3, 500).generalized_energy, law_round_off);
}

TEST(Drivers, AndControllersOfCatalogMechanismsCloseTheEnergyBalance) {
    EXPECT_LT(drift_of<Convective>(*catalog_mechanism("slider_crank_haug"), 5e-3, 400).total_energy, law_round_off);
    EXPECT_LT(drift_of<Convective>(*catalog_mechanism("four_link"), 5e-3, 400).total_energy, law_round_off);
    EXPECT_LT(drift_of<Convective>(*catalog_mechanism("puma560"), 4e-3, 250).total_energy, law_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*catalog_mechanism("four_link"), 5e-3, 100).generalized_energy, law_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*catalog_mechanism("puma560"), 4e-3, 100).generalized_energy, law_round_off);
}

// No freedom is left: positions are exact at any step, and rates fall with order two towards those of kinematics.
TEST(Drivers, TurnTheFourLinkAsKinematicsDoes) {
    const auto four_link = catalog_mechanism("four_link");
    const int rocker = body_of(*four_link, "rocker");
    const auto at = [&]<class Integrator>(int steps) {
        SteppedInstance<Integrator> instance(*four_link, 0.77 / steps, steps);
        drift_of(instance, 0, steps);
        const Vec<3, double> v = instance.motion().v.linear(rocker);
        return std::pair{instance.position(rocker), Eigen::Vector3d(v[0], v[1], v[2])};
    };
    const auto truth = at.operator()<Kinematics>(100);
    const auto coarse = at.operator()<Convective>(100), fine = at.operator()<Convective>(200);
    EXPECT_LT((coarse.first - truth.first).norm(), law_round_off);
    expect_order_two((coarse.second - truth.second).norm(), (fine.second - truth.second).norm(), "rocker's rate");
}

// Against generalized-alpha, a method with nothing in common, both extrapolated from steps of h and h/2; what is left
// is of order three for generalized-alpha.
template <class Integrator>
Eigen::Vector3d extrapolated(const Mechanism& mechanism, double h, double seconds, int body) {
    const Eigen::Vector3d coarse = position_at<Integrator>(mechanism, h, seconds, body),
                          fine = position_at<Integrator>(mechanism, h / 2, seconds, body);
    return fine + (fine - coarse) / 3.0;
}

template <class Integrator>
void moves_as(const Mechanism& mechanism, double h, double seconds, int body, const Eigen::Vector3d& truth) {
    SCOPED_TRACE(Integrator::name);
    const auto at = [&](double step) { return position_at<Integrator>(mechanism, step, seconds, body); };
    const Eigen::Vector3d coarse = at(h), fine = at(h / 2);
    expect_order_two((coarse - truth).norm(), (fine - truth).norm(), "position");
    EXPECT_LT((fine + (fine - coarse) / 3.0 - truth).norm(), 0.05 * (fine - truth).norm());
}

TEST(Drivers, ControllersSpringsAndBushingsMoveBodiesAsWithGeneralizedAlpha) {
    // The Puma's arm while its controllers still pull; it has bodies without inertia, which the midpoint rule refuses.
    const auto puma = catalog_mechanism("puma560");
    const Eigen::Vector3d hand = extrapolated<Implicit<GeneralizedAlpha>>(*puma, 5e-4, 0.1, 2);
    moves_as<Convective>(*puma, 2e-3, 0.1, 2, hand);
    moves_as<EnergyMomentum>(*puma, 2e-3, 0.1, 2, hand);
    const auto wound = wound_pair("0.03", R"json("2 * sin(3 * t)")json");
    const Eigen::Vector3d disc = extrapolated<Implicit<GeneralizedAlpha>>(*wound, 5e-4, 0.5, body_of(*wound, "disc"));
    moves_as<Convective>(*wound, 5e-3, 0.5, body_of(*wound, "disc"), disc);
    moves_as<Midpoint>(*wound, 5e-3, 0.5, body_of(*wound, "disc"), disc);
    moves_as<EnergyMomentum>(*wound, 5e-3, 0.5, body_of(*wound, "disc"), disc);
    const auto bushed = bushed_pair("0.1");
    const Eigen::Vector3d b = extrapolated<Implicit<GeneralizedAlpha>>(*bushed, 5e-4, 0.5, 1);
    moves_as<Convective>(*bushed, 5e-3, 0.5, 1, b);
    moves_as<Midpoint>(*bushed, 5e-3, 0.5, 1, b);
    moves_as<EnergyMomentum>(*bushed, 5e-3, 0.5, 1, b);
    const auto chain = parse_mechanism(driven_chain_text, "driven_chain.json");
    const Eigen::Vector3d bob = extrapolated<Implicit<GeneralizedAlpha>>(*chain, 5e-4, 0.5, body_of(*chain, "bob"));
    moves_as<Convective>(*chain, 5e-3, 0.5, body_of(*chain, "bob"), bob);
    moves_as<Midpoint>(*chain, 5e-3, 0.5, body_of(*chain, "bob"), bob);
    moves_as<EnergyMomentum>(*chain, 5e-3, 0.5, body_of(*chain, "bob"), bob);
}

}  // namespace

}  // namespace myriad::mechanism
