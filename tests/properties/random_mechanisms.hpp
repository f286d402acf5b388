// Random mechanisms as the text of a file: bodies anywhere, joints that are closed because both of their sides are made
// from the same points and axes of the world. Redundant parts are left out by the rank of gradients that are written
// down here anew.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/properties/random_bodies.hpp"

namespace myriad::mechanism {

struct RandomShape {
    int bodies = 1;
    int loops = 0;        // how many joints beyond the tree are tried
    bool free = false;    // the tree does not hang on the ground
    bool driven = false;  // drivers until no freedom is left
    // Friction, rotors and formulas on coordinates of joints, which joint coordinates alone take; all joints of trees
    // have them.
    bool on_coordinates = false;
    bool every_type = false;  // planar and translational joints, and their drivers, too
    int contacts = 0;         // open at the start, closed soon
};

class RandomMechanism : RandomBodies {
  public:
    RandomMechanism(std::uint64_t seed, const RandomShape& shape)
        : RandomBodies(seed), every_type_(shape.every_type), loops_(shape.loops) {
        const int left_out = shape.every_type ? 0 : 2;  // the last types
        for (int b = 0; b < shape.bodies; ++b) add_body(b);
        rows_.resize(0, 6 * shape.bodies);
        for (int b = 0; b < shape.bodies; ++b) {
            if (b == 0 && shape.free) continue;
            const int parent = generic_.index(b + (shape.free ? 0 : 1)) - (shape.free ? 0 : 1);
            const bool is_swapped = shape.every_type && generic_.index(2) == 0;
            add_joint(is_swapped ? b : parent, is_swapped ? parent : b,
                      tree_types[generic_.index(static_cast<int>(std::size(tree_types)) - left_out)]);
        }
        tree_rows_ = static_cast<int>(rows_.rows());
        for (int k = 0; k < shape.loops; ++k) {
            const auto [a, b] = two_bodies();
            if (a != b) add_joint(a, b, loop_types[generic_.index(static_cast<int>(std::size(loop_types)) - left_out)]);
        }
        if (shape.driven) drive();
        add_forces();
        if (shape.on_coordinates) act_on_coordinates();
        add_sensors();
        for (int k = 0; k < shape.contacts; ++k) add_contact("c" + std::to_string(k));
        file_["gravity_m_s2"] = numbers(generic_.vector(10.0));
    }

    std::string text() const { return file_.dump(1); }
    // Independent rows, and the freedoms that they leave of 6 per body.
    int rows() const { return static_cast<int>(rows_.rows()); }
    int freedoms() const { return static_cast<int>(rows_.cols() - rows_.rows()); }
    int loop_rows() const { return rows() - tree_rows_; }

  private:
    static constexpr const char* tree_types[] = {"spherical", "universal",   "revolute", "revolute",     "revolute",
                                                 "prismatic", "cylindrical", "fixed",    "DP1",          "DP2",
                                                 "D",         "CD",          "planar",   "translational"};
    static constexpr const char* loop_types[] = {"spherical", "universal", "cylindrical", "DP1",          "DP2",
                                                 "D",         "CD",        "planar",      "translational"};

