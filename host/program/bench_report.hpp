// Measurements of a bench: rows that can be read on their own, as text for people and as JSON for programs.
//
// Rates are medians over repetitions, with the smallest and the largest beside them. A machine under other load makes
// all of them slower by a factor of its own: rows of one report are to be compared by their ratio.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace myriad::program {

struct Spread {
    double median = std::numeric_limits<double>::quiet_NaN();
    double smallest = std::numeric_limits<double>::quiet_NaN();
    double largest = std::numeric_limits<double>::quiet_NaN();
    int repetitions = 0;
};
Spread spread_of(std::vector<double> values);

// A further measured or counted number of a row.
struct BenchFigure {
    std::string name;
    double value = 0.0;
    std::string unit;
};

struct BenchRow {
    std::string bench, subject;
    std::string backend, hardware, precision;
    double step_s = 0.0;  // 0: the method chooses its steps, or there are none
    int width = 0, threads = 0;
    std::uint64_t instances = 0;
    std::uint64_t steps = 0;  // accepted and rejected ones, of all instances together
    double converged_share = std::numeric_limits<double>::quiet_NaN();  // of instances that ended ok
    std::string worst_invariant;                                        // whose drift is the largest of its own size
    double worst_relative_drift = std::numeric_limits<double>::quiet_NaN();
    std::string clock;  // what `seconds` counts: "wall", or "thread cpu"
    Spread seconds;
    Spread instance_steps_per_s;  // no repetitions where an instance failed
    std::vector<BenchFigure> figures;
    std::string note;  // why there is no figure, or what to know about it
};

// A page of tables in Markdown, as the comparisons with a paper are.
struct BenchPage {
    std::string file, markdown;  // file: its name without a folder
};

struct BenchReport {
    std::string hardware, compiler, commit;
    int cores = 0;
    std::vector<BenchRow> rows;
    std::vector<BenchPage> pages;
};

std::string bench_text(const BenchReport& report);
// One row a line, so that two reports can be compared line by line.
std::string bench_json_text(const BenchReport& report);

}  // namespace myriad::program
