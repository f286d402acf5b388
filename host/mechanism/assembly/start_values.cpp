#include "host/mechanism/assembly/start_values.hpp"

#include <algorithm>
#include <memory>

#include "host/mechanism/assembly/start_rows.hpp"
#include "host/mechanism/assembly/start_velocities.hpp"

namespace myriad::mechanism {

namespace {

// Rows that are open by no more count as met: round-off of lengths of some metres, m over length scale and rad. Beyond
// the second one assembly has failed, as in kernels/mechanism/assembly.hpp.
constexpr double round_off = 1e-13, largest_open = 1e-9;
constexpr int most_iterations = 60;
constexpr double smallest_correction = 1e-12;
// Rows that follow from others do so at a closed pose. On the way there they are told by as much as is open still.
constexpr double largest_row_share = 1e-2;

Rotation<double> about(const Vector& axis, double angle) {
    const SineCosine<double> half = sincos(0.5 * angle);
    return {half.cosine, half.sine * axis[0], half.sine * axis[1], half.sine * axis[2]};
}

// A turn of the world about a point.
struct Turn {
    Rotation<double> by{1.0, 0.0, 0.0, 0.0};
    Vector shift{0.0, 0.0, 0.0};

    Turn after(const Turn& first) const { return {by * first.by, by.act(first.shift) + shift}; }
};
Turn about_point(const Rotation<double>& by, const Vector& point) { return {by, point - by.act(point)}; }

// Returns for each body how far it is moved by angles that count from the pose of the file, and by coordinates that
// follow others. A joint that is cut counts as it would in the tree.
std::vector<Turn> turns_from_pose(const StartState& file) {
    std::vector<Turn> turns(static_cast<std::size_t>(file.table.bodies));
    for (const TreeBody& hung : file.plan.uncut.bodies) {
        Turn& turn = turns[static_cast<std::size_t>(hung.body)];
        if (hung.parent >= 0) turn = turns[static_cast<std::size_t>(hung.parent)];
        if (hung.joint < 0) continue;
        const StartJoint& joint = file.plan.joints[static_cast<std::size_t>(hung.joint)];
        if (!(joint.counts_from_pose && joint.is_given()) && !joint.follows()) continue;
        const auto frame = joint.frames(file.in);
        const Pose &a = file.of(joint.body[0]), &b = file.of(joint.body[1]);
        const JointValues posed = coordinates_of_pose(joint.type, frame, relative_pose(a, b));
        Rotation<double> by{1.0, 0.0, 0.0, 0.0};
        Vector slide{0.0, 0.0, 0.0};
        for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
            const StartCoordinate& one = joint.coordinates[k];
            const std::optional<double> value = file.plan.value(one, file.in);
            if (!value || (one.value && !(one.turns && joint.counts_from_pose))) continue;
            const int where = place_of_coordinate(joint, k);
            if (!one.turns) {
                slide = slide + (*value - posed.slides[where]) * (a.matrix * column_of_frame(frame[0].axes, where));
                continue;
            }
            const Vector axis = where == 0 ? a.matrix * column_of_frame(frame[0].axes, 2)
                                           : b.matrix * column_of_frame(frame[1].axes, 0);
            by = by * about(axis, *value - (one.value ? 0.0 : posed.angle[where]));
        }
        Turn own = about_point(by, a.position + a.matrix * frame[0].point);
        own.shift = own.shift + slide;
        turn = turn.after(hung.is_backwards ? Turn{inverse(by), -inverse(by).act(own.shift)} : own);
    }
    return turns;
}

class Start {
  public:
    Start(const StartPlan& plan, const MechanismTable& table, const Inputs& in, const double* parameters)
        : plan_(plan),
          table_(table),
          in_(in),
          parameters_(parameters),
          file_(plan, table, in, parameters),
          now_(plan, table, in, parameters) {
        moved_.assign(static_cast<std::size_t>(table.bodies + 1), false);
    }

    // The open row, 0 for none.
    int run() {
        for (int b = 0; b < table_.bodies; ++b)
            if (plan_.takes_part[static_cast<std::size_t>(b)]) now_.of(b).velocity = now_.of(b).angular_velocity = {};
        for (const TreeBody& hung : plan_.uncut.bodies)
            if (plan_.takes_part[static_cast<std::size_t>(hung.body)]) hang(hung);
        const double length = maximum(1.0, parameters_[length_scale_parameter]);
        if (!(worst_of(now_.rows(Level::position)).value <= round_off * length)) close();
        const StateRow open = worst_of(now_.rows(Level::position));
        if (!(open.value <= largest_open * length)) return open.number;
        if (gives_velocities(now_) ||
            !(worst_of(now_.rows(Level::velocity)).value <= round_off * now_.largest_speed())) {
            mark_all();
            meet_velocities(file_, now_);
        }
        const StateRow faster = worst_of(now_.rows(Level::velocity));
        return faster.value <= largest_open * now_.largest_speed() ? 0 : faster.number;
    }

