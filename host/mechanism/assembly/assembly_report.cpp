#include "host/mechanism/assembly/assembly_report.hpp"

#include <algorithm>
#include <memory>

#include "host/mechanism/assembly/closest_pose.hpp"
#include "host/mechanism/assembly/coupled_start.hpp"
#include "host/mechanism/compiled.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/text/number_text.hpp"
#include "host/text/user_error.hpp"
#include "kernels/mechanism/start_pose.hpp"

namespace myriad::mechanism {

namespace {

// Nobody would read more.
constexpr std::size_t most_named = 4;
// Digits of axes may be missing, rad: a larger turn moves a zero. Given poses may be off by as much in silence.
constexpr double largest_turn_of_a_zero = silent_share;

struct Move {
    std::string body;
    double distance_m, angle_rad;
};

std::vector<Mechanism::GivenPose> given_poses(const Mechanism& mechanism, std::span<const unsigned char> given) {
    std::vector<Mechanism::GivenPose> poses = mechanism.body_pose_is_given;
    for (std::size_t number = 0; number < given.size(); ++number) {
        if (given[number] == 0) continue;
        for (std::size_t b = 0; b < poses.size(); ++b) {
            const std::string body = std::string(bodies_section_key.name) + "." + mechanism.body_names[b] + ".";
            const auto begins = [&](const Key& key) {
                return mechanism.numbers[number].address.starts_with(body + key.name);
            };
            poses[b].position = poses[b].position || begins(position_key);
            poses[b].orientation = poses[b].orientation || begins(orientation_key);
        }
    }
    return poses;
}

double size_of(const Mechanism& mechanism, const NominalInstance& assembled) {
    const auto& bodies = assembled.scratch.work.bodies;
    std::vector<Vector> points;
    for (int b = 0; b < mechanism.table.bodies; ++b) points.push_back(bodies.of[b].position);
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const Element& element = mechanism.table.element[e];
        const int first = points_offset(element.kind);
        for (int side = 0; side < 2 && first >= 0 && !element.is_sensor; ++side)
            points.push_back(bodies.point(
                element.body[side], vector_at<double>(assembled.parameters, element.parameter + first + 3 * side)));
    }
    double size = 0.0;
    for (const Vector& a : points)
        for (const Vector& b : points) size = std::max(size, length(a - b));
    return size > 0.0 ? size : assembled.parameters[length_scale_parameter];
}

// How far what is given of the bodies' poses, `as_given`, is from those as assembled.
std::vector<Move> moves_of(const Mechanism& mechanism, const NominalInstance& assembled,
                           const NominalInstance& as_given, const std::vector<Mechanism::GivenPose>& is_given,
                           const Inputs& numbers) {
    std::vector<Move> moves;
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const auto &before = as_given.motion.q, &after = assembled.motion.q;
        const Vector centre = numbers.centre_of_mass(b);
        const Vector moved = (after.position[b] - after.orientation[b].act(centre)) -
                             (before.position[b] - before.orientation[b].act(centre));
        const auto body = static_cast<std::size_t>(b);
        moves.push_back(
            {mechanism.body_names[body], is_given[body].position ? length(moved) : 0.0,
             is_given[body].orientation ? length(log(inverse(before.orientation[b]) * after.orientation[b])) : 0.0});
    }
    return moves;
}

std::string vector_text(const Vector& v) {
    constexpr int digits = 4;
    return "[" + rounded_number_text(v[0], digits) + ", " + rounded_number_text(v[1], digits) + ", " +
           rounded_number_text(v[2], digits) + "]";
}

// A given velocity, and the one that a body starts with instead.
struct Changed {
    std::string entry, text;
    double size;  // m/s, a turn at the mechanism's size
};

