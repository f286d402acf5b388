// Tables of texts that are refused or warned of. A row changes a text that is taken, and states words of the message.
//
// bases.json names texts. A base has a "reader" and a "text", or the "file" of one; "mechanism" puts a file into it.
// "from" takes another base, and "set" changes it. A table has groups: a "base", what the group "set"s in it, and rows.
// A row of "refused" or "warned" is [change, word, ...]. A row of "taken" is a change that brings no warning.
// A change is the whole text, or an object. There "/path" has a new value, or null for none, and "/path*9" gives nine
// entries, "/path0" to "/path8". "-o", "--seed" and "--instances" are options. "replace" has a part of the text and
// what stands there then. Another key is a file beside it. The word "@/1" is the place /1 below the path of the change;
// "!x" forbids x.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/expression/expression.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"
#include "host/text/table.hpp"
#include "host/text/user_error.hpp"
#include "tests/source_dir.hpp"

namespace myriad {
namespace {

using json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

// A message of a page helps nobody.
constexpr std::size_t longest_message = 1200;

JsonText table_of(const std::string& file) { return JsonText::read(source_dir() / file); }
json file_of(const std::string& file) { return table_of(file).root().json(); }

// What a reader is given.
struct Input {
    std::string reader;
    json text;  // a string is the text itself
    std::map<std::string, std::string> files;
    std::vector<std::pair<std::string, std::string>> replaced;
    study::Overrides overrides;

    void change(const json& change) {
        if (change.is_string()) text = change;
        if (!change.is_object()) return;
        for (const auto& [key, value] : change.items()) {
            const bool is_place = key.starts_with("/");
            const std::size_t star = is_place ? key.find('*') : std::string::npos;
            if (star != std::string::npos) {
                for (int k = 0, count = std::stoi(key.substr(star + 1)); k < count; ++k)
                    text[json::json_pointer(key.substr(0, star) + std::to_string(k))] = value;
            } else if (is_place && value.is_null()) {
                const json::json_pointer at(key);
                if (text.at(at.parent_pointer()).erase(at.back()) == 0) throw std::runtime_error("nothing at " + key);
            } else if (is_place)
                text[json::json_pointer(key)] = value;
            else if (key == "-o")
                overrides.assignments.push_back(value);
            else if (key == "--seed")
                overrides.seed = value;
            else if (key == "--instances")
                overrides.instances = value;
            else if (key == "replace")
                replaced.emplace_back(value.at(0), value.at(1));
            else if (value.is_null())
                files.erase(key);
            else
                files[key] = value;
        }
    }
    std::string letters() const {
        std::string all = text.is_string() ? text.get<std::string>() : text.dump();
        for (const auto& [part, by] : replaced) all.replace(all.find(part), part.size(), by);
        return all;
    }
    // Of the same inputs the same.
    std::string key() const {
        const json options = {overrides.assignments, overrides.seed.value_or(0), overrides.instances.value_or(0)};
        return reader + letters() + json(files).dump() + options.dump();
    }
};

Input base_of(const std::string& name, const json& bases, std::set<std::string>* used = nullptr) {
    const json& base = bases.at(name);
    if (used != nullptr) used->insert(name);
    Input input = base.contains("from") ? base_of(base["from"], bases, used) : Input{};
    if (base.contains("reader")) input.reader = base["reader"];
    if (base.contains("text")) input.text = base["text"];
    if (base.contains("file")) input.text = file_of(base["file"]);
    if (base.contains("mechanism")) input.text["mechanism"] = file_of(base["mechanism"]);
    if (base.contains("set")) input.change(base["set"]);
    return input;
}

// A folder of this process, which goes away with it.
const std::filesystem::path& folder() {
    static const struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("myriad_refusals_" + std::to_string(getpid()));
        Folder() { std::filesystem::create_directories(path); }
        ~Folder() { std::filesystem::remove_all(path); }
    } folder;
    return folder.path;
}

// The warnings of a text that is taken.
Words read(const Input& input) {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) std::filesystem::remove(entry.path());
    for (const auto& [name, content] : input.files) std::ofstream(folder() / name) << content;
    const std::string text = input.letters();
    if (input.reader == "study") return study::parse_study(text, "study.json", folder(), input.overrides).warnings;
    if (input.reader == "mechanism") {
        const auto mechanism = mechanism::parse_mechanism(text, "test.json");
        Words warnings = mechanism->warnings;
        if (const auto warning = mechanism::warning_of_assembly(*mechanism)) warnings.push_back(*warning);
        return warnings;
    }
    if (input.reader == "mechanism file") {
        std::ofstream(folder() / "test.json") << text;
        return mechanism::read_mechanism(folder() / "test.json")->warnings;
    }
    if (input.reader == "unassembled mechanism") return mechanism::parse_unassembled(text, "test.json")->warnings;
    std::istringstream lines(text);
    if (input.reader == "json")
        JsonText(text, "a.json");
    else if (input.reader == "table")
        CsvTable::read(lines, "cases.csv");
    else if (input.reader == "expression")
        mechanism::Expression::parse(text, "rod.json: /parameters/mass_kg", mechanism::TimeUse::allowed);
    else
        throw std::runtime_error("no reader \"" + input.reader + "\"");
    return {};
}

