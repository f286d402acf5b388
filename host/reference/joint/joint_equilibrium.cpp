// The equilibrium in which a tree of joints settles from its start: the end of q' = tau^2 a by steps of growing tau^2.
//
//   [M + tau^2 K  G^T; G  0] (z, .) = (-(g + G^T lambda), -phi / tau^2),   q <- q o tau^2 z
//   taken: where Z^T (M + tau^2 K) Z has no negative eigenvalue, G Z = 0, or z is next to nothing
//
// An equilibrium with a negative eigenvalue is left by a small move. It is the start where nothing else is found, and
// where the search begins at it.
// a, lambda: accelerations and multipliers at rest; g: generalized forces that act against the coordinates; K: central
// differences of g + G^T lambda. Functions of time stand still.
#include <Eigen/Eigenvalues>
#include <optional>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/reference/joint/joint_linear.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr int most_steps_to_equilibrium = 1000, most_saddles = 3;
constexpr double longest_step = 0.3, settled = 1e-11, near = 1e-6, smallest_square_time = 1e-14,
                 longest_square_time = 1e12;
// Of a length, an angle or a rate: the cube root of round-off.
constexpr double difference = 6e-6;

}  // namespace

// Against the coordinates, those of the rows included.
VectorXd JointEquations::force_at(const JointState& at, const VectorXd& multipliers) const {
    const JointedBodies here = bodies(at, VectorXd::Zero(size()));
    const MechanismTerms terms = this->terms(here, multipliers);
    return joint_rows(at, here, terms).gradient.transpose() * multipliers - here.jacobian.transpose() * terms.force;
}

MatrixXd JointEquations::stiffness_at(const JointState& at, const VectorXd& multipliers) const {
    MatrixXd stiffness(size(), size());
    for (Index i = 0; i < size(); ++i) {
        const VectorXd u = difference * VectorXd::Unit(size(), i);
        stiffness.col(i) = (force_at(moved(at, u, at.v, at.time_s), multipliers) -
                            force_at(moved(at, -u, at.v, at.time_s), multipliers)) /
                           (2.0 * difference);
    }
    return stiffness;
}

LinearJoints JointEquations::linearized() const {
    JointEquations still = *this;
    still.is_at_rest_ = true, still.start_.v.setZero();
    const JointState& at = still.start_;
    const VectorXd multipliers = still.accelerations(at).multipliers, zero = VectorXd::Zero(size());
    const JointedBodies here = still.bodies(at, zero);
    const MechanismTerms terms = still.terms(here, multipliers);
    LinearJoints linear{here.jacobian.transpose() * terms.mass * here.jacobian, MatrixXd(size(), size()),
                        still.stiffness_at(at, multipliers), still.joint_rows(at, here, terms).gradient};
    for (Index i = 0; i < size(); ++i) {
        const VectorXd rate = difference * VectorXd::Unit(size(), i);
        linear.damping.col(i) = (still.force_at(still.moved(at, zero, rate, at.time_s), multipliers) -
                                 still.force_at(still.moved(at, zero, -rate, at.time_s), multipliers)) /
                                (2.0 * difference);
    }
    return linear;
}

double JointEquations::length_of(const VectorXd& u, bool of_turns_alone) const {
    double sum = 0.0;
    for (Index i = 0; i < size(); ++i) {
        const Index freedom = free_[static_cast<std::size_t>(i)];
        const std::size_t joint = joint_of(freedom);
        const bool is_slide = freedom - first_[joint] < slides_of(bodies_[joint].joint);
        if (!is_slide || !of_turns_alone) sum += std::pow(is_slide ? u[i] / model_.length_scale_m : u[i], 2);
    }
    return std::sqrt(sum);
}

