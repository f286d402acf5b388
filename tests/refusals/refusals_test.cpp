// Texts that are refused, or taken with a warning: tables of changes to a text that is taken, each with the words that
// the message then has. docs of the form: tests/refusals/README.md
#include <gtest/gtest.h>
#include <unistd.h>

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

constexpr std::size_t longest_message = 1200;
const std::filesystem::path tables = std::filesystem::path("tests") / "refusals";

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(source_dir() / file);
    if (!stream) throw std::runtime_error("cannot be read: " + file.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}
json file_of(const std::filesystem::path& file) { return JsonText(text_of(file), file.string()).root().json(); }

// What a reader is given: a text, the files beside it, and what the command line puts over it.
struct Input {
    std::string reader;
    json text;  // a string is the text itself
    std::map<std::string, std::string> files;
    study::Overrides overrides;
    std::vector<std::pair<std::string, std::string>> replaced;

    // A string is the whole text. In an object "/path" has a new value, null for none, "-o" assignments, "--seed" and
    // "--instances" numbers, "replace" two parts of the text; other keys are files.
    void change(const json& change) {
        if (change.is_string()) text = change;
        if (!change.is_object()) return;
        for (const auto& [key, value] : change.items()) {
            if (key.starts_with("/") && value.is_null()) {
                const json::json_pointer at(key);
                if (text.at(at.parent_pointer()).erase(at.back()) == 0) throw std::runtime_error("nothing at " + key);
            } else if (key.starts_with("/"))
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
        for (const auto& [part, by] : replaced) {
            const std::size_t at = all.find(part);
            if (at == std::string::npos) throw std::runtime_error("nothing to replace: " + part);
            all.replace(at, part.size(), by);
        }
        return all;
    }
    // One for one input.
    std::string key() const {
        std::string all = reader + "\n" + letters();
        for (const std::string& one : overrides.assignments) all += "\n-o " + one;
        if (overrides.seed) all += "\n--seed " + std::to_string(*overrides.seed);
        if (overrides.instances) all += "\n--instances " + std::to_string(*overrides.instances);
        for (const auto& [name, content] : files) all += "\n" + name + "\n" + content;
        return all;
    }
};

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
std::vector<std::string> read(const Input& input) {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) std::filesystem::remove(entry.path());
    for (const auto& [name, content] : input.files) std::ofstream(folder() / name) << content;
    const std::string text = input.letters();
    if (input.reader == "study") return study::parse_study(text, "study.json", folder(), input.overrides).warnings;
    if (input.reader == "study of a result")
        return study::parse_study(text, "study.json", folder(), input.overrides, study::TableFile::skip).warnings;
    if (input.reader == "mechanism" || input.reader == "mechanism file") {
        std::ofstream(folder() / "test.json") << text;
        const auto mechanism = input.reader == "mechanism" ? mechanism::parse_mechanism(text, "test.json")
                                                           : mechanism::read_mechanism(folder() / "test.json");
        std::vector<std::string> warnings = mechanism->warnings;
        if (const auto warning = mechanism::warning_of_assembly(*mechanism)) warnings.push_back(*warning);
        return warnings;
    }
    if (input.reader == "unassembled mechanism") return mechanism::parse_unassembled(text, "test.json")->warnings;
    if (input.reader == "json") return JsonText(text, "a.json"), std::vector<std::string>{};
    if (input.reader == "table") {
        std::istringstream lines(text);
        return CsvTable::read(lines, "cases.csv"), std::vector<std::string>{};
    }
    if (input.reader == "expression")
        return mechanism::Expression::parse(text, "rod.json: /parameters/mass_kg", mechanism::TimeUse::allowed),
               std::vector<std::string>{};
    throw std::runtime_error("no reader \"" + input.reader + "\"");
}

Input base_of(const std::string& name, const json& bases, std::set<std::string>& used) {
    if (!bases.contains(name)) throw std::runtime_error("no base \"" + name + "\"");
    used.insert(name);
    const json& base = bases[name];
    Input input = base.contains("from") ? base_of(base["from"], bases, used) : Input{};
    if (base.contains("reader")) input.reader = base["reader"];
    if (base.contains("text")) input.text = base["text"];
    if (base.contains("file")) input.text = file_of(base["file"].get<std::string>());
    if (base.contains("mechanism")) input.text["mechanism"] = file_of(base["mechanism"].get<std::string>());
    if (base.contains("set")) input.change(base["set"]);
    return input;
}

