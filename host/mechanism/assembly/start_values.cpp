#include "host/mechanism/assembly/start_values.hpp"

#include <algorithm>
#include <memory>

#include "host/mechanism/assembly/joint_values.hpp"
#include "host/mechanism/assembly/start_rows.hpp"
#include "kernels/mechanism/mechanism.hpp"

namespace myriad::mechanism {

namespace {

template <class Real>
using Group = RotationGroup<Real>;
using StartSystem = myriad::Mechanism<double, TableTopology, Group>;

// Rows that are open by no more count as met: round-off of lengths of some metres, m over length scale and rad. Beyond
// the second one assembly has failed, as in kernels/mechanism/assembly.hpp.
constexpr double round_off = 1e-13, largest_open = 1e-9;
constexpr int most_iterations = 60;
constexpr double smallest_correction = 1e-12;
// Rows that follow from others do so at a closed pose. On the way there they are told by as much as is open still.
constexpr double least_row_share = 1e-8, largest_row_share = 1e-2;

class Start {
  public:
    Start(const StartPlan& plan, const MechanismTable& table, const Inputs& in, const double* parameters)
        : plan_(plan), table_(table), in_(in), topology_(&table), parameters_(parameters) {
        std::copy(parameters, parameters + table.parameters, kernel_parameters_->e);
        system_.functions_at(0.0, functions_.data());
        for (int b = 0; b < table.bodies; ++b) file_[place(b)] = pose_in_file(b);
        file_[place(-1)] = ground();
        for (const TreeBody& hung : plan.tree.bodies) carry_in_file(hung);
        now_ = file_;
        moved_.assign(file_.size(), false);
    }

    // The open row, 0 for none.
    int run() {
        for (const TreeBody& hung : plan_.tree.bodies)
            if (plan_.takes_part[static_cast<std::size_t>(hung.body)]) hang(hung);
        const double length = maximum(1.0, parameters_[length_scale_parameter]);
        if (!(worst(rows(Level::position)).value <= round_off * length)) close();
        const StateRow open = worst(rows(Level::position));
        if (!(open.value <= largest_open * length)) return open.number;
        double speed = length;
        for (const Pose& body : now_)
            for (int i = 0; i < 3; ++i)
                speed =
                    maximum(speed, maximum(magnitude(body.velocity[i]), length * magnitude(body.angular_velocity[i])));
        if (!(worst(rows(Level::velocity)).value <= round_off * speed)) close_velocities();
        const StateRow faster = worst(rows(Level::velocity));
        return faster.value <= largest_open * speed ? 0 : faster.number;
    }

    void write(double* out) const {
        for (int b = 0; b < table_.bodies; ++b) {
            if (!moved_[place(b)]) continue;
            const int at = parameters_of_body(b);
            const Pose& body = now_[place(b)];
            const Rotation<double> q = rotation_of(body.matrix);
            const double orientation[] = {q.w, q.x, q.y, q.z};
            std::copy(std::begin(orientation), std::end(orientation), out + at + body_orientation);
            for (int i = 0; i < 3; ++i) {
                out[at + body_position + i] = body.position[i];
                out[at + body_velocity + i] = body.velocity[i];
                out[at + body_angular_velocity + i] = body.angular_velocity[i];
            }
        }
    }
    double value_of(int function) const { return functions_[static_cast<std::size_t>(function)].value; }

