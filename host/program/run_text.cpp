#include "host/program/run_text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "host/program/text/json_output.hpp"
#include "host/program/text/text_table.hpp"
#include "host/statistics/no_value.hpp"
#include "host/statistics/reported_statistics.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/printable.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

std::string percent(double share) { return significant(100.0 * share, 4) + " %"; }

// The cells of an estimate: value, interval, and a remark on it or on its absence.
std::vector<std::string> estimate_cells(const study::Estimate& estimate) {
    const std::string interval =
        estimate.interval ? significant(estimate.interval->low) + " .. " + significant(estimate.interval->high) : "";
    return {significant(estimate.value), interval, estimate.remark()};
}

// The steps of the integrator: "step 1e-04 s" or "tolerances 1e-08 relative, 1e-10 absolute".
std::string steps_text(const study::Study& study) {
    if (!study.integrator.adaptive) return "step " + significant(study.fixed.step_s) + " s";
    return "tolerances " + significant(study.adaptive.relative_tolerance) + " relative, " +
           significant(study.adaptive.absolute_tolerance) + " absolute";
}

std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

double rate(std::uint64_t steps, double seconds) {
    return seconds > 0.0 ? static_cast<double>(steps) / seconds : std::numeric_limits<double>::quiet_NaN();
}

ordered_json estimate_json(const std::optional<study::Estimate>& estimate) {
    if (!estimate) return nullptr;
    ordered_json json{{"value", number_json(estimate->value)}};
    if (estimate->interval) {
        json["low"] = number_json(estimate->interval->low);
        json["high"] = number_json(estimate->interval->high);
        if (estimate->interval->conservative) json["conservative"] = true;
    } else {
        json["no_interval"] = estimate->no_interval;
    }
    return json;
}

ordered_json step_error_json(const study::StepError& error) {
    const auto number_of = [](auto value) {
        if constexpr (std::is_floating_point_v<decltype(value)>)
            return number_json(value);
        else
            return ordered_json(value);
    };
    ordered_json json;
    for (const study::ReportedStepError& statistic : study::reported_step_errors)
        json[statistic.json_name] = std::visit([&](auto member) { return number_of(error.*member); }, statistic.member);
    json["shrinks"] = error.shrinks();
    return json;
}

// One statistic after the other; the quantiles stand last.
class StatisticsJson {
  public:
    StatisticsJson(const study::Quantity& quantity, const study::QuantityStatistics& row)
        : quantity_(quantity), row_(row), json_{{"name", quantity.name}, {"unit", quantity.unit}} {
        for (const study::ReportedStatistic& statistic : study::reported_statistics)
            std::visit([&](auto member) { add(statistic.name, member); }, statistic.member);
        json_.update(quantiles_);
    }
    ordered_json taken() { return std::move(json_); }

  private:
    void add(const char* name, study::CountMember member) { json_[name] = row_.*member; }
    void add(const char* name, study::EstimateMember member) {
        const bool is_of_event = member == &study::QuantityStatistics::probability;
        if (is_of_event && !quantity_.event) return;
        json_[name] = estimate_json(row_.*member);
        if (is_of_event) json_[name][quantity_.event->above ? "above" : "below"] = quantity_.event->threshold;
    }
    void add(const char* name, study::ExtremeMember member) {
        if (const auto& found = row_.*member)
            json_[name] = {{"value", number_json(found->value)}, {"instance", found->instance}};
    }
    void add(const char* name, study::QuantilesMember member) {
        ordered_json& all = quantiles_[name + std::string("s")] = ordered_json::array();
        for (const study::Quantile& quantile : row_.*member) {
            ordered_json entry = estimate_json(quantile.estimate);
            entry["probability"] = quantile.probability;
            all.push_back(entry);
        }
    }

    const study::Quantity& quantity_;
    const study::QuantityStatistics& row_;
    ordered_json json_, quantiles_;
};

// Results of former versions do not say their confidence.
std::string interval_head(const ensemble::StatisticsReport& report) {
    return (report.confidence > 0.0 ? percent(report.confidence) + " " : "") + "confidence interval";
}

// How to read the column of step errors, and where not to trust it.
std::string step_error_text(const ensemble::StatisticsReport& report) {
    if (report.step_errors.empty()) return "";
    std::uint64_t instances = 0;
    for (const study::StepError& error : report.step_errors) instances = std::max(instances, error.count);
    std::string text;
    const auto add = [&](const std::string& line) { text += wrapped("  " + line, "  ") + "\n"; };
    add("step error: " + grouped(instances) +
        " instances were run again at half the step (adaptive: tolerances / 32); the mean shifts by as much, and 95 % "
        "of "
        "the values change by at most as much");
    for (std::size_t q = 0; q < report.step_errors.size(); ++q) {
        const study::StepError& error = report.step_errors[q];
        if (!error.shrinks())
            add(report.names[q] + ": the step error does not shrink with the step (at a quarter of it " +
                significant(error.shrinkage, 2) + " times as large as at half): smaller steps do not help, or not yet");
        if (error.without)
            add(report.names[q] + ": " + grouped(error.without) + " of the instances have no value at half the step");
    }
    return text + "\n";
}