    void add_joint(int i, int j, const std::string& type) {
        const Vector3 p = generic_.vector(1.5), n = generic_.direction();
        Vector3 m = generic_.direction(), p_j = p;
        if (type == "universal") m = (m - m.dot(n) * n).normalized();
        if (type == "cylindrical" || type == "prismatic") p_j = p + generic_.number(-0.5, 0.5) * n;
        if (type == "planar" || type == "translational") {
            m = n.unitOrthogonal();  // A's reference
            p_j = p + generic_.number(-0.5, 0.5) * m + generic_.number(-0.5, 0.5) * n.cross(m);
            if (type == "translational") p_j += generic_.number(-0.5, 0.5) * n;
        }
        if (type == "DP2" || type == "D" || type == "CD") p_j = p + generic_.number(0.3, 1.0) * generic_.direction();
        if (type == "DP1") m = (m - 0.7 * m.dot(n) * n).normalized();
        if (!take(gradients(type, i, j, p, p_j, n, m))) return;
        nlohmann::json joint{{"type", type}, {"bodies", {name(i), name(j)}}};
        if (type != "DP1") joint["points_m"] = {point_of(i, p), point_of(j, p_j)};
        if (type == "universal" || type == "DP1") joint["axes"] = {direction_of(i, n), direction_of(j, m)};
        if (type == "revolute" || type == "cylindrical" || type == "prismatic") {
            joint["axes"] = {direction_of(i, 2 * n), direction_of(j, n)};
            if (generic_.index(2) == 0) {
                const Vector3 reference = n.unitOrthogonal() + 0.3 * n;
                joint["references"] = {direction_of(i, reference), direction_of(j, reference)};
            }
        }
        if (type == "planar" || type == "translational") {
            joint["axes"] = {direction_of(i, n), direction_of(j, n)};
            joint["references"] = {direction_of(i, m), direction_of(j, m)};
        }
        const Vector3 d = p_j - p;
        if (type == "DP1") joint["value"] = static_cast<double>(n.dot(m));
        if (type == "DP2") joint["axis"] = direction_of(i, n), joint["value_m"] = static_cast<double>(n.dot(d));
        if (type == "D") joint["value_m"] = static_cast<double>(d.norm());
        if (type == "CD") joint["direction"] = numbers(n), joint["value_m"] = static_cast<double>(n.dot(d));
        const std::string joint_name = "j" + std::to_string(joints_.size());
        file_["joints"][joint_name] = joint;
        joints_.push_back({joint_name, type, i, j, p, p_j, n, m});
    }

    std::string oscillation(const std::string& about) {
        return about + " + " + std::to_string(generic_.number(0.02, 0.06)) + " * sin(" +
               std::to_string(generic_.number(1.0, 3.0)) + " * t)";
    }
    static std::string digits(Number80 x) { return nlohmann::json(static_cast<double>(x)).dump(); }

    // Drives the joints' own freedoms first, then distances and coordinates to the ground.
    void drive() {
        int drivers = 0;
        const auto add = [&](nlohmann::json driver) {
            file_["drivers"]["d" + std::to_string(drivers++)] = std::move(driver);
        };
        const std::vector<Joint> joints = joints_;
        for (const Joint& joint : joints) {
            const bool turns = joint.type == "revolute" || joint.type == "cylindrical" || joint.type == "planar";
            const bool slides = joint.type == "prismatic" || joint.type == "cylindrical";
            if (joint.type == "planar" || joint.type == "translational")
                for (const auto& [displacement, axis] : {std::pair{"displacement_1", joint.m},
                                                         std::pair{"displacement_2", Vector3(joint.n.cross(joint.m))},
                                                         std::pair{"displacement_3", joint.n}}) {
                    if (joint.type == "planar" && displacement == std::string("displacement_3")) continue;
                    if (take(gradients("displacement", joint.i, joint.j, joint.p, joint.p_j, axis, axis),
                             least_driven_part))
                        add({{"type", displacement},
                             {"joint", joint.name},
                             {"value_m", oscillation(digits((joint.p_j - joint.p).dot(axis)))}});
                }
            if (turns &&
                take(gradients("angle", joint.i, joint.j, joint.p, joint.p_j, joint.n, joint.n), least_driven_part))
                add({{"type", "angle"}, {"joint", joint.name}, {"value_rad", oscillation("0")}});
            if (slides && take(gradients("displacement", joint.i, joint.j, joint.p, joint.p_j, joint.n, joint.n),
                               least_driven_part))
                add({{"type", "displacement"},
                     {"joint", joint.name},
                     {"value_m", oscillation(digits((joint.p_j - joint.p).dot(joint.n)))}});
            if (joint.type != "universal") continue;
            for (const auto& [angle, axis] : {std::pair{"angle_1", joint.n}, {"angle_2", joint.m}})
                if (take(gradients("angle", joint.i, joint.j, joint.p, joint.p, axis, axis), least_driven_part))
                    add({{"type", angle}, {"joint", joint.name}, {"value_rad", oscillation("0")}});
        }
        for (int attempt = 0; attempt < 200 && freedoms() > 0; ++attempt) {
            const int b = generic_.index(static_cast<int>(bodies_.size()));
            const Vector3 p = generic_.vector(1.5), p_j = generic_.vector(1.5), n = generic_.direction();
            if (every_type_ && generic_.index(2) == 0) {
                const Vector3 m = generic_.direction();
                const bool dot = generic_.index(2) == 0;
                if (!take(gradients(dot ? "DP1" : "DP2", -1, b, p, p_j, n, m), least_driven_part)) continue;
                nlohmann::json driver{{"type", dot ? "DP1" : "DP2"}, {"bodies", {"ground", name(b)}}};
                if (dot) driver["axes"] = {direction_of(-1, n), direction_of(b, m)};
                if (!dot) driver["axis"] = numbers(n), driver["points_m"] = {point_of(-1, p), point_of(b, p_j)};
                driver[dot ? "value" : "value_m"] = oscillation(digits(n.dot(dot ? m : p_j - p)));
                add(driver);
                continue;
            }
            const bool along = generic_.index(2) == 0;
            const Rows rows = gradients(along ? "CD" : "D", -1, b, p, p_j, n, n);
            if ((p_j - p).norm() < 0.5 || !take(rows, least_driven_part)) continue;
            nlohmann::json driver{{"type", along ? "CD" : "D"},
                                  {"bodies", {"ground", name(b)}},
                                  {"points_m", {point_of(-1, p), point_of(b, p_j)}},
                                  {"value_m", oscillation(digits(along ? n.dot(p_j - p) : (p_j - p).norm()))}};
            if (along) driver["direction"] = numbers(n);
            add(driver);
        }
    }

