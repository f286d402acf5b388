// Mechanisms whose drivers leave no freedom against their closed forms (driven_motions.hpp): by kinematics everything
// to round-off, by implicit Euler and generalized-alpha the positions to the Newton tolerance and the velocities to the
// order of the method.
#include <algorithm>
#include <array>
#include <string_view>

#include "host/catalog/system_description.hpp"
#include "host/text/number_text.hpp"
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
constexpr double kinematics_end_s = 3.0, kinematics_row_s = 0.1;

// For the dynamics: a run of 3 s with this step and its half takes the reference path minutes.
struct Span {
    double end_s, step_s;
};
Span span_of(const Subject& subject) {
    return subject.is_reference_path() ? Span{0.4, 1e-2} : Span{kinematics_end_s, 2e-3};
}
constexpr const char* prescribed_motion = "closed form of the prescribed motion";

// The pendulum's axis, body z, lies along world x: there the Cardan angles have no rates.
bool is_singular(const Driven& driven, std::string_view chart) {
    return std::string_view(driven.mechanism) == "pendulum" && chart == "cardan_xyz";
}

struct Distances {
    double position = 0.0, velocity = 0.0, acceleration = 0.0;
};

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

// Every chart that this build has and that the motion keeps away from its singularity, in body coordinates; and joint
// coordinates. The reference path solves for the bodies' positions, whatever the chart.
std::vector<Method> forms_of(const Driven& driven, const char* integrator, const Subject& subject) {
    std::vector<Method> forms;
    for (const char* chart : mechanism_charts) {
        if (is_singular(driven, chart) || !study::is_built_for_mechanisms(chart)) continue;
        if (!subject.takes(driven.mechanism, integrator, chart)) continue;
        if (subject.is_reference_path() && std::string_view(chart) != "rotation") continue;
        forms.push_back({.chart = chart});
    }
    forms.push_back({.coordinates = "joint"});
    return forms;
}

void add_kinematics(Rows& rows, const Driven& driven, const Subject& subject) {
    const Tolerance position{1e-13, "round-off of lengths up to 12 m, in a few dozen equations"};
    // The reference path was seen to stay below 2e-14 m/s and 6e-14 m/s^2.
    const double share = subject.is_reference_path() ? 0.1 : 1.0;
    const Tolerance velocity{share * 1e-12, "round-off in the positions, times rates of some 10 rad/s"};
    const Tolerance acceleration{share * 1e-11, "round-off in the velocities, times rates of some 10 rad/s"};
    for (Method method : forms_of(driven, "kinematics", subject)) {
        method.integrator = "kinematics", method.step_s = 0.01, method.end_s = kinematics_end_s;
        const FinishedRun run = run_mechanism(driven.mechanism, method, subject.device,
                                              everything_of_driven(driven.mechanism, kinematics_row_s));
        const Distances largest = largest_distances(run, driven);
        const std::string what = std::string(driven.mechanism) + ", " + driven.body + ", kinematics " +
                                 form_of(method) + ": largest distance of ";
        rows.add(what + "position (m), 0..3 s", largest.position, 0.0, position, prescribed_motion);
        rows.add(what + "velocity (m/s), 0..3 s", largest.velocity, 0.0, velocity, prescribed_motion);
        rows.add(what + "acceleration (m/s^2), 0..3 s", largest.acceleration, 0.0, acceleration, prescribed_motion);
    }
}

struct Dynamics {
    const char* integrator;
    double order;
};

void add_dynamics(Rows& rows, const Driven& driven, const Dynamics& dynamics, const Subject& subject) {
    const Span whole_span = span_of(subject);
    const std::string until = "0.." + number_text(whole_span.end_s) + " s";
    for (Method method : forms_of(driven, dynamics.integrator, subject)) {
        Span span = whole_span;
        // In joint coordinates the next term of the error is some three times as large.
        if (subject.is_reference_path() && method.coordinates == "joint") span.step_s *= 0.25;
        method.integrator = dynamics.integrator, method.end_s = span.end_s;
        const auto run_with = [&](double step) {
            method.step_s = step;
            return run_mechanism(driven.mechanism, method, subject.device,
                                 everything_of_driven(driven.mechanism, kinematics_row_s));
        };
        const FinishedRun coarse = run_with(span.step_s), fine = run_with(0.5 * span.step_s);
        const Distances whole = largest_distances(fine, driven);
        const Distances error = distances_at(coarse, driven, span.end_s),
                        half_error = distances_at(fine, driven, span.end_s);
        const std::string what = std::string(driven.mechanism) + ", " + driven.body + ", " + dynamics.integrator + " " +
                                 form_of(method) + ": ";
        rows.add(what + "largest distance of position (m), " + until, whole.position, 0.0,
                 {1e-11, "what a last correction below 1e-10 leaves, and round-off"}, prescribed_motion);
        const Tolerance order{0.03, "the next term of the error, of the size of a step times the rates"};
        rows.add(what + "order of the velocity", std::log2(error.velocity / half_error.velocity), dynamics.order, order,
                 "rA paper, sect. 4.4, figs. 5 to 7");
        // An error of second order is soon below the round-off of positions over the squared step.
        if (dynamics.order == 1.0)
            rows.add(what + "order of the acceleration", std::log2(error.acceleration / half_error.acceleration),
                     dynamics.order, order, "rA paper, sect. 4.4, figs. 5 to 7");
    }
}

