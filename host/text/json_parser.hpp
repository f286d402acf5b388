// The text of a JSON file to its values, in the order of the file, and the place of each key, object and array.
#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace myriad {

// Objects keep the order of their keys: bodies, joints and quantities are numbered by it. Looking a key up takes time
// in proportion to the size of its object, so whoever looks up all keys of an object goes through its members instead.
using Json = nlohmann::ordered_json;

// The limits of one file; a larger one is refused before anything is built from it. Each is far above what a person or
// a script has reason to write, and the time and memory that the reader takes stay below a second and some 100 MB.
inline constexpr std::size_t largest_json_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_json_places = 250'000;  // keys, objects and arrays together
inline constexpr std::size_t longest_json_key = 200, longest_json_path = 1000;
inline constexpr std::size_t deepest_json_nesting = 64;

struct ParsedJson {
    Json root;
    std::unordered_map<std::string, std::size_t> offsets;  // of a JSON path: where it begins in the text
};

// Blanks for comments and for commas that end a list, so that every position stays what it was. `place` gives the words
// for a position in messages, here and below. Throws UserError (usage_or_input).
using PlaceOfOffset = std::function<std::string(std::size_t offset)>;
std::string plain_json(std::string text, const PlaceOfOffset& place);

// Throws UserError (usage_or_input) for a text that is no JSON, for what the limits above exclude, for a key given
// twice, and for NaN and infinities.
ParsedJson parse_json(std::string_view plain, const PlaceOfOffset& place);

// The same value with the keys of all objects in the order of the alphabet, for texts that are compared.
Json with_sorted_keys(const Json& value);

// Whether a word is NaN or an infinity, as people write them.
bool means_not_finite(std::string word);

}  // namespace myriad