  private:
    static std::size_t place(int body) { return static_cast<std::size_t>(body + 1); }
    static Pose ground() { return {diagonal(1.0), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; }
    Pose pose_in_file(int b) const {
        const int at = parameters_of_body(b);
        return {matrix_of(rotation_at<double>(parameters_, at + body_orientation)),
                vector_at<double>(parameters_, at + body_position), vector_at<double>(parameters_, at + body_velocity),
                vector_at<double>(parameters_, at + body_angular_velocity)};
    }

    // Velocities other than 0 were given, by the file or by a study.
    bool is_given(int b, bool angular) const {
        const Mechanism::GivenVelocity& given = plan_.is_given[static_cast<std::size_t>(b)];
        const Vector v =
            vector_at<double>(parameters_, parameters_of_body(b) + (angular ? body_angular_velocity : body_velocity));
        return (angular ? given.angular : given.linear) || dot(v, v) > 0.0;
    }
    // A body moves with its parent as far as its velocities are not given: with the turning that is given about the
    // joint's point.
    void carry_in_file(const TreeBody& hung) {
        const bool linear = is_given(hung.body, false), angular = is_given(hung.body, true);
        if (hung.joint < 0 || (linear && angular) || !plan_.takes_part[static_cast<std::size_t>(hung.body)]) return;
        const Pose& parent = file_[place(hung.parent)];
        Pose& body = file_[place(hung.body)];
        const Vector w = parent.matrix * parent.angular_velocity;
        if (!angular) body.angular_velocity = seen_from(body.matrix, w);
        if (linear) return;
        const StartJoint& joint = plan_.joints[static_cast<std::size_t>(hung.joint)];
        const Vector arm = body.matrix * joint.frames(in_)[hung.is_backwards ? 0 : 1].point;
        body.velocity = parent.velocity + cross(w, body.position + arm - parent.position) -
                        cross(body.matrix * body.angular_velocity, arm);
    }

    void hang(const TreeBody& hung) {
        if (hung.joint < 0) return;  // a free body stands where the file has it
        const StartJoint& joint = plan_.joints[static_cast<std::size_t>(hung.joint)];
        const bool is_driven = std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                                           [](const StartCoordinate& one) { return one.driver >= 0; });
        if (joint.is_given() || is_driven || !plan_.is_placed[static_cast<std::size_t>(hung.body)])
            put(joint, hung);
        else if (moved_[place(hung.parent)])
            keep_relative(hung);
        else
            return;
        moved_[place(hung.body)] = true;
    }

    // On the parent as in the file.
    void keep_relative(const TreeBody& hung) {
        const Pose &parent = file_[place(hung.parent)], &body = file_[place(hung.body)], &on = now_[place(hung.parent)];
        const Relative pose = relative_pose(parent, body);
        const Vector spin = body.angular_velocity - seen_from(pose.axes, parent.angular_velocity),
                     drift = seen_from(parent.matrix, body.velocity - parent.velocity) -
                             cross(parent.angular_velocity, pose.offset);
        now_[place(hung.body)] = {on.matrix * pose.axes, on.position + on.matrix * pose.offset,
                                  on.velocity + on.matrix * (drift + cross(on.angular_velocity, pose.offset)),
                                  spin + seen_from(pose.axes, on.angular_velocity)};
    }

    void put(const StartJoint& joint, const TreeBody& hung) {
        const auto frame = joint.frames(in_);
        const Pose &file_a = file_[place(joint.body[0])], &file_b = file_[place(joint.body[1])];
        JointValues at;
        if (plan_.is_placed[static_cast<std::size_t>(hung.body)])
            at = coordinates_of_pose(joint.type, frame, relative_pose(file_a, file_b));
        for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
            const StartCoordinate& one = joint.coordinates[k];
            if (!one.value) continue;
            const int where = place_of_coordinate(joint, k);
            (one.turns ? at.angle[where] : at.slides[where]) = in_[*one.value];
        }
        if (joint.orientation) at.turn = matrix_of(in_[*joint.orientation]);
        const Relative pose = pose_of_coordinates(joint.type, frame, at);
        const Vector arm = frame[0].point + frame[0].axes * at.slides;

