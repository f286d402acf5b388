#include "host/mechanism/assembly/nominal_matrices.hpp"

namespace myriad::mechanism {

namespace {

// The matrix [unknowns, unknowns] whose packed entries are given.
std::vector<double> dense_matrix(const MechanismTable& table, const double* packed) {
    const Elimination& elimination = table.elimination;
    const auto n = static_cast<std::size_t>(elimination.unknowns);
    std::vector<double> dense(n * n, 0.0);
    const auto put = [&](int row, int column, int slot) {
        if (slot >= 0) dense[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)] = packed[slot];
    };
    for (int b = 0; b < table.bodies; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) put(6 * b + i, 6 * b + j, elimination.body_slot[b][i][j]);
    for (int e = 0; e < table.elements; ++e)
        for (int k = 0; k < 3; ++k) {
            const Element& element = table.element[e];
            const int r = element.row[k];
            if (r < 0) continue;
            const int row = 6 * table.bodies + r;
            for (int side = 0; side < 2; ++side)
                for (int i = 0; i < 6 && element.body[side] >= 0; ++i) {
                    put(row, 6 * element.body[side] + i, elimination.row_slot[r][side][i]);
                    put(6 * element.body[side] + i, row, elimination.column_slot[r][side][i]);
                }
            put(row, row, elimination.diagonal_slot[r]);
        }
    return dense;
}

}  // namespace

EliminationProblem problem_of(const Mechanism& mechanism) {
    const MechanismTable& table = mechanism.table;
    EliminationProblem problem;
    problem.bodies.resize(static_cast<std::size_t>(table.bodies));
    problem.rows.resize(static_cast<std::size_t>(table.rows));
    const auto make_full = [&](int body) {
        if (body >= 0) problem.bodies[static_cast<std::size_t>(body)] = BodyBlock::full();
    };
    int joint = 0;
    std::vector<int> joint_of(static_cast<std::size_t>(table.elements), -1);
    for (const auto* group : {&mechanism.joints, &mechanism.drivers, &mechanism.forces})
        for (const NamedElements& named : *group) {
            for (int e = 0; e < named.element_count; ++e)
                joint_of[static_cast<std::size_t>(named.first_element + e)] = joint;
            ++joint;
        }
    for (int e = 0; e < table.elements; ++e) {
        const Element& element = table.element[e];
        if (element.is_sensor) continue;
        if (element.kind == ElementKind::dot_2) make_full(element.body[0]);
        if (element.kind == ElementKind::distance) make_full(element.body[0]), make_full(element.body[1]);
        for (int k = 0; k < 3; ++k) {
            if (element.row[k] < 0) continue;
            MultiplierRow& row = problem.rows[static_cast<std::size_t>(element.row[k])];
            row.has_diagonal = element.has_law;
            row.joint = joint_of[static_cast<std::size_t>(e)];
            for (std::size_t side = 0; side < 2; ++side) {
                row.body[side] = element.body[side];
                if (element.body[side] >= 0)
                    row.entries[side] = static_cast<unsigned char>(row_entries(element.kind, k));
            }
        }
    }
    for (int l = 0; l < table.loads; ++l)
        if (table.load[l].kind == LoadKind::force_body) make_full(table.load[l].body);
    return problem;
}

void number_slots(const EliminationProblem& problem, MechanismTable& table) {
    Elimination& elimination = table.elimination;
    int slots = 0;
    for (int b = 0; b < table.bodies; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                elimination.body_slot[b][i][j] = static_cast<short>(
                    (problem.bodies[static_cast<std::size_t>(b)].entries[static_cast<std::size_t>(i)] >> j & 1)
                        ? slots++
                        : -1);
    for (int r = 0; r < table.rows; ++r) {
        const MultiplierRow& row = problem.rows[static_cast<std::size_t>(r)];
        for (int side = 0; side < 2; ++side)
            for (int i = 0; i < 6; ++i) {
                const bool there = row.entries[static_cast<std::size_t>(side)] >> i & 1;
                elimination.row_slot[r][side][i] = static_cast<short>(there ? slots++ : -1);
                elimination.column_slot[r][side][i] = static_cast<short>(there ? slots++ : -1);
            }
        elimination.diagonal_slot[r] = static_cast<short>(row.has_diagonal ? slots++ : -1);
    }
    elimination.slots = slots;
    elimination.unknowns = problem.unknowns();
}

std::vector<double> assembly_matrix(const MechanismTable& numbered, NominalInstance& nominal) {
    const TableTopology topology(&numbered);
    const NominalInstance::System system{topology, &nominal.parameters};
    auto& [work, functions, matrix] = nominal.scratch;
    system.functions_at(nominal.time_s, functions);
    system.place(nominal.motion.q, nominal.motion.v, work.bodies);
    for (int b = 0; b < numbered.bodies; ++b) work.moved[b] = work.turned[b] = Vec<3, double>{};
    system.equations(functions).evaluate(work, Level::position, false, nominal.motion.q.turned, matrix);
    return dense_matrix(numbered, matrix);
}

}  // namespace myriad::mechanism
