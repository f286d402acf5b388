#include "host/program/bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/program/text/json_output.hpp"
#include "host/program/text/text_table.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

ordered_json spread_json(const Spread& spread) {
    if (spread.repetitions == 0) return nullptr;
    return {{"median", number_json(spread.median)},
            {"min", number_json(spread.smallest)},
            {"max", number_json(spread.largest)},
            {"repetitions", spread.repetitions}};
}

ordered_json row_json(const BenchReport& report, const BenchRow& row) {
    ordered_json figures = ordered_json::object();
    for (const BenchFigure& figure : row.figures)
        figures[figure.name] = {{"value", number_json(figure.value)}, {"unit", figure.unit}};
    const auto or_null = [](auto value) { return value > 0 ? ordered_json(value) : ordered_json(nullptr); };
    return {{"bench", row.bench},
            {"subject", row.subject},
            {"hardware", row.hardware.empty() ? report.hardware : row.hardware},
            {"compiler", report.compiler},
            {"backend", row.backend},
            {"precision", row.precision},
            {"step_s", or_null(row.step_s)},
            {"width", or_null(row.width)},
            {"threads", or_null(row.threads)},
            {"instances", row.instances},
            {"steps", row.steps},
            {"converged_share", number_json(row.converged_share)},
            {"worst_invariant", row.worst_invariant},
            {"worst_relative_drift", number_json(row.worst_relative_drift)},
            {"clock", row.clock},
            {"seconds", spread_json(row.seconds)},
            {"instance_steps_per_s", spread_json(row.instance_steps_per_s)},
            {"figures", figures},
            {"note", row.note}};
}

std::string spread_text(const Spread& spread, std::string (*text)(double)) {
    if (spread.repetitions == 0) return "-";
    if (spread.repetitions == 1) return text(spread.median);
    return text(spread.median) + " (" + text(spread.smallest) + " to " + text(spread.largest) + ")";
}

std::string count_text(int count) { return count ? std::to_string(count) : "-"; }

std::string lines(const char* open, const std::vector<std::string>& items, const char* close) {
    std::string text = open;
    for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + items[i];
    return text + (items.empty() ? "" : "\n  ") + close;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    Spread spread;
    if (values.empty()) return spread;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    spread.median = values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
    spread.smallest = values.front();
    spread.largest = values.back();
    spread.repetitions = static_cast<int>(values.size());
    return spread;
}

std::string bench_text(const BenchReport& report) {
    std::string text = report.hardware + ", " + std::to_string(report.cores) +
                       (report.cores == 1 ? " core" : " cores") + "; " + report.compiler + "; commit " + report.commit +
                       "\nrates: median (smallest to largest); compare rows by their ratio\n";
    std::size_t begin = 0;
    while (begin < report.rows.size()) {
        std::size_t end = begin;
        while (end < report.rows.size() && report.rows[end].bench == report.rows[begin].bench) ++end;
        text += "\n" + report.rows[begin].bench + "\n";
        TextTable table({"subject", "backend", "clock", "precision", "step", "width", "threads", "instances", "steps",
                         "ok", "worst drift", "seconds", "instance-steps/s"});
        for (std::size_t i = begin; i < end; ++i) {
            const BenchRow& row = report.rows[i];
            if (row.instances == 0) continue;
            table.add({row.subject, row.backend, row.clock, row.precision,
                       row.step_s > 0.0 ? significant(row.step_s) + " s" : "own", count_text(row.width),
                       count_text(row.threads), grouped(row.instances), grouped(row.steps),
                       std::isnan(row.converged_share) ? "-" : significant(100.0 * row.converged_share, 4) + " %",
                       significant(row.worst_relative_drift, 2),
                       row.instance_steps_per_s.repetitions > 0 ? seconds_text(row.seconds.median)
                                                                : spread_text(row.seconds, seconds_text),
                       spread_text(row.instance_steps_per_s, with_prefix)});
        }
        const std::string rows_text = table.text(4, "  ");
        if (std::count(rows_text.begin(), rows_text.end(), '\n') > 1) text += rows_text;
        TextTable figures({"", "", ""});
        for (std::size_t i = begin; i < end; ++i) {
            const BenchRow& row = report.rows[i];
            std::string subject = row.subject;
            if (row.width) subject += ", width " + std::to_string(row.width);
            if (row.threads)
                subject += row.threads == 1 ? ", 1 thread" : ", " + std::to_string(row.threads) + " threads";
            for (const BenchFigure& figure : row.figures)
                figures.add({subject, figure.name, significant(figure.value, 4) + " " + figure.unit}), subject.clear();
            if (!row.note.empty()) figures.add({subject, row.note, ""});
        }
        const std::string figures_text = figures.text(3, "  ");
        text += figures_text.substr(figures_text.find('\n') + 1);
        begin = end;
    }
    for (const BenchPage& page : report.pages) text += "\n" + page.markdown;
    return text;
}

std::string bench_json_text(const BenchReport& report) {
    std::vector<std::string> rows, pages;
    for (const BenchRow& row : report.rows) rows.push_back(row_json(report, row).dump());
    for (const BenchPage& page : report.pages)
        pages.push_back(ordered_json(page.file).dump() + ": " + ordered_json(page.markdown).dump());
    return "{\n  \"hardware\": " + ordered_json(report.hardware).dump() +
           ",\n  \"cores\": " + std::to_string(report.cores) +
           ",\n  \"compiler\": " + ordered_json(report.compiler).dump() +
           ",\n  \"commit\": " + ordered_json(report.commit).dump() + ",\n  \"rows\": " + lines("[", rows, "]") +
           ",\n  \"pages\": " + lines("{", pages, "}") + "\n}\n";
}

}  // namespace myriad::program
