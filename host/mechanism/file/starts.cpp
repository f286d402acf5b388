// The values with which joints start: "angle_rad", "rate_rad_s" and the like, for each coordinate of the joint.
#include <algorithm>
#include <iterator>

#include "host/mechanism/file/constraints.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "kernels/mechanism/equations.hpp"
#include "kernels/tree/links.hpp"

namespace myriad::mechanism {

namespace {

// A driver and a start value, or two ways to the same value, may differ by their rounded digits.
constexpr double largest_difference = 1e-9;

std::string value_name(const StartCoordinate& coordinate) {
    return coordinate.name + (coordinate.turns ? "_rad" : "_m");
}
// "angle_1" has "rate_1_rad_s", "displacement" has "displacement_rate_m_s".
std::string rate_name(const StartCoordinate& coordinate) {
    const std::size_t number = coordinate.name.find('_');
    return (coordinate.turns ? "rate" : "displacement_rate") +
           (number == std::string::npos ? "" : coordinate.name.substr(number)) + (coordinate.turns ? "_rad_s" : "_m_s");
}

std::array<JointFrame, 2> frames_of(const JointRecord& joint, const Inputs& in) {
    std::array<JointFrame, 2> frames;
    for (std::size_t side = 0; side < 2; ++side)
        frames[side] = {joint.point(side).relative_to_centre_of_mass(in), diagonal(1.0)};
    const auto [a, b] = joint.body;
    if (joint.type == "universal") {
        const CountedTurn first = joint.turn("angle_1"), second = joint.turn("angle_2");
        frames[0].axes = frame_along(first.axis(in), first.from(in));
        const Vector x = first.to(in), z = second.from(in);
        frames[1].axes = matrix_of_columns(x, cross(z, x), z);
    } else if (joint.has_axes) {
        for (int side = 0; side < 2; ++side)
            frames[static_cast<std::size_t>(side)].axes = frame_along(joint.axis(in, side), joint.reference(in, side));
    } else if (joint.type != "spherical") {
        frames[1].axes = transpose(matrix_of(in.relative_orientation(a, b)));
    }
    return frames;
}

}  // namespace

void read_start_values(Builder& builder, const Entry& entry, JointRecord& joint) {
    StartJoint& start = joint.start;
    start.type = tree_joint_of(joint.type);
    start.body = joint.body;
    const Kind& kind = *std::find_if(std::begin(joint_kinds), std::end(joint_kinds),
                                     [&](const Kind& one) { return joint.type == one.name; });
    const auto number = [&](const std::string& name) -> std::optional<std::size_t> {
        if (!entry.value.find(name)) return std::nullopt;
        return builder.number(
            entry, *std::find_if(kind.keys.begin(), kind.keys.end(), [&](const Key& key) { return name == key.name; }));
    };
    for (const JointCoordinate& one : coordinates_of(joint.type)) {
        StartCoordinate coordinate{one.name, one.turns, {}, {}, -1, {}};
        coordinate.value = number(value_name(coordinate));
        coordinate.rate = number(rate_name(coordinate));
        start.coordinates.push_back(coordinate);
    }
    if (joint.type == "spherical") {
        if (entry.value.find(start_orientation_key.name))
            start.orientation = builder.orientation(entry, start_orientation_key);
        if (entry.value.find(start_angular_velocity_key.name))
            start.angular_velocity = builder.vector(entry, start_angular_velocity_key);
    }
    start.counts_from_pose = !joint.references;
    start.frames = [record = joint](const Inputs& in) { return frames_of(record, in); };
}

namespace {

bool gives_start_values(const Builder& builder) {
    return std::any_of(builder.joints.begin(), builder.joints.end(),
                       [](const auto& one) { return one.second.start.is_given(); });
}

// The groups of bodies, connected by joints and drivers but not over the ground, in which a joint has a given value.
std::vector<bool> bodies_that_take_part(const Mechanism& mechanism, const std::vector<StartJoint>& joints,
                                        bool with_followers) {
    const MechanismTable& table = mechanism.table;
    std::vector<bool> takes_part(static_cast<std::size_t>(table.bodies), false);
    const auto mark = [&](int b) {
        if (b < 0 || takes_part[static_cast<std::size_t>(b)]) return false;
        return bool(takes_part[static_cast<std::size_t>(b)] = true);
    };
    const auto is_in = [&](int b) { return b >= 0 && takes_part[static_cast<std::size_t>(b)]; };
    for (const StartJoint& joint : joints)
        if (joint.is_given() || (with_followers && joint.follows()))
            for (const int b : joint.body) mark(b);
    for (bool grew = true; grew;) {
        grew = false;
        for (int e = 0; e < table.elements; ++e) {
            const Element& element = table.element[e];
            if (element.has_law || element.is_sensor) continue;
            if (is_in(element.body[0]) || is_in(element.body[1]))
                for (const int b : element.body) grew = mark(b) || grew;
        }
    }
    return takes_part;
}

int constraint_rows_before(const MechanismTable& table, int element) {
    int rows = 0;
    for (int e = 0; e < element; ++e)
        if (!table.element[e].has_law && !table.element[e].is_sensor) rows += rows_of(table.element[e].kind);
    return rows;
}

// Tells for each constraint row, counted from 1, whether the tree holds it.
std::vector<bool> rows_of_tree(const Mechanism& mechanism, const SpanningTree& tree) {
    std::vector<bool> is_of_tree(
        1 + static_cast<std::size_t>(constraint_rows_before(mechanism.table, mechanism.table.elements)), false);
    const auto mark = [&](const NamedElements& named) {
        const auto at = [&](int element) {
            return is_of_tree.begin() + 1 + constraint_rows_before(mechanism.table, element);
        };
        std::fill(at(named.first_element), at(named.first_element + named.element_count), true);
    };
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j)
        if (tree.has(static_cast<int>(j))) mark(mechanism.joints[j]);
    for (const NamedElements& driver : mechanism.drivers)
        if (driver.joint >= 0 && tree.has(driver.joint)) mark(driver);
    return is_of_tree;
}

// The function of the driver of a joint's coordinate; -1: none
int driver_of(const Mechanism& mechanism, int joint, const std::string& coordinate) {
    for (const NamedElements& driver : mechanism.drivers)
        if (driver.joint == joint && driver.type == coordinate)
            return mechanism.table.element[driver.first_element].function;
    return -1;
}

// An angle starts at its given value, or at that of its driver, and what counts its turns begins there.
void count_from_start(Builder& builder) {
    Mechanism& mechanism = builder.mechanism;
    MechanismTable& table = mechanism.table;
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
        const JointRecord& joint = builder.joints.at(mechanism.joints[j].name);
        for (const StartCoordinate& coordinate : joint.start.coordinates) {
            if (!coordinate.turns) continue;
            const auto measured = joint.elements_of.find(coordinate.name);
            const bool is_measured = measured != joint.elements_of.end();
            const int driver = driver_of(mechanism, static_cast<int>(j), coordinate.name);
            if (!coordinate.value && (driver < 0 || !is_measured)) continue;
            const int parameter = builder.add_parameters(1, [](const Inputs&, double* out) { *out = 0.0; });
            builder.start.counters.push_back({parameter, coordinate.value, driver});
            if (coordinate.value) mechanism.start_angles.push_back({static_cast<int>(j), coordinate.name, parameter});
            if (!is_measured) continue;
            for (const int element : measured->second) table.start_angle[table.element[element].angle] = parameter;
        }
    }
}

