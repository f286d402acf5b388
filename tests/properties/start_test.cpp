// The start that a run shows, measured by the definitions of the file alone: points, axes and references of joints, as
// the reference path reads them. No solver of starts takes part.
//
//   joints, drivers   phi = 0 and phi' = 0; a driven angle is at its driver; parallel axes point the same way
//   couplings         of the coordinates that sensors show, and of their rates; sensors show those of the bodies
//   kept numbers      start values of joints; given velocities and rates unless velocity_correction tells
//   corrections       velocity_correction is the change of given velocities; angles that count from the file's poses
//                     correct nothing
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "host/backends/reference/reference_functions.hpp"
#include "host/mechanism/coordinates_of_joints.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/reference/mechanism/defined_joint.hpp"
#include "host/reference/mechanism/defined_mechanism.hpp"
#include "host/reference/mechanism/mechanism_equations.hpp"
#include "host/validation/runs/finished_run.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/status.hpp"
#include "tests/mechanism/definitions.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"
#include "tests/source_dir.hpp"

namespace myriad::properties {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d, nlohmann::ordered_json;

// Assembly fails where a row stays open by more, relative to lengths and speeds of at least 1.
constexpr double assembled = 1e-9;

// "angle_1" has the sensor "rate_1" and the start value "rate_1_rad_s".
std::string rate_of(const mechanism::JointCoordinate& one) {
    const std::string name = one.name, number = name.find('_') < name.size() ? name.substr(name.find('_')) : "";
    return (one.turns ? "rate" : "displacement_rate") + number;
}
std::string sensor_of(const std::string& joint, const std::string& coordinate) { return joint + "_" + coordinate; }

// With a sensor for each coordinate of a joint, and for its rate.
ordered_json with_coordinates_shown(ordered_json file) {
    file["sensors"] = ordered_json::object();
    const ordered_json joints = file.value("joints", ordered_json::object());
    for (const auto& [name, joint] : joints.items())
        for (const mechanism::JointCoordinate& one : mechanism::coordinates_of(joint["type"]))
            for (const std::string& shown : {std::string(one.name), rate_of(one)})
                file["sensors"][sensor_of(name, shown)] = {{"type", shown}, {"joint", name}};
    return file;
}

// The first record of a run beside the definitions of its file.
class Start {
  public:
    Start(const study::Study& study, const backends::Chunk& chunk)
        : mechanism_(*study.mechanism),
          file_(ordered_json::parse(mechanism_.text)),
          numbers_(mechanism_.all_numbers(study.parameters, study.given)),
          model_(reference::defined_mechanism(mechanism_.model, numbers_)),
          moved_(chunk.invariants_drift[MechanismCertificate::assembly_correction]),
          faster_(chunk.invariants_drift[MechanismCertificate::velocity_correction]) {
        backends::give_functions(mechanism_, numbers_, model_);
        const std::vector<int> channels = validation::observed_channels(study);
        for (std::size_t at = 0; at < channels.size(); ++at)
            shown_[study.system->scalars[static_cast<std::size_t>(channels[at])].address] = chunk.trajectory[at];
        length_ = speed_ = std::max(1.0, model_.length_scale_m);
        for (const std::string& body : mechanism_.body_names) {
            const Vector3d v = vector("velocity." + body), w = vector("angular_velocity." + body);
            const Eigen::Quaterniond q(shown("orientation." + body + ".w"), shown("orientation." + body + ".x"),
                                       shown("orientation." + body + ".y"), shown("orientation." + body + ".z"));
            state_.bodies.push_back({vector("position." + body), v, w, q.toRotationMatrix()});
            speed_ = std::max({speed_, v.norm(), length_ * w.norm()});
            length_ = std::max(length_, state_.bodies.back().position.norm());
        }
        state_.counted_angles.assign(model_.elements.size() + 1, 0.0);
    }

