// Every mechanism of the catalog with contacts on one backend and on the reference path, which solves contact problems
// in another way and shares no code with the kernels: position, velocity and orientation of every body, every gap,
// force and impulse, and the record of losses at every step, through its impacts, by every method for contact.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "host/backends/backends.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/study/study_mechanism.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

struct ContactTwin {
    const char* mechanism;
    double step_s;
    int steps;  // through impacts, or through the change from sliding to sticking
};
constexpr ContactTwin examples[] = {{"bouncing_ball", 1e-3, 500},     {"bouncing_sphere", 1e-3, 1000},
                                    {"box_on_incline", 1e-3, 300},    {"rolling_sphere", 1e-3, 500},
                                    {"pendulum_wall", 1e-3, 700},     {"sphere_cradle", 1e-3, 600},
                                    {"slider_crank_slot", 1e-5, 400}, {"scotch_yoke", 2e-5, 250},
                                    {"sliding_block", 1e-3, 200},     {"rolling_disc", 1e-3, 500}};

constexpr double newton_tolerance_of_contact = 1e-12;
constexpr const char* loads[] = {"contact_force", "contact_impulse",      "friction_loss", "impact_loss",
                                 "wear_work",     "energy_balance_error", "largest_force", "largest_impulse"};
constexpr double allowed_of_loads = 1e-7;
constexpr const char* why_of_loads =
    "the last correction leaves 1e-2 of itself, 1e-14 of a length, by the square of the step";
constexpr const char* why =
    "Newton's tolerance, of a length, by the step: joints keep velocities no better, and contact problems are solved "
    "to that; four of them add up";

FinishedRun run(const ContactTwin& example, const study::IntegratorDescription& method, backends::Backend& backend) {
    const auto mechanism = mechanism::parse_mechanism(mechanism_text(example.mechanism), example.mechanism);
    Observed observed{example.step_s, {"impacts"}};
    observed.channels.insert(observed.channels.end(), std::begin(loads), std::end(loads));
    for (const char* channel : {"position", "orientation", "velocity", "angular_velocity"})
        for (const std::string& body : mechanism->body_names) observed.channels.push_back(channel + ("." + body));
    for (const std::string& contact : mechanism->contact_names) observed.channels.push_back("gap." + contact);
    Method keys{.integrator = method.name, .step_s = example.step_s, .end_s = example.steps * example.step_s};
    if (method.implicit) keys.newton_tolerance = newton_tolerance_of_contact;
    return run_mechanism(example.mechanism, keys, backend, observed);
}

// Over the largest value of the kind, but at least 1; quaternions up to their sign. NaN where a run ended otherwise.
double largest_difference_of_trajectories(const FinishedRun& ours, const FinishedRun& theirs, bool of_loads) {
    if (!ours.ok() || !theirs.ok()) return std::numeric_limits<double>::quiet_NaN();
    double largest = 0.0;
    std::size_t column = 0, columns = 0;
    for (const study::ChannelGroup& group : ours.study.observation.groups) columns += group.channels.size();
    const std::size_t rows = ours.chunk.trajectory.size() / columns;
    for (const study::ChannelGroup& group : ours.study.observation.groups) {
        const std::size_t first = column;
        column += group.channels.size();
        const bool is_load = std::ranges::find(loads, group.address) != std::end(loads);
        if (group.address == "impacts" || is_load != of_loads) continue;
        double size = 1.0, difference = 0.0;
        for (std::size_t row = 0; row < rows; ++row) {
            const double *a = &ours.chunk.trajectory[row * columns], *b = &theirs.chunk.trajectory[row * columns];
            double along = 1.0;
            if (group.address.starts_with("orientation")) {
                along = 0.0;
                for (std::size_t i = first; i < column; ++i) along += a[i] * b[i];
            }
            for (std::size_t i = first; i < column; ++i) {
                size = std::max(size, std::abs(a[i]));
                const double one = std::abs(a[i] - (along < 0.0 ? -b[i] : b[i]));
                if (!(one <= difference)) difference = one;
            }
        }
        if (!(difference / size <= largest)) largest = difference / size;
    }
    return largest;
}

}  // namespace

std::vector<Row> contact_mechanism_twins(const Subject& subject) {
    const std::string other = backends::twin_of(subject.backend);
    const auto twin = backends::make_backend(other, {});
    Rows rows("contact_mechanism_twins");
    for (const ContactTwin& example : examples)
        for (const study::IntegratorDescription& method : study::integrators_of_mechanisms(true)) {
            if (!subject.takes(example.mechanism, method.name)) continue;
            const FinishedRun ours = run(example, method, subject.device), theirs = run(example, method, *twin);
            const std::string what = std::string(example.mechanism) + ", " + method.name + ": ";
            rows.add(what + "largest difference of a channel of " + std::to_string(example.steps) + " steps",
                     largest_difference_of_trajectories(ours, theirs, false), 0.0,
                     {4.0 * newton_tolerance_of_contact / example.step_s, why}, other + " backend");
            rows.add(what + "largest difference of a force, impulse or loss",
                     largest_difference_of_trajectories(ours, theirs, true), 0.0, {allowed_of_loads, why_of_loads},
                     other + " backend");
            rows.add(what + "impacts", ours.observed("impacts", ours.study.end_s),
                     theirs.observed("impacts", theirs.study.end_s), {0.0, "a count"}, other + " backend");
        }
    return rows.take();
}

}  // namespace myriad::validation