    void write(double* out) const {
        for (int b = 0; b < table_.bodies; ++b) {
            if (!moved_[place(b)]) continue;
            const int at = parameters_of_body(b);
            const Pose& body = now_.of(b);
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
    double value_of(int function) const { return now_.function(function).value; }

    // How far given poses were changed, as kernels/mechanism/assembly.hpp measures it.
    double change_of_poses() const {
        const std::vector<Turn> turns = turns_from_pose(file_);
        const double length = parameters_[length_scale_parameter];
        double square = 0.0;
        for (int b = 0; b < table_.bodies; ++b) {
            if (!moved_[place(b)]) continue;
            const Turn& turn = turns[static_cast<std::size_t>(b)];
            const Pose &before = file_.of(b), &after = now_.of(b);
            const Vector centre = in_.centre_of_mass(b),
                         origin = turn.by.act(before.position - before.matrix * centre) + turn.shift,
                         moved = (1.0 / length) * (after.position - after.matrix * centre - origin),
                         turned = log(inverse(turn.by * rotation_of(before.matrix)) * rotation_of(after.matrix));
            if ((table_.pinned[b] & gives_position) != 0) square += dot(moved, moved);
            if ((table_.pinned[b] & gives_orientation) != 0) square += dot(turned, turned);
        }
        return sqrt(square);
    }
    double change_of_velocities() const { return change_of_given_velocities(file_, now_); }

  private:
    static std::size_t place(int body) { return static_cast<std::size_t>(body + 1); }

    void hang(const TreeBody& hung) {
        if (hung.joint < 0) return;  // a free body stands where the file has it
        const StartJoint& joint = plan_.joints[static_cast<std::size_t>(hung.joint)];
        const bool is_driven = std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                                           [](const StartCoordinate& one) { return one.driver >= 0; });
        if (joint.is_given() || joint.follows() || is_driven || !plan_.is_placed[static_cast<std::size_t>(hung.body)])
            put(joint, hung);
        else if (moved_[place(hung.parent)])
            keep_relative(hung);
        else
            return;
        moved_[place(hung.body)] = true;
    }

    // On the parent as in the file.
    void keep_relative(const TreeBody& hung) {
        const Pose& on = now_.of(hung.parent);
        const Relative pose = relative_pose(file_.of(hung.parent), file_.of(hung.body));
        now_.of(hung.body) = {on.matrix * pose.axes, on.position + on.matrix * pose.offset,
                              on.velocity + on.matrix * cross(on.angular_velocity, pose.offset),
                              seen_from(pose.axes, on.angular_velocity)};
    }

    void put(const StartJoint& joint, const TreeBody& hung) {
        const auto frame = joint.frames(in_);
        JointValues at;
        if (plan_.is_placed[static_cast<std::size_t>(hung.body)])
            at =
                coordinates_of_pose(joint.type, frame, relative_pose(file_.of(joint.body[0]), file_.of(joint.body[1])));
        Vector slides{0.0, 0.0, 0.0};  // rates
        double rate[2] = {0.0, 0.0};
        for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
            const StartCoordinate& one = joint.coordinates[k];
            const int where = place_of_coordinate(joint, k);
            if (const auto value = plan_.value(one, in_)) (one.turns ? at.angle[where] : at.slides[where]) = *value;
            if (one.rate || one.driver >= 0)
                (one.turns ? rate[where] : slides[where]) = one.rate ? in_[*one.rate] : now_.function(one.driver).rate;
        }
        if (joint.orientation) at.turn = matrix_of(in_[*joint.orientation]);
        const Relative pose = pose_of_coordinates(joint.type, frame, at);
        const Vector arm = frame[0].point + frame[0].axes * at.slides, sliding = frame[0].axes * slides;
        const Vector axis[2] = {column_of_frame(frame[0].axes, 2),
                                frame[0].axes * column_of_frame(about_z(at.angle[0]), 0)};
        Vector spin{0.0, 0.0, 0.0};  // axes of A
        if (turning_of(joint.type) == TreeTurning::about_z) spin = rate[0] * axis[0];
        if (joint.type == TreeJoint::universal) spin = rate[0] * axis[0] + rate[1] * axis[1];
        if (joint.angular_velocity) spin = pose.axes * in_[*joint.angular_velocity];
        Pose& body = now_.of(hung.body);
        const Pose& parent = now_.of(hung.parent);
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

    void mark_all() {
        for (int b = 0; b < table_.bodies; ++b)
            if (plan_.takes_part[static_cast<std::size_t>(b)]) moved_[place(b)] = true;
    }

    void close() {
        mark_all();
        const double length = parameters_[length_scale_parameter];
        LeastChange nearest(table_, parameters_);
        for (int iteration = 0; iteration < most_iterations; ++iteration) {
            const std::vector<StateRow> open = now_.rows(Level::position);
            const double share = minimum(largest_row_share, maximum(least_row_share, worst_of(open).value / length));
            std::vector<double> step = nearest.change(open, true, share);
            double largest = 0.0;
            for (int b = 0; b < table_.bodies; ++b) {
                double* const of = step.data() + 6 * b;
                const Vector turn{of[3], of[4], of[5]};
                // Far from a closed pose a correction by more than a radian is no good direction.
                const double angle = sqrt(dot(turn, turn)), kept = angle <= 1.0 ? 1.0 : 1.0 / angle;
                for (int i = 3; i < 6; ++i) of[i] *= kept;
                Pose& body = now_.of(b);
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

    const StartPlan& plan_;
    const MechanismTable& table_;
    const Inputs& in_;
    const double* parameters_;
    StartState file_, now_;
    std::vector<bool> moved_;  // the ground first
};

}  // namespace

bool StartJoint::is_given() const {
    return orientation || angular_velocity ||
           std::any_of(coordinates.begin(), coordinates.end(),
                       [](const StartCoordinate& one) { return one.value || one.rate; });
}

bool StartJoint::follows() const {
    return std::any_of(coordinates.begin(), coordinates.end(),
                       [](const StartCoordinate& one) { return one.follows.has_value(); });
}

std::optional<double> StartPlan::value(const StartCoordinate& one, const Inputs& in) const {
    if (one.value) return in[*one.value];
    return one.follows ? value(*one.follows, in) : std::nullopt;
}

std::optional<double> StartPlan::value(const FollowedCoordinate& followed, const Inputs& in) const {
    const auto other = value(joints[followed.joint].coordinates[followed.coordinate], in);
    if (!other) return other;
    const double ratio = in[followed.ratio], offset = in[followed.offset];
    return followed.leads ? (*other - offset) / ratio : ratio * *other + offset;
}

std::vector<int> parameters_of_start(const StartPlan& plan) {
    std::vector<int> written;
    for (std::size_t b = 0; b < plan.takes_part.size(); ++b)
        for (int i = body_position; plan.takes_part[b] && i < body_parameters; ++i)
            written.push_back(parameters_of_body(static_cast<int>(b)) + i);
    for (const CountedStart& counter : plan.counters) written.push_back(counter.parameter);
    for (int i = 0; plan.moves_bodies() && i < 3; ++i) written.push_back(plan.open_row_parameter + i);
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
        const auto open = static_cast<std::size_t>(plan.open_row_parameter);
        parameters[open] = start.run();
        parameters[open + 1] = start.change_of_poses(), parameters[open + 2] = start.change_of_velocities();
        start.write(parameters.data());
    }
    for (const CountedStart& counter : plan.counters)
        parameters[static_cast<std::size_t>(counter.parameter)] = counter.number ? in[*counter.number]
                                                                  : counter.follows
                                                                      ? plan.value(*counter.follows, in).value_or(0.0)
                                                                      : start.value_of(counter.function);
}

void turn_from_pose(const StartPlan& plan, const MechanismTable& table, const Inputs& in,
                    std::span<double> parameters) {
    const StartState file(plan, table, in, parameters.data());
    const std::vector<Turn> turns = turns_from_pose(file);
    for (int b = 0; b < table.bodies; ++b) {
        const Turn& turn = turns[static_cast<std::size_t>(b)];
        const Rotation<double> q = turn.by * rotation_of(file.of(b).matrix);
        const Vector position = turn.by.act(file.of(b).position) + turn.shift;
        const double pose[] = {position[0], position[1], position[2], q.w, q.x, q.y, q.z};
        const auto at = parameters.begin() + parameters_of_body(b);
        std::copy(pose, pose + 3, at + body_position), std::copy(pose + 3, pose + 7, at + body_orientation);
    }
}

Taylor<double> function_at_start(const MechanismTable& table, std::span<const double> parameters, int function) {
    const std::vector<BodyFrame> none;
    return StartState({}, table, Inputs({}, none), parameters.data()).function(function);
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
