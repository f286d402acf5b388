#include "host/ensemble/result_columns.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string_view>

#include "host/ensemble/failure_detail.hpp"
#include "host/ensemble/warnings/energy_size.hpp"
#include "host/mechanism/linear/modes.hpp"
#include "host/statistics/no_value.hpp"
#include "host/text/words.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

using results::Attributes;
using results::Column;

std::string path_of(const study::CertificateEntry& entry, const char* what) {
    std::string name = entry.name;
    std::replace(name.begin(), name.end(), '.', '_');
    return "/instance/certificate/" + name + what;
}

std::vector<std::string> status_names() {
    std::vector<std::string> names;
    for (int i = 0; i < status_count; ++i) names.emplace_back(name_of(static_cast<Status>(i)));
    return names;
}

std::string warning_bits() {
    std::string text;
    for (const WarningDescription& warning : warning_descriptions)
        text +=
            (text.empty() ? "bits: " : ", ") + std::to_string(static_cast<int>(warning.bit)) + " " + warning.meaning;
    return text;
}

std::vector<std::string> reason_sentences() {
    std::vector<std::string> sentences;
    for (int i = 0; i < reason_count; ++i) sentences.emplace_back(sentence_of(static_cast<Reason>(i)));
    return sentences;
}

using Index = std::uint64_t;

// Columns one after the other. `value(finished, instance, k)` is number k of an instance of the chunk, row-major; of a
// column with one number `value(finished, instance)`.
class ColumnList {
  public:
    explicit ColumnList(backends::Precision precision) : precision_(precision) {}

    // One number for each instance.
    template <class Stored, class Value>
    Attributes& add(const std::string& path, const std::string& unit, const std::string& description, Value value) {
        return add_as<Stored>(
            {path, {}, {}, {{"unit", unit}, {"description", description}}, {}},
            [value](const FinishedInstances& finished, Index i, Index) { return value(finished, i); });
    }
    // In the precision of the study.
    template <class Value>
    void add_number(Column column, Value value) {
        add_number(std::move(column), precision_, value);
    }
    template <class Value>
    void add_number(Column column, backends::Precision precision, Value value) {
        if (precision == backends::Precision::fp64)
            add_as<double>(std::move(column), value);
        else
            add_as<float>(std::move(column), value);
    }
    std::vector<ResultColumn> taken() { return std::move(columns_); }

  private:
    template <class Stored, class Value>
    Attributes& add_as(Column column, Value value) {
        column.type = results::element_type_of<Stored>;
        const Index per_instance = bytes_per_instance(column) / sizeof(Stored);
        columns_.push_back(
            {std::move(column), [value, per_instance](const FinishedInstances& finished, std::byte* out) {
                 for (Index i = 0; i < finished.chunk.count; ++i)
                     for (Index k = 0; k < per_instance; ++k, out += sizeof(Stored)) {
                         const auto stored = static_cast<Stored>(value(finished, i, k));
                         std::memcpy(out, &stored, sizeof stored);
                     }
             }});
        return columns_.back().column.attributes;
    }

    backends::Precision precision_;
    std::vector<ResultColumn> columns_;
};

void add_ending(ColumnList& list) {
    using Finished = const FinishedInstances&;
    const auto failed = [](Finished of, Index i) {
        return of.chunk.status[i] != static_cast<std::int32_t>(Status::ok);
    };
    list.add<std::int64_t>("/instance/id", "1", "number of the instance in the study",
                           [](Finished of, Index i) { return of.first + i; });
    list.add<std::int32_t>("/instance/status", "1", "how the instance ended; `names` lists the codes, 0 is ok",
                           [](Finished of, Index i) { return of.chunk.status[i]; })["names"] = status_names();
    list.add<std::int32_t>("/instance/reason", "1", "why; `sentences` lists the codes",
                           [](Finished of, Index i) { return of.chunk.reason[i]; })["sentences"] = reason_sentences();
    list.add<std::int32_t>("/instance/warnings", "1", warning_bits(),
                           [](Finished of, Index i) { return of.chunk.warnings[i]; });
    list.add<std::int64_t>(
        "/instance/failed_step", "1", "accepted steps before the failure, -1 without one",
        [failed](Finished of, Index i) { return failed(of, i) ? of.chunk.steps[i] : std::int64_t{-1}; });
    list.add<double>("/instance/failed_time_s", "s", "time of the last good state, NaN without a failure",
                     [failed](Finished of, Index i) { return failed(of, i) ? of.chunk.time_s[i] : study::no_value; });
    list.add<std::int64_t>("/instance/certificate/steps", "1", "accepted steps",
                           [](Finished of, Index i) { return of.chunk.steps[i]; });
    list.add<std::int64_t>("/instance/certificate/rejected_steps", "1", "trial steps that the error control refused",
                           [](Finished of, Index i) { return of.chunk.rejected[i]; });
    list.add<std::int32_t>("/instance/certificate/runs", "1",
                           "how often the instance was run: 1, or more after a failure with on_failure retry",
                           [](Finished of, Index i) { return of.runs[i]; });
}

