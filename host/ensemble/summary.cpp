#include "host/ensemble/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/ensemble/memory_need.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/ensemble/statistics_datasets.hpp"
#include "host/ensemble/warnings/contact_warnings.hpp"
#include "host/ensemble/warnings/energy_size.hpp"
#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/linear/modes.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/statistics/no_value.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

// A column over all instances; those that are not finished keep `missing`.
template <class Value>
std::vector<Value> column(const results::InstanceSource& source, const std::string& path, Value missing) {
    const std::size_t index = column_of(source.layout(), path);
    std::vector<Value> values(source.layout().instances, missing);
    for (const results::InstanceRange& range : source.finished())
        source.read(index, range, std::as_writable_bytes(std::span(values).subspan(range.first, range.count)));
    return values;
}

std::vector<double> number_column(const results::InstanceSource& source, const std::string& path) {
    if (source.layout().columns[column_of(source.layout(), path)].type == results::ElementType::float64)
        return column<double>(source, path, study::no_value);
    const std::vector<float> single = column<float>(source, path, static_cast<float>(study::no_value));
    return {single.begin(), single.end()};
}

// A column of codes from `lowest` to below `end`; a file that holds others was not written by this program.
std::vector<std::int32_t> code_column(const results::InstanceSource& source, const RunSummary& summary,
                                      const std::string& path, std::int32_t missing, std::int32_t lowest,
                                      std::int32_t end) {
    std::vector<std::int32_t> codes = column<std::int32_t>(source, path, missing);
    for (const std::int32_t code : codes)
        if (code < lowest || code >= end)
            throw UserError(ExitCode::output, (summary.journal.empty() ? summary.out : summary.journal).string(),
                            "it holds the code " + std::to_string(code) + " in " + path + ", which means nothing",
                            "delete it and run the study again");
    return codes;
}

std::uint64_t count_beyond(double limit, const std::vector<double>& values,
                           const std::vector<unsigned char>& included) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) count += included[i] && values[i] > limit;
    return count;
}

// Instances that assembly moves from the poses they are given. Bodies without a pose are meant to be moved.
void count_moved(const study::Study& study, const std::vector<double>& corrections,
                 const std::vector<unsigned char>& included, RunSummary& summary) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    for (std::size_t b = 0; b < mechanism.body_names.size(); ++b) {
        const bool is_solved = !mechanism.body_start_is_solved.empty() && mechanism.body_start_is_solved[b];
        if (!mechanism.body_is_placed[b] && !is_solved) return;
    }
    if (const std::uint64_t moved = count_beyond(mechanism::silent_share, corrections, included); moved > 0)
        summary.by_warning["whose poses assembly moved by more than 0.001 (of the length scale, and rad)"] = moved;
}
// Instances in which it changes given velocities.
void count_slowed(const std::vector<double>& corrections, const std::vector<unsigned char>& included,
                  RunSummary& summary) {
    if (const std::uint64_t slowed = count_beyond(mechanism::silent_share, corrections, included); slowed > 0)
        summary.by_warning
            ["whose given velocities contradict each other, the joints, the couplings, the drivers or a start at "
             "rest: the start changed them by more than 0.001 1/s (rad/s, and m/s over the length scale)"] = slowed;
}

// Their modes are those of an equilibrium that the mechanism does not stay at.
void count_unstable(const results::InstanceSource& source, const std::vector<unsigned char>& included,
                    RunSummary& summary) {
    const auto stability = column<std::int32_t>(source, "/instance/equilibrium", 0);
    std::uint64_t unstable = 0;
    for (std::size_t i = 0; i < stability.size(); ++i)
        unstable += included[i] && stability[i] == static_cast<std::int32_t>(mechanism::Stability::unstable);
    if (unstable > 0) summary.by_warning["that are linearised at an unstable equilibrium"] = unstable;
}

ContactNumbers contact_numbers(const std::vector<study::CertificateEntry>& certificate,
                               const results::InstanceSource& source) {
    ContactNumbers numbers;
    for (const study::CertificateEntry& entry : certificate)
        for (const auto& [name, values] :
             {std::pair{"jumped_contacts", &numbers.jumped}, std::pair{"fastest_jumped_contact", &numbers.fastest_1_s},
              std::pair{"jumped_contact_bits", &numbers.jumped_bits}, std::pair{"sunk_depth", &numbers.sunk_m},
              std::pair{"sunk_contact_bits", &numbers.sunk_bits}, std::pair{"crowded_steps", &numbers.crowded}})
            if (entry.name == name) *values = number_column(source, certificate_path(entry));
    return numbers;
}

