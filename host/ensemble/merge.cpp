#include "host/ensemble/merge.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "host/backends/backends.hpp"
#include "host/ensemble/continuation.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/ensemble/summary.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_file.hpp"
#include "host/results/stored_instances.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

struct Part {
    std::filesystem::path file;
    results::RunIdentity identity;
};

[[noreturn]] void refuse(const std::filesystem::path& where, const std::string& what, const std::string& remedy) {
    throw UserError(ExitCode::usage_or_input, where.string(), what, remedy);
}

std::vector<Part> parts_in_order(const std::vector<std::filesystem::path>& files) {
    std::vector<Part> parts;
    for (const std::filesystem::path& file : files) parts.push_back({file, results::Reader(file).identity()});
    for (const Part& part : parts) {
        const results::RunIdentity &theirs = part.identity, &first = parts.front().identity;
        if (theirs.fingerprint.hash != first.fingerprint.hash || theirs.study_instances != first.study_instances)
            refuse(part.file,
                   "it is of another run than " + parts.front().file.string() + ": " +
                       results::both_runs(first.fingerprint, theirs.fingerprint),
                   "merge parts of one study that one build of Myriad computed");
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return a.identity.instances.first < b.identity.instances.first;
    });
    return parts;
}

// Each instance of the study once.
void require_whole_study(const std::vector<Part>& parts) {
    constexpr std::size_t most_named = 20;
    std::vector<std::string> faults;
    const std::uint64_t instances = parts.front().identity.study_instances;
    const auto missing = [&](std::uint64_t first, std::uint64_t end) {
        if (first < end)
            faults.push_back("instances " + text_of(results::InstanceRange{first, end - first}) + " are in no part");
    };
    const Part* before = nullptr;
    std::uint64_t next = 0;
    for (const Part& part : parts) {
        const results::InstanceRange range = part.identity.instances;
        missing(next, std::min(range.first, instances));
        if (range.end() > instances) faults.push_back(part.file.string() + " holds more instances than the study has");
        if (before != nullptr && range.first < next)
            faults.push_back("instances " +
                             text_of(results::InstanceRange{range.first, std::min(range.end(), next) - range.first}) +
                             " are in " + before->file.string() + " and in " + part.file.string());
        if (range.end() > next) next = range.end(), before = &part;
    }
    missing(next, instances);
    if (faults.empty()) return;
    const std::size_t more = faults.size() - std::min(faults.size(), most_named);
    std::string text;
    for (std::size_t i = 0; i + more < faults.size(); ++i) text += (i ? "\n    " : "") + faults[i];
    if (more) text += "\n    and " + std::to_string(more) + " more";
    refuse("merge", text, "give each of the " + std::to_string(instances) + " instances of the study once");
}

const std::string& text_attribute(const results::Attributes& attributes, const char* name, const Part& part) {
    const auto found = attributes.find(name);
    const auto* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    if (!text) refuse(part.file, std::string("its attribute '") + name + "' is missing", "run the study again");
    return *text;
}

// Refuses unknown codes, which a damaged file may hold: the code below looks their names up.
void require_known_codes(const results::StoredInstances& stored, const std::filesystem::path& where,
                         std::size_t details) {
    const auto require = [&](const std::string& path, std::int64_t lowest, std::int64_t highest) {
        const std::size_t column = column_of(stored.layout(), path);
        std::vector<std::int32_t> codes(stored.layout().instances);
        stored.read(column, {0, codes.size()}, std::as_writable_bytes(std::span(codes)));
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (codes[i] < lowest || codes[i] > highest)
                refuse(where,
                       path + " of instance " + std::to_string(i) + " is " + std::to_string(codes[i]) +
                           ", which stands for nothing: the part is damaged",
                       "run its range again");
    };
    require("/instance/status", 0, status_count - 1);
    require("/instance/reason", 0, reason_count - 1);
    if (details > 0) require("/instance/detail", -1, static_cast<std::int64_t>(details) - 1);
}

// The parts as seen from the folder of `out`.
std::vector<results::LinkedPart> links_to(const std::vector<Part>& parts, const std::filesystem::path& out) {
    std::error_code error;
    const auto folder = std::filesystem::canonical(out.has_parent_path() ? out.parent_path() : ".", error);
    std::vector<results::LinkedPart> links;
    for (const Part& part : parts) {
        const auto relative = std::filesystem::canonical(part.file, error).lexically_relative(folder);
        if (error || relative.empty() || *relative.begin() == "..")
            refuse(part.file, "with --link a part lies in the folder of --out or below",
                   "move it there, or copy it by "
                   "leaving out --link");
        if (results::Reader(part.file).attributes().contains(results::parts_attribute))
            refuse(part.file, "it shows rows of other files itself", "name those files, or leave out --link");
        links.push_back({relative.string(), part.identity.instances});
    }
    return links;
}

// A certificate may have other entries in another build.
bool may_be_missing(const std::string& path) {
    constexpr const char* always[] = {"runs", "steps", "rejected_steps"};
    const std::string folder = "/instance/certificate/";
    return !path.starts_with("/quantities/") && !path.starts_with("/parameters/") &&
           (!path.starts_with("/instance/") ||
            (path.starts_with(folder) && std::ranges::find(always, path.substr(folder.size())) == std::end(always)));
}

