#include "host/validation/runs/step_limit.hpp"

#include <algorithm>
#include <cmath>

namespace myriad::validation {

namespace {

FinishedRun run_side_by_side(std::string_view mechanism, const std::vector<ClockNumber>& clock, double step_s, int runs,
                             double end_s, Observed observed, backends::Backend& device) {
    observed.every_s /= runs;
    std::string parameters;
    std::vector<double> values;
    for (const ClockNumber& number : clock) {
        const double fastest = number.value * std::pow(runs, number.power);
        // Which numbers differ; the values of each instance are given below.
        parameters += (parameters.empty() ? "{\"" : ", \"") + std::string(number.address) +
                      R"(": {"uniform": {"low": )" + json_number(std::min(number.value, fastest)) + R"(, "high": )" +
                      json_number(std::max(number.value, fastest)) + "}}";
    }
    study::Study study = study::parse_study(mechanism_study_text(mechanism,
                                                                 {.integrator = "implicit_euler",
                                                                  .step_s = step_s,
                                                                  .end_s = end_s,
                                                                  .newton_tolerance = newton_tolerance_at_round_off,
                                                                  .start = "published"},
                                                                 observed, parameters + "}", runs),
                                            "validation", ".");
    for (const study::VariedParameter& varied : study.varied)
        for (int run = 0; run < runs; ++run)
            for (const ClockNumber& number : clock)
                if (varied.address == number.address)
                    values.push_back(number.value * std::pow(static_cast<double>(runs) / (run + 1), number.power));
    return run_samples(std::move(study), values, device);
}

}  // namespace

StepLimit limit_of(const std::vector<double>& steps_s, std::vector<double> values) {
    const std::size_t runs = values.size();
    for (std::size_t order = 1; order < runs; ++order)
        for (std::size_t i = runs - 1; i >= order; --i)
            values[i] += (values[i] - values[i - 1]) / (steps_s[i - order] / steps_s[i] - 1.0);
    // Entry i is by now the limit of the runs up to i.
    return {values[runs - 1], values[runs - 1] - values[runs - 2]};
}

StepsSideBySide::StepsSideBySide(std::string_view mechanism, const std::vector<ClockNumber>& clock,
                                 double largest_step_s, int runs, double end_s, const Observed& observed,
                                 backends::Backend& device)
    : largest_step_s_(largest_step_s),
      runs_(runs),
      run_(run_side_by_side(mechanism, clock, largest_step_s / runs, runs, end_s, observed, device)) {}

double StepsSideBySide::value(int run, const std::string& channel, double time_s) const {
    const double value = run_.observed(channel, time_s / speed_up(run), static_cast<std::uint64_t>(run));
    const bool is_rate = run_.study.system->channel_group(channel, "validation").unit.ends_with("/s");
    return is_rate ? value / speed_up(run) : value;
}

StepLimit StepsSideBySide::limit(const std::string& channel, double time_s) const {
    std::vector<double> steps_s, values;
    for (int run = 0; run < runs_; ++run)
        steps_s.push_back(largest_step_s_ / (run + 1)), values.push_back(value(run, channel, time_s));
    return limit_of(steps_s, values);
}

}  // namespace myriad::validation
