// Tables of the papers as Markdown: columns of figures, ours beside what is published.
#pragma once
#include <string>
#include <vector>

namespace myriad::bench {

struct MarkdownTable {
    std::string title, text;  // text: what the rows are, and how they were made
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

// A page: a heading, a text, tables and statements.
struct MarkdownPage {
    std::string file, title, text;  // file: without a folder, "ra_paper.md"
    std::vector<MarkdownTable> tables;
    struct Statement {
        std::string claim, verdict, evidence;  // verdict: "holds", "holds in part", "does not hold"
    };
    std::vector<Statement> statements;

    std::string markdown() const;
};

// With so many significant digits; "-" for a NaN, which is a run that did not end well.
std::string figure(double value, int digits = 3);

}  // namespace myriad::bench
