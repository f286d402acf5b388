#include "tests/text/counted_readers.hpp"

#include <sstream>
#include <vector>

#include "host/text/json_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/table.hpp"
#include "host/text/user_error.hpp"

namespace myriad::tests {

namespace {

template <class Action>
std::uint64_t work_of(const Action& action) {
    const std::uint64_t before = counted_work;
    try {
        action();
    } catch (const UserError&) {
    }
    return counted_work - before;
}

}  // namespace

std::uint64_t work_of_json(const std::string& text) {
    return work_of([&] { JsonText(text, "a.json"); });
}

std::uint64_t work_of_table(const std::string& text) {
    return work_of([&] {
        std::istringstream lines(text);
        CsvTable::read(lines, "cases.csv");
    });
}

std::uint64_t work_of_suggestion(const std::string& word, int known) {
    std::vector<std::string> names;
    for (int k = 0; k < known; ++k) names.push_back("parameters.length_" + std::to_string(k) + "_m");
    return work_of([&] { suggestion(word, names, "parameters"); });
}

}  // namespace myriad::tests
