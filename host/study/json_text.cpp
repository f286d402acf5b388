#include "host/study/json_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "host/study/number_text.hpp"
#include "host/study/suggestion.hpp"
#include "host/user_error.hpp"

namespace myriad::study {

namespace {

using nlohmann::json;

constexpr std::size_t deepest_nesting = 64;
constexpr double largest_exact_whole_number = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse_at(const std::string& where, const std::string& what, const std::string& remedy) {
    throw UserError(ExitCode::usage_or_input, where, what, remedy);
}

std::string place_of(std::string_view text, const std::string& name, std::size_t offset) {
    std::size_t line = 1, column = 1;
    for (std::size_t k = 0; k < std::min(offset, text.size()); ++k) {
        const bool continues_a_character = (static_cast<unsigned char>(text[k]) & 0xC0u) == 0x80u;
        if (text[k] == '\n')
            ++line, column = 1;
        else if (!continues_a_character)
            ++column;
    }
    return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// The end of the string literal that begins at `start`: the position behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t start) {
    std::size_t k = start + 1;
    while (k < text.size() && text[k] != '"') k += text[k] == '\\' ? 2 : 1;
    return std::min(k + 1, text.size());
}

// Comments become blanks, so that every position stays what it was.
std::string without_comments(std::string text, const std::string& name) {
    for (std::size_t k = 0; k < text.size();) {
        const std::string_view two = std::string_view(text).substr(k, 2);
        if (text[k] == '"') {
            k = end_of_string(text, k);
        } else if (two == "//" || two == "/*") {
            std::size_t end = two == "//" ? text.find('\n', k) : text.find("*/", k + 2);
            if (end == std::string::npos && two == "/*")
                refuse_at(place_of(text, name, k), "this comment has no end", "close it with */");
            end = end == std::string::npos ? text.size() : end + (two == "/*" ? 2 : 0);
            for (; k < end; ++k)
                if (text[k] != '\n') text[k] = ' ';
        } else {
            ++k;
        }
    }
    return text;
}

// Blanks each comma that ends a list; one that ends nothing ("[,]") stays, for the parser to refuse.
std::string without_trailing_commas(std::string text) {
    constexpr std::size_t none = std::string::npos;
    std::size_t comma = none;
    char before = '[';
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (std::strchr(" \t\r\n", text[k]) != nullptr) continue;
        if ((text[k] == ']' || text[k] == '}') && comma != none) text[comma] = ' ';
        comma = text[k] == ',' && std::strchr("[{,:", before) == nullptr ? k : none;
        before = text[k];
        if (text[k] == '"') k = end_of_string(text, k) - 1;
    }
    return text;
}

// Characters with a count of how many the parser has taken, which is where it is.
struct CountingIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    std::size_t* taken;
    reference operator*() const { return *at; }
    CountingIterator& operator++() {
        ++at, ++*taken;
        return *this;
    }
    CountingIterator operator++(int) {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at == other.at; }
    bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

// Follows the parser: knows the path of the value in work, notes where each key stands, and refuses a second one.
class PlaceKeeper {
  public:
    PlaceKeeper(std::string_view text, const std::string& name, std::map<std::string, std::string>& places)
        : text_(text), name_(name), places_(places) {}

    std::size_t taken = 0;

    bool operator()(json::parse_event_t event, const json& parsed) {
        using Event = json::parse_event_t;
        if (event == Event::key) {
            add_key(parsed.get<std::string>());
        } else if (event == Event::object_start || event == Event::array_start) {
            const std::string path = path_of_next();
            places_.emplace(path, place_of(text_, name_, taken - 1));
            if (open_.size() >= deepest_nesting)
                refuse_at(places_.at(path), "the nesting is deeper than " + std::to_string(deepest_nesting),
                          "no study needs that; look for a bracket too many");
            open_.push_back({path, event == Event::array_start, 0, "", {}});
        } else {
            if (event != Event::value) open_.pop_back();
            if (!open_.empty()) ++open_.back().next;
        }
        return true;
    }

  private:
    struct Open {
        std::string path;
        bool is_array;
        std::size_t next;
        std::string key;
        std::set<std::string> keys;
    };