    void add_forces() {
        int forces = 0;
        const auto add = [&](nlohmann::json force) {
            file_["forces"]["f" + std::to_string(forces++)] = std::move(force);
        };
        const auto functions = [&] {
            return nlohmann::json{oscillation("1"), generic_.number(-2.0, 2.0), oscillation("0.5")};
        };
        const std::string body = name(generic_.index(static_cast<int>(bodies_.size())));
        const std::string frame = generic_.index(2) == 0 ? "world" : "body";
        switch (generic_.index(6)) {
            case 0:
                add({{"type", "force"},
                     {"body", body},
                     {"point_m", numbers(generic_.vector(0.5))},
                     {"force_N", functions()},
                     {"frame", frame}});
                break;
            case 1:
                add({{"type", "torque"}, {"body", body}, {"torque_N_m", functions()}, {"frame", frame}});
                break;
            case 2:
            case 3: {
                const auto [a, b] = two_bodies();
                if (a == b) break;
                const Vector3 p = generic_.vector(1.5), q = p + generic_.number(0.5, 1.0) * generic_.direction();
                add({{"type", "spring_damper"},
                     {"bodies", {name(a), name(b)}},
                     {"points_m", {point_of(a, p), point_of(b, q)}},
                     {"stiffness_N_m", generic_.number(10.0, 100.0)},
                     {"damping_N_s_m", generic_.number(0.0, 2.0)},
                     {"rest_length_m", oscillation("0.6")}});
                break;
            }
            case 4: {
                const auto [a, b] = two_bodies();
                if (a == b) break;
                const Vector3 p = generic_.vector(1.5);
                const double turning = generic_.number(5.0, 50.0);
                add({{"type", "bushing"},
                     {"bodies", {name(a), name(b)}},
                     {"points_m", {point_of(a, p), point_of(b, p)}},
                     {"stiffness_N_m", {10.0, 20.0, 30.0}},
                     {"damping_N_s_m", {0.1, 0.2, 0.3}},
                     {"frame", {{"rotation_vector_rad", {0.3, -0.4, turning / 50.0}}}},
                     {"stiffness_N_m_rad", {turning, 1.5 * turning, 0.4 * turning}},
                     {"damping_N_m_s_rad", {0.1, 0.3, 0.2}}});
                break;
            }
            default:
                break;
        }
        for (const Joint& joint : joints_) {
            const bool turns = joint.type == "revolute" || joint.type == "cylindrical";
            const bool slides = joint.type == "prismatic" || joint.type == "cylindrical";
            if (generic_.index(4) != 0) continue;
            if (turns)
                add({{"type", "torsional_spring_damper"},
                     {"joint", joint.name},
                     {"stiffness_N_m_rad", generic_.number(1.0, 20.0)},
                     {"damping_N_m_s_rad", generic_.number(0.0, 1.0)},
                     {"rest_angle_rad", oscillation("0.2")}});
            if (slides)
                add({{"type", "linear_spring_damper"},
                     {"joint", joint.name},
                     {"stiffness_N_m", generic_.number(10.0, 100.0)},
                     {"damping_N_s_m", generic_.number(0.0, 1.0)},
                     {"rest_displacement_m", 0.1}});
            if (joint.type == "revolute" || joint.type == "prismatic")
                add({{"type", "pd_controller"},
                     {"joint", joint.name},
                     {"proportional", generic_.number(1.0, 10.0)},
                     {"derivative", generic_.number(0.1, 1.0)},
                     {"target", oscillation("0.1")}});
        }
    }

