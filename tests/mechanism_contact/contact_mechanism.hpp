// Mechanisms with contacts added to their tables by hand, and instances of them run by a timestepping scheme: alone, or
// side by side in packs.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ensembles/catalog/mechanism_contact.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/mechanism/assembly/start_motion.hpp"
#include "host/mechanism/mechanism.hpp"
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

// A mechanism of a file, more contacts, and the parameters of one instance.
struct ContactMechanism {
    mechanism::Mechanism mechanism;
    std::vector<double> parameters;

    explicit ContactMechanism(const std::string& text)
        : mechanism(*mechanism::parse_mechanism(text, "test")), parameters(mechanism.nominal_kernel_parameters()) {}

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
    int add_law(const Law& law) { return numbers({law.friction, law.normal_restitution, law.tangential_restitution}); }
    int add(const Contact& contact) {
        table().contact[table().contacts] = contact;
        return table().contacts++;
    }
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

// Instances of the same mechanism with parameters of their own, side by side in packs where there are several, by the
// name of a scheme: all of them keep the same.
class SchemeRun {
  public:
    using System = Mechanism<double, TableTopology, RotationGroup>;
    using Memory = ContactMemory<System>;

    SchemeRun(const char* scheme, const ContactMechanism& given, const std::vector<std::vector<double>>& parameters,
              const Schedule& schedule)
        : mechanism_(given.mechanism),
          steps_(task_of(scheme, mechanism_, schedule), parameters.size(),
                 backends::columns(parameters, 0, parameters.size()).data(), parameters.size() == 1 ? 1 : 0) {
        const TableTopology topology(&mechanism_.table);
        for (std::size_t lane = 0; lane < parameters.size(); ++lane) {
            now_.push_back(std::make_unique<Now>());
            now_[lane]->motion.q.fit(topology), now_[lane]->motion.v.fit(topology), now_[lane]->memory.fit(topology);
        }
        look();
    }
    SchemeRun(const SchemeRun&) = delete;
    SchemeRun& operator=(const SchemeRun&) = delete;

    // `see(*this)` at the start and after each step.
    template <class See>
    SchemeRun& run(See&& see) {
        see(*this);
        while (running()) step(), see(*this);
        return *this;
    }
    SchemeRun& run() {
        return run([](const SchemeRun&) {});
    }
    // As long as `wanted(*this)` says so.
    template <class Wanted>
    void run_while(Wanted&& wanted) {
        while (running() && wanted(*this)) step();
    }
    bool running() const {
        for (std::size_t lane = 0; lane < now_.size(); ++lane)
            if (status(lane) == Status::running) return true;
        return false;
    }
    Status status(std::size_t lane = 0) const { return static_cast<Status>(static_cast<int>(progress(lane).status)); }
    Reason reason(std::size_t lane = 0) const { return static_cast<Reason>(static_cast<int>(progress(lane).reason)); }
    double warnings(std::size_t lane = 0) const { return progress(lane).warnings; }
    double time_s(std::size_t lane = 0) const { return progress(lane).time_s; }
    double steps(std::size_t lane = 0) const { return progress(lane).steps; }
    const Memory& memory(std::size_t lane = 0) const { return now_[lane]->memory; }
    const auto& certificate(std::size_t lane = 0) const { return now_[lane]->certificate.drift; }
    std::vector<double> record(std::size_t lane = 0) const { return steps_.record(lane); }
    Vector position(int b = 0, std::size_t lane = 0) const { return vector(motion(lane).q.position[b]); }
    Vector velocity(int b = 0, std::size_t lane = 0) const { return vector(motion(lane).v.linear(b)); }
    Vector angular_velocity(int b = 0, std::size_t lane = 0) const { return vector(motion(lane).v.turning(b)); }
    Eigen::Quaterniond orientation(int b = 0, std::size_t lane = 0) const {
        const auto& q = motion(lane).q.orientation[b];
        return {q.w, q.x, q.y, q.z};
    }
    Vector impulse(int contact = 0, std::size_t lane = 0) const { return rows(memory(lane).impulse, contact); }
    Vector force(int contact = 0, std::size_t lane = 0) const { return rows(memory(lane).force, contact); }
    double channel(int index) const { return steps_.channel(0, index); }
    double joint_impulse(int row, std::size_t lane = 0) const { return memory(lane).joint_impulse[row]; }

  private:
    struct Now {
        Progress<double> progress;
        Motion<System> motion;
        Memory memory;
        Certificate<double, System::invariant_count + contact_certificate_count> certificate;
    };

    static backends::Task task_of(const char* scheme, const mechanism::Mechanism& mechanism, const Schedule& schedule) {
        backends::Task task;
        task.system = backends::mechanism_system, task.chart = RotationGroup<double>::name;
        task.integrator = scheme, task.schedule = schedule;
        task.plan.mechanism = &mechanism.table, task.plan.varied_count = mechanism.table.parameters;
        for (int i = 0; i < task.plan.varied_count; ++i) task.plan.varied[i] = i;
        task.parameters.assign(static_cast<std::size_t>(task.plan.varied_count), 0.0);
        return task;
    }
    void step() { steps_.advance(), look(); }
    void look() {
        for (std::size_t lane = 0; lane < now_.size(); ++lane)
            steps_.read(lane, now_[lane]->progress, now_[lane]->motion, now_[lane]->memory, now_[lane]->certificate);
    }
    const Progress<double>& progress(std::size_t lane) const { return now_[lane]->progress; }
    const Motion<System>& motion(std::size_t lane) const { return now_[lane]->motion; }
    static Vector vector(const Vec<3, double>& v) { return {v[0], v[1], v[2]}; }
    template <class Loads>
    static Vector rows(const Loads& loads, int contact) {
        return {loads[3 * contact], loads[3 * contact + 1], loads[3 * contact + 2]};
    }

    const mechanism::Mechanism mechanism_;
    backends::StepByStep steps_;
    std::vector<std::unique_ptr<Now>> now_;
};

template <class Member>
struct ContactRun : SchemeRun {
    ContactRun(const ContactMechanism& given, const Schedule& schedule)
        : ContactRun(given, std::vector<std::vector<double>>{given.parameters}, schedule) {}
    ContactRun(const ContactMechanism& given, const std::vector<std::vector<double>>& parameters,
               const Schedule& schedule)
        : SchemeRun(Member::name, given, parameters, schedule) {}
};

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
