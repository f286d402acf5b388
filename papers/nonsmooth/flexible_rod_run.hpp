// Runs of the slider-crank with a flexible rod of any size, and their results for the page on the nonsmooth paper.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/slider_crank_flexible.hpp"
#include "papers/nonsmooth/contact_run.hpp"

namespace myriad::bench::flexible_rod {

// Rods of any size; the names are for studies.
template <int n, BeamFrame frame>
struct RodOfElements : BeamElements<n, frame> {
    static constexpr const char *name = "", *summary = "";
};
template <BeamEnds ends, int n>
struct RodOfModes : BeamModes<ends, n, n> {
    static constexpr const char *name = "", *summary = "";
};

using Values = std::map<std::string, double>;
using Rigid = SliderCrankClearance<double, NoChart>;
template <int n>
using Elements = SliderCrankFlexible<double, NoChart, RodOfElements<n, BeamFrame::tangential>>;
template <int n>
using PinnedElements = SliderCrankFlexible<double, NoChart, RodOfElements<n, BeamFrame::pinned>>;
template <BeamEnds ends, int n>
using Modes = SliderCrankFlexible<double, NoChart, RodOfModes<ends, n>>;

constexpr double sample_s = 1e-4, no_walls_m = 10.0;
inline const Values table_1{};
inline const Values table_2{{"clearance_m", 0.0005}, {"crank.torque_N_m", 1.0},      {"normal_restitution", 0.1},
                            {"friction", 0.1},       {"initial_rate_rad_s[0]", 0.0}, {"initial_rate_rad_s[1]", 0.0}};

inline Values with(Values values, const Values& more) {
    for (const auto& [address, value] : more) values[address] = value;
    return values;
}
inline Values without_walls(const Values& values) { return with(values, {{"clearance_m", no_walls_m}}); }
inline Values turning(const Values& values) { return with(values, {{"rod.bending_turns_sections", 1.0}}); }
inline Values of_modulus(const Values& values, double modulus_Pa) {
    using Rod = FlexibleRodMaterial<double>;
    return with(values, {{"rod.bending_stiffness_N_m2", modulus_Pa * Rod::second_moment},
                         {"rod.axial_stiffness_N", modulus_Pa * Rod::section_area}});
}

struct Sample {
    std::array<double, 2> slider, angle, rate;  // place of the slider's centre; of crank and rod's frame
};
struct Outcome {
    std::vector<Sample> samples;  // every sample_s, from the start
    double first_contact_s = 1e300, largest_force_N = 0.0;
    double energy_gain_J = 0.0, energy_loss_J = 0.0;      // by the scheme, what friction and impacts take counted
    double energy_left_J = 0.0;                           // at the end, of what there was and the torque's work
    double root_moment_N_m = 0.0, moment_step_N_m = 0.0;  // largest; root mean square of its changes from step to step
    double frame_moment_N_m = 0.0;                        // largest J_s times the frame's angular acceleration
    int impacts = 0, switches = 0;                        // switches: steps after which other corners are closed
    bool ended_well = true;
    double ended_s = 0.0;
};
using Runner = std::function<Outcome(const Values&, double step_s, double end_s)>;

template <class Member, class System>
Outcome outcome_of(const Values& values, double step_s, double end_s, double radius) {
    ContactRun<Member, System> run(parameters_with<System>(values), contact_schedule(step_s, end_s, radius));
    const long every = std::lround(sample_s / step_s);
    Outcome made;
    long steps = 0;
    double moment = 0.0, squares = 0.0;
    std::array<bool, 4> closed{};
    run.run([&](const auto& now) {
        const auto& [q, v] = now.motion;
        constexpr int slider = 2 * body_channels;
        if (steps % every == 0)
            made.samples.push_back(
                {{now.system.channel(slider, q, v), now.system.channel(slider + 1, q, v)}, {q[0], q[1]}, {v[0], v[1]}});
        if constexpr (requires { &System::root_moment; }) {
            const double before = moment;
            moment = now.system.root_moment(q, v);
            squares += (moment - before) * (moment - before);
            made.root_moment_N_m = std::max(made.root_moment_N_m, std::abs(moment));
            made.frame_moment_N_m =
                std::max(made.frame_moment_N_m, std::abs(now.system.section_inertia * now.memory.acceleration[1]));
        }
        const auto contact = now.system.contact_state(q);
        std::array<bool, 4> closed_now{};
        for (int k = 0; k < 4; ++k) closed_now[static_cast<std::size_t>(k)] = contact.gap[k] <= 1e-9;
        made.switches += steps > 0 && closed_now != closed;
        closed = closed_now;
        made.energy_left_J = now.system.energy(q, v) - now.memory.initial_energy_J;
        const double balance = made.energy_left_J + now.memory.friction_loss_J + now.memory.impact_loss_J;
        made.energy_gain_J = std::max(made.energy_gain_J, balance);
        made.energy_loss_J = std::max(made.energy_loss_J, -balance);
        ++steps;
    });
    made.moment_step_N_m = std::sqrt(squares / static_cast<double>(std::max(1L, steps - 1)));
    if (run.memory.first_contact_s >= 0.0) made.first_contact_s = run.memory.first_contact_s;
    made.largest_force_N = run.memory.largest_force_N;
    made.impacts = static_cast<int>(run.memory.impacts);
    made.ended_well = run.reason == 0.0, made.ended_s = run.progress.time_s;
    return made;
}
template <class Member, class System>
Runner runner(double radius = 0.0) {
    return [radius](const Values& values, double step_s, double end_s) {
        return outcome_of<Member, System>(values, step_s, end_s, radius);
    };
}

struct Named {
    std::string name;
    Runner run;
};

// The largest distance of the sliders' centres, m, up to a time.
inline double slider_distance(const Outcome& a, const Outcome& b, double until_s = 1e300) {
    double worst = 0.0;
    for (std::size_t i = 0; i < std::min(a.samples.size(), b.samples.size()); ++i) {
        if (static_cast<double>(i) * sample_s > until_s) break;
        worst = std::max(worst, std::hypot(a.samples[i].slider[0] - b.samples[i].slider[0],
                                           a.samples[i].slider[1] - b.samples[i].slider[1]));
    }
    return worst;
}
// The largest difference of what `of` names, of crank and rod.
inline double difference(const Outcome& a, const Outcome& b, std::array<double, 2> Sample::*of,
                         double until_s = 1e300) {
    double worst = 0.0;
    for (std::size_t i = 0; i < std::min(a.samples.size(), b.samples.size()); ++i) {
        if (static_cast<double>(i) * sample_s > until_s) break;
        for (std::size_t j = 0; j < 2; ++j)
            worst = std::max(worst, std::abs((a.samples[i].*of)[j] - (b.samples[i].*of)[j]));
    }
    return worst;
}
// The largest rate of the crank, 0, or of the rod's frame, 1.
inline double largest_rate(const Outcome& run, std::size_t of) {
    double largest = 0.0;
    for (const Sample& sample : run.samples) largest = std::max(largest, std::abs(sample.rate[of]));
    return largest;
}

}  // namespace myriad::bench::flexible_rod
