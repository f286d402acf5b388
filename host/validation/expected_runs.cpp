#include "host/validation/expected_runs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/backends/backends.hpp"
#include "host/text/names_of.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/expected_formula.hpp"

namespace myriad::validation {

namespace {

constexpr int digits_of_times = 12;
constexpr double same_time_s = 1e-9;  // rows lie at accumulated multiples of a step

// The distance of rows that meets all times, by Euclid's algorithm; 0 without times after the start.
double common_divisor(const std::map<double, std::string>& times) {
    double divisor = 0.0;
    for (const auto& [first_s, where] : times)
        for (double time = first_s; time > same_time_s;) {
            double rest = std::fmod(divisor, time);
            if (time - rest <= same_time_s) rest = 0.0;
            divisor = std::exchange(time, rest);
        }
    return divisor;
}

void require_time(double time_s, const std::string& where, const study::Study& study) {
    if (time_s > study.end_s + same_time_s)
        refuse_at(where, number_text(time_s) + " s is after the end of the run, " + number_text(study.end_s) + " s",
                  "give an earlier time, or the run a later \"end_s\"");
    if (time_s > 0.0 && time_s <= same_time_s)
        refuse_at(where, number_text(time_s) + " s is no distance of rows", "give more than 1e-9 s");
}

}  // namespace

std::vector<std::string> components_of(const Measured& measured, const study::Study& study) {
    if (measured.kind != Measured::Kind::channels) return {""};
    std::vector<std::string> components;
    for (const std::string& address : measured.addresses)
        for (const std::string& one : study.system->channel_group(address, measured.where).addresses)
            components.push_back(one);
    return components;
}

study::Study ExpectedRuns::read(std::vector<std::string> assignments) const {
    const study::Overrides overrides{std::move(assignments), {}, {}, {}};
    if (file_.study_text.empty()) return study::read_study(file_.study_file, overrides);
    return study::parse_study(file_.study_text, file_.study_where, file_.folder, overrides);
}

ExpectedRuns::Plan& ExpectedRuns::plan(const RunKey& key) {
    const auto [place, is_new] = plans_.try_emplace(key);
    Plan& plan = place->second;
    if (!is_new) return plan;
    plan.assignments = file_.runs[key.run].assignments;
    if (!key.coordinates.empty()) plan.assignments.push_back("coordinates=" + key.coordinates);
    if (key.step_s > 0.0) plan.assignments.push_back("integrator.step_s=" + number_text(key.step_s));
    plan.study = std::make_unique<study::Study>(read(plan.assignments));
    return plan;
}

void ExpectedRuns::need(const RunKey& key, const Claim& claim) {
    Plan& plan = this->plan(key);
    const study::Study& study = *plan.study;
    std::vector<ReadChannel> channels;
    const auto add = [&](const Formula& formula) { add_channels(formula, file_, study, channels); };
    if (claim.measured.formula) add(*claim.measured.formula);
    for (const auto& of_time : claim.equals)
        for (const Formula& one : of_time) add(one);
    for (const Formula& tolerance : claim.tolerances) add(tolerance);
    if (claim.over) add(*claim.over);
    if (claim.measured.kind == Measured::Kind::channels)
        for (const std::string& address : claim.measured.addresses) channels.push_back({address, claim.measured.where});
    const auto require_known = [&](const std::vector<std::string>& known, const char* listing, const char* kind) {
        const std::string& name = claim.measured.addresses.front();
        if (std::ranges::find(known, name) == known.end())
            refuse_at(claim.measured.where, std::string("there is no ") + kind + " \"" + name + '"',
                      suggestion(name, known, listing));
    };
    if (claim.measured.kind == Measured::Kind::quantity)
        require_known(names_of(study.quantities), "quantities of the study", "quantity");
    if (claim.measured.kind == Measured::Kind::certificate)
        require_known(certificate_entries(study), "entries of the certificate", "entry");
    for (const auto& [address, where] : channels)
        for (const std::string& scalar : study.system->channel_group(address, where).addresses)
            if (std::ranges::find(plan.channels, scalar) == plan.channels.end()) plan.channels.push_back(scalar);
    if (channels.empty()) return;
    std::vector<double> times_s = claim.times_s;
    if (claim.every_s > 0.0) times_s.push_back(claim.every_s);
    for (const double time_s : times_s) {
        require_time(time_s, claim.times_where, study);
        plan.times.emplace(time_s, claim.times_where);
    }
    if (times_s.empty()) plan.times.emplace(study.end_s, claim.where);
}

study::Study ExpectedRuns::observed_study(const Plan& plan) const {
    if (plan.channels.empty()) return *plan.study;
    try {
        return with_rows(plan, common_divisor(plan.times));
    } catch (const UserError& of_all) {
        for (const auto& [time_s, where] : plan.times) try {
                with_rows(plan, time_s);
            } catch (const UserError& error) {
                refuse_at(where, error.what_is_wrong(), error.remedy());
            }
        refuse_at(plan.times.begin()->second, of_all.what_is_wrong(), of_all.remedy());
    }
}

study::Study ExpectedRuns::with_rows(const Plan& plan, double every_s) const {
    std::string channels;
    for (const std::string& channel : plan.channels) channels += (channels.empty() ? "\"" : ", \"") + channel + '"';
    std::vector<std::string> assignments = plan.assignments;
    assignments.push_back(
        "observe={\"every_s\": " + rounded_number_text(every_s > 0.0 ? every_s : plan.study->end_s, digits_of_times) +
        ", \"channels\": [" + channels + "]}");
    return read(std::move(assignments));
}

const FinishedRun& ExpectedRuns::run(const RunKey& key) {
    Plan& plan = this->plan(key);
    if (!plan.run) plan.run = std::make_unique<FinishedRun>(run_study(observed_study(plan), device_));
    return *plan.run;
}

const FinishedRun& ExpectedRuns::twin(const RunKey& key) {
    Plan& plan = this->plan(key);
    if (!twin_) twin_ = backends::make_backend(twin_name(), {});
    if (!plan.twin) plan.twin = std::make_unique<FinishedRun>(run_study(observed_study(plan), *twin_));
    return *plan.twin;
}

std::string ExpectedRuns::twin_name() const { return backends::twin_of(backend_); }

}  // namespace myriad::validation
