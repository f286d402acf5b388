#include "host/program/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "host/text/printable.hpp"

namespace myriad::program {

namespace {

std::string formatted(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

// Width on the screen: bytes that continue a UTF-8 character take no place.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void TextTable::add(const std::vector<std::string>& row) {
    rows_.emplace_back();
    for (const std::string& cell : row) rows_.back().push_back(printable(cell));
}

std::string TextTable::text(std::size_t left, const std::string& indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    std::string text;
    for (const auto& row : rows_) {
        std::string line = indent;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - width_of(row[i]), ' ');
            line += (i ? "  " : "") + (i < left ? row[i] + padding : padding + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
    return digits;
}

std::string significant(double value, int digits) {
    if (std::isnan(value)) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

std::string with_prefix(double value) {
    constexpr std::array<std::pair<double, const char*>, 4> prefixes = {
        {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
    for (const auto& [size, name] : prefixes)
        if (value >= size) return significant(value / size, 3) + name;
    return significant(value, 3) + " ";
}

std::string bytes_text(std::uint64_t bytes) { return with_prefix(static_cast<double>(bytes)) + "B"; }

std::string seconds_text(double seconds) {
    if (seconds < 0.01) return formatted("%.1f ms", 1e3 * seconds);
    if (seconds < 60.0) return formatted("%.2f s", seconds);
    if (seconds < 3600.0)
        return formatted("%.0f min ", std::floor(seconds / 60.0)) + formatted("%02.0f s", std::fmod(seconds, 60.0));
    return formatted("%.0f h ", std::floor(seconds / 3600.0)) +
           formatted("%02.0f min", std::floor(std::fmod(seconds, 3600.0) / 60.0));
}

}  // namespace myriad::program
