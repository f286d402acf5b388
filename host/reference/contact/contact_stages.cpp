// Stages of contact_integrator.hpp with the laws of contact, solved by Newton's method: dense, in the coordinates of
// stage_terms().

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Matrix2d, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Of a matrix and its right-hand sides.
MatrixXd solved(const MatrixXd& matrix, const MatrixXd& load) {
    if (!matrix.allFinite() || !load.allFinite())
        throw StepFailure{"not_finite", "the equations of the step are not finite"};
    return decomposed_newton_matrix(matrix).solve(load);
}
VectorXd finite(VectorXd correction) {
    if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
    return correction;
}

}  // namespace

// Frictions of coordinates that all are prescribed.
VectorXd ContactIntegrator::forces_at_prescribed(const Solved& end, double time_s) {
    const StageTerms here = stage_terms(end, time_s);
    const Index rows = contacts_.force.size();
    return contact_impulses(MatrixXd::Zero(rows, rows), here.contact_velocity, {}, end.force,
                            {1.0, held_frictions(here.at)});
}

ContactIntegrator::Solved ContactIntegrator::solve(const Stage& stage, const Solved& guess, const Closed& at_contacts) {
    const Index n = guess.acceleration.size(), m = guess.multipliers.size(), rows = contacts_.force.size();
    Solved end = guess;
    const auto follow = [&] {
        end.velocity = stage.fixed_velocity + stage.by_velocity * end.acceleration;
        end.increment = stage.fixed_increment + stage.by_increment * end.acceleration;
    };
    NewtonIteration newton(method_.most_newton_iterations);
    for (bool ended = n == 0; !ended;) {
        follow();
        const StageTerms here = stage_terms(end, stage.time_s);
        const auto& [joints, w] = here.at;
        MatrixXd matrix = MatrixXd::Zero(n + m, n + m), load = MatrixXd::Zero(n + m, 2 + rows);
        matrix.topLeftCorner(n, n) = here.mass + stage.by_velocity * here.damping + stage.by_increment * here.stiffness;
        matrix.topRightCorner(n, m) = joints.transpose();
        matrix.bottomLeftCorner(m, n) = joints;
        // Joints on position level, and on velocity level for what the laws of contact see.
        for (Index column = 0; column < 2; ++column) load.col(column).head(n) = here.residual;
        load.col(0).tail(m) = -here.constraint / stage.by_increment;
        load.col(1).tail(m) = -here.constraint_rate / stage.by_velocity;
        load.topRightCorner(n, rows) = w.transpose();
        const MatrixXd solution = solved(matrix, load);
        const MatrixXd response = stage.by_velocity * solution.topRightCorner(n, rows);
        const VectorXd admitted = here.contact_velocity + stage.by_velocity * w * solution.col(1).head(n);
        end.force = contact_impulses(w * response, admitted, at_contacts, end.force, {1.0, held_frictions(here.at)});
        const VectorXd correction = finite(solution.col(0) + solution.rightCols(rows) * end.force);
        end.acceleration += correction.head(n), end.multipliers += correction.tail(m);
        ++iterations_;
        ended = newton.ends_with(size_of(here.seen * (stage.by_increment * correction.head(n))));
    }
    follow();
    end_at(end, stage.time_s);
    if (n == 0 && sizes_.frictions > 0) end.force = forces_at_prescribed(end, stage.time_s);
    require_small_turns(end.increment);
    return end;
}

// Unknowns: accelerations of both stages, then the reactions of both.
ContactIntegrator::Solved ContactIntegrator::solve(const StagePair& stages, const Solved& guess,
                                                   const Closed& at_contacts) {
    const Index n = guess.acceleration.size(), m = guess.multipliers.size(), rows = contacts_.force.size();
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
        }
    };
    Closed closed = at_contacts;
    closed.insert(closed.end(), at_contacts.begin(), at_contacts.end());
    NewtonIteration newton(method_.most_newton_iterations);
    for (bool ended = n == 0; !ended;) {
        follow();
        MatrixXd matrix = MatrixXd::Zero(2 * (n + m), 2 * (n + m)), load = MatrixXd::Zero(2 * (n + m), 1 + 2 * rows),
                 seen = MatrixXd::Zero(2 * rows, 2 * n);  // of changes of the accelerations, weighted
        VectorXd velocity(2 * rows), forces(2 * rows);
        DryFriction friction{1.0, {}};
        std::array<MatrixXd, 2> seen_by;
        for (std::size_t stage = 0; stage < 2; ++stage) {
            const auto s = static_cast<Index>(stage);
            const StageTerms here = stage_terms(end[stage], stages.time_s[stage]);
            const auto& [joints, w] = here.at;
            for (const bool held : held_frictions(here.at)) friction.held.push_back(held);
            for (Index t = 0; t < 2; ++t) {
                matrix.block(s * n, t * n, n, n) =
                    of_increment(s, t) * here.stiffness + of_velocity(s, t) * here.damping;
                if (s == t) matrix.block(s * n, t * n, n, n) += here.mass;
                matrix.block(2 * n + s * m, t * n, m, n) = of_velocity(s, t) / stages.h * joints;
                seen.block(s * rows, t * n, rows, n) = stages.weight[stage] * of_velocity(s, t) * w;
            }
            matrix.block(s * n, 2 * n + s * m, n, m) = joints.transpose();
            load.block(s * n, 0, n, 1) = here.residual;
            load.block(2 * n + s * m, 0, m, 1) = -here.constraint_rate / stages.h;
            load.block(s * n, 1 + s * rows, n, rows) = w.transpose();
            velocity.segment(s * rows, rows) = stages.weight[stage] * here.contact_velocity;
            forces.segment(s * rows, rows) = end[stage].force;
            seen_by[stage] = here.seen;
        }
        const MatrixXd solution = solved(matrix, load), response = solution.topRightCorner(2 * n, 2 * rows);
        forces =
            contact_impulses(seen * response, velocity + seen * solution.col(0).head(2 * n), closed, forces, friction);
        const VectorXd correction = finite(solution.col(0) + solution.rightCols(2 * rows) * forces);
        double size = 0.0;
        for (std::size_t stage = 0; stage < 2; ++stage) {
            const auto s = static_cast<Index>(stage);
            end[stage].acceleration += correction.segment(s * n, n);
            end[stage].multipliers += correction.segment(2 * n + s * m, m);
            end[stage].force = forces.segment(s * rows, rows);
            const VectorXd change = sum(of_increment, stage, correction.head(n), correction.segment(n, n));
            size += size_of(seen_by[stage] * change);
        }
        ++iterations_;
        ended = newton.ends_with(size);
    }
    follow();
    for (const Solved& stage : end) require_small_turns(stage.increment);
    Solved& last = end.front();
    end_at(last, stages.time_s.front());
    if (n == 0 && sizes_.frictions > 0) last.force = forces_at_prescribed(last, stages.time_s.front());
    return last;
}

}  // namespace myriad::reference
