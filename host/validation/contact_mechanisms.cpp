// Mechanisms with contacts whose motion is known in closed form: bounces, stick and slip on an incline, from sliding to
// rolling, exchange of momentum, a pendulum against a wall, a pin in a slot. Whole runs, from the mechanism file to
// observed channels.
//
// A method of timestepping takes an impact at the end of the step in which its gap closes (Moreau's rule in the middle
// of that or of the next one), so up to a step late, and keeps everything else. Tolerances follow from that and from
// the step.
#include <algorithm>
#include <array>
#include <tuple>

#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

constexpr double gravity = 9.81, pi = 3.14159265358979323846;
constexpr double step_s = 1e-4;
constexpr const char* late = "an impact is up to a step late, and each bounce carries that on";
constexpr const char* to_solver =
    "constant accelerations are exact: what the contact problems and Newton's method leave";
constexpr double solver_error = 1e-8;

struct Scheme {
    std::string name;
    double swing;  // error of a pendulum's rate over a swing, rad/s
    const char* of_swing;
    bool second_order;  // with joints
    double spectral_radius = -1.0;
};

struct ContactExample {
    std::string mechanism;  // of a study: "mechanism": {...}
    std::string parameters;
    double end_s, every_s;
    std::vector<std::string> channels;
};

FinishedRun run(const ContactExample& example, const Scheme& scheme, backends::Backend& device) {
    return run_text(study_text(example.mechanism,
                               {.integrator = scheme.name,
                                .step_s = step_s,
                                .end_s = example.end_s,
                                .spectral_radius = scheme.spectral_radius},
                               {example.every_s, example.channels},
                               example.parameters.empty() ? "" : "{" + example.parameters + "}"),
                    device);
}
std::string parameter(const std::string& address, double value) { return '"' + address + "\": " + json_number(value); }

// Times are known up to a step that ends after them.
void add_time(Rows& rows, const std::string& what, double ours, double exact) {
    rows.add(what, ours, exact + 0.5 * step_s, {0.501 * step_s, "it lies within the step that ends at this time"},
             closed_form);
}

void add_bounces(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double e = 0.5, height = 1.0, radius = 0.05, mass = 1.0;
    const double fall = std::sqrt(2.0 * height / gravity), speed = gravity * fall;
    const FinishedRun bounces =
        run({mechanism_subject("bouncing_sphere"),
             "",
             2.0,
             0.1,
             {"position.ball.z", "first_contact_time", "impacts", "impact_loss", "contact_force.floor.normal"}},
            scheme, device);
    const std::string what = "bouncing_sphere, " + scheme.name + ": ";
    add_time(rows, what + "first contact (s)", bounces.observed("first_contact_time", 2.0), fall);
    // Late by a step, the ball leaves from that much deeper and with as much more speed: its flight is up to (1/e + 2
    // e) steps off, and what follows with it.
    const double shift = (1.0 + 1.0 / e + 2.0 * e) * step_s;
    double begin = fall, leaving = e * speed;
    int count = 1;
    for (const double t : {0.6, 1.0, 1.2}) {
        while (begin + 2.0 * leaving / gravity < t) begin += 2.0 * leaving / gravity, leaving *= e, ++count;
        const double s = t - begin;
        const std::string when = " at " + number_text(t) + " s";
        rows.add(what + "height of the centre (m)" + when, bounces.observed("position.ball.z", t),
                 radius + leaving * s - 0.5 * gravity * s * s, {count * shift * leaving, late}, closed_form);
        rows.add(what + "impacts" + when, bounces.observed("impacts", t), count, {0.0, "a count"}, closed_form);
    }
    // It rests from fall (1 + e) / (1 - e) = 1.35 s on; the last bounces are shorter than a step.
    rows.add(what + "height at rest (m)", bounces.observed("position.ball.z", 2.0), radius,
             {2.0 / e * gravity * step_s * step_s, "a step with the speed of the last bounce, gravity times a step"},
             closed_form);
    rows.add(what + "force at rest (N)", bounces.observed("contact_force.floor.normal", 2.0), mass * gravity,
             {solver_error * mass * gravity, to_solver}, closed_form);
    rows.add(what + "loss of all impacts (J)", bounces.observed("impact_loss", 2.0), mass * gravity * height,
             {mass * speed * gravity * step_s, "the first impact's speed of up to a step later"}, closed_form);
}

