// Descriptions of charts and integrators, from their types.
#pragma once
#include <utility>

#include "ensembles/catalog.hpp"
#include "host/catalog/system_description.hpp"

namespace myriad::study {

inline ChartDescription chart_named(const std::string& name) {
    constexpr std::pair<const char*, const char*> summaries[] = {
        {"rotation", "the rotation group itself: a Lie group method, free of singular angles"},
        {"cardan_xyz", "Cardan angles, R = Rx Ry Rz: the classical formulation (2), for comparison"},
        {"cardan_xyz_body_rate", "the same angles beside the angular velocity: the classical formulation 1"},
        {"euler_parameters", "unit quaternions, the norm a constraint: the classical formulation, for comparison"},
        {"euler_zxz", "Euler angles, R = Rz Rx Rz: the classical formulation, for comparison"},
    };
    ChartDescription chart;
    chart.name = name;
    for (const auto& [known, summary] : summaries)
        if (name == known) chart.summary = summary;
    return chart;
}

template <class Integrator>
IntegratorDescription integrator_description() {
    IntegratorDescription method;
    method.name = Integrator::name, method.summary = Integrator::summary, method.adaptive = Integrator::adaptive;
    method.type_name = Integrator::type_name;
    const auto is = [&](const char* name) { return method.name == name; };
    method.contact = requires { Integrator::impacts_apart; };
    method.has_free_alphas = is(NonsmoothGeneralizedAlpha::name);
    method.has_ed_alpha_ratio = is(NonsmoothEdAlpha::name);
    method.has_spectral_radius = is(GeneralizedAlpha::name) || method.has_free_alphas || method.has_ed_alpha_ratio;
    method.motion_order = Integrator::orders.motion, method.force_order = Integrator::orders.forces;
    method.kinematic = is(Kinematics::name);
    method.energy_momentum = !method.contact && requires { Integrator::certificate_drifts(0); };
    if constexpr (requires { Integrator::alternates; }) method.has_parasitic_mode = Integrator::alternates;
    method.implicit = method.has_spectral_radius || method.kinematic || method.energy_momentum ||
                      is(ImplicitEuler::name) || is(NonsmoothBathe::name);
    return method;
}

template <template <class> class Chart>
ChartDescription chart_description() {
    ChartDescription chart = chart_named(Chart<double>::name);
    chart.type_name = Chart<double>::type_name;
    return chart;
}

template <template <class> class... Chart>
std::vector<ChartDescription> descriptions_of(ChartList<Chart...>) {
    return {chart_description<Chart>()...};
}
template <class... Integrator>
std::vector<IntegratorDescription> descriptions_of(IntegratorList<Integrator...>) {
    return {integrator_description<Integrator>()...};
}

}  // namespace myriad::study
