// A number as the shortest text that reads back as the same double: for messages and reports.
#pragma once
#include <array>
#include <charconv>
#include <string>

namespace myriad {

inline std::string number_text(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end.ptr};
}

// Rounded to this many significant digits, at most 17.
inline std::string rounded_number_text(double number, int digits) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits);
    return {text.data(), end.ptr};
}

}  // namespace myriad