// `in_file`: the kernel parameters as the file gives the state. `rates`: start rates of joints.
std::vector<Changed> changed_velocities(const Mechanism& mechanism, const NominalInstance& assembled,
                                        const std::vector<double>& in_file, const Inputs& given,
                                        const std::vector<ChangedRate>& rates, double size_m) {
    std::vector<Changed> changed;
    double largest = 0.0;
    const auto add = [&](int b, const char* what, const char* unit, const Vector& before, const Vector& after,
                         double lever) {
        largest = std::max({largest, lever * length(before), lever * length(after)});
        const std::string body = "bodies." + mechanism.body_names[static_cast<std::size_t>(b)];
        changed.push_back({body,
                           body + " is given the " + what + " " + vector_text(before) + " " + unit +
                               " and starts with " + vector_text(after) + " " + unit,
                           lever * length(after - before)});
    };
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const Mechanism::GivenVelocity& is_given = mechanism.body_velocity_is_given[static_cast<std::size_t>(b)];
        const auto in = [&](int offset) { return vector_at<double>(in_file.data(), parameters_of_body(b) + offset); };
        const Vector before = in(body_angular_velocity), after = assembled.motion.v.turning(b);
        // A driver may move bodies where all that is given is rest.
        largest = std::max({largest, size_m * length(after), length(assembled.motion.v.linear(b))});
        if (is_given.angular) add(b, "angular velocity", "rad/s", before, after, size_m);
        if (!is_given.linear) continue;
        const Vector centre = given.centre_of_mass(b);
        const Rotation<double> in_file_orientation =
            rotation_at<double>(in_file.data(), parameters_of_body(b) + body_orientation);
        add(b, "velocity", "m/s", in(body_velocity)-in_file_orientation.act(cross(before, centre)),
            assembled.motion.v.linear(b) - assembled.motion.q.orientation[b].act(cross(after, centre)), 1.0);
    }
    for (const ChangedRate& rate : rates) {
        const char* const unit = rate.turns ? " rad/s" : " m/s";
        const double lever = rate.turns ? size_m : 1.0;
        largest = std::max({largest, lever * magnitude(rate.given), lever * magnitude(rate.now)});
        changed.push_back({"joints." + rate.coordinate.substr(0, rate.coordinate.rfind('.')),
                           rate.coordinate + " is given the rate " + rounded_number_text(rate.given, 4) + unit +
                               " and starts with " + rounded_number_text(rate.now, 4) + unit,
                           lever * magnitude(rate.now - rate.given)});
    }
    std::erase_if(changed, [&](const Changed& one) { return one.size <= silent_share * largest; });
    std::stable_sort(changed.begin(), changed.end(),
                     [](const Changed& a, const Changed& b) { return a.size > b.size; });
    return changed;
}

template <class Entries, class Text>
std::string list_of_worst(Entries entries, const Text& text) {
    std::string list;
    for (std::size_t k = 0; k < std::min(entries.size(), most_named); ++k)
        list += (list.empty() ? "" : ", ") + text(entries[k]);
    if (entries.size() > most_named) list += " and " + std::to_string(entries.size() - most_named) + " more";
    return list;
}

}  // namespace

std::string why_not_assembled(const Mechanism& mechanism, const std::vector<double>& kernel_parameters) {
    const ClosestPose best = closest_pose(mechanism, kernel_parameters);
    if (best.closes)
        return "Newton's method does not get from there to a pose that satisfies the joints, though there is one";
    return best.open.joint + " stays open by " + best.open.text() + " at best";
}

namespace {

// The pose that the file's numbers give, assembled; with start values of joints if no pose without them closes.
std::unique_ptr<NominalInstance> assembled_file(const Mechanism& mechanism, std::span<const double> values,
                                                std::span<const unsigned char> given) {
    for (const std::vector<double>& parameters :
         {mechanism.parameters_of_file(values, given), mechanism.kernel_parameters(values, given)}) {
        auto instance = std::make_unique<NominalInstance>(mechanism.table, parameters);
        if (instance->assemble().reason == 0.0) return instance;
    }
    return nullptr;
}

// Whether assembly turns the axes of a joint in the file's orientations by an angle that depends on masses: axes far
// from parallel are laid together by the least turn, which the zero of the angle follows.
bool turns_axes_to_close(const model::Joint& joint, const Inputs& in) {
    const Vector a = unit(in[joint.axes[0]]),
                 b = in.relative_orientation(joint.body[0], joint.body[1]).act(unit(in[joint.axes[1]]));
    const double cosine = dot(a, b);
    if (joint.type == "universal") return magnitude(cosine) > largest_turn_of_a_zero;
    return cosine >= cosine_of_far_axes && length(cross(a, b)) > largest_turn_of_a_zero;
}

// The turn of a bushing from where it is relaxed, rad.
double turn_of_bushing(const NominalInstance& assembled, const Element& element) {
    const auto frame = [&](int side) {
        const int body = element.body[side];
        const Rotation<double> on_body = rotation_at<double>(assembled.parameters, element.parameter + 4 * side);
        return body < 0 ? on_body : assembled.motion.q.orientation[body] * on_body;
    };
    return length(log(inverse(frame(0)) * frame(1)));
}

}  // namespace

