// Systems with generic parameters and generic states for the tests of the per-instance code, and the state a short time
// later by the system's own acceleration, for derivatives along the flow.
#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include "papers/catalog.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::test {

template <template <class, template <class> class> class SystemOf, template <class> class ChartOf>
struct On {
    template <class Real>
    using System = SystemOf<Real, ChartOf>;
};

template <class List>
struct TypesOf;
template <template <class, template <class> class> class... System>
struct TypesOf<SystemList<System...>> {
    template <template <class> class Chart>
    using on = testing::Types<On<System, Chart>...>;
};
template <class First, class Second>
struct Joined;
template <class... First, class... Second>
struct Joined<testing::Types<First...>, testing::Types<Second...>> {
    using types = testing::Types<First..., Second...>;
};
template <class List>
struct OnCharts;
template <template <class> class First, template <class> class... Rest>
struct OnCharts<ChartList<First, Rest...>> {
    using types = typename Joined<typename TypesOf<Systems>::template on<First>,
                                  typename OnCharts<ChartList<Rest...>>::types>::types;
};
template <>
struct OnCharts<ChartList<>> {
    using types = testing::Types<>;
};
// Every system of the catalog on every chart of explicit methods.
using SystemsOnCharts = Joined<typename OnCharts<Charts>::types, typename OnCharts<ExplicitChartsOfLgim>::types>::types;

template <class System>
Vec<System::parameter_count, double> parameters_of(std::uint64_t instance) {
    Vec<System::parameter_count, double> parameters;
    const std::vector<double> values = backends::generic_instance(System::name, instance);
    for (int i = 0; i < System::parameter_count; ++i) parameters[i] = values[static_cast<std::size_t>(i)];
    return parameters;
}

template <class System>
struct Case {
    System system;
    Motion<System> motion;
};

template <class System>
Case<System> generic_case(std::uint64_t instance) {
    const auto parameters = parameters_of<System>(instance);
    const auto prepared = System::prepare(parameters);
    EXPECT_EQ(prepared.reason, 0.0);
    Case<System> made{prepared.system, {}};
    System::start(parameters, made.motion.q, made.motion.v);
    return made;
}

// The rate of the local coordinates at q: v itself on most charts.
template <class System>
typename System::Velocity rate_at(const typename System::Configuration& q, const typename System::Velocity& v) {
    return System::local_rate(q, typename System::Velocity{}, v);
}

// The state dt later on any chart, its errors even in dt but for third order ones: the midpoint rule for the local
// coordinates.
template <class System>
Motion<System> moved(const System& system, const Motion<System>& at, double dt) {
    const auto v_dot = system.acceleration(at.q, at.v), rate = rate_at<System>(at.q, at.v);
    typename System::Velocity half{}, v_half{};
    Motion<System> end;
    for (int i = 0; i < System::freedoms; ++i) {
        half[i] = 0.5 * dt * rate[i], v_half[i] = at.v[i] + 0.5 * dt * v_dot[i];
        end.v[i] = at.v[i] + dt * v_dot[i];
    }
    auto u = System::local_rate(at.q, half, v_half);
    for (int i = 0; i < System::freedoms; ++i) u[i] = dt * u[i];
    end.q = System::retract(at.q, u);
    return end;
}

constexpr int case_count = 20;
// Central differences: truncation dt^2 times third derivatives of order 100, round-off 1e-16 times values of 100 over
// dt.
constexpr double difference_step = 1e-5, difference_tolerance = 2e-7;

}  // namespace myriad::test
