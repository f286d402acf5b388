#include "host/reference/tree/tree_twin.hpp"

#include <utility>

#include "host/reference/mathematics/forward_derivative.hpp"

namespace myriad::reference {
namespace {

using Once = Differentiated<double, 1>;
using Twice = Differentiated<Once, 1>;

Once time_of(const Once*) {
    Once t(0.0);
    t.derivative[0] = 1.0;
    return t;
}
Twice time_of(const Twice*) {
    Twice t(0.0);
    t.value.derivative[0] = 1.0, t.derivative[0].value = 1.0;
    return t;
}

template <class Scalar>
using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
template <class Scalar>
using Matrix3 = Eigen::Matrix<Scalar, 3, 3>;

template <class Scalar>
Matrix3<Scalar> cross_matrix(const Vector3<Scalar>& v) {
    Matrix3<Scalar> m;
    m << Scalar(0.0), -v[2], v[1], v[2], Scalar(0.0), -v[0], -v[1], v[0], Scalar(0.0);
    return m;
}
// I + u~ + u~^2 / 2 has the value and the first two derivatives of exp(u) where u = 0.
template <class Scalar>
Matrix3<Scalar> exponential_at_zero(const Vector3<Scalar>& u) {
    const Matrix3<Scalar> m = cross_matrix(u);
    return Matrix3<Scalar>::Identity() + m + m * m * Scalar(0.5);
}

// A displacement x -> R x + t of the world.
template <class Scalar>
struct Displacement {
    Matrix3<Scalar> rotation = Matrix3<Scalar>::Identity();
    Vector3<Scalar> translation = Vector3<Scalar>::Zero();

    friend Displacement operator*(const Displacement& a, const Displacement& b) {
        return {a.rotation * b.rotation, a.rotation * b.translation + a.translation};
    }
};
template <class Scalar>
Displacement<Scalar> slide(const Eigen::Vector3d& direction, const Scalar& by) {
    return {Matrix3<Scalar>::Identity(), direction.cast<Scalar>() * by};
}
template <class Scalar>
Displacement<Scalar> turn_about(const Eigen::Vector3d& point, const Matrix3<Scalar>& rotation) {
    const Vector3<Scalar> at = point.cast<Scalar>();
    return {rotation, at - rotation * at};
}
template <class Scalar>
Displacement<Scalar> turn_about(const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Scalar& angle) {
    const Matrix3<Scalar> k = cross_matrix<Scalar>(axis.cast<Scalar>());
    return turn_about<Scalar>(point, Matrix3<Scalar>::Identity() + k * sin(angle) + k * k * (Scalar(1.0) - cos(angle)));
}

// Of the joint on which `body` hangs, u its increments.
template <class Scalar>
Displacement<Scalar> displacement(const TwinBody& body, const TwinCoordinates& q, const Scalar* u) {
    const Eigen::Vector3d x = (body.second - body.axis.dot(body.second) * body.axis).normalized(),
                          y = body.axis.cross(x);
    const auto slid = [&](std::size_t i) { return Scalar(q.slides[i]) + u[i]; };
    const auto turned = [&](std::size_t i, int at) { return Scalar(q.angles[i]) + u[at]; };
    const auto oriented = [&](int at) {
        return Matrix3<Scalar>(q.orientation.toRotationMatrix().cast<Scalar>() *
                               exponential_at_zero<Scalar>(Vector3<Scalar>(u[at], u[at + 1], u[at + 2])));
    };
    const Matrix3<Scalar> axes = body.orientation.toRotationMatrix().cast<Scalar>();
    switch (body.joint) {
        case TwinJoint::fixed:
            return {};
        case TwinJoint::revolute:
            return turn_about(body.point, body.axis, turned(0, 0));
        case TwinJoint::prismatic:
            return slide(body.axis, slid(0));
        case TwinJoint::cylindrical:
            return slide(body.axis, slid(0)) * turn_about(body.point, body.axis, turned(0, 1));
        case TwinJoint::universal:
            return turn_about(body.point, body.axis, turned(0, 0)) * turn_about(body.point, body.second, turned(1, 1));
        case TwinJoint::spherical:
            return turn_about<Scalar>(body.point, axes * oriented(0) * axes.transpose());
        case TwinJoint::planar:
            return slide(x, slid(0)) * slide(y, slid(1)) * turn_about(body.point, body.axis, turned(0, 2));
        case TwinJoint::translational:
            return slide(x, slid(0)) * slide(y, slid(1)) * slide(body.axis, slid(2));
        default: {
            const Matrix3<Scalar> rotation = oriented(3) * axes.transpose();
            return {rotation, Vector3<Scalar>(slid(0), slid(1), slid(2)) - rotation * body.centre.cast<Scalar>()};
        }
    }
}

// Of all bodies, where the increments of all joints are u.
template <class Scalar>
std::vector<Displacement<Scalar>> poses(const std::vector<TwinBody>& bodies, const std::vector<TwinCoordinates>& q,
                                        const std::vector<Scalar>& u) {
    std::vector<Displacement<Scalar>> moved, poses;
    std::size_t at = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Displacement<Scalar> own = displacement(bodies[b], q[b], u.data() + at);
        at += static_cast<std::size_t>(freedoms_of(bodies[b].joint));
        moved.push_back(bodies[b].parent < 0 ? own : moved[static_cast<std::size_t>(bodies[b].parent)] * own);
        const Matrix3<Scalar> axes = bodies[b].orientation.toRotationMatrix().cast<Scalar>();
        poses.push_back(moved.back() * Displacement<Scalar>{axes, bodies[b].centre.cast<Scalar>()});
    }
    return poses;
}

Eigen::Vector3d axial(const Eigen::Matrix3d& m) {
    return 0.5 * Eigen::Vector3d(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}
double rate_of(const Once& x) { return x.derivative[0]; }
double rate_of(const Twice& x) { return x.value.derivative[0]; }
double value_of(const Once& x) { return x.value; }
double value_of(const Twice& x) { return x.value.value; }

}  // namespace

int slides_of(TwinJoint joint) {
    constexpr int slides[] = {0, 0, 1, 1, 0, 0, 2, 3, 3};
    return slides[static_cast<int>(joint)];
}
int angles_of(TwinJoint joint) {
    constexpr int angles[] = {0, 1, 0, 1, 2, 0, 1, 0, 0};
    return angles[static_cast<int>(joint)];
}
bool has_orientation(TwinJoint joint) { return joint == TwinJoint::spherical || joint == TwinJoint::free; }
int freedoms_of(TwinJoint joint) { return slides_of(joint) + angles_of(joint) + (has_orientation(joint) ? 3 : 0); }

TreeTwin::TreeTwin(std::vector<TwinBody> bodies) : bodies_(std::move(bodies)) {
    for (const TwinBody& body : bodies_) freedoms_ += freedoms_of(body.joint);
}

std::vector<TwinCoordinates> TreeTwin::retract(std::vector<TwinCoordinates> q, const Eigen::VectorXd& u) const {
    Eigen::Index at = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const TwinJoint joint = bodies_[b].joint;
        for (int i = 0; i < slides_of(joint); ++i) q[b].slides[static_cast<std::size_t>(i)] += u[at++];
        for (int i = 0; i < angles_of(joint); ++i) q[b].angles[static_cast<std::size_t>(i)] += u[at++];
        if (!has_orientation(joint)) continue;
        const Eigen::Vector3d turn = u.segment<3>(at);
        const double angle = turn.norm();
        if (angle > 0.0) q[b].orientation = (q[b].orientation * Eigen::AngleAxisd(angle, turn / angle)).normalized();
        at += 3;
    }
    return q;
}