std::optional<UnknownZero> unknown_zero(const Mechanism& mechanism, std::span<const double> values,
                                        std::span<const unsigned char> given) {
    const std::vector<Mechanism::GivenPose> is_given = given_poses(mechanism, given);
    const std::vector<double> all = mechanism.all_numbers(values, given);
    const Inputs in(all, mechanism.compiled_->bodies);
    const auto without_orientation = [&](const auto& bodies) {
        std::string names;
        for (const int b : bodies)
            if (b >= 0 && !is_given[static_cast<std::size_t>(b)].orientation)
                names +=
                    (names.empty() ? "bodies." : " and bodies.") + mechanism.body_names[static_cast<std::size_t>(b)];
        return names;
    };
    for (const model::Element& element : mechanism.model.elements) {
        if (element.joint < 0 || !element.coordinate.starts_with("angle")) continue;
        const model::Joint& joint = mechanism.model.joints[static_cast<std::size_t>(element.joint)];
        const std::string without = without_orientation(joint.body);
        if (joint.references || without.empty() || !turns_axes_to_close(joint, in)) continue;
        const bool may_have_references = joint.type != "universal";
        return UnknownZero{"joints." + mechanism.joints[static_cast<std::size_t>(element.joint)].name,
                           "the angle of this joint is 0 in the orientations that the file gives its bodies. The file "
                           "gives none for " +
                               without + ", and in the default, the axes of the world, the axes of the joint are not " +
                               (may_have_references ? "parallel" : "perpendicular"),
                           (may_have_references ? "give the joint \"references\", or give " : "give ") + without +
                               " the \"orientation\" at the angle 0"};
    }
    std::unique_ptr<NominalInstance> assembled;
    for (const NamedElements& force : mechanism.forces) {
        if (force.type != "bushing") continue;
        const Element& element = mechanism.table.element[force.first_element + force.element_count - 1];
        const std::string without = without_orientation(element.body);
        if (element.kind != ElementKind::rotation_vector || without.empty()) continue;
        if (!assembled) assembled = assembled_file(mechanism, values, given);
        if (!assembled) return std::nullopt;
        const double turn = turn_of_bushing(*assembled, element);
        if (turn <= largest_turn_of_a_zero) continue;
        return UnknownZero{
            "forces." + force.name,
            "this bushing is relaxed in the orientations that the file gives its bodies. The file gives none for " +
                without + ", and joints or drivers turn the bushing by " + rounded_number_text(turn, 3) +
                " rad from the default, the axes of the world",
            "give " + without + " the \"orientation\" in which the bushing is relaxed"};
    }
    return std::nullopt;
}

