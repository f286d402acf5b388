// Mechanisms whose drivers leave no freedom against their closed forms (driven_motions.hpp): by kinematics everything
// to round-off, by implicit Euler the positions to the Newton tolerance and the velocities and accelerations to first
// order.
#include <algorithm>
#include <array>
#include <string_view>

#include "host/catalog/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/driven_motions.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

struct Driven {
    const char *mechanism, *body;
    PointMotion (*motion)(double);
};
constexpr Driven driven_bodies[] = {{"pendulum", "rod", pendulum_rod},
                                    {"four_link", "coupler", four_link_coupler},
                                    {"four_link", "rocker", four_link_rocker},
                                    {"slider_crank_haug", "rod", slider_crank_rod},
                                    {"slider_crank_haug", "slider", slider_crank_slider}};
constexpr const char* charts[] = {"rotation", "euler_parameters", "euler_zxz", "cardan_xyz"};
constexpr double end_s = 3.0, row_s = 0.1;
constexpr const char* closed_form = "closed form of the prescribed motion";

// The pendulum's axis, body z, lies along world x: there the Cardan angles have no rates.
bool is_singular(const Driven& driven, std::string_view chart) {
    return std::string_view(driven.mechanism) == "pendulum" && chart == "cardan_xyz";
}

struct Distances {
    double position = 0.0, velocity = 0.0, acceleration = 0.0;
};

// std::max(a, NaN) is a: a run that failed must not look like a perfect one.
void enlarge(double& largest, double value) {
    if (!(value <= largest)) largest = value;
}

double distance(const FinishedRun& run, const std::string& channel, const char* body, double time_s,
                const std::array<double, 3>& expected) {
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double difference = run.observed(channel + "." + body + "." + "xyz"[i], time_s) - expected[i];
        square += difference * difference;
    }
    return std::sqrt(square);
}

Distances distances_at(const FinishedRun& run, const Driven& driven, double time_s) {
    const PointMotion expected = driven.motion(time_s);
    return {distance(run, "position", driven.body, time_s, expected.position_m),
            distance(run, "velocity", driven.body, time_s, expected.velocity_m_s),
            distance(run, "acceleration", driven.body, time_s, expected.acceleration_m_s2)};
}

Distances largest_distances(const FinishedRun& run, const Driven& driven) {
    Distances largest;
    for (const double t : run.study.observation_times_s()) {
        const Distances here = distances_at(run, driven, t);
        enlarge(largest.position, here.position);
        enlarge(largest.velocity, here.velocity);
        enlarge(largest.acceleration, here.acceleration);
    }
    return largest;
}

Observed everything_of(const Driven& driven) {
    const std::string body = driven.body;
    return {row_s, {"position." + body, "velocity." + body, "acceleration." + body}};
}

void add_kinematics(Rows& rows, const Driven& driven, backends::Backend& device) {
    const Tolerance position{1e-13, "round-off of lengths up to 12 m, in a few dozen equations"};
    const Tolerance velocity{1e-12, "round-off in the positions, times rates of some 10 rad/s"};
    const Tolerance acceleration{1e-11, "round-off in the velocities, times rates of some 10 rad/s"};
    for (const char* chart : charts) {
        if (is_singular(driven, chart) || !study::is_built(chart)) continue;
        const FinishedRun run = run_mechanism(
            driven.mechanism, {.integrator = "kinematics", .step_s = 0.01, .end_s = end_s, .chart = chart}, device,
            everything_of(driven));
        const Distances largest = largest_distances(run, driven);
        const std::string what =
            std::string(driven.mechanism) + ", " + driven.body + ", kinematics on " + chart + ": largest distance of ";
        rows.add(what + "position (m), 0..3 s", largest.position, 0.0, position, closed_form);
        rows.add(what + "velocity (m/s), 0..3 s", largest.velocity, 0.0, velocity, closed_form);
        rows.add(what + "acceleration (m/s^2), 0..3 s", largest.acceleration, 0.0, acceleration, closed_form);
    }
}

