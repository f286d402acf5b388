// Contact, friction and impact on motions that are known in closed form, by every timestepping scheme.
//
// An impact happens at the end of the step in which a gap closes: late by d, 0 <= d <= h. That is the only error of the
// schemes on the ball, the block and the disc, whose accelerations are constant between impacts; the tolerances follow
// from it. Moreau's rule looks at the middle of a step, and its impact shows half a step later.
#include <algorithm>
#include <array>
#include <cmath>

#include "host/study/study_keys.hpp"
#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/slider_crank_exact.hpp"

namespace myriad::validation {

namespace {

constexpr const char *moreau = "moreau_midpoint", *generalized_alpha = "nonsmooth_generalized_alpha";
constexpr double g = 9.81;
// Contact laws to 1e-12 and the round-off of some thousand steps, in numbers of the order of ten.
const Tolerance solved{1e-9, "tolerance of the contact laws, and round-off"};

// In joint coordinates.
FinishedRun run(const std::string& mechanism, const std::string& parameters, const std::string& scheme, double step_s,
                double end_s, double every_s, const std::vector<std::string>& channels, backends::Backend& device) {
    const Method method{.integrator = scheme, .step_s = step_s, .end_s = end_s, .coordinates = "joint"};
    return run_mechanism(mechanism, method, device, {every_s, channels}, "{" + parameters + "}");
}

// How late impact k may be: of an impact late by d the next one is later by d (1 + 2 e - 1/e), and its speed is off by
// g d (e - 1/e); an error s of the speed shifts the next impact by 2 e s/g and its speed by e s.
double latest(int impact, double restitution, double h, bool of_moreau) {
    const double e = restitution;
    double late = 0.0, speed = 0.0;  // speed: over g
    for (int k = 0; k < impact; ++k) {
        late += h * std::abs(1.0 + 2.0 * e - 1.0 / e) + 2.0 * e * speed;
        speed = e * speed + h * std::abs(e - 1.0 / e);
    }
    return 1.1 * (late + (of_moreau ? 1.5 * h : h));  // terms with g d / w, a per cent of the last speed here
}

// What all runs of the ball observe: on a GPU they share their kernels. The first two stand in this order in a row.
const std::vector<std::string> of_ball = {"position.ball.y", "velocity.ball.y", "first_contact_time", "impacts",
                                          "impact_loss",     "largest_impulse", "largest_force"};
double ball_height(const FinishedRun& ball, std::size_t row) { return ball.chunk.trajectory[of_ball.size() * row]; }
double ball_speed(const FinishedRun& ball, std::size_t row) { return ball.chunk.trajectory[of_ball.size() * row + 1]; }

// The first five impacts of a ball dropped from 1 m with restitution 0.7.
constexpr double bounce = 0.7;
constexpr std::size_t bounces = 5;
using ImpactTimes = std::array<double, bounces>;

ImpactTimes exact_impacts() {
    const double fall = std::sqrt(2.0 / g);
    ImpactTimes times{fall};
    for (std::size_t k = 1; k < bounces; ++k) times[k] = times[k - 1] + 2.0 * fall * std::pow(bounce, k);
    return times;
}
// The ends of the steps after which the ball flies upwards; NaN for those that are missing.
ImpactTimes impacts_of(const std::string& scheme, double h, backends::Backend& device) {
    const FinishedRun ball = run("bouncing_ball", R"("contacts.floor.normal_restitution": 0.7)", scheme, h,
                                 h * std::ceil(2.5 / h), h, of_ball, device);
    ImpactTimes impacts;
    impacts.fill(std::numeric_limits<double>::quiet_NaN());
    std::size_t found = 0;
    const std::vector<double> times = ball.study.observation_times_s();
    for (std::size_t i = 1; ball.ok() && i < times.size() && found < bounces; ++i)
        if (ball_speed(ball, i - 1) < 0.0 && ball_speed(ball, i) > 0.0) impacts[found++] = times[i];
    return impacts;
}

// A step rounds an impact to its end, which shorter steps may do worse: the root mean square over steps from 1 to 1.5
// times the named one.
double mean_lateness(const std::string& scheme, double step_s, backends::Backend& device) {
    constexpr int steps = 8;
    const ImpactTimes exact = exact_impacts();
    double sum = 0.0;
    for (int i = 0; i < steps; ++i) {
        const double h = step_s * (1.0 + 0.07 * i);
        const ImpactTimes ours = impacts_of(scheme, h, device);
        for (std::size_t k = 0; k < bounces; ++k) sum += std::pow((ours[k] - exact[k]) / h, 2);
    }
    return step_s * std::sqrt(sum / (steps * bounces));
}

void add_bouncing_ball(Rows& rows, const std::string& scheme, const Subject& subject) {
    const ImpactTimes exact = exact_impacts();
    const bool of_moreau = scheme == moreau;
    for (const double h : {1e-3, 1e-4}) {
        // With the eight runs of the order 10 s of the reference path.
        if (subject.is_reference_path() && h < 1e-3) continue;
        const ImpactTimes ours = impacts_of(scheme, h, subject.device);
        for (std::size_t k = 0; k < bounces; ++k)
            rows.add("bouncing ball, " + scheme + ", step " + number_text(h) + " s: impact " + std::to_string(k + 1) +
                         " (s)",
                     ours[k], exact[k],
                     {latest(static_cast<int>(k), bounce, h, of_moreau),
                      "first order: each impact late by a step at most, and what follows"},
                     closed_form);
    }
    if (subject.is_reference_path()) return;
    const double coarse = mean_lateness(scheme, 1e-3, subject.device),
                 fine = mean_lateness(scheme, 2.5e-4, subject.device);
    rows.add("bouncing ball, " + scheme + ": order of the times of its impacts", 0.5 * std::log2(coarse / fine), 1.0,
             {0.15, "what eight steps leave of how they round"}, "order of the method");
}

// The record of a run of the same ball, and of one that stays on the ground.
void add_record(Rows& rows, const std::string& scheme, backends::Backend& device) {
    constexpr double h = 1e-3;
    const bool of_moreau = scheme == moreau;
    const ImpactTimes exact = exact_impacts();
    const double speed = g * exact[0];
    const FinishedRun ball =
        run("bouncing_ball", R"("contacts.floor.normal_restitution": 0.7)", scheme, h, 2.2, 0.1, of_ball, device);
    const std::string name = "bouncing ball, " + scheme + ": ";
    rows.add(name + "first contact (s)", ball.observed("first_contact_time", 2.2), exact[0] + 0.5 * h,
             {0.501 * h, "it lies within the step that ends at this time"}, closed_form);
    for (const double t : {0.4, 0.8, 1.3, 1.7, 1.9, 2.1}) {
        const auto before = std::count_if(exact.begin(), exact.end(), [t](double impact) { return impact < t; });
        rows.add(name + "impacts at " + number_text(t) + " s", ball.observed("impacts", t), static_cast<double>(before),
                 {0.0, "a count"}, closed_form);
    }
    rows.add(name + "largest impulse (N s)", ball.observed("largest_impulse", 2.2), (1.0 + bounce) * speed,
             {(1.0 + bounce) * g * (of_moreau ? 1.5 : 1.0) * h, "the speed gained in the step that it is late"},
             closed_form);

    const FinishedRun stays =
        run("bouncing_ball", R"("contacts.floor.normal_restitution": 0, "parameters.initial_height_m": 0.1)", scheme, h,
            1.0, 0.5, of_ball, device);
    const std::string rest = "ball that stays on the ground, " + scheme + ": ";
    rows.add(rest + "impacts", stays.observed("impacts", 1.0), 1.0, {0.0, "a count"}, closed_form);
    // Generalized-alpha keeps the accelerations a = A = -g of the fall. With v+ = 0 eqs. 20 to 26 have A+ = -(1 -
    // gamma)/gamma A and a+ from both: the first force is m (g + a+).
    constexpr double radius = study::defaults::spectral_radius;
    constexpr double alpha_m = (2.0 * radius - 1.0) / (radius + 1.0), alpha_f = radius / (radius + 1.0),
                     gamma = 0.5 - alpha_m + alpha_f;
    constexpr double algorithmic = (1.0 - gamma) / gamma,
                     swing = ((1.0 - alpha_m) * algorithmic - alpha_m + alpha_f) / (1.0 - alpha_f);
    const bool swings = scheme == "nonsmooth_generalized_alpha";
    rows.add(rest + "largest force (N)", stays.observed("largest_force", 1.0), g * (swings ? 1.0 + swing : 1.0),
             {1e-8, "what the contact laws leave, over the step"},
             swings ? "its weight, and the accelerations of the fall, which the method keeps" : closed_form);
}

void add_rest(Rows& rows, const std::string& scheme, backends::Backend& device) {
    const double restitution = 0.5, drop = 0.1, h = 1e-3, fall = std::sqrt(2.0 * drop / g), speed = g * fall;
    const double rest = fall + 2.0 * speed * restitution / (g * (1.0 - restitution)), end = std::ceil(rest) + 1.0;
    const FinishedRun ball =
        run("bouncing_ball", R"("contacts.floor.normal_restitution": 0.5, "parameters.initial_height_m": 0.1)", scheme,
            h, end, h, of_ball, device);
    double fastest = 0.0, highest = 0.0;
    const std::vector<double> times = ball.study.observation_times_s();
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] < rest + 0.5) continue;
        highest = std::max(highest, std::abs(ball_height(ball, i)));
        fastest = std::max(fastest, std::abs(ball_speed(ball, i)));
    }
    const std::string name = "ball after infinitely many impacts, " + scheme + ": ";
    rows.add(name + "largest speed (m/s)", fastest, 0.0, solved, closed_form);
    // From a depth of at most w h a bounce that is (e w)^2/(2 g) high does not come out.
    const double depth = 2.0 * g * h * h / (restitution * restitution);
    rows.add(name + "distance from the ground (m)", highest, 0.0, {depth, "the depth of the last impact, 2 g h^2/e^2"},
             closed_form);
    rows.add(name + "energy lost in impacts (J)", ball.observed("impact_loss", end), g * drop,
             {g * depth, "the energy that it has at that depth"}, closed_form);
}