void add_incline(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double incline = 0.4, end_s = 1.0;
    const double down = gravity * std::sin(incline), pressing = gravity * std::cos(incline);
    const auto slid = [&](double friction, double speed) {
        const FinishedRun box =
            run({mechanism_subject("box_on_incline"),
                 parameter("contacts.slope.friction", friction) + ", " + parameter("parameters.speed_m_s", speed),
                 end_s,
                 0.1,
                 {"position.box"}},
                scheme, device);
        const auto travelled = [&](const char* channel) {
            return box.observed(channel, end_s) - box.observed(channel, 0.0);
        };
        return travelled("position.box.x") * std::cos(incline) - travelled("position.box.z") * std::sin(incline);
    };
    const std::string what = "box_on_incline, " + scheme.name + ": way down the slope (m) after 1 s, ";
    rows.add(what + "friction above tan(incline)", slid(0.5, 0.0), 0.0, {solver_error, to_solver}, closed_form);
    const double slides = 0.5 * (down - 0.3 * pressing) * end_s * end_s;
    rows.add(what + "friction below tan(incline)", slid(0.3, 0.0), slides, {solver_error, to_solver}, closed_form);
    const double uphill = -0.5 * 1.0 / (down + 0.5 * pressing);
    rows.add(what + "thrown uphill, then stuck", slid(0.5, -1.0), uphill,
             {(down + 0.5 * pressing) * step_s * step_s, "the step in which it stops"}, closed_form);
}

void add_rolling(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double friction = 0.2, radius = 0.1, end_s = 0.5;
    // Sliding: v' = -friction g s, s the direction of the slip u, which does not turn; u' = 7/2 v'.
    const std::array<double, 2> v = {1.0, 0.3};
    const std::array<double, 3> w = {3.0, -2.0, 1.5};
    const std::array<double, 2> u = {v[0] - radius * w[1], v[1] + radius * w[0]};
    const double slip = std::hypot(u[0], u[1]), rolls_s = 2.0 * slip / (7.0 * friction * gravity);
    const FinishedRun ball =
        run({mechanism_subject("rolling_sphere"),
             parameter("bodies.ball.velocity_m_s[0]", v[0]) + ", " + parameter("bodies.ball.velocity_m_s[1]", v[1]) +
                 R"(, "bodies.ball.angular_velocity_rad_s": [3, -2, 1.5])",
             end_s,
             0.1,
             {"position.ball", "velocity.ball", "contact_velocity.floor", "friction_loss"}},
            scheme, device);
    const std::string what = "rolling_sphere, " + scheme.name + ": ";
    constexpr double turned = (7.0 * step_s) * (7.0 * step_s);
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string axis(1, "xy"[k]);
        const double rolling = v[k] - 2.0 / 7.0 * u[k];
        rows.add(what + "velocity " + axis + " (m/s), rolling", ball.observed("velocity.ball." + axis, end_s), rolling,
                 {turned, "second order: the turn of the ball in a step, at up to 7 rad/s"}, closed_form);
        const double way =
            v[k] * rolls_s - u[k] / slip * 0.5 * friction * gravity * rolls_s * rolls_s + rolling * (end_s - rolls_s);
        rows.add(what + "position " + axis + " (m) at 0.5 s", ball.observed("position.ball." + axis, end_s), way,
                 {turned, "the same, and the step in which it begins to roll"}, closed_form);
    }
    // m u^2/2 of the mass 2/7 m that resists the slip.
    rows.add(what + "loss by friction (J)", ball.observed("friction_loss", end_s), slip * slip / 7.0,
             {friction * gravity * slip * step_s, "the power of friction ends within a step"}, closed_form);
}

// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double quarter_period(double modulus) {
    double a = 1.0, b = std::sqrt(1.0 - modulus * modulus);
    for (int k = 0; k < 8; ++k) {
        const double mean = 0.5 * (a + b);
        b = std::sqrt(a * b), a = mean;
    }
    return 0.5 * pi / a;
}

void add_cradle(Rows& rows, double e, const Scheme& scheme, backends::Backend& device) {
    constexpr double mass = 1.0, length = 1.0, radius = 0.025, angle = 0.5, end_s = 0.6;
    const double inertia = mass * (length * length + 0.4 * radius * radius),
                 square = mass * gravity * length / inertia;  // of the frequency
    const double rate = std::sqrt(2.0 * square * (1.0 - std::cos(angle)));
    const FinishedRun cradle =
        run({mechanism_subject("sphere_cradle"),
             parameter("contacts.balls.normal_restitution", e),
             end_s,
             0.1,
             {"angle_1", "angle_2", "rate_1", "rate_2", "first_contact_time", "impact_loss", "largest_impulse"}},
            scheme, device);
    const std::string what = "sphere_cradle, restitution " + number_text(e) + ", " + scheme.name + ": ";
    add_time(rows, what + "first contact (s)", cradle.observed("first_contact_time", end_s),
             quarter_period(std::sin(0.5 * angle)) / std::sqrt(square));
    for (const auto& [ball, share] : {std::pair{"1", 0.5 * (1.0 - e)}, {"2", 0.5 * (1.0 + e)}}) {
        const double now = cradle.observed(std::string("rate_") + ball, end_s),
                     turned = cradle.observed(std::string("angle_") + ball, end_s);
        rows.add(what + "rate of ball " + ball + " at the bottom (rad/s), from its energy at 0.6 s",
                 std::sqrt(std::max(now * now + 2.0 * square * (1.0 - std::cos(turned)), 0.0)), share * rate,
                 share > 0.0 ? Tolerance{scheme.swing, scheme.of_swing}
                             : Tolerance{1.1 * std::sqrt(square) * rate * step_s,
                                         "ball 1 swings back from as far as it gets in a step"},
                 closed_form);
    }
    rows.add(what + "loss in the impact (J)", cradle.observed("impact_loss", end_s),
             0.25 * (1.0 - e * e) * inertia * rate * rate, {scheme.swing * inertia * rate, scheme.of_swing},
             closed_form);
    rows.add(what + "impulse (N s)", cradle.observed("largest_impulse", end_s),
             0.5 * (1.0 + e) * inertia * rate / length, {scheme.swing * inertia / length, scheme.of_swing},
             closed_form);
}

