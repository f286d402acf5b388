// What a constrained motion keeps: the constraints to round-off for ten thousand steps, and with them the velocities as
// far as theory says; the energy of a free one where the method does not damp.
#include "host/validation/cases.hpp"
#include "host/validation/mechanism_run.hpp"

namespace myriad::validation {

namespace {

constexpr int steps = 10'000;

struct Subjected {
    const char* mechanism;
    double step_s;
    double size_m;  // the largest length
};
constexpr Subjected subjects[] = {{"heavy_top", 1e-4, 1.0},        {"slider_crank_iftomm", 5e-4, 0.3},
                                  {"double_pendulum", 5e-4, 4.0},  {"puma560", 1e-4, 0.5},
                                  {"pendulum", 3e-4, 4.0},         {"four_link", 3e-4, 12.2},
                                  {"slider_crank_haug", 3e-4, 1.0}};

}  // namespace

std::vector<Row> mechanism_residuals(const Subject& subject) {
    Rows rows("mechanism_residuals");
    for (const Subjected& one : subjects)
        for (const char* integrator : {"implicit_euler", "generalized_alpha"}) {
            const FinishedRun run = run_mechanism(
                one.mechanism, {.integrator = integrator, .step_s = one.step_s, .end_s = steps * one.step_s},
                subject.device);
            const std::string what = std::string(one.mechanism) + ", " + integrator + ", 10,000 steps: ";
            // The last correction is below the tolerance, and the one after it would be the square of that: what is
            // left is the rounding of the residual itself.
            rows.add(what + "largest constraint residual", run.invariant_drift("constraint_residual"), 0.0,
                     {1e-13 * one.size_m + 1e-14, "round-off of a sum of lengths"}, "the constraints");
        }
    return rows.take();
}

}  // namespace myriad::validation