AssemblyReport assembly_report(const Mechanism& mechanism, std::span<const double> values,
                               std::span<const unsigned char> given) {
    const std::vector<double> parameters = mechanism.kernel_parameters(values, given);
    const auto instance = std::make_unique<NominalInstance>(mechanism.table, parameters),
               as_given =
                   std::make_unique<NominalInstance>(mechanism.table, mechanism.parameters_as_given(values, given));
    const std::vector<Mechanism::GivenPose> is_given = given_poses(mechanism, given);
    std::vector<JointError> errors = joint_errors(mechanism, *as_given);
    if (instance->assemble().reason != 0.0)
        return {"the mechanism cannot be assembled: " + why_not_assembled(mechanism, parameters),
                "give the bodies positions and orientations nearer to a closed mechanism, and look at the points' "
                "signs",
                "", true};
    instance->system.place(instance->motion.q, instance->scratch.work.bodies);
    const double size_m = size_of(mechanism, *instance), least_m = silent_share * size_m, least_rad = silent_share;
    std::erase_if(errors, [&](JointError& error) {
        const int(&body)[2] = mechanism.table.element[error.first_element].body;
        const auto both = [&](const auto& has) {
            return std::all_of(std::begin(body), std::end(body),
                               [&](int b) { return b < 0 || has(is_given[static_cast<std::size_t>(b)]); });
        };
        if (!both([](const auto& pose) { return pose.position; })) error.length_m = 0.0;
        if (!both([](const auto& pose) { return pose.orientation; })) error.angle_rad = 0.0;
        return !error.exceeds(least_m, least_rad);
    });
    std::vector<double> all(values.begin(), values.end());
    std::vector<Move> moves =
        moves_of(mechanism, *instance, *as_given, is_given, Inputs(all, mechanism.compiled_->bodies));
    std::erase_if(moves, [&](const Move& move) { return move.distance_m <= least_m && move.angle_rad <= least_rad; });
    CouplingReport coupled;
    if (!mechanism.couplings.empty() && !mechanism.starts_at_equilibrium) coupled = couple_start(mechanism, *instance);
    const std::vector<Changed> changed =
        changed_velocities(mechanism, *instance, mechanism.parameters_of_file(values, given),
                           Inputs(all, mechanism.compiled_->bodies), coupled.rates, size_m);
    AssemblyReport report;
    const auto tell = [&](const std::string& what, const std::string& remedy, const std::string& entry) {
        report.entry = entry;
        report.what = report.what.empty() ? what : what + "; " + report.what;
        if (report.remedy.find(remedy) != std::string::npos) return;
        report.remedy = report.remedy.empty() ? remedy : remedy + "; " + report.remedy;
    };
    if (!changed.empty())
        tell("the given velocities contradict each other, the joints, the couplings or the drivers: " +
                 list_of_worst(changed, [](const Changed& one) { return one.text; }),
             remedy_for_velocities, changed.front().entry);
    if (!coupled.what.empty()) tell(coupled.what, coupled.remedy, coupled.entry);
    if (moves.empty()) return report;

    const auto farther = [&](const auto& a_m, const auto& a_rad, const auto& b_m, const auto& b_rad) {
        return std::max(a_m / size_m, a_rad) > std::max(b_m / size_m, b_rad);
    };
    std::stable_sort(errors.begin(), errors.end(), [&](const JointError& a, const JointError& b) {
        return farther(a.length_m, a.angle_rad, b.length_m, b.angle_rad);
    });
    std::stable_sort(moves.begin(), moves.end(), [&](const Move& a, const Move& b) {
        return farther(a.distance_m, a.angle_rad, b.distance_m, b.angle_rad);
    });
    std::string what, remedy;
    if (!errors.empty())
        what = "the given poses contradict the joints: " +
               list_of_worst(errors,
                             [&](const JointError& error) {
                                 return error.joint + " is off by " + error.text(least_m, least_rad);
                             }) +
               "; ";
    what += "to assemble the mechanism, of size " + rounded_number_text(size_m, 3) +
            " m, bodies were moved from the poses they are given: " + list_of_worst(moves, [&](const Move& move) {
                return move.body + " by " + length_and_angle(move.distance_m, move.angle_rad, least_m, least_rad);
            });
    remedy = errors.empty() ? "give the other bodies poses that fit, or \"pin\" what must stay"
                            : "correct the points, the axes or the poses; what is right as assembled needs poses "
                              "of more digits, or none";
    tell(what, remedy, errors.empty() ? "bodies." + moves.front().body : errors.front().joint);
    return report;
}

std::optional<std::string> warning_of_assembly(const Mechanism& mechanism) {
    std::vector<double> values;
    for (const Number& number : mechanism.numbers) values.push_back(number.value);
    const AssemblyReport report = assembly_report(mechanism, values, std::vector<unsigned char>(values.size(), 0));
    if (report.what.empty()) return std::nullopt;
    if (mechanism.assembly == AssemblyPolicy::refuse) {
        std::string path = "/" + report.entry;
        if (const std::size_t dot = path.find('.'); dot != std::string::npos) path[dot] = '/';
        refuse_at((mechanism.file.empty() ? mechanism.name : mechanism.file.string()) + ": " + path, report.what,
                  report.remedy + "; \"assembly\": \"warn\" allows it");
    }
    return report.what + "; " + report.remedy;
}

}  // namespace myriad::mechanism
