#include "host/program/text/text_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

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

constexpr std::size_t width_of_files = 100;
constexpr std::size_t narrowest_terminal = 60;  // below, tables would be all breaks
constexpr std::size_t narrowest_first = 4;      // columns of the first cell; a wider name has a line of its own
constexpr std::size_t kept_whole = 24;          // columns of a cell, as a unit, that is not broken
constexpr std::size_t cost_of_line_alone = 2;   // in lines that go on below: a row in one line is read more easily
const std::string gap = "  ";

std::size_t width_of_lines() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return width_of_files;
    return std::max<std::size_t>(size.ws_col, narrowest_terminal);
}

// The lines of a text of at most `width` columns each, broken at spaces outside of braces, which hold the components of
// a channel; those below the first begin with `indent`.
std::vector<std::string> lines_of(const std::string& text, std::size_t width, const std::string& indent) {
    std::vector<std::string> lines;
    std::string rest = text;
    while (width_of(rest) > width) {
        const std::size_t first_word = rest.find_first_not_of(' ');
        if (first_word == std::string::npos) break;
        std::size_t cut = std::string::npos, columns = 0;
        bool in_braces = false;
        for (std::size_t k = 0; k < rest.size(); ++k) {
            in_braces = rest[k] == '{' || (in_braces && rest[k] != '}');
            if (rest[k] == ' ' && !in_braces && k > first_word && (columns <= width || cut == std::string::npos))
                cut = k;
            if (columns > width && cut != std::string::npos) break;
            columns += width_of(rest.substr(k, 1));
        }
        const std::size_t next = cut == std::string::npos ? cut : rest.find_first_not_of(' ', cut);
        if (next == std::string::npos) break;
        lines.push_back(rest.substr(0, cut));
        rest = indent + rest.substr(next);
    }
    lines.push_back(rest);
    return lines;
}

// What goes on in a cell below its first line is as far in as its beginning.
std::vector<std::string> lines_of_cell(const std::string& cell, std::size_t width) {
    return lines_of(cell, width, std::string(std::min(cell.find_first_not_of(' '), cell.size()), ' '));
}

std::size_t widest(const std::vector<std::string>& lines) {
    std::size_t width = 0;
    for (const std::string& line : lines) width = std::max(width, width_of(line));
    return width;
}

// Whether the first cell of a row keeps its line to itself.
bool stands_alone(std::size_t row, std::size_t columns, const std::vector<std::string>& lines, std::size_t width) {
    return row > 0 && columns > 1 && widest(lines) > width;
}

}  // namespace

void TextTable::add(const std::vector<std::string>& row) {
    rows_.emplace_back();
    for (const std::string& cell : row) rows_.back().push_back(printable(cell));
}

// Narrows, one column of the screen at a time, what makes the table longer by the fewest lines.
std::vector<std::size_t> TextTable::widths_within(std::size_t room) const {
    std::vector<std::size_t> widths, smallest;
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0), smallest.push_back(0);
            widths[i] = std::max(widths[i], width_of(row[i]));
            const bool is_whole = &row != &rows_.front() && width_of(row[i]) <= kept_whole;
            smallest[i] = std::max(smallest[i], is_whole ? width_of(row[i]) : widest(lines_of_cell(row[i], 1)));
        }
    const std::size_t gaps = widths.empty() ? 0 : gap.size() * (widths.size() - 1);
    if (std::reduce(widths.begin(), widths.end()) + gaps <= room) return widths;
    smallest.front() = std::min(widths.front(), narrowest_first);

    // For each column the lines of its cells: none where the first stands alone.
    using Heights = std::vector<std::size_t>;
    const auto heights_of = [&](std::size_t i, std::size_t width) {
        Heights heights(rows_.size(), 1);
        for (std::size_t r = 0; r < rows_.size(); ++r)
            if (i < rows_[r].size()) {
                const std::vector<std::string> lines = lines_of_cell(rows_[r][i], width);
                heights[r] = lines.size();
                if (i == 0 && stands_alone(r, rows_[r].size(), lines, width)) heights[r] = 0;
            }
        return heights;
    };
    std::vector<Heights> heights;
    for (std::size_t i = 0; i < widths.size(); ++i) heights.push_back(heights_of(i, widths[i]));
    const auto length_with = [&](std::size_t i, const Heights& narrower) {
        std::size_t length = 0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            std::size_t height = 1;
            for (std::size_t k = 0; k < widths.size(); ++k)
                height = std::max(height, (k == i ? narrower : heights[k])[r]);
            length += height + ((i == 0 ? narrower : heights[0])[r] == 0 ? cost_of_line_alone : 0);
        }
        return length;
    };
    while (std::reduce(widths.begin(), widths.end()) + gaps > room) {
        std::size_t best = widths.size(), best_length = 0;
        Heights best_heights;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] <= smallest[i]) continue;
            Heights narrower = heights_of(i, widths[i] - 1);
            const std::size_t length = length_with(i, narrower);
            if (best < widths.size() && (length > best_length || (length == best_length && widths[i] <= widths[best])))
                continue;
            best = i, best_length = length, best_heights = std::move(narrower);
        }
        if (best == widths.size()) break;
        --widths[best];
        heights[best] = std::move(best_heights);
    }
    return widths;
}

std::string TextTable::text(std::size_t left, const std::string& indent) const {
    const std::size_t all = width_of_lines(), room = all - std::min(all, indent.size());
    const std::vector<std::size_t> widths = widths_within(room);
    std::string text;
    const auto end_line = [&](std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        std::vector<std::vector<std::string>> cells;
        for (std::size_t i = 0; i < rows_[r].size(); ++i) cells.push_back(lines_of_cell(rows_[r][i], widths[i]));
        if (!cells.empty() && stands_alone(r, cells.size(), cells[0], widths[0])) {
            for (const std::string& line : lines_of_cell(rows_[r][0], room)) end_line(indent + line);
            cells[0] = {""};
        }
        std::size_t height = 0;
        for (const auto& lines : cells) height = std::max(height, lines.size());
        for (std::size_t k = 0; k < height; ++k) {
            std::string line = indent;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const std::string cell = k < cells[i].size() ? cells[i][k] : "";
                const std::string padding(widths[i] - std::min(widths[i], width_of(cell)), ' ');
                line += (i ? gap : "") + (i < left ? cell + padding : padding + cell);
            }
            end_line(line);
        }
    }
    return text;
}

std::string wrapped(const std::string& text, const std::string& indent) {
    std::string all;
    for (const std::string& line : lines_of(text, width_of_lines(), indent)) all += (all.empty() ? "" : "\n") + line;
    return all;
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