    void meets_joints_and_drivers() {
        for (std::size_t e = 0; e < model_.elements.size(); ++e) {
            if (model_.elements[e].has_law || model_.elements[e].is_sensor) continue;
            const reference::ElementTerms terms = reference::element_terms(model_, state_, e);
            expect(terms.phi.norm(), 0.0, length_, "row of element " + std::to_string(e));
            expect(terms.rate.norm(), 0.0, speed_, "rate of element " + std::to_string(e));
        }
        for (std::size_t j = 0; j < mechanism_.model.joints.size(); ++j) {
            const model::Joint& joint = mechanism_.model.joints[j];
            if (!joint.has_axes || joint.type == "universal" || joint.type[0] == 'D') continue;
            const Vector3d a = body(joint.body[0]).orientation * numbers()[joint.axes[0]].normalized(),
                           b = body(joint.body[1]).orientation * numbers()[joint.axes[1]].normalized();
            expect((a - b).norm(), 0.0, 1.0, "axes of a joint that is " + joint.type);
            if (joint.type == "prismatic" || joint.type == "translational")
                expect(measured(static_cast<int>(j), "angle").first, 0.0, 1.0, "turn of a joint that is " + joint.type);
        }
        for (const model::Element& element : mechanism_.model.elements) {
            if (element.joint < 0 || element.law || element.function < 0) continue;
            const std::string& joint = mechanism_.joints[static_cast<std::size_t>(element.joint)].name;
            const auto f = model_.functions[static_cast<std::size_t>(element.function)](0.0);
            const double open = measured(element.joint, element.coordinate).first - f;
            expect(element.coordinate[0] == 'a' ? std::remainder(open, 2.0 * M_PI) : open, 0.0, length_,
                   "driver of " + joint);
        }
    }

    void shows_coordinates_and_keeps_their_start() {
        for (std::size_t j = 0; j < mechanism_.joints.size(); ++j) {
            const auto& [name, type] = std::tie(mechanism_.joints[j].name, mechanism_.joints[j].type);
            const ordered_json& in_file = file_["joints"][name];
            if (type == "spherical" && in_file.contains("orientation")) {
                const auto& [a, b] = mechanism_.model.joints[j].body;
                const auto q = in_file["orientation"]["quaternion"].get<std::array<double, 4>>();
                const auto w = in_file["angular_velocity_rad_s"].get<std::array<double, 3>>();
                const Matrix3d of_b_to_a = body(a).orientation.transpose() * body(b).orientation;
                const Vector3d turning = body(b).angular_velocity - of_b_to_a.transpose() * body(a).angular_velocity;
                expect((of_b_to_a - Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix()).norm(), 0.0, 1.0,
                       "orientation in " + name);
                expect((turning - Vector3d(w[0], w[1], w[2])).norm(), 0.0, speed_, "angular velocity in " + name);
            }
            for (const mechanism::JointCoordinate& one : mechanism::coordinates_of(type)) {
                const auto [value, rate] = measured(static_cast<int>(j), one.name);
                const std::string rate_name = rate_of(one), own = "joints." + name + ".";
                const double angle = shown(sensor_of(name, one.name)), turning = shown(sensor_of(name, rate_name));
                expect(one.turns ? std::remainder(angle - value, 2.0 * M_PI) : angle - value, 0.0, length_,
                       own + one.name);
                expect(turning, rate, speed_, own + rate_name);
                if (const auto kept = given(own + one.name + (one.turns ? "_rad" : "_m")))
                    expect(angle, *kept, length_, "start of " + own + one.name);
                const auto kept = given(own + rate_name + (one.turns ? "_rad_s" : "_m_s"));
                if (kept && (faster_ <= assembled * speed_ || keeps_rates_of_joints()))
                    expect(turning, *kept, speed_, "start of " + own + rate_name);
            }
        }
    }

    void moves_nothing() const { expect(moved_, 0.0, 1.0, "assembly_correction"); }

    void meets_couplings() {
        for (std::size_t c = 0; c < mechanism_.couplings.size(); ++c) {
            const auto of = [&](std::size_t side, bool is_rate) {
                const mechanism::CoupledCoordinate& one = mechanism_.couplings[c].of[side];
                const std::string& joint = mechanism_.joints[static_cast<std::size_t>(one.joint)].name;
                const mechanism::JointCoordinate coordinate{one.coordinate.c_str(), one.coordinate[0] == 'a'};
                return shown(sensor_of(joint, is_rate ? rate_of(coordinate) : one.coordinate));
            };
            const model::Coupling& coupling = mechanism_.model.couplings[c];
            const double ratio = numbers_[coupling.ratio], offset = numbers_[coupling.offset];
            expect(of(1, false), ratio * of(0, false) + offset, length_, "coupling");
            expect(of(1, true), ratio * of(0, true), speed_, "rate of a coupling");
        }
    }

