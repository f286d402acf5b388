// JSON as people write it: with // and /* */ comments and trailing commas, and with errors that say where they are.
//
// Refused beside what JSON refuses: a key given twice, NaN and infinities, and what is beyond the limits of
// json_parser.hpp. Objects keep the order of their keys. Every message is
// "<file>:<line>:<column>: <JSON path>: what is wrong", or "<file>, -o <assignment>: ..." where the command line gave
// the value. Lines and columns count from 1, columns in characters.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/text/json_parser.hpp"
#include "host/text/text_position.hpp"

namespace myriad {

class JsonText;

// A value with its place, asked for by type: each function throws UserError (usage_or_input), with what was found and
// what is expected, for a value of another type.
class JsonValue {
  public:
    JsonValue(const JsonText& text, const Json& json, std::string path)
        : text_(&text), json_(&json), path_(std::move(path)) {}

    const Json& json() const { return *json_; }
    std::string where() const;
    [[noreturn]] void refuse(const std::string& what_is_wrong, const std::string& remedy) const;
    std::string found() const;  // "the number 3", "an array of 2": for messages

    bool is_number() const { return json_->is_number(); }
    bool is_object() const { return json_->is_object(); }
    bool is_array() const { return json_->is_array(); }

    double number() const;               // finite
    double positive_number() const;      // > 0
    std::uint64_t whole_number() const;  // >= 0; 1e5 is one, too
    std::string string() const;
    bool boolean() const;
    // The position among `known` of a text that is one of them; `kind` says of what it is the name.
    std::size_t one_of(std::span<const std::string> known, const std::string& kind,
                       const std::string& plural = "choices") const;
    std::vector<JsonValue> elements() const;                         // of an array
    std::vector<std::pair<std::string, JsonValue>> members() const;  // of an object, in its order

    // Members of an object. `meaning` completes "the study needs ...": it stands in the message where a key is missing.
    std::optional<JsonValue> find(const std::string& key) const;
    JsonValue member(const std::string& key, const std::string& meaning) const;
    // Refuses a value that is no object, and any key that is not `known`, with a suggestion.
    void require_keys(std::span<const std::string> known) const;

  private:
    [[noreturn]] void refuse_type(const std::string& expected, const std::string& remedy) const;

    const JsonText* text_;
    const Json* json_;
    std::string path_;  // "/integrator/step_s"; "" is the whole text
};

class JsonText {
  public:
    // Throw UserError (usage_or_input) for a file that cannot be read and for a text that is no JSON.
    static JsonText read(const std::filesystem::path& file);
    JsonText(std::string_view text, std::string name);

    const std::string& name() const { return name_; }
    JsonValue root() const { return {*this, root_, ""}; }
    std::string where(const std::string& path) const;

    // Puts a value over the text's: "integrator.step_s=1e-4", "/integrator/step_s=1e-4". Other values than JSON are
    // plain text. A key with dots is found where it stands in the text or is one of `dotted_keys`. A missing object on
    // the way is made, so that a wrong name meets require_keys(). null takes a key away. Throws UserError where the
    // assignment has no =, the path leads through a value without members, or there is no such key to take away.
    void assign(const std::string& assignment, std::span<const std::string> dotted_keys);
    // The same with a value at hand; `option` stands for the place in messages ("--seed 7").
    void assign(const std::string& key_path, Json value, const std::string& option,
                std::span<const std::string> dotted_keys);

  private:
    std::string place_of(std::size_t offset) const;  // "study.json:3:5"

    std::string name_, text_;
    TextPositions positions_;
    Json root_;
    std::unordered_map<std::string, std::size_t> offsets_;  // of a JSON path, in the text
    std::map<std::string, std::string> options_;            // of a JSON path that an assignment gave: "-o a.b=1"
};

}  // namespace myriad