// The lines of one quantity after the other: statistic, value, interval, remark, and where the step was checked what
// halving it changes.
class StatisticsTable {
  public:
    explicit StatisticsTable(const ensemble::StatisticsReport& report)
        : report_(report), step_is_checked_(!report.step_errors.empty()), table_(head()) {}

    void add_quantity(std::size_t q) {
        quantity_ = q, label_ = report_.names[q] + " [" + report_.units[q] + "]";
        if (row().count == 0) add("no values", {"-"}, study::no_value);
        for (const study::ReportedStatistic& statistic : study::reported_statistics)
            std::visit([&](auto member) { add(statistic, member); }, statistic.member);
        if (row().undefined)
            add("undefined",
                {grouped(row().undefined), row().probability ? "instances without a value, neither above nor below"
                                                             : "instances without a value"},
                study::no_value);
    }
    std::string text() const { return table_.text(2); }

  private:
    std::vector<std::string> head() const {
        std::vector<std::string> head = {"quantity", "statistic", "value", interval_head(report_), ""};
        if (step_is_checked_) head.insert(head.end() - 1, "step error");
        return head;
    }
    const study::QuantityStatistics& row() const { return report_.rows[quantity_]; }
    void add(const study::ReportedStatistic&, study::CountMember) {}
    void add(const study::ReportedStatistic& statistic, study::EstimateMember member) {
        const bool is_of_event = member == &study::QuantityStatistics::probability;
        if (const auto& estimate = row().*member)
            add(statistic.label + (is_of_event ? " " + report_.events[quantity_] : ""), estimate_cells(*estimate),
                step_error(statistic));
    }
    void add(const study::ReportedStatistic& statistic, study::ExtremeMember member) {
        if (const auto& extreme = row().*member)
            add(statistic.label, {significant(extreme->value), "instance " + grouped(extreme->instance)},
                step_error(statistic));
    }
    void add(const study::ReportedStatistic& statistic, study::QuantilesMember member) {
        for (const study::Quantile& quantile : row().*member)
            add(percent(quantile.probability) + " " + statistic.label, estimate_cells(quantile.estimate),
                step_error(statistic));
    }
    double step_error(const study::ReportedStatistic& statistic) const {
        if (!step_is_checked_ || statistic.step_error == nullptr) return study::no_value;
        return statistic.step_error(report_.step_errors[quantity_]);
    }
    // `step_error`: NaN where it is not known.
    void add(const std::string& statistic, std::vector<std::string> cells, double step_error) {
        std::vector<std::string> line = {label_, statistic};
        if (step_is_checked_) {
            cells.resize(std::max<std::size_t>(cells.size(), 2));
            cells.insert(cells.begin() + 2, std::isnan(step_error) ? "" : significant(step_error, 2));
        }
        line.insert(line.end(), cells.begin(), cells.end());
        table_.add(line);
        label_.clear();
    }

    const ensemble::StatisticsReport& report_;
    const bool step_is_checked_;
    TextTable table_;
    std::size_t quantity_ = 0;
    std::string label_;
};

std::string sensitivity_text(const ensemble::StatisticsReport& report) {
    if (report.sensitivities.empty() || report.parameters.empty()) return "";
    TextTable table({"quantity", "parameter", "share of the variance", interval_head(report), "rank correlation", ""});
    for (std::size_t q = 0; q < report.names.size(); ++q)
        for (std::size_t p = 0; p < report.parameters.size(); ++p) {
            const study::Sensitivity& one = report.sensitivities[q][p];
            std::vector<std::string> cells = estimate_cells(one.first_order);
            cells.insert(cells.end() - 1, significant(one.rank_correlation, 3));
            std::vector<std::string> line = {p == 0 ? report.names[q] : "", report.parameters[p]};
            line.insert(line.end(), cells.begin(), cells.end());
            table.add(line);
        }
    std::string text = table.text(2) + "\n";
    if (report.correlated.empty()) return text;
    text += "  shares overlap, and may add up to more than 1, because parameters are correlated:\n";
    for (const std::string& pair : report.correlated) text += "    " + pair + "\n";
    return text + "\n";
}

}  // namespace