// The values that others state, for one chart: so that a closed form gone wrong shows.
void add_stated(Rows& rows, backends::Backend& device) {
    namespace rod = reference_values::driven_pendulum;
    namespace four_link = reference_values::four_link;
    namespace crank = reference_values::slider_crank_haug;
    const auto run_of = [&](const char* mechanism, const std::vector<std::string>& channels) {
        return run_mechanism(mechanism, {.integrator = "kinematics", .step_s = 0.01, .end_s = kinematics_end_s}, device,
                             {0.05, channels});
    };
    const FinishedRun pendulum = run_of("pendulum", {"position", "velocity", "acceleration"}),
                      bars = run_of("four_link", {"position", "velocity", "acceleration"}),
                      slider_crank = run_of("slider_crank_haug", {"position", "velocity", "acceleration"});
    const auto add = [&](const FinishedRun& run, const char* mechanism, const std::string& address, double time_s,
                         const Values<3>& stated, std::size_t i) {
        rows.add(std::string(mechanism) + ", " + address + " at " + number_text(time_s) + " s, kinematics",
                 run.observed(address, time_s), stated[i],
                 {stated.half_unit() + 1e-11, "rounding of the stated value, and round-off"}, stated.source);
    };
    struct Stated {
        const FinishedRun& run;
        const char *mechanism, *channel;
        double time_s;
        const Values<3>& value;
    };
    for (const Stated& stated :
         {Stated{pendulum, "pendulum", "acceleration.rod", 0.0, rod::start_acceleration},
          Stated{pendulum, "pendulum", "position.rod", kinematics_end_s, rod::position_at_3_s},
          Stated{pendulum, "pendulum", "velocity.rod", kinematics_end_s, rod::velocity_at_3_s},
          Stated{pendulum, "pendulum", "acceleration.rod", kinematics_end_s, rod::acceleration_at_3_s},
          Stated{bars, "four_link", "position.coupler", 0.0, four_link::coupler_start_position},
          Stated{bars, "four_link", "velocity.coupler", 0.0, four_link::coupler_start_velocity},
          Stated{bars, "four_link", "position.rocker", 0.0, four_link::rocker_start_position},
          Stated{bars, "four_link", "velocity.rocker", 0.0, four_link::rocker_start_velocity},
          Stated{bars, "four_link", "acceleration.rocker", 0.0, four_link::rocker_start_acceleration},
          Stated{bars, "four_link", "position.rocker", kinematics_end_s, four_link::rocker_position_at_3_s},
          Stated{bars, "four_link", "velocity.rocker", kinematics_end_s, four_link::rocker_velocity_at_3_s},
          Stated{bars, "four_link", "acceleration.rocker", kinematics_end_s, four_link::rocker_acceleration_at_3_s}})
        for (std::size_t i = 0; i < 3; ++i)
            add(stated.run, stated.mechanism, stated.channel + std::string(".") + "xyz"[i], stated.time_s, stated.value,
                i);
    for (const auto& [time_s, slider] : {std::pair{0.0, crank::slider_at_0_s},
                                         {0.25, crank::slider_at_0_25_s},
                                         {0.5, crank::slider_at_0_5_s},
                                         {0.75, crank::slider_at_0_75_s},
                                         {kinematics_end_s, crank::slider_at_0_s}})
        for (std::size_t i = 0; const char* channel : {"position", "velocity", "acceleration"})
            add(slider_crank, "slider_crank_haug", channel + std::string(".slider.x"), time_s, slider, i++);
}

void add_multiplier(Rows& rows, backends::Backend& device) {
    const FinishedRun run =
        run_mechanism("pendulum", {.integrator = "kinematics", .step_s = 0.01, .end_s = kinematics_end_s}, device,
                      {kinematics_row_s, {"multiplier.swing"}});
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
        add_kinematics(rows, driven, subject);
        for (const Dynamics& dynamics : {Dynamics{"implicit_euler", 1.0}, Dynamics{"generalized_alpha", 2.0}})
            add_dynamics(rows, driven, dynamics, subject);
    }
    return rows.take();
}

}  // namespace myriad::validation