    static std::string rate_of_coordinate(const std::string& coordinate) {
        const std::string number = coordinate.ends_with("_1") ? "_1" : coordinate.ends_with("_2") ? "_2" : "";
        return (coordinate.starts_with("angle") ? "rate" : "displacement_rate") + number;
    }
    void act_on_coordinates() {
        const auto maybe = [&] { return generic_.index(2) == 0; };
        for (const Joint& joint : joints_) {
            nlohmann::json& own = file_["joints"][joint.name];
            const auto act = [&](const std::string& coordinate, const std::string& number) {
                const bool turns = coordinate.starts_with("angle");
                if (maybe()) {
                    own["rotor_inertia" + number + (turns ? "_kg_m2" : "_kg")] = generic_.number(0.01, 0.2);
                    if (maybe() && (turns || joint.type == "prismatic"))
                        own["gear_ratio" + number] = generic_.number(-3.0, 3.0);
                }
                if (maybe()) {
                    const Joint& other =
                        joints_[static_cast<std::size_t>(generic_.index(static_cast<int>(joints_.size())))];
                    const std::string &here = coordinate, rate = rate_of_coordinate(coordinate);
                    std::string formula = oscillation("0.3") + " - " + std::to_string(generic_.number(0.5, 5.0)) +
                                          " * " + here + " - tanh(0.2 * " + rate + ") * (1 + " + here + "^2)";
                    if (other.type == "revolute")
                        formula += " + 0.4 * cos(" + other.name + ".angle - " + here + ") * " + other.name + ".rate";
                    if (other.type == "prismatic") formula += " - 0.7 * " + other.name + ".displacement * sin(t)";
                    file_["forces"]["formula_" + joint.name + coordinate] = {
                        {"type", "joint_force"},
                        {"joint", joint.name},
                        {"coordinate", coordinate},
                        {turns ? "torque_N_m" : "force_N", formula}};
                }
                if (!maybe()) return;
                nlohmann::json& friction = file_["forces"]["friction_" + joint.name + coordinate];
                friction = {{"type", "joint_friction"}, {"joint", joint.name}, {"coordinate", coordinate}};
                if (maybe()) friction[turns ? "viscous_N_m_s_rad" : "viscous_N_s_m"] = generic_.number(0.1, 1.0);
                if (maybe() || friction.size() == 3) {
                    friction[turns ? "coulomb_N_m" : "coulomb_N"] = generic_.number(0.1, 2.0);
                    // Over the displacements that differences are taken with, tanh is a cubic.
                    friction[turns ? "regularisation_rad_s" : "regularisation_m_s"] = generic_.number(5.0, 20.0);
                }
            };
            if (joint.type == "revolute" || joint.type == "cylindrical") act("angle", "");
            if (joint.type == "prismatic" || joint.type == "cylindrical") act("displacement", "");
            if (joint.type == "universal") act("angle_1", "_1"), act("angle_2", "_2");
        }
    }