void add_block(Rows& rows, const std::string& scheme, backends::Backend& device) {
    const std::vector<std::string> channels = {"down",          "rate_down", "friction_loss",
                                               "largest_force", "impacts",   "first_contact_time"};
    const auto block = [&](double incline, double friction, double speed, double h) {
        return run("sliding_block",
                   R"("parameters.incline_rad": )" + json_number(incline) + R"(, "contacts.slope.friction": )" +
                       json_number(friction) + R"(, "parameters.initial_down_m_s": )" + json_number(speed),
                   scheme, h, 1.0, 1.0, channels, device);
    };
    const std::string name = "block on an incline, " + scheme + ": ";
    const FinishedRun sticks = block(0.3, 0.4, 0.0, 0.01);
    rows.add(name + "sticks at friction 0.4, 0.3 rad: way (m) in 1 s", sticks.observed("down", 1.0), 0.0, solved,
             closed_form);
    const double incline = 0.5, friction = 0.2, a = g * (std::sin(incline) - friction * std::cos(incline));
    const FinishedRun slides = block(incline, friction, 0.7, 0.01);
    rows.add(name + "slides at friction 0.2, 0.5 rad: way (m) in 1 s", slides.observed("down", 1.0), 0.7 + 0.5 * a,
             solved, closed_form);
    rows.add(name + "the same: velocity (m/s)", slides.observed("rate_down", 1.0), 0.7 + a, solved, closed_form);
    rows.add(name + "the same: work of friction (J)", slides.observed("friction_loss", 1.0),
             friction * g * std::cos(incline) * (0.7 + 0.5 * a), solved, closed_form);
    rows.add(name + "the same: largest force (N)", slides.observed("largest_force", 1.0), g * std::cos(incline),
             {1e-7, "the tolerance of the contact laws, over the step"}, closed_form);
    rows.add(name + "the same: first contact (s)", slides.observed("first_contact_time", 1.0), 0.0,
             {0.0, "it lies there from the start"}, closed_form);
    rows.add(name + "the same: impacts", slides.observed("impacts", 1.0), 0.0, {0.0, "a count"}, closed_form);
    const double h = 1e-3, brake = g * (0.5 * std::cos(0.2) - std::sin(0.2));
    const FinishedRun stops = block(0.2, 0.5, 1.0, h);
    rows.add(name + "thrown downwards it stops: way (m)", stops.observed("down", 1.0), 0.5 / brake,
             {brake * h * h, "the step in which it stops: a way of at most h times its deceleration times h"},
             closed_form);
    rows.add(name + "stopped: velocity (m/s)", stops.observed("rate_down", 1.0), 0.0, solved, closed_form);
}

