#include "host/reference/joint/step_course.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::VectorXd;

namespace {

constexpr double most_parts = 65536.0;

// At s, by values and slopes at 0 and 1.
VectorXd cubic(double s, const VectorXd& f0, const VectorXd& d0, const VectorXd& f1, const VectorXd& d1) {
    const double r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * f0 + s * r * r * d0 + s * s * (3.0 - 2.0 * s) * f1 - s * s * r * d1;
}
VectorXd slope_of_cubic(double s, const VectorXd& f0, const VectorXd& d0, const VectorXd& f1, const VectorXd& d1) {
    const double r = 1.0 - s;
    return 6.0 * s * r * (f1 - f0) + r * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1;
}

}  // namespace

VectorXd JointEquations::increments(const JointState& from, const JointState& to) const {
    return twin_.increments(from.q, to.q)(free_);
}

double JointEquations::turned(const JointState& from, const JointState& to) const {
    const double h = to.time_s - from.time_s;
    const VectorXd speeds = all(from.v, from.time_s, 1).cwiseAbs().cwiseMax(all(to.v, to.time_s, 1).cwiseAbs());
    return twin_.turning().dot(twin_.increments(from.q, to.q).cwiseAbs().cwiseMax(h * speeds));
}

StepCourse::StepCourse(const JointEquations& equations, JointState begin, VectorXd begin_acceleration,
                       const JointState& end, VectorXd end_acceleration)
    : equations_(&equations),
      begin_(std::move(begin)),
      h_(end.time_s - begin_.time_s),
      turn_(equations.turned(begin_, end)),
      begin_acceleration_(std::move(begin_acceleration)),
      end_acceleration_(std::move(end_acceleration)),
      end_rates_(end.v),
      u_(equations.increments(begin_, end)),
      end_slope_(u_.size() > 0 ? VectorXd(row_pivoting(equations.tangent(u_)).solve(end.v)) : end.v) {}

int StepCourse::parts(double tolerance) const {
    const double parts = std::ceil(turn_ / std::pow(384.0 * tolerance, 0.25));
    return static_cast<int>(std::clamp(parts, 1.0, most_parts));
}

MechanismMotion StepCourse::motion(double s) const {
    const VectorXd none = VectorXd::Zero(u_.size());
    const VectorXd u = cubic(s, none, h_ * begin_.v, u_, h_ * end_slope_),
                   v = cubic(s, begin_.v, h_ * begin_acceleration_, end_rates_, h_ * end_acceleration_),
                   a = slope_of_cubic(s, begin_.v, h_ * begin_acceleration_, end_rates_, h_ * end_acceleration_) / h_;
    JointState at = equations_->moved(begin_, u, v, begin_.time_s + s * h_);
    equations_->foresee_angles(begin_, at);
    return equations_->motion(equations_->bodies(at, a), VectorXd::Zero(equations_->rows()));
}

}  // namespace myriad::reference