        // Relative to A, in its axes: the file's velocities where the bodies stand now.
        Vector spin = pose.axes * file_b.angular_velocity - file_a.angular_velocity;
        const Vector of_point =
            seen_from(file_a.matrix, file_b.velocity) + pose.axes * cross(file_b.angular_velocity, frame[1].point);
        Vector slides =
            only_slides_of(joint.type, seen_from(frame[0].axes, of_point - seen_from(file_a.matrix, file_a.velocity) -
                                                                    cross(file_a.angular_velocity, arm)));
        const Vector axis[2] = {column_of_frame(frame[0].axes, 2),
                                frame[0].axes * column_of_frame(about_z(at.angle[0]), 0)};
        double rate[2] = {dot(axis[0], spin), dot(axis[1], spin)};
        for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
            const StartCoordinate& one = joint.coordinates[k];
            if (!one.rate && one.driver < 0) continue;
            const int where = place_of_coordinate(joint, k);
            (one.turns ? rate[where] : slides[where]) =
                one.rate ? in_[*one.rate] : functions_[static_cast<std::size_t>(one.driver)].rate;
        }
        if (turning_of(joint.type) != TreeTurning::any) {
            spin = {0.0, 0.0, 0.0};
            if (turning_of(joint.type) == TreeTurning::about_z) spin = rate[0] * axis[0];
            if (joint.type == TreeJoint::universal) spin = spin + rate[1] * axis[1];
        } else if (joint.angular_velocity) {
            spin = pose.axes * in_[*joint.angular_velocity];
        }
        const Vector sliding = frame[0].axes * slides;
        Pose& body = now_[place(hung.body)];
        const Pose& parent = now_[place(hung.parent)];
        if (!hung.is_backwards) {
            const Vector w = parent.angular_velocity + spin;
            body.matrix = parent.matrix * pose.axes;
            body.position = parent.position + parent.matrix * pose.offset;
            body.angular_velocity = seen_from(pose.axes, w);
            body.velocity = parent.velocity + parent.matrix * (cross(parent.angular_velocity, arm) + sliding -
                                                               cross(w, pose.axes * frame[1].point));
        } else {
            const Vector w = pose.axes * parent.angular_velocity - spin;
            body.matrix = parent.matrix * transpose(pose.axes);
            body.position = parent.position - body.matrix * pose.offset;
            body.angular_velocity = w;
            body.velocity = parent.velocity + parent.matrix * cross(parent.angular_velocity, frame[1].point) -
                            body.matrix * (sliding + cross(w, arm));
        }
    }

    // The given values, then all joints and drivers: phi, or phi'.
    std::vector<StateRow> rows(Level level) {
        std::vector<StateRow> all;
        for (const StartJoint& joint : plan_.joints)
            if (joint.is_given() && touches(joint.body)) add_given(joint, level, all);
        Bodies<double, TableTopology::most_bodies> bodies;
        for (int b = 0; b < table_.bodies; ++b) bodies.of[b] = now_[place(b)];
        const auto equations = system_.equations(functions_.data());
        int number = 0;
        for (int e = 0; e < table_.elements; ++e) {
            const Element& element = table_.element[e];
            if (element.has_law || element.is_sensor) continue;
            const std::array<int, 2> of{element.body[0], element.body[1]};
            const int count = rows_of(element.kind);
            if (!touches(of)) {
                number += count;
                continue;
            }
            const Rows<double> at = equations.rows(element, bodies, nullptr);
            for (int k = 0; k < count; ++k) {
                StateRow row{of, at.direction[k], {}, at.value[k], ++number};
                for (std::size_t side = 0; side < 2; ++side)
                    if (of[side] >= 0) row.turn[side] = at.turn[side][k];
                if (level == Level::velocity) row.value = rate_of(row) + at.partial_rate[k];
                all.push_back(row);
            }
        }
        return all;
    }
    bool touches(const std::array<int, 2>& bodies) const {
        return std::any_of(bodies.begin(), bodies.end(),
                           [&](int b) { return b >= 0 && plan_.takes_part[static_cast<std::size_t>(b)]; });
    }
    double rate_of(const StateRow& row) const {
        const Pose &a = now_[place(row.body[0])], &b = now_[place(row.body[1])];
        return dot(row.direction, b.velocity - a.velocity) + dot(row.turn[0], a.angular_velocity) +
               dot(row.turn[1], b.angular_velocity);
    }