// "@/1" is the place of the only change, "/1" below it; "!x" that x does not stand there.
std::vector<std::string> words_of(const json& row) {
    std::vector<std::string> words;
    for (std::size_t k = 1; k < row.size(); ++k) {
        std::string word = row[k];
        if (word.starts_with("@")) word = row[0].begin().key() + word.substr(1) + ": ";
        words.push_back(word);
    }
    return words;
}
std::string missing_word(const std::string& message, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const bool absent = word.starts_with("!");
        if ((message.find(word.substr(absent ? 1 : 0)) == std::string::npos) != absent) return word;
    }
    return "";
}

class Refusals : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        bases_ = file_of(tables / "bases.json");
        seen_.clear();
    }

    void expect_row(const Input& base, const std::vector<std::string>& warnings, const std::string& kind,
                    const json& row, const std::string& at) {
        const int line = std::stoi(at.substr(at.find(".json:") + 6));
        const auto fails = [&](const std::string& why) {
            ADD_FAILURE_AT(path_.c_str(), line) << row[0].dump() << ": " << why;
        };
        try {
            Input input = base;
            input.change(kind == "taken" ? row : row.at(0));
            if (!seen_.insert(input.key()).second) fails("this row stands twice, or is its base");
            if (kind == "taken") {
                for (const std::string& warning : read(input)) (void)warning;
                return;
            }
            const std::vector<std::string> words = words_of(row);
            if (words.empty()) fails("no words are expected");
            std::vector<std::string> messages;
            try {
                messages = read(input);
                if (kind == "refused") fails("nothing was refused");
            } catch (const UserError& error) {
                if (kind == "warned" || error.exit_code() != ExitCode::usage_or_input || error.remedy().empty())
                    fails(std::string("another error, or one without a remedy: ") + error.what());
                messages = {error.what()};
                if (messages[0].size() > longest_message) fails("a message of a page: " + messages[0]);
            }
            for (const std::string& warning : warnings)
                if (missing_word(warning, words).empty()) fails("what is not changed has this warning too: " + warning);
            std::string all, missing = "a warning";
            for (const std::string& message : messages) {
                all += "\n  " + message;
                if (missing = missing_word(message, words); missing.empty()) return;
            }
            fails("no \"" + missing + "\" in" + all);
        } catch (const std::exception& error) {
            fails(error.what());
        }
    }

    json bases_;
    std::string path_;
    std::set<std::string> seen_, used_;
};

TEST_P(Refusals, NamePlaceFaultAndRemedy) {
    const std::filesystem::path file = tables / (GetParam() + ".json");
    path_ = (source_dir() / file).string();
    const JsonText table(text_of(file), file.string());
    const json groups = table.root().json();
    for (const auto& [group, content] : groups.items()) {
        SCOPED_TRACE(group);
        Input base = base_of(content.at("base"), bases_, used_);
        std::vector<std::string> warnings;
        if (content.contains("set")) base.change(content["set"]);
        try {
            warnings = read(base);
        } catch (const std::exception& error) {
            ADD_FAILURE() << "the base itself is refused: " << error.what();
        }
        seen_.insert(base.key());
        std::size_t rows = 0;
        for (const char* kind : {"refused", "warned", "taken"}) {
            if (!content.contains(kind)) continue;
            for (std::size_t k = 0; k < content[kind].size(); ++k, ++rows)
                expect_row(
                    base, warnings, kind, content[kind][k],
                    table.where(json::json_pointer("/" + group).to_string() + "/" + kind + "/" + std::to_string(k)));
        }
        EXPECT_GT(rows, 0u) << "a base without rows";
    }
}

std::vector<std::string> table_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / tables))
        if (entry.path().extension() == ".json" && entry.path().stem() != "bases")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}
INSTANTIATE_TEST_SUITE_P(Tables, Refusals, testing::ValuesIn(table_names()),
                         [](const auto& info) { return info.param; });

TEST(RefusalTables, UseEveryBase) {
    const json bases = file_of(tables / "bases.json");
    std::set<std::string> used;
    for (const std::string& name : table_names())
        for (const json& group : file_of(tables / (name + ".json"))) base_of(group.at("base"), bases, used);
    for (const auto& [name, base] : bases.items()) EXPECT_TRUE(used.contains(name)) << name;
}

}  // namespace
}  // namespace myriad
