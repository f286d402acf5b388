// Values that the command line puts over those of a file.
#include <algorithm>
#include <charconv>

#include "host/text/json_text.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad {

namespace {

using json = Json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
    throw UserError(ExitCode::usage_or_input, where, what,
                    "write path.to.key=value, for example integrator.step_s=1e-4");
}

// JSON is taken as JSON; anything else is a text, so that precision=fp32 needs no quotes within quotes.
json value_of(const std::string& text, const std::string& option) {
    if (json::accept(text)) return parse_json(text, [&](std::size_t) { return option; }).root;
    if (!is_utf8(text)) refuse(option, "the value is no UTF-8");
    return json(text);
}

// Takes the next key from the front of `rest`: the longest one that is known and ends at a separator or the end, else
// all up to the next separator.
std::string take_key(std::string_view& rest, char separator, const std::vector<std::string>& known) {
    std::size_t length = std::min(rest.find(separator), rest.size());
    for (const std::string& key : known) {
        const bool ends_here = rest.size() == key.size() || (rest.size() > key.size() && rest[key.size()] == separator);
        if (rest.starts_with(key) && ends_here) length = std::max(length, key.size());
    }
    const std::string key(rest.substr(0, length));
    rest.remove_prefix(std::min(rest.size(), length + 1));
    return key;
}

}  // namespace

void JsonText::assign(const std::string& assignment, std::span<const std::string> dotted_keys) {
    const std::size_t equals = assignment.find('=');
    const std::string option = "-o " + assignment;
    if (equals == std::string::npos || equals == 0) refuse(option, "this is no assignment");
    assign(assignment.substr(0, equals), value_of(assignment.substr(equals + 1), option), option, dotted_keys);
}

void JsonText::assign(const std::string& key_path, json value, const std::string& option,
                      std::span<const std::string> dotted_keys) {
    const char separator = key_path.starts_with('/') ? '/' : '.';
    std::string_view rest = std::string_view(key_path).substr(separator == '/' ? 1 : 0);
    json *target = &root_, *object = nullptr;  // the object that has the target
    bool was_there = true;
    std::string path, last;
    while (!rest.empty()) {
        if (target->is_null()) *target = json::object();
        std::vector<std::string> known(dotted_keys.begin(), dotted_keys.end());
        if (target->is_object())
            for (const auto& item : target->items()) known.push_back(item.key());
        std::string key = take_key(rest, separator, known);
        // "rate[1]" where the text has the array "rate": its element.
        const std::size_t bracket = key.find('[');
        if (target->is_object() && !target->contains(key) && bracket != std::string::npos && key.ends_with(']') &&
            target->contains(key.substr(0, bracket)) && (*target)[key.substr(0, bracket)].is_array()) {
            path += "/" + key.substr(0, bracket);
            target = &(*target)[key.substr(0, bracket)];
            key = key.substr(bracket + 1, key.size() - bracket - 2);
        }
        path += "/" + key;
        if (target->is_array()) {
            std::size_t index = 0;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
            if (error != std::errc{} || end != key.data() + key.size() || index >= target->size())
                refuse(option, "the array there has the elements 0 to " + std::to_string(target->size() - 1) +
                                   ", but no \"" + key + "\"");
            target = &(*target)[index], object = nullptr;
        } else if (target->is_object()) {
            was_there = target->contains(key), object = target, last = key;
            target = &(*target)[key];
        } else {
            refuse(option, path.substr(0, path.rfind('/')) + " is no object, so it has no \"" + key + "\"");
        }
    }
    if (path.empty()) refuse(option, "the path is empty");
    if (value.is_null() && object) {
        if (!was_there) refuse(option, "there is no " + path + " to take away");
        object->erase(last);
    } else {
        *target = std::move(value);
    }
    const auto is_replaced = [&](const auto& place) {
        return place.first == path || place.first.starts_with(path + "/");
    };
    std::erase_if(offsets_, is_replaced);
    std::erase_if(options_, is_replaced);
    options_[path] = option;
}

}  // namespace myriad