    void keeps_what_is_given_of_bodies() {
        double square = 0.0;
        for (std::size_t b = 0; b < state_.bodies.size(); ++b) {
            const reference::BodyState& body = state_.bodies[b];
            const reference::ModelBody& in_file = model_.bodies[b];
            const auto& is_given = mechanism_.body_velocity_is_given[b];
            if (is_given.angular) square += (body.angular_velocity - in_file.angular_velocity_rad_s).squaredNorm();
            // With the angular velocity that of the centre of mass is given, else that of the origin.
            Vector3d change = body.velocity - in_file.velocity_m_s;
            if (!is_given.angular)
                change -= body.orientation *
                          body.angular_velocity.cross(numbers()[mechanism_.model.bodies[b].frame.centre_of_mass]);
            if (is_given.linear) square += (change / model_.length_scale_m).squaredNorm();
        }
        if (faster_ <= assembled * speed_) expect(std::sqrt(square), 0.0, speed_, "silent change of velocities");
        if (mechanism_.couplings.empty() && !has_start_values_)
            expect(faster_, std::sqrt(square), speed_, "correction");
    }

  private:
    static void expect(double is, double wanted, double size, const std::string& what) {
        EXPECT_NEAR(is, wanted, assembled * size) << what;
    }
    double shown(const std::string& address) const { return shown_.at(address); }
    Vector3d vector(const std::string& address) const {
        return {shown(address + ".x"), shown(address + ".y"), shown(address + ".z")};
    }
    reference::ModelNumbers numbers() const { return {mechanism_.model, numbers_}; }
    const reference::BodyState& body(int index) const { return reference::body_or_ground(state_, index); }
    // In a tree nothing contradicts them.
    bool keeps_rates_of_joints() const {
        return mechanism_.couplings.empty() && mechanism_.drivers.empty() &&
               mechanism_.joints.size() <= mechanism_.body_names.size();
    }
    // The value of a number that stands in the file.
    std::optional<double> given(const std::string& address) {
        const std::size_t name = address.find('.') + 1, key = address.rfind('.') + 1;
        if (!file_["joints"][address.substr(name, key - 1 - name)].contains(address.substr(key))) return std::nullopt;
        const auto found = std::ranges::find(mechanism_.numbers, address, &mechanism::Number::address);
        has_start_values_ = true;
        return numbers_.at(static_cast<std::size_t>(found - mechanism_.numbers.begin()));
    }
    // A coordinate within half a turn, and its rate.
    std::pair<double, double> measured(int joint, const std::string& coordinate) {
        const reference::DefinedJoint defined(mechanism_.model.joints[static_cast<std::size_t>(joint)], numbers());
        model_.elements.push_back(defined.measure(coordinate, false));
        model_.elements.back().function = -1;
        const reference::ElementTerms terms = reference::element_terms(model_, state_, model_.elements.size() - 1);
        model_.elements.pop_back();
        return {terms.phi[0], terms.rate[0]};
    }

