#include <algorithm>
#include <cstdio>
#include <map>

#include "host/ensemble/statistics_datasets.hpp"
#include "host/program/commands.hpp"
#include "host/program/run_text.hpp"
#include "host/program/text/text_table.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_check.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::program {

namespace {

std::string text_of(const results::Attribute& attribute) {
    if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
    if (const auto* number = std::get_if<double>(&attribute)) return significant(*number);
    if (const auto* whole = std::get_if<std::int64_t>(&attribute)) return std::to_string(*whole);
    std::string list;
    for (const std::string& entry : std::get<std::vector<std::string>>(attribute))
        list += (list.empty() ? "" : ", ") + entry;
    return list;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (const std::uint64_t extent : shape) text += (text.empty() ? "" : " x ") + grouped(extent);
    return text.empty() ? "1" : text;
}

void refuse(const results::Reader& reader, const std::string& object, const std::string& what_is_wrong) {
    throw UserError(ExitCode::usage_or_input, reader.path().string() + ": " + object,
                    what_is_wrong + ": the file is damaged", "run the study again");
}

// Datasets of instances have one row for each; trajectories one, too, for each time.
void check_rows(const results::Reader& reader) {
    const std::string times = "/trajectory/time";
    for (const std::string& path : reader.datasets()) {
        const bool of_instances = path.starts_with("/instance/") || path.starts_with("/parameters/") ||
                                  path.starts_with("/state/") || path.starts_with("/quantities/") ||
                                  (path.starts_with("/trajectory/") && path != times);
        if (!of_instances) continue;
        const std::vector<std::uint64_t> shape = reader.shape(path);
        if (shape.empty() || shape[0] != reader.instances())
            refuse(reader, path,
                   "its shape is " + shape_text(shape) + ", and it has a row for each of " +
                       grouped(reader.instances()) + " instances");
        if (!path.starts_with("/trajectory/") || !reader.has(times)) continue;
        const std::vector<std::uint64_t> rows = reader.shape(times);
        if (rows.empty() || shape.size() < 2 || shape[1] != rows.back())
            refuse(reader, path, "its shape is " + shape_text(shape) + ", which does not fit " + times);
    }
}

// Counts the instances with each code of a dataset whose attribute gives the meaning of the codes.
void add_codes(const results::Reader& reader, const std::string& path, const char* meanings, std::int32_t none,
               const std::string& label, TextTable& table) {
    if (!reader.has(path)) return;
    const std::vector<std::string> names = results::read_list(reader, path, meanings);
    std::map<std::int32_t, std::uint64_t> counts;
    const auto end = static_cast<std::int32_t>(names.size());
    for (const std::int32_t code : results::read_codes(reader, path, 0, reader.instances(), std::min(none, 0), end))
        if (code != none) ++counts[code];
    for (const auto& [code, count] : counts)
        table.add({label, grouped(count) + ": " + names[static_cast<std::size_t>(code)]});
}

}  // namespace

int report(const std::filesystem::path& result) {
    const results::Reader reader(result);
    check_rows(reader);
    std::printf("%s\n\n", printable(result.string()).c_str());
    TextTable about({"about", ""});
    for (const auto& [name, value] : reader.attributes())
        if (name != "study" && name != ensemble::warnings_attribute) about.add({"  " + name, text_of(value)});
    std::printf("%s\n", about.text(2).c_str());

    std::map<std::int32_t, std::uint64_t> counts;
    for (const std::int32_t status :
         results::read_codes(reader, "/instance/status", 0, reader.instances(), 0, status_count))
        ++counts[status];
    const results::RunIdentity identity = reader.identity();
    TextTable instances({"instances", grouped(reader.instances()) + (identity.is_whole_study()
                                                                         ? std::string()
                                                                         : ": " + text_of(identity.instances) + " of " +
                                                                               grouped(identity.study_instances))});
    for (const auto& [status, count] : counts)
        instances.add({std::string("  ") + name_of(static_cast<Status>(status)), grouped(count)});
    add_codes(reader, "/instance/reason", "sentences", 0, "  why", instances);
    add_codes(reader, "/instance/detail", "names", -1, "  not met", instances);
    if (reader.attributes().contains(ensemble::warnings_attribute))
        for (const std::string& warning : results::read_list(reader, "/", ensemble::warnings_attribute))
            instances.add({"  warning", warning});
    std::printf("%s\n", instances.text(1).c_str());
    if (const auto statistics = ensemble::read_statistics(reader))
        std::printf("%s", statistics_text(*statistics).c_str());

    TextTable datasets({"dataset", "shape", "unit", "description"});
    for (const std::string& path : reader.datasets()) {
        const results::Attributes attributes = reader.attributes(path);
        const auto text = [&](const char* name) {
            const auto found = attributes.find(name);
            return found == attributes.end() ? std::string() : text_of(found->second);
        };
        datasets.add({path, shape_text(reader.shape(path)), text("unit"), text("description")});
    }
    std::printf("%s", datasets.text(4).c_str());
    return 0;
}

}  // namespace myriad::program
