// A table of numbers: a CSV file whose header names the columns.
//
// Fields are separated by commas, numbers have a decimal point, spaces around a field do not count, a field may stand
// in double quotes. Empty lines and lines that begin with # are skipped; a byte order mark and carriage returns are
// too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace myriad {

class CsvTable {
  public:
    // Throws UserError with file, line and column for: a file that cannot be read, no header, no rows, an empty or
    // repeated name, a row that is too short or too long, a field that is not a finite number, and more than the
    // limits: 4 GiB, 250 million numbers, 10,000 columns, names of 200 bytes, lines of 1 MiB.
    // `remedy` stands in the message of a file that cannot be opened.
    static CsvTable read(const std::filesystem::path& file, const char* remedy = "give the path of a CSV file");
    // The same from a stream; `name` stands for the file in messages.
    static CsvTable read(std::istream& lines, const std::string& name);

    // The table with these columns only, in this order. Throws UserError for one that is missing.
    CsvTable select(std::span<const std::string> columns) const;

    const std::string& name() const { return name_; }
    const std::vector<std::string>& columns() const { return columns_; }
    std::uint64_t rows() const { return values_.empty() ? 0 : values_.front().size(); }
    double value(std::uint64_t row, std::size_t column) const { return values_[column][row]; }
    std::uint64_t line(std::uint64_t row) const;  // of the file, counted from 1
    std::string text() const { return "table(" + name_ + ", " + std::to_string(rows()) + " rows)"; }

  private:
    std::string name_;
    std::vector<std::string> columns_;
    std::vector<std::vector<double>> values_;  // [column][row]
    struct Run {
        std::uint64_t first_row, first_line;
    };
    std::vector<Run> runs_;  // of rows on consecutive lines
};

}  // namespace myriad