void add_disc(Rows& rows, const std::string& scheme, backends::Backend& device) {
    // Laid down spinning, at rest otherwise. slip: at the start; ratio: J / (m r^2).
    const double radius = 0.1, spin = 20.0, slip = radius * spin, friction = 0.25, ratio = 0.5, h = 1e-3;
    const double rolling = slip / (friction * g * (1.0 + 1.0 / ratio)), speed = -slip / (1.0 + 1.0 / ratio);
    const FinishedRun disc =
        run("rolling_disc",
            R"("contacts.floor.friction": 0.25, "parameters.initial_x_m_s": 0, "parameters.initial_rate_rad_s": 20)",
            scheme, h, 1.0, h, {"velocity.disc.x", "rate", "position.disc.x"}, device);
    double since = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> times = disc.study.observation_times_s();
    const auto slip_of = [&](std::size_t row) {
        const double* at = disc.chunk.trajectory.data() + 3 * row;
        return at[0] + radius * at[1];
    };
    for (std::size_t i = times.size(); i-- > 0 && std::abs(slip_of(i)) < solved.value;) since = times[i];
    const std::string name = "spinning disc that slides and rolls, " + scheme + ": ";
    rows.add(name + "rolls from (s)", since, rolling, {h, "the end of the step in which slip ends"}, closed_form);
    rows.add(name + "velocity (m/s)", disc.observed("velocity.disc.x", 1.0), speed, solved, closed_form);
    rows.add(name + "rate (rad/s)", disc.observed("rate", 1.0), -speed / radius,
             {10.0 * solved.value, "the same, over the radius"}, closed_form);
    rows.add(name + "way (m)", disc.observed("position.disc.x", 1.0),
             -0.5 * friction * g * rolling * rolling + speed * (1.0 - rolling),
             {friction * g * h * h, "the step in which slip ends: a way of at most h times its deceleration times h"},
             closed_form);
}