Eigen::VectorXd TreeTwin::increments(const std::vector<TwinCoordinates>& from,
                                     const std::vector<TwinCoordinates>& to) const {
    Eigen::VectorXd u(freedoms_);
    Eigen::Index at = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const TwinJoint joint = bodies_[b].joint;
        const auto slides = static_cast<std::size_t>(slides_of(joint)),
                   angles = static_cast<std::size_t>(angles_of(joint));
        for (std::size_t i = 0; i < slides; ++i) u[at++] = to[b].slides[i] - from[b].slides[i];
        for (std::size_t i = 0; i < angles; ++i) u[at++] = to[b].angles[i] - from[b].angles[i];
        if (!has_orientation(joint)) continue;
        const Eigen::AngleAxisd turned(from[b].orientation.conjugate() * to[b].orientation);
        u.segment<3>(at) = turned.angle() * turned.axis();
        at += 3;
    }
    return u;
}

Eigen::VectorXd TreeTwin::turning() const {
    Eigen::VectorXd turning = Eigen::VectorXd::Ones(freedoms_);
    Eigen::Index at = 0;
    for (const TwinBody& body : bodies_) {
        turning.segment(at, slides_of(body.joint)).setZero();
        at += freedoms_of(body.joint);
    }
    return turning;
}

std::vector<TwinMotion> TreeTwin::motion(const std::vector<TwinCoordinates>& q, const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& a) const {
    const Twice t = time_of(static_cast<const Twice*>(nullptr));
    std::vector<Twice> u;
    for (int i = 0; i < freedoms_; ++i) u.push_back(v[i] * t + (0.5 * a[i]) * (t * t));
    std::vector<TwinMotion> motions;
    for (const Displacement<Twice>& pose : poses(bodies_, q, u)) {
        const auto second = [](const Twice& x) { return x.derivative[0].derivative[0]; };
        const Eigen::Matrix3d r = pose.rotation.unaryExpr([](const Twice& x) { return value_of(x); });
        const Eigen::Matrix3d r_dot = pose.rotation.unaryExpr([](const Twice& x) { return rate_of(x); });
        const Eigen::Matrix3d r_dot_dot = pose.rotation.unaryExpr(second);
        TwinMotion motion;
        motion.position = pose.translation.unaryExpr([](const Twice& x) { return value_of(x); });
        motion.velocity = pose.translation.unaryExpr([](const Twice& x) { return rate_of(x); });
        motion.acceleration = pose.translation.unaryExpr(second);
        motion.orientation = r;
        motion.angular_velocity = axial(r.transpose() * r_dot);
        motion.angular_acceleration = axial(r_dot.transpose() * r_dot + r.transpose() * r_dot_dot);
        motions.push_back(motion);
    }
    return motions;
}

std::vector<Eigen::MatrixXd> TreeTwin::jacobians(const std::vector<TwinCoordinates>& q) const {
    std::vector<Eigen::MatrixXd> jacobians(bodies_.size(), Eigen::MatrixXd(6, freedoms_));
    for (int i = 0; i < freedoms_; ++i) {
        std::vector<Once> u(static_cast<std::size_t>(freedoms_), Once(0.0));
        u[static_cast<std::size_t>(i)] = time_of(static_cast<const Once*>(nullptr));
        const auto moved = poses(bodies_, q, u);
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const Eigen::Matrix3d r = moved[b].rotation.unaryExpr([](const Once& x) { return value_of(x); });
            const Eigen::Matrix3d by_u = moved[b].rotation.unaryExpr([](const Once& x) { return rate_of(x); });
            jacobians[b].col(i).head<3>() = moved[b].translation.unaryExpr([](const Once& x) { return rate_of(x); });
            jacobians[b].col(i).tail<3>() = axial(r.transpose() * by_u);
        }
    }
    return jacobians;
}

}  // namespace myriad::reference
