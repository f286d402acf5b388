// Parameters from a table: a CSV file whose header names the parameters' addresses and whose row i is instance i.
//
// Fields are separated by commas, numbers have a decimal point, spaces around a field do not count, a field may stand
// in double quotes. Empty lines and lines that begin with # are skipped; a byte order mark and carriage returns are
// too. There are no intervals for a table: nobody knows how its rows were chosen, and a guess would look like
// knowledge.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace myriad::study {

class Table {
  public:
    // Throws UserError with file, line and column for: a file that cannot be read, no header, no rows, an empty or
    // repeated name, a row that is too short or too long, a field that is not a finite number, and more than the
    // limits: 4 GiB, 250 million numbers, 10,000 columns, names of 200 bytes, lines of 1 MiB.
    static Table read(const std::filesystem::path& file);
    // The same from a stream; `name` stands for the file in messages.
    static Table read(std::istream& lines, const std::string& name);

    // The table with these columns only, in this order. Throws UserError for one that is missing.
    Table select(std::span<const std::string> addresses) const;

    const std::vector<std::string>& addresses() const { return addresses_; }
    std::uint64_t rows() const { return values_.empty() ? 0 : values_.front().size(); }
    double value(std::uint64_t row, std::size_t column) const { return values_[column][row]; }
    std::string text() const { return "table(" + name_ + ", " + std::to_string(rows()) + " rows)"; }

  private:
    std::string name_;
    std::vector<std::string> addresses_;
    std::vector<std::vector<double>> values_;  // [column][row]
};

}  // namespace myriad::study
