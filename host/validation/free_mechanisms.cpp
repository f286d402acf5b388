// Mechanisms with freedoms against their converged motions, computed independently to about ten digits: by
// generalized-alpha at a step where its error is below a millionth, and by implicit Euler extrapolated to step 0
// (step_limit.hpp).
#include <algorithm>
#include <string_view>

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

std::vector<Known> known_motions() {
    return {
        {"heavy_top",
         2.0,
         1.0,
         {"position"},
         {{1.0, "position.top.x", 0.1733439641},
          {1.0, "position.top.y", 0.6400885921},
          {1.0, "position.top.z", -0.7484907911},
          {2.0, "position.top.x", -0.1504168227},
          {2.0, "position.top.y", -0.7241655916},
          {2.0, "position.top.z", -0.6730222696}},
         3e-10,
         2e-6,
         1e-5,
         5,
         "the top of Holzinger, Arnold, Gerstmayr 2024, Table 3; kynema's heavy_top reference run agrees to 1e-7"},
        {"slider_crank_iftomm",
         5.0,
         0.5,
         {"slider", "crank_angle", "crank_rate"},
         {{0.5, "slider", 0.184952630},
          {0.5, "crank_angle", 5.583762553},
          {0.5, "crank_rate", 14.408160809},
          {1.0, "slider", 0.211721661},
          {1.0, "crank_angle", 10.913590730},
          {1.0, "crank_rate", 10.427593001},
          {2.0, "slider", 0.289085197},
          {2.0, "crank_angle", 21.072744523},
          {2.0, "crank_rate", 22.584240025},
          {3.0, "slider", 0.228484814},
          {3.0, "crank_angle", 32.008327756},
          {3.0, "crank_rate", 5.916170358},
          {4.0, "slider", 0.188230476},
          {4.0, "crank_angle", 43.601753906},
          {4.0, "crank_rate", 9.539454751},
          {5.0, "slider", 0.240719574},
          {5.0, "crank_angle", 54.333332164},
          {5.0, "crank_rate", 11.494996282}},
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
         {{1.0, "position.upper_rod.y", 0.1680725859},
          {1.0, "position.upper_rod.z", -1.9929253889},
          {1.0, "position.lower_rod.y", 1.3129965652},
          {1.0, "position.lower_rod.z", -4.1997698163},
          {3.0, "position.upper_rod.y", -1.2426115323},
          {3.0, "position.upper_rod.z", -1.5671364267},
          {3.0, "position.lower_rod.y", -3.4676757696},
          {3.0, "position.lower_rod.z", -2.9477609706},
          {5.0, "position.upper_rod.y", 1.7865770458},
          {5.0, "position.upper_rod.z", -0.8989674407},
          {5.0, "position.lower_rod.y", 4.5729064360},
          {5.0, "position.lower_rod.z", -1.7756806725}},
         1e-9,
         5e-5,
         1e-4,
         5,
         "the double pendulum of Kissel, Taves, Negrut 2021, with the published code's inertias"},
        {"puma560",
         1.0,
         0.5,
         {"angle_1", "angle_2", "angle_3", "angle_4", "angle_5", "angle_6"},
         {{0.5, "angle_1", -1.046221986},
          {0.5, "angle_2", 0.719196496},
          {0.5, "angle_3", -0.960039701},
          {0.5, "angle_4", 0.784892158},
          {0.5, "angle_5", 0.980537101},
          {0.5, "angle_6", 0.392889476},
          {1.0, "angle_1", -2.094968161},
          {1.0, "angle_2", 1.046731832},
          {1.0, "angle_3", -3.490984653},
          {1.0, "angle_4", 1.571469498},
          {1.0, "angle_5", 1.570708404},
          {1.0, "angle_6", 0.785340332}},
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

void add_generalized_alpha(Rows& rows, const Known& known, backends::Backend& device) {
    const FinishedRun run = run_mechanism(
        known.mechanism, {.integrator = "generalized_alpha", .step_s = known.alpha_step_s, .end_s = known.end_s},
        device, {known.every_s, known.channels});
    for (const Stated& stated : known.values)
        rows.add(std::string(known.mechanism) + ", " + at(stated) + ", generalized_alpha",
                 run.observed(stated.channel, stated.time_s), stated.value,
                 {tolerated(known, stated), "a millionth, above the error of the method at this step"},
                 std::string(integrated) + known.source);
}

void add_implicit_euler(Rows& rows, const Known& known, backends::Backend& device) {
    std::vector<FinishedRun> runs;
    std::vector<double> steps_s;
    for (int i = 0; i < known.euler_runs; ++i) {
        steps_s.push_back(std::ldexp(known.euler_step_s, -i));
        runs.push_back(run_mechanism(known.mechanism,
                                     {.integrator = "implicit_euler", .step_s = steps_s.back(), .end_s = known.end_s},
                                     device, {known.every_s, known.channels}));
    }
    for (const Stated& stated : known.values) {
        std::vector<double> values;
        for (const FinishedRun& run : runs) values.push_back(run.observed(stated.channel, stated.time_s));
        rows.add(std::string(known.mechanism) + ", " + at(stated) + ", implicit_euler extrapolated",
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

}  // namespace

std::vector<Row> free_mechanisms(const Subject& subject) {
    Rows rows("free_mechanisms");
    for (const Known& known : known_motions()) {
        add_generalized_alpha(rows, known, subject.device);
        if (known.clock.empty())
            add_implicit_euler(rows, known, subject.device);
        else
            add_implicit_euler_side_by_side(rows, known, subject.device);
    }
    return rows.take();
}

}  // namespace myriad::validation
