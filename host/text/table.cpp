#include "host/text/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <set>
#include <string_view>

#include "host/text/input_file.hpp"
#include "host/text/user_error.hpp"

namespace myriad {

namespace {

constexpr std::uint64_t largest_table_bytes = std::uint64_t{4} << 30, most_numbers = 250'000'000;
constexpr std::size_t longest_line = std::size_t{1} << 20, most_columns = 10'000, longest_name = 200;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// One line's fields; a comma inside double quotes belongs to its field.
std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    bool quoted = false;
    std::size_t start = 0;
    for (std::size_t k = 0; k <= line.size(); ++k) {
        if (k < line.size() && line[k] == '"') quoted = !quoted;
        if (k < line.size() && (line[k] != ',' || quoted)) continue;
        std::string_view field = trimmed(line.substr(start, k - start));
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
            field = trimmed(field.substr(1, field.size() - 2));
        fields.push_back(field);
        start = k + 1;
    }
    return fields;
}

class Reader {
  public:
    explicit Reader(const std::string& name) : name_(name) {}

    std::uint64_t line() const { return line_; }

    std::vector<std::string> header(std::string_view line) const {
        std::vector<std::string> names;
        const std::vector<std::string_view> fields = fields_of(line);
        if (fields.size() > most_columns)
            refuse("the header has " + std::to_string(fields.size()) + " columns",
                   "give at most " + std::to_string(most_columns));
        std::set<std::string_view> seen;
        for (const std::string_view field : fields) {
            const std::string column = "column " + std::to_string(names.size() + 1) + " of the header";
            if (field.empty()) refuse(column + " has no name", "name each column");
            if (field.size() > longest_name)
                refuse(column + " has a name of " + std::to_string(field.size()) + " bytes",
                       "give at most " + std::to_string(longest_name));
            if (!seen.insert(field).second)
                refuse("the header names " + std::string(field) + " twice", "keep one of the two columns");
            names.emplace_back(field);
        }
        if (names.size() == 1 && line.find(';') != std::string_view::npos)
            refuse("the header has semicolons but no commas", "separate the columns by commas");
        return names;
    }

    std::vector<double> row(std::string_view line, const std::vector<std::string>& columns) const {
        const auto fields = fields_of(line);
        if (fields.size() != columns.size())
            refuse("the row has " + std::to_string(fields.size()) + " fields, the header " +
                       std::to_string(columns.size()),
                   "give one number per column; numbers have a decimal point, not a comma");
        std::vector<double> numbers;
        for (std::size_t k = 0; k < fields.size(); ++k) numbers.push_back(number(fields[k], k, columns[k]));
        return numbers;
    }

    // The next line without its end; false where there is none.
    bool next_line(std::streambuf& text, std::string& line) {
        using Traits = std::streambuf::traits_type;
        line.clear();
        auto letter = text.sbumpc();
        if (letter == Traits::eof()) return false;
        ++line_;
        for (; letter != Traits::eof() && letter != '\n'; letter = text.sbumpc()) {
            if (line.size() == longest_line)
                refuse("the line is longer than " + std::to_string(longest_line) + " bytes",
                       "a table has one row of numbers per line; is this the right file?");
            line += Traits::to_char_type(letter);
        }
        return true;
    }

    [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
        const std::string place = line_ > 0 ? name_ + ", line " + std::to_string(line_) : name_;
        throw UserError(ExitCode::usage_or_input, place, what, remedy);
    }

  private:
    double number(std::string_view field, std::size_t column, const std::string& name) const {
        const auto refuse_field = [&](const std::string& what) {
            refuse("column " + std::to_string(column + 1) + " (" + name + ") " + what,
                   "give a finite number such as 1.5 or 2e-3");
        };
        if (field.empty()) refuse_field("is empty");
        std::string_view digits = field;
        if (digits.front() == '+') digits.remove_prefix(1);
        double number = 0.0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        const bool signs_twice = digits.size() < field.size() && !digits.empty() && digits.front() == '-';
        if (error == std::errc::result_out_of_range)
            refuse_field("holds \"" + std::string(field) + "\", which no floating-point number can hold");
        if (error != std::errc{} || end != digits.data() + digits.size() || signs_twice)
            refuse_field("holds \"" + std::string(field) + "\", which is not a number");
        if (!std::isfinite(number)) refuse_field("holds \"" + std::string(field) + "\", which is not finite");
        return number;
    }

    const std::string& name_;
    std::uint64_t line_ = 0;
};

}  // namespace

CsvTable CsvTable::read(const std::filesystem::path& file, const char* remedy) {
    InputFile input(file, {"table", largest_table_bytes, remedy});
    std::istream lines(&input);
    return read(lines, file.string());
}

CsvTable CsvTable::read(std::istream& lines, const std::string& name) {
    CsvTable table;
    table.name_ = name;
    Reader reader(name);
    std::string line;
    bool first_line = true;
    while (reader.next_line(*lines.rdbuf(), line)) {
        std::string_view text = line;
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (first_line && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
        first_line = false;
        text = trimmed(text);
        if (text.empty() || text.front() == '#') continue;
        if (table.columns_.empty()) {
            table.columns_ = reader.header(text);
            table.values_.resize(table.columns_.size());
            continue;
        }
        if ((table.rows() + 1) * table.columns_.size() > most_numbers)
            reader.refuse("the table has more than " + std::to_string(most_numbers) + " numbers",
                          "leave columns out, or split it into several studies");
        const std::vector<double> numbers = reader.row(text, table.columns_);
        if (table.runs_.empty() || table.line(table.rows() - 1) + 1 != reader.line())
            table.runs_.push_back({table.rows(), reader.line()});
        for (std::size_t k = 0; k < numbers.size(); ++k) table.values_[k].push_back(numbers[k]);
    }
    if (table.columns_.empty())
        reader.refuse("the table is empty", "give a header line with the names of the columns, then rows of numbers");
    if (table.rows() == 0) reader.refuse("the table has a header but no rows", "give at least one row of numbers");
    return table;
}

std::uint64_t CsvTable::line(std::uint64_t row) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), row,
                                        [](std::uint64_t one, const Run& run) { return one < run.first_row; });
    const Run& run = *std::prev(after);
    return run.first_line + (row - run.first_row);
}

CsvTable CsvTable::select(std::span<const std::string> columns) const {
    CsvTable selected;
    selected.name_ = name_, selected.runs_ = runs_;
    for (const std::string& column : columns) {
        const auto found = std::find(columns_.begin(), columns_.end(), column);
        if (found == columns_.end()) {
            std::string names;
            for (const std::string& name : columns_) names += (names.empty() ? "" : ", ") + name;
            throw UserError(ExitCode::usage_or_input, name_, "there is no column " + column,
                            "the columns are: " + names);
        }
        selected.columns_.push_back(column);
        selected.values_.push_back(values_[static_cast<std::size_t>(found - columns_.begin())]);
    }
    return selected;
}

}  // namespace myriad