// Spheres of masses m1 and m2 on rods without mass; J: about the pivots. What is said of speeds and momenta of mass
// points holds of rates and angular momenta: J1 w1 + J2 w2 is kept, as both rods are as long.
void add_cradle(Rows& rows, const std::string& scheme, backends::Backend& device) {
    constexpr double m1 = 2.0, m2 = 1.0, restitution = 0.8, angle = 0.3, radius = 0.025, h = 1e-4;
    constexpr double of_both = 0.4 * radius * radius, j1 = m1 + of_both,
                     j2 = m2 + of_both;  // 1 kg, of both own inertias
    constexpr std::size_t channels = 7;
    const auto rate_at = [](double turned) {
        return std::sqrt(2.0 * g * m1 / j1 * (std::cos(turned) - std::cos(angle)));
    };
    const double rate = rate_at(0.0), first = (j1 - restitution * j2) * rate / (j1 + j2),
                 second = (1.0 + restitution) * j1 * rate / (j1 + j2);
    const FinishedRun cradle =
        run("sphere_cradle",
            R"("bodies.ball_1.mass_kg": 2.0, "bodies.ball_2.mass_kg": 1.0, "contacts.balls.normal_restitution": 0.8,
               "parameters.angle_rad": 0.3)",
            scheme, h, 1.2, h, {"angle_1", "angle_2", "rate_1", "rate_2", "impact_loss", "impacts", "largest_impulse"},
            device);
    const std::vector<double> times = cradle.study.observation_times_s();
    const double* at = cradle.chunk.trajectory.data();
    double momentum_error = std::numeric_limits<double>::quiet_NaN(), rate_1 = momentum_error, rate_2 = momentum_error;
    for (std::size_t i = 1; cradle.ok() && i < times.size(); ++i) {
        const double* row = at + channels * i;
        // In body coordinates ball 2 trembles by round-off before.
        if (row[3] < 0.1 * second) continue;
        rate_1 = row[2], rate_2 = row[3];
        // Before the impact ball 2 hung still, and ball 1 had the rate of its height.
        momentum_error = j1 * rate_1 + j2 * rate_2 - j1 * rate_at(row[0]);
        break;
    }
    // h^2 times third derivatives of swings below a metre; what a late impact changes goes with the square of an angle
    // of w h.
    const Tolerance of_motion{g * std::sqrt(g) * h * h, "error of the motion before it, h^2 times third derivatives"};
    const std::string name = "cradle of unequal spheres, " + scheme + ": ";
    rows.add(name + "angular momentum gained in the collision (kg m^2/s)", momentum_error, 0.0, of_motion, closed_form);
    rows.add(name + "rate of ball 1 after it (rad/s)", rate_1, first, of_motion, closed_form);
    rows.add(name + "rate of ball 2 after it (rad/s)", rate_2, second, of_motion, closed_form);
    rows.add(name + "energy lost (J)", cradle.observed("impact_loss", 1.2),
             0.5 * (j1 * rate * rate - j1 * first * first - j2 * second * second),
             {2.0 * j1 * rate * of_motion.value, "the same, of the rates in the kinetic energy"}, closed_form);
    rows.add(name + "impacts", cradle.observed("impacts", 1.2), 1.0, {0.0, "a count"}, closed_form);
    rows.add(name + "impulse (N s)", cradle.observed("largest_impulse", 1.2), j2 * second,
             {j2 * of_motion.value, "the same, of the rate that it gives"}, closed_form);
    double highest = 0.0;
    for (std::size_t i = 0; i < times.size(); ++i) highest = std::max(highest, at[channels * i + 1]);
    rows.add(name + "ball 2 rises to (rad)", highest, std::acos(1.0 - 0.5 * j2 / m2 * second * second / g),
             {of_motion.value, "the same, and the sample beside the highest place"}, closed_form);
}