// Coordinates that are coupled, over others or not, with one of a given value.
void find_followers(Builder& builder) {
    const Mechanism& mechanism = builder.mechanism;
    StartPlan& plan = builder.start;
    const auto index_of = [&](const CoupledCoordinate& of) {
        const auto& all = plan.joints[static_cast<std::size_t>(of.joint)].coordinates;
        const auto own =
            std::find_if(all.begin(), all.end(), [&](const StartCoordinate& one) { return one.name == of.coordinate; });
        return static_cast<std::size_t>(own - all.begin());
    };
    for (bool grew = true; grew;) {
        grew = false;
        for (std::size_t c = 0; c < mechanism.couplings.size(); ++c)
            for (std::size_t side = 0; side < 2; ++side) {
                const CoupledCoordinate &of = mechanism.couplings[c].of[side],
                                        &by = mechanism.couplings[c].of[1 - side];
                const FollowedCoordinate followed{static_cast<std::size_t>(by.joint), index_of(by),
                                                  mechanism.model.couplings[c].ratio,
                                                  mechanism.model.couplings[c].offset, side == 0};
                const StartCoordinate& other = plan.joints[followed.joint].coordinates[followed.coordinate];
                StartJoint& joint = plan.joints[static_cast<std::size_t>(of.joint)];
                StartCoordinate& own = joint.coordinates[index_of(of)];
                if (own.value || own.follows || own.driver >= 0 || !(other.value || other.follows)) continue;
                own.follows = followed;
                grew = true;
                if (!own.turns) continue;
                const int parameter = builder.add_parameters(1, [](const Inputs&, double* out) { *out = 0.0; });
                plan.counters.push_back({parameter, {}, -1, followed});
                const auto& elements =
                    builder.joints.at(mechanism.joints[static_cast<std::size_t>(of.joint)].name).elements_of;
                if (const auto measured = elements.find(own.name); measured != elements.end())
                    for (const int element : measured->second)
                        builder.mechanism.table.start_angle[mechanism.table.element[element].angle] = parameter;
            }
    }
}

}  // namespace