void add_pendulum(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double mass = 1.0, length = 1.0, radius = 0.01, angle = 0.8, e = 0.6, end_s = 1.5;
    const double inertia = mass * (3.0 * radius * radius + length * length) / 12.0 + 0.25 * mass * length * length,
                 square = 0.5 * mass * gravity * length / inertia;
    const double rate = std::sqrt(2.0 * square * (1.0 - std::cos(angle))), sine = std::sin(0.5 * angle);
    const double first_s = quarter_period(sine) / std::sqrt(square),
                 second_s = first_s + 2.0 * quarter_period(e * sine) / std::sqrt(square);
    const FinishedRun rod = run({mechanism_subject("pendulum_wall"),
                                 "",
                                 end_s,
                                 0.1,
                                 {"angle", "rate", "first_contact_time", "impacts", "impact_loss", "largest_impulse"}},
                                scheme, device);
    const std::string what = "pendulum_wall, " + scheme.name + ": ";
    add_time(rows, what + "first contact (s)", rod.observed("first_contact_time", end_s), first_s);
    rows.add(what + "impulse of the first impact (N s)", rod.observed("largest_impulse", end_s),
             (1.0 + e) * inertia * rate / length, {scheme.swing * inertia / length, scheme.of_swing}, closed_form);
    int before = 0;
    double swing_rate = e * rate;
    for (const double t : {0.8, 1.4}) {
        const int count = t < second_s ? 1 : 2;
        if (count != before && before != 0) swing_rate *= e;
        before = count;
        const std::string when = " at " + number_text(t) + " s";
        rows.add(what + "impacts" + when, rod.observed("impacts", t), count, {0.0, "a count"}, closed_form);
        const double now = rod.observed("rate", t), turned = rod.observed("angle", t);
        rows.add(what + "rate at the wall (rad/s), from the energy" + when,
                 std::sqrt(now * now + 2.0 * square * (1.0 - std::cos(turned))), swing_rate,
                 {scheme.swing, scheme.of_swing}, closed_form);
    }
    rows.add(what + "loss of both impacts (J)", rod.observed("impact_loss", end_s),
             0.5 * inertia * rate * rate * (1.0 - e * e * e * e), {scheme.swing * inertia * rate, scheme.of_swing},
             closed_form);
}

// A pin that flies to and fro between the walls of a slot, without loss.
void add_slot(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double speed = 1.05, half_play = 0.01, end_s = 0.1;
    const FinishedRun pin = run({R"("mechanism": {"bodies": {
                 "pin": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "velocity_m_s": [0.63, 0.84, 0]}},
             "contacts": {"slot": {"type": "point_slot", "bodies": ["ground", "pin"], "slot_point_m": [0, 0, 0],
             "slot_normal": [3, 4, 0], "clearance_m": 0.02, "point_m": [0, 0, 0], "radius_m": 0.03,
             "normal_restitution": 1}}})",
                                 "",
                                 end_s,
                                 0.02,
                                 {"impacts", "gap.slot"}},
                                scheme, device);
    const std::string what = "pin in a slot, " + scheme.name + ": ";
    for (const double t : {0.02, 0.04, 0.06, 0.08, 0.1}) {
        const double way = speed * t + half_play;  // from wall 1, were it there from the start
        const int count = static_cast<int>(way / (2.0 * half_play));
        const double folded = std::fmod(way, 4.0 * half_play), gap = std::min(folded, 4.0 * half_play - folded);
        const std::string when = " at " + number_text(t) + " s";
        rows.add(what + "impacts" + when, pin.observed("impacts", t), count, {0.0, "a count"}, closed_form);
        rows.add(what + "gap of wall 1 (m)" + when, pin.observed("gap.slot.wall_1", t), gap,
                 {count * 2.0 * speed * step_s, "each bounce up to a step late: the way of two steps"}, closed_form);
        rows.add(what + "sum of the gaps (m)" + when,
                 pin.observed("gap.slot.wall_1", t) + pin.observed("gap.slot.wall_2", t), 2.0 * half_play,
                 {1e-15, "round-off"}, closed_form);
    }
}

