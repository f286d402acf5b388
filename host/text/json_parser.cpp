#include "host/text/json_parser.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "host/text/user_error.hpp"

namespace myriad {

namespace {

// The end of the string literal that begins at `start`: the position behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t start) {
    std::size_t k = start + 1;
    while (k < text.size() && text[k] != '"') k += text[k] == '\\' ? 2 : 1;
    return std::min(k + 1, text.size());
}

std::string without_comments(std::string text, const PlaceOfOffset& place) {
    for (std::size_t k = 0; k < text.size();) {
        const std::string_view two = std::string_view(text).substr(k, 2);
        if (text[k] == '"') {
            k = end_of_string(text, k);
        } else if (two == "//" || two == "/*") {
            std::size_t end = two == "//" ? text.find('\n', k) : text.find("*/", k + 2);
            if (end == std::string::npos && two == "/*")
                refuse_at(place(k), "this comment has no end", "close it with */");
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

std::string word_around(std::string_view text, std::size_t offset) {
    constexpr std::size_t longest = 20;  // of a number or "-Infinity", with room
    const auto is_part = [&](std::size_t k) {
        return std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '-' || text[k] == '+';
    };
    if (offset >= text.size() || !is_part(offset)) return "";
    std::size_t first = offset, end = offset;
    while (first > 0 && offset - first < longest && is_part(first - 1)) --first;
    while (end < text.size() && end - offset < longest && is_part(end)) ++end;
    return std::string(text.substr(first, end - first));
}

// Builds the values as the library's parser meets them. It appends: the library's own builder looks each key up among
// those before it.
class ValueBuilder : public nlohmann::json_sax<Json> {
  public:
    ValueBuilder(std::string_view text, const PlaceOfOffset& place) : text_(text), place_(place) {}

    ParsedJson parsed;
    std::size_t taken = 0;

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t& value) override { return put(std::move(value)); }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& key) override {
        Open& object = open_.back();
        // Nothing but blanks and a comma stands between the last event and the key.
        const std::size_t start = std::min(text_.find('"', end_of_last_), taken);
        end_of_last_ = taken;
        if (key.size() > longest_json_key)
            refuse_at(place_(start), "a key of " + std::to_string(key.size()) + " letters",
                      "a key has at most " + std::to_string(longest_json_key) + " letters");
        object.key = key;
        const std::string path = path_of_next(start);
        if (!object.keys.insert(key).second)
            refuse_at(place_(start) + ": " + path, "the key \"" + key + "\" stands twice in the same object",
                      "keep one of the two; the first is at " + place_(parsed.offsets.at(path)));
        note(path, start);
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        const std::size_t offset = taken == 0 ? 0 : taken - 1;
        const std::string place = place_(offset), word = word_around(text_, offset);
        if (means_not_finite(word))
            refuse_at(place, word + " is no number that a study can use", "give a finite number");
        if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr)
            refuse_at(place, "this number is too large for floating point", "give a number below 1.8e308");
        if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
            refuse_at(place, "the text is empty", "`myriad schema study` shows what a study holds");
        std::string what = error.what();
        for (const std::string& lead : {std::string("syntax error "), std::string("column ")})
            if (const auto at = what.find(lead); at != std::string::npos) {
                what = what.substr(at + lead.size());
                break;
            }
        refuse_at(place, "this is not JSON: " + what,
                  "look for a missing quote, comma or bracket just before this place");
    }

  private:
    struct Open {
        Json* value;
        std::string path, key;
        std::set<std::string> keys;
    };

    std::string path_of_next(std::size_t offset) const {
        if (open_.empty()) return "";
        const Open& above = open_.back();
        std::string path =
            above.path + "/" + (above.value->is_array() ? std::to_string(above.value->size()) : above.key);
        if (path.size() > longest_json_path)
            refuse_at(place_(offset), "the keys that lead here have " + std::to_string(path.size()) + " letters",
                      "they may have " + std::to_string(longest_json_path) + " together: use shorter names");
        return path;
    }

    void note(const std::string& path, std::size_t offset) {
        if (parsed.offsets.size() >= most_json_places)
            refuse_at(place_(offset),
                      "the file has more than " + std::to_string(most_json_places) + " keys, objects and arrays",
                      "put many numbers into one array, and many instances into a table (\"design\": {\"kind\": "
                      "\"table\", \"file\": ...})");
        parsed.offsets.insert_or_assign(path, offset);
    }

    template <class Value>
    bool put(Value&& value) {
        append(std::forward<Value>(value));
        end_of_last_ = taken;
        return true;
    }

    // A value that is put into a list of values may move when the next one comes; the one that is open is the last.
    Json* append(Json value) {
        if (open_.empty()) return &(parsed.root = std::move(value));
        Json& above = *open_.back().value;
        if (above.is_array()) {
            above.push_back(std::move(value));
            return &above.back();
        }
        auto& members = above.get_ref<Json::object_t&>();
        using Members = std::vector<std::pair<const std::string, Json>>;
        static_cast<Members&>(members).emplace_back(open_.back().key, std::move(value));
        return &members.back().second;
    }

    bool open(Json value) {
        const std::size_t offset = taken - 1;
        const std::string path = path_of_next(offset);
        if (open_.size() >= deepest_json_nesting)
            refuse_at(place_(offset), "the nesting is deeper than " + std::to_string(deepest_json_nesting),
                      "no study needs that; look for a bracket too many");
        // A member's place is its key's.
        if (open_.empty() || open_.back().value->is_array()) note(path, offset);
        Json* const opened = append(std::move(value));
        open_.push_back({opened, path, "", {}});
        end_of_last_ = taken;
        return true;
    }

    bool close() {
        open_.pop_back();
        end_of_last_ = taken;
        return true;
    }

    std::string_view text_;
    const PlaceOfOffset& place_;
    std::vector<Open> open_;
    std::size_t end_of_last_ = 0;
};

}  // namespace

bool means_not_finite(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.erase(0, 1);
    return word == "nan" || word == "inf" || word == "infinity";
}

Json with_sorted_keys(const Json& value) { return nlohmann::json(value); }

std::string plain_json(std::string text, const PlaceOfOffset& place) {
    return without_trailing_commas(without_comments(std::move(text), place));
}

ParsedJson parse_json(std::string_view plain, const PlaceOfOffset& place) {
    ValueBuilder builder(plain, place);
    const CountingIterator first{plain.data(), &builder.taken}, last{plain.data() + plain.size(), &builder.taken};
    Json::sax_parse(first, last, &builder);
    return std::move(builder.parsed);
}

}  // namespace myriad
