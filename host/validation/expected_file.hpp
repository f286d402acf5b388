// A file of ensembles/expected/: the runs of one study, and claims about them. docs/validation.md describes the keys.
//
// A claim compares what a run measures (a quantity, channels at times or over all rows, an entry of the certificate, a
// formula of channels) with a formula. It may also take the limit to step 0, or the order, of several steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/mechanism/expression/expression.hpp"
#include "host/text/json_text.hpp"

namespace myriad::validation {

using mechanism::Expression;

// With the place of its text, for messages.
struct Formula : Expression {
    std::string where;
};

struct Definition {  // of "let"
    std::string name;
    Formula formula;
};

struct NamedRun {
    std::string name;  // empty: the only one
    std::vector<std::string> assignments;
    std::vector<std::string> forms;  // empty: all
    bool needs_papers = false;
};

// What a run gives, in one or more components.
struct Measured {
    enum class Kind { channels, quantity, certificate, formula };
    Kind kind = Kind::channels;
    std::vector<std::string> addresses;  // of channels, or the one name
    std::optional<Formula> formula;      // of channels
    std::string where;
};

struct Claim {
    enum class Kind { value, status, order, twin };
    Kind kind = Kind::value;
    std::string where, name;                   // name: of its rows; if empty, the measured address
    Measured measured;                         // of a twin: the channels that are compared
    std::vector<double> times_s;               // empty: the end
    std::string times_where;                   // of "at_s" or "every_s"
    double every_s = 0.0;                      // > 0: all rows so far apart; the largest difference counts
    double from_s = 0.0;                       // of these
    std::vector<std::vector<Formula>> equals;  // [time][component]; one time stands for all
    bool is_bound = false;                     // at_most: the magnitude, no value
    std::optional<Formula> over;               // by which both sides are divided
    std::string status;
    std::vector<double> steps_s;  // of a limit or an order; empty in an order: twice the run's step and itself
    int error_power = 0;          // of a limit: the error is a series in this power of the step
    double order = 0.0;
    std::vector<Formula> tolerances;  // one, or one for each component
    std::string reason, source;
    std::vector<std::string> runs, forms, coordinates;  // empty: all
    std::optional<std::uint64_t> instance;              // none: the one that is farthest off
};

struct ExpectedFile {
    std::string name, where;  // of the file, without ".json" and with its path
    std::string title, source;
    std::filesystem::path study_file;     // or
    std::string study_text, study_where;  // the study itself, whose paths begin at `folder`
    std::filesystem::path folder;
    std::vector<std::string> forms, coordinates;  // empty: all, the study's own
    bool needs_papers = false;
    std::vector<Definition> definitions;
    std::vector<NamedRun> runs;
    std::vector<Claim> claims;
};

// Throws UserError (usage_or_input) with file and JSON path.
ExpectedFile read_expected(const std::filesystem::path& file);

// What the program comes with, sorted by name; none where the program was copied without its files.
std::vector<std::filesystem::path> bundled_expected_files();

}  // namespace myriad::validation
