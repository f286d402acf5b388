// Random contact problems of bodies: G = W^T M^-1 W, b = W^T v, so that rest solves the law of every one of them.
#pragma once
#include <Eigen/Geometry>
#include <cmath>

#include "host/reference/nonsmooth_contact.hpp"
#include "kernels/prox.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {

// The directions as rows of W^T.
inline reference::LocalProblem problem_of(const Eigen::MatrixXd& directions, const Eigen::VectorXd& masses,
                                          const Eigen::VectorXd& velocity, int tangents, double friction) {
    reference::LocalProblem problem;
    problem.tangents = tangents;
    problem.delassus = directions * masses.cwiseInverse().asDiagonal() * directions.transpose();
    problem.free_velocity = directions * velocity;
    problem.contacts.resize(static_cast<std::size_t>(directions.rows() / (1 + tangents)));
    for (auto& contact : problem.contacts) contact.friction = friction;
    return problem;
}

// Directions without any order in `freedoms` freedoms: dependent where there are fewer freedoms than rows.
inline reference::LocalProblem disordered_problem(Arguments& draw, int contacts, int tangents, int freedoms,
                                                  double most_friction) {
    const int rows = contacts * (1 + tangents);
    Eigen::MatrixXd directions(rows, freedoms);
    Eigen::VectorXd masses(freedoms), velocity(freedoms);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < freedoms; ++j) directions(i, j) = draw.uniform(-1.0, 1.0);
    for (int j = 0; j < freedoms; ++j)
        masses[j] = std::exp(draw.uniform(-2.0, 2.0)), velocity[j] = draw.uniform(-1.0, 1.0);
    reference::LocalProblem problem = problem_of(directions, masses, velocity, tangents, 0.0);
    for (auto& contact : problem.contacts) {
        contact.friction = draw.uniform(0.0, most_friction);
        contact.closed = draw.uniform(0.0, 1.0) < 0.9;
        contact.bilateral = draw.uniform(0.0, 1.0) < 0.1;
    }
    return problem;
}

// A box with its four lower corners on a plane: 12 rows, 6 freedoms.
inline reference::LocalProblem box_on_plane(Arguments& draw, double most_friction) {
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.1, 1.0), height = draw.uniform(0.05, 0.5);
    Eigen::MatrixXd directions(12, 6);
    for (int k = 0; k < 4; ++k) {
        const Eigen::Vector3d corner((k & 1) != 0 ? a : -a, (k & 2) != 0 ? b : -b, -height);
        const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
        for (int i = 0; i < 3; ++i) directions.row(3 * k + i) << axes[i].transpose(), corner.cross(axes[i]).transpose();
    }
    Eigen::VectorXd masses(6), velocity(6);
    masses << 1.0, 1.0, 1.0, draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3);
    for (int i = 0; i < 6; ++i) velocity[i] = draw.uniform(-1.0, 1.0);
    return problem_of(directions, masses, velocity, 2, draw.uniform(0.0, most_friction));
}

// A slider that fills its slot: two corners on either side, 8 rows, 3 freedoms.
inline reference::LocalProblem slider_in_slot(Arguments& draw, double most_friction) {
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.05, 0.5);
    Eigen::MatrixXd directions(8, 3);
    for (int k = 0; k < 4; ++k) {
        const double x = (k & 1) != 0 ? a : -a, y = (k & 2) != 0 ? b : -b, side = (k & 2) != 0 ? -1.0 : 1.0;
        directions.row(2 * k) << 0.0, side, side * x;
        directions.row(2 * k + 1) << 1.0, 0.0, -y;
    }
    Eigen::VectorXd masses(3), velocity(3);
    masses << 1.0, 1.0, draw.uniform(0.02, 0.3);
    for (int i = 0; i < 3; ++i) velocity[i] = draw.uniform(-1.0, 1.0);
    return problem_of(directions, masses, velocity, 1, draw.uniform(0.0, most_friction));
}

// One problem in lane `lane` of a kernel's problem.
template <int C, int T, class Real>
void set_lane(ContactProblem<C, T, Real>& kernel, int lane, const reference::LocalProblem& problem) {
    const auto set = [&](Real& x, double value) { Lanes<Real>::set(x, lane, value); };
    const auto mark = [&](MaskOf<Real>& mask, bool value) {
        if constexpr (Lanes<Real>::width == 1)
            mask = value;
        else
            mask.lanes[lane] = value ? -1 : 0;
    };
    for (int i = 0; i < kernel.rows; ++i) {
        for (int j = 0; j < kernel.rows; ++j) set(kernel.delassus.e[i][j], problem.delassus(i, j));
        set(kernel.free_velocity[i], problem.free_velocity[i]);
    }
    for (int k = 0; k < C; ++k) {
        const auto& contact = problem.contacts[static_cast<std::size_t>(k)];
        set(kernel.friction[k], contact.friction);
        mark(kernel.closed[k], contact.closed), mark(kernel.bilateral[k], contact.bilateral);
    }
}

template <int C, int T>
ContactProblem<C, T, double> kernel_problem(const reference::LocalProblem& problem) {
    ContactProblem<C, T, double> kernel;
    set_lane(kernel, 0, problem);
    return kernel;
}

template <int N>
Eigen::VectorXd eigen_of(const Vec<N, double>& x) {
    Eigen::VectorXd copy(N);
    for (int i = 0; i < N; ++i) copy[i] = x[i];
    return copy;
}

}  // namespace myriad::test