void add_implicit_euler(Rows& rows, const Driven& driven, backends::Backend& device) {
    const double step_s = 2e-3;
    for (const char* chart : charts) {
        if (is_singular(driven, chart) || !study::is_built(chart)) continue;
        const auto run_with = [&](double step) {
            return run_mechanism(driven.mechanism,
                                 {.integrator = "implicit_euler", .step_s = step, .end_s = end_s, .chart = chart},
                                 device, everything_of(driven));
        };
        const FinishedRun coarse = run_with(step_s), fine = run_with(0.5 * step_s);
        const Distances whole = largest_distances(fine, driven);
        const Distances error = distances_at(coarse, driven, end_s), half_error = distances_at(fine, driven, end_s);
        const std::string what =
            std::string(driven.mechanism) + ", " + driven.body + ", implicit_euler on " + chart + ": ";
        rows.add(what + "largest distance of position (m), 0..3 s", whole.position, 0.0,
                 {1e-11, "what a last correction below 1e-10 leaves, and round-off"}, closed_form);
        const Tolerance order{0.03, "the next term of the error, of the size of a step times the rates"};
        rows.add(what + "order of the velocity", std::log2(error.velocity / half_error.velocity), 1.0, order,
                 "rA paper, sect. 4.4, figs. 5 to 7");
        rows.add(what + "order of the acceleration", std::log2(error.acceleration / half_error.acceleration), 1.0,
                 order, "rA paper, sect. 4.4, figs. 5 to 7");
    }
}

// The values that others state, for one chart: so that a closed form gone wrong shows.
void add_stated(Rows& rows, backends::Backend& device) {
    struct Stated {
        const char *mechanism, *body, *channel, *component;
        double value;
        int decimals;
    };
    const Method method{.integrator = "kinematics", .step_s = 0.01, .end_s = end_s};
    for (const Stated& stated : {Stated{"pendulum", "rod", "position", "y", 1.3692891883, 10},
                                 Stated{"pendulum", "rod", "position", "z", -1.4577541353, 10},
                                 Stated{"pendulum", "rod", "velocity", "y", 0.6398153429, 10},
                                 Stated{"pendulum", "rod", "velocity", "z", 0.6009876496, 10},
                                 Stated{"pendulum", "rod", "acceleration", "y", -4.6610391386, 10},
                                 Stated{"pendulum", "rod", "acceleration", "z", -3.8495933811, 10},
                                 Stated{"four_link", "rocker", "position", "x", -2.4374422811, 10},
                                 Stated{"four_link", "rocker", "position", "z", 3.3538654378, 10},
                                 Stated{"four_link", "rocker", "velocity", "x", 5.4145674997, 10},
                                 Stated{"four_link", "rocker", "velocity", "z", -2.5226337783, 10},
                                 Stated{"four_link", "rocker", "acceleration", "x", -17.7380282275, 10},
                                 Stated{"four_link", "rocker", "acceleration", "z", -2.3747313692, 10},
                                 Stated{"slider_crank_haug", "slider", "position", "x", 0.2, 12},
                                 Stated{"slider_crank_haug", "slider", "velocity", "x", -0.251327412287, 12},
                                 Stated{"slider_crank_haug", "slider", "acceleration", "x", 1.579136704174, 12}}) {
        const FinishedRun run =
            run_mechanism(stated.mechanism, method, device, {row_s, {std::string(stated.channel) + "." + stated.body}});
        const std::string address = std::string(stated.channel) + "." + stated.body + "." + stated.component;
        rows.add(std::string(stated.mechanism) + ", " + address + " at 3 s, kinematics", run.observed(address, end_s),
                 stated.value, {half_unit(stated.decimals) + 1e-11, "rounding of the stated value, and round-off"},
                 "derived from the published geometry (Kissel, Taves, Negrut 2021; Haug 1989, ch. 10)");
    }
}

void add_multiplier(Rows& rows, backends::Backend& device) {
    const FinishedRun run = run_mechanism("pendulum", {.integrator = "kinematics", .step_s = 0.01, .end_s = end_s},
                                          device, {row_s, {"multiplier.swing"}});
    double largest = 0.0, size = 0.0;
    for (const double t : run.study.observation_times_s()) {
        enlarge(largest,
                std::abs(run.observed(run.study.observation.groups[0].addresses[0], t) - pendulum_multiplier(t)));
        enlarge(size, std::abs(pendulum_multiplier(t)));
    }
    rows.add("pendulum, driver's multiplier, kinematics: largest relative distance, 0..3 s", largest / size, 0.0,
             {1e-11, "round-off, times the condition of the matrix"}, "the rod's equation about its hinge");
}

}  // namespace

std::vector<Row> driven_mechanisms(const Subject& subject) {
    Rows rows("driven_mechanisms");
    add_stated(rows, subject.device);
    add_multiplier(rows, subject.device);
    for (const Driven& driven : driven_bodies) {
        add_kinematics(rows, driven, subject.device);
        add_implicit_euler(rows, driven, subject.device);
    }
    return rows.take();
}

}  // namespace myriad::validation
