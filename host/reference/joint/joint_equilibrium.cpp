// The equilibrium in which a tree of joints settles from its start: the end of q' = tau^2 a by steps of growing tau^2.
//
//   [M + tau^2 K  G^T; G  0] (z, .) = (-(g + G^T lambda), -phi / tau^2),   q <- q o tau^2 z
//
// a, lambda: accelerations and multipliers at rest; g: generalized forces that act against the coordinates; K: central
// differences of g + G^T lambda. Not handled: dampers on rows that move in time, whose rates are not stopped.
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr int most_steps_to_equilibrium = 500;
constexpr double longest_step = 0.3, settled = 1e-11, near = 1e-6;
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

void JointEquations::settle() {
    const StepFailure failure{"assembly_failed", "no static equilibrium was found"};
    is_at_rest_ = true;
    start_.v.setZero();
    double square_time = 0.0, longest = longest_step;
    bool is_settled = size() == 0;
    try {
        for (int step = 0; step < most_steps_to_equilibrium && !is_settled; ++step) {
            const AccelerationSolution rest = accelerations(start_);
            const double natural = std::min(0.1 / rest.acceleration.norm(), 1e6);
            if (square_time == 0.0) square_time = natural;
            const JointedBodies here = bodies(start_, VectorXd::Zero(size()));
            const MechanismTerms terms = this->terms(here, rest.multipliers);
            const JointRows rows = joint_rows(start_, here, terms);
            const MatrixXd stiffness = stiffness_at(start_, rest.multipliers);
            const VectorXd force = -force_at(start_, rest.multipliers);
            const Index n = size(), m = rows_;
            MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
            matrix.topLeftCorner(n, n) =
                here.jacobian.transpose() * terms.mass * here.jacobian + square_time * stiffness;
            matrix.topRightCorner(n, m) = rows.gradient.transpose(), matrix.bottomLeftCorner(m, n) = rows.gradient;
            VectorXd right(n + m);
            right << force, -rows.value / square_time;
            const VectorXd z = full_pivoting(matrix).solve(right).head(n), u = square_time * z;
            const double length = displacement_norm(model_, here.jacobian * u);
            const bool is_last = length <= settled && natural <= square_time;
            double turn = 0.0;
            const VectorXd displacement = here.jacobian * u;
            for (Index x = 3; x < displacement.size(); x += 6) turn = std::max(turn, displacement.segment<3>(x).norm());
            const double share = std::min({1.0, longest / length, longest_step / turn});
            const bool is_taken = force.dot(z) > 0.0 || length <= near;
            if (is_taken) start_ = on_rows(moved(start_, share * u, start_.v, start_.time_s));
            start_.v.setZero();
            if (!is_taken)
                square_time *= 0.1;
            else if (share < 1.0)
                longest *= 2.0;
            else
                square_time = std::min(10.0 * square_time, 1e12);
            is_settled = is_taken && is_last;
        }
    } catch (const StepFailure&) {
        throw failure;
    }
    if (!is_settled) throw failure;
    is_at_rest_ = false;
    start_ = on_rows(start_);
}

}  // namespace myriad::reference