void plan_start(Builder& builder) {
    StartPlan& plan = builder.start;
    Mechanism& mechanism = builder.mechanism;
    count_from_start(builder);
    if (!gives_start_values(builder)) return;
    for (const NamedElements& named : mechanism.joints) {
        plan.joints.push_back(builder.joints.at(named.name).start);
        for (StartCoordinate& one : plan.joints.back().coordinates)
            one.driver = driver_of(mechanism, static_cast<int>(plan.joints.size()) - 1, one.name);
        plan.joints.back().first_row = 1 + constraint_rows_before(mechanism.table, named.first_element);
    }
    plan.uncut = spanning_tree_of(mechanism, true);
    plan.is_of_uncut = rows_of_tree(mechanism, plan.uncut);
    plan.is_placed = mechanism.body_is_placed;
    find_followers(builder);
    plan.takes_part = bodies_that_take_part(mechanism, plan.joints, true);
    plan.is_solved = bodies_that_take_part(mechanism, plan.joints, false);
    mechanism.table.open_start_row = plan.open_row_parameter =
        builder.add_parameters(3, [](const Inputs&, double* out) { std::fill_n(out, 3, 0.0); });
}

namespace {

// The joint or driver of a constraint row, counted from 1.
std::string owner_of_row(const Mechanism& mechanism, int row) {
    for (const auto* section : {&mechanism.joints, &mechanism.drivers})
        for (const NamedElements& named : *section) {
            const int first = 1 + constraint_rows_before(mechanism.table, named.first_element);
            const int end = 1 + constraint_rows_before(mechanism.table, named.first_element + named.element_count);
            if (first <= row && row < end) return named.section + "." + named.name;
        }
    return "";
}

class StartCheck {
  public:
    StartCheck(Builder& builder, const JsonValue& root) : builder_(builder), root_(root) {
        const Mechanism& mechanism = builder.mechanism;
        for (const Number& number : mechanism.numbers) values_.push_back(number.value);
        in_file_.resize(static_cast<std::size_t>(mechanism.table.parameters));
        for (const Assignment& assignment : mechanism.compiled_->assignments)
            assignment.write(inputs(), in_file_.data() + assignment.first);
    }

    void run() {
        check_drivers();
        check_closing();
        check_pinned();
        check_poses();
    }

  private:
    Inputs inputs() const { return Inputs(values_, builder_.bodies); }
    const NamedElements& named(std::size_t joint) const { return builder_.mechanism.joints[joint]; }
    JsonValue joint_at(const std::string& name) const {
        return root_.member(joints_section_key.name, "").member(name, "");
    }