// nonsmooth sect. 4.4, Table 4: the slider without clearance and friction; eq. 92 over a sample every 1e-4 s.
double error_of_table_4(const std::string& scheme, double step_s, backends::Backend& device) {
    constexpr double every_s = 1e-4, end_s = 0.05;
    const FinishedRun crank = run_text(
        study_text(R"("system": "slider_crank_clearance")", {.integrator = scheme, .step_s = step_s, .end_s = end_s},
                   {every_s, {"angle.y"}}, R"({"clearance_m": 0, "friction": 0})"),
        device);
    if (!crank.ok()) return std::numeric_limits<double>::quiet_NaN();
    const SliderCrankExact exact;
    double angle = 0.0, sum = 0.0;
    for (std::size_t i = 1; i < crank.chunk.trajectory.size(); ++i) {
        angle = exact.advanced(angle, every_s, 100);
        const double rod = exact.rod_angle(angle);
        sum += std::pow((crank.chunk.trajectory[i] - rod) / rod, 2);
    }
    return std::sqrt(sum);
}

void add_slider_crank(Rows& rows, const std::string& scheme, backends::Backend& device) {
    constexpr const char* paper = "Rezaei, Schindler: mixed timestepping schemes, Table 4";
    const std::string name = "slider-crank without clearance, " + scheme + ": ";
    const double coarse = error_of_table_4(scheme, 1e-4, device), fine = error_of_table_4(scheme, 1e-5, device);
    const bool of_moreau = scheme == moreau;
    rows.add(name + "order", std::log10(coarse / fine), of_moreau ? 1.0 : 2.0, {0.05, "the next term of the error"},
             "order of the method");
    if (of_moreau) {
        rows.add(name + "error at 1e-4 s", coarse, 13.0, {0.5, "rounding of the printed value"}, paper);
        rows.add(name + "error at 1e-5 s", fine, 1.3, {0.05, "rounding of the printed value"}, paper);
    }
}

}  // namespace

std::vector<Row> contact(const Subject& subject) {
    Rows rows("contact");
    for (const study::IntegratorDescription& method :
         study::integrators_of(study::find_system("slider_crank_clearance", "validation"))) {
        const std::string& scheme = method.name;
        add_slider_crank(rows, scheme, subject.device);
        // The mechanisms take the reference path seconds by each scheme. It meets the cpu backend with all of them in
        // contact_mechanism_twins.cpp.
        if (subject.is_reference_path() && scheme != generalized_alpha) continue;
        add_bouncing_ball(rows, scheme, subject);
        add_record(rows, scheme, subject.device);
        add_rest(rows, scheme, subject.device);
        add_block(rows, scheme, subject.device);
        add_disc(rows, scheme, subject.device);
        add_cradle(rows, scheme, subject.device);
    }
    return rows.take();
}

}  // namespace myriad::validation
