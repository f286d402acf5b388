// Forces on each body balance its motion, by Newton's and Euler's equations of the free body alone: what sensors show
// of joints, drivers, springs and contacts is what the body's motion needs.
//
//   m a = m g + sum F,   R (J w' + w x J w) = sum (T + (p - r) x F)      about the centre of mass r
//
// F: force on the body; T: torque about the point p where F acts; on body A both are the opposite of those on body B.
// World frame, SI units; J and w in the body frame.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

using Eigen::Vector3d;
using nlohmann::ordered_json;

// The default of Newton's iteration leaves 1e-8 of the largest acceleration; reactions of random mechanisms, which come
// within 0.05 of a singular pose, are some 20 times as large as the forces that cause them.
constexpr double balanced = 1e-6;
constexpr int balanced_steps = 12;
// Forces of some methods are means over a step, whose end the acceleration belongs to: apart by the step times the rate
// at which forces change, some 1/s to 50/s.
constexpr double balanced_to_first_order = 2e-2, short_steps = 0.1;

Vector3d vector_of(const ordered_json& numbers) {
    return {numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

// Elements between two bodies whose wrench sensors show: section of the file, sensors of force and torque.
struct Shown {
    const char *section, *force, *torque;
};
constexpr Shown shown_sections[] = {{"joints", "reaction_force", "reaction_torque"},
                                    {"drivers", "reaction_force", "reaction_torque"},
                                    {"forces", "exerted_force", "exerted_torque"}};
bool is_load(const ordered_json& entry) { return entry["type"] == "force" || entry["type"] == "torque"; }

// The names of the contacts that an entry becomes.
std::vector<std::string> contacts_of(const std::string& name, const ordered_json& entry) {
    std::vector<std::string> names;
    const auto several = [&](const std::string& part, int count) {
        for (int k = 1; k <= count; ++k) names.push_back(name + "." + part + "_" + std::to_string(k));
    };
    const std::string type = entry["type"];
    if (type == "capsule_plane")
        several("end", 2);
    else if (type == "box_plane")
        several("corner", 8);
    else if (type == "point_slot")
        several("wall", 2);
    else
        names.push_back(name);
    return names;
}

// The mechanism with a sensor for everything that acts on a body, and loads that are constant.
ordered_json with_sensors(ordered_json mechanism) {
    ordered_json sensors;
    for (const auto& [section, force, torque] : shown_sections) {
        if (!mechanism.contains(section)) continue;
        for (auto& [name, entry] : mechanism[section].items()) {
            const std::string which = section == std::string("forces") ? "force" : "joint";
            if (is_load(entry)) {
                ordered_json& load = entry[entry["type"] == "force" ? "force_N" : "torque_N_m"];
                load = {1.5, -2.0, 0.5};
                continue;
            }
            sensors["F_" + name] = {{"type", force}, {which, name}};
            sensors["T_" + name] = {{"type", torque}, {which, name}};
        }
    }
    if (mechanism.contains("contacts"))
        for (const auto& [name, entry] : mechanism["contacts"].items())
            for (const std::string& contact : contacts_of(name, entry))
                sensors["F_" + contact] = {{"type", "contact_force"}, {"contact", contact}};
    mechanism["sensors"] = sensors;
    return mechanism;
}

class FreeBodies {
  public:
    FreeBodies(const ordered_json& mechanism, const study::Study& study) : file_(mechanism) {
        for (const study::ChannelGroup& group : study.observation.groups)
            for (const std::string& address : group.addresses) {
                const std::size_t column = columns_.size();
                columns_[address] = column;
            }
    }

    std::size_t columns() const { return columns_.size(); }

    // Velocities are those after an impact, accelerations and forces those before it.
    bool has_impact(const double* row) const {
        return std::ranges::any_of(columns_, [&](const auto& column) {
            return column.first.starts_with("contact_impulse.") && row[column.second] != 0.0;
        });
    }

    // The largest rest of a force or torque, as a share of the largest one, in this row of all columns.
    double rest(const double* row) {
        row_ = row;
        wrenches_.clear();
        largest_ = 1.0, open_N_m_ = 0.0;
        for (const auto& [name, body] : file_["bodies"].items()) {
            const Vector3d a = vector("acceleration." + name), w = vector("angular_velocity." + name),
                           w_rate = vector("angular_acceleration." + name);
            const double mass = body["mass_kg"];
            const ordered_json& j = body["inertia_kg_m2"];
            Eigen::Matrix3d inertia;
            const auto moment = [&](const char* of) { return j[of].get<double>(); };
            inertia << moment("xx"), moment("xy"), moment("xz"), moment("xy"), moment("yy"), moment("yz"), moment("xz"),
                moment("yz"), moment("zz");
            act(name, mass * (vector_of(file_["gravity_m_s2"]) - a), position(name),
                -(turn(name) * (inertia * w_rate + w.cross(inertia * w))));
        }
        for (const Shown& shown : shown_sections)
            if (file_.contains(shown.section))
                for (const auto& [name, entry] : file_[shown.section].items()) act_of_element(name, entry);
        if (file_.contains("contacts"))
            for (const auto& [name, entry] : file_["contacts"].items()) act_of_contact(name, entry);
        double worst = 0.0;
        for (const auto& [name, body] : file_["bodies"].items())
            worst = std::max({worst, wrenches_[name].first.norm(), wrenches_[name].second.norm() - open_N_m_});
        return worst / largest_;
    }

  private:
    Vector3d vector(const std::string& address) const {
        return {row_[columns_.at(address + ".x")], row_[columns_.at(address + ".y")],
                row_[columns_.at(address + ".z")]};
    }
    Vector3d position(const std::string& body) const { return vector("position." + body); }
    Eigen::Matrix3d turn(const std::string& body) const {
        const auto q = [&](const char* part) { return row_[columns_.at("orientation." + body + part)]; };
        return Eigen::Quaterniond(q(".w"), q(".x"), q(".y"), q(".z")).toRotationMatrix();
    }
    // Of a point that is given from the body's origin in its frame, or of the ground.
    Vector3d world(const std::string& body, const ordered_json& point) const {
        if (body == "ground") return vector_of(point);
        return position(body) + turn(body) * (vector_of(point) - vector_of(file_["bodies"][body]["centre_of_mass_m"]));
    }
    Vector3d direction(const std::string& body, const ordered_json& given) const {
        const Vector3d unit = vector_of(given).normalized();
        return body == "ground" ? unit : Vector3d(turn(body) * unit);
    }
    void act(const std::string& body, const Vector3d& force, const Vector3d& point, const Vector3d& torque) {
        if (body == "ground") return;
        auto& [sum, moment] = wrenches_.try_emplace(body, Vector3d::Zero(), Vector3d::Zero()).first->second;
        sum += force, moment += torque + (point - position(body)).cross(force);
        largest_ = std::max({largest_, force.norm(), torque.norm()});
    }
    void act_of_element(const std::string& name, const ordered_json& entry) {
        if (is_load(entry)) {
            const std::string body = entry["body"];
            const bool is_force = entry["type"] == "force";
            Vector3d load = vector_of(entry[is_force ? "force_N" : "torque_N_m"]);
            if (entry["frame"] == "body") load = turn(body) * load;
            if (is_force)
                act(body, load, world(body, entry["point_m"]), Vector3d::Zero());
            else
                act(body, Vector3d::Zero(), position(body), load);
            return;
        }
        const ordered_json& place =
            entry.contains("bodies") ? entry : file_["joints"][entry["joint"].get<std::string>()];
        const std::string a = place["bodies"][0], b = place["bodies"][1];
        // Without points there is a torque alone.
        const Vector3d point = place.contains("points_m") ? world(b, place["points_m"][1]) : Vector3d(Vector3d::Zero());
        const Vector3d force = vector("F_" + name), torque = vector("T_" + name);
        act(b, force, point, torque);
        // A direction of the world holds each body at its own point; together they turn, and the world resists.
        if (entry["type"] == "CD")
            act(a, -force, world(a, place["points_m"][0]), Vector3d::Zero());
        else
            act(a, -force, point, -torque);
    }
    void act_of_contact(const std::string& name, const ordered_json& entry) {
        const std::string a = entry["bodies"][0], b = entry["bodies"][1], type = entry["type"];
        const std::vector<std::string> contacts = contacts_of(name, entry);
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            const Vector3d force = vector("F_" + contacts[k]), point = contact_point(entry, a, b, type, k);
            act(b, force, point, Vector3d::Zero()), act(a, -force, point, Vector3d::Zero());
            // The points of A and B on which friction acts are a gap apart.
            open_N_m_ += std::abs(row_[columns_.at("gap." + contacts[k])]) * force.norm();
        }
    }
    // On the surface of B.
    Vector3d contact_point(const ordered_json& entry, const std::string& a, const std::string& b,
                           const std::string& type, std::size_t k) const {
        if (type == "point_plane" || type == "point_slot") return world(b, entry["point_m"]);
        if (type == "sphere_plane")
            return world(b, entry["point_m"]) - entry["radius_m"].get<double>() * direction(a, entry["plane_normal"]);
        if (type == "capsule_plane")
            return world(b, entry["ends_m"][k]) - entry["radius_m"].get<double>() * direction(a, entry["plane_normal"]);
        if (type == "box_plane") {
            const Vector3d size = vector_of(entry["size_m"]), centre = vector_of(entry["centre_m"]);
            const Vector3d corner =
                centre + 0.5 * Vector3d((k & 1) != 0 ? size[0] : -size[0], (k & 2) != 0 ? size[1] : -size[1],
                                        (k & 4) != 0 ? size[2] : -size[2]);
            return world(b, {corner[0], corner[1], corner[2]});
        }
        // A sphere of B against the nearest point of A's sphere or capsule.
        const bool is_sphere = type == "sphere_sphere";
        const Vector3d centre = world(b, is_sphere ? entry["points_m"][1] : entry["point_m"]);
        Vector3d nearest;
        if (is_sphere) {
            nearest = world(a, entry["points_m"][0]);
        } else {
            const Vector3d first = world(a, entry["ends_m"][0]), along = world(a, entry["ends_m"][1]) - first;
            nearest = first + std::clamp((centre - first).dot(along) / along.squaredNorm(), 0.0, 1.0) * along;
        }
        return centre - entry["radii_m"][1].get<double>() * (centre - nearest).normalized();
    }

    const ordered_json& file_;
    std::map<std::string, std::size_t> columns_;
    std::map<std::string, std::pair<Vector3d, Vector3d>> wrenches_;
    const double* row_ = nullptr;
    double largest_ = 1.0, open_N_m_ = 0.0;
};

class Forces : public testing::TestWithParam<Method> {};

void expect_balance(const Scene& random, const Method& method, const Form& form, int& compared, double& worst) {
    Scene scene = random;
    ordered_json& file = scene.subject["mechanism"];
    if (file.contains("contacts")) file["contacts"].erase("stops");  // act along a coordinate, which no sensor shows
    file = with_sensors(file);
    for (const std::string& coordinates : coordinates_of(scene)) {
        SCOPED_TRACE(scene.name + " in coordinates: " + coordinates);
        Settings settings;
        if (method.shows_means()) settings.step_factor = short_steps;
        settings.steps = balanced_steps, settings.coordinates = coordinates;
        settings.varies = settings.reduces = false;
        settings.observed = {"position", "orientation", "angular_velocity", "acceleration", "angular_acceleration"};
        for (const auto& sensor : file["sensors"].items()) settings.observed.push_back(sensor.key());
        if (file.contains("contacts"))
            for (const char* channel : {"gap", "contact_impulse"}) settings.observed.push_back(channel);
        const auto study = study_of(scene, method, settings);
        if (!study) continue;
        const backends::Chunk chunk = form.run(study->task(), {{}});
        if (chunk.status.front() != static_cast<int>(Status::ok)) continue;
        FreeBodies bodies(file, *study);
        for (std::size_t at = 0; at < chunk.trajectory.size(); at += bodies.columns()) {
            if (bodies.has_impact(&chunk.trajectory[at])) continue;
            const double rest = bodies.rest(&chunk.trajectory[at]);
            worst = std::max(worst, rest);
            EXPECT_LE(rest, method.shows_means() ? balanced_to_first_order : balanced)
                << "row " << at / bodies.columns();
            if (testing::Test::HasFailure()) {
                std::cout << file.dump(1) << '\n';
                return;
            }
        }
        ++compared;
    }
}

TEST_P(Forces, OnEachBodyBalanceItsMotion) {
    for (const Form& form : {kernel_forms().front(), reference_form()}) {
        int compared = 0;
        double worst = 0.0;
        for (const RandomScenes& family : some_of_each_random_family()) {
            if (family.on_coordinates) continue;  // friction, rotors and formulas, which no sensor shows
            for (const Scene& scene : scenes_of(family)) {
                if (HasFailure()) return;
                expect_balance(scene, GetParam(), form, compared, worst);
            }
        }
        EXPECT_GT(compared, 0);
        std::printf("%-28s %-10s %d mechanisms, at most %.1e of the largest force is left\n", GetParam().name().c_str(),
                    form.name.c_str(), compared, worst);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, Forces, testing::ValuesIn(methods_of_mechanisms()), MethodName());

}  // namespace
}  // namespace myriad::properties