// `sizes`: of the energy, for an energy where they are known; else empty.
InvariantDrift worst_drift(const study::CertificateEntry& entry, const std::vector<double>& drift,
                           const std::vector<double>& initial, const std::vector<double>& sizes,
                           const std::vector<unsigned char>& included, std::uint64_t first_instance) {
    InvariantDrift worst{entry.name, entry.unit, study::no_value, study::no_value, !sizes.empty(), 0};
    double largest = study::no_value;
    for (std::size_t i = 0; i < drift.size(); ++i) {
        const double size = sizes.empty() ? std::abs(initial[i]) : sizes[i], relative = drift[i] / size,
                     compared = sizes.empty() || size == 0.0 ? drift[i] : relative;
        if (!included[i] || compared <= largest) continue;
        largest = compared, worst.worst = drift[i], worst.instance = first_instance + i;
        worst.worst_relative = size != 0.0 ? relative : study::no_value;
    }
    return worst;
}

void warn_of_energy(const std::vector<double>& shares, const std::vector<unsigned char>& included,
                    RunSummary& summary) {
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) beyond += included[i] && shares[i] > silent_energy_drift;
    if (beyond > 0) summary.by_warning[energy_warning] = beyond;
}

CertificateFigure figure(const study::CertificateEntry& entry, const std::vector<double>& values,
                         const std::vector<double>& sizes, const std::vector<unsigned char>& included,
                         std::uint64_t steps, std::uint64_t first_instance) {
    CertificateFigure figure{entry.name, entry.unit, entry.kind, study::no_value, 0, study::no_value, study::no_value};
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!included[i]) continue;
        sum += values[i];
        if (values[i] <= figure.largest) continue;
        figure.largest = values[i], figure.instance = first_instance + i;
        if (!sizes.empty() && sizes[i] != 0.0) figure.share = values[i] / sizes[i];
    }
    if (entry.kind == study::CertificateKind::total && steps > 0) figure.per_step = sum / static_cast<double>(steps);
    return figure;
}

}  // namespace

