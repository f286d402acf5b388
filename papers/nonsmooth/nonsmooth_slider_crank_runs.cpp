#include "papers/nonsmooth/nonsmooth_slider_crank_runs.hpp"

#include <algorithm>
#include <cmath>

#include "bench/measurement.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "papers/nonsmooth/contact_run.hpp"

namespace myriad::bench {

namespace {

using Crank = SliderCrankClearance<double, NoChart>;

template <class Member>
Run run_of(const Values& values, double step_s, double end_s, double every_s, double radius) {
    ContactRun<Member, Crank> run(parameters_with<Crank>(values), contact_schedule(step_s, end_s, radius));
    const long every = std::lround(every_s / step_s);
    Run made;
    long steps = 0;
    std::array<bool, 4> closed{};
    run.run([&](const auto& now) {
        const auto contact = now.system.contact_state(now.motion.q);
        std::array<bool, 4> closed_now{};
        for (int k = 0; k < 4; ++k) closed_now[static_cast<std::size_t>(k)] = contact.gap[k] <= 1e-9;
        made.switches += steps > 0 && closed_now != closed;
        closed = closed_now;
        if (steps > 0 && steps % every == 0)
            made.samples.push_back({now.motion.q, now.motion.v, now.memory.force[0] + now.memory.force[2]});
        ++steps;
    });
    made.impacts = static_cast<int>(run.memory.impacts), made.ended_well = run.reason == 0.0;
    made.newton_iterations = run.memory.newton_iterations / static_cast<double>(steps - 1);
    made.prox_iterations = run.memory.prox_iterations / std::max(1.0, run.memory.problems);
    if (run.memory.first_contact_s >= 0.0) made.first_contact_s = run.memory.first_contact_s;
    return made;
}

template <class Member>
Scheme scheme(const std::string& name, double radius, const std::array<double, 3>& table_4,
              const std::array<double, 3>& table_6, double table_3, double table_5) {
    return {name,
            [radius](const Values& values, double step_s, double end_s, double every_s) {
                return run_of<Member>(values, step_s, end_s, every_s, radius);
            },
            [radius](const Values& values) {
                ContactRun<Member, Crank> run(parameters_with<Crank>(values), contact_schedule(1e-5, span_s, radius));
                const double started = now_s(Clock::thread_cpu);
                run.run();
                return now_s(Clock::thread_cpu) - started;
            },
            table_4,
            table_6,
            table_3,
            table_5};
}

}  // namespace

std::vector<Scheme> slider_crank_schemes() {
    const std::array<double, 3> generalized_4{1e-1, 1e-3, 1e-5}, generalized_6{2.0e-3, 1.2e-4, 1.4e-5};
    return {
        scheme<MoreauMidpoint>("Moreau", 0.0, {1.3e1, 1.3e0, 1.3e-1}, {6.7e-2, 6.4e-3, 6.4e-4}, 1.0, 1.0),
        scheme<HalfExplicit>("half-explicit", 0.0, {1e-1, 1e-3, 1e-5}, {1.1e-3, 2.8e-5, 2.3e-6}, 1.35, 1.15),
        scheme<NonsmoothGeneralizedAlpha>("generalized-alpha 0.8", 0.8, generalized_4, generalized_6, 4.15, 2.72),
        scheme<NonsmoothGeneralizedAlpha>("generalized-alpha 0.5", 0.5, generalized_4, generalized_6, 4.15, 2.72),
        scheme<NonsmoothGeneralizedAlpha>("generalized-alpha 0", 0.0, generalized_4, generalized_6, 4.15, 2.72),
        scheme<NonsmoothBathe>("Bathe", 0.0, {0.7e-1, 0.7e-3, 1.6e-5}, {1.4e-3, 7.8e-5, 8.9e-6}, 4.35, 3.15),
        scheme<NonsmoothEdAlpha>("ED-alpha 0", 0.0, {1.3e-1, 1.3e-3, 1.6e-5}, {9.4e-4, 2.8e-5, 2.3e-6}, 5.0, 3.4),
    };
}

}  // namespace myriad::bench