    // Gradients as in kernels/mechanism/rows.hpp: of DP2, angle and rotation_vector.
    void add_given(const StartJoint& joint, Level level, std::vector<StateRow>& all) const {
        const auto frame = joint.frames(in_);
        const Pose &a = now_[place(joint.body[0])], &b = now_[place(joint.body[1])];
        const Relative pose = relative_pose(a, b);
        const JointValues at = coordinates_of_pose(joint.type, frame, pose);
        const bool is_position = level == Level::position;
        const Vector along_universal = column_of_frame(frame[1].axes, 0);
        for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
            const StartCoordinate& one = joint.coordinates[k];
            const auto& given = is_position ? one.value : one.rate;
            if (!given) continue;
            const int where = place_of_coordinate(joint, k);
            StateRow row{joint.body, {0.0, 0.0, 0.0}, {}, 0.0, joint.first_row};
            if (!one.turns) {
                const Vector axis = column_of_frame(frame[0].axes, where);
                row.direction = a.matrix * axis;
                row.turn = {cross(axis, pose.offset + pose.axes * frame[1].point),
                            cross(frame[1].point, seen_from(pose.axes, axis))};
                row.value = at.slides[where] - in_[*given];
            } else {
                const Vector axis =
                    where == 0 ? column_of_frame(frame[0].axes, 2) : pose.axes * along_universal;  // axes of A
                row.turn = {-axis, seen_from(pose.axes, axis)};
                constexpr double turn = 6.283185307179586;
                const double over = at.angle[where] - in_[*given];
                row.value = over - turn * nearest_integer(over / turn);
            }
            if (!is_position) row.value = rate_of(row) - in_[*given];
            all.push_back(row);
        }
        if (is_position && joint.orientation) {
            const Vector theta = log(rotation_of(transpose(matrix_of(in_[*joint.orientation])) * pose.axes));
            const Matrix inverse_tangent = tangent_inverse_matrix(theta);
            for (int k = 0; k < 3; ++k) {
                const Vector on_b = row_of(inverse_tangent, k);
                all.push_back({joint.body, {0.0, 0.0, 0.0}, {-(pose.axes * on_b), on_b}, theta[k], joint.first_row});
            }
        }
        if (is_position || !joint.angular_velocity) return;
        const Vector given = in_[*joint.angular_velocity];
        for (int k = 0; k < 3; ++k) {
            StateRow row{joint.body, {0.0, 0.0, 0.0}, {}, 0.0, joint.first_row};
            row.turn = {-(pose.axes * unit_vector<double>(k)), unit_vector<double>(k)};
            row.value = rate_of(row) - given[k];
            all.push_back(row);
        }
    }

    // In the state before its rows are met.
    void add_given_velocities(std::vector<StateRow>& all) const {
        for (int b = 0; b < table_.bodies; ++b) {
            if (!plan_.takes_part[static_cast<std::size_t>(b)]) continue;
            for (int k = 0; k < 3 && is_given(b, false); ++k)
                all.push_back({{-1, b}, unit_vector<double>(k), {}, 0.0, 0});
            for (int k = 0; k < 3 && is_given(b, true); ++k)
                all.push_back({{-1, b}, {0.0, 0.0, 0.0}, {Vector{}, unit_vector<double>(k)}, 0.0, 0});
        }
    }

    // Its value is absolute; a row without a value is the worst.
    static StateRow worst(const std::vector<StateRow>& all) {
        StateRow worst;
        for (const StateRow& row : all)
            if (!(magnitude(row.value) <= worst.value)) worst = row, worst.value = magnitude(row.value);
        return worst;
    }

    void mark_all() {
        for (int b = 0; b < table_.bodies; ++b)
            if (plan_.takes_part[static_cast<std::size_t>(b)]) moved_[place(b)] = true;
    }

    void close() {
        mark_all();
        const double length = parameters_[length_scale_parameter];
        LeastChange nearest(table_, parameters_);
        for (int iteration = 0; iteration < most_iterations; ++iteration) {
            const std::vector<StateRow> open = rows(Level::position);
            const double share = minimum(largest_row_share, maximum(least_row_share, worst(open).value / length));
            std::vector<double> step = nearest.change(open, true, share);
            double largest = 0.0;
            for (int b = 0; b < table_.bodies; ++b) {
                double* const of = step.data() + 6 * b;
                const Vector turn{of[3], of[4], of[5]};
                // Far from a closed pose a correction by more than a radian is no good direction.
                const double angle = sqrt(dot(turn, turn)), kept = angle <= 1.0 ? 1.0 : 1.0 / angle;
                for (int i = 3; i < 6; ++i) of[i] *= kept;
                Pose& body = now_[place(b)];
                if (!plan_.takes_part[static_cast<std::size_t>(b)]) continue;
                for (int i = 0; i < 3; ++i) {
                    body.position[i] += of[i];
                    largest = maximum(largest, magnitude(of[i]) / length);
                }
                largest = maximum(largest, angle);
                body.matrix = matrix_of(renormalized(rotation_of(body.matrix) * exp(kept * turn)));
            }
            nearest.note(step);
            if (!(largest > smallest_correction)) return;
        }
    }
    void close_velocities() {
        mark_all();
        LeastChange nearest(table_, parameters_);
        // Given velocities come last: of rows that contradict those before them nothing is left.
        std::vector<StateRow> all = rows(Level::velocity);
        add_given_velocities(all);
        const std::vector<double> change = nearest.change(all, false, least_row_share);
        for (int b = 0; b < table_.bodies; ++b) {
            Pose& body = now_[place(b)];
            if (!plan_.takes_part[static_cast<std::size_t>(b)]) continue;
            const double* const of = change.data() + 6 * b;
            for (int i = 0; i < 3; ++i) body.velocity[i] += of[i], body.angular_velocity[i] += of[3 + i];
        }
    }

    const StartPlan& plan_;
    const MechanismTable& table_;
    const Inputs& in_;
    TableTopology topology_;
    const double* parameters_;
    std::unique_ptr<StartSystem::Parameters> kernel_parameters_ = std::make_unique<StartSystem::Parameters>();
    StartSystem system_{topology_, kernel_parameters_.get()};
    std::array<Taylor<double>, TableTopology::most_functions> functions_{};
    std::array<Pose, TableTopology::most_bodies + 1> file_{}, now_{};  // the ground first
    std::vector<bool> moved_;
};

}  // namespace

