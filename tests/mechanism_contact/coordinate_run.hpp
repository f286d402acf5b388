// Instances of a mechanism with contacts in joint or in body coordinates, and what their channels show.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {

enum class In { joint, body };

class CoordinateRun {
  public:
    CoordinateRun(In coordinates, const char* scheme, const ContactMechanism& given, const Schedule& schedule)
        : CoordinateRun(coordinates, scheme, given, schedule, {given.parameters}) {}
    CoordinateRun(In coordinates, const char* scheme, const ContactMechanism& given, const Schedule& schedule,
                  const std::vector<std::vector<double>>& parameters, int width = 0)
        : mechanism_(given.mechanism),
          steps_(task_of(coordinates, scheme, mechanism_, schedule), parameters.size(),
                 backends::columns(parameters, 0, parameters.size()).data(), parameters.size() == 1 ? 1 : width) {}
    CoordinateRun(const CoordinateRun&) = delete;
    CoordinateRun& operator=(const CoordinateRun&) = delete;

    bool step() { return steps_.advance(); }
    // `see(*this)` at the start and after each step.
    template <class See>
    CoordinateRun& run(See&& see) {
        see(*this);
        while (step()) see(*this);
        see(*this);
        return *this;
    }
    CoordinateRun& run() {
        while (step()) continue;
        return *this;
    }
    Progress<double> progress(std::size_t lane = 0) const { return steps_.progress(lane); }
    Status status(std::size_t lane = 0) const { return static_cast<Status>(static_cast<int>(progress(lane).status)); }
    double time_s() const { return progress().time_s; }
    std::vector<double> record(std::size_t lane = 0) const { return steps_.record(lane); }
    double channel(int index, std::size_t lane = 0) const { return steps_.channel(lane, index); }
    Vector position(int b = 0) const { return three(13 * b); }
    Vector velocity(int b = 0) const { return three(13 * b + 7); }
    Vector angular_velocity(int b = 0) const { return three(13 * b + 10); }  // body axes
    // Positions, orientations with w >= 0, and velocities of all bodies.
    std::vector<double> bodies() const {
        std::vector<int> wanted(static_cast<std::size_t>(13 * mechanism_.table.bodies));
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<int>(i);
        std::vector<double> seen = steps_.channels(wanted);
        for (std::size_t at = 3; at < seen.size(); at += 13)
            if (seen[at] < 0.0)
                for (std::size_t k = at; k < at + 4; ++k) seen[k] = -seen[k];
        return seen;
    }
    Vector three(int first) const { return {channel(first), channel(first + 1), channel(first + 2)}; }

  private:
    static backends::Task task_of(In coordinates, const char* scheme, const mechanism::Mechanism& mechanism,
                                  const Schedule& schedule) {
        backends::Task task;
        task.system = coordinates == In::joint ? backends::joint_mechanism_system : backends::mechanism_system;
        task.chart = RotationGroup<double>::name, task.integrator = scheme, task.schedule = schedule;
        task.plan.mechanism = &mechanism.table, task.plan.varied_count = mechanism.table.parameters;
        for (int i = 0; i < task.plan.varied_count; ++i) task.plan.varied[i] = i;
        task.parameters.assign(static_cast<std::size_t>(task.plan.varied_count), 0.0);
        return task;
    }

    const mechanism::Mechanism mechanism_;
    backends::StepByStep steps_;
};

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace myriad::test
