// A run of a timestepping scheme on a system with contacts: step after step of one instance, in full view of the
// record. Members of the catalog run on the library's kernels; systems and schemes that no study can name are compiled
// here.
#pragma once
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ensembles/catalog/flexible_rods.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "kernels/math/rotation.hpp"

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

// Compiled where it is used, and open to changes of its state and memory between steps.
template <class Member, class System>
struct CompiledContactRun {
    using Scheme = Timestepping<Member>;
    using Real = typename System::Real;
    System system;
    Schedule schedule;
    Motion<System> motion;
    ContactMemory<System> memory;
    Progress<Real> progress{};
    Real reason, warnings;

    CompiledContactRun(const ParameterVector<System>& parameters, const Schedule& schedule_given)
        : schedule(schedule_given) {
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
    CompiledContactRun& run(See&& see) {
        see(*this);
        while (any((reason <= Real(0.0)) & (progress.steps < Real(schedule.total_steps)))) {
            step();
            see(*this);
        }
        return *this;
    }
    CompiledContactRun& run() {
        return run([](const CompiledContactRun&) {});
    }
};

// Every parameter of a system varies.
inline backends::Task contact_task(const char* system, const char* scheme, int parameter_count,
                                   const Schedule& schedule) {
    backends::Task task;
    task.system = system, task.chart = RotationGroup<double>::name, task.integrator = scheme;
    task.schedule = schedule;
    task.plan.varied_count = parameter_count;
    for (int i = 0; i < parameter_count; ++i) task.plan.varied[i] = i;
    task.parameters.assign(static_cast<std::size_t>(parameter_count), 0.0);
    return task;
}

// By the name of the scheme: all of them keep the same.
template <class System>
class CatalogRunOf {
  public:
    System system;
    Motion<System> motion;
    ContactMemory<System> memory;
    Progress<double> progress{};
    double reason, warnings;

    CatalogRunOf(const char* scheme, const ParameterVector<System>& parameters, const Schedule& schedule)
        : system(System::prepare(parameters).system),
          steps_(contact_task(System::name, scheme, System::parameter_count, schedule), 1, parameters.e, 1) {
        look();
    }

    void step() { steps_.advance(), look(); }
    template <class See>
    CatalogRunOf& run(See&& see) {
        see(*this);
        for (bool runs = steps_.runs(0); runs; see(*this)) runs = steps_.advance(), look();
        return *this;
    }
    CatalogRunOf& run() {
        constexpr long long at_once = 1 << 20;
        while (steps_.advance(at_once)) continue;
        look();
        return *this;
    }
    double channel(int index) const { return steps_.channel(0, index); }

  private:
    void look() {
        steps_.read(0, progress, motion, memory);
        reason = progress.reason, warnings = progress.warnings;
    }

    backends::StepByStep steps_;
};
template <class Member, class System>
struct CatalogContactRun : CatalogRunOf<System> {
    CatalogContactRun(const ParameterVector<System>& parameters, const Schedule& schedule)
        : CatalogRunOf<System>(Timestepping<Member>::name, parameters, schedule) {}
};

template <class System, template <class, template <class> class> class... Listed>
constexpr bool is_listed(SystemList<Listed...>) {
    return (
        (std::is_same_v<System, Listed<double, NoChart>> || std::is_same_v<System, Listed<double, RotationGroup>>) ||
        ...);
}
template <class Member, class... Listed>
constexpr bool is_listed(IntegratorList<Listed...>) {
    return (std::is_same_v<Timestepping<Member>, Listed> || ...);
}
template <class Member, class System>
constexpr bool is_in_the_catalog = is_listed<Member>(ContactIntegrators{}) &&
                                   (is_listed<System>(ContactSystems{}) || is_listed<System>(FlexibleRodSystems{}));

template <class Member, class System>
using ContactRun = std::conditional_t<is_in_the_catalog<Member, System>, CatalogContactRun<Member, System>,
                                      CompiledContactRun<Member, System>>;

}  // namespace myriad::bench