    // The keys of the joint's values that stand in the file: "joints.crank.angle_rad".
    std::vector<std::string> given_by(std::size_t joint) const {
        std::vector<std::string> keys;
        const StartJoint& start = builder_.start.joints[joint];
        for (const StartCoordinate& one : start.coordinates) {
            if (one.value) keys.push_back(value_name(one));
            if (one.rate) keys.push_back(rate_name(one));
        }
        if (start.orientation) keys.emplace_back(start_orientation_key.name);
        if (start.angular_velocity) keys.emplace_back(start_angular_velocity_key.name);
        return keys;
    }
    std::string addresses_of(const std::vector<std::size_t>& joints) const {
        std::string text;
        for (const std::size_t joint : joints)
            for (const std::string& key : given_by(joint))
                text += (text.empty() ? "" : " and ") + named(joint).section + "." + named(joint).name + "." + key;
        return text;
    }

    // A driver says where its coordinate starts.
    void check_drivers() {
        const Mechanism& mechanism = builder_.mechanism;
        for (const NamedElements& driver : mechanism.drivers) {
            if (driver.joint < 0) continue;
            const NamedElements& joint = named(static_cast<std::size_t>(driver.joint));
            const StartJoint& start = builder_.start.joints[static_cast<std::size_t>(driver.joint)];
            const double at_start[] = {value_of(driver, false), value_of(driver, true)};
            for (const StartCoordinate& one : start.coordinates) {
                if (one.name != driver.type) continue;
                const std::pair<std::optional<std::size_t>, std::string> given[] = {{one.value, value_name(one)},
                                                                                    {one.rate, rate_name(one)}};
                for (std::size_t k = 0; k < 2; ++k) {
                    if (!given[k].first) continue;
                    const double value = values_[*given[k].first];
                    if (magnitude(value - at_start[k]) <= largest_difference * maximum(1.0, magnitude(value))) continue;
                    joint_at(joint.name)
                        .member(given[k].second, "")
                        .refuse("the joint starts with " + number_text(value) + " here, and drivers." + driver.name +
                                    " has it start with " + number_text(at_start[k]),
                                "leave this value out: a driver says where its coordinate starts, and how fast");
                }
            }
        }
    }
    double value_of(const NamedElements& driver, bool rate) const {
        const Taylor<double> function = function_at_start(
            builder_.mechanism.table, in_file_, builder_.mechanism.table.element[driver.first_element].function);
        return rate ? function.rate : function.value;
    }

    // 1 + the row that stays open where only these joints have their values.
    int open_row(const std::vector<bool>& keeps) const {
        StartPlan plan = builder_.start;
        for (std::size_t j = 0; j < plan.joints.size(); ++j) {
            if (keeps[j]) continue;
            plan.joints[j].orientation.reset(), plan.joints[j].angular_velocity.reset();
            for (StartCoordinate& one : plan.joints[j].coordinates) one.value.reset(), one.rate.reset();
        }
        plan.counters.clear();
        std::vector<double> parameters = in_file_;
        start_bodies(plan, builder_.mechanism.table, inputs(), parameters);
        return static_cast<int>(parameters[static_cast<std::size_t>(plan.open_row_parameter)]);
    }

    // Start values that cannot hold together are those without one of which the others can.
    void check_closing() {
        const auto& joints = builder_.start.joints;
        std::vector<bool> keeps(joints.size(), true);
        const int open = open_row(keeps);
        if (open == 0) return;
        std::vector<std::size_t> given, at_fault;
        for (std::size_t j = 0; j < joints.size(); ++j) {
            if (!joints[j].is_given()) continue;
            given.push_back(j);
            keeps[j] = false;
            if (open_row(keeps) == 0) at_fault.push_back(j);
            keeps[j] = true;
        }
        if (at_fault.empty()) at_fault = given;
        const bool one_value = at_fault.size() == 1 && given_by(at_fault.front()).size() == 1;
        const std::string owner = owner_of_row(builder_.mechanism, open);
        joint_at(named(at_fault.front()).name)
            .refuse(
                addresses_of(at_fault) +
                    (one_value ? " contradicts the other joints and drivers" : " contradict each other or the rest") +
                    ": no state of the mechanism has " + (one_value ? "this value" : "these values") + ", and " +
                    owner + " stays open",
                "leave out what follows from the rest, or look for points, axes and lengths that do not fit");
    }

