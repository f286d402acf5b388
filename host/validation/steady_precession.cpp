// A top in steady precession against its closed form (precessing_top.hpp), and the spin rate of its parameters against
// the published one.
#include <algorithm>
#include <array>

#include "host/validation/cases.hpp"
#include "host/validation/runs/finished_run.hpp"
#include "host/validation/runs/precessing_top.hpp"

namespace myriad::validation {

namespace {

constexpr double precession_end_s = 2.0, precession_step_s = 1e-4, precession_row_s = 0.02;

double spin() { return precessing_top_spin_rad_s(); }

std::array<double, 3> position(double time_s) { return precessing_top_position(time_s); }

// The product of the quaternions of the three rotations.
std::array<double, 4> orientation(double time_s) {
    constexpr double theta = precessing_top_nutation_rad, precession = precessing_top_precession_rad_s;
    const double sum = 0.5 * (precession + spin()) * time_s, difference = 0.5 * (precession - spin()) * time_s;
    return {std::cos(0.5 * theta) * std::cos(sum), std::sin(0.5 * theta) * std::cos(difference),
            std::sin(0.5 * theta) * std::sin(difference), std::cos(0.5 * theta) * std::sin(sum)};
}

std::string precession_study() {
    return R"({"system": "heavy_top", "instances": 1, "integrator": {"name": "rk67", "end_s": )" +
           json_number(precession_end_s) + R"(, "step_s": )" + json_number(precession_step_s) +
           R"(}, "observe": {"every_s": )" + json_number(precession_row_s) +
           R"(, "channels": ["position", "orientation", "angular_velocity", "tilt"]}, "parameters": {)" +
           precessing_top_parameters() + "}}";
}

struct TopDistances {
    double position = 0.0, orientation = 0.0, tilt = 0.0, spin = 0.0;
};

template <std::size_t size>
double distance(const std::array<double, size>& a, const std::array<double, size>& b) {
    double minus = 0.0, plus = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return std::sqrt(size == 4 ? std::min(minus, plus) : minus);  // the two quaternions of a rotation are equally good
}

TopDistances largest_distances(const FinishedRun& run) {
    TopDistances largest;
    for (const double t : run.study.observation_times_s()) {
        const auto seen = [&](const char* address) { return run.observed(address, t); };
        enlarge(largest.position,
                distance<3>({seen("position.top.x"), seen("position.top.y"), seen("position.top.z")}, position(t)));
        enlarge(largest.orientation, distance<4>({seen("orientation.top.w"), seen("orientation.top.x"),
                                                  seen("orientation.top.y"), seen("orientation.top.z")},
                                                 orientation(t)));
        enlarge(largest.tilt, std::abs(seen("tilt") - precessing_top_nutation_rad));
        enlarge(largest.spin,
                std::abs(seen("angular_velocity.top.z") -
                         (precessing_top_precession_rad_s * std::cos(precessing_top_nutation_rad) + spin())));
    }
    return largest;
}

}  // namespace

std::vector<Row> steady_precession(const Subject& subject) {
    constexpr const char* solution = "Kinon, Betsch 2024, eqs. 118 and 120";
    constexpr const char* table = "Kinon, Betsch 2024, Table 4 and the formulas behind it";
    const FinishedRun run = run_text(precession_study(), subject.device);
    const double steps = precession_end_s / precession_step_s,
                 fastest_rad_s = precessing_top_precession_rad_s * std::cos(precessing_top_nutation_rad) + spin();
    Rows rows("steady_precession");
    constexpr double l = precessing_top_arm_m, mass = precessing_top_mass_kg;
    constexpr double about_centre = precessing_top_inertia_kg_m2;
    // A changed transverse rate makes the axis nutate at J3 (sigma + Omega cos theta) / J1 = 16.5 rad/s.
    const double nutation_rad_s = about_centre / (about_centre + mass * l * l) * fastest_rad_s;
    const Tolerance angle{
        round_off(steps, fastest_rad_s) / nutation_rad_s,
        "round-off of 20,000 steps in the rates, which the axis follows at the nutation's 16.5 rad/s"};
    const Tolerance orbit{angle.value * l, "the same on the arm of 0.075 m"};
    const Tolerance drift{round_off(steps, 1.0), "round-off of 20,000 steps, relative; the method's error is smaller"};

    rows.add("spin rate (rad/s) of eq. 118 from the parameters", spin(), 135.6, {1e-9, "given with all its digits"},
             table);
    const char* const components[] = {"position.top.x", "position.top.y", "position.top.z"};
    namespace known = reference_values::precessing_top;
    for (std::size_t i = 0; i < 3; ++i)
        rows.add(
            std::string(components[i]) + " (m) at 0.1 s", run.observed(components[i], 0.1), known::position_at_0_1_s[i],
            {known::position_at_0_1_s.half_unit() + orbit.value, "rounding of the stated value and round-off"}, table);
    for (std::size_t i = 0; i < 3; ++i)
        rows.add(std::string(components[i]) + " (m) at 2 s", run.observed(components[i], 2.0), position(2.0)[i], orbit,
                 solution);
    const TopDistances largest = largest_distances(run);
    rows.add("centre of mass: largest distance (m) from the orbit, 0..2 s", largest.position, 0.0, orbit, solution);
    rows.add("orientation: largest quaternion distance, 0..2 s", largest.orientation, 0.0,
             {round_off(steps, fastest_rad_s) * precession_end_s, "round-off of 20,000 steps in the spin, for 2 s"},
             solution);
    rows.add("tilt: largest distance (rad) from pi/3, 0..2 s", largest.tilt, 0.0, angle, solution);
    rows.add("spin: largest distance (rad/s) from 140.6, 0..2 s", largest.spin, 0.0,
             {drift.value * fastest_rad_s, drift.reason}, solution);
    const double energy = run.invariant_initial("energy"), momentum = run.invariant_initial("angular_momentum.z");
    rows.add("energy (J)", energy, known::energy, {2.0 * known::energy.half_unit(), "rounding of the stated value"});
    rows.add("angular_momentum.z (kg m^2/s)", momentum, known::vertical_momentum,
             {2.0 * known::vertical_momentum.half_unit(), "rounding of the stated value"});
    rows.add("energy: largest relative drift, 0..2 s", run.invariant_drift("energy") / energy, 0.0, drift, solution);
    rows.add("angular_momentum.z: largest relative drift, 0..2 s", run.invariant_drift("angular_momentum.z") / momentum,
             0.0, drift, solution);
    return rows.take();
}

}  // namespace myriad::validation