// The published slider-crank from bodies and hinges against its equations in three angles, before and after the first
// impact, which both have at the end of the same step.
void add_slider_crank(Rows& rows, const Scheme& scheme, backends::Backend& device) {
    constexpr double short_step_s = 1e-5, before_s = 0.002, end_s = 0.004, rate = 150.0;
    const auto run_with = [&](const std::string& subject, const std::vector<std::string>& channels) {
        return run_text(study_text(subject,
                                   {.integrator = scheme.name,
                                    .step_s = short_step_s,
                                    .end_s = end_s,
                                    .spectral_radius = scheme.spectral_radius},
                                   {before_s, channels}),
                        device);
    };
    const FinishedRun bodies = run_with(mechanism_subject("slider_crank_slot"),
                                        {"angular_velocity.crank.z", "angular_velocity.rod.z",
                                         "angular_velocity.slider.z", "first_contact_time", "impacts", "impact_loss"}),
                      angles = run_with(R"("system": "slider_crank_clearance")",
                                        {"rate", "first_contact_time", "impacts", "impact_loss"});
    const std::string what = "slider_crank_slot, " + scheme.name + ": ",
                      source = "the system slider_crank_clearance: the same in three angles";
    for (const char* count : {"impacts", "first_contact_time"})
        rows.add(what + count + " until 0.004 s", bodies.observed(count, end_s), angles.observed(count, end_s),
                 {1e-12, "the same step, whose end is the sum of steps"}, source);
    const Tolerance second_order{(rate * short_step_s) * (rate * short_step_s) * rate,
                                 "second order of either: (150 rad/s * 1e-5 s)^2 of rates up to 150 rad/s"};
    const Tolerance first_order{1000.0 * short_step_s,
                                "an impact leaves the accelerations of before, up to 1000 rad/s^2 off for a step"};
    const Tolerance not_turned{1e-9, "the slider flies, and meets its guide with both corners: Newton's tolerance"};
    for (const double t : {before_s, end_s}) {
        const Tolerance& turned = t == before_s ? second_order : first_order;
        for (const auto& [ours, theirs, allowed] : {std::tuple{"angular_velocity.crank.z", "rate.x", turned},
                                                    {"angular_velocity.rod.z", "rate.y", turned},
                                                    {"angular_velocity.slider.z", "rate.z", not_turned}})
            rows.add(what + ours + " (rad/s) at " + number_text(t) + " s", bodies.observed(ours, t),
                     angles.observed(theirs, t), allowed, source);
    }
    const double loss = angles.observed("impact_loss", end_s);
    rows.add(what + "impact_loss (J) of the first, relative", bodies.observed("impact_loss", end_s) / loss, 1.0,
             {2.0 * (rate * short_step_s), "the speed of the impact is a small difference of speeds of second order"},
             source);
}

}  // namespace

std::vector<Row> contact_mechanisms(const Subject& subject) {
    Rows rows("contact_mechanisms");
    constexpr const char* second = "second order of the method: (4 rad/s * 1e-4 s)^2 of rates up to 3 rad/s";
    const Scheme schemes[] = {
        {"nonsmooth_generalized_alpha", 1e-6, second, true},
        {"nonsmooth_bathe", 1e-6, second, true},
        {"moreau_midpoint", 4e-4, "first order of Moreau's rule with joints: 4 rad/s * 1e-4 s of 1 rad/s", false},
        {"half_explicit", 1e-6, second, true},
        {"nonsmooth_ed_alpha", 1e-6, second, true, 0.0},
    };
    for (const Scheme& scheme : schemes) {
        // Each takes the reference path 12 s. It meets the cpu backend with all of them in contact_mechanism_twins.cpp.
        if (subject.is_reference_path() && scheme.name != schemes[0].name) continue;
        const auto takes = [&](const char* mechanism) { return subject.takes(mechanism, scheme.name); };
        add_bounces(rows, scheme, subject.device);
        if (takes("box_on_incline")) add_incline(rows, scheme, subject.device);
        add_rolling(rows, scheme, subject.device);
        for (const double e : {1.0, 0.5})
            if (takes("sphere_cradle")) add_cradle(rows, e, scheme, subject.device);
        if (takes("pendulum_wall")) add_pendulum(rows, scheme, subject.device);
        if (takes("pin in a slot")) add_slot(rows, scheme, subject.device);
        if (scheme.second_order) add_slider_crank(rows, scheme, subject.device);
    }
    return rows.take();
}

}  // namespace myriad::validation
