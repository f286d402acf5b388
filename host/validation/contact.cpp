// The times of the impacts of a bouncing ball, and the slider-crank without clearance, by every timestepping scheme.
//
// An impact happens at the end of the step in which a gap closes: late by d, 0 <= d <= h. That is the only error of the
// schemes on the ball, whose acceleration is constant between impacts; the tolerances follow from it. Moreau's rule
// looks at the middle of a step, and its impact shows half a step later.
#include <algorithm>
#include <array>
#include <cmath>

#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/slider_crank_exact.hpp"

namespace myriad::validation {

namespace {

constexpr const char *moreau = "moreau_midpoint", *generalized_alpha = "nonsmooth_generalized_alpha";
constexpr double g = 9.81;
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
                                 h * std::ceil(2.5 / h), h, {"velocity.ball.y"}, device);
    ImpactTimes impacts;
    impacts.fill(std::numeric_limits<double>::quiet_NaN());
    std::size_t found = 0;
    const std::vector<double> times = ball.study.observation_times_s();
    for (std::size_t i = 1; ball.ok() && i < times.size() && found < bounces; ++i)
        if (ball.chunk.trajectory[i - 1] < 0.0 && ball.chunk.trajectory[i] > 0.0) impacts[found++] = times[i];
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
    }
    return rows.take();
}

}  // namespace myriad::validation
