// The energy of a free motion by a method that does not damp, and reactions, which do not depend on how the equations
// of a step are solved, nor on a span that is no multiple of the step.
#include "host/catalog/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

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
        if (!study::is_built("rotation_vector")) break;
        const auto force = [&](const char* newton) {
            return shoulder_force({.step_s = step_s, .end_s = 0.3, .chart = "rotation_vector", .newton = newton},
                                  device);
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

std::vector<Row> energy_and_reactions(const Subject& subject) {
    Rows rows("energy_and_reactions");
    add_energy(rows, subject.device);
    add_reactions(rows, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
