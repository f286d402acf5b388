// One Newton correction closes a loop in most steps.
#include <gtest/gtest.h>

#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

// The matrix has the whole derivative of the rows, with the tangent operator of the step, so that a correction of a
// good guess leaves nothing of them that another one would have to take away.
TEST(CorrectionsOfLoops, AreOneAStepButWhereTheMotionChangesFast) {
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.method = Method::generalized_alpha;
    setup.step_s = 1e-3, setup.steps = 1000;
    const InstanceEnd driven = run_nominal(*catalog_mechanism("slider_crank_haug"), setup);
    EXPECT_LE(driven.newton_iterations / driven.steps, 1.1);
    const InstanceEnd free = run_nominal(*catalog_mechanism("slider_crank_iftomm"), setup);
    EXPECT_LE(free.newton_iterations / free.steps, 1.5);
    EXPECT_LE(free.constraint_residual, 1e-13);
}

}  // namespace
}  // namespace myriad::mechanism