void add_detail(const study::Study& study, Index entries, ColumnList& list) {
    if (!study.mechanism) return;
    list.add<std::int32_t>(
        "/instance/detail", "1",
        "of an instance that could not be assembled the constraint row that is farthest from being met, or the contact "
        "whose bodies overlap most; of one whose matrix is singular the freedom of the tree that no inertia resists or "
        "a row that others determine, or one that was left out as redundant and is missed; `names` lists rows, "
        "contacts and freedoms, -1 is none",
        [detail = FailureDetail(study), entries](const FinishedInstances& of, Index i) {
            const double told = of.chunk.invariants_initial[i * entries + MechanismCertificate::constraint_residual];
            return detail.of_instance(of, i, told);
        })["names"] = detail_names(*study.mechanism);
}

void add_certificate(const study::Study& study, const std::vector<study::CertificateEntry>& certificate,
                     ColumnList& list) {
    const Index entries = certificate.size();
    for (Index k = 0; k < entries; ++k) {
        const study::CertificateEntry& entry = certificate[k];
        if (entry.is_of_size) continue;
        const bool drifts = entry.kind == study::CertificateKind::drift;
        if (drifts)
            list.add<double>(initial_path(entry), entry.unit, entry.name + " at the start",
                             [entries, k](const FinishedInstances& of, Index i) {
                                 return of.chunk.invariants_initial[i * entries + k];
                             });
        const std::string description =
            drifts ? "largest distance of " + entry.name + " from its initial value over all accepted steps" +
                         (entry.is_kept ? ""
                                        : ", with what friction and impacts took: energy_balance_error leaves that out")
                   : entry.meaning;
        list.add<double>(
            certificate_path(entry), entry.unit, description,
            [entries, k](const FinishedInstances& of, Index i) { return of.chunk.invariants_drift[i * entries + k]; });
    }
    const EnergySize size(study);
    if (!size.is_known()) return;
    list.add<double>(energy_size_path, "J",
                     "size of the energy: the largest kinetic energy, plus the range of the potential energy, plus the "
                     "largest absolute work, over the run",
                     [size](const FinishedInstances& of, Index i) { return size.size_J(of.chunk, i); });
    list.add<double>(energy_share_path, "1",
                     "drift of the energy, without what friction and impacts took, as a share of energy_size; a run "
                     "warns above `silent`",
                     [size](const FinishedInstances& of, Index i) { return size.drift_share(of.chunk, i); })["silent"] =
        silent_energy_drift;
}

void add_parameters(const study::Study& study, ColumnList& list) {
    for (Index p = 0; p < study.varied.size(); ++p)
        list.add<double>("/parameters/" + study.varied[p].address, study.varied[p].unit, study.varied[p].distribution,
                         [p](const FinishedInstances& of, Index i) { return of.varied[p * of.chunk.count + i]; });
}

