#include "host/reference/joint/joint_linear.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd;

namespace {

double largest_entry(const MatrixXd& a) { return a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff(); }

}  // namespace

MatrixXd null_vectors(const MatrixXd& a, double threshold) {
    if (a.rows() == 0) return MatrixXd::Identity(a.cols(), a.cols());
    const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeFullV);
    const auto rank = (svd.singularValues().array() > threshold).count();
    return svd.matrixV().rightCols(a.cols() - rank);
}

LinearRoots linear_roots(const MechanismModel& moving) {
    MechanismModel model = moving;
    for (TimeFunction& function : model.functions) function = TimeFunction(function(0.0));
    const LinearJoints linear = JointEquations(model, assembled_start(model).motion.state).linearized();
    const MatrixXd along = null_vectors(linear.gradient, left_by_differences * largest_entry(linear.gradient));
    const Index n = along.cols();
    LinearRoots roots;
    if (n == 0) return roots;
    const Eigen::LLT<MatrixXd> mass(along.transpose() * linear.mass * along);
    if (mass.info() != Eigen::Success) throw StepFailure{"singular_matrix", "a freedom has no mass"};
    const MatrixXd stiffness = mass.solve(along.transpose() * linear.stiffness * along),
                   damping = mass.solve(along.transpose() * linear.damping * along);
    MatrixXd first_order = MatrixXd::Zero(2 * n, 2 * n);
    first_order.topRightCorner(n, n).setIdentity();
    first_order.bottomLeftCorner(n, n) = -stiffness, first_order.bottomRightCorner(n, n) = -damping;
    const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixXd>(first_order, false).eigenvalues();
    roots.values.assign(values.begin(), values.end());
    const MatrixXd rigid = null_vectors(stiffness, left_by_differences * std::max(1.0, largest_entry(stiffness)));
    roots.rigid_freedoms = static_cast<int>(rigid.cols());
    if (rigid.cols() == 0) return roots;
    const MatrixXd damping_of_rigid = rigid.transpose() * damping * rigid;
    const auto zeros =
        rigid.cols() +
        null_vectors(damping_of_rigid, left_by_differences * std::max(1.0, largest_entry(damping))).cols();
    std::sort(roots.values.begin(), roots.values.end(),
              [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
    std::fill_n(roots.values.begin(), zeros, 0.0);
    return roots;
}

}  // namespace myriad::reference