    std::string path_of_next() const {
        if (open_.empty()) return "";
        return open_.back().path + "/" + (open_.back().is_array ? std::to_string(open_.back().next) : open_.back().key);
    }

    void add_key(const std::string& key) {
        Open& object = open_.back();
        object.key = key;
        // The parser has just taken the closing quote of the key.
        std::size_t start = taken >= 2 ? taken - 2 : 0;
        while (start > 0 && !(text_[start] == '"' && end_of_string(text_, start) == taken)) --start;
        const std::string path = path_of_next(), place = place_of(text_, name_, start);
        if (!object.keys.insert(key).second)
            refuse_at(place + ": " + path, "the key \"" + key + "\" stands twice in the same object",
                      "keep one of the two; the first is at " + places_.at(path));
        places_[path] = place;
    }

    std::string_view text_;
    const std::string& name_;
    std::map<std::string, std::string>& places_;
    std::vector<Open> open_;
};

bool means_not_finite(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.erase(0, 1);
    return word == "nan" || word == "inf" || word == "infinity";
}

std::string word_around(std::string_view text, std::size_t offset) {
    const auto is_part = [&](std::size_t k) {
        return std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '-' || text[k] == '+';
    };
    if (offset >= text.size() || !is_part(offset)) return "";
    std::size_t first = offset, end = offset;
    while (first > 0 && is_part(first - 1)) --first;
    while (end < text.size() && is_part(end)) ++end;
    return std::string(text.substr(first, end - first));
}

[[noreturn]] void refuse_syntax(std::string_view text, const std::string& name, std::size_t taken,
                                const json::exception& error) {
    const std::size_t offset = taken == 0 ? 0 : taken - 1;
    const std::string place = place_of(text, name, offset), word = word_around(text, offset);
    if (means_not_finite(word)) refuse_at(place, word + " is no number that a study can use", "give a finite number");
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr)
        refuse_at(place, "this number is too large for floating point", "give a number below 1.8e308");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        refuse_at(place, "the text is empty", "`myriad schema study` shows what a study holds");
    std::string what = error.what();
    for (const std::string& lead : {std::string("syntax error "), std::string("column ")})
        if (const auto at = what.find(lead); at != std::string::npos) {
            what = what.substr(at + lead.size());
            break;
        }
    refuse_at(place, "this is not JSON: " + what, "look for a missing quote, comma or bracket just before this place");
}

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
           shortened(json_->dump(-1, ' ', false, json::error_handler_t::replace));
}

void JsonValue::refuse_type(const std::string& expected, const std::string& remedy) const {
    refuse("expected " + expected + ", found " + found(), remedy);
}

double JsonValue::number() const {
    if (json_->is_string()) {
        const std::string text = json_->get<std::string>();
        if (means_not_finite(text)) refuse("expected a finite number, found " + text, "give a finite number");
        const bool is_quoted_number = json::accept(text) && json::parse(text).is_number();
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
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        refuse_at(file.string(), "this is a folder", "give the path of a JSON file");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    if (stream && stream.peek() != std::ifstream::traits_type::eof()) content << stream.rdbuf();
    if (!stream.is_open() || stream.bad() || content.bad())
        refuse_at(file.string(), std::string("the file cannot be read: ") + std::strerror(errno),
                  "check the path and its permissions");
    return {content.str(), file.string()};
}

JsonText::JsonText(std::string_view text, std::string name) : name_(std::move(name)) {
    const std::string plain = without_trailing_commas(without_comments(std::string(text), name_));
    PlaceKeeper keeper(plain, name_, places_);
    CountingIterator first{plain.data(), &keeper.taken}, last{plain.data() + plain.size(), &keeper.taken};
    try {
        root_ = json::parse(first, last,
                            [&](int, json::parse_event_t event, json& parsed) { return keeper(event, parsed); });
    } catch (const json::exception& error) {
        refuse_syntax(plain, name_, keeper.taken, error);
    }
}

std::string JsonText::where(const std::string& path) const {
    for (std::string above = path;; above.erase(above.rfind('/'))) {
        const auto place = places_.find(above);
        if (place != places_.end()) return place->second + (path.empty() ? "" : ": " + path);
        if (above.empty()) return name_ + (path.empty() ? "" : ": " + path);
    }
}

}  // namespace myriad::study
