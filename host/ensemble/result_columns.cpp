#include "host/ensemble/result_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/study/study_mechanism.hpp"
#include "kernels/status.hpp"

namespace myriad::ensemble {

namespace {

using results::Attributes;
using results::Column;
using results::ElementType;

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

std::vector<std::string> reason_sentences() {
    std::vector<std::string> sentences;
    for (int i = 0; i < reason_count; ++i) sentences.emplace_back(sentence_of(static_cast<Reason>(i)));
    return sentences;
}

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> list;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        list.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

// A mechanism's kernel has no initial value to give beside a constraint residual. It leaves 1 + the number of the worst
// constraint row there when the mechanism could not be put together, else 0.
std::int32_t worst_row(double from_kernel) {
    return from_kernel >= 1.0 ? static_cast<std::int32_t>(from_kernel) - 1 : -1;
}

// The contact with the smallest gap, for an instance whose bodies overlap at the start: the kernel does not name it. -1
// where the mechanism cannot be put together outside the kernel. `varied` is [parameter][count].
std::int32_t deepest_contact(const study::Study& study, const std::vector<double>& varied, std::uint64_t count,
                             std::uint64_t instance) {
    std::vector<double> values = study.parameters;
    for (std::size_t p = 0; p < study.varied.size(); ++p)
        values[static_cast<std::size_t>(study.varied[p].parameter)] = varied[p * count + instance];
    const std::vector<double> gaps =
        mechanism::initial_gaps(*study.mechanism, study.mechanism->kernel_parameters(values, study.given));
    std::int32_t deepest = -1;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < gaps.size(); ++c)
        if (!(smallest <= gaps[c])) smallest = gaps[c], deepest = static_cast<std::int32_t>(c);
    return deepest;
}

// The channels that make up the state of a body, in the order of the kernel's channels.
struct StateChannel {
    const char* name;
    std::uint64_t first, components;
};
constexpr StateChannel state_channels[] = {
    {"position", 0, 3}, {"orientation", 3, 4}, {"velocity", 7, 3}, {"angular_velocity", 10, 3}};
constexpr std::uint64_t channels_per_body = 13;

void add_state(const study::Study& study, const std::string& when, ElementType number, std::vector<Column>& columns) {
    const auto bodies = static_cast<std::uint64_t>(study.system->body_names.size());
    columns.push_back({"/state/" + when + "/time",
                       ElementType::float64,
                       {},
                       false,
                       {{"unit", std::string("s")}, {"description", std::string("time of this state")}},
                       {}});
    for (const StateChannel& state : state_channels) {
        const study::DescribedChannel& channel =
            study.system->channels[static_cast<std::size_t>(&state - state_channels)];
        columns.push_back({"/state/" + when + "/" + state.name,
                           number,
                           {bodies, state.components},
                           false,
                           {{"unit", channel.unit},
                            {"frame", channel.frame},
                            {"components", words(channel.components)},
                            {"bodies", study.system->body_names},
                            {"description", channel.meaning}},
                           {"body", "component"}});
    }
}

}  // namespace

std::string certificate_path(const study::CertificateEntry& entry) {
    switch (entry.kind) {
        case study::CertificateKind::drift:
            return path_of(entry, "_drift");
        case study::CertificateKind::largest:
            return path_of(entry, "_largest");
        default:
            return path_of(entry, "");
    }
}

std::string initial_path(const study::CertificateEntry& entry) { return path_of(entry, "_initial"); }

