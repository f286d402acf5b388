// The energy-momentum methods on the examples of the Livens paper (sects. 5.1 to 5.5): converged values, orders, what
// is kept over a stated span at a stated step, and what is not.
//
//   converged    from the steps h and h/2 by (4 x(h/2) - x(h))/3: the errors of these methods go with even powers of h
//   order        log2 of the ratio of the errors at h and h/2
//   kept         the certificate's largest drift over the span, relative to the size of what is kept
#include <algorithm>
#include <array>

#include "host/catalog/system_description.hpp"
#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/precessing_top.hpp"

namespace myriad::validation {

namespace {

constexpr const char* independent = "independent integration, converged";
constexpr const char* paper = "Kinon, Betsch 2024";
constexpr const char* order_of_method = "order of the method";

struct Example {
    std::string system, parameters;  // parameters: of a study, as JSON members
    double step_s, end_s;
};

Method method_of(const std::string& name, double step_s, double end_s) {
    return {
        .integrator = name, .step_s = step_s, .end_s = end_s, .newton_tolerance = 1e-12, .most_newton_iterations = 40};
}

FinishedRun run(const Example& example, const std::string& method, double step_s,
                const std::vector<std::string>& channels, backends::Backend& device) {
    const Observed ends = channels.empty() ? Observed{} : Observed{example.end_s, channels};
    return run_text(study_text(R"("system": ")" + example.system + '"', method_of(method, step_s, example.end_s), ends,
                               "{" + example.parameters + "}"),
                    device);
}

struct Known {
    std::string channel;
    double value;
};

void add_converged(Rows& rows, const Example& example, const std::string& method, const std::string& name,
                   const std::vector<Known>& known, const Tolerance& tolerance, backends::Backend& device) {
    std::vector<std::string> channels;
    for (const Known& one : known) channels.push_back(one.channel);
    const FinishedRun coarse = run(example, method, example.step_s, channels, device),
                      fine = run(example, method, 0.5 * example.step_s, channels, device);
    for (const Known& one : known) {
        const double a = coarse.observed(one.channel, example.end_s), b = fine.observed(one.channel, example.end_s);
        rows.add(name + ", " + method + ": " + one.channel + " at " + study::number_text(example.end_s) + " s",
                 (4.0 * b - a) / 3.0, one.value, tolerance, independent);
    }
}

void add_coordinates(Rows& rows, backends::Backend& device) {
    const Tolerance tolerance{5e-9, "ten digits of the value, and the next power of the step, the fourth"};
    for (const char* method : {"energy_momentum", "livens_midpoint"}) {
        add_converged(
            rows, {"mass_spring", "", 2e-3, 10.0}, method, "mass-spring",
            {{"coordinates.x1", 0.8877973989}, {"coordinates.q2", 1.9877973989}, {"coordinates.x2", 0.2659615049}},
            tolerance, device);
        add_converged(
            rows, {"mass_spring", R"("potential_factor": 0.25)", 2e-3, 10.0}, method,
            "mass-spring, potential as printed",
            {{"coordinates.x1", 0.1397914709}, {"coordinates.q2", 1.2397914709}, {"coordinates.x2", -0.2034579090}},
            tolerance, device);
        add_converged(
            rows, {"spring_pendulum", "", 4e-4, 1.0}, method, "spring pendulum",
            {{"coordinates.r", 1.0239908362}, {"coordinates.theta", 2.3559775009}, {"coordinates.phi", 1.5413373463}},
            tolerance, device);
    }
}

void add_kept(Rows& rows, const FinishedRun& run, const std::string& name, const std::string& entry, double size,
              const Tolerance& tolerance) {
    rows.add(name + ": largest drift of " + entry + ", relative", run.invariant_drift(entry) / size, 0.0, tolerance,
             paper);
}

// Sect. 5.3, step 0.05 s over 2 s: energy 2500 J, angular momentum (60, 160, 60) kg m^2/s.
void add_free_rotation(Rows& rows, backends::Backend& device) {
    const Example example{"free_rigid_body", "", 0.05, 2.0};
    const double steps = 40.0, energy = 2500.0, momentum = 181.0;
    const Tolerance kept{round_off(steps, 10.0),
                         "round-off of 40 steps, ten times for rates that are differences over h"};
    for (const char* method : {"energy_momentum_full", "energy_momentum", "energy_momentum_null_space"}) {
        if (!study::is_built(method)) continue;
        const FinishedRun finished = run(example, method, example.step_s, {}, device);
        const std::string name = std::string("free rotation, ") + method;
        add_kept(rows, finished, name, "generalized_energy", energy, kept);
        for (const char* entry : {"momentum_map.x", "momentum_map.y", "momentum_map.z"})
            add_kept(rows, finished, name, entry, momentum, kept);
        rows.add(name + ": largest |q . q - 1|/2", finished.invariant_drift("constraint_residual"), 0.0,
                 {round_off(1.0, 1.0), "round-off"}, paper);
        // Fig. 7, right.
        rows.add(name + ": log10 of the largest drift of T + V, relative",
                 std::log10(finished.invariant_drift("energy") / energy), -1.0, {0.19, "not kept: about a tenth of it"},
                 paper);
    }
    for (const char* method : {"energy_momentum_convective", "energy_momentum_hamiltonian"}) {
        if (!study::is_built(method)) continue;
        const FinishedRun finished = run(example, method, example.step_s, {}, device);
        const std::string name = std::string("free rotation, ") + method;
        add_kept(rows, finished, name, "energy", energy, kept);
        for (const char* entry : {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"})
            add_kept(rows, finished, name, entry, momentum, kept);
    }
}

// Sect. 5.2, step 0.01 s over 1 s: "down to an order of 10^-4" per step.
void add_spring_pendulum_energy(Rows& rows, backends::Backend& device) {
    const FinishedRun finished = run({"spring_pendulum", "", 0.01, 1.0}, "energy_momentum", 0.01, {}, device);
    rows.add("spring pendulum, energy_momentum: largest drift of generalized_energy (J)",
             finished.invariant_drift("generalized_energy"), 0.0,
             {round_off(100.0, 150.0), "round-off of 100 steps in terms of EA/2 = 150 J"}, paper);
    rows.add("spring pendulum, energy_momentum: log10 of the largest drift of T + V (J)",
             std::log10(finished.invariant_drift("energy")), -4.0, {0.7, "not kept: an order of magnitude"}, paper);
}

// Sect. 5.4, fig. 13: the relative error of the centre of mass at 0.1 s.
void add_precession(Rows& rows, backends::Backend& device) {
    const Example example{"heavy_top", precessing_top_parameters(), 1e-3, 0.1};
    const std::vector<std::string> channels = {"position.top.x", "position.top.y", "position.top.z"};
    const auto error = [&](const char* method, double step_s) {
        const FinishedRun finished = run(example, method, step_s, channels, device);
        const std::array<double, 3> exact = precessing_top_position(example.end_s);
        double square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double difference = finished.observed(channels[i], example.end_s) - exact[i];
            square += difference * difference;
        }
        return std::sqrt(square) / precessing_top_arm_m;
    };
    for (const char* method : {"energy_momentum", "livens_midpoint", "energy_momentum_hamiltonian",
                               "hamiltonian_midpoint", "energy_momentum_convective"}) {
        if (!study::is_built(method)) continue;
        rows.add(std::string("precessing top, ") + method + ": order",
                 std::log2(error(method, example.step_s) / error(method, 0.5 * example.step_s)), 2.0,
                 {0.05, "the next term of the error"}, order_of_method);
    }
    if (!study::is_built("hamiltonian_midpoint")) return;
    const double mpl = error("livens_midpoint", 1e-3), eml = error("energy_momentum", 1e-3),
                 emh = error("energy_momentum_hamiltonian", 1e-3), mph = error("hamiltonian_midpoint", 1e-3);
    rows.add("precessing top: of MPL < EML, EML < EMH, EML < MPH so many hold at 0.001 s",
             (mpl < eml) + (eml < emh) + (eml < mph), 3.0, {0.0, "a ranking"}, "Kinon, Betsch 2024, fig. 13");
}

// Sect. 5.5: a pulse until 1 s; from then on energy and momenta stay.
void add_loop(Rows& rows, backends::Backend& device) {
    const auto finished = [&](const char* method, double step_s, double end_s,
                              const std::vector<std::string>& channels) {
        return run_mechanism("four_bar_loop", method_of(method, step_s, end_s), device, {end_s, channels});
    };
    const std::vector<Known> known = {{"energy", 2096.16784}, {"position.bar_1.x", 19.22106781}};
    for (const char* method : {"energy_momentum_convective", "livens_midpoint"}) {
        const FinishedRun coarse = finished(method, 0.02, 2.0, {"energy", "position.bar_1.x"}),
                          fine = finished(method, 0.01, 2.0, {"energy", "position.bar_1.x"});
        for (const Known& one : known) {
            const double a = coarse.observed(one.channel, 2.0), b = fine.observed(one.channel, 2.0);
            rows.add(
                std::string("closed loop, ") + method + ": " + one.channel + " at 2 s", (4.0 * b - a) / 3.0, one.value,
                {1e-8 * one.value, "the fourth power of the step, 0.02 s against motions of some rad/s"}, independent);
            rows.add(std::string("closed loop, ") + method + ": " + one.channel + " at 2 s: order",
                     std::log2((a - one.value) / (b - one.value)), 2.0, {0.1, "the next term of the error"},
                     order_of_method);
        }
    }
    const FinishedRun of_paper = finished("energy_momentum", 0.1, 10.0, {"energy"});
    rows.add(
        "closed loop, energy_momentum, step 0.1 s: generalized energy less the work done, largest drift (J), 0..10 s",
        of_paper.invariant_drift("generalized_energy"), 0.0,
        {round_off(100.0, 2100.0) * 10.0, "round-off of 100 steps, ten times for rates over h"}, paper);
    rows.add("closed loop, energy_momentum, step 0.1 s: momentum (kg m/s) gained in 10 s",
             of_paper.invariant_drift("linear_momentum.x"), 400.0, {round_off(100.0, 400.0), "round-off"},
             "the impulse, 8 f_m / 2");
    const FinishedRun cured = finished("energy_momentum_convective", 0.1, 10.0, {"energy"});
    rows.add(
        "closed loop, energy_momentum_convective, step 0.1 s: T + V less the work done, largest drift (J), 0..10 s",
        cured.invariant_drift("energy_balance"), 0.0,
        {round_off(100.0, 2100.0) * 10.0, "round-off of 100 steps, ten times for rates over h"}, "Simo, Wong 1991");
    rows.add("closed loop, energy_momentum_convective, step 0.1 s: moment of momentum (kg m^2/s) gained in 10 s",
             cured.invariant_drift("angular_momentum.x"), 300.0, {round_off(100.0, 2100.0), "round-off"},
             "the impulse, 6 f_m / 2");
}

}  // namespace

std::vector<Row> energy_momentum(const Subject& subject) {
    Rows rows("energy_momentum");
    add_coordinates(rows, subject.device);
    for (const char* method : {"energy_momentum_convective", "livens_midpoint", "energy_momentum_hamiltonian"}) {
        if (!study::is_built(method)) continue;
        add_converged(rows, {"free_rigid_body", "", 1e-4, 0.45}, method, "free rotation",
                      {{"orientation.body.w", 0.7914357203},
                       {"orientation.body.x", -0.0243179859},
                       {"orientation.body.y", -0.4379837881},
                       {"orientation.body.z", -0.4256857262}},
                      {3e-9, "ten digits of the value, and the next power of the step, the fourth"}, subject.device);
    }
    add_free_rotation(rows, subject.device);
    add_spring_pendulum_energy(rows, subject.device);
    add_precession(rows, subject.device);
    add_loop(rows, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