bool StartJoint::is_given() const {
    return orientation || angular_velocity ||
           std::any_of(coordinates.begin(), coordinates.end(),
                       [](const StartCoordinate& one) { return one.value || one.rate; });
}

std::vector<int> parameters_of_start(const StartPlan& plan) {
    std::vector<int> written;
    for (std::size_t b = 0; b < plan.takes_part.size(); ++b)
        for (int i = body_position; plan.takes_part[b] && i < body_parameters; ++i)
            written.push_back(parameters_of_body(static_cast<int>(b)) + i);
    for (const CountedStart& counter : plan.counters) written.push_back(counter.parameter);
    if (plan.moves_bodies()) written.push_back(plan.open_row_parameter);
    std::sort(written.begin(), written.end());
    return written;
}

std::vector<bool> parameters_read_by_start(const StartPlan& plan, const MechanismTable& table) {
    std::vector<bool> read(static_cast<std::size_t>(table.parameters), false);
    const auto mark = [&](int first, int count) { std::fill_n(read.begin() + first, count, true); };
    for (int i = 0; i < table.instructions; ++i)
        if (table.instruction[i].operation == Operation::parameter) mark(table.instruction[i].a, 1);
    if (!plan.moves_bodies()) return read;
    mark(length_scale_parameter, 1);
    for (int b = 0; b < table.bodies; ++b)
        if (plan.takes_part[static_cast<std::size_t>(b)]) mark(parameters_of_body(b), body_parameters);
    for (int e = 0; e < table.elements; ++e) {
        const Element& element = table.element[e];
        if (!element.has_law && !element.is_sensor) mark(element.parameter, geometry_parameters(element.kind));
    }
    return read;
}

void start_bodies(const StartPlan& plan, const MechanismTable& table, const Inputs& in, std::span<double> parameters) {
    Start start(plan, table, in, parameters.data());
    if (plan.moves_bodies()) {
        parameters[static_cast<std::size_t>(plan.open_row_parameter)] = start.run();
        start.write(parameters.data());
    }
    for (const CountedStart& counter : plan.counters)
        parameters[static_cast<std::size_t>(counter.parameter)] =
            counter.number ? in[*counter.number] : start.value_of(counter.function);
}

Taylor<double> function_at_start(const MechanismTable& table, std::span<const double> parameters, int function) {
    const auto all = std::make_unique<StartSystem::Parameters>();
    std::copy(parameters.begin(), parameters.end(), all->e);
    std::array<Taylor<double>, TableTopology::most_functions> functions{};
    StartSystem{TableTopology(&table), all.get()}.functions_at(0.0, functions.data());
    return functions[static_cast<std::size_t>(function)];
}

double coordinate_at(const StartJoint& joint, std::size_t coordinate, const Inputs& in,
                     std::span<const double> parameters) {
    const auto pose = [&](int b) -> Pose {
        if (b < 0) return {diagonal(1.0), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        const int at = parameters_of_body(b);
        return {matrix_of(rotation_at<double>(parameters.data(), at + body_orientation)),
                vector_at<double>(parameters.data(), at + body_position),
                {},
                {}};
    };
    const JointValues at =
        coordinates_of_pose(joint.type, joint.frames(in), relative_pose(pose(joint.body[0]), pose(joint.body[1])));
    const int where = place_of_coordinate(joint, coordinate);
    return joint.coordinates[coordinate].turns ? at.angle[where] : at.slides[where];
}

}  // namespace myriad::mechanism