results::Layout result_layout(const study::Study& study, results::InstanceRange range) {
    const ElementType number =
        study.precision == backends::Precision::fp64 ? ElementType::float64 : ElementType::float32;
    results::Layout layout;
    layout.instances = range.count;
    layout.first_instance = range.first;
    layout.study_instances = study.instances;
    std::vector<Column>& columns = layout.columns;
    const auto add = [&](const std::string& path, ElementType type, const std::string& unit,
                         const std::string& description) -> Column& {
        columns.push_back({path, type, {}, false, {{"unit", unit}, {"description", description}}, {}});
        return columns.back();
    };
    add("/instance/id", ElementType::int64, "1", "number of the instance in the study");
    add("/instance/status", ElementType::int32, "1", "how the instance ended; `names` lists the codes, 0 is ok")
        .attributes["names"] = status_names();
    add("/instance/reason", ElementType::int32, "1", "why; `sentences` lists the codes").attributes["sentences"] =
        reason_sentences();
    add("/instance/warnings", ElementType::int32, "1",
        "bits: 1 the inertia breaks the triangle inequality, 2 the initial velocity was moved onto the constraints, "
        "4 by its contact law an impact may gain energy");
    add("/instance/failed_step", ElementType::int64, "1", "accepted steps before the failure, -1 without one");
    add("/instance/failed_time_s", ElementType::float64, "s", "time of the last good state, NaN without a failure");
    add("/instance/certificate/steps", ElementType::int64, "1", "accepted steps");
    add("/instance/certificate/rejected_steps", ElementType::int64, "1", "trial steps that the error control refused");
    add("/instance/certificate/runs", ElementType::int32, "1",
        "how often the instance was run: 1, or more after a failure with on_failure retry");
    if (study.mechanism)
        add("/instance/detail", ElementType::int32, "1",
            "of an instance that could not be assembled the constraint row that is farthest from being met, or the "
            "contact whose bodies overlap most; `names` lists rows and contacts, -1 is none")
            .attributes["names"] = detail_names(*study.mechanism);
    for (const study::CertificateEntry& entry : study.certificate()) {
        if (entry.kind != study::CertificateKind::drift) {
            add(certificate_path(entry), ElementType::float64, entry.unit, entry.meaning);
            continue;
        }
        add(initial_path(entry), ElementType::float64, entry.unit, entry.name + " at the start");
        add(certificate_path(entry), ElementType::float64, entry.unit,
            "largest distance of " + entry.name + " from its initial value over all accepted steps" +
                (entry.is_kept ? "" : ", with what friction and impacts took: energy_balance_error leaves that out"));
    }
    for (const study::VariedParameter& parameter : study.varied)
        add("/parameters/" + parameter.address, ElementType::float64, parameter.unit, parameter.distribution);
    add_state(study, "initial", number, columns);
    add_state(study, "final", number, columns);
    for (const study::ChannelGroup& group : study.observation.groups) {
        Column column{
            "/trajectory/" + group.address, number, {study.observation.rows}, false, {}, {"/trajectory/time"}};
        column.attributes = {{"unit", group.unit},
                             {"frame", group.frame},
                             {"description", std::string("observed channel; NaN after the instance failed")}};
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
        columns.push_back(std::move(column));
    }
    for (const study::Quantity& quantity : study.quantities)
        add("/quantities/" + quantity.name, number, quantity.unit,
            std::string(study::name_of(quantity.reduction)) + " of " + quantity.channel_address +
                " over all accepted steps");
    return layout;
}

std::vector<results::FixedDataset> result_axes(const study::Study& study) {
    if (study.observation.rows == 0) return {};
    const std::vector<double> times = study.observation_times_s();
    return {{"/trajectory/time",
             {times.size()},
             times,
             {{"unit", std::string("s")}, {"description", std::string("times of the rows of the trajectory")}},
             {}}};
}

std::vector<std::string> detail_names(const mechanism::Mechanism& mechanism) {
    std::vector<std::string> names = study::constraint_row_names(mechanism);
    for (const std::string& contact : mechanism.contact_names) names.push_back("contacts." + contact);
    return names;
}

std::size_t column_of(const results::Layout& layout, const std::string& path) {
    for (std::size_t i = 0; i < layout.columns.size(); ++i)
        if (layout.columns[i].path == path) return i;
    throw std::logic_error("no column " + path);
}

template <class Stored, class Value>
void ChunkColumns::add(std::uint64_t count, std::uint64_t per_instance, const Value& value) {
    if (next_ == columns_.size()) columns_.emplace_back();
    std::vector<std::byte>& bytes = columns_[next_++];
    bytes.resize(count * per_instance * sizeof(Stored));
    std::byte* out = bytes.data();
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint64_t k = 0; k < per_instance; ++k, out += sizeof(Stored)) {
            const auto stored = static_cast<Stored>(value(i, k));
            std::memcpy(out, &stored, sizeof stored);
        }
}

