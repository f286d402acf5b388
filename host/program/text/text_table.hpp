// Plain text for people: aligned tables, numbers with the digits that matter, thousands separated, lines that fit.
//
// A line is as wide as the terminal, 100 columns into a pipe or file. It breaks at spaces: a word, as the name of a
// dataset, a path or components in braces, is never broken, and alone may be wider.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace myriad::program {

// Columns are padded to their widest cell; those of numbers are aligned to the right. Cells are kept printable. In a
// table too wide for a line cells go on below; a first cell wider than its column has a line of its own.
class TextTable {
  public:
    explicit TextTable(const std::vector<std::string>& header) { add(header); }
    void add(const std::vector<std::string>& row);
    // `left` columns, counted from the first, are aligned to the left; each line begins with `indent`.
    std::string text(std::size_t left, const std::string& indent = "") const;

  private:
    std::vector<std::size_t> widths_within(std::size_t room) const;

    std::vector<std::vector<std::string>> rows_;
};

// One line of text, broken so that it fits; what goes on below begins with `indent`.
std::string wrapped(const std::string& text, const std::string& indent = "");

std::string grouped(std::uint64_t number);              // "1,234,567"
std::string significant(double value, int digits = 6);  // "0.0123457"; "-" for NaN
std::string with_prefix(double value);                  // "87.3 M", "1.20 G"
std::string bytes_text(std::uint64_t bytes);            // "45.1 MB"
std::string seconds_text(double seconds);               // "0.84 s", "2 min 05 s", "1 h 02 min"

}  // namespace myriad::program
