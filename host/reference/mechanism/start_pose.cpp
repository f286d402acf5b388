#include "host/reference/mechanism/start_pose.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace myriad::reference {

namespace {

using Eigen::AngleAxisd, Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

constexpr double least_cosine = 0.07, largest_cosine = 0.9975, widest_angle_rad = 1.5;

class Turning {
  public:
    Turning(const MechanismModel& model, MechanismState& state)
        : model_(model), state_(state), moved_(VectorXd::Zero(6 * static_cast<Eigen::Index>(state.bodies.size()))) {}

    VectorXd run() {
        for (std::size_t m = 0; m < model_.start_motions.size(); ++m) {
            const ModelStartMotion& motion = model_.start_motions[m];
            const bool is_pinned = model_.bodies[static_cast<std::size_t>(motion.body)].orientation_is_pinned;
            if (motion.elements.empty() || is_pinned) continue;
            if (motion.axis_element >= 0) lay_together(m, motion.axis_element);
            for (const int e : motion.elements)
                if (motion.axis_element >= 0 && e > motion.axis_element + 1 && element(e).kind == RowKind::dot_1)
                    lay_references_together(m, element(motion.axis_element), element(e));
            if (motion.across_element >= 0) lay_across(m, motion.across_element);
            for (const int e : motion.elements)
                if (element(e).kind == RowKind::driven_angle) follow_driver(m, element(e));
            const bool stays = model_.bodies[static_cast<std::size_t>(motion.body)].position_is_pinned;
            if ((motion.hangs || motion.carries_hung) && !stays) hang(m);
        }
        return moved_;
    }

  private:
    const ModelElement& element(int e) const { return model_.elements[static_cast<std::size_t>(e)]; }
    Vector3d in_world(int body, const Vector3d& v) const { return body_or_ground(state_, body).orientation * v; }
    static double between(const Vector3d& a, const Vector3d& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }
    // The axis about which `from` turns to `to`.
    static Vector3d axis_of(const Vector3d& from, const Vector3d& to, const Vector3d& otherwise) {
        const Vector3d axis = from.cross(to);
        return axis.norm() > 1e-8 ? Vector3d(axis.normalized()) : otherwise;
    }

    void lay_together(std::size_t m, int e) {
        const ModelElement &first = element(e), &second = element(e + 1);
        const Vector3d a = in_world(first.body[0], first.first), across = in_world(first.body[1], first.other),
                       b = across.cross(in_world(second.body[1], second.other));
        const bool moves_b = first.body[1] == model_.start_motions[m].body;
        if (a.dot(b) < least_cosine) turn(m, moves_b ? axis_of(b, a, across) : axis_of(a, b, across), between(a, b));
    }
    // `row`: (axis x reference of A) . (reference of B).
    void lay_references_together(std::size_t m, const ModelElement& axes, const ModelElement& row) {
        const Vector3d axis = in_world(axes.body[0], axes.first), normal = in_world(row.body[0], row.first),
                       b = in_world(row.body[1], row.other);
        const double angle = std::atan2(normal.dot(b), normal.cross(axis).dot(b));
        if (std::abs(angle) > widest_angle_rad)
            turn(m, axis, row.body[1] == model_.start_motions[m].body ? -angle : angle);
    }
    void lay_across(std::size_t m, int e) {
        const ModelElement& row = element(e);
        const Vector3d a = in_world(row.body[0], row.first), b = in_world(row.body[1], row.other);
        const double angle = between(a, b);
        if (std::abs(a.dot(b)) <= largest_cosine) return;
        const Vector3d unit = std::abs(a[0]) <= 0.8 ? Vector3d(Vector3d::UnitX()) : Vector3d(Vector3d::UnitY());
        const Vector3d otherwise = a.cross(unit).normalized();
        const bool moves_b = row.body[1] == model_.start_motions[m].body;
        turn(m, moves_b ? axis_of(a, b, otherwise) : axis_of(b, a, otherwise), std::numbers::pi / 2.0 - angle);
    }
    void follow_driver(std::size_t m, const ModelElement& row) {
        const double f = model_.functions[static_cast<std::size_t>(row.function)](0.0);
        const Vector3d reference = in_world(row.body[0], row.first), normal = in_world(row.body[0], row.second),
                       b = in_world(row.body[1], row.other);
        const double angle = std::atan2(normal.dot(b), reference.dot(b)),
                     beyond = std::remainder(angle - f, 2.0 * std::numbers::pi);
        const ModelStartMotion& motion = model_.start_motions[m];
        const bool is_far = std::abs(beyond) > widest_angle_rad;
        if (is_far || motion.hangs || motion.carries_hung)
            turn(m, reference.cross(normal), row.body[1] == motion.body ? -beyond : beyond, is_far || !motion.hangs);
    }

