// Saddle-point matrices with the structure of mechanisms and random values, and the slots they go to.
#pragma once
#include <Eigen/Dense>
#include <random>
#include <vector>

#include "host/mechanism/elimination/elimination_plan.hpp"

namespace myriad::mechanism {

enum class JointRows { point, revolute, spherical_and_law, fixed, distance };

struct JointBetween {
    JointRows type;
    int a, b;  // bodies; -1: ground
};

struct Example {
    std::string name;
    std::vector<JointBetween> joints;
    int bodies;
    std::vector<Eigen::Vector3d> inertia{};  // principal, per body; empty: generic
    std::vector<int> stiff_bodies{};         // with a full 6x6 block
};

constexpr unsigned char translation_entry(int i) { return static_cast<unsigned char>(1 << i); }
constexpr unsigned char rotation_entries = 56;

inline void add_rows(EliminationProblem& problem, const JointBetween& between, int joint) {
    const auto add = [&](unsigned char entries, bool has_diagonal) {
        MultiplierRow row;
        row.body = {between.a, between.b};
        row.entries = {between.a < 0 ? static_cast<unsigned char>(0) : entries,
                       between.b < 0 ? static_cast<unsigned char>(0) : entries};
        row.has_diagonal = has_diagonal;
        row.joint = joint;
        problem.rows.push_back(row);
    };
    if (between.type == JointRows::distance) {
        add(7 | rotation_entries, true);
        return;
    }
    for (int i = 0; i < 3; ++i) add(static_cast<unsigned char>(translation_entry(i) | rotation_entries), false);
    const int perpendicular = between.type == JointRows::revolute ? 2 : between.type == JointRows::fixed ? 3 : 0;
    for (int i = 0; i < perpendicular; ++i) add(rotation_entries, false);
    if (between.type == JointRows::spherical_and_law) add(rotation_entries, true);
}

inline EliminationProblem structure_of(const Example& example) {
    EliminationProblem problem;
    problem.bodies.resize(static_cast<std::size_t>(example.bodies));
    for (const int body : example.stiff_bodies) problem.bodies[static_cast<std::size_t>(body)] = BodyBlock::full();
    for (std::size_t j = 0; j < example.joints.size(); ++j) add_rows(problem, example.joints[j], static_cast<int>(j));
    return problem;
}

// Values of one pose: bodies of a few kg, gyroscopic terms, unit translation entries of point rows.
inline Eigen::MatrixXd values_of(const Example& example, const EliminationProblem& problem, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const int n = problem.unknowns();
    const auto draw = [&] { return uniform(random); };
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n);
    for (int body = 0; body < example.bodies; ++body) {
        const double mass = 2.0 + draw();
        k.block<3, 3>(6 * body, 6 * body).diagonal().setConstant(mass);
        const bool given = !example.inertia.empty();
        Eigen::Vector3d inertia(0.5 + 0.3 * draw(), 0.5 + 0.3 * draw(), 0.5 + 0.3 * draw());
        if (given) inertia = example.inertia[static_cast<std::size_t>(body)];
        k.block<3, 3>(6 * body + 3, 6 * body + 3).diagonal() = inertia;
        if (given) continue;  // exactly as published
        for (int i = 3; i < 6; ++i)
            for (int j = 3; j < 6; ++j) k(6 * body + i, 6 * body + j) += 0.05 * draw();
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                if (problem.bodies[static_cast<std::size_t>(body)].entries[static_cast<std::size_t>(i)] == 63)
                    k(6 * body + i, 6 * body + j) += 0.05 * draw();
    }
    // The direction rows of a joint are perpendicular to each other on either body, as those of real joints are.
    Eigen::Matrix3d directions[2];
    int joint = -1, direction = 0;
    for (std::size_t r = 0; r < problem.rows.size(); ++r) {
        const int multiplier = 6 * example.bodies + static_cast<int>(r);
        if (problem.rows[r].joint != joint) {
            joint = problem.rows[r].joint;
            direction = 0;
            for (Eigen::Matrix3d& d : directions) d = Eigen::Matrix3d::NullaryExpr(draw).householderQr().householderQ();
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (int i = 0; i < 6; ++i) {
                const unsigned entries = problem.rows[r].entries[side];
                if (!(entries >> i & 1)) continue;
                const bool of_point = i < 3 && (entries & 7u) != 7u;
                const bool of_direction = (entries & 7u) == 0u;
                const double value = of_point       ? (side == 0 ? -1.0 : 1.0)
                                     : of_direction ? directions[side](direction, i - 3)
                                                    : draw();
                k(multiplier, 6 * problem.rows[r].body[side] + i) = value;
                k(6 * problem.rows[r].body[side] + i, multiplier) = value;
            }
        if (((problem.rows[r].entries[0] | problem.rows[r].entries[1]) & 7u) == 0u) ++direction;
        if (problem.rows[r].has_diagonal) k(multiplier, multiplier) = -0.01 * (2.0 + draw());
    }
    return k;
}

inline void add_nominal(EliminationProblem& problem, const Eigen::MatrixXd& k) {
    for (int i = 0; i < k.rows(); ++i)
        for (int j = 0; j < k.cols(); ++j) problem.nominal_matrices.push_back(k(i, j));
}

// Puts one matrix into the slots of the plan; set(slot, value).
template <class Set>
void scatter(const EliminationProblem& problem, const Elimination& e, const Eigen::MatrixXd& k, Set set) {
    const int bodies = static_cast<int>(problem.bodies.size());
    for (int body = 0; body < bodies; ++body)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                if (e.body_slot[body][i][j] >= 0) set(e.body_slot[body][i][j], k(6 * body + i, 6 * body + j));
    for (std::size_t r = 0; r < problem.rows.size(); ++r) {
        const int multiplier = 6 * bodies + static_cast<int>(r);
        for (std::size_t side = 0; side < 2; ++side)
            for (int i = 0; i < 6; ++i) {
                const int unknown = 6 * problem.rows[r].body[side] + i;
                if (e.row_slot[r][side][i] >= 0) set(e.row_slot[r][side][i], k(multiplier, unknown));
                if (e.column_slot[r][side][i] >= 0) set(e.column_slot[r][side][i], k(unknown, multiplier));
            }
        if (e.diagonal_slot[r] >= 0) set(e.diagonal_slot[r], k(multiplier, multiplier));
    }
}

inline Example chain(int bodies, JointRows type) {
    Example example{"chain", {}, bodies};
    for (int b = 0; b < bodies; ++b) example.joints.push_back({type, b - 1, b});
    return example;
}

}  // namespace myriad::mechanism