// `time(finished, instance)` is that of the state.
template <class Time>
void add_state(const study::SystemDescription& system, const std::string& when,
               std::vector<double> backends::Chunk::*states, const Time& time, ColumnList& list) {
    const Index bodies = system.body_names.size();
    list.add<double>("/state/" + when + "/time", "s", "time of this state", time);
    Index first = 0;
    for (const study::DescribedChannel& channel : system.state_channels()) {
        const std::vector<std::string> components = words_of(channel.components);
        const Index width = components.size();
        list.add_number({"/state/" + when + "/" + channel.name,
                         {},
                         {bodies, width},
                         {{"unit", channel.unit},
                          {"frame", channel.frame},
                          {"components", components},
                          {"bodies", system.body_names},
                          {"description", channel.meaning}},
                         {"body", "component"}},
                        [states, bodies, width, first](const FinishedInstances& of, Index i, Index k) {
                            const Index body = k / width, component = k % width;
                            return (of.chunk.*states)[(i * bodies + body) * body_channels + first + component];
                        });
        first += width;
    }
}

void add_states(const study::Study& study, ColumnList& list) {
    add_state(
        *study.system, "initial", &backends::Chunk::initial_state, [](const FinishedInstances&, Index) { return 0.0; },
        list);
    add_state(
        *study.system, "final", &backends::Chunk::final_state,
        [](const FinishedInstances& of, Index i) { return of.chunk.time_s[i]; }, list);
}

void add_trajectories(const study::Observation& observation, backends::Precision precision, ColumnList& list) {
    const Index rows = observation.rows;
    Index observed = 0, before = 0;
    for (const study::ChannelGroup& group : observation.groups) observed += group.channels.size();
    for (const study::ChannelGroup& group : observation.groups) {
        Column column{"/trajectory/" + group.address,
                      {},
                      {rows},
                      {{"unit", group.unit},
                       {"frame", group.frame},
                       {"description", std::string("observed channel; NaN after the instance failed")}},
                      {"/trajectory/time"}};
        if (!group.bodies.empty()) {
            column.shape_per_instance.push_back(group.bodies.size());
            column.dimension_names.push_back("body");
            column.attributes["bodies"] = group.bodies;
        }
        if (!group.components.empty()) {
            column.shape_per_instance.push_back(group.components.size());
            column.dimension_names.push_back("component");
            column.attributes["components"] = group.components;
        }
        const Index width = group.channels.size();
        list.add_number(std::move(column), precision,
                        [rows, observed, before, width](const FinishedInstances& of, Index i, Index k) {
                            return of.chunk.trajectory[(i * rows + k / width) * observed + before + k % width];
                        });
        before += width;
    }
}

void add_quantities(const std::vector<study::Quantity>& quantities, ColumnList& list) {
    const Index count = quantities.size();
    for (Index q = 0; q < count; ++q) {
        const study::Quantity& quantity = quantities[q];
        list.add_number(
            {"/quantities/" + quantity.name,
             {},
             {},
             {{"unit", quantity.unit}, {"description", study::Study::meaning_of(quantity)}},
             {}},
            [count, q](const FinishedInstances& of, Index i, Index) { return of.chunk.quantities[i * count + q]; });
    }
}

// The axes of bodies and of components, by the names along them.
struct NamedAxis {
    const char *dimension, *attribute;
};
constexpr NamedAxis named_axes[] = {{"body", "bodies"}, {"component", "components"}};

const std::vector<std::string>& names_along(const Column& column, const NamedAxis& axis) {
    return std::get<std::vector<std::string>>(column.attributes.at(axis.attribute));
}

// In the root, where every folder sees it: /body and /component for the bodies of the system and for x, y, z; others
// have their names in it, as /component_w_x_y_z.
std::string scale_path(const NamedAxis& axis, const std::vector<std::string>& names,
                       const study::SystemDescription& system) {
    const bool is_usual = axis.dimension == std::string_view("body") ? std::ranges::equal(names, system.body_names)
                                                                     : names == std::vector<std::string>{"x", "y", "z"};
    std::string path = std::string("/") + axis.dimension;
    if (!is_usual)
        for (const std::string& name : names) path += '_' + name;
    std::replace(path.begin() + 1, path.end(), '/', '_');
    return path;
}

