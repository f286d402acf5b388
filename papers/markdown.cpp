#include "papers/markdown.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace myriad::bench {

namespace {

std::string row_text(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string table_text(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
    std::string text = row_text(columns) + row_text(std::vector<std::string>(columns.size(), "---"));
    for (const std::vector<std::string>& row : rows) text += row_text(row);
    return text;
}

}  // namespace

std::string MarkdownPage::markdown() const {
    std::string page = "# " + title + "\n\n" + text + "\n";
    if (!statements.empty()) {
        page += "\n## What the paper says, and whether it holds for us\n\n";
        std::vector<std::vector<std::string>> rows;
        for (const Statement& one : statements) rows.push_back({one.claim, one.verdict, one.evidence});
        page += table_text({"the paper", "for us", "our figures"}, rows);
    }
    for (const MarkdownTable& table : tables) {
        page += "\n## " + table.title + "\n\n";
        if (!table.text.empty()) page += table.text + "\n\n";
        page += table_text(table.columns, table.rows);
    }
    return page;
}

std::string figure(double value, int digits) {
    if (std::isnan(value)) return "-";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

}  // namespace myriad::bench