    void check_pinned() {
        const Mechanism& mechanism = builder_.mechanism;
        const std::vector<double> placed = mechanism.nominal_kernel_parameters();
        const double length = placed[length_scale_parameter];
        for (int b = 0; b < mechanism.table.bodies; ++b) {
            const auto at = static_cast<std::size_t>(parameters_of_body(b));
            double moved = 0.0, turned = 0.0;
            for (std::size_t i = 0; i < 3; ++i)
                moved = maximum(moved, magnitude(placed[at + body_position + i] - in_file_[at + body_position + i]));
            const Rotation<double> before =
                                       rotation_at<double>(in_file_.data(), static_cast<int>(at) + body_orientation),
                                   after = rotation_at<double>(placed.data(), static_cast<int>(at) + body_orientation);
            turned = mechanism::length(log(inverse(before) * after));
            const bool is_moved = (mechanism.table.pinned[b] & 1) != 0 && moved > largest_difference * length,
                       is_turned = (mechanism.table.pinned[b] & 2) != 0 && turned > largest_difference;
            if (!is_moved && !is_turned) continue;
            const std::string& name = mechanism.body_names[static_cast<std::size_t>(b)];
            std::vector<std::size_t> given;
            for (std::size_t j = 0; j < builder_.start.joints.size(); ++j)
                if (builder_.start.joints[j].is_given()) given.push_back(j);
            root_.member(bodies_section_key.name, "")
                .member(name, "")
                .member(pinned_key.name, "")
                .refuse("the body is to stay where the file has it, and the start values " + addresses_of(given) +
                            " move it by " + number_text(is_moved ? moved : turned) + (is_moved ? " m" : " rad"),
                        "leave out the start value of the joint that it hangs on, or do not pin it");
        }
    }

    // A value of a joint between placed bodies replaces what their poses say, unless these are its zero.
    void check_poses() {
        Mechanism& mechanism = builder_.mechanism;
        const double length = in_file_[length_scale_parameter];
        for (std::size_t j = 0; j < builder_.start.joints.size(); ++j) {
            const StartJoint& joint = builder_.start.joints[j];
            const bool placed = std::all_of(joint.body.begin(), joint.body.end(), [&](int b) {
                return b < 0 || mechanism.body_is_placed[static_cast<std::size_t>(b)];
            });
            for (std::size_t k = 0; placed && k < joint.coordinates.size(); ++k) {
                const StartCoordinate& one = joint.coordinates[k];
                if (!one.value || (one.turns && !builder_.joints.at(named(j).name).references)) continue;
                constexpr double turn = 6.283185307179586, silent_difference = 1e-3;
                const double posed = coordinate_at(joint, k, inputs(), in_file_), value = values_[*one.value];
                double apart = value - posed;
                if (one.turns) apart -= turn * nearest_integer(apart / turn);
                if (magnitude(apart) <= silent_difference * (one.turns ? 1.0 : length)) continue;
                const JsonValue at = joint_at(named(j).name).member(value_name(one), "");
                const std::string what = "the joint starts with " + number_text(value) +
                                         " here, and the poses of its bodies in the file have it at " +
                                         rounded_number_text(posed, 3) + (one.turns ? " rad" : " m");
                if (mechanism.assembly == AssemblyPolicy::refuse)
                    at.refuse(what, "leave out one of the two; \"assembly\": \"warn\" allows it, and takes this value");
                mechanism.warnings.push_back(at.where() + ": " + what + "; this value is taken");
            }
        }
    }

    Builder& builder_;
    const JsonValue& root_;
    std::vector<double> values_, in_file_;  // numbers; kernel parameters with the state that start values replace
};

}  // namespace

void check_start(Builder& builder, const JsonValue& root) {
    if (builder.start.moves_bodies()) StartCheck(builder, root).run();
}

}  // namespace myriad::mechanism
