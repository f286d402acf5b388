#include "host/reference/contact/nonsmooth_ball.hpp"

#include "host/reference/formulation/parameters.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

namespace {

class RollingBall final : public NonsmoothSystem {
  public:
    explicit RollingBall(const Parameters& parameters) {
        ParameterReader reader("rolling_ball", parameters);
        mass_ = reader.mass(), radius_ = reader.required("radius_m"), gravity_ = reader.required("gravity_m_s2");
        inertia_ = {reader.required("inertia_kg_m2.xx"), reader.required("inertia_kg_m2.yy"),
                    reader.required("inertia_kg_m2.zz")};
        law_.friction = reader.required("friction");
        law_.normal_restitution = reader.required("normal_restitution");
        law_.tangential_restitution = reader.required("tangential_restitution");
        q_ << reader.required_vector("initial_position_m") + Vector3d(0.0, 0.0, radius_), Vector3d::Zero();
        pose_ = rotation_exponential(reader.required_vector("initial_rotation_vector_rad"));
        v_ << reader.required_vector("initial_velocity_m_s"), reader.required_vector("initial_angular_velocity_rad_s");
        reader.refuse_unknown_names();
    }

    int contacts() const override { return 1; }
    int tangents() const override { return 2; }
    VectorXd initial_coordinates() const override { return q_; }
    VectorXd initial_rates() const override { return v_; }
    MatrixXd mass(const VectorXd&) const override {
        MatrixXd m = mass_ * MatrixXd::Identity(6, 6);
        m.bottomRightCorner(3, 3) = inertia_.asDiagonal();
        return m;
    }
    VectorXd force(const VectorXd&, const VectorXd& v) const override {
        const Vector3d w = v.tail(3), momentum = inertia_.cwiseProduct(w);
        VectorXd h(6);
        h << 0.0, 0.0, -mass_ * gravity_, momentum.cross(w);
        return h;
    }
    double energy(const VectorXd& q, const VectorXd& v) const override {
        const Vector3d w = v.tail(3);
        return 0.5 * (mass_ * v.head(3).squaredNorm() + w.dot(inertia_.cwiseProduct(w))) + mass_ * gravity_ * gap(q);
    }
    VectorXd gaps(const VectorXd& q) const override { return VectorXd::Constant(1, gap(q)); }
    MatrixXd directions(const VectorXd& q) const override {
        // (R w) x a = -skew(a) R w for the arm a to the lowest point.
        MatrixXd w = MatrixXd::Zero(3, 6);
        w(0, 2) = 1.0;
        w.block(1, 0, 2, 2).setIdentity();
        w.block(1, 3, 2, 3) = (-skew(Vector3d(0.0, 0.0, -radius_)) * orientation(q)).topRows(2);
        return w;
    }
    VectorXd turning(const VectorXd&, const VectorXd&) const override { return VectorXd::Zero(3); }
    NonsmoothLaw law(int) const override { return law_; }
    Observables observe(const VectorXd& q, const VectorXd& v) const override {
        return {{"position", q.head(3)},
                {"orientation", quaternion_of(orientation(q))},
                {"velocity", v.head(3)},
                {"angular_velocity", v.tail(3)},
                {"energy", VectorXd::Constant(1, energy(q, v))}};
    }
    void settle(VectorXd& q) override {
        pose_ = orthonormalized(orientation(q));
        q.tail(3).setZero();
    }

  private:
    double gap(const VectorXd& q) const { return q[2] - radius_; }
    Matrix3d orientation(const VectorXd& q) const { return pose_ * rotation_exponential(q.tail(3)); }

    double mass_, radius_, gravity_;
    Vector3d inertia_;
    NonsmoothLaw law_;
    Matrix3d pose_;
    Eigen::Matrix<double, 6, 1> q_, v_;
};

}  // namespace

std::unique_ptr<NonsmoothSystem> rolling_ball(const Parameters& parameters) {
    return std::make_unique<RollingBall>(parameters);
}

}  // namespace myriad::reference
