#include "host/mechanism/assembly/start_rows.hpp"

#include <algorithm>

#include "kernels/mechanism/equations.hpp"

namespace myriad::mechanism {

namespace {

constexpr double added_inertia_share = 1e-12;
// The weight of a body without mass beside the largest mass: it moves before the others do.
constexpr double massless_share = 1e-3;

// L with L L^T = j
Mat3<double> cholesky_of(const Mat3<double>& j) {
    Mat3<double> root = zero_matrix<double>();
    for (int c = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r) {
            double left = j.e[r][c];
            for (int k = 0; k < c; ++k) left -= root.e[r][k] * root.e[c][k];
            root.e[r][c] = r == c ? sqrt(left) : left / root.e[c][c];
        }
    return root;
}
// L^-1 v
Vector forward(const Mat3<double>& root, Vector v) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < r; ++c) v[r] -= root.e[r][c] * v[c];
        v[r] /= root.e[r][r];
    }
    return v;
}
// L^-T v
Vector backward(const Mat3<double>& root, Vector v) {
    for (int r = 2; r >= 0; --r) {
        for (int c = r + 1; c < 3; ++c) v[r] -= root.e[c][r] * v[c];
        v[r] /= root.e[r][r];
    }
    return v;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

std::size_t column(int body, int i) { return static_cast<std::size_t>(6 * body + i); }

}  // namespace

LeastChange::LeastChange(const MechanismTable& table, const double* parameters)
    : table_(table), so_far_(column(table.bodies, 0), 0.0) {
    double largest = 0.0;
    for (int b = 0; b < table.bodies; ++b) largest = std::max(largest, parameters[parameters_of_body(b) + body_mass]);
    const double weight_of_massless = largest > 0.0 ? massless_share * largest : 1.0;
    for (int b = 0; b < table.bodies; ++b) {
        const int at = parameters_of_body(b);
        const double own = parameters[at + body_mass], length = parameters[length_scale_parameter];
        const double mass = own > 0.0 ? own : weight_of_massless;
        Mat3<double> inertia = matrix_of(symmetric_at<double>(parameters, at + body_inertia));
        const double added =
            added_inertia_share * (inertia.e[0][0] + inertia.e[1][1] + inertia.e[2][2] + mass * (length * length));
        for (int i = 0; i < 3; ++i) inertia.e[i][i] += own > 0.0 ? added : mass * (length * length);
        inverse_root_mass_.push_back(1.0 / sqrt(mass));
        root_.push_back(cholesky_of(inertia));
    }
}

std::vector<double> LeastChange::row_in_y(const StateRow& row, bool keeps_pinned) const {
    std::vector<double> y(so_far_.size(), 0.0);
    for (int side = 0; side < 2; ++side) {
        const int b = row.body[static_cast<std::size_t>(side)];
        if (b < 0) continue;
        const auto body = static_cast<std::size_t>(b);
        const int pinned = keeps_pinned ? table_.pinned[b] : 0;
        const Vector turn = forward(root_[body], row.turn[static_cast<std::size_t>(side)]);
        for (int i = 0; i < 3; ++i) {
            const double along = inverse_root_mass_[body] * row.direction[i];
            if ((pinned & 1) == 0) y[column(b, i)] = side == 1 ? along : -along;
            if ((pinned & 2) == 0) y[column(b, 3 + i)] = turn[i];
        }
    }
    return y;
}

