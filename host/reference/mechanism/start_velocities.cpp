#include "host/reference/mechanism/start_velocities.hpp"

#include <cmath>

#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
using Row = Eigen::Matrix<double, 1, 6>;

// The share of a condition above which it says something that those before it do not.
constexpr double independent_share = 1e-8;

class Conditions {
  public:
    void add(const Row& row, double wanted) {
        Row rest = row;
        if (rows_.rows() > 0)
            rest -= (rows_.transpose() * least_norm(MatrixXd(rows_.transpose())).solve(VectorXd(row.transpose())))
                        .transpose();
        if (!(rest.norm() > independent_share * row.norm())) return;
        const Index count = rows_.rows();
        rows_.conservativeResize(count + 1, 6), wanted_.conservativeResize(count + 1);
        rows_.row(count) = row, wanted_[count] = wanted;
    }
    VectorXd least() const {
        return rows_.rows() == 0 ? VectorXd(VectorXd::Zero(6)) : VectorXd(least_norm(rows_).solve(wanted_));
    }

  private:
    MatrixXd rows_ = MatrixXd(0, 6);
    VectorXd wanted_;
};

BodyState at(const MechanismState& state, int body) {
    if (body >= 0) return state.bodies[static_cast<std::size_t>(body)];
    return {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Matrix3d::Identity()};
}

void carry(const MechanismModel& model, const std::vector<BodyState>& given, const ModelStartMotion& motion,
           bool takes_given, MechanismState& state) {
    BodyState& body = state.bodies[static_cast<std::size_t>(motion.body)];
    const BodyState carrier = at(state, motion.carrier);
    const Vector3d turning = carrier.orientation * carrier.angular_velocity;
    body.velocity = carrier.velocity + turning.cross(body.position - carrier.position);
    body.angular_velocity = body.orientation.transpose() * turning;

    const auto of = [&](int from) -> const BodyState& { return given[static_cast<std::size_t>(from)]; };
    const int linear_from = takes_given ? motion.linear_from : -1,
              angular_from = takes_given ? motion.angular_from : -1;
    Vector3d given_point = body.position, joint_point = body.position;
    if (linear_from >= 0) given_point = of(linear_from).position - of(linear_from).orientation * motion.from_origin;
    if (motion.elements.empty()) joint_point = given_point;
    if (motion.point_element >= 0) {
        const ModelElement& element = model.elements[static_cast<std::size_t>(motion.point_element)];
        const BodyState second = at(state, element.body[1]);
        joint_point = second.position + second.orientation * element.point[1];
    }
    // v of the centre of mass = v_P - w x (P - r); w in the body's axes
    Eigen::Matrix<double, 6, 6> of_motion = Eigen::Matrix<double, 6, 6>::Identity();
    of_motion.topLeftCorner<3, 3>() *= model.length_scale_m;
    for (Index k = 0; k < 3; ++k)
        of_motion.col(3 + k).head<3>() = -Vector3d(body.orientation.col(k)).cross(joint_point - body.position);
    Conditions conditions;
    const auto require = [&](const Row& gradient, double wanted) { conditions.add(gradient * of_motion, wanted); };
    if (angular_from >= 0) {
        const BodyState& from = of(angular_from);
        const Vector3d lacking =
            body.orientation.transpose() * (from.orientation * from.angular_velocity) - body.angular_velocity;
        for (Index k = 0; k < 3; ++k) require(Row::Unit(3 + k), lacking[k]);
    }
    if (linear_from >= 0) {
        const Vector3d lever = given_point - body.position;
        const Vector3d here = body.velocity + (body.orientation * body.angular_velocity).cross(lever);
        for (Index k = 0; k < 3; ++k) {
            Row gradient = Row::Unit(k);
            for (Index i = 0; i < 3; ++i) gradient[3 + i] = Vector3d(body.orientation.col(i)).cross(lever)[k];
            require(gradient, of(linear_from).velocity[k] - here[k]);
        }
    }
    for (const int e : motion.elements) {
        const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(e));
        const ModelElement& element = model.elements[static_cast<std::size_t>(e)];
        const Index side = element.body[1] == motion.body ? 1 : 0;
        for (Index k = 0; k < element.rows(); ++k) require(terms.jacobian.row(k).segment<6>(6 * side), -terms.rate[k]);
    }
    const VectorXd change = of_motion * conditions.least();
    body.velocity += change.head<3>(), body.angular_velocity += change.tail<3>();
}

void carry_bodies(const MechanismModel& model, bool waits, MechanismState& state) {
    const std::vector<BodyState> given = state.bodies;
    for (const ModelStartMotion& motion : model.start_motions) {
        const bool takes_given = !(waits && motion.waits);
        if (!takes_given || motion.linear_from != motion.body || motion.angular_from != motion.body)
            carry(model, given, motion, takes_given, state);
    }
}

