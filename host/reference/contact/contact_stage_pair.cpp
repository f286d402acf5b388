// ED-alpha of contact_integrator.hpp: both stages at once, dense and each with its own matrices.

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_start.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Matrix2d, Eigen::MatrixXd, Eigen::VectorXd;

// Unknowns: accelerations of both stages, then the reactions of both.
std::array<ContactIntegrator::Solved, 2> ContactIntegrator::solve(const StagePair& stages, const Solved& guess,
                                                                  const Closed& at_contacts) {
    const Index n = motion_.acceleration.size(), m = motion_.multipliers.size(), rows = contacts_.force.size();
    const Matrix2d of_velocity = stages.h * stages.coefficient, of_increment = of_velocity * of_velocity;
    std::array<Solved, 2> end{guess, guess};
    const auto sum = [&](const Matrix2d& by, std::size_t s, const VectorXd& of_first, const VectorXd& of_second) {
        const auto row = static_cast<Index>(s);
        return VectorXd(by(row, 0) * of_first + by(row, 1) * of_second);
    };
    const auto follow = [&] {
        for (std::size_t s = 0; s < 2; ++s) {
            const VectorXd &a = end[0].acceleration, &b = end[1].acceleration;
            end[s].velocity = stages.fixed_velocity[s] + sum(of_velocity, s, a, b);
            end[s].increment = stages.fixed_increment[s] + sum(of_increment, s, a, b);
            end[s].state = moved(motion_.state, end[s].increment, end[s].velocity, stages.time_s[s]);
        }
    };
    Closed closed = at_contacts;
    closed.insert(closed.end(), at_contacts.begin(), at_contacts.end());
    NewtonIteration newton(method_.most_newton_iterations);
    for (bool ended = false; !ended;) {
        follow();
        MatrixXd matrix = MatrixXd::Zero(2 * (n + m), 2 * (n + m)), load = MatrixXd::Zero(2 * (n + m), 1 + 2 * rows),
                 seen = MatrixXd::Zero(2 * rows, 2 * n);  // of changes of the accelerations, weighted
        VectorXd velocity(2 * rows), forces(2 * rows);
        DryFriction friction{1.0, {}};
        for (std::size_t stage = 0; stage < 2; ++stage) {
            const auto s = static_cast<Index>(stage);
            const MechanismTerms terms = mechanism_terms(model_, end[stage].state, end[stage].multipliers);
            const MatrixXd w = contact_directions(model_, end[stage].state);
            for (const bool held : held_frictions({terms.constraint_jacobian, w})) friction.held.push_back(held);
            for (Index t = 0; t < 2; ++t) {
                matrix.block(s * n, t * n, n, n) =
                    of_increment(s, t) * (terms.reaction_by_displacement - terms.force_by_displacement) -
                    of_velocity(s, t) * terms.force_by_velocity;
                if (s == t) matrix.block(s * n, t * n, n, n) += terms.mass;
                matrix.block(2 * n + s * m, t * n, m, n) = of_velocity(s, t) / stages.h * terms.constraint_jacobian;
                seen.block(s * rows, t * n, rows, n) = stages.weight[stage] * of_velocity(s, t) * w;
            }
            matrix.block(s * n, 2 * n + s * m, n, m) = terms.constraint_jacobian.transpose();
            load.block(s * n, 0, n, 1) = terms.force - terms.mass * end[stage].acceleration -
                                         terms.constraint_jacobian.transpose() * end[stage].multipliers;
            load.block(2 * n + s * m, 0, m, 1) = -terms.constraint_rate / stages.h;
            load.block(s * n, 1 + s * rows, n, rows) = w.transpose();
            velocity.segment(s * rows, rows) = stages.weight[stage] * w * end[stage].velocity;
            forces.segment(s * rows, rows) = end[stage].force;
        }
        if (!matrix.allFinite() || !load.allFinite())
            throw StepFailure{"not_finite", "the equations of the step are not finite"};
        const Decomposition<double> decomposition = decomposed_newton_matrix(matrix);
        const MatrixXd solution = decomposition.solve(load), response = solution.topRightCorner(2 * n, 2 * rows);
        forces =
            contact_impulses(seen * response, velocity + seen * solution.col(0).head(2 * n), closed, forces, friction);
        const VectorXd correction = solution.col(0) + solution.rightCols(2 * rows) * forces;
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        double size = 0.0;
        for (std::size_t stage = 0; stage < 2; ++stage) {
            const auto s = static_cast<Index>(stage);
            end[stage].acceleration += correction.segment(s * n, n);
            end[stage].multipliers += correction.segment(2 * n + s * m, m);
            end[stage].force = forces.segment(s * rows, rows);
            size += displacement_norm(model_, sum(of_increment, stage, correction.head(n), correction.segment(n, n)));
        }
        ++iterations_;
        ended = newton.ends_with(size);
    }
    follow();
    for (const Solved& stage : end) require_small_turns(stage.increment);
    return end;
}

// The end of the step first, then its jump at the beginning.
ContactIntegrator::Solved ContactIntegrator::ed_alpha(double h, double end_s, const Closed& at_begin) {
    const double alpha = (1.0 - method_.spectral_radius) / (1.0 + method_.spectral_radius), r = method_.ed_alpha_ratio;
    StagePair stages;
    stages.h = h;
    stages.coefficient << 0.5, 0.5, -r, alpha * r;
    stages.time_s = {end_s, motion_.state.time_s};
    stages.weight = {1.0, 0.5 / r};  // so that the contacts' problem is monotone
    const VectorXd v = velocity_vector(motion_.state);
    const VectorXd v_jump = v + h * r * (1.0 - alpha) * motion_.acceleration;
    stages.fixed_velocity = {v, v_jump};
    stages.fixed_increment = {0.5 * h * (v + v_jump), h * r * alpha * (v_jump - v)};
    Solved end =
        solve(stages, {motion_.acceleration, motion_.multipliers, contacts_.force, {}, {}, {}}, at_begin).front();
    put_on_joints(model_, end.state);
    return end;
}

}  // namespace myriad::reference
