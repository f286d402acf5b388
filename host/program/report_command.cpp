#include <cstdio>
#include <map>

#include "host/program/commands.hpp"
#include "host/program/run_text.hpp"
#include "host/program/text_table.hpp"
#include "host/results/reader.hpp"
#include "kernels/status.hpp"

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

void print_statistics(const results::Reader& reader) {
    if (!reader.has("/statistics/quantity")) return;
    const std::vector<std::string> names = reader.read_texts("/statistics/quantity");
    const results::Attributes attributes = reader.attributes("/statistics/quantity");
    const auto units = std::get<std::vector<std::string>>(attributes.at("units"));
    TextTable table({"quantity", "statistic", "value", "confidence interval"});
    const auto row = [&](std::size_t q, const std::string& label, const std::string& name, std::size_t index) {
        const auto value = reader.read<double>("/statistics/" + name).at(index);
        const auto low = reader.read<double>("/statistics/" + name + "_low").at(index);
        const auto high = reader.read<double>("/statistics/" + name + "_high").at(index);
        const std::string quantity = name == "mean" ? names[q] + " [" + units[q] + "]" : "";
        table.add({quantity, label, significant(value), significant(low) + " .. " + significant(high)});
    };
    std::vector<double> probabilities;
    if (reader.has("/statistics/quantile_probability"))
        probabilities = reader.read<double>("/statistics/quantile_probability");
    for (std::size_t q = 0; q < names.size(); ++q) {
        row(q, "mean", "mean", q);
        row(q, "standard deviation", "standard_deviation", q);
        for (std::size_t p = 0; p < probabilities.size(); ++p)
            row(q, significant(100.0 * probabilities[p], 4) + " % quantile", "quantile", q * probabilities.size() + p);
    }
    std::printf("%s\n", table.text(2).c_str());
    if (!reader.has("/statistics/parameter")) return;
    const std::vector<std::string> parameters = reader.read_texts("/statistics/parameter");
    const auto first_order = reader.read<double>("/statistics/first_order"),
               rank_correlation = reader.read<double>("/statistics/rank_correlation");
    std::vector<std::vector<study::Sensitivity>> sensitivities(names.size());
    for (std::size_t i = 0; i < first_order.size(); ++i)
        sensitivities[i / parameters.size()].push_back({rank_correlation[i], first_order[i]});
    std::printf("%s", sensitivity_text(names, parameters, sensitivities).c_str());
}

// How many instances have which code of a dataset whose attribute says what the codes mean.
void add_codes(const results::Reader& reader, const std::string& path, const char* meanings, std::int32_t none,
               const std::string& label, TextTable& table) {
    if (!reader.has(path)) return;
    const results::Attributes attributes = reader.attributes(path);
    const auto& names = std::get<std::vector<std::string>>(attributes.at(meanings));
    std::map<std::int32_t, std::uint64_t> counts;
    for (const std::int32_t code : reader.read<std::int32_t>(path))
        if (code != none) ++counts[code];
    for (const auto& [code, count] : counts)
        table.add({label, grouped(count) + ": " + names.at(static_cast<std::size_t>(code))});
}

}  // namespace

int report(const std::filesystem::path& result) {
    const results::Reader reader(result);
    std::printf("%s\n\n", result.string().c_str());
    TextTable about({"about", ""});
    for (const auto& [name, value] : reader.attributes())
        if (name != "study") about.add({"  " + name, text_of(value)});
    std::printf("%s\n", about.text(2).c_str());

    std::map<std::int32_t, std::uint64_t> counts;
    for (const std::int32_t status : reader.read<std::int32_t>("/instance/status")) ++counts[status];
    const results::RunIdentity identity = reader.identity();
    TextTable instances({"instances", grouped(reader.instances()) + (identity.is_whole_study()
                                                                         ? std::string()
                                                                         : ": " + text_of(identity.instances) + " of " +
                                                                               grouped(identity.study_instances))});
    for (const auto& [status, count] : counts)
        instances.add({std::string("  ") + name_of(static_cast<Status>(status)), grouped(count)});
    add_codes(reader, "/instance/reason", "sentences", 0, "  why", instances);
    add_codes(reader, "/instance/detail", "names", -1, "  not met", instances);
    std::printf("%s\n", instances.text(1).c_str());
    print_statistics(reader);

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
