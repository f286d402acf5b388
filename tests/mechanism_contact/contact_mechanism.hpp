// Mechanisms with contacts added to their tables by hand, in joint or in body coordinates.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ensembles/catalog/joint_contact.hpp"
#include "host/mechanism/assembly/start_motion.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::test {

using Vector = Eigen::Vector3d;
inline const Vector up(0.0, 0.0, 1.0), origin(0.0, 0.0, 0.0);
constexpr double gravity = 9.81;

// The schemes that the catalog has, for tests of each of them.
template <class Schemes>
struct TestedSchemes;
template <class... Member>
struct TestedSchemes<IntegratorList<Timestepping<Member>...>> {
    using Types = testing::Types<Member...>;
};
using AllSchemes = TestedSchemes<MechanismContactIntegrators>::Types;

struct Law {
    double friction = 0.0, normal_restitution = 0.0, tangential_restitution = 0.0;
};

enum class In { joint, body };

// A mechanism of a file, more contacts, and the parameters of one instance.
struct ContactMechanism {
    mechanism::Mechanism mechanism;
    std::vector<double> parameters;

    explicit ContactMechanism(const std::string& text) : ContactMechanism(mechanism::parse_mechanism(text, "test")) {}

    // In body coordinates all joints are cut. Channels of a test's own come afterwards.
    ContactMechanism in(In coordinates) const {
        if (coordinates == In::joint || mechanism.joints.empty()) return *this;
        ContactMechanism cut(mechanism::with_joints_cut(in_file_));
        const MechanismTable& before = in_file_->table;
        const int shift = cut.table().parameters - before.parameters;
        std::copy_n(parameters.begin(), parameters_of_body(before.bodies), cut.parameters.begin());
        cut.numbers(std::vector<double>(parameters.begin() + before.parameters, parameters.end()));
        for (int c = before.contacts; c < mechanism.table.contacts; ++c) {
            Contact added = mechanism.table.contact[c];
            for (int* const at : {&added.parameter, &added.radius[0], &added.radius[1], &added.play, &added.law})
                if (*at >= 0) *at += shift;
            cut.add(added);
        }
        cut.mechanism.body_velocity_is_given = mechanism.body_velocity_is_given;
        find_start_motion(cut.mechanism);
        return cut;
    }

    MechanismTable& table() { return mechanism.table; }
    int numbers(const std::vector<double>& values) {
        const auto at = static_cast<int>(parameters.size());
        parameters.insert(parameters.end(), values.begin(), values.end());
        table().parameters = static_cast<int>(parameters.size());
        return at;
    }
    // A sphere of body j, centre s_j from its centre of mass, on a plane of body i through s_i, both in body axes.
    int add_sphere_plane(int i, int j, const Vector& s_i, const Vector& normal, const Vector& s_j, double radius,
                         const Law& law, double play = 0.0) {
        const Vector n = normal.normalized(), t = n.unitOrthogonal();
        const int at = numbers({s_i[0], s_i[1], s_i[2], n[0], n[1], n[2], t[0], t[1], t[2], s_j[0], s_j[1], s_j[2]});
        return add(
            {ContactKind::sphere_plane, {i, j}, at, {-1, numbers({radius})}, numbers({play}), add_law(law), -1, 2});
    }
    int add_sphere_sphere(int i, int j, const Vector& s_i, const Vector& s_j, double radius_i, double radius_j,
                          const Law& law) {
        const int at = numbers({s_i[0], s_i[1], s_i[2], s_j[0], s_j[1], s_j[2]});
        return add({ContactKind::sphere_sphere,
                    {i, j},
                    at,
                    {numbers({radius_i}), numbers({radius_j})},
                    -1,
                    add_law(law),
                    -1,
                    2});
    }
    // The channel of a kind, after those of the bodies; made where there is none.
    int channel(ChannelKind kind, int a, int b = 0, int c = 0) {
        table().channel[table().channels] = {kind, a, b, c};
        return 13 * table().bodies + table().channels++;
    }
    double& body(int b, int offset) { return parameters[static_cast<std::size_t>(parameters_of_body(b) + offset)]; }
    // Sets the mass of a body whose link has its origin in the centre of mass.
    void set_mass(int b, double mass) {
        const JointTable& joint = table().joint;
        const int link = joint.link_parameter + joint.link_of_body[b] * link_parameter_count;
        body(b, body_mass) = parameters[static_cast<std::size_t>(link + link_mass)] = mass;
    }
    // Given, as a file gives it.
    void set_velocity(int b, const Vector& v, const Vector& w = Vector::Zero()) {
        mechanism.body_velocity_is_given[static_cast<std::size_t>(b)] = {true, true, 0};
        find_start_motion(mechanism);
        for (int i = 0; i < 3; ++i) body(b, body_velocity + i) = v[i], body(b, body_angular_velocity + i) = w[i];
    }
    void set_position(int b, const Vector& r) {
        for (int i = 0; i < 3; ++i) body(b, body_position + i) = r[i];
    }

  private:
    explicit ContactMechanism(std::shared_ptr<const mechanism::Mechanism> in_file)
        : mechanism(*in_file), parameters(mechanism.nominal_kernel_parameters()), in_file_(std::move(in_file)) {}

    int add_law(const Law& law) { return numbers({law.friction, law.normal_restitution, law.tangential_restitution}); }
    int add(const Contact& contact) {
        table().contact[table().contacts] = contact;
        return table().contacts++;
    }

    std::shared_ptr<const mechanism::Mechanism> in_file_;
};

inline Schedule contact_schedule(double step_s, int steps) {
    Schedule schedule{};
    schedule.step_s = step_s, schedule.end_s = step_s * steps;
    schedule.full_steps = schedule.total_steps = steps;
    schedule.most_attempts = 1e15;
    schedule.spectral_radius = 0.8, schedule.ed_alpha_ratio = 1.0 / 6.0;
    schedule.newton_tolerance = 1e-12, schedule.most_newton_iterations = 20;
    schedule.prox_tolerance = 1e-12, schedule.most_prox_iterations = 200;
    schedule.gap_tolerance_m = 1e-9, schedule.impact_threshold_N_s = 1e-9;
    return schedule;
}

inline std::string text_of(const Vector& v) {
    std::ostringstream text;
    text.precision(17);
    text << '[' << v[0] << ", " << v[1] << ", " << v[2] << ']';
    return text.str();
}
// A body with the inertia of a homogeneous sphere.
inline std::string sphere_body(double mass, double radius) {
    std::ostringstream text;
    text.precision(17);
    const double j = 0.4 * mass * radius * radius;
    text << R"({"mass_kg": )" << mass << R"(, "inertia_kg_m2": {"xx": )" << j << R"(, "yy": )" << j << R"(, "zz": )"
         << j << "}}";
    return text.str();
}
inline std::string sphere_text(double mass, double radius, const Vector& g = {0.0, 0.0, -gravity}) {
    return R"({"gravity_m_s2": )" + text_of(g) + R"(, "bodies": {"sphere": )" + sphere_body(mass, radius) + "}}";
}

}  // namespace myriad::test