    // Of body b with a body A or the ground: surfaces across a direction n, apart by less than what a fall of some
    // hundredths of a second closes.
    void add_contact(const std::string& own_name) {
        const std::pair<int, int> bodies = two_bodies();
        const int a = bodies.first, b = bodies.second;
        if (a == b) return;
        const Vector3 p = generic_.vector(1.5), n = generic_.direction(), t = n.unitOrthogonal();
        const double gap = generic_.number(0.0005, 0.005), r = 0.1, s = 0.15;
        const auto at = [&](double depth) { return point_of(a, p - depth * n); };
        nlohmann::json contact{{"bodies", {name(a), name(b)}},
                               {"friction", generic_.number(0.0, 0.4)},
                               {"normal_restitution", generic_.number(0.0, 0.5)},
                               {"tangential_restitution", 0.0}};
        const auto plane = [&](const char* type, double depth) {
            contact["type"] = type;
            contact["plane_point_m"] = at(depth), contact["plane_normal"] = direction_of(a, n);
        };
        const int kind = generic_.index(7);
        if (kind == 0) plane("point_plane", gap), contact["point_m"] = point_of(b, p);
        if (kind == 1) plane("sphere_plane", r + gap), contact["point_m"] = point_of(b, p), contact["radius_m"] = r;
        if (kind == 2) {
            contact["type"] = "sphere_sphere";
            contact["points_m"] = {at(r + s + gap), point_of(b, p)}, contact["radii_m"] = {r, s};
        }
        if (kind == 3) {
            plane("capsule_plane", r + gap);
            contact["ends_m"] = {point_of(b, p - 0.2 * t), point_of(b, p + (0.2 * t + 0.002 * n))};
            contact["radius_m"] = r;
        }
        if (kind == 4) {
            contact["type"] = "sphere_capsule";
            const Vector3 q = p - (r + s + gap) * n;
            contact["ends_m"] = {point_of(a, q - 0.3 * t), point_of(a, q + 0.2 * t)};
            contact["point_m"] = point_of(b, p), contact["radii_m"] = {r, s};
        }
        if (kind == 5) {
            plane("box_plane", 0.1 * std::sqrt(3.0) + gap);  // above half the diagonal
            contact["centre_m"] = point_of(b, p), contact["size_m"] = {0.2, 0.2, 0.2};
        }
        if (kind == 6) {
            contact["type"] = "point_slot", contact["clearance_m"] = 2.0 * gap;
            contact["slot_point_m"] = at(0.3 * gap), contact["slot_normal"] = direction_of(a, n);
            contact["point_m"] = point_of(b, p);
        }
        file_["contacts"][own_name] = contact;
        if (generic_.index(3) != 0) return;
        // Stops of a joint that a tree without loops has: its angle is 0 in these poses.
        for (const Joint& joint : joints_)
            if (loops_ == 0 && joint.type == "revolute") {
                file_["contacts"]["stops"] = {{"type", "joint_limits"},
                                              {"joint", joint.name},
                                              {"lower_rad", -gap},
                                              {"upper_rad", 2.0 * gap},
                                              {"normal_restitution", 0.3}};
                return;
            }
    }

    void add_sensors() {
        file_["sensors"]["point"] = {{"type", "point"}, {"body", "b0"}, {"point_m", {0.1, 0.2, 0.3}}};
        file_["sensors"]["point_velocity"] = {{"type", "point_velocity"}, {"body", "b0"}, {"point_m", {0.1, 0.2, 0.3}}};
        for (const Joint& joint : joints_) {
            if (joint.type == "revolute" || joint.type == "cylindrical") {
                file_["sensors"][joint.name + "_angle"] = {{"type", "angle"}, {"joint", joint.name}};
                file_["sensors"][joint.name + "_rate"] = {{"type", "rate"}, {"joint", joint.name}};
            }
            if (joint.type == "prismatic" || joint.type == "cylindrical")
                file_["sensors"][joint.name + "_slide"] = {{"type", "displacement"}, {"joint", joint.name}};
            if (joint.type == "spherical")
                for (const char* type : {"orientation", "angular_velocity"})
                    file_["sensors"][joint.name + "_" + type] = {{"type", type}, {"joint", joint.name}};
            if (joint.type == "universal")
                for (const char* type : {"angle_1", "rate_1", "angle_2", "rate_2"})
                    file_["sensors"][joint.name + "_" + type] = {{"type", type}, {"joint", joint.name}};
            if (generic_.index(3) == 0)
                file_["sensors"][joint.name + "_torque"] = {{"type", "reaction_torque"}, {"joint", joint.name}};
        }
    }

    struct Joint {
        std::string name, type;
        int i, j;
        Vector3 p, p_j, n, m;
    };

    bool every_type_;
    int loops_;
    std::vector<Joint> joints_;
    int tree_rows_ = 0;
};

}  // namespace myriad::mechanism
