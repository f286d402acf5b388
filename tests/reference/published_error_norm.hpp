// The error norm of the code behind the published adaptive values of the heavy top (facts A.1, EXUDYN), so that they
// come out to their digits. It differs from the norm of host/reference/explicit/runge_kutta.hpp in three details:
//   1. the body is a free one (its weight acts at the centre of mass, its inertia is that about the fixed point),
//      so the mean is over 12 coordinates, of which the six of the translation have no error;
//   2. orientations are compared by their total rotation vectors, of length 0 to 2 pi, not by those of the step;
//   3. the magnitude beside the relative tolerance is max(y^_n+1, y_n) with its sign, so that the scale passes through
//      zero where a coordinate passes through -absolute_tolerance / relative_tolerance.
#pragma once
#include "host/reference/explicit/runge_kutta.hpp"

namespace myriad::reference {

class PublishedErrorNorm {
  public:
    PublishedErrorNorm(double absolute_tolerance, double relative_tolerance)
        : absolute_tolerance_(absolute_tolerance), relative_tolerance_(relative_tolerance) {}

    double operator()(const LocalEquation& equation, const RungeKuttaStep& step) {
        const auto& formulation = dynamic_cast<const Formulation&>(equation);
        // The rotation vector grows to 2 pi before it jumps, so the quaternion is followed without a change of sign.
        Eigen::Quaterniond orientation(formulation.configuration().orientation);
        if (orientation.dot(followed_) < 0.0) orientation.coeffs() = -orientation.coeffs();
        followed_ = orientation;
        const Eigen::Vector3d w = formulation.velocity();
        Eigen::VectorXd start(6), higher(6), embedded(6);
        start << rotation_vector(orientation), w;
        higher << rotation_vector(orientation * exponential(step.y.head<3>())), w + step.y.tail<3>();
        embedded << rotation_vector(orientation * exponential(step.embedded.head<3>())), w + step.embedded.tail<3>();
        const Eigen::ArrayXd scale = absolute_tolerance_ + relative_tolerance_ * embedded.array().max(start.array());
        return std::sqrt(((embedded - higher).array() / scale).square().sum() / 12.0);
    }

  private:
    static Eigen::Quaterniond exponential(const Eigen::Vector3d& u) {
        return Eigen::Quaterniond(Eigen::AngleAxisd(u.norm(), u.normalized()));
    }
    static Eigen::Vector3d rotation_vector(const Eigen::Quaterniond& q) {
        const double sine = q.vec().norm();
        if (sine == 0.0) return Eigen::Vector3d::Zero();
        return 2.0 * std::atan2(sine, q.w()) / sine * q.vec();
    }

    double absolute_tolerance_, relative_tolerance_;
    Eigen::Quaterniond followed_ = Eigen::Quaterniond::Identity();
};

}  // namespace myriad::reference
