// Words of a file, a path or a command line as a message or a table shows them: valid UTF-8 in one line, without what
// would steer a terminal, and no longer than stated.
//
// Control characters are shown as \n, \t, \x1b; bytes that are no UTF-8 as \xff; the characters that turn the direction
// of writing as \u202e. Longer text ends with " ... (N more bytes)".
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace myriad {

inline constexpr std::size_t longest_shown = 1000;  // bytes

// The length of the UTF-8 character at the beginning of `text`, which is not empty, and its code; 0 where there is
// none.
struct Utf8Character {
    std::size_t bytes = 0;
    char32_t code = 0;
};
inline Utf8Character utf8_character(std::string_view text) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, lead};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
    char32_t code = lead & (0xffu >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) {
        if ((byte(k) & 0xc0u) != 0x80u) return {};
        code = code << 6 | (byte(k) & 0x3fu);
    }
    // Longer than needed, half of a pair of UTF-16, or beyond Unicode.
    constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code < smallest[bytes] || is_surrogate || code > 0x10ffff ? Utf8Character{} : Utf8Character{bytes, code};
}

inline bool is_utf8(std::string_view text) {
    for (std::size_t k = 0; k < text.size();) {
        const std::size_t bytes = utf8_character(text.substr(k)).bytes;
        if (bytes == 0) return false;
        k += bytes;
    }
    return true;
}

inline std::string printable(std::string_view text, std::size_t longest = longest_shown) {
    std::string shown;
    const auto escape = [&](const char* format, unsigned code) {
        std::array<char, 16> written{};
        std::snprintf(written.data(), written.size(), format, code);
        shown += written.data();
    };
    for (std::size_t k = 0; k < text.size();) {
        if (shown.size() >= longest) return shown + " ... (" + std::to_string(text.size() - k) + " more bytes)";
        const auto [bytes, code] = utf8_character(text.substr(k));
        const bool turns_the_direction = code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                                         (code >= 0x2066 && code <= 0x2069);
        if (code == '\n')
            shown += "\\n";
        else if (code == '\t')
            shown += "\\t";
        else if (bytes == 0)
            escape("\\x%02x", static_cast<unsigned char>(text[k]));
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            escape("\\x%02x", code);
        else if (turns_the_direction)
            escape("\\u%04x", code);
        else
            shown += text.substr(k, bytes);
        k += bytes == 0 ? 1 : bytes;
    }
    return shown;
}

// Text of several lines: each as above, together no more than the longest.
inline std::string printable_lines(std::string_view text, std::size_t longest = 2 * longest_shown) {
    std::string shown;
    for (std::size_t start = 0; start <= text.size() && shown.size() < longest;) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        shown += (start == 0 ? "" : "\n") + printable(text.substr(start, end - start), longest - shown.size());
        start = end + 1;
    }
    return shown;
}

}  // namespace myriad
