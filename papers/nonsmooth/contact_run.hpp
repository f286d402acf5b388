// A run of a timestepping scheme on a system with contacts, without a backend: step after step of one instance, or of
// one pack of instances, in full view of the record.
#pragma once
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "kernels/integrators/timestepping_explicit.hpp"
#include "kernels/integrators/timestepping_members.hpp"
#include "kernels/rotation.hpp"

namespace myriad::bench {

// These systems have no orientation in space: the chart only fills a place.
template <class Real>
struct NoChart {};

inline Schedule contact_schedule(double step_s, double end_s, double spectral_radius = 0.8) {
    Schedule schedule{};
    schedule.step_s = step_s, schedule.end_s = end_s;
    // A span that is no multiple of the step ends with a shorter one; round-off makes no step of its own.
    schedule.full_steps = std::floor(end_s / step_s * (1.0 + 1e-12));
    schedule.last_step_s = end_s - schedule.full_steps * step_s;
    if (schedule.last_step_s < 1e-9 * step_s) schedule.last_step_s = 0.0;
    schedule.total_steps = schedule.full_steps + (schedule.last_step_s > 0.0 ? 1.0 : 0.0);
    schedule.most_attempts = 1e15;
    schedule.spectral_radius = spectral_radius;
    schedule.newton_tolerance = 1e-11, schedule.most_newton_iterations = 20;
    schedule.prox_tolerance = 1e-12, schedule.most_prox_iterations = 200;
    schedule.gap_tolerance_m = 1e-9;
    schedule.ed_alpha_ratio = 1.0 / 6.0;
    return schedule;
}

template <class System>
using ParameterVector = Vec<System::parameter_count, typename System::Real>;

// The defaults with some values by address.
template <class System>
ParameterVector<System> parameters_with(const std::map<std::string, double>& values) {
    ParameterVector<System> parameters;
    std::size_t used = 0;
    for (int i = 0; i < System::parameter_count; ++i) {
        const auto found = values.find(System::parameters[i].address);
        used += found != values.end();
        parameters[i] = typename System::Real(found != values.end() ? found->second : System::parameters[i].value);
    }
    if (used != values.size()) throw std::logic_error("an address is not one of this system");
    return parameters;
}

template <class Member, class System>
struct ContactRun {
    using Scheme = Timestepping<Member>;
    using Real = typename System::Real;
    System system;
    Schedule schedule;
    Motion<System> motion;
    ContactMemory<System> memory;
    Progress<Real> progress{};
    Real reason, warnings;

    ContactRun(const ParameterVector<System>& parameters, const Schedule& schedule_given) : schedule(schedule_given) {
        const Prepared<System> prepared = System::prepare(parameters);
        system = prepared.system, reason = prepared.reason, warnings = prepared.warnings;
        System::start(parameters, motion.q, motion.v);
        reason = reason + Scheme::initialize(system, schedule, motion, memory);
    }

    void step() {
        Motion<System> end;
        ContactMemory<System> after;
        const MaskOf<Real> active = reason <= Real(0.0);
        const Attempt<Real> attempt = Scheme::attempt(system, schedule, progress, motion, end, memory, after, active);
        reason = select(active, attempt.reason, reason);
        const MaskOf<Real> moved = reason <= Real(0.0);
        keep(moved, end, motion);
        keep(moved, after, memory);
        progress.time_s = select(moved, attempt.time_s, progress.time_s);
        progress.steps = select(moved, progress.steps + Real(1.0), progress.steps);
    }
    template <class See>
    ContactRun& run(See&& see) {
        see(*this);
        while (any((reason <= Real(0.0)) & (progress.steps < Real(schedule.total_steps)))) {
            step();
            see(*this);
        }
        return *this;
    }
    ContactRun& run() {
        return run([](const ContactRun&) {});
    }
};

}  // namespace myriad::bench