template <class Value>
void ChunkColumns::add_number(std::uint64_t count, std::uint64_t per_instance, const Value& value) {
    if (study_.precision == backends::Precision::fp64)
        add<double>(count, per_instance, value);
    else
        add<float>(count, per_instance, value);
}

void ChunkColumns::fill(std::uint64_t first, const backends::Chunk& chunk, const std::vector<double>& varied,
                        const std::vector<std::int32_t>& runs) {
    using Index = std::uint64_t;
    next_ = 0;
    const Index n = chunk.count, bodies = study_.system->body_names.size();
    const auto failed = [&](Index i) { return chunk.status[i] != static_cast<std::int32_t>(Status::ok); };
    add<std::int64_t>(n, 1, [&](Index i, Index) { return static_cast<std::int64_t>(first + i); });
    add<std::int32_t>(n, 1, [&](Index i, Index) { return chunk.status[i]; });
    add<std::int32_t>(n, 1, [&](Index i, Index) { return chunk.reason[i]; });
    add<std::int32_t>(n, 1, [&](Index i, Index) { return chunk.warnings[i]; });
    add<std::int64_t>(n, 1, [&](Index i, Index) { return failed(i) ? chunk.steps[i] : std::int64_t{-1}; });
    add<double>(n, 1,
                [&](Index i, Index) { return failed(i) ? chunk.time_s[i] : std::numeric_limits<double>::quiet_NaN(); });
    add<std::int64_t>(n, 1, [&](Index i, Index) { return chunk.steps[i]; });
    add<std::int64_t>(n, 1, [&](Index i, Index) { return chunk.rejected[i]; });
    add<std::int32_t>(n, 1, [&](Index i, Index) { return runs[i]; });
    const std::vector<study::CertificateEntry> certificate = study_.certificate();
    const Index entries = certificate.size();
    if (study_.mechanism) {
        const auto rows = static_cast<std::int32_t>(study::constraint_row_names(*study_.mechanism).size());
        add<std::int32_t>(n, 1, [&](Index i, Index) {
            if (chunk.reason[i] != static_cast<std::int32_t>(Reason::start_penetrates))
                return worst_row(chunk.invariants_initial[i * entries + study::constraint_residual]);
            const std::int32_t contact = deepest_contact(study_, varied, n, i);
            return contact < 0 ? -1 : rows + contact;
        });
    }
    for (Index k = 0; k < entries; ++k) {
        if (certificate[k].kind == study::CertificateKind::drift)
            add<double>(n, 1, [&](Index i, Index) { return chunk.invariants_initial[i * entries + k]; });
        add<double>(n, 1, [&](Index i, Index) { return chunk.invariants_drift[i * entries + k]; });
    }
    for (Index p = 0; p < study_.varied.size(); ++p)
        add<double>(n, 1, [&](Index i, Index) { return varied[p * n + i]; });
    for (const bool final : {false, true}) {
        const std::vector<double>& states = final ? chunk.final_state : chunk.initial_state;
        add<double>(n, 1, [&](Index i, Index) { return final ? chunk.time_s[i] : 0.0; });
        for (const StateChannel& state : state_channels)
            add_number(n, bodies * state.components, [&](Index i, Index k) {
                const Index body = k / state.components, component = k % state.components;
                return states[(i * bodies + body) * channels_per_body + state.first + component];
            });
    }
    Index observed = 0, before = 0;
    for (const study::ChannelGroup& group : study_.observation.groups) observed += group.channels.size();
    for (const study::ChannelGroup& group : study_.observation.groups) {
        const Index width = group.channels.size();
        add_number(n, study_.observation.rows * width, [&](Index i, Index k) {
            return chunk.trajectory[(i * study_.observation.rows + k / width) * observed + before + k % width];
        });
        before += width;
    }
    const Index quantities = study_.quantities.size();
    for (Index q = 0; q < quantities; ++q)
        add_number(n, 1, [&](Index i, Index) { return chunk.quantities[i * quantities + q]; });
}

std::vector<std::span<const std::byte>> ChunkColumns::spans() const {
    std::vector<std::span<const std::byte>> spans;
    for (const std::vector<std::byte>& column : columns_) spans.emplace_back(column);
    return spans;
}

}  // namespace myriad::ensemble