std::vector<double> LeastChange::change(const std::vector<StateRow>& rows, bool keeps_pinned, double tolerance) {
    std::vector<std::vector<double>> basis;
    std::vector<double> along, total(so_far_.size(), 0.0);
    for (const StateRow& row : rows) {
        std::vector<double> left = row_in_y(row, keeps_pinned);
        const double length = sqrt(product(left, left));
        double wanted = product(left, so_far_) - row.value;
        for (int round = 0; round < 2; ++round)
            for (std::size_t k = 0; k < basis.size(); ++k) {
                const double part = product(left, basis[k]);
                for (std::size_t i = 0; i < left.size(); ++i) left[i] -= part * basis[k][i];
                wanted -= part * along[k];
            }
        const double rest = sqrt(product(left, left));
        if (!(rest > tolerance * length)) continue;
        for (double& entry : left) entry /= rest;
        along.push_back(wanted / rest);
        for (std::size_t i = 0; i < left.size(); ++i) total[i] += along.back() * left[i];
        basis.push_back(std::move(left));
    }
    std::vector<double> change(so_far_.size());
    for (int b = 0; b < table_.bodies; ++b) {
        const auto body = static_cast<std::size_t>(b);
        Vector turn;
        for (int i = 0; i < 3; ++i) {
            change[column(b, i)] = inverse_root_mass_[body] * (total[column(b, i)] - so_far_[column(b, i)]);
            turn[i] = total[column(b, 3 + i)] - so_far_[column(b, 3 + i)];
        }
        turn = backward(root_[body], turn);
        for (int i = 0; i < 3; ++i) change[column(b, 3 + i)] = turn[i];
    }
    return change;
}

void LeastChange::note(const std::vector<double>& change) {
    for (int b = 0; b < table_.bodies; ++b) {
        const auto body = static_cast<std::size_t>(b);
        for (int i = 0; i < 3; ++i) {
            so_far_[column(b, i)] += change[column(b, i)] / inverse_root_mass_[body];
            for (int k = i; k < 3; ++k)  // L^T theta
                so_far_[column(b, 3 + i)] += root_[body].e[k][i] * change[column(b, 3 + k)];
        }
    }
}

StateRow worst_of(const std::vector<StateRow>& rows) {
    StateRow worst;
    for (const StateRow& row : rows)
        if (!(magnitude(row.value) <= worst.value)) worst = row, worst.value = magnitude(row.value);
    return worst;
}

StartState::StartState(const StartPlan& plan_given, const MechanismTable& table_given, const Inputs& in_given,
                       const double* parameters_given)
    : plan(plan_given), table(table_given), in(in_given), parameters(parameters_given), topology_(&table_given) {
    std::copy(parameters, parameters + table.parameters, kernel_parameters_->e);
    system_.functions_at(0.0, functions_.data());
    of(-1) = {diagonal(1.0), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int b = 0; b < table.bodies; ++b) {
        const auto at = [&](int offset) { return vector_at<double>(parameters, parameters_of_body(b) + offset); };
        of(b) = {matrix_of(rotation_at<double>(parameters, parameters_of_body(b) + body_orientation)),
                 at(body_position), at(body_velocity), at(body_angular_velocity)};
    }
}

std::vector<StateRow> StartState::rows(Level level) const {
    const auto touches = [&](const std::array<int, 2>& bodies) {
        return std::any_of(bodies.begin(), bodies.end(), [&](int b) { return b >= 0 && takes_part(b); });
    };
    std::vector<StateRow> all;
    for (const StartJoint& joint : plan.joints)
        if (joint.is_given() && touches(joint.body)) add_given(joint, level, all);
    Bodies<double, TableTopology::most_bodies> bodies;
    for (int b = 0; b < table.bodies; ++b) bodies.of[b] = of(b);
    const auto equations = system_.equations(functions_.data());
    int number = 0;
    for (int e = 0; e < table.elements; ++e) {
        const Element& element = table.element[e];
        if (element.has_law || element.is_sensor) continue;
        const std::array<int, 2> pair{element.body[0], element.body[1]};
        const int count = rows_of(element.kind);
        if (!touches(pair)) {
            number += count;
            continue;
        }
        const Rows<double> at = equations.rows(element, bodies, nullptr);
        for (int k = 0; k < count; ++k) {
            StateRow row{pair, at.direction[k], {}, at.value[k], ++number};
            for (std::size_t side = 0; side < 2; ++side)
                if (pair[side] >= 0) row.turn[side] = at.turn[side][k];
            if (level == Level::velocity) row.value = rate_of(row) + at.partial_rate[k];
            all.push_back(row);
        }
    }
    return all;
}

double StartState::rate_of(const StateRow& row) const {
    const Pose &a = of(row.body[0]), &b = of(row.body[1]);
    return dot(row.direction, b.velocity - a.velocity) + dot(row.turn[0], a.angular_velocity) +
           dot(row.turn[1], b.angular_velocity);
}