    // Rows between points are linear in a translation.
    void hang(std::size_t line) {
        const ModelStartMotion& motion = model_.start_motions[line];
        Eigen::MatrixXd gradient(0, 3);
        VectorXd value(0);
        for (const int e : motion.elements) {
            const RowKind kind = element(e).kind;
            if (kind != RowKind::point && kind != RowKind::dot_2 && kind != RowKind::coordinate_difference) continue;
            const ElementTerms terms = element_terms(model_, state_, static_cast<std::size_t>(e));
            const Eigen::Index rows = terms.phi.size(), side = element(e).body[1] == motion.body ? 6 : 0;
            gradient.conservativeResize(value.size() + rows, 3), value.conservativeResize(value.size() + rows);
            gradient.bottomRows(rows) = terms.jacobian.middleCols(side, 3), value.tail(rows) = terms.phi;
        }
        if (value.size() == 0) return;
        Vector3d x = Vector3d::Zero();
        if (motion.hangs && motion.point_element >= 0) {
            const ModelElement& joint = element(motion.point_element);
            const auto point = [&](std::size_t side) -> Vector3d {
                const BodyState& body = body_or_ground(state_, joint.body[side]);
                return body.position + body.orientation * joint.point[side];
            };
            x = joint.body[1] == motion.body ? Vector3d(point(0) - point(1)) : Vector3d(point(1) - point(0));
        }
        x += gradient.completeOrthogonalDecomposition().solve(-value - gradient * x);
        for (const std::size_t b : carried(line, !motion.hangs)) {
            moved_.segment<3>(6 * static_cast<Eigen::Index>(b)) += x;
            state_.bodies[b].position += x;
        }
    }

    // The line's body and those that it carries, or of these only the ones that hang.
    std::vector<std::size_t> carried(std::size_t line, bool all) const {
        std::vector<bool> moves(state_.bodies.size(), false);
        std::vector<std::size_t> bodies;
        for (std::size_t m = line; m < model_.start_motions.size(); ++m) {
            const ModelStartMotion& motion = model_.start_motions[m];
            const bool on_moved = motion.carrier >= 0 && moves[static_cast<std::size_t>(motion.carrier)];
            if (m != line && (!on_moved || !(all || motion.hangs))) continue;
            bodies.push_back(static_cast<std::size_t>(motion.body));
            moves[bodies.back()] = true;
        }
        return bodies;
    }

    void turn(std::size_t line, const Vector3d& axis, double angle, bool carries_all = true) {
        const ModelStartMotion& turned = model_.start_motions[line];
        Vector3d about = state_.bodies[static_cast<std::size_t>(turned.body)].position;
        if (turned.point_element >= 0) {
            const ModelElement& joint = element(turned.point_element);
            const BodyState& second = body_or_ground(state_, joint.body[1]);
            about = second.position + second.orientation * joint.point[1];
        }
        const Matrix3d by = AngleAxisd(angle, axis).toRotationMatrix();
        for (const std::size_t b : carried(line, carries_all)) {
            BodyState& body = state_.bodies[b];
            const Eigen::Index at = 6 * static_cast<Eigen::Index>(b);
            const Vector3d position = about + by * (body.position - about);
            moved_.segment<3>(at) += position - body.position;
            moved_.segment<3>(at + 3) += angle * (body.orientation.transpose() * axis);
            body.position = position, body.orientation = by * body.orientation;
        }
    }

    const MechanismModel& model_;
    MechanismState& state_;
    VectorXd moved_;
};

}  // namespace

VectorXd turn_far_bodies(const MechanismModel& model, MechanismState& state) { return Turning(model, state).run(); }

}  // namespace myriad::reference
