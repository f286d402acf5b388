// Invariants of a constrained motion: the constraints to round-off for ten thousand steps, and with them the velocities
// to the order of the method; the energy of a free one where the method does not damp. Reactions do not depend on how
// the equations of a step are solved, nor on a span that is no multiple of the step.
#include <string_view>

#include "host/ensemble/warnings/energy_size.hpp"
#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

// On the reference path the steps take a minute and a half.
int steps_of(const Subject& subject) { return subject.is_reference_path() ? 500 : 10'000; }
// The constraints are part of what Newton's method solves. It converges linearly where its matrix leaves out what the
// tangent operator would add.
constexpr double left_of_the_last_correction = 0.1;

struct Subjected {
    const char* mechanism;
    double step_s;
    double size_m;  // of the largest coordinates
};
constexpr Subjected subjects[] = {{"heavy_top", 1e-4, 1.0},        {"slider_crank_iftomm", 5e-4, 0.3},
                                  {"double_pendulum", 5e-4, 5.0},  {"puma560", 1e-4, 1.0},
                                  {"pendulum", 3e-4, 2.0},         {"four_link", 3e-4, 12.2},
                                  {"slider_crank_haug", 3e-4, 1.0}};

void add_constraints(Rows& rows, const Subject& subject) {
    const int steps = steps_of(subject);
    for (const Subjected& one : subjects)
        for (const char* integrator : {"implicit_euler", "generalized_alpha"}) {
            const FinishedRun run = run_mechanism(one.mechanism,
                                                  {.integrator = integrator,
                                                   .step_s = one.step_s,
                                                   .end_s = steps * one.step_s,
                                                   .newton_tolerance = newton_tolerance_at_round_off},
                                                  subject.device);
            rows.add(std::string(one.mechanism) + ", " + integrator + ", " + std::to_string(steps) +
                         " steps: largest constraint residual",
                     run.invariant_drift("constraint_residual"), 0.0,
                     {30.0 * std::numeric_limits<double>::epsilon() * one.size_m +
                          left_of_the_last_correction * newton_tolerance_at_round_off,
                      "round-off of sums of coordinates, and a tenth of the Newton tolerance"},
                     "index-3 methods keep the constraints themselves");
            // Implicit Euler is known to take more.
            if (std::string_view(integrator) == "generalized_alpha")
                rows.add(std::string(one.mechanism) + ", " + integrator + ", " + std::to_string(steps) +
                             " steps: drift of the energy, as a share of its size",
                         run.energy_drift_share(), 0.0,
                         {0.1 * ensemble::silent_energy_drift, "a tenth of the share above which a run warns"},
                         "the energy is kept");
        }
}

// The largest |phi'| over the run.
void add_velocities(Rows& rows, const Subject& subject) {
    const double end_s = subject.is_reference_path() ? 1.0 : 3.0;
    struct Order {
        const char* integrator;
        double order;
    };
    for (const Order& known : {Order{"implicit_euler", 1.0}, Order{"generalized_alpha", 2.0}}) {
        const auto residual = [&](double step_s) {
            return run_mechanism("double_pendulum", {.integrator = known.integrator, .step_s = step_s, .end_s = end_s},
                                 subject.device)
                .invariant_drift("velocity_residual");
        };
        rows.add("double_pendulum, " + std::string(known.integrator) + ", 0.." + number_text(end_s) +
                     " s: order of the velocity residual",
                 std::log2(residual(1e-3) / residual(5e-4)), known.order, {0.1, "the next term of the error"},
                 "order of the method");
    }
}

// Without damping and torque. A method that gained or lost energy steadily would move ten times as far in ten times the
// time.
void add_energy(Rows& rows, backends::Backend& device) {
    const std::string free = R"({"parameters.damping_N_s_m": 0.0, "parameters.left_m": 0.5,
        "bodies.rotor.velocity_m_s": [0.0, 0.1, 0.05], "bodies.rotor.angular_velocity_rad_s[1]": 0.5})";
    const auto drift = [&](double end_s) {
        return run_mechanism(
                   "high_speed_rotor",
                   {.integrator = "generalized_alpha", .step_s = 1e-3, .end_s = end_s, .spectral_radius = 1.0}, device,
                   {}, free)
            .invariant_drift("energy_balance");
    };
    rows.add("high_speed_rotor, generalized_alpha, spectral radius 1: largest energy change in 10 s over that in 1 s",
             drift(10.0) / drift(1.0), 1.0, {0.15, "an oscillation whose beats are longer than 1 s"},
             "the trapezoidal rule, which spectral radius 1 is, damps nothing");
}

double shoulder_force(Method method, backends::Backend& device) {
    method.integrator = "generalized_alpha";
    return run_mechanism("double_pendulum", method, device, {method.end_s, {"shoulder_force.y"}})
        .observed("shoulder_force.y", method.end_s);
}

void add_reactions(Rows& rows, backends::Backend& device) {
    for (const double step_s : {1e-3, 1e-4}) {
        const auto force = [&](const char* newton) {
            return shoulder_force({.step_s = step_s, .end_s = 0.3, .newton = newton}, device);
        };
        rows.add("double_pendulum, step " + json_number(step_s) + " s, modified Newton: reaction (N) at 0.3 s",
                 force("modified"), force("full"),
                 {1e-2,
                  "its alternation from step to step, which spectral radius 0.9 hardly damps, of round-off of "
                  "positions over the squared step"},
                 "full Newton");
    }
    rows.add("double_pendulum, step 1e-3 s to 1.00001 s: reaction (N) at the end",
             shoulder_force({.step_s = 1e-3, .end_s = 1.00001}, device),
             shoulder_force({.step_s = 1e-3, .end_s = 1.0}, device),
             {5e-2, "what the motion changes in 10 us, below 5 kN/s"}, "the same at 1 s");
}

}  // namespace

std::vector<Row> mechanism_residuals(const Subject& subject) {
    Rows rows("mechanism_residuals");
    add_constraints(rows, subject);
    add_velocities(rows, subject);
    add_energy(rows, subject.device);
    add_reactions(rows, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