// The conditions A d = r on a change of all velocities.
class ConditionsOfAll {
  public:
    explicit ConditionsOfAll(std::size_t bodies) : columns_(6 * static_cast<Index>(bodies)) {}
    void add(int body, const Row& gradient, int other, const Row& of_other, double wanted) {
        const Index row = rows_.rows();
        rows_.conservativeResize(row + 1, columns_), wanted_.conservativeResize(row + 1);
        rows_.row(row).setZero(), wanted_[row] = wanted;
        rows_.row(row).segment<6>(6 * body) = gradient;
        if (other >= 0) rows_.row(row).segment<6>(6 * other) = of_other;
    }
    // Each row to the length 1: metres and radians are alike to the decomposition then.
    VectorXd least(const MatrixXd& mass) const {
        const Index n = columns_, m = rows_.rows();
        MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
        const double scale = mass.norm();
        matrix.topLeftCorner(n, n) = mass / scale;
        VectorXd right = VectorXd::Zero(n + m);
        for (Index k = 0; k < m; ++k) {
            const double length = rows_.row(k).norm();
            matrix.row(n + k).head(n) = rows_.row(k) / length, right[n + k] = wanted_[k] / length;
            matrix.col(n + k).head(n) = matrix.row(n + k).head(n).transpose();
        }
        const Decomposition<double> decomposition = least_norm(matrix);
        VectorXd solution = decomposition.solve(right);
        solution += decomposition.solve(VectorXd(right - matrix * solution));
        return solution.head(n);
    }

  private:
    Index columns_;
    MatrixXd rows_;
    VectorXd wanted_;
};

// The velocity of a point of the body, along world axis k.
Row row_of_point(const BodyState& body, const Vector3d& point, Index k) {
    Row row = Row::Unit(k);
    for (Index i = 0; i < 3; ++i) row[3 + i] = Vector3d(body.orientation.col(i)).cross(point - body.position)[k];
    return row;
}

VectorXd met_together(const MechanismModel& model, const std::vector<BodyState>& given, const MatrixXd& mass,
                      const MechanismState& state) {
    ConditionsOfAll conditions(state.bodies.size());
    for (const ModelStartMotion& motion : model.start_motions) {
        const auto b = static_cast<std::size_t>(motion.body);
        const BodyState &body = state.bodies[b], carrier = at(state, motion.carrier);
        if (!motion.moves) {
            for (Index k = 0; k < 3; ++k) {
                conditions.add(motion.body, Row::Unit(k), motion.carrier, -row_of_point(carrier, body.position, k),
                               0.0);
                Row turn = Row::Zero(), of_carrier = Row::Zero();
                turn.tail<3>() = body.orientation.row(k), of_carrier.tail<3>() = -carrier.orientation.row(k);
                conditions.add(motion.body, turn, motion.carrier, of_carrier, 0.0);
            }
            continue;
        }
        for (const int e : motion.elements) {
            const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(e));
            const ModelElement& element = model.elements[static_cast<std::size_t>(e)];
            const Index side = element.body[1] == motion.body ? 1 : 0;
            for (Index k = 0; k < element.rows(); ++k)
                conditions.add(motion.body, terms.jacobian.row(k).segment<6>(6 * side), motion.carrier,
                               terms.jacobian.row(k).segment<6>(6 * (1 - side)), -terms.rate[k]);
        }
        if (motion.angular_from == motion.body)
            for (Index k = 0; k < 3; ++k)
                conditions.add(motion.body, Row::Unit(3 + k), -1, {},
                               given[b].angular_velocity[k] - body.angular_velocity[k]);
        if (motion.linear_from != motion.body) continue;
        const Vector3d point = body.position - body.orientation * motion.from_origin,
                       here = body.velocity - body.orientation * body.angular_velocity.cross(motion.from_origin);
        for (Index k = 0; k < 3; ++k)
            conditions.add(motion.body, row_of_point(body, point, k), -1, {}, given[b].velocity[k] - here[k]);
    }
    return velocity_vector(state) + conditions.least(mass);
}

}  // namespace

StartVelocities start_velocities(const MechanismModel& model, const MatrixXd& mass, MechanismState state) {
    const std::vector<BodyState> given = state.bodies;
    if (model.moves_at_start) carry_bodies(model, false, state);
    StartVelocities found{velocity_vector(state), velocity_vector(state)};
    if (!model.starts_together) return found;
    state.bodies = given;
    carry_bodies(model, true, state);
    found.together = met_together(model, given, mass, state);
    return found;
}

double change_of_given_velocities(const MechanismModel& model, const std::vector<BodyState>& given,
                                  const MechanismState& state) {
    double sum = 0.0;
    for (const ModelStartMotion& motion : model.start_motions) {
        const auto b = static_cast<std::size_t>(motion.body);
        const BodyState& body = state.bodies[b];
        if (motion.angular_from == motion.body)
            sum += (body.angular_velocity - given[b].angular_velocity).squaredNorm();
        if (motion.linear_from != motion.body || motion.origin_rests) continue;
        const Vector3d of_point = body.velocity - body.orientation * body.angular_velocity.cross(motion.from_origin);
        sum += ((of_point - given[b].velocity) / model.length_scale_m).squaredNorm();
    }
    return std::sqrt(sum);
}

}  // namespace myriad::reference
