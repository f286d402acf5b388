// Mechanisms with freedoms against their converged motions, computed independently to about ten digits: by
// generalized-alpha at a step where its error is below a millionth, and by implicit Euler extrapolated to step 0
// (step_limit.hpp).
#include <algorithm>
#include <array>
#include <string_view>

#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/step_limit.hpp"

namespace myriad::validation {

namespace {

struct Stated {
    double time_s;
    const char* channel;
    double value;
};

struct Known {
    const char* mechanism;
    double end_s, every_s;
    std::vector<std::string> channels;
    std::vector<Stated> values;
    double digits;  // of the stated values: how far from the true ones they may be
    double alpha_step_s, euler_step_s;
    int euler_runs;
    const char* source;
    std::vector<ClockNumber> clock = {};  // where given, implicit Euler runs with its steps side by side
};

constexpr double millionth = 1e-6;
constexpr const char* integrated = "independent integration (explicit Runge-Kutta of order 8, tolerance 1e-12) of ";

template <std::size_t count>
std::vector<Stated> stated(const std::array<const char*, count>& channels,
                           std::initializer_list<std::pair<double, Values<count>>> moments) {
    std::vector<Stated> all;
    for (const auto& [time_s, values] : moments)
        for (std::size_t i = 0; i < count; ++i) all.push_back({time_s, channels[i], values[i]});
    return all;
}
constexpr std::array of_top = {"position.top.x", "position.top.y", "position.top.z"};
constexpr std::array of_crank = {"slider", "crank_angle", "crank_rate"};
constexpr std::array of_rods = {"position.upper_rod.y", "position.upper_rod.z", "position.lower_rod.y",
                                "position.lower_rod.z"};
constexpr std::array of_robot = {"angle_1", "angle_2", "angle_3", "angle_4", "angle_5", "angle_6"};

std::vector<Known> known_motions() {
    namespace top = reference_values::heavy_top;
    namespace crank = reference_values::slider_crank_iftomm;
    namespace rods = reference_values::double_pendulum;
    namespace robot = reference_values::puma560;
    return {
        {"heavy_top",
         2.0,
         1.0,
         {"position"},
         stated<3>(of_top, {{1.0, top::position_at_1_s}, {2.0, top::position_at_2_s}}),
         3e-10,
         2e-6,
         1e-5,
         5,
         "the top of Holzinger, Arnold, Gerstmayr 2024, Table 3; kynema's heavy_top reference run agrees to 1e-7"},
        {"slider_crank_iftomm",
         5.0,
         0.5,
         {"slider", "crank_angle", "crank_rate"},
         stated<3>(of_crank, {{0.5, crank::motion_at_0_5_s},
                              {1.0, crank::motion_at_1_s},
                              {2.0, crank::motion_at_2_s},
                              {3.0, crank::motion_at_3_s},
                              {4.0, crank::motion_at_4_s},
                              {5.0, crank::motion_at_5_s}}),
         2e-8,
         1e-5,
         6.25e-6,
         8,
         "the IFToMM slider-crank of Holzinger, Arnold, Gerstmayr 2024, Table 8",
         {{"gravity_m_s2[2]", -9.81, 2}, {"parameters.crank_rate_rad_s", 6.0, 1}}},
        {"double_pendulum",
         5.0,
         1.0,
         {"position"},
         stated<4>(of_rods, {{1.0, rods::rods_at_1_s}, {3.0, rods::rods_at_3_s}, {5.0, rods::rods_at_5_s}}),
         1e-9,
         5e-5,
         1e-4,
         5,
         "the double pendulum of Kissel, Taves, Negrut 2021, with the published code's inertias"},
        {"puma560",
         1.0,
         0.5,
         {"angle_1", "angle_2", "angle_3", "angle_4", "angle_5", "angle_6"},
         stated<6>(of_robot, {{0.5, robot::angles_at_0_5_s}, {1.0, robot::angles_at_1_s}}),
         1e-9,
         2e-5,
         1e-4,
         5,
         "the Puma 560 of the mechanism file, whose gains and profile are assumed"},
    };
}

// The channel's largest value, or 1 m, rad or rad/s.
double scale_of(const Known& known, const Stated& stated) {
    double largest = 1.0;
    for (const Stated& other : known.values)
        if (std::string_view(other.channel) == stated.channel) largest = std::max(largest, std::abs(other.value));
    return largest;
}
double tolerated(const Known& known, const Stated& stated) {
    return millionth * scale_of(known, stated) + known.digits;
}

std::string at(const Stated& stated) {
    return std::string(stated.channel) + " at " + json_number(stated.time_s).substr(0, 3) + " s";
}

constexpr const char* both_coordinates[] = {"body", "joint"};

void add_generalized_alpha(Rows& rows, const Known& known, const char* coordinates, backends::Backend& device) {
    const Method method{.integrator = "generalized_alpha",
                        .step_s = known.alpha_step_s,
                        .end_s = known.end_s,
                        .coordinates = coordinates};
    const FinishedRun run = run_mechanism(known.mechanism, method, device, {known.every_s, known.channels});
    for (const Stated& stated : known.values)
        rows.add(std::string(known.mechanism) + ", " + at(stated) + ", generalized_alpha " + form_of(method),
                 run.observed(stated.channel, stated.time_s), stated.value,
                 {tolerated(known, stated), "a millionth, above the error of the method at this step"},
                 std::string(integrated) + known.source);
}

void add_implicit_euler(Rows& rows, const Known& known, const char* coordinates, backends::Backend& device) {
    std::vector<FinishedRun> runs;
    std::vector<double> steps_s;
    Method method{.integrator = "implicit_euler", .end_s = known.end_s, .coordinates = coordinates};
    // In joint coordinates the error of a fast top is some twenty times as large.
    const int runs_of_form = known.euler_runs + (method.coordinates == "joint" ? 1 : 0);
    for (int i = 0; i < runs_of_form; ++i) {
        steps_s.push_back(method.step_s = std::ldexp(known.euler_step_s, -i));
        runs.push_back(run_mechanism(known.mechanism, method, device, {known.every_s, known.channels}));
    }
    for (const Stated& stated : known.values) {
        std::vector<double> values;
        for (const FinishedRun& run : runs) values.push_back(run.observed(stated.channel, stated.time_s));
        rows.add(
            std::string(known.mechanism) + ", " + at(stated) + ", implicit_euler " + form_of(method) + " extrapolated",
            limit_of(steps_s, values).value, stated.value,
            {tolerated(known, stated), "a millionth, above what the extrapolation leaves"},
            std::string(integrated) + known.source);
    }
}

// Where the motion of large steps soon has little to do with that of step 0: the crank's angle at 5 s is wrong by
// 75,000 times the step, in rad and seconds, and its rate a steep function of it.
void add_implicit_euler_side_by_side(Rows& rows, const Known& known, backends::Backend& device) {
    const StepsSideBySide runs(known.mechanism, known.clock, known.euler_step_s, known.euler_runs, known.end_s,
                               {known.every_s, known.channels}, device);
    double largest_change = 0.0;
    for (const Stated& stated : known.values) {
        const StepLimit limit = runs.limit(stated.channel, stated.time_s);
        const double change = std::abs(limit.change);
        rows.add(std::string(known.mechanism) + ", " + at(stated) + ", implicit_euler extrapolated", limit.value,
                 stated.value, {2.0 * change + known.digits, "twice what the smallest step changed, and the digits"},
                 std::string(integrated) + known.source);
        if (!(change / scale_of(known, stated) <= largest_change)) largest_change = change / scale_of(known, stated);
    }
    rows.add(std::string(known.mechanism) + ", implicit_euler extrapolated: largest change by the smallest step",
             largest_change, 0.0, {10.0 * millionth, "relative to the channel's largest value"},
             "the error of implicit Euler is a power series in the step");
}

// The same motions from the steps h and h/2, without the error of second order.
void add_extrapolated(Rows& rows, const Subject& subject) {
    struct Start {
        const char *mechanism, *chart;
        std::vector<std::string> channels;
        std::vector<Stated> values;
        double step_s;
    };
    namespace crank = reference_values::slider_crank_iftomm;
    namespace rods = reference_values::double_pendulum;
    std::vector<Start> starts = {{"slider_crank_iftomm",
                                  "rotation",
                                  {"slider", "crank_angle", "crank_rate"},
                                  stated<3>(of_crank, {{0.5, crank::motion_at_0_5_s}}),
                                  1e-3}};
    starts.front().values.pop_back();  // the rate, whose error is forty times as large
    // The pendulum starts at the singularity of the Cardan angles.
    for (const char* chart : {"rotation", "euler_parameters", "euler_zxz"})
        if (study::is_built_for_mechanisms(chart) && subject.takes("double_pendulum", "generalized_alpha", chart))
            starts.push_back(
                {"double_pendulum", chart, {"position"}, stated<4>(of_rods, {{1.0, rods::rods_at_1_s}}), 2e-3});
    for (const Start& start : starts) {
        const double end_s = start.values.front().time_s;
        const auto run_with = [&](double step_s) {
            return run_mechanism(
                start.mechanism,
                {.integrator = "generalized_alpha", .step_s = step_s, .end_s = end_s, .chart = start.chart},
                subject.device, {end_s, start.channels});
        };
        const FinishedRun coarse = run_with(start.step_s), fine = run_with(0.5 * start.step_s);
        for (const Stated& stated : start.values) {
            const double a = coarse.observed(stated.channel, end_s), b = fine.observed(stated.channel, end_s);
            rows.add(std::string(start.mechanism) + ", " + at(stated) + ", generalized_alpha on " + start.chart +
                         " extrapolated",
                     (4.0 * b - a) / 3.0, stated.value,
                     {1e-7 * std::max(1.0, std::abs(stated.value)), "the fourth power of the step"},
                     reference_values::double_pendulum::rods_at_1_s.source);
        }
    }
}

// The top's accelerations at the start, and the rate that EXUDYN publishes.
void add_first_steps_of_the_top(Rows& rows, backends::Backend& device) {
    namespace top = reference_values::heavy_top;
    constexpr double end_s = 0.01;
    const auto run_with = [&](double step_s) {
        return run_mechanism("heavy_top", {.integrator = "generalized_alpha", .step_s = step_s, .end_s = end_s}, device,
                             {end_s, {"acceleration", "angular_acceleration"}});
    };
    const FinishedRun coarse = run_with(1e-4), fine = run_with(5e-5);
    const auto add_start = [&](const std::string& channel, const Values<3>& known) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string address = channel + ".top." + "xyz"[i];
            rows.add("heavy_top, " + address + " at 0 s", coarse.observed(address, 0.0), known[i],
                     {1e-9, "ten digits of the value"}, known.source);
        }
    };
    add_start("acceleration", top::start_acceleration);
    add_start("angular_acceleration", top::start_angular_acceleration);
    const double a = world_rate_y(coarse, "top"), b = world_rate_y(fine, "top"), exact = top::omega_y_at_0_01_s;
    rows.add("heavy_top, world omega_y (rad/s) at 0.01 s, generalized_alpha extrapolated", (4.0 * b - a) / 3.0,
             top::omega_y_at_0_01_s, {1e-6, "the fourth power of the step, at 150 rad/s"});
    rows.add("heavy_top, world omega_y at 0.01 s, generalized_alpha: order", std::log2((a - exact) / (b - exact)), 2.0,
             {0.14, "the next term of the error"}, "order of the method");
}