void summarize(const study::Study& study, const results::InstanceSource& source, const backends::Backend& backend,
               RunSummary& summary) {
    const std::uint64_t first_instance = source.layout().first_instance;
    const auto not_run = static_cast<std::int32_t>(Status::not_run);
    const auto status = code_column(source, summary, "/instance/status", not_run, 0, status_count);
    const auto reason = code_column(source, summary, "/instance/reason", 0, 0, reason_count);
    const auto warnings = column<std::int32_t>(source, "/instance/warnings", 0);
    const auto runs = column<std::int32_t>(source, "/instance/certificate/runs", 1);
    const auto steps = column<std::int64_t>(source, "/instance/certificate/steps", 0);
    const auto rejected = column<std::int64_t>(source, "/instance/certificate/rejected_steps", 0);
    std::vector<unsigned char> included(status.size());
    for (std::size_t i = 0; i < status.size(); ++i) {
        included[i] = status[i] == static_cast<std::int32_t>(Status::ok);
        ++summary.by_status[name_of(static_cast<Status>(status[i]))];
        if (!included[i] && status[i] != not_run) {
            ++summary.failed;
            const std::string why = sentence_of(static_cast<Reason>(reason[i]));
            ++summary.by_reason[why];
            summary.first_by_reason.try_emplace(why, first_instance + i);
        }
        summary.warned += warnings[i] != 0;
        for (const WarningDescription& warning : warning_descriptions)
            if (warnings[i] & static_cast<std::int32_t>(warning.bit)) ++summary.by_warning[warning.instances];
        summary.retried += runs[i] > 1;
        summary.steps += static_cast<std::uint64_t>(steps[i]);
        summary.rejected_steps += static_cast<std::uint64_t>(rejected[i]);
        summary.longest_steps = std::max(summary.longest_steps, static_cast<std::uint64_t>(steps[i] + rejected[i]));
    }
    if (study.mechanism) {
        const std::vector<std::string> names = stored_detail_names(source.layout());
        const auto end = static_cast<std::int32_t>(names.size());
        for (const std::int32_t row : code_column(source, summary, "/instance/detail", -1, -1, end))
            if (row >= 0) ++summary.by_worst_row[names[static_cast<std::size_t>(row)]];
    }
    std::uint64_t included_steps = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (included[i]) included_steps += static_cast<std::uint64_t>(steps[i]);
    std::vector<study::CertificateEntry> certificate =
        study.results.keeps_certificate ? study.certificate() : std::vector<study::CertificateEntry>();
    // Files of older versions lack entries that have come since.
    std::erase_if(certificate, [&](const study::CertificateEntry& entry) {
        const auto has = [&](const std::string& path) { return has_column(source.layout(), path); };
        const bool is_whole =
            has(certificate_path(entry)) && (entry.kind != study::CertificateKind::drift || has(initial_path(entry)));
        return entry.is_kept && !is_whole;
    });
    std::vector<double> energy_sizes;
    if (has_column(source.layout(), energy_size_path)) {
        energy_sizes = number_column(source, energy_size_path);
        // The motion of a kinematic run is exact; its balance errs by the sum of the work alone.
        if (!study.integrator.kinematic) warn_of_energy(number_column(source, energy_share_path), included, summary);
    }
    for (const study::CertificateEntry& entry : certificate) {
        // The energy that friction and impacts take is no error of the method: energy_balance_error tells that error.
        if (!entry.is_kept || entry.is_of_size) continue;
        const bool is_energy = entry.name.find("energy") != std::string::npos;
        const std::vector<double> sizes = is_energy ? energy_sizes : std::vector<double>();
        const std::vector<double> values = number_column(source, certificate_path(entry));
        if (entry.kind == study::CertificateKind::drift)
            summary.drifts.push_back(worst_drift(entry, values, number_column(source, initial_path(entry)), sizes,
                                                 included, first_instance));
        else if (entry.kind != study::CertificateKind::remark)
            summary.figures.push_back(figure(entry, values, sizes, included, included_steps, first_instance));
        if (study.mechanism && entry.name == "assembly_correction") count_moved(study, values, included, summary);
        if (study.mechanism && entry.name == "velocity_correction") count_slowed(values, included, summary);
    }
    if (study.mechanism && study.integrator.contact && study.results.keeps_certificate)
        warn_of_contacts(study, contact_numbers(certificate, source), included, summary.by_warning);
    if (has_column(source.layout(), "/instance/equilibrium")) count_unstable(source, included, summary);
    const study::Intervals intervals = study.intervals();
    std::vector<std::vector<double>> parameters;
    if (study.statistics.sensitivity)
        for (const study::VariedParameter& parameter : study.varied)
            parameters.push_back(number_column(source, "/parameters/" + parameter.address));
    for (const study::Quantity& quantity : study.quantities) {
        const std::vector<double> all = number_column(source, "/quantities/" + quantity.name);
        study::QuantityStatistics row;
        std::vector<study::Sensitivity> shares(parameters.size());
        const auto compute = [&](std::uint64_t item) {
            if (item > 0) {
                shares[item - 1] =
                    study::sensitivity(parameters[item - 1], all, included, intervals, study.statistics.confidence);
                return;
            }
            row = study::quantity_statistics(
                all, included, intervals, study.statistics,
                [&](std::span<const double> values, std::span<const unsigned char> mask, std::uint64_t first,
                    std::uint64_t stride) { return backend.sorted_sample(values, mask, first, stride); },
                quantity.event);
        };
        visit_instances(1 + parameters.size(), 1, statistics_threads, [&] { return compute; });
        // Rows of a range lie among the replicates of its design as those of the study do, in another order.
        if (row.min) row.min->instance += first_instance;
        if (row.max) row.max->instance += first_instance;
        summary.statistics.push_back(std::move(row));
        if (summary.step_check) {
            std::vector<double> at_step;
            for (const std::int64_t instance : summary.step_check->instances)
                at_step.push_back(all[static_cast<std::uint64_t>(instance) - first_instance]);
            summary.step_errors.push_back(
                step_error_of(study, *summary.step_check, summary.step_errors.size(), at_step));
        }
        if (study.statistics.sensitivity) summary.sensitivities.push_back(std::move(shares));
    }
    if (!study.statistics.sensitivity || !study.may_be_correlated()) return;
    for (const auto& [one, other] : study::correlated_pairs(parameters, included))
        summary.correlated.push_back(study.varied[one].address + " and " + study.varied[other].address);
}

std::vector<std::int64_t> instances_run_once(const results::InstanceSource& source) {
    const auto not_run = static_cast<std::int32_t>(Status::not_run);
    const auto status = column<std::int32_t>(source, "/instance/status", not_run);
    const auto runs = column<std::int32_t>(source, "/instance/certificate/runs", 1);
    std::vector<std::int64_t> instances;
    for (std::size_t i = 0; i < status.size(); ++i)
        if (status[i] == static_cast<std::int32_t>(Status::ok) && runs[i] == 1)
            instances.push_back(static_cast<std::int64_t>(source.layout().first_instance + i));
    return instances;
}

std::vector<results::FixedDataset> fixed_datasets(const study::Study& study, const RunSummary& summary,
                                                  std::vector<results::FixedDataset> axes) {
    std::vector<results::FixedDataset> fixed = std::move(axes);
    for (results::FixedDataset& dataset : statistics_datasets(statistics_report(study, summary)))
        fixed.push_back(std::move(dataset));
    if (summary.step_check)
        for (results::FixedDataset& dataset : step_check_datasets(study, *summary.step_check))
            fixed.push_back(std::move(dataset));
    return fixed;
}

}  // namespace myriad::ensemble
