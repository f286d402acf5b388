// The free rotation of livens sect. 5.3 (the defaults of the system) against an independent integration and what the
// motion keeps: the energy 2500 J and the angular momentum (60, 160, 60) kg m^2/s.
#include <algorithm>

#include "host/validation/cases.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

constexpr const char* exact = "exact, from the initial state";

struct Moment {
    double time_s;
    const char* text;
    const Values<4>& orientation;
};

void add_orientation(Rows& rows, const FinishedRun& run, const Moment& moment, const Tolerance& tolerance) {
    const std::string components = "wxyz";
    double ours[4], agreement = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        ours[i] = run.observed(std::string("orientation.body.") + components[i], moment.time_s);
        agreement += ours[i] * moment.orientation[i];
    }
    const double sign = agreement < 0.0 ? -1.0 : 1.0;  // the two quaternions of a rotation are equally good
    for (std::size_t i = 0; i < 4; ++i)
        rows.add(std::string("orientation.") + components[i] + " at " + moment.text, sign * ours[i],
                 moment.orientation[i], tolerance, moment.orientation.source);
}

void add_rate(Rows& rows, const FinishedRun& run, double time_s, const char* text, const Values<3>& expected,
              const Tolerance& tolerance) {
    const std::string components = "xyz";
    for (std::size_t i = 0; i < 3; ++i)
        rows.add(std::string("angular_velocity.") + components[i] + " (rad/s) at " + text,
                 run.observed(std::string("angular_velocity.body.") + components[i], time_s), expected[i], tolerance,
                 expected.source);
}

}  // namespace

std::vector<Row> free_rotation(const Subject& subject) {
    namespace known = reference_values::free_rotation;
    const FinishedRun run = run_text(R"({"system": "free_rigid_body", "instances": 1,
        "integrator": {"name": "rk67", "end_s": 10.0, "step_s": 5e-4},
        "observe": {"every_s": 0.05, "channels": ["orientation", "angular_velocity"]}})",
                                     subject.device);
    Rows rows("free_rotation");
    const Tolerance tenth{3e-10, "the independent integration: a few units of its tenth decimal"};
    for (const Moment& moment :
         {Moment{0.45, "0.45 s", known::orientation_at_0_45_s}, Moment{2.0, "2 s", known::orientation_at_2_s},
          Moment{10.0, "10 s", known::orientation_at_10_s}})
        add_orientation(rows, run, moment, tenth);
    const double fastest_rad_s = 30.0;
    add_rate(rows, run, 2.0, "2 s", known::angular_velocity_at_2_s,
             {fastest_rad_s * tenth.value, "the same for rates up to 30 rad/s"});
    add_rate(rows, run, 10.0, "10 s", known::angular_velocity_at_10_s,
             {known::angular_velocity_at_10_s.half_unit() + fastest_rad_s * tenth.value,
              "rounding of the stated value, and the same"});

    const double steps = 2e4;
    const auto invariant = [&](const std::string& name, const char* unit, double expected) {
        rows.add(name + " (" + unit + ") at 0 s", run.invariant_initial(name), expected,
                 {round_off(1.0, expected), "round-off"}, exact);
        rows.add(name + ": largest relative drift, 0..10 s", run.invariant_drift(name) / expected, 0.0,
                 {round_off(steps, 1.0), "round-off of 20,000 steps; the method's error is smaller"}, exact);
    };
    invariant("energy", "J", 2500.0);
    invariant("angular_momentum.x", "kg m^2/s", 60.0);
    invariant("angular_momentum.y", "kg m^2/s", 160.0);
    invariant("angular_momentum.z", "kg m^2/s", 60.0);
    return rows.take();
}

}  // namespace myriad::validation
