// Random contact problems of bodies: G = W^T M^-1 W, b = W^T v, so that rest solves the law of every one of them.
#pragma once
#include <Eigen/Geometry>
#include <cmath>

#include "host/reference/contact/nonsmooth_contact.hpp"
#include "kernels/contact/prox.hpp"
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

// Rows of a point of a body, s from its centre: along a normal and two tangents; `sign` is that of the body's motion.
inline void add_directions(Eigen::MatrixXd& directions, int row, int first_freedom, double sign,
                           const Eigen::Vector3d& s, const Eigen::Vector3d& normal) {
    const Eigen::Vector3d tangent = normal.unitOrthogonal(), axes[] = {normal, tangent, normal.cross(tangent)};
    for (int i = 0; i < 3; ++i)
        directions.block<1, 6>(row + i, first_freedom) << sign * axes[i].transpose(),
            sign * s.cross(axes[i]).transpose();
}
// One of the four lower corners of a box.
inline Eigen::Vector3d lower_corner(int k, double a, double b, double height) {
    return {(k & 1) != 0 ? a : -a, (k & 2) != 0 ? b : -b, -height};
}

// A box with its four lower corners on a plane: 12 rows, 6 freedoms.
inline reference::LocalProblem box_on_plane(Arguments& draw, double most_friction) {
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.1, 1.0), height = draw.uniform(0.05, 0.5);
    Eigen::MatrixXd directions(12, 6);
    for (int k = 0; k < 4; ++k)
        add_directions(directions, 3 * k, 0, 1.0, lower_corner(k, a, b, height), Eigen::Vector3d::UnitZ());
    Eigen::VectorXd masses(6), velocity(6);
    masses << 1.0, 1.0, 1.0, draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3);
    for (int i = 0; i < 6; ++i) velocity[i] = draw.uniform(-1.0, 1.0);
    return problem_of(directions, masses, velocity, 2, draw.uniform(0.0, most_friction));
}

// The same box where it comes down turning and all but without sliding, on three corners or on four: whether a corner
// sticks or slides hangs by little.
inline reference::LocalProblem tipping_box(Arguments& draw, double most_friction) {
    reference::LocalProblem problem;
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.1, 1.0), height = draw.uniform(0.05, 0.5);
    const double slip = std::pow(10.0, -draw.uniform(0.0, 3.0));
    Eigen::MatrixXd directions(12, 6);
    for (int k = 0; k < 4; ++k)
        add_directions(directions, 3 * k, 0, 1.0, lower_corner(k, a, b, height), Eigen::Vector3d::UnitZ());
    Eigen::VectorXd masses(6), velocity(6);
    masses << 1.0, 1.0, 1.0, draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3);
    for (int i = 0; i < 6; ++i) velocity[i] = (i > 1 && i < 5 ? 1.0 : slip) * draw.uniform(-1.0, 1.0);
    velocity[2] = -1.0;
    problem = problem_of(directions, masses, velocity, 2, draw.uniform(0.0, most_friction));
    problem.contacts[3].closed = draw.uniform(0.0, 1.0) < 0.5;
    return problem;
}

// A box on the floor with a second one on top: 24 rows, 12 freedoms. They fall, but for a `motion` of any direction.
inline reference::LocalProblem stacked_boxes(Arguments& draw, double most_friction, double motion) {
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.1, 1.0), height = draw.uniform(0.05, 0.5),
                 upper_height = draw.uniform(0.05, 0.5), share = draw.uniform(0.3, 0.9);
    Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(24, 12);
    for (int k = 0; k < 4; ++k) {
        add_directions(directions, 3 * k, 0, 1.0, lower_corner(k, a, b, height), Eigen::Vector3d::UnitZ());
        add_directions(directions, 12 + 3 * k, 0, -1.0, lower_corner(k, share * a, share * b, -height),
                       Eigen::Vector3d::UnitZ());
        add_directions(directions, 12 + 3 * k, 6, 1.0, lower_corner(k, share * a, share * b, upper_height),
                       Eigen::Vector3d::UnitZ());
    }
    Eigen::VectorXd masses(12), velocity(12);
    const double upper = std::exp(draw.uniform(-2.0, 2.0));
    for (int i = 0; i < 12; ++i)
        masses[i] = (i < 6 ? 1.0 : upper) * (i % 6 < 3 ? 1.0 : draw.uniform(0.02, 0.3)),
        velocity[i] = motion * draw.uniform(-1.0, 1.0) - (i % 6 == 2 ? 1.0 - motion : 0.0);
    return problem_of(directions, masses, velocity, 2, draw.uniform(0.0, most_friction));
}

