// Tables: functions of one argument given by points, in the file or in a CSV file beside it.
#include <algorithm>
#include <cmath>

#include "host/mechanism/file/builder.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/table.hpp"
#include "host/text/user_error.hpp"

namespace myriad::mechanism {

namespace {

constexpr std::size_t most_table_points = 10'000;  // of a mechanism: each is 40 bytes of every kernel's tables

// Says of arguments that do not rise what is wrong with them.
std::string contradiction(const std::string& name, double before, double argument) {
    return name + " " + number_text(argument) +
           (before == argument ? " stands twice" : " follows " + number_text(before)) + ", and arguments rise";
}
constexpr const char* sort_remedy = "sort the points by their argument, and keep one of those with the same";

void read_points(const JsonValue& points, Table& table) {
    for (const JsonValue& point : points.elements()) {
        const auto refuse = [&] {
            point.refuse("expected an argument and a value, found " + point.found(),
                         "write a point as two numbers: [0.5, 1.2]");
        };
        if (!point.is_array() || point.json().size() != 2) refuse();
        const std::vector<JsonValue> pair = point.elements();
        for (const JsonValue& number : pair)
            if (!number.is_number())
                number.refuse("expected a number, found " + number.found(),
                              "points are numbers; scale and shift them in the expression that uses the table: "
                              "\"gain * " +
                                  table.name + "(t - delay_s)\"");
        const double argument = pair[0].number();
        if (!table.arguments.empty() && !(table.arguments.back() < argument))
            point.refuse(contradiction("the argument", table.arguments.back(), argument), sort_remedy);
        table.arguments.push_back(argument);
        table.values.push_back(pair[1].number());
    }
}

std::vector<std::string> columns_of(const Entry& entry, const CsvTable& file) {
    if (const auto given = entry.value.find(table_columns_key.name)) {
        std::vector<std::string> columns;
        for (const JsonValue& column : given->elements()) columns.push_back(column.string());
        if (columns.size() != 2)
            given->refuse("expected two columns, found " + std::to_string(columns.size()),
                          "name the column of the arguments and that of the values");
        return columns;
    }
    if (file.columns().size() != 2)
        entry.value.refuse(
            "the file " + file.name() + " has " + std::to_string(file.columns().size()) + " columns",
            "say which two: \"columns\": [\"time_s\", \"angle_rad\"]; it has " + list_of(file.columns()));
    return file.columns();
}

void read_points_file(const Entry& entry, const JsonValue& name, const std::optional<std::filesystem::path>& folder,
                      Table& table) {
    if (!folder)
        name.refuse("this mechanism is a text without a folder, and its table stands in another file, " + name.string(),
                    "give the points themselves: \"points\": [[0, 0], [1, 0.5]]");
    const CsvTable file =
        CsvTable::read(*folder / name.string(), "give the path of a CSV file, from the mechanism file's folder");
    const CsvTable both = file.select(columns_of(entry, file));
    for (std::uint64_t row = 0; row < both.rows(); ++row) {
        const double argument = both.value(row, 0);
        if (!table.arguments.empty() && !(table.arguments.back() < argument))
            throw UserError(ExitCode::usage_or_input, both.name() + ", line " + std::to_string(both.line(row)),
                            contradiction(both.columns()[0], table.arguments.back(), argument), sort_remedy);
        table.arguments.push_back(argument);
        table.values.push_back(both.value(row, 1));
    }
}

Table read_table(const Entry& entry, const std::string& name, const std::optional<std::filesystem::path>& folder) {
    entry.value.require_keys(names_of(table_keys));
    Table table;
    table.name = name;
    if (const auto given = entry.value.find(interpolation_key.name))
        table.interpolation =
            static_cast<Interpolation>(given->one_of(names_of(interpolation_names), "kind of interpolation"));
    if (const auto given = entry.value.find(outside_key.name))
        table.outside = static_cast<Outside>(given->one_of(names_of(outside_names), "value outside the points"));
    const auto points = entry.value.find(table_points_key.name), file = entry.value.find(table_file_key.name);
    if (points.has_value() == file.has_value())
        entry.value.refuse(points ? "it has points and names a file" : "it has neither points nor a file",
                           "give \"points\": [[0, 0], [1, 0.5]], or the path of a CSV file: \"file\": \"motion.csv\"");
    if (points && entry.value.find(table_columns_key.name))
        entry.value.refuse("columns are those of a file, and this table has points", "leave one of them out");
    if (points)
        read_points(*points, table);
    else
        read_points_file(entry, *file, folder, table);
    if (table.arguments.size() < 2)
        entry.value.refuse("this table has " + std::to_string(table.arguments.size()) +
                               (table.arguments.size() == 1 ? " point" : " points"),
                           "give at least two; a constant needs no table");
    if (const auto given = entry.value.find(end_slopes_key.name)) {
        const std::vector<JsonValue> slopes = given->elements();
        if (slopes.size() != 2)
            given->refuse("expected two slopes, found " + given->found(),
                          "give that at the first and that at the last point");
        if (table.interpolation != Interpolation::cubic_spline)
            given->refuse("slopes at the ends belong to a cubic spline", "leave them out, or take \"cubic_spline\"");
        table.end_slopes = {slopes[0].number(), slopes[1].number()};
    }
    return table;
}

}  // namespace

void read_tables(Builder& builder, const JsonValue& root, const std::optional<std::filesystem::path>& folder) {
    const auto tables = std::make_shared<Tables>();
    std::size_t points = 0;
    if (const auto section = root.find(tables_section_key.name)) {
        builder.require_count(*section, most_interpolants, "tables");
        for (const auto& [name, value] : section->members()) {
            require_name(name, value, "table");
            if (!Expression::is_name(name))
                value.refuse("the name \"" + name + "\" has a meaning of its own in expressions",
                             "choose another name");
            const Table table = read_table({value, std::string(tables_section_key.name) + "." + name}, name, folder);
            points += table.arguments.size();
            if (points > most_table_points)
                value.refuse(
                    "the tables of this mechanism have more than " + std::to_string(most_table_points) + " points",
                    "leave points out: a cubic spline needs few where a function is smooth");
            tables->add(table);
            for (const PolynomialPiece& piece : tables->pieces())
                for (const double coefficient : piece.c)
                    if (!is_finite(coefficient))
                        value.refuse("the polynomials between its points are not finite",
                                     "look for points that are far too close, or numbers that are far too large");
        }
    }
    tables->put_into(builder.mechanism.table);
    builder.mechanism.tables = tables;
    builder.numbers.take_tables(tables);
}

Json with_points(Json sections, const Tables& tables) {
    for (const Table& table : tables.all()) {
        Json& entry = sections[table.name];
        entry.erase(table_file_key.name);
        entry.erase(table_columns_key.name);
        Json points = Json::array();
        for (std::size_t i = 0; i < table.arguments.size(); ++i)
            points.push_back({table.arguments[i], table.values[i]});
        entry[table_points_key.name] = points;
    }
    return sections;
}

}  // namespace myriad::mechanism
