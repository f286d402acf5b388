// Bodies anywhere, and a basis of the gradients of rows between them: redundant rows are left out by rank.
#pragma once
#include <Eigen/Dense>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/mechanism/definitions.hpp"

namespace myriad::mechanism {

class RandomBodies {
  protected:
    explicit RandomBodies(std::uint64_t seed) : generic_(seed) {}

    using Rows = Eigen::MatrixXd;
    // Bounds on the rest of a unit row when those before it are taken out: below, a mechanism is near a singular pose.
    // A driver close to one moves the bodies through it at once.
    static constexpr double least_independent_part = 0.05, least_driven_part = 0.3;

    struct Body {
        Vector3 centre, origin;
        Matrix3 orientation;
    };

    static nlohmann::json numbers(const Vector3& v) {
        return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
    }
    static std::string name(int body) { return body < 0 ? "ground" : "b" + std::to_string(body); }

    void add_body(int b) {
        Body body;
        body.orientation = generic_.orientation();
        body.origin = generic_.vector(1.5);
        const Vector3 offset = generic_.index(2) == 0 ? Vector3::Zero() : generic_.vector(0.3);
        body.centre = body.origin + body.orientation * offset;
        bodies_.push_back(body);
        const Eigen::Quaternion<Number80> q(body.orientation);
        nlohmann::json one;
        const double mass = generic_.number(0.5, 4.0);
        one["mass_kg"] = mass;
        // Second moments P of the mass: J = trace(P) I - P.
        Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
        for (int k = 0; k < 4; ++k) {
            const Eigen::Vector3d s = generic_.vector(0.5).cast<double>();
            second += 0.25 * mass * s * s.transpose();
        }
        const Eigen::Matrix3d j = second.trace() * Eigen::Matrix3d::Identity() - second;
        one["inertia_kg_m2"] = {{"xx", j(0, 0)}, {"yy", j(1, 1)}, {"zz", j(2, 2)},
                                {"xy", j(0, 1)}, {"xz", j(0, 2)}, {"yz", j(1, 2)}};
        one["centre_of_mass_m"] = numbers(offset);
        one["position_m"] = numbers(body.origin);
        one["orientation"]["quaternion"] = {static_cast<double>(q.w()), static_cast<double>(q.x()),
                                            static_cast<double>(q.y()), static_cast<double>(q.z())};
        one["velocity_m_s"] = numbers(generic_.vector(1.0));
        one["angular_velocity_rad_s"] = numbers(generic_.vector(1.0));
        file_["bodies"][name(b)] = one;
    }
    std::pair<int, int> two_bodies() {
        const int count = static_cast<int>(bodies_.size());
        const int a = generic_.index(count + 1) - 1, b = generic_.index(count);
        return {a, b};
    }

    nlohmann::json point_of(int body, const Vector3& world) const {
        if (body < 0) return numbers(world);
        const Body& on = bodies_[static_cast<std::size_t>(body)];
        return numbers(on.orientation.transpose() * (world - on.origin));
    }
    nlohmann::json direction_of(int body, const Vector3& world) const {
        return numbers(body < 0 ? world : bodies_[static_cast<std::size_t>(body)].orientation.transpose() * world);
    }

    // Gradients in the world frame: of a.(moved point of b - moved point of a) and of (turn of b - turn of a).n
    Eigen::RowVectorXd row(int i, int j, const Vector3& force, const Vector3& at_i, const Vector3& at_j,
                           const Vector3& torque) const {
        Eigen::RowVectorXd r = Eigen::RowVectorXd::Zero(6 * static_cast<Eigen::Index>(bodies_.size()));
        const auto add = [&](int body, Number80 sign, const Vector3& point) {
            if (body < 0) return;
            const Vector3 lever = point - bodies_[static_cast<std::size_t>(body)].centre;
            r.segment<3>(6 * body) = (sign * force).cast<double>().transpose();
            r.segment<3>(6 * body + 3) = (sign * (lever.cross(force) + torque)).cast<double>().transpose();
        };
        add(i, -1, at_i), add(j, 1, at_j);
        return r;
    }
    Rows gradients(const std::string& type, int i, int j, const Vector3& p, const Vector3& p_j, const Vector3& n,
                   const Vector3& m) const {
        const Vector3 none = Vector3::Zero(), f = n.unitOrthogonal(), g = n.cross(f);
        std::vector<Eigen::RowVectorXd> list;
        const auto force = [&](const Vector3& direction, const Vector3& at_i, const Vector3& at_j) {
            list.push_back(row(i, j, direction, at_i, at_j, none));
        };
        const auto torque = [&](const Vector3& axis) { list.push_back(row(i, j, none, p, p, axis)); };
        if (type == "spherical" || type == "universal" || type == "revolute" || type == "fixed")
            for (int k = 0; k < 3; ++k) force(Vector3::Unit(k), p, p);
        if (type == "universal") torque(n.cross(m));
        const bool turns_freely =
            type == "spherical" || type == "universal" || type == "angle" || type == "displacement";
        if (!turns_freely && !is_basic(type)) torque(f), torque(g);
        if (type == "fixed" || type == "prismatic" || type == "translational" || type == "angle") torque(n);
        // d has no part across the axis, so its turning with A takes no part.
        if (type == "cylindrical" || type == "prismatic") force(f, p_j, p_j), force(g, p_j, p_j);
        if (type == "displacement" || type == "planar") force(n, p_j, p_j);
        if (type == "DP1") torque(n.cross(m));
        // A point of A that goes where B's point is carries the axis with it.
        if (type == "DP2") force(n, p_j, p_j);
        if (type == "CD") force(n, p, p_j);
        if (type == "D") force((p_j - p).normalized(), p, p_j);
        Rows rows(static_cast<Eigen::Index>(list.size()), rows_.cols());
        for (std::size_t k = 0; k < list.size(); ++k) rows.row(static_cast<Eigen::Index>(k)) = list[k].normalized();
        return rows;
    }
    static bool is_basic(const std::string& type) {
        return type == "DP1" || type == "DP2" || type == "D" || type == "CD";
    }
    // By Gram and Schmidt, twice.
    bool take(const Rows& more, double least_part = least_independent_part) {
        Rows basis = rows_;
        for (Eigen::Index k = 0; k < more.rows(); ++k) {
            Eigen::VectorXd left = more.row(k).transpose();
            for (int pass = 0; pass < 2 && basis.rows() > 0; ++pass) left -= basis.transpose() * (basis * left);
            if (basis.rows() == basis.cols() || left.norm() < least_part) return false;
            basis.conservativeResize(basis.rows() + 1, Eigen::NoChange);
            basis.bottomRows(1) = left.normalized().transpose();
        }
        rows_ = basis;
        return true;
    }

    Generic generic_;
    nlohmann::json file_;
    std::vector<Body> bodies_;
    Rows rows_;  // an orthonormal basis of the gradients taken
};

}  // namespace myriad::mechanism
