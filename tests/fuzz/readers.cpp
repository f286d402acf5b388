#include "tests/fuzz/readers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "host/mechanism/expression/derivatives.hpp"
#include "host/mechanism/expression/expression.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/study/study.hpp"
#include "host/text/table.hpp"
#include "tests/fuzz/objection.hpp"

namespace myriad::fuzz {
namespace {

std::vector<std::string> files_of(const std::string& folder) {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(MYRIAD_SOURCE_DIR) + "/" + folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        if (entry.path().extension() == ".json")
            texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
}

bool are_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The value of a formula is that of the first nodes of its derivatives.
std::string objection_to_expression(std::string_view text) {
    return objection([&]() -> std::string {
        using mechanism::Expression;
        const Expression formula = Expression::parse(text, "formula", mechanism::TimeUse::allowed);
        const std::vector<double> values(formula.names().size(), 0.625);
        const double value = formula.value(values, 0.375);
        std::vector<int> names;
        for (std::size_t i = 0; i < formula.names().size(); ++i) names.push_back(static_cast<int>(i));
        const mechanism::DifferentiatedFormula differentiated = mechanism::differentiated(formula.nodes(), names);
        if (differentiated.derivatives.size() != names.size()) return "a name without a derivative";
        std::vector<mechanism::ExpressionNode> nodes = differentiated.nodes;
        nodes.resize(static_cast<std::size_t>(differentiated.value) + 1);
        if (!are_equal(formula.with_nodes(nodes).value(values, 0.375), value))
            return "another value beside its derivatives";
        return {};
    });
}
std::vector<std::string> seeds_of_expressions() {
    return {"-9.81 * sin(t)^2 + k * (x - 2)^3", "if(a < 1e-3, min(a, b, 2), max(a, -b))",
            "atan2(y, x) / sqrt(abs(x)) - 2^3^2", "pow(exp(t), log(1 + x^2)) * tanh(crank_angle) >= pi",
            "((((1))))/cos(.5)+acos(-1)*asin(x)"};
}

std::string objection_to_mechanism(std::string_view text) {
    return objection([&]() -> std::string {
        const auto once = mechanism::parse_mechanism(text, "mechanism.json");
        const auto again = mechanism::parse_mechanism(once->source, "mechanism.json");
        if (!std::ranges::equal(again->nominal_kernel_parameters(), once->nominal_kernel_parameters(), are_equal))
            return "another mechanism when it is read again";
        return {};
    });
}

std::string objection_to_study(std::string_view text) {
    const std::string folder = std::string(MYRIAD_SOURCE_DIR) + "/ensembles/studies";
    return objection([&]() -> std::string {
        const study::Study once = study::parse_study(text, "study.json", folder);
        const study::Study again = study::parse_study(once.canonical_json, "study.json", folder);
        if (again.canonical_json != once.canonical_json) return "another study when it is read again";
        if (again.fingerprint() != once.fingerprint()) return "another fingerprint when it is read again";
        return {};
    });
}

std::string objection_to_table(std::string_view text) {
    return objection([&]() -> std::string {
        std::istringstream lines{std::string(text)};
        const CsvTable table = CsvTable::read(lines, "table.csv");
        if (table.rows() == 0 || table.columns().empty()) return "a table of nothing";
        for (std::uint64_t row = 0; row < table.rows(); ++row)
            for (std::size_t column = 0; column < table.columns().size(); ++column)
                if (!std::isfinite(table.value(row, column))) return "a number that is not finite";
        return {};
    });
}
std::vector<std::string> seeds_of_tables() {
    return {"mass_kg,length_m\n1,2\n3.5e-1,-4\n", "\xef\xbb\xbf# note\r\n\"a\" , b.c[0]\r\n\r\n 1.0 ,\"2\"\r\n",
            "x\n0\n-0\n1e308\n"};
}

const Reader all[] = {
    {"expression", objection_to_expression, seeds_of_expressions},
    {"mechanism", objection_to_mechanism, [] { return files_of("ensembles/mechanisms"); }},
    {"study", objection_to_study, [] { return files_of("ensembles/studies"); }},
    {"table", objection_to_table, seeds_of_tables},
};

}  // namespace

std::span<const Reader> text_readers() { return all; }

}  // namespace myriad::fuzz
