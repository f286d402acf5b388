#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "host/backends/compile_kernels.hpp"
#include "host/backends/interface/backend.hpp"
#include "host/catalog/system_description.hpp"
#include "host/ensemble/warnings/energy_size.hpp"
#include "host/program/commands.hpp"
#include "host/program/text/json_output.hpp"
#include "host/program/text/text_table.hpp"
#include "host/study/bundled_studies.hpp"
#include "host/validation/validation.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;
using validation::Row;

constexpr int shown_digits = 10;  // all of them stand in the JSON

// A NaN is written as null.
ordered_json row_json(const Row& row) {
    return {{"case", row.case_name},    {"quantity", row.quantity},       {"ours", row.ours},
            {"expected", row.expected}, {"difference", row.difference()}, {"tolerance", row.tolerance},
            {"passed", row.passed()},   {"source", row.source},           {"tolerance_reason", row.tolerance_reason}};
}

std::string rows_text(const std::vector<Row>& rows) {
    TextTable table({"case", "quantity", "ours", "expected", "difference", "tolerance", "passed"});
    std::string case_before;
    for (const Row& row : rows) {
        table.add({row.case_name == case_before ? "" : row.case_name, row.quantity, significant(row.ours, shown_digits),
                   significant(row.expected, shown_digits), significant(row.difference(), 2),
                   significant(row.tolerance, 2), row.passed() ? "yes" : "NO"});
        case_before = row.case_name;
    }
    return table.text(2);
}

std::uint64_t passed_of(const std::vector<Row>& rows) {
    return static_cast<std::uint64_t>(std::ranges::count_if(rows, &Row::passed));
}

}  // namespace

int validate(const ValidateCommand& command) {
    const int at_once = command.backend == backends::names::cuda ? backends::tasks_to_compile_at_once() : 1;
    // Some take minutes, and what a case found is not lost where the others do not end.
    const auto tell = [](const std::string& name, const std::vector<Row>& of_case,
                         const std::set<std::string>& drifted) {
        std::fprintf(stderr, "%s: %s of %s checks passed\n", name.c_str(), grouped(passed_of(of_case)).c_str(),
                     grouped(of_case.size()).c_str());
        if (drifted.empty()) return;
        std::string warning = std::string("  warning: runs ") + ensemble::energy_warning + ":";
        for (const std::string& run : drifted) warning += (run == *drifted.begin() ? " " : ", ") + run;
        std::fprintf(stderr, "%s\n", wrapped(warning, "    ").c_str());
    };
    const std::vector<Row> rows = validation::run_validations(
        command.cases.empty() ? validation::validation_cases(command.backend) : command.cases, command.backend, at_once,
        tell);
    const std::uint64_t passed = passed_of(rows);
    const bool all = passed == rows.size();
    if (command.format == OutputFormat::json) {
        ordered_json json{{"backend", command.backend}, {"checks", rows.size()}, {"passed", passed}};
        json["rows"] = ordered_json::array();
        for (const Row& row : rows) json["rows"].push_back(row_json(row));
        std::printf("%s\n", json_text(json).c_str());
    } else {
        std::printf("%s\n%s of %s checks passed on the backend %s.\n", rows_text(rows).c_str(), grouped(passed).c_str(),
                    grouped(rows.size()).c_str(), command.backend.c_str());
        if (command.backend == backends::names::cuda)
            std::printf("%s\n",
                        wrapped("Left out on a GPU, whose kernels are compiled for each mechanism and method: in body "
                                "coordinates, explicit methods on mechanisms, and methods for contact, those of energy "
                                "and momentum and charts other than rotation but for a mechanism or a few. `myriad "
                                "validate --backend cpu` tries them on all.")
                            .c_str());
        if (study::bundled_folder("expected").empty())
            std::printf("%s\n",
                        wrapped("Left out: the claims in ensembles/expected/, which are not beside this program. "
                                "Keep the folders of the archive together: bin/ and share/myriad/.")
                            .c_str());
        if (!study::is_built(study::papers_members().front()))
            std::printf("%s\n", wrapped("Left out: members that only comparisons with papers need, which this build "
                                        "is without (cmake -DMYRIAD_PAPERS=ON).")
                                    .c_str());
        for (const Row& row : rows)
            if (!row.passed())
                std::printf("%s\n%s\n%s\n", wrapped("failed: " + row.case_name + ", " + row.quantity, "  ").c_str(),
                            wrapped("  expected: " + row.source, "    ").c_str(),
                            wrapped("  tolerance: " + row.tolerance_reason, "    ").c_str());
    }
    return all ? 0 : 2;
}

}  // namespace myriad::program