// Replaces the names of such axes by the paths of their scales, and calls `visit(path, names)` for each.
template <class Visit>
void name_axes(const study::SystemDescription& system, Column& column, const Visit& visit) {
    for (std::string& dimension : column.dimension_names)
        for (const NamedAxis& axis : named_axes)
            if (dimension == axis.dimension) {
                const std::vector<std::string>& names = names_along(column, axis);
                visit(dimension = scale_path(axis, names, system), names);
            }
}

}  // namespace

std::string certificate_path(const study::CertificateEntry& entry) {
    switch (entry.kind) {
        case study::CertificateKind::drift:
            return path_of(entry, "_drift");
        case study::CertificateKind::largest:
        case study::CertificateKind::remark:
            return path_of(entry, "_largest");
        default:
            return path_of(entry, "");
    }
}

std::string initial_path(const study::CertificateEntry& entry) { return path_of(entry, "_initial"); }

std::vector<ResultColumn> result_columns(const study::Study& study) {
    ColumnList list(study.precision);
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    add_ending(list);
    add_detail(study, certificate.size(), list);
    if (study.has_modes())
        list.add<std::int32_t>("/instance/equilibrium", "1",
                               "stability of the equilibrium at which the instance was linearised; `names` lists the "
                               "codes: none was found, "
                               "no motion about it grows, none but rigid ones drifts, some grow",
                               [](const FinishedInstances& of, Index i) { return of.chunk.stability[i]; })["names"] =
            std::vector<std::string>(std::begin(mechanism::stability_names), std::end(mechanism::stability_names));
    if (study.results.keeps_certificate) add_certificate(study, certificate, list);
    add_parameters(study, list);
    if (study.results.keeps_states) add_states(study, list);
    if (study.results.keeps_trajectories) add_trajectories(study.observation, study.results.trajectory_precision, list);
    if (study.results.keeps_quantities) add_quantities(study.quantities, list);
    return list.taken();
}

results::Layout result_layout(const study::Study& study, results::InstanceRange range) {
    results::Layout layout;
    layout.instances = range.count;
    layout.first_instance = range.first;
    layout.study_instances = study.instances;
    layout.compression = study.results.compression;
    for (ResultColumn& column : result_columns(study)) {
        name_axes(*study.system, column.column, [](const auto&, const auto&) {});
        layout.columns.push_back(std::move(column.column));
    }
    layout.columns.front().also_at = "/id";
    return layout;
}

std::vector<results::FixedDataset> result_axes(const study::Study& study) {
    std::vector<results::FixedDataset> axes;
    if (study.observation.rows > 0 && study.results.keeps_trajectories) {
        const std::vector<double> times = study.observation_times_s();
        axes.push_back(
            {"/trajectory/time",
             {times.size()},
             times,
             {{"unit", std::string("s")}, {"description", std::string("times of the rows of the trajectory")}},
             {},
             "/time"});
    }
    std::set<std::string> named;
    for (ResultColumn& column : result_columns(study))
        name_axes(*study.system, column.column, [&](const std::string& path, const std::vector<std::string>& names) {
            if (named.insert(path).second)
                axes.push_back({path, {names.size()}, names, {{"description", std::string("names along this axis")}}});
        });
    return axes;
}

bool has_column(const results::Layout& layout, const std::string& path) {
    return std::ranges::any_of(layout.columns, [&](const auto& column) { return column.path == path; });
}

std::vector<std::string> stored_detail_names(const results::Layout& layout) {
    for (const results::Column& column : layout.columns) {
        if (column.path != "/instance/detail") continue;
        const auto names = column.attributes.find("names");
        const auto* texts =
            names == column.attributes.end() ? nullptr : std::get_if<std::vector<std::string>>(&names->second);
        if (texts) return *texts;
    }
    return {};
}

std::size_t column_of(const results::Layout& layout, const std::string& path) {
    for (std::size_t i = 0; i < layout.columns.size(); ++i)
        if (layout.columns[i].path == path) return i;
    throw std::logic_error("no column " + path);
}

void ChunkColumns::fill(const FinishedInstances& finished) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        bytes_[c].resize(finished.chunk.count * bytes_per_instance(columns_[c].column));
        columns_[c].fill(finished, bytes_[c].data());
    }
}

}  // namespace myriad::ensemble
