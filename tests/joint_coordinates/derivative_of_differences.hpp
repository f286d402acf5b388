// The whole derivative of the equations of a step, along a random direction of all unknowns, against differences.
#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include "tests/joint_coordinates/tree_instance.hpp"
#include "tests/mechanism/definitions.hpp"

namespace myriad::mechanism {

inline void expect_the_derivative_of_differences(TreeInstance& tree, std::uint64_t seed, double tolerance) {
    // Central differences over this displacement lose its square in curvature and gain round-off by its inverse.
    constexpr double step_s = 1e-3, difference_step = 1e-5;
    Generic generic(seed);
    const JointLinearization<double> by{
        0.5 * step_s, 0.25 * step_s * step_s, 1.0 / (0.25 * step_s * step_s), Level::position, true, false};
    std::vector<double> x(static_cast<std::size_t>(tree.freedoms() + tree.rows()));
    for (double& one : x) one = generic.number(-1.0, 1.0);
    for (int i = 0; i < tree.system.topology.prescribed(); ++i)
        x[static_cast<std::size_t>(tree.system.topology.prescribed_coordinate(i).freedom)] = 0.0;
    // Displacements of some 1e-2 rad: c_q is small.
    const double size = difference_step / by.position;
    const std::vector<double> ahead = tree.residual(by, x, size), behind = tree.residual(by, x, -size);
    tree.residual(by, x, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double slope = (ahead[i] - behind[i]) / (2.0 * size);
        const auto row = static_cast<int>(i) - tree.freedoms();
        (row < 0 ? tree.scratch.solution[static_cast<int>(i)] : tree.scratch.row_solution[row]) = slope;
    }
    for (int i = 0; i < tree.system.topology.prescribed(); ++i)
        tree.scratch.solution[tree.system.topology.prescribed_coordinate(i).freedom] = 0.0;
    TreeInstance::System::Velocity still;
    tree.system.set_still(still);
    const auto equations = tree.system.equations();
    const auto matrix =
        std::make_unique<ExactMatrix<double, JointTopology, TreeInstance::System::Parameters>>(equations);
    EXPECT_LT(matrix->solve(tree.motion.q, tree.motion.v, tree.memory.acceleration, still, tree.memory.multipliers.e,
                            by, tree.scratch),
              0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = static_cast<int>(i) - tree.freedoms();
        const double found = row < 0 ? tree.scratch.solution[static_cast<int>(i)] : tree.scratch.row_solution[row];
        EXPECT_NEAR(found, x[i], tolerance) << "unknown " << i;
    }
}

}  // namespace myriad::mechanism
