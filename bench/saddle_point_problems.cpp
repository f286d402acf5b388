#include "bench/saddle_point_problems.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>

#include "bench/measurement.hpp"
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/orientation/orientation.hpp"

namespace myriad::bench {

namespace {

using System = Mechanism<double, TableTopology, RotationGroup>;

// The packed matrix of the kernels, unpacked; fill is no part of it.
void unpack(const MechanismTable& table, const std::vector<double>& packed, double* dense) {
    const Elimination& by = table.elimination;
    const int n = by.unknowns;
    const auto put = [&](int row, int column, int slot) {
        if (slot >= 0) dense[static_cast<std::size_t>(column * n + row)] = packed[static_cast<std::size_t>(slot)];
    };
    for (int b = 0; b < table.bodies; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) put(6 * b + i, 6 * b + j, by.body_slot[b][i][j]);
    for (int e = 0; e < table.elements; ++e)
        for (const int row : table.element[e].row)
            for (int side = 0; row >= 0 && side < 2; ++side)
                for (int i = 0; table.element[e].body[side] >= 0 && i < 6; ++i) {
                    const int unknown = 6 * table.element[e].body[side] + i;
                    put(6 * table.bodies + row, unknown, by.row_slot[row][side][i]);
                    put(unknown, 6 * table.bodies + row, by.column_slot[row][side][i]);
                }
}

struct Instance {
    std::unique_ptr<System::Scratch> scratch = std::make_unique<System::Scratch>();
    System::Configuration q;
    System::Velocity v;
};

}  // namespace

SaddlePointProblems saddle_point_problems(const mechanism::Mechanism& mechanism, int count) {
    const MechanismTable& table = mechanism.table;
    if (table.rows != table.constraint_rows)
        throw std::invalid_argument(mechanism.name + " has force elements: its Schur complement is not definite");
    const auto parameters = std::make_unique<System::Parameters>();
    const std::vector<double> nominal = mechanism.nominal_kernel_parameters();
    for (std::size_t i = 0; i < nominal.size(); ++i) (*parameters)[static_cast<int>(i)] = nominal[i];
    const System system{TableTopology(&table), parameters.get()};
    const auto n = static_cast<std::size_t>(table.elimination.unknowns), rows = static_cast<std::size_t>(table.rows),
               body_unknowns = n - rows;
    SaddlePointProblems problems;
    problems.count = count, problems.unknowns = static_cast<int>(n), problems.rows = static_cast<int>(rows);

    Instance instance;
    instance.q.fit(system.topology), instance.v.fit(system.topology);
    auto& work = instance.scratch->work;
    std::vector<double> packed(static_cast<std::size_t>(table.elimination.slots));
    for (int number = 0; number < count; ++number) {
        system.start(instance.q, instance.v);
        for (int b = 0; b < table.bodies; ++b) {
            const Vec<3, double> turn{0.2 * std::sin(1.0 + number + b), 0.2 * std::sin(2.0 + 1.3 * number - b),
                                      0.2 * std::sin(3.0 - 0.7 * number + 2 * b)};
            instance.q.orientation[b] = RotationGroup<double>::retract(instance.q.orientation[b], turn);
        }
        system.functions_at(0.0, instance.scratch->functions);
        system.place(instance.q, instance.v, work.bodies);
        for (int b = 0; b < table.bodies; ++b) {
            work.moved[b] = {0.1 * std::cos(number + b), 0.2, -0.1 * b};
            work.turned[b] = {0.05, 0.1 * std::sin(number), 0.03 * b};
        }
        double* const matrix = instance.scratch->matrix;
        std::fill(matrix, matrix + packed.size(), 0.0);  // what is fill is never written
        system.equations(instance.scratch->functions).evaluate(work, Level::position, false, instance.q.turned, matrix);
        packed.assign(matrix, matrix + packed.size());
        problems.matrices.resize(problems.matrices.size() + n * n, 0.0);
        double* const dense = problems.matrices.data() + problems.matrices.size() - n * n;
        unpack(table, packed, dense);
        problems.right_hand_sides.insert(problems.right_hand_sides.end(), work.right_hand_side,
                                         work.right_hand_side + n);
        const std::vector<double> side(work.right_hand_side, work.right_hand_side + n);

        const double begun = now_s(Clock::thread_cpu);
        system.topology.factor<double>(matrix);
        system.solve(work, matrix);
        problems.seconds += now_s(Clock::thread_cpu) - begun;
        problems.solutions.insert(problems.solutions.end(), work.solution, work.solution + n);

        // M^-1 (B^T, r), body by body, as columns.
        std::vector<double> weighted(body_unknowns * (rows + 1));
        for (std::size_t column = 0; column <= rows; ++column)
            for (int b = 0; b < table.bodies; ++b) {
                const int at = first_body_parameter + b * body_parameters;
                const auto first = static_cast<std::size_t>(6 * b);
                const auto entry = [&](std::size_t i) {
                    return column < rows ? dense[(body_unknowns + column) * n + first + i] : side[first + i];
                };
                const Mat3<double> inertia = inverse(matrix_of(symmetric_at<double>(*parameters, at + body_inertia)));
                const Vec<3, double> turn = inertia * Vec<3, double>{entry(3), entry(4), entry(5)};
                for (std::size_t i = 0; i < 3; ++i) {
                    weighted[column * body_unknowns + first + i] = entry(i) / (*parameters)[at + body_mass];
                    weighted[column * body_unknowns + first + 3 + i] = turn[static_cast<int>(i)];
                }
            }
        const auto row_times = [&](std::size_t row, std::size_t column) {
            double sum = 0.0;
            for (std::size_t i = 0; i < body_unknowns; ++i)
                sum += dense[(body_unknowns + row) * n + i] * weighted[column * body_unknowns + i];
            return sum;
        };
        for (std::size_t column = 0; column < rows; ++column)
            for (std::size_t row = 0; row < rows; ++row) problems.schur_matrices.push_back(row_times(row, column));
        for (std::size_t row = 0; row < rows; ++row)
            problems.schur_sides.push_back(row_times(row, rows) - side[body_unknowns + row]);
    }
    return problems;
}

}  // namespace myriad::bench