// The published energy, which the method keeps to second order.
void add_energy_of_the_crank(Rows& rows, backends::Backend& device) {
    const auto error = [&](double step_s) {
        const FinishedRun run =
            run_mechanism("slider_crank_iftomm", {.integrator = "generalized_alpha", .step_s = step_s, .end_s = 0.2},
                          device, {0.2, {"energy"}});
        return std::abs(run.observed("energy", 0.2) - reference_values::slider_crank_iftomm::energy);
    };
    const double coarse = error(4e-3), fine = error(1e-3);
    rows.add("slider_crank_iftomm, energy (J) at 0.2 s, step 1e-3 s: distance from the published value", fine, 0.0,
             {1e-4, "a thousandth of what moves to and fro"}, reference_values::slider_crank_iftomm::energy.source);
    rows.add("slider_crank_iftomm, energy at 0.2 s: order", 0.5 * std::log2(coarse / fine), 2.0,
             {0.3, "the next term of the error"}, "order of the method");
}

// The robot to all the digits that its values have.
void add_robot_by_an_explicit_method(Rows& rows, backends::Backend& device) {
    namespace robot = reference_values::puma560;
    const FinishedRun run =
        run_mechanism("puma560", {.integrator = "rk4", .step_s = 1e-4, .end_s = 1.0, .coordinates = "joint"}, device,
                      {0.5, {of_robot.begin(), of_robot.end()}});
    for (const auto& [time_s, angles] : {std::pair{0.5, robot::angles_at_0_5_s}, {1.0, robot::angles_at_1_s}})
        for (std::size_t i = 0; i < of_robot.size(); ++i)
            rows.add("puma560 in joint coordinates, " + std::string(of_robot[i]) + " at " + number_text(time_s) +
                         " s, rk4 step 1e-4",
                     run.observed(of_robot[i], time_s), angles[i], {1e-9, "nine digits of the value"}, angles.source);
}

}  // namespace

std::vector<Row> free_mechanisms(const Subject& subject) {
    Rows rows("free_mechanisms");
    add_first_steps_of_the_top(rows, subject.device);
    add_extrapolated(rows, subject);
    add_energy_of_the_crank(rows, subject.device);
    add_robot_by_an_explicit_method(rows, subject.device);
    // Millions of steps, minutes on the reference path.
    if (subject.is_reference_path()) return rows.take();
    for (const Known& known : known_motions()) {
        for (const char* coordinates : both_coordinates) {
            add_generalized_alpha(rows, known, coordinates, subject.device);
            if (known.clock.empty()) add_implicit_euler(rows, known, coordinates, subject.device);
        }
        if (!known.clock.empty()) add_implicit_euler_side_by_side(rows, known, subject.device);
    }
    return rows.take();
}

}  // namespace myriad::validation