struct Row {
    std::string file, group, kind;
    int line;
    Input base, input;
    Words words;

    void fails(const std::string& why) const { ADD_FAILURE_AT(file.c_str(), line) << group << ": " << why; }
};

std::vector<Row> rows_of(const std::string& name, const json& bases, std::set<std::string>* used = nullptr) {
    const JsonText table = table_of("tests/refusals/" + name + ".json");
    std::vector<Row> rows;
    for (const auto& [group, content] : table.root().json().items()) {
        Input base = base_of(content.at("base"), bases, used);
        if (content.contains("set")) base.change(content["set"]);
        for (const std::string kind : {"refused", "warned", "taken"}) {
            if (!content.contains(kind)) continue;
            for (std::size_t k = 0; k < content[kind].size(); ++k) {
                const json& one = content[kind][k];
                const json& change = kind == "taken" ? one : one.at(0);
                const std::string place =
                    table.where("/" + group + "/" + kind + "/" + std::to_string(k)).substr(table.name().size() + 1);
                Row row{table.name(), group, kind, std::stoi(place), base, base, {}};
                row.input.change(change);
                for (std::size_t w = 1; kind != "taken" && w < one.size(); ++w) {
                    const std::string word = one[w];
                    row.words.push_back(word.starts_with("@") ? change.begin().key() + word.substr(1) + ": " : word);
                }
                rows.push_back(row);
            }
        }
    }
    return rows;
}

std::string missing_word(const std::string& message, const Words& words) {
    for (const std::string& word : words) {
        const bool is_forbidden = word.starts_with("!");
        if ((message.find(word.substr(is_forbidden)) == std::string::npos) != is_forbidden) return word;
    }
    return "";
}

void check(const Row& row, const Words& warnings_of_base) {
    Words messages;
    try {
        messages = read(row.input);
        if (row.kind == "refused") return row.fails("nothing was refused");
        if (row.kind == "taken" && messages.size() > warnings_of_base.size())
            row.fails("warned of: " + messages.back());
    } catch (const UserError& error) {
        messages = {error.what()};
        if (row.kind != "refused") return row.fails("refused: " + messages[0]);
        if (error.exit_code() != ExitCode::usage_or_input || error.remedy().empty()) row.fails("no remedy or usage");
        if (messages[0].size() > longest_message) row.fails("a message of a page: " + messages[0]);
    }
    if (row.kind == "taken") return;
    std::string all;
    for (const std::string& message : messages) {
        if (missing_word(message, row.words).empty()) return;
        all += "\n  no \"" + missing_word(message, row.words) + "\" in " + message;
    }
    row.fails("another message" + all);
}

class Refusals : public testing::TestWithParam<std::string> {};

TEST_P(Refusals, NamePlaceFaultAndRemedy) {
    std::map<std::string, Words> warnings;  // of bases
    for (const Row& row : rows_of(GetParam(), file_of("tests/refusals/bases.json"))) {
        try {
            const auto [found, is_new] = warnings.try_emplace(row.base.key());
            if (is_new) found->second = read(row.base);
            if (row.kind != "taken" && row.words.empty()) row.fails("no words are expected");
            for (const std::string& warning : found->second)
                if (missing_word(warning, row.words).empty() && row.kind == "warned") row.fails("the base warns of it");
            check(row, found->second);
        } catch (const std::exception& error) {
            row.fails(error.what());
        }
    }
}

Words table_names() {
    Words names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "tests" / "refusals", none))
        if (entry.path().extension() == ".json" && entry.path().stem() != "bases") names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}
INSTANTIATE_TEST_SUITE_P(Tables, Refusals, testing::ValuesIn(table_names()),
                         [](const auto& info) { return info.param; });

TEST(RefusalTables, UseEveryBaseAndHaveEachRowOnce) {
    const json bases = file_of("tests/refusals/bases.json");
    std::set<std::string> used, seen;
    for (const std::string& name : table_names())
        for (const Row& row : rows_of(name, bases, &used))
            if (row.input.key() == row.base.key() || !seen.insert(row.input.key()).second)
                row.fails("this row is its base or stands twice");
    for (const auto& [name, base] : bases.items()) EXPECT_TRUE(used.contains(name)) << name;
}

}  // namespace
}  // namespace myriad
