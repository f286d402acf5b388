#include "host/reference/run_reference.hpp"

#include <algorithm>

#include "host/reference/free_rigid_body.hpp"
#include "host/reference/heavy_top.hpp"
#include "host/reference/puma560.hpp"
#include "host/user_error.hpp"

namespace myriad::reference {

namespace {

struct NamedSystem {
    std::string name;
    std::unique_ptr<System> (*make)(const Parameters&);
};

const std::vector<NamedSystem>& systems() {
    static const std::vector<NamedSystem> list{
        {"heavy_top", heavy_top}, {"free_rigid_body", free_rigid_body}, {"puma560", puma560}};
    return list;
}

std::unique_ptr<System> make_system(const std::string& name, const Parameters& parameters) {
    std::string list;
    for (const NamedSystem& system : systems()) {
        if (system.name == name) return system.make(parameters);
        list += (list.empty() ? "" : ", ") + system.name;
    }
    throw UserError(ExitCode::usage_or_input, "system " + name, "there is no reference for such a system",
                    "the systems are: " + list);
}

void require(bool holds, const std::string& field, const std::string& what_is_wrong, const std::string& remedy) {
    if (!holds) throw UserError(ExitCode::usage_or_input, "reference settings: " + field, what_is_wrong, remedy);
}

void check(const Settings& settings, const ButcherTable& table) {
    require(std::isfinite(settings.end_s) && settings.end_s > 0.0, "end_s", "is not a positive time", "give seconds");
    require(settings.observe_every_steps >= 0, "observe_every_steps", "is negative", "give 0 for none");
    const std::vector<double>& times = settings.observation_times_s;
    require(std::is_sorted(times.begin(), times.end(), std::less_equal<double>()), "observation_times_s",
            "do not increase", "sort them, each once");
    require(times.empty() || (times.front() >= 0.0 && times.back() <= settings.end_s), "observation_times_s",
            "lie outside the span", "keep them between 0 and end_s");
    if (settings.step_s) {
        require(std::isfinite(*settings.step_s) && *settings.step_s > 0.0, "step_s", "is not a positive time",
                "give seconds");
        return;
    }
    const StepControl& control = settings.control;
    require(table.embedded_order > 0, "step_s", "is missing, and " + table.name + " has no step control",
            "give step_s, or choose ode23 or dopri5");
    require(control.relative_tolerance >= 0.0 && control.absolute_tolerance > 0.0, "tolerances",
            "are not relative_tolerance >= 0 and absolute_tolerance > 0", "give both");
    require(control.largest_step_s > 0.0 && control.initial_step_s >= 0.0 && control.smallest_step_s > 0.0, "steps",
            "are not positive", "give seconds");
}

}  // namespace

std::vector<std::string> reference_systems() {
    std::vector<std::string> names;
    for (const NamedSystem& system : systems()) names.push_back(system.name);
    return names;
}

std::vector<std::string> reference_integrators() {
    std::vector<std::string> names;
    for (const ButcherTable& table : butcher_tables()) names.push_back(table.name);
    return names;
}

Result run_reference(const std::string& system_name, const std::string& integrator, const Parameters& parameters,
                     const Settings& settings) {
    const ButcherTable& table = butcher_table(integrator);
    check(settings, table);
    Result result;
    std::unique_ptr<System> system;
    std::unique_ptr<Formulation> formulation;
    try {
        system = make_system(system_name, parameters);
        formulation = make_formulation(settings.chart, *system, settings.largest_step_rotation_rad);
    } catch (const InvalidParameter& error) {
        result.status = "invalid_parameter", result.reason = error.what();
        return result;
    } catch (const StepFailure& failure) {
        result.status = failure.status, result.reason = failure.reason;
        return result;
    }

    RungeKutta runge_kutta(table, *formulation);
    const auto observe = [&](double time_s) {
        if (!result.trajectory.empty() && result.trajectory.back().time_s == time_s) return;
        result.trajectory.push_back({time_s, system->observe(formulation->configuration(), formulation->velocity())});
    };
    const auto after_step = [&](double time_s) {
        if (settings.after_step)
            settings.after_step(time_s, system->observe(formulation->configuration(), formulation->velocity()));
        if (settings.observe_every_steps > 0 && runge_kutta.steps_taken() % settings.observe_every_steps == 0)
            observe(time_s);
        if (runge_kutta.steps_taken() >= settings.most_steps && time_s < settings.end_s)
            throw StepFailure{"step_limit", "the run took as many steps as it may"};
    };

    std::vector<double> stops = settings.observation_times_s;
    const bool end_is_observed = !stops.empty() && stops.back() == settings.end_s;
    if (!end_is_observed) stops.push_back(settings.end_s);
    if (settings.observe_every_steps > 0 || !settings.observation_times_s.empty()) observe(0.0);
    if (settings.after_step)
        settings.after_step(0.0, system->observe(formulation->configuration(), formulation->velocity()));
    result.status = "ok";
    try {
        for (std::size_t i = 0; i < stops.size(); ++i) {
            if (settings.step_s)
                runge_kutta.run_fixed(*settings.step_s, stops[i], after_step);
            else
                runge_kutta.run_controlled(settings.control, stops[i], after_step);
            if (i + 1 < stops.size() || end_is_observed) observe(stops[i]);
        }
    } catch (const StepFailure& failure) {
        result.status = failure.status, result.reason = failure.reason;
    }
    result.final_time_s = runge_kutta.time_s();
    result.final_configuration = formulation->configuration();
    result.final_velocity = formulation->velocity();
    result.final_observables = system->observe(result.final_configuration, result.final_velocity);
    result.steps_taken = runge_kutta.steps_taken();
    result.steps_rejected = runge_kutta.steps_rejected();
    return result;
}

}  // namespace myriad::reference
