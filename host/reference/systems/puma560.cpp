#include "host/reference/systems/puma560.hpp"

#include <array>

#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

namespace {

constexpr int joints = 6;
using Angles = Eigen::Matrix<double, joints, 1>;

struct Link {
    double offset, length, twist, mass;
    Eigen::Vector3d centre_of_mass, inertia;

    // Turns coordinates in this frame to those in the frame before.
    Eigen::Matrix3d rotation(double angle) const {
        return (Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(twist, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    }
    // From the origin before to this one, in this frame.
    Eigen::Vector3d origin() const { return {length, offset * std::sin(twist), offset * std::cos(twist)}; }
};

// The motion of a link, in its own frame; velocity and acceleration of its origin.
struct LinkMotion {
    Eigen::Matrix3d rotation;  // to the frame before
    Eigen::Vector3d angular_velocity, angular_acceleration, velocity, acceleration;
};

class Puma560 : public System {
  public:
    explicit Puma560(const Parameters& parameters) {
        ParameterReader reader("puma560", parameters);
        for (int i = 0; i < joints; ++i) {
            const std::string link = "link_" + std::to_string(i + 1) + ".",
                              joint = "joint_" + std::to_string(i + 1) + ".";
            links_[static_cast<std::size_t>(i)] = {
                reader.required(link + "offset_m"),
                reader.required(link + "length_m"),
                reader.required(link + "twist_rad"),
                reader.required(link + "mass_kg"),
                reader.required_vector(link + "centre_of_mass_m"),
                {reader.required(link + "inertia_kg_m2.xx"), reader.required(link + "inertia_kg_m2.yy"),
                 reader.required(link + "inertia_kg_m2.zz")}};
            if (!(this->link(i).mass >= 0.0)) throw InvalidParameter(link + "mass_kg is negative");
            if (!(this->link(i).inertia.minCoeff() >= 0.0))
                throw InvalidParameter(link + "inertia_kg_m2 is not positive semidefinite");
            proportional_[i] = reader.required(joint + "proportional_N_m_rad");
            derivative_[i] = reader.required(joint + "derivative_N_m_s_rad");
            const std::string element = "[" + std::to_string(i) + "]";
            start_[i] = reader.required("initial_angle_rad" + element);
            start_rate_[i] = reader.required("initial_rate_rad_s" + element);
            goal_[i] = reader.required("goal_angle_rad" + element);
        }
        duration_ = reader.required("profile_duration_s");
        gravity_ = reader.required("gravity_m_s2");
        reader.refuse_unknown_names();
    }

    Configuration initial_configuration() const override {
        Configuration configuration;
        configuration.position.resize(joints + 1);
        configuration.position << start_, 0.0;
        return configuration;
    }
    Eigen::VectorXd initial_velocity() const override {
        Eigen::VectorXd velocity(joints + 1);
        velocity << start_rate_, 1.0;
        return velocity;
    }

    Eigen::VectorXd acceleration(const Configuration& configuration, const Eigen::VectorXd& velocity) const override {
        const Angles q = configuration.position.head<joints>(), v = velocity.head<joints>();
        Eigen::Matrix<double, joints, joints> mass;
        for (int j = 0; j < joints; ++j) mass.col(j) = inverse_dynamics(q, Angles::Zero(), Angles::Unit(j), 0.0);
        const Angles force =
            torque(configuration.position[joints], q, v) - inverse_dynamics(q, v, Angles::Zero(), gravity_);
        Eigen::VectorXd acceleration(joints + 1);
        acceleration << Angles(mass.llt().solve(force)), 0.0;
        return acceleration;
    }

    Observables observe(const Configuration& configuration, const Eigen::VectorXd& velocity) const override {
        const Angles q = configuration.position.head<joints>(), v = velocity.head<joints>();
        const auto motion = forward(q, v, Angles::Zero(), 0.0);
        Eigen::VectorXd position(3 * joints), speed(3 * joints), orientation(4 * joints), turning(3 * joints);
        Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
        double energy = 0.0;
        for (int i = 0; i < joints; ++i) {
            const Link& body = link(i);
            frame = frame * Eigen::AngleAxisd(q[i], Eigen::Vector3d::UnitZ()) *
                    Eigen::Translation3d(body.length, 0.0, body.offset) *
                    Eigen::AngleAxisd(body.twist, Eigen::Vector3d::UnitX());
            const LinkMotion& m = motion[static_cast<std::size_t>(i)];
            const Eigen::Vector3d local = m.velocity + m.angular_velocity.cross(body.centre_of_mass);
            position.segment<3>(3 * i) = frame * body.centre_of_mass;
            speed.segment<3>(3 * i) = frame.linear() * local;
            orientation.segment<4>(4 * i) = quaternion_of(frame.linear());
            turning.segment<3>(3 * i) = m.angular_velocity;
            energy += 0.5 * body.mass * local.squaredNorm() +
                      0.5 * m.angular_velocity.dot(body.inertia.cwiseProduct(m.angular_velocity)) +
                      body.mass * gravity_ * position[3 * i + 2];
        }
        return {{"position", position},
                {"velocity", speed},
                {"orientation", orientation},
                {"angular_velocity", turning},
                {"joint_angle", q},
                {"joint_rate", v},
                {"joint_torque", torque(configuration.position[joints], q, v)},
                {"tool_position", frame.translation()},
                {"energy", Eigen::VectorXd::Constant(1, energy)}};
    }

  private:
    const Link& link(int i) const { return links_[static_cast<std::size_t>(i)]; }

    std::array<LinkMotion, joints> forward(const Angles& q, const Angles& v, const Angles& a, double gravity) const {
        const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
        std::array<LinkMotion, joints> motion;
        LinkMotion before{Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(),
                          Eigen::Vector3d::Zero(), gravity * z};
        for (int i = 0; i < joints; ++i) {
            LinkMotion& m = motion[static_cast<std::size_t>(i)];
            m.rotation = link(i).rotation(q[i]);
            const Eigen::Matrix3d into = m.rotation.transpose();
            const Eigen::Vector3d lever = link(i).origin();
            m.angular_velocity = into * (before.angular_velocity + v[i] * z);
            m.angular_acceleration =
                into * (before.angular_acceleration + a[i] * z + before.angular_velocity.cross(v[i] * z));
            m.velocity = into * before.velocity + m.angular_velocity.cross(lever);
            m.acceleration = into * before.acceleration + m.angular_acceleration.cross(lever) +
                             m.angular_velocity.cross(m.angular_velocity.cross(lever));
            before = m;
        }
        return motion;
    }

    // The torques that give the accelerations `a`.
    Angles inverse_dynamics(const Angles& q, const Angles& v, const Angles& a, double gravity) const {
        const auto motion = forward(q, v, a, gravity);
        Angles torques;
        Eigen::Vector3d force = Eigen::Vector3d::Zero(),
                        moment = Eigen::Vector3d::Zero();  // on the link after, its frame
        Eigen::Matrix3d from_after = Eigen::Matrix3d::Identity();
        for (int i = joints - 1; i >= 0; --i) {
            const LinkMotion& m = motion[static_cast<std::size_t>(i)];
            const Link& body = link(i);
            const Eigen::Vector3d& w = m.angular_velocity;
            const Eigen::Vector3d of_mass =
                body.mass * (m.acceleration + m.angular_acceleration.cross(body.centre_of_mass) +
                             w.cross(w.cross(body.centre_of_mass)));
            const Eigen::Vector3d of_inertia =
                body.inertia.cwiseProduct(m.angular_acceleration) + w.cross(body.inertia.cwiseProduct(w));
            // About the origin of the frame before, in this link's frame.
            const Eigen::Vector3d passed_on = from_after * force;
            moment = from_after * moment + body.origin().cross(passed_on) +
                     (body.origin() + body.centre_of_mass).cross(of_mass) + of_inertia;
            force = passed_on + of_mass;
            torques[i] = moment.dot(m.rotation.transpose() * Eigen::Vector3d::UnitZ());
            from_after = m.rotation;
        }
        return torques;
    }

    Angles torque(double time_s, const Angles& q, const Angles& v) const {
        Angles target = goal_, target_rate = Angles::Zero();
        if (time_s < duration_) {
            const Angles a = 4.0 / (duration_ * duration_) * (goal_ - start_);
            const double left = duration_ - time_s;
            if (time_s < left)
                target = start_ + 0.5 * time_s * time_s * a, target_rate = time_s * a;
            else
                target = goal_ - 0.5 * left * left * a, target_rate = left * a;
        }
        return proportional_.cwiseProduct(target - q) + derivative_.cwiseProduct(target_rate - v);
    }

    std::array<Link, joints> links_;
    Angles proportional_, derivative_, start_, start_rate_, goal_;
    double duration_, gravity_;
};

}  // namespace

std::unique_ptr<System> puma560(const Parameters& parameters) { return std::make_unique<Puma560>(parameters); }

}  // namespace myriad::reference
