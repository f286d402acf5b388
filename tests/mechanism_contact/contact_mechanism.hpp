// Mechanisms with contacts added to their tables by hand, and instances of them run by a timestepping scheme: alone, or
// one in each lane of a pack.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/advance.hpp"
#include "kernels/integrators/mechanism_ed_alpha.hpp"
#include "kernels/integrators/mechanism_half_explicit.hpp"
#include "kernels/integrators/mechanism_timestepping_members.hpp"

namespace myriad::test {

using Vector = Eigen::Vector3d;
constexpr double gravity = 9.81;

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
        return add({ContactKind::sphere_plane, {i, j}, at, {-1, numbers({radius})}, numbers({play}), add_law(law)});
    }
    int add_sphere_sphere(int i, int j, const Vector& s_i, const Vector& s_j, double radius_i, double radius_j,
                          const Law& law) {
        const int at = numbers({s_i[0], s_i[1], s_i[2], s_j[0], s_j[1], s_j[2]});
        return add(
            {ContactKind::sphere_sphere, {i, j}, at, {numbers({radius_i}), numbers({radius_j})}, -1, add_law(law)});
    }
    // The channel of a kind, after those of the bodies; made where there is none.
    int channel(ChannelKind kind, int a, int b = 0, int c = 0) {
        table().channel[table().channels] = {kind, a, b, c};
        return 13 * table().bodies + table().channels++;
    }
    double& body(int b, int offset) { return parameters[static_cast<std::size_t>(parameters_of_body(b) + offset)]; }
    void set_velocity(int b, const Vector& v, const Vector& w = Vector::Zero()) {
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

// One instance in each lane of Real, of the same mechanism with parameters of their own.
template <class Member, class R = double>
class ContactRun {
  public:
    using Real = R;
    using System = Mechanism<Real, TableTopology, RotationGroup>;
    using Integrator = MechanismTimestepping<Member>;
    using Loop = Run<Integrator, System, TablePlan>;
    static constexpr int lanes = Lanes<Real>::width;

    ContactRun(const ContactMechanism& given, const Schedule& schedule)
        : ContactRun(given, std::vector<std::vector<double>>(lanes, given.parameters), schedule) {}
    ContactRun(const ContactMechanism& given, const std::vector<std::vector<double>>& parameters,
               const Schedule& schedule)
        : mechanism_(given.mechanism) {
        plan_table_.mechanism = &mechanism_.table;
        plan_table_.varied_count = mechanism_.table.parameters;
        for (int i = 0; i < plan_table_.varied_count; ++i) plan_table_.varied[i] = i;
        records_.resize(size_of(record_fields<Instance<Integrator, System>>(plan_)));
        initial_.resize(size_of(13 * mechanism_.table.bodies)), final_.resize(initial_.size());
        quantities_.resize(size_of(1)), shared_.resize(most_parameters), thresholds_.resize(most_quantities);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            for (std::size_t i = 0; i < parameters[lane].size(); ++i)
                records_[tile_instances * i + lane] = parameters[lane][i];
        launch_.records = records_.data(), launch_.initial_states = initial_.data();
        launch_.final_states = final_.data(), launch_.quantities = quantities_.data();
        launch_.parameters = shared_.data(), launch_.thresholds = thresholds_.data();
        launch_.slots = lanes, launch_.attempts = 1, launch_.schedule = schedule;
        loop_ = std::make_unique<Loop>(plan_, launch_, 0);
        loop_->begin();
    }
    ContactRun(const ContactRun&) = delete;
    ContactRun& operator=(const ContactRun&) = delete;

    // `see(*this)` at the start and after each step.
    template <class See>
    ContactRun& run(See&& see) {
        see(*this);
        while (running()) loop_->advance(), see(*this);
        return *this;
    }
    ContactRun& run() {
        return run([](const ContactRun&) {});
    }
    // As long as `wanted(*this)` says so.
    template <class Wanted>
    void run_while(Wanted&& wanted) {
        while (running() && wanted(*this)) loop_->advance();
    }
    bool running() const {
        for (int lane = 0; lane < lanes; ++lane)
            if (status(lane) == Status::running) return true;
        return false;
    }
    static double at(const Real& x, int lane) { return Lanes<Real>::get(x, lane); }
    Status status(int lane = 0) const { return static_cast<Status>(static_cast<int>(at(progress().status, lane))); }
    Reason reason(int lane = 0) const { return static_cast<Reason>(static_cast<int>(at(progress().reason, lane))); }
    double warnings(int lane = 0) const { return at(progress().warnings, lane); }
    double time_s(int lane = 0) const { return at(progress().time_s, lane); }
    double steps(int lane = 0) const { return at(progress().steps, lane); }
    const auto& memory() const { return loop_->instance.memory; }
    auto& instance() { return loop_->instance; }
    const auto& certificate() const { return loop_->instance.certificate.drift; }
    Vector position(int b = 0, int lane = 0) const { return vector(motion().q.position[b], lane); }
    Vector velocity(int b = 0, int lane = 0) const { return vector(motion().v.linear(b), lane); }
    Vector angular_velocity(int b = 0, int lane = 0) const { return vector(motion().v.turning(b), lane); }
    Eigen::Quaterniond orientation(int b = 0, int lane = 0) const {
        const auto& q = motion().q.orientation[b];
        return {at(q.w, lane), at(q.x, lane), at(q.y, lane), at(q.z, lane)};
    }
    Vector impulse(int contact = 0, int lane = 0) const { return rows(memory().impulse, contact, lane); }
    Vector force(int contact = 0, int lane = 0) const { return rows(memory().force, contact, lane); }
    double channel(int index) {
        typename System::Parameters parameters;
        for (int i = 0; i < mechanism_.table.parameters; ++i)
            parameters[i] = records_[static_cast<std::size_t>(tile_instances * i)];
        const System system{TableTopology(&mechanism_.table), &parameters};
        return at(system.channel(index, loop_->instance.motion, memory()), 0);
    }
    double joint_impulse(int row, int lane = 0) const { return at(memory().joint_impulse[row], lane); }

  private:
    const auto& progress() const { return loop_->instance.progress; }
    const auto& motion() const { return loop_->instance.motion; }
    static std::size_t size_of(int rows) { return static_cast<std::size_t>(tile_instances * rows); }
    static Vector vector(const Vec<3, Real>& v, int lane) { return {at(v[0], lane), at(v[1], lane), at(v[2], lane)}; }
    template <class Loads>
    static Vector rows(const Loads& loads, int contact, int lane) {
        return {at(loads[3 * contact], lane), at(loads[3 * contact + 1], lane), at(loads[3 * contact + 2], lane)};
    }

    mechanism::Mechanism mechanism_;
    PlanTable plan_table_{};
    TablePlan plan_{plan_table_};
    std::vector<double> records_, initial_, final_, quantities_, shared_, thresholds_;
    Launch<double> launch_{};
    std::unique_ptr<Loop> loop_;
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