std::string opening_text(const study::Study& study, const std::optional<results::InstanceRange>& range,
                         const std::string& device, const backends::MemoryPlan& plan, bool chunks_are_fixed,
                         std::uint64_t finished_before) {
    std::string text = printable(study.title.empty() ? study.file : study.title) + "\n";
    const auto add = [&](const std::string& line) { text += wrapped("  " + line, "    ") + "\n"; };
    add((range ? grouped(range->count) + " instances (" + text_of(*range) + " of " + grouped(study.instances) + ")"
               : grouped(study.instances) + " instances") +
        " of " + study.system->name + ", " + study.integrator.name + " on chart " + study.chart + ", " +
        steps_text(study) + ", " + significant(study.end_s) + " s, " + study::name_of(study.precision));
    if (study.mechanism)
        add("in " + std::string(study::name_of(study.coordinates)) + " coordinates" +
            (study.body_coordinates_because.empty() ? "" : ": " + study.body_coordinates_because) +
            (study.newton.exact_matrix ? ", with the exact iteration matrix" : ""));
    add(study.has_sampler() ? study.sampler().text() : study.design);
    add("on " + device);
    add(grouped(plan.bytes_per_instance) + " bytes per instance, " +
        (chunks_are_fixed ? grouped(plan.instances_per_chunk) + " instances per chunk"
                          : "chunks of 10 s, at most " + grouped(plan.instances_per_chunk) + " instances"));
    if (finished_before) add("going on after " + grouped(finished_before) + " finished instances");
    return text;
}

std::string statistics_text(const ensemble::StatisticsReport& report) {
    if (report.rows.empty()) return "";
    StatisticsTable table(report);
    for (std::size_t q = 0; q < report.rows.size(); ++q) table.add_quantity(q);
    return table.text() + (report.step_errors.empty() ? "\n" : "") + step_error_text(report) + sensitivity_text(report);
}

std::string summary_text(const study::Study& study, const ensemble::RunSummary& summary) {
    std::string text = statistics_text(ensemble::statistics_report(study, summary));

    TextTable table({"instances", grouped(summary.instances)});
    for (const auto& [status, count] : summary.by_status)
        table.add({"  " + status, grouped(count) + "  (" +
                                      percent(static_cast<double>(count) / static_cast<double>(summary.instances)) +
                                      ")"});
    for (const auto& [reason, count] : summary.by_reason)
        table.add({"  why", grouped(count) + ", the first is instance " +
                                std::to_string(summary.first_by_reason.at(reason)) + ": " + reason});
    for (const auto& [row, count] : summary.by_worst_row) table.add({"  not met", grouped(count) + ": " + row});
    if (summary.failed) table.add({"  excluded", percent(summary.failed_share()) + " of the statistics"});
    for (const auto& [what, count] : summary.by_warning) table.add({"  warning", grouped(count) + " " + what});
    if (summary.retried) table.add({"  retried", grouped(summary.retried)});
    for (const ensemble::InvariantDrift& drift : summary.drifts) {
        if (std::isnan(drift.worst)) continue;
        std::string value = significant(drift.worst, 3) + " " + drift.unit;
        if (!std::isnan(drift.worst_relative))
            value += ", " + significant(drift.worst_relative, 3) + " of its " +
                     (drift.is_of_size ? "size" : "initial value");
        table.add({"worst " + drift.name + " drift", value + ", instance " + grouped(drift.instance)});
    }
    for (const ensemble::CertificateFigure& figure : summary.figures) {
        if (std::isnan(figure.largest)) continue;
        const std::string where = ", instance " + grouped(figure.instance);
        if (figure.kind == study::CertificateKind::total)
            table.add({spaced(figure.name), significant(figure.per_step, 3) + " per step on average; at most " +
                                                significant(figure.largest, 9) + " in all" + where});
        else
            table.add(
                {"largest " + spaced(figure.name),
                 significant(figure.largest, 3) + (figure.unit == "1" ? "" : " " + figure.unit) +
                     (std::isnan(figure.share) ? ""
                                               : ", " + significant(figure.share, 3) + " of the size of the energy") +
                     where});
    }
    if (study.integrator.adaptive)
        table.add({"steps per instance",
                   significant(rate(summary.steps, static_cast<double>(summary.finished)), 5) + " accepted, " +
                       significant(rate(summary.rejected_steps, static_cast<double>(summary.finished)), 3) +
                       " rejected on average; at most " + grouped(summary.longest_steps)});
    if (summary.steps_this_time > 0) {
        const std::string steps = with_prefix(rate(summary.steps_this_time, summary.computing_seconds));
        table.add({"speed", steps + " instance-steps/s (" + summary.device + ")"});
        table.add({"  end to end", with_prefix(rate(summary.steps_this_time, summary.wall_seconds)) +
                                       " instance-steps/s in " + seconds_text(summary.wall_seconds) + ": " +
                                       seconds_text(summary.preparing_seconds) + " to start, " +
                                       seconds_text(summary.computing_seconds) + " computing, " +
                                       seconds_text(summary.drawing_seconds) + " waiting for samples and " +
                                       seconds_text(summary.saving_seconds) + " for the disk, " +
                                       seconds_text(summary.statistics_seconds) + " statistics, " +
                                       seconds_text(summary.closing_seconds) + " closing the file"});
    }
    if (summary.ending == ensemble::Ending::complete) {
        std::error_code error;
        const std::uint64_t size = std::filesystem::file_size(summary.out, error);
        table.add({"result", summary.out.string() + (error ? "" : " (" + bytes_text(size) + ")")});
    }
    return text + table.text(2);
}