JointEquations::Settling JointEquations::settling(double square_time, const VectorXd& multipliers) const {
    const JointedBodies here = bodies(start_, VectorXd::Zero(size()));
    const MechanismTerms terms = this->terms(here, multipliers);
    const JointRows rows = joint_rows(start_, here, terms);
    const Index n = size(), m = rows_;
    const MatrixXd stiff =
        here.jacobian.transpose() * terms.mass * here.jacobian + square_time * stiffness_at(start_, multipliers);
    MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
    matrix.topLeftCorner(n, n) = stiff;
    matrix.topRightCorner(n, m) = rows.gradient.transpose(), matrix.bottomLeftCorner(m, n) = rows.gradient;
    Settling step;
    step.force = -force_at(start_, multipliers);
    VectorXd right(n + m);
    right << step.force, -rows.value / square_time;
    step.u = square_time * full_pivoting(matrix).solve(right).head(n);
    const double largest = m > 0 ? rows.gradient.cwiseAbs().maxCoeff() : 0.0;
    const MatrixXd along = null_vectors(rows.gradient, left_by_differences * largest);
    const MatrixXd symmetric = along.transpose() * (0.5 * (stiff + stiff.transpose())) * along;
    step.is_positive = true;
    if (along.cols() > 0) {
        const VectorXd eigenvalues =
            Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
        step.is_positive = !(eigenvalues[0] < -left_by_differences * eigenvalues.cwiseAbs().maxCoeff());
    }
    return step;
}

// By a hundredth of a radian and of the length scale at most, in another direction at each step.
VectorXd JointEquations::move_from_saddle(int step) const {
    VectorXd move(size());
    for (Index i = 0; i < size(); ++i) {
        const Index freedom = free_[static_cast<std::size_t>(i)];
        const std::size_t joint = joint_of(freedom);
        const bool is_slide = freedom - first_[joint] < slides_of(bodies_[joint].joint);
        const auto place = (37 * freedom + 101 * step + 11) % 97;
        move[i] = 0.01 * (static_cast<double>(place) - 48.5) / 48.5 * (is_slide ? model_.length_scale_m : 1.0);
    }
    return move;
}

void JointEquations::settle() {
    const StepFailure failure{"assembly_failed", "no static equilibrium was found"};
    const JointState given = start_;
    std::optional<JointState> saddle;
    const std::vector<TimeFunction> functions = beside_tree_.functions;
    for (TimeFunction& function : beside_tree_.functions) function = TimeFunction(function(start_.time_s));
    is_at_rest_ = true;
    start_.v.setZero();
    double square_time = 0.0, longest = longest_step;
    int saddles = 0;
    bool is_settled = size() == 0;
    try {
        for (int step = 0; step < most_steps_to_equilibrium && saddles < most_saddles && !is_settled; ++step) {
            const AccelerationSolution rest = accelerations(start_);
            const double natural = std::min(0.1 / length_of(rest.acceleration, false), 1e6);
            if (square_time == 0.0) square_time = natural;
            const Settling next = settling(square_time, rest.multipliers);
            const double length = length_of(next.u, false), turn = length_of(next.u, true);
            const bool rests = length <= settled && natural <= square_time;
            if (rests && !next.is_positive) {
                saddle = start_, saddles += step == 0 ? most_saddles : 1;
                start_ = on_rows(moved(start_, move_from_saddle(step), start_.v, start_.time_s));
                start_.v.setZero();
                square_time = 0.0, longest = longest_step;
                continue;
            }
            const double share = std::min({1.0, longest / length, longest_step / turn});
            const bool is_taken = (next.is_positive && next.force.dot(next.u) > 0.0) || length <= near;
            if (is_taken) start_ = on_rows(moved(start_, share * next.u, start_.v, start_.time_s));
            start_.v.setZero();
            if (!is_taken)
                square_time *= 0.5;
            else if (share < 1.0)
                longest *= 2.0;
            else
                square_time = std::min(4.0 * square_time, longest_square_time);
            is_settled = is_taken && rests;
            if (square_time < smallest_square_time) break;
        }
    } catch (const StepFailure&) {
        if (!saddle) throw failure;
    }
    if (!is_settled && !saddle) throw failure;
    if (!is_settled) start_ = *saddle, start_.v.setZero();
    if (size() > 0)
        start_change_.rests_unstably = !settling(longest_square_time, accelerations(start_).multipliers).is_positive;
    is_at_rest_ = false;
    beside_tree_.functions = functions;
    start_ = on_rows(start_);
    start_change_.faster = std::hypot(start_change_.faster, change_of_given_rates(given));
}

}  // namespace myriad::reference
