#include "tests/mechanism/newton_solve.hpp"

#include <cmath>
#include <memory>

#include "kernels/mechanism/assembly.hpp"
#include "kernels/orientation/orientation.hpp"

namespace myriad::mechanism {

namespace {

// The matrix whose packed entries are given.
Eigen::MatrixXd dense_matrix(const MechanismTable& table, const double* packed) {
    const Elimination& places = table.elimination;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(places.unknowns, places.unknowns);
    const auto put = [&](int row, int column, int slot) {
        if (slot >= 0) dense(row, column) = packed[slot];
    };
    for (int b = 0; b < table.bodies; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) put(6 * b + i, 6 * b + j, places.body_slot[b][i][j]);
    for (int e = 0; e < table.elements; ++e)
        for (const int r : table.element[e].row) {
            if (r < 0) continue;
            const int row = 6 * table.bodies + r;
            put(row, row, places.diagonal_slot[r]);
            for (int side = 0; side < 2; ++side)
                for (int i = 0; i < 6 && table.element[e].body[side] >= 0; ++i) {
                    const int unknown = 6 * table.element[e].body[side] + i;
                    put(row, unknown, places.row_slot[r][side][i]);
                    put(unknown, row, places.column_slot[r][side][i]);
                }
        }
    return dense;
}

}  // namespace

SolvedCorrection solve_correction(const Mechanism& mechanism, const std::vector<double>& parameters) {
    using System = myriad::Mechanism<double, TableTopology, RotationGroup>;
    struct Instance {
        System::Parameters parameters;
        System::Configuration q;
        System::Velocity v;
        System::Scratch scratch;
    };
    const auto instance = std::make_unique<Instance>();
    for (std::size_t i = 0; i < parameters.size(); ++i) instance->parameters[static_cast<int>(i)] = parameters[i];
    const TableTopology topology(&mechanism.table);
    const System system{topology, &instance->parameters};
    instance->q.fit(topology), instance->v.fit(topology);
    system.start(instance->q, instance->v);
    const Assembled<double> assembled = assemble_bodies(system, 0.0, true, instance->scratch, instance->q, instance->v);

    auto& work = instance->scratch.work;
    system.place(instance->q, instance->v, work.bodies);
    for (double& x : instance->scratch.matrix) x = 0.0;
    system.equations(instance->scratch.functions)
        .evaluate(work, Level::position, false, instance->q.turned, instance->scratch.matrix);
    SolvedCorrection solved{};
    solved.assembly_correction = assembled.correction, solved.assembly_reason = assembled.reason;
    solved.matrix = dense_matrix(mechanism.table, instance->scratch.matrix);
    const int unknowns = mechanism.table.elimination.unknowns;
    solved.right_hand_side = Eigen::Map<const Eigen::VectorXd>(work.right_hand_side, unknowns);
    // The residual of an assembled state is next to nothing: a generic right-hand side says more.
    for (int i = 0; i < unknowns; ++i) solved.right_hand_side[i] = work.right_hand_side[i] += std::sin(1.0 + 7.0 * i);
    solved.perturbed = topology.factor<double>(instance->scratch.matrix);
    topology.solve<double>(instance->scratch.matrix, work.right_hand_side, work.solution);
    solved.solution = Eigen::Map<const Eigen::VectorXd>(work.solution, unknowns);
    return solved;
}

}  // namespace myriad::mechanism
