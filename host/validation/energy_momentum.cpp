// The energy-momentum methods on the examples of the Livens paper (sects. 5.1 to 5.5): converged values, orders, what
// is kept over a stated span at a stated step, and what is not.
//
//   converged    from the steps h, h/2 and h/4: errors go with even powers of h, the first two of which cancel
//   order        log2 of the ratio of the errors at h and h/2
//   kept         the certificate's largest drift over the span, relative to the size of what is kept
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "host/catalog/system_description.hpp"
#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/precessing_top.hpp"

namespace myriad::validation {

namespace {

constexpr const char* paper = "Kinon, Betsch 2024";
constexpr const char* order_of_method = "order of the method";

struct LivensExample {
    std::string system, parameters;  // parameters: of a study, as JSON members
    double step_s, end_s;
};

Method method_of(const std::string& name, double step_s, double end_s) {
    return {
        .integrator = name, .step_s = step_s, .end_s = end_s, .newton_tolerance = 1e-12, .most_newton_iterations = 40};
}

FinishedRun run(const LivensExample& example, const std::string& method, double step_s,
                const std::vector<std::string>& channels, backends::Backend& device) {
    const Observed ends = channels.empty() ? Observed{} : Observed{example.end_s, channels};
    return run_text(study_text(R"("system": ")" + example.system + '"', method_of(method, step_s, example.end_s), ends,
                               "{" + example.parameters + "}"),
                    device);
}

constexpr const char* of_coordinates[] = {"energy_momentum", "livens_midpoint"};
constexpr const char* of_rotations[] = {"energy_momentum", "livens_midpoint", "energy_momentum_hamiltonian",
                                        "hamiltonian_midpoint", "energy_momentum_convective"};

// Weights of the three values: those of h^2 and h^4 in them vanish.
double converged(const std::array<double, 3>& at_step) {
    const auto without_square = [](double coarse, double fine) { return (4.0 * fine - coarse) / 3.0; };
    return (16.0 * without_square(at_step[1], at_step[2]) - without_square(at_step[0], at_step[1])) / 15.0;
}

template <std::size_t count>
void add_converged(Rows& rows, const LivensExample& example, const std::string& method, const std::string& name,
                   const std::string& channel, const std::array<const char*, count>& components,
                   const Values<count>& known, const Tolerance& tolerance, backends::Backend& device) {
    std::vector<std::string> channels;
    for (const char* component : components) channels.push_back(channel + "." + component);
    std::vector<FinishedRun> runs;
    for (const double share : {1.0, 0.5, 0.25})
        runs.push_back(run(example, method, share * example.step_s, channels, device));
    for (std::size_t i = 0; i < count; ++i) {
        std::array<double, 3> at_step{};
        for (std::size_t k = 0; k < 3; ++k) at_step[k] = runs[k].observed(channels[i], example.end_s);
        rows.add(name + ", " + method + ": " + channels[i] + " at " + number_text(example.end_s) + " s",
                 converged(at_step), known[i], tolerance, known.source);
    }
}

void add_coordinates(Rows& rows, backends::Backend& device) {
    namespace springs = reference_values::mass_spring;
    namespace pendulum = reference_values::spring_pendulum;
    const std::array of_springs = {"x1", "q2", "x2"}, of_pendulum = {"r", "theta", "phi"};
    const std::string as_printed = R"("potential_factor": 0.25)";
    const Tolerance coordinates{2e-9, "ten digits of the value, and the sixth power of the step"};
    const Tolerance rates{1e-7, "the same of a radial rate that oscillates with the spring, at 17 rad/s"};
    for (const char* method : of_coordinates) {
        const auto add_springs = [&](const std::string& parameters, double end_s, const Values<3>& known) {
            add_converged(rows, {"mass_spring", parameters, 0.02, end_s}, method,
                          parameters.empty() ? "mass-spring" : "mass-spring, potential as printed", "coordinates",
                          of_springs, known, coordinates, device);
        };
        add_springs("", 1.0, springs::half_at_1_s);
        add_springs("", 10.0, springs::half_at_10_s);
        add_springs(as_printed, 1.0, springs::quarter_at_1_s);
        add_springs(as_printed, 10.0, springs::quarter_at_10_s);
        const auto add_pendulum = [&](const char* channel, double end_s, const Values<3>& known,
                                      const Tolerance& tolerance) {
            add_converged(rows, {"spring_pendulum", "", 5e-3, end_s}, method, "spring pendulum", channel, of_pendulum,
                          known, tolerance, device);
        };
        add_pendulum("coordinates", 0.5, pendulum::coordinates_at_0_5_s, coordinates);
        add_pendulum("coordinates", 1.0, pendulum::coordinates_at_1_s, coordinates);
        add_pendulum("rates", 1.0, pendulum::rates_at_1_s, rates);
    }
}

void add_converged_rotation(Rows& rows, backends::Backend& device) {
    namespace body = reference_values::free_rotation;
    const std::array quaternion = {"w", "x", "y", "z"};
    const std::array vector = {"x", "y", "z"};
    const Tolerance short_run{3e-9, "ten digits of the value, and the sixth power of the step"};
    const Tolerance long_run{1e-7, "the sixth power of the step, at 30 rad/s for 2 s"};
    const Tolerance rates{1e-5, "the same of rates up to 30 rad/s, which are differences over the step"};
    for (const char* method : of_rotations) {
        if (!study::is_built(method)) continue;
        const auto add = [&](double step_s, double end_s, const std::string& channel, const auto& components,
                             const auto& known, const Tolerance& tolerance) {
            add_converged(rows, {"free_rigid_body", "", step_s, end_s}, method, "free rotation", channel + ".body",
                          components, known, tolerance, device);
        };
        add(4.5e-4, 0.45, "orientation", quaternion, body::orientation_at_0_45_s, short_run);
        add(2e-3, 2.0, "orientation", quaternion, body::orientation_at_2_s, long_run);
        add(1e-3, 2.0, "angular_velocity", vector, body::angular_velocity_at_2_s, rates);
    }
}

void add_kept(Rows& rows, const FinishedRun& run, const std::string& name, const std::string& entry, double size,
              const Tolerance& tolerance) {
    rows.add(name + ": largest drift of " + entry + ", relative", run.invariant_drift(entry) / size, 0.0, tolerance,
             paper);
}

// Sect. 5.3, step 0.05 s over 2 s: energy 2500 J, angular momentum (60, 160, 60) kg m^2/s.
void add_free_rotation(Rows& rows, backends::Backend& device) {
    const LivensExample example{"free_rigid_body", "", 0.05, 2.0};
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

// Step 0.01 s over 10 s: a mode that the method of the paper brings along grows until it holds the energy of the body.
void add_parasitic_mode(Rows& rows, backends::Backend& device) {
    const auto energy_change = [&](const char* method) {
        return run({"free_rigid_body", "", 0.01, 10.0}, method, 0.01, {}, device).invariant_drift("energy") / 2500.0;
    };
    const char* const own_run = "own run with the paper's equations";
    rows.add("free rotation, 1,000 steps, energy_momentum: largest change of the kinetic energy, relative",
             energy_change("energy_momentum"), 1.17, {5e-3, "rounding of the stated value"}, own_run);
    rows.add("free rotation, 1,000 steps, livens_midpoint: largest change of the kinetic energy, relative",
             energy_change("livens_midpoint"), 0.0015, {1e-4, "rounding of the stated value"}, own_run);
    rows.add("free rotation, 1,000 steps, energy_momentum_convective: largest change of the kinetic energy, relative",
             energy_change("energy_momentum_convective"), 0.0, {1e-12, "round-off of 1,000 steps"}, "kept");
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
    const LivensExample example{"heavy_top", precessing_top_parameters(), 1e-3, 0.1};
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
    for (const char* method : of_rotations) {
        if (!study::is_built(method)) continue;
        rows.add(std::string("precessing top, ") + method + ": order",
                 std::log2(error(method, example.step_s) / error(method, 0.5 * example.step_s)), 2.0,
                 {0.02, "the next term of the error, the square of 1e-3 s * 140 rad/s"}, order_of_method);
    }
    if (!study::is_built("hamiltonian_midpoint")) return;
    for (const double step_s : {5e-3, 1e-3, 5e-4}) {
        const double mpl = error("livens_midpoint", step_s), eml = error("energy_momentum", step_s),
                     emh = error("energy_momentum_hamiltonian", step_s), mph = error("hamiltonian_midpoint", step_s);
        rows.add("precessing top: of MPL < EML, EML < EMH, EML < MPH so many hold at " + number_text(step_s) + " s",
                 (mpl < eml) + (eml < emh) + (eml < mph), 3.0, {0.0, "a ranking"}, "Kinon, Betsch 2024, fig. 13");
    }
}

// Sect. 5.5: a pulse until 1 s; from then on energy and momenta stay.
void add_loop(Rows& rows, backends::Backend& device) {
    namespace loop = reference_values::four_bar_loop;
    const auto finished = [&](const char* method, double step_s, double end_s, double every_s,
                              const std::vector<std::string>& channels) {
        return run_mechanism("four_bar_loop", method_of(method, step_s, end_s), device, {every_s, channels});
    };
    struct Known {
        const char* channel;
        double time_s, value;
    };
    for (const char* method : {"energy_momentum_convective", "livens_midpoint", "energy_momentum"}) {
        const FinishedRun coarse = finished(method, 0.02, 2.0, 1.0, {"energy", "work", "position"}),
                          fine = finished(method, 0.01, 2.0, 1.0, {"energy", "work", "position"});
        const std::string name = std::string("closed loop, ") + method + ": ";
        // The energy of the paper's method comes and goes with its parasitic mode; the work does not.
        const bool is_of_paper = std::string_view(method) == "energy_momentum";
        for (const Known& one : {Known{is_of_paper ? "work" : "energy", 2.0, loop::energy},
                                 Known{"position.bar_1.x", 1.0, loop::bar_1_at_1_s[0]},
                                 Known{"position.bar_1.x", 2.0, loop::bar_1_at_2_s[0]},
                                 Known{"position.bar_2.x", 1.0, loop::bar_2_at_1_s[0]},
                                 Known{"position.bar_2.y", 1.0, loop::bar_2_at_1_s[1]},
                                 Known{"position.bar_2.z", 1.0, loop::bar_2_at_1_s[2]}}) {
            const double a = coarse.observed(one.channel, one.time_s), b = fine.observed(one.channel, one.time_s);
            const std::string what = name + one.channel + " at " + number_text(one.time_s) + " s";
            rows.add(
                what, (4.0 * b - a) / 3.0, one.value,
                {1e-8 * std::max(one.value, 5.0), "the fourth power of the step, 0.02 s against motions of some rad/s"},
                loop::energy.source);
            if (one.time_s == 2.0)
                rows.add(what + ": order", std::log2((a - one.value) / (b - one.value)), 2.0,
                         {0.1, "the next term of the error"}, order_of_method);
        }
        const auto gained = [&](const char* entry) {
            return (4.0 * fine.invariant_drift(entry) - coarse.invariant_drift(entry)) / 3.0;
        };
        rows.add(name + "momentum (kg m/s) gained", gained("linear_momentum.x"), 400.0, {1e-8, "round-off"},
                 "the impulse, 8 f_m / 2");
        rows.add(name + "moment of momentum (kg m^2/s) gained", gained("angular_momentum.x"), 300.0,
                 {1e-3, "the fourth power of the step, for methods that do not keep it"}, "the impulse, 6 f_m / 2");
    }
    const FinishedRun of_paper = finished("energy_momentum", 0.1, 10.0, 10.0, {"energy"});
    rows.add(
        "closed loop, energy_momentum, step 0.1 s: generalized energy less the work done, largest drift (J), 0..10 s",
        of_paper.invariant_drift("generalized_energy"), 0.0,
        {round_off(100.0, 2100.0) * 10.0, "round-off of 100 steps, ten times for rates over h"}, paper);
    rows.add("closed loop, energy_momentum, step 0.1 s: momentum (kg m/s) gained in 10 s",
             of_paper.invariant_drift("linear_momentum.x"), 400.0, {round_off(100.0, 400.0), "round-off"},
             "the impulse, 8 f_m / 2");
    const FinishedRun cured = finished("energy_momentum_convective", 0.1, 10.0, 10.0, {"energy"});
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
    add_converged_rotation(rows, subject.device);
    add_free_rotation(rows, subject.device);
    add_parasitic_mode(rows, subject.device);
    add_spring_pendulum_energy(rows, subject.device);
    add_precession(rows, subject.device);
    add_loop(rows, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
