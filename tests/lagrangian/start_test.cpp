// What systems of the energy-momentum methods refuse, and what they say of their start. The claims of
// ensembles/expected/ hold what the methods keep, and the steps that they refuse.
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

TEST(MassSpring, MovesInitialRatesOntoTheConstraintAndSaysSo) {
    auto parameters = defaults<Springs>();
    EXPECT_EQ(Springs::prepare(parameters).warnings, 0.0);
    parameters[11] = 2.0;
    EXPECT_EQ(Springs::prepare(parameters).warnings, static_cast<double>(Warning::initial_velocity_projected));
    Motion<Springs> motion;
    Springs::start(parameters, motion.q, motion.v);
    EXPECT_EQ((Springs::constraint_jacobian(motion.q) * motion.v)[0], 0.0);
    EXPECT_EQ(motion.v[0], 1.5);
    parameters[6] = -2.0;
    EXPECT_EQ(Springs::prepare(parameters).reason, static_cast<double>(Reason::length_not_positive));
    parameters[1] = 0.0;
    EXPECT_EQ(Springs::prepare(parameters).reason, static_cast<double>(Reason::mass_not_positive));
}

TEST(SpringPendulum, RefusesLengthsThatAreNotPositive) {
    for (const int length : {2, 3}) {
        auto parameters = defaults<Pendulum>();
        parameters[length] = 0.0;
        EXPECT_EQ(Pendulum::prepare(parameters).reason, static_cast<double>(Reason::length_not_positive));
    }
}

}  // namespace
}  // namespace myriad::test
