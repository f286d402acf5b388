// Instances of a mechanism with contacts, alone or side by side in packs, and what their channels and records show.
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "host/backends/cpu/step_by_step.hpp"
#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {

class ContactRun {
  public:
    using System = JointMechanism<double, JointTopology, RotationGroup>;
    using Memory = ContactMemory<System>;

    ContactRun(const char* scheme, const ContactMechanism& given, const Schedule& schedule)
        : ContactRun(scheme, given, schedule, {given.parameters}) {}
    ContactRun(const char* scheme, const ContactMechanism& given, const Schedule& schedule,
               const std::vector<std::vector<double>>& parameters, int width = 0)
        : mechanism_(std::make_shared<const mechanism::Mechanism>(given.mechanism)),
          steps_(task_of(scheme, mechanism_, schedule), parameters.size(),
                 backends::columns(parameters, 0, parameters.size()).data(), parameters.size() == 1 ? 1 : width) {}
    ContactRun(const ContactRun&) = delete;
    ContactRun& operator=(const ContactRun&) = delete;

    bool step() {
        bodies_.clear();
        return steps_.advance();
    }
    // `see(*this)` at the start and after each step.
    template <class See>
    ContactRun& run(See&& see) {
        see(*this);
        while (step()) see(*this);
        see(*this);
        return *this;
    }
    ContactRun& run() {
        while (step()) continue;
        return *this;
    }
    Progress<double> progress(std::size_t lane = 0) const { return steps_.progress(lane); }
    Status status(std::size_t lane = 0) const { return static_cast<Status>(static_cast<int>(progress(lane).status)); }
    Reason reason(std::size_t lane = 0) const { return static_cast<Reason>(static_cast<int>(progress(lane).reason)); }
    double time_s(std::size_t lane = 0) const { return progress(lane).time_s; }
    std::vector<double> record(std::size_t lane = 0) const { return steps_.record(lane); }
    Memory memory(std::size_t lane = 0) const { return parts(lane)->memory; }
    auto certificate() const { return parts(0)->certificate.drift; }
    double channel(int index, std::size_t lane = 0) const { return steps_.channel(lane, index); }
    Vector three(int first) const { return {channel(first), channel(first + 1), channel(first + 2)}; }
    Vector position(int b = 0, std::size_t lane = 0) const { return of_body(b, lane, 0); }
    Vector velocity(int b = 0, std::size_t lane = 0) const { return of_body(b, lane, 7); }
    Vector angular_velocity(int b = 0, std::size_t lane = 0) const { return of_body(b, lane, 10); }  // body axes
    Eigen::Quaterniond orientation(int b = 0, std::size_t lane = 0) const {
        const double* const q = &bodies()[at(b, lane) + 3];
        return {q[0], q[1], q[2], q[3]};
    }
    // Positions, orientations with w >= 0, and velocities of all bodies of all instances.
    const std::vector<double>& bodies() const {
        if (!bodies_.empty()) return bodies_;
        std::vector<int> wanted(at(0, 1));
        std::iota(wanted.begin(), wanted.end(), 0);
        bodies_ = steps_.channels(wanted);
        for (std::size_t q = 3; q < bodies_.size(); q += 13)
            if (bodies_[q] < 0.0)
                for (std::size_t k = q; k < q + 4; ++k) bodies_[k] = -bodies_[k];
        return bodies_;
    }

  private:
    struct Parts {
        Progress<double> progress;
        Motion<System> motion;
        Memory memory;
        Certificate<double, System::invariant_count + contact_certificate_count> certificate;
    };

    static backends::Task task_of(const char* scheme, const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                  const Schedule& schedule) {
        const MechanismTable& table = mechanism->table;
        backends::Task task;
        task.mechanism = mechanism;
        task.system = backends::joint_mechanism_system, task.chart = RotationGroup<double>::name;
        task.integrator = scheme, task.schedule = schedule;
        task.plan.mechanism = &table, task.plan.varied_count = table.parameters;
        for (int i = 0; i < task.plan.varied_count; ++i) task.plan.varied[i] = i;
        task.parameters.assign(static_cast<std::size_t>(task.plan.varied_count), 0.0);
        return task;
    }
    std::unique_ptr<Parts> parts(std::size_t lane) const {
        auto parts = std::make_unique_for_overwrite<Parts>();
        const JointTopology topology(&mechanism_->table);
        parts->motion.q.fit(topology), parts->motion.v.fit(topology), parts->memory.fit(topology);
        steps_.read(lane, parts->progress, parts->motion, parts->memory, parts->certificate);
        return parts;
    }
    std::size_t at(int b, std::size_t lane) const {
        return 13 * (lane * static_cast<std::size_t>(mechanism_->table.bodies) + static_cast<std::size_t>(b));
    }
    Vector of_body(int b, std::size_t lane, std::size_t first) const {
        return Eigen::Map<const Vector>(&bodies()[at(b, lane) + first]);
    }

    const std::shared_ptr<const mechanism::Mechanism> mechanism_;
    backends::StepByStep steps_;
    mutable std::vector<double> bodies_;  // of now, where they have been asked for
};

// Gives the load of a contact along its normal and its tangents.
template <class Loads>
Vector load_of(const Loads& loads, int contact) {
    return {loads[3 * contact], loads[3 * contact + 1], loads[3 * contact + 2]};
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace myriad::test
