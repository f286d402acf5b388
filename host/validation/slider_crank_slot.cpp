// The published slider-crank with clearance from bodies and hinges against its equations in three angles, before and
// after the first impact, which both have at the end of the same step.
#include <tuple>

#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

void add_slider_crank(Rows& rows, const Method& scheme, backends::Backend& device) {
    constexpr double short_step_s = 1e-5, before_s = 0.002, end_s = 0.004, rate = 150.0;
    const auto run_with = [&](const std::string& subject, const std::vector<std::string>& channels) {
        Method method = scheme;
        method.step_s = short_step_s, method.end_s = end_s, method.strikes = "published";
        return run_text(study_text(subject, method, {before_s, channels}), device);
    };
    const FinishedRun bodies = run_with(mechanism_subject("slider_crank_slot"),
                                        {"angular_velocity.crank.z", "angular_velocity.rod.z",
                                         "angular_velocity.slider.z", "first_contact_time", "impacts", "impact_loss"}),
                      angles = run_with(R"("system": "slider_crank_clearance")",
                                        {"rate", "first_contact_time", "impacts", "impact_loss"});
    const std::string what = "slider_crank_slot, " + scheme.integrator + ": ",
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

std::vector<Row> slider_crank_slot(const Subject& subject) {
    Rows rows("slider_crank_slot");
    for (const Method& scheme :
         {Method{.integrator = "nonsmooth_generalized_alpha"}, Method{.integrator = "nonsmooth_bathe"},
          Method{.integrator = "half_explicit"}, Method{.integrator = "nonsmooth_ed_alpha", .spectral_radius = 0.0}})
        // Each takes the reference path seconds. It meets the cpu backend with all of them in contact_mechanism_twins.
        if (!subject.is_reference_path() || scheme.integrator == "nonsmooth_generalized_alpha")
            add_slider_crank(rows, scheme, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