    const mechanism::Mechanism& mechanism_;
    ordered_json file_;
    std::vector<double> numbers_;
    reference::MechanismModel model_;
    reference::MechanismState state_;
    std::map<std::string, double> shown_;
    double moved_, faster_, length_ = 1.0, speed_ = 1.0;
    bool has_start_values_ = false;
};

const Method& method_for(const Scene& scene) {
    static const std::vector<Method> methods = methods_of_mechanisms();
    return *std::ranges::find(methods, scene.has_contacts ? "moreau_midpoint" : "generalized_alpha",
                              [](const Method& method) { return method.integrator.name; });
}

enum class Change { none, poses, angles, values, couplings };

// Another start of a random mechanism. Bodies of trees may stand anywhere, those of loops near a closed pose.
ordered_json with_start(ordered_json file, Change change, bool is_tree, std::uint64_t seed) {
    mechanism::Generic generic(seed);
    const auto chance = [&] { return generic.index(2) == 0; };
    const auto numbers = [](const mechanism::Vector3& v) {
        return ordered_json{static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
    };
    const auto quaternion = [](const mechanism::Matrix3& R) {
        const Eigen::Quaternion<mechanism::Number80> q(R);
        return ordered_json{static_cast<double>(q.w()), static_cast<double>(q.x()), static_cast<double>(q.y()),
                            static_cast<double>(q.z())};
    };
    const bool keeps_velocities = change == Change::values && chance();
    for (ordered_json& body : file["bodies"]) {
        if (change == Change::poses) {
            ordered_json& q = body["orientation"]["quaternion"];
            for (ordered_json& part : body["position_m"]) part = part.get<double>() + generic.number(-0.02, 0.02);
            for (ordered_json& part : q) part = part.get<double>() + generic.number(-0.01, 0.01);
            if (is_tree && chance()) q = quaternion(generic.orientation());
        }
        if (!keeps_velocities) body.erase("velocity_m_s"), body.erase("angular_velocity_rad_s");
    }
    std::vector<std::string> coordinates;
    for (auto& [name, joint] : file["joints"].items()) {
        if (change == Change::poses) break;
        for (const mechanism::JointCoordinate& one : mechanism::coordinates_of(joint["type"])) {
            coordinates.push_back(name + "." + one.name);
            const bool is_counted = one.turns && !joint.contains("references");
            if (chance() && (change != Change::angles || is_counted) && (change != Change::couplings || name == "j0"))
                joint[one.name + std::string(one.turns ? "_rad" : "_m")] = generic.number(-3.0, 3.0);
            if (chance() && change != Change::couplings)
                joint[rate_of(one) + (one.turns ? "_rad_s" : "_m_s")] = generic.number(-2.0, 2.0);
        }
        if (joint["type"] != "spherical" || change != Change::values || chance()) continue;
        joint["orientation"]["quaternion"] = quaternion(generic.orientation());
        joint["angular_velocity_rad_s"] = numbers(generic.vector(2.0));
    }
    for (std::size_t k = 0; k + 1 < coordinates.size() && change == Change::couplings; k += 2)
        file["couplings"]["c" + std::to_string(k)] = {{"coordinate", coordinates[k]},
                                                      {"follows", coordinates[k + 1]},
                                                      {"ratio", generic.number(0.5, 2.0)},
                                                      {"offset", generic.number(-0.3, 0.3)}};
    return file;
}

// How many starts were measured.
int expect_a_right_start(Scene scene, Change change = Change::none) {
    int measured = 0;
    scene.subject["mechanism"] = with_coordinates_shown(scene.subject["mechanism"]);
    for (const std::string coordinates : {"joint", "body"}) {
        SCOPED_TRACE(scene.name + " in coordinates: " + coordinates + ", change " +
                     std::to_string(static_cast<int>(change)));
        Settings settings;
        settings.steps = 1, settings.coordinates = coordinates, settings.varies = settings.reduces = false;
        settings.observed = {"position", "orientation", "velocity", "angular_velocity"};
        for (const auto& sensor : scene.subject["mechanism"]["sensors"].items())
            settings.observed.push_back(sensor.key());
        const auto study = study_of(scene, method_for(scene), settings);
        if (!study) continue;
        const backends::Chunk chunk = kernel_forms().front().run(study->task(), {{}});
        if (chunk.trajectory.empty() || std::isnan(chunk.trajectory[0])) continue;
        Start start(*study, chunk);
        start.meets_joints_and_drivers(), start.shows_coordinates_and_keeps_their_start();
        start.meets_couplings(), start.keeps_what_is_given_of_bodies();
        if (change == Change::angles) start.moves_nothing();
        ++measured;
    }
    return measured;
}

TEST(StartOfBundledMechanisms, MeetsJointsDriversAndCouplingsAndKeepsWhatTheFileGives) {
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles" / "mechanisms")) {
        Scene scene{entry.path().stem().string(), {}, 1e-4};
        const auto mechanism = mechanism::read_mechanism(entry.path());
        scene.subject["mechanism"] = ordered_json::parse(mechanism->text);
        scene.has_contacts = mechanism->table.contacts > 0;
        EXPECT_GT(expect_a_right_start(scene), 0) << scene.name;
    }
}

TEST(StartOfRandomMechanisms, MeetsJointsDriversAndCouplingsAndKeepsWhatTheFileGives) {
    for (RandomScenes family : random_families()) {
        family.count = 12;
        const bool is_tree = family.loops == 0 && !family.driven && family.contacts == 0;
        for (const Change change : {Change::none, Change::poses, Change::angles, Change::values, Change::couplings}) {
            if (change > Change::poses && !is_tree) continue;
            int measured = 0;
            std::uint64_t seed = family.first_seed;
            for (Scene scene : scenes_of(family)) {
                ordered_json& file = scene.subject["mechanism"];
                if (change != Change::none) file = with_start(file, change, is_tree, ++seed);
                measured += expect_a_right_start(scene, change);
            }
            EXPECT_GT(measured, family.count / 2) << family.name << ", change " << static_cast<int>(change);
        }
    }
}

}  // namespace
}  // namespace myriad::properties