// Returns the layout of a whole study from a part that another build wrote.
results::Layout layout_of_whole(const results::Reader& part, const study::Study& study) {
    results::Layout layout = results::layout_of(part);
    for (const results::Column& ours : result_layout(study, {0, study.instances}).columns) {
        const auto theirs = std::ranges::find(layout.columns, ours.path, &results::Column::path);
        if (theirs == layout.columns.end()
                ? !may_be_missing(ours.path)
                : theirs->type != ours.type || theirs->shape_per_instance != ours.shape_per_instance)
            refuse(part.path(), "dataset '" + ours.path + "' is missing, or has a type or shape that none has",
                   "merge the parts by the build that wrote them, or run the study again");
    }
    layout.instances = layout.study_instances, layout.first_instance = 0;
    layout.compression = study.results.compression;
    return layout;
}

// The check of all parts together, if each was checked in the same way.
std::optional<StepCheck> step_check_of(const study::Study& study, const std::vector<Part>& parts) {
    std::vector<StepCheck> checks;
    const auto text_of_check = [](std::uint64_t stride) {
        return stride ? "with one instance in " + std::to_string(stride) : std::string("without");
    };
    std::uint64_t stride_of_first = 0;
    for (const Part& part : parts) {
        std::optional<StepCheck> check = read_step_check(study, results::Reader(part.file));
        const std::uint64_t stride = check ? check->stride : 0;
        if (&part == &parts.front()) stride_of_first = stride;
        if (stride != stride_of_first)
            refuse(part.file,
                   "its step was checked " + text_of_check(stride) + ", that of " + parts.front().file.string() + " " +
                       text_of_check(stride_of_first),
                   "run all ranges with the same --check-step, or all without");
        if (check) checks.push_back(std::move(*check));
    }
    if (checks.empty()) return std::nullopt;
    return merged(checks);
}

// Attributes of the first part, with device and time of all.
results::Attributes attributes_of(const std::vector<Part>& parts, RunSummary& summary) {
    results::Attributes attributes = results::Reader(parts.front().file).attributes();
    attributes.erase(results::parts_attribute), attributes.erase(warnings_attribute);
    std::vector<std::string> devices;
    for (const Part& part : parts) {
        const results::Attributes theirs = results::Reader(part.file).attributes();
        const std::string& device = text_attribute(theirs, "device", part);
        if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
            devices.push_back(device);
            summary.device += (summary.device.empty() ? "" : "; ") + device;
        }
        const auto wall = theirs.find("wall_time_s");
        if (wall != theirs.end())
            if (const auto* seconds = std::get_if<double>(&wall->second)) summary.wall_seconds += *seconds;
    }
    attributes["device"] = summary.device;
    attributes["wall_time_s"] = summary.wall_seconds;
    return attributes;
}

}  // namespace

bool is_merged(const study::Study& study, const std::filesystem::path& out, bool resume, bool overwrite) {
    const results::RunIdentity whole =
        results::identity_of(fingerprint_of_run(study), result_layout(study, {0, study.instances}));
    if (resume && is_complete(study, out, whole)) return true;
    std::error_code error;
    if (const auto journal = results::journal_path(out); std::filesystem::exists(journal, error))
        throw UserError(ExitCode::output, journal.string(),
                        "one process has begun to run the whole study into " + out.string(),
                        "let it go on alone with --resume, choose another --out, or remove this journal");
    if (!std::filesystem::exists(out, error)) return false;
    if (resume) {
        const std::uint64_t instances = results::Reader(out).identity().instances.count;
        throw UserError(ExitCode::usage_or_input, out.string(),
                        "it has " + std::to_string(instances) + " instances, and parts do not grow",
                        "extend it by one process with --resume, or choose another --out");
    }
    if (!overwrite)
        throw UserError(ExitCode::output, out.string(), "a file of this name is there already",
                        "choose another --out, or replace it with --overwrite");
    require_a_result_to_replace(out);
    return false;
}

Merged merge_results(const std::vector<std::filesystem::path>& files, const std::filesystem::path& out, bool link,
                     results::IfPresent if_present) {
    const std::vector<Part> parts = parts_in_order(files);
    require_whole_study(parts);
    const Part& first = parts.front();
    const std::vector<results::LinkedPart> links = link ? links_to(parts, out) : std::vector<results::LinkedPart>{};

    Merged merged;
    const results::Attributes of_first = results::Reader(first.file).attributes();
    merged.study = study::parse_study(text_attribute(of_first, "study", first), first.file.string() + " (study)",
                                      first.file.parent_path(), {}, study::Purpose::statistics);
    const std::uint64_t instances = first.identity.study_instances;
    if (merged.study.instances != instances)
        refuse(first.file, "its study has another number of instances than the file says", "run the study again");
    RunSummary& summary = merged.summary;
    summary.range = {0, instances};
    summary.instances = summary.finished = summary.finished_before = instances;
    summary.out = out;

    std::vector<results::StoredInstances::Part> stored;
    for (const Part& part : parts) stored.push_back({part.file, part.identity.instances});
    // Columns and axes of another build stay as that build wrote them.
    const results::Reader file(first.file);
    const bool is_ours = is_of_this_build(first.identity);
    const results::StoredInstances source(
        is_ours ? result_layout(merged.study, summary.range) : layout_of_whole(file, merged.study), std::move(stored));
    require_known_codes(source, out, stored_detail_names(source.layout()).size());
    results::Attributes attributes = attributes_of(parts, summary);
    summary.step_check = step_check_of(merged.study, parts);
    summarize(merged.study, source, *backends::make_backend(backends::names::cpu, {}), summary);
    if (!summary.by_warning.empty()) attributes[warnings_attribute] = summary.warning_lines();
    const std::vector<results::FixedDataset> fixed =
        fixed_datasets(merged.study, summary, is_ours ? result_axes(merged.study) : results::axes_of(file));
    results::write_result(out, source, first.identity.fingerprint, fixed, attributes, links, if_present);
    return merged;
}

}  // namespace myriad::ensemble