double StartState::largest_speed() const {
    const double length = maximum(1.0, parameters[length_scale_parameter]);
    double speed = length;
    for (const Pose& body : bodies_)
        for (int i = 0; i < 3; ++i)
            speed = maximum(speed, maximum(magnitude(body.velocity[i]), length * magnitude(body.angular_velocity[i])));
    return speed;
}

// Gradients as in kernels/mechanism/rows.hpp: of DP2 and angle.
StateRow StartState::row_of(const StartJoint& joint, std::size_t coordinate,
                            const std::array<JointFrame, 2>& frame) const {
    const Pose& a = of(joint.body[0]);
    const Relative pose = relative_pose(a, of(joint.body[1]));
    const int where = place_of_coordinate(joint, coordinate);
    StateRow row{joint.body, {0.0, 0.0, 0.0}, {}, 0.0, joint.first_row};
    if (!joint.coordinates[coordinate].turns) {
        const Vector axis = column_of_frame(frame[0].axes, where);
        row.direction = a.matrix * axis;
        row.turn = {cross(axis, pose.offset + pose.axes * frame[1].point),
                    cross(frame[1].point, seen_from(pose.axes, axis))};
    } else {
        const Vector axis = where == 0 ? column_of_frame(frame[0].axes, 2)
                                       : pose.axes * column_of_frame(frame[1].axes, 0);  // axes of A
        row.turn = {-axis, seen_from(pose.axes, axis)};
    }
    return row;
}

std::vector<StateRow> StartState::rates_of(const StartJoint& joint) const {
    std::vector<StateRow> all;
    if (!joint.frames) return all;
    const auto frame = joint.frames(in);
    for (std::size_t k = 0; k < joint.coordinates.size(); ++k) all.push_back(row_of(joint, k, frame));
    const Matrix relative = relative_pose(of(joint.body[0]), of(joint.body[1])).axes;
    for (int k = 0; k < 3 && turning_of(joint.type) == TreeTurning::any; ++k) {
        const Vector axis = unit_vector<double>(k);
        all.push_back({joint.body, {0.0, 0.0, 0.0}, {-(relative * axis), axis}, 0.0, joint.first_row});
    }
    for (StateRow& row : all) row.value = rate_of(row);
    return all;
}

void StartState::add_given(const StartJoint& joint, Level level, std::vector<StateRow>& all) const {
    const auto frame = joint.frames(in);
    const Relative pose = relative_pose(of(joint.body[0]), of(joint.body[1]));
    const JointValues at = coordinates_of_pose(joint.type, frame, pose);
    const bool is_position = level == Level::position;
    for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
        const StartCoordinate& one = joint.coordinates[k];
        const auto& given = is_position ? one.value : one.rate;
        if (!given) continue;
        const int where = place_of_coordinate(joint, k);
        StateRow row = row_of(joint, k, frame);
        if (!is_position) {
            row.value = rate_of(row) - in[*given];
        } else if (!one.turns) {
            row.value = at.slides[where] - in[*given];
        } else {
            constexpr double turn = 6.283185307179586;
            const double over = at.angle[where] - in[*given];
            row.value = over - turn * nearest_integer(over / turn);
        }
        all.push_back(row);
    }
    if (is_position && joint.orientation) {
        const Vector theta = log(rotation_of(transpose(matrix_of(in[*joint.orientation])) * pose.axes));
        const Matrix inverse_tangent = tangent_inverse_matrix(theta);
        for (int k = 0; k < 3; ++k) {
            const Vector on_b = myriad::row_of(inverse_tangent, k);
            all.push_back({joint.body, {0.0, 0.0, 0.0}, {-(pose.axes * on_b), on_b}, theta[k], joint.first_row});
        }
    }
    if (is_position || !joint.angular_velocity) return;
    const Vector given = in[*joint.angular_velocity];
    for (int k = 0; k < 3; ++k) {
        StateRow row{joint.body, {0.0, 0.0, 0.0}, {}, 0.0, joint.first_row};
        row.turn = {-(pose.axes * unit_vector<double>(k)), unit_vector<double>(k)};
        row.value = rate_of(row) - given[k];
        all.push_back(row);
    }
}

}  // namespace myriad::mechanism
