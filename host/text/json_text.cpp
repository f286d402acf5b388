#include "host/text/json_text.hpp"

#include <algorithm>
#include <cmath>

#include "host/text/input_file.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad {

namespace {

constexpr double largest_exact_whole_number = 9007199254740992.0;  // 2^53

std::string shortened(const std::string& text) {
    constexpr std::size_t most = 40;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

std::string JsonValue::where() const { return text_->where(path_); }

void JsonValue::refuse(const std::string& what_is_wrong, const std::string& remedy) const {
    refuse_at(where(), what_is_wrong, remedy);
}

std::string JsonValue::found() const {
    if (json_->is_null()) return "null";
    if (json_->is_boolean()) return json_->get<bool>() ? "true" : "false";
    if (json_->is_object()) return "an object";
    if (json_->is_array()) return "an array of " + std::to_string(json_->size());
    return (json_->is_string() ? "the text " : "the number ") +
           shortened(json_->dump(-1, ' ', false, Json::error_handler_t::replace));
}

void JsonValue::refuse_type(const std::string& expected, const std::string& remedy) const {
    refuse("expected " + expected + ", found " + found(), remedy);
}

double JsonValue::number() const {
    if (json_->is_string()) {
        const std::string text = json_->get<std::string>();
        if (means_not_finite(text)) refuse("expected a finite number, found " + text, "give a finite number");
        const bool is_quoted_number = Json::accept(text) && Json::parse(text).is_number();
        if (is_quoted_number) refuse_type("a number", "write it without quotes");
    }
    if (!json_->is_number()) refuse_type("a number", "give a number such as 1.5 or 2e-3");
    return json_->get<double>();
}

double JsonValue::positive_number() const {
    const double value = number();
    if (!(value > 0.0)) refuse("expected a number above 0, found " + number_text(value), "give a positive number");
    return value;
}

std::uint64_t JsonValue::whole_number() const {
    const double value = number();
    if (!(value >= 0.0) || value != std::floor(value))
        refuse("expected a whole number, 0 or more, found " + number_text(value), "give a number such as 100 or 1e5");
    if (json_->is_number_unsigned()) return json_->get<std::uint64_t>();
    if (value > largest_exact_whole_number)
        refuse("the whole number " + number_text(value) + " is too large", "give at most 2^53");
    return static_cast<std::uint64_t>(value);
}

std::string JsonValue::string() const {
    if (!json_->is_string()) refuse_type("a text", "put it in double quotes");
    return json_->get<std::string>();
}

bool JsonValue::boolean() const {
    if (!json_->is_boolean()) refuse_type("true or false", "write true or false, without quotes");
    return json_->get<bool>();
}

std::size_t JsonValue::one_of(std::span<const std::string> known, const std::string& kind,
                              const std::string& plural) const {
    const std::string name = string();
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) refuse("the " + kind + " \"" + name + "\" is unknown", suggestion(name, known, plural));
    return static_cast<std::size_t>(found - known.begin());
}

std::vector<JsonValue> JsonValue::elements() const {
    if (!json_->is_array()) refuse_type("an array", "put the values in square brackets: [a, b]");
    std::vector<JsonValue> all;
    for (std::size_t k = 0; k < json_->size(); ++k)
        all.emplace_back(*text_, (*json_)[k], path_ + "/" + std::to_string(k));
    return all;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
    if (!json_->is_object()) refuse_type("an object", "put it in braces: {\"name\": value}");
    std::vector<std::pair<std::string, JsonValue>> all;
    for (const auto& [key, value] : json_->items()) all.emplace_back(key, JsonValue(*text_, value, path_ + "/" + key));
    return all;
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
    const auto at = json_->find(key);
    if (at == json_->end()) return std::nullopt;
    return JsonValue(*text_, *at, path_ + "/" + key);
}

JsonValue JsonValue::member(const std::string& key, const std::string& meaning) const {
    if (auto value = find(key)) return *value;
    refuse("the key \"" + key + "\" is missing", "add \"" + key + "\": " + meaning);
}

void JsonValue::require_keys(std::span<const std::string> known) const {
    for (const auto& [key, value] : members())
        if (std::find(known.begin(), known.end(), key) == known.end())
            value.refuse("the key \"" + key + "\" is unknown", suggestion(key, known, "keys here"));
}

JsonText JsonText::read(const std::filesystem::path& file) {
    InputFile input(file, {"study or mechanism", largest_json_bytes, "give the path of a JSON file that can be read"});
    return {input.rest(), file.string()};
}

JsonText::JsonText(std::string_view text, std::string name) : name_(std::move(name)), text_(text), positions_(text) {
    const PlaceOfOffset place = [&](std::size_t offset) { return place_of(offset); };
    ParsedJson parsed = parse_json(plain_json(text_, place), place);
    root_ = std::move(parsed.root), offsets_ = std::move(parsed.offsets);
}

std::string JsonText::place_of(std::size_t offset) const {
    const LineAndColumn at = positions_.of(text_, offset);
    return name_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string JsonText::where(const std::string& path) const {
    const std::string behind = path.empty() ? "" : ": " + path;
    for (std::string above = path;; above.erase(above.rfind('/'))) {
        if (const auto option = options_.find(above); option != options_.end())
            return name_ + ", " + option->second + behind;
        if (const auto offset = offsets_.find(above); offset != offsets_.end())
            return place_of(offset->second) + behind;
        if (above.empty()) return name_ + behind;
    }
}

}  // namespace myriad
