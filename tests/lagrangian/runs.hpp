// Energy-momentum methods step by step on systems with the parameters of the facts.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <type_traits>

#include "host/backends/cpu/step_by_step.hpp"
#include "papers/catalog.hpp"

namespace myriad::test {

using FreeBody = FreeRigidBody<double, RotationGroup>;
using Top = HeavyTop<double, RotationGroup>;
using Springs = MassSpring<double, RotationGroup>;
using Pendulum = SpringPendulum<double, RotationGroup>;

template <class System>
using ParametersFor = Vec<System::parameter_count, double>;

template <class System>
ParametersFor<System> defaults() {
    ParametersFor<System> parameters;
    for (int i = 0; i < System::parameter_count; ++i) parameters[i] = System::parameters[i].value;
    return parameters;
}

// Facts D.4: a cone on its tip in steady precession, its axis along the body's z.
inline ParametersFor<Top> precessing_top() {
    const double mass = 0.7068583470577036, length = 0.075, inertia = 5.301437602932773e-4, rate = 10.0, spin = 135.6,
                 tilt = std::numbers::pi / 3.0;
    return {mass,
            0.0,
            0.0,
            length,
            inertia,
            inertia,
            inertia,
            0.0,
            0.0,
            0.0,
            9.81,
            tilt,
            0.0,
            0.0,
            0.0,
            rate * std::sin(tilt),
            spin + rate * std::cos(tilt)};
}
template <class Integrator, class... Listed>
constexpr bool is_one_of(IntegratorList<Listed...>) {
    return (std::is_same_v<Integrator, Listed> || ...);
}
template <class Integrator>
constexpr bool is_in_the_catalog = is_one_of<Integrator>(Together<BodyMomentumIntegrators, BodyMomentumForms>{});

// One instance: the state, and how far its certificate has gone. Members of the catalog run on the library's kernels,
// forms that no study can name are compiled here.
template <class Integrator, class S>
struct SteppedRun {
    using System = S;
    using Memory = typename Integrator::template Memory<S>;
    static constexpr int added = momentum_certificate_count<S>;

    System system;
    Motion<S> motion;
    Memory memory;
    Schedule schedule{};
    Progress<double> progress{};
    double reason = 0.0;
    MomentumCertificate<S> start, now, worst{};  // as the integrator adds it
    Vec<S::invariant_count, double> start_kept, worst_kept{};

    SteppedRun(const ParametersFor<S>& parameters, double step, double newton_tolerance = 1e-10) {
        const auto prepared = S::prepare(parameters);
        EXPECT_EQ(prepared.reason, 0.0);
        system = prepared.system;
        schedule.step_s = step, schedule.full_steps = schedule.total_steps = schedule.most_attempts = 1e15;
        schedule.newton_tolerance = newton_tolerance, schedule.most_newton_iterations = 40.0;
        if constexpr (is_in_the_catalog<Integrator>) {
            backends::Task task;
            task.system = S::name, task.chart = RotationGroup<double>::name, task.integrator = Integrator::name;
            task.schedule = schedule;
            task.plan.varied_count = S::parameter_count;
            for (int i = 0; i < S::parameter_count; ++i) task.plan.varied[i] = i;
            task.parameters.assign(static_cast<std::size_t>(S::parameter_count), 0.0);
            steps_.emplace(task, 1, parameters.e, 1);
            steps_->read(0, progress, motion, memory);
        } else {
            S::start(parameters, motion.q, motion.v);
            Integrator::template initialize<S, double>(system, schedule, motion, memory);
        }
        start = now = Integrator::template certificate<S>(system, motion, memory);
        start_kept = system.invariants(motion.q, motion.v);
    }
    bool step() {
        if constexpr (is_in_the_catalog<Integrator>) {
            steps_->advance();
            steps_->read(0, progress, motion, memory);
            reason = progress.reason;
            if (reason > 0.0) return false;
        } else if (!compiled_step()) {
            return false;
        }
        now = Integrator::template certificate<S>(system, motion, memory);
        for (int i = 0; i < added; ++i)
            worst[i] = std::fmax(worst[i], std::abs(momentum_certificate_drifts(i) ? now[i] - start[i] : now[i]));
        const auto kept = system.invariants(motion.q, motion.v);
        for (int i = 0; i < S::invariant_count; ++i)
            worst_kept[i] = std::fmax(worst_kept[i], std::abs(kept[i] - start_kept[i]));
        return true;
    }
    // The number of steps that were taken.
    int steps(int count) {
        for (int i = 0; i < count; ++i)
            if (!step()) return i;
        return count;
    }
    CoordinatesOf<S> coordinates() const { return coordinates_of(motion); }

  private:
    bool compiled_step() {
        Motion<S> end;
        auto after = memory;
        const auto attempt =
            Integrator::template attempt<S, double>(system, schedule, progress, motion, end, memory, after, true);
        reason = attempt.reason;
        if (reason > 0.0) return false;
        motion = end, memory = after;
        progress.steps += 1.0, progress.time_s = attempt.time_s;
        return true;
    }

    std::optional<backends::StepByStep> steps_;
};

template <int N>
double distance(const Vec<N, double>& a, const Vec<N, double>& b) {
    double sum = 0.0;
    for (int i = 0; i < N; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

}  // namespace myriad::test