ordered_json summary_json(const study::Study& study, const ensemble::RunSummary& summary) {
    const char* const endings[] = {"complete", "stopped_on_failure", "interrupted", "complete_before"};
    ordered_json json{{"ending", endings[static_cast<int>(summary.ending)]},
                      {"title", study.title},
                      {"system", study.system->name},
                      {"chart", study.chart},
                      {"integrator", study.integrator.name},
                      {"precision", study::name_of(study.precision)},
                      {"device", summary.device},
                      {"instances", summary.instances},
                      {"first_instance", summary.range.first},
                      {"finished", summary.finished},
                      {"failed", summary.failed},
                      {"by_status", summary.by_status},
                      {"by_reason", summary.by_reason},
                      {"first_by_reason", summary.first_by_reason},
                      {"warned", summary.warned},
                      {"by_warning", summary.by_warning},
                      {"retried", summary.retried}};
    json["drifts"] = ordered_json::array();
    for (const ensemble::InvariantDrift& drift : summary.drifts)
        json["drifts"].push_back({{"name", drift.name},
                                  {"unit", drift.unit},
                                  {"worst", number_json(drift.worst)},
                                  {"worst_relative", number_json(drift.worst_relative)},
                                  {"relative_to", drift.is_of_size ? "size of the energy" : "initial value"},
                                  {"instance", drift.instance}});
    if (study.mechanism) {
        json["coordinates"] = study::name_of(study.coordinates);
        if (!study.body_coordinates_because.empty()) json["body_coordinates_because"] = study.body_coordinates_because;
        json["by_worst_row"] = summary.by_worst_row;
    }
    if (study.mechanism || study.integrator.contact) {
        for (const ensemble::CertificateFigure& figure : summary.figures)
            json["certificate"].push_back({{"name", figure.name},
                                           {"unit", figure.unit},
                                           {"largest", number_json(figure.largest)},
                                           {"per_step", number_json(figure.per_step)},
                                           {"share_of_energy", number_json(figure.share)},
                                           {"instance", figure.instance}});
    }
    json["quantities"] = ordered_json::array();
    for (std::size_t q = 0; q < summary.statistics.size(); ++q)
        json["quantities"].push_back(StatisticsJson(study.quantities[q], summary.statistics[q]).taken());
    for (std::size_t q = 0; q < summary.step_errors.size(); ++q)
        json["quantities"][q]["step_error"] = step_error_json(summary.step_errors[q]);
    json["confidence"] = study.statistics.confidence;
    for (std::size_t q = 0; q < summary.sensitivities.size(); ++q)
        for (std::size_t p = 0; p < study.varied.size(); ++p) {
            const study::Sensitivity& one = summary.sensitivities[q][p];
            json["quantities"][q]["sensitivity"][study.varied[p].address] = {
                {"first_order", estimate_json(one.first_order)},
                {"rank_correlation", number_json(one.rank_correlation)}};
        }
    if (!summary.correlated.empty()) json["correlated_parameters"] = summary.correlated;
    json["steps"] = summary.steps;
    json["rejected_steps"] = summary.rejected_steps;
    json["computed_steps"] = summary.steps_this_time;
    json["instance_steps_per_s"] = number_json(rate(summary.steps_this_time, summary.computing_seconds));
    json["instance_steps_per_s_end_to_end"] = number_json(rate(summary.steps_this_time, summary.wall_seconds));
    json["seconds"] = {{"wall", summary.wall_seconds},
                       {"preparing", summary.preparing_seconds},
                       {"computing", summary.computing_seconds},
                       {"waiting_for_samples", summary.drawing_seconds},
                       {"waiting_for_disk", summary.saving_seconds},
                       {"statistics", summary.statistics_seconds},
                       {"closing_file", summary.closing_seconds}};
    json["bytes_per_instance"] = summary.plan.bytes_per_instance;
    json["instances_per_chunk"] = summary.plan.instances_per_chunk;
    json["result"] = summary.ending == ensemble::Ending::complete ? ordered_json(summary.out.string()) : nullptr;
    if (summary.ending != ensemble::Ending::complete) json["journal"] = summary.journal.string();
    return json;
}

}  // namespace myriad::program