// A box in a corner between the floor and a wall: 24 rows, 6 freedoms. It falls, but for a `motion` of any direction.
inline reference::LocalProblem box_in_corner(Arguments& draw, double most_friction, double motion) {
    const double a = draw.uniform(0.1, 1.0), b = draw.uniform(0.1, 1.0), height = draw.uniform(0.05, 0.5);
    Eigen::MatrixXd directions(24, 6);
    for (int k = 0; k < 4; ++k) {
        add_directions(directions, 3 * k, 0, 1.0, lower_corner(k, a, b, height), Eigen::Vector3d::UnitZ());
        const Eigen::Vector3d at_wall(-a, (k & 1) != 0 ? b : -b, (k & 2) != 0 ? height : -height);
        add_directions(directions, 12 + 3 * k, 0, 1.0, at_wall, Eigen::Vector3d::UnitX());
    }
    Eigen::VectorXd masses(6), velocity(6);
    masses << 1.0, 1.0, 1.0, draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3), draw.uniform(0.02, 0.3);
    for (int i = 0; i < 6; ++i) velocity[i] = motion * draw.uniform(-1.0, 1.0) - (i == 2 ? 1.0 - motion : 0.0);
    return problem_of(directions, masses, velocity, 2, draw.uniform(0.0, most_friction));
}

// Three links from a hinge, straight but for `bend` rad: their tip at a wall ahead and one beside, their elbows at
// walls beside. Small turns press the tip with large forces, and across their plane no contact has any motion.
inline reference::LocalProblem toggle_chain(Arguments& draw, int tangents, double most_friction, double bend) {
    constexpr int links = 3;
    double length[links], mass[links], angle[links];
    for (int i = 0; i < links; ++i)
        length[i] = draw.uniform(0.3, 1.0), mass[i] = std::exp(draw.uniform(-1.0, 1.0)),
        angle[i] = bend * draw.uniform(-1.0, 1.0);
    // Velocities along and across of the point at `share` of a link.
    const auto jacobian = [&](int link, double share) {
        Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, links);
        for (int i = 0; i <= link; ++i) {
            const double arm = i == link ? share * length[i] : length[i];
            rows(0, i) = -arm * std::sin(angle[i]), rows(1, i) = arm * std::cos(angle[i]);
        }
        return rows;
    };
    Eigen::MatrixXd mass_matrix = Eigen::MatrixXd::Zero(links, links);
    for (int i = 0; i < links; ++i) {
        const Eigen::MatrixXd centre = jacobian(i, 0.5);
        mass_matrix += mass[i] * centre.transpose() * centre;
        mass_matrix(i, i) += mass[i] * length[i] * length[i] / 12.0;
    }
    const int rows = 4 * (1 + tangents);
    Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(rows, links);
    const Eigen::Vector2d normals[] = {{-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}, {0.0, 1.0}};
    const int ends_of[] = {2, 2, 1, 0};
    for (int k = 0; k < 4; ++k) {
        const Eigen::MatrixXd end = jacobian(ends_of[k], 1.0);
        const Eigen::Vector2d tangent(-normals[k][1], normals[k][0]);
        directions.row(k * (1 + tangents)) = normals[k].transpose() * end;
        directions.row(k * (1 + tangents) + 1) = tangent.transpose() * end;
    }
    Eigen::VectorXd velocity(links);
    for (int i = 0; i < links; ++i) velocity[i] = draw.uniform(-1.0, 1.0);
    reference::LocalProblem problem;
    problem.tangents = tangents;
    problem.delassus = directions * mass_matrix.inverse() * directions.transpose();
    problem.free_velocity = directions * velocity;
    problem.contacts.resize(4);
    const double friction = draw.uniform(0.0, most_friction);
    for (auto& contact : problem.contacts) contact.friction = friction;
    return problem;
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
