// The commands of the program, each a function from its options to an exit code. Results go to standard output,
// progress and warnings to standard error; an error that the user can mend is thrown as a UserError.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/program/step_cost.hpp"
#include "host/study/study.hpp"

namespace myriad::program {

enum class OutputFormat { human, json };

struct RunCommand {
    std::filesystem::path study;
    study::Overrides overrides;
    std::string backend = backends::names::automatic;
    backends::Settings settings;
    std::optional<std::filesystem::path> out;
    bool resume = false, overwrite = false;
    std::optional<double> check_step;         // the share of the instances, in (0, 1]
    std::optional<std::string> range, shard;  // "A:B", "K/R"
    std::vector<std::string> words;           // behind the program's name, as they were given
    OutputFormat format = OutputFormat::human;
};
int run(const RunCommand& command);

// Of replay: the kernels of the program on plain numbers, instead of the reference path.
struct ReplayCommand {
    std::filesystem::path result;
    std::uint64_t instance = 0;
    std::string kernels;  // names::double_kernels, or empty
    OutputFormat format = OutputFormat::human;
};
int replay(const ReplayCommand& command);

struct MergeCommand {
    std::vector<std::filesystem::path> parts;
    std::filesystem::path out;
    bool link = false;
    OutputFormat format = OutputFormat::human;
};
int merge(const MergeCommand& command);

struct ValidateCommand {
    std::vector<std::string> cases;
    std::string backend = backends::names::cpu;
    OutputFormat format = OutputFormat::human;
};
int validate(const ValidateCommand& command);

struct BenchCommand {
    std::vector<std::string> cases;
    OutputFormat format = OutputFormat::human;
    std::optional<std::filesystem::path> out;    // JSON, beside what is printed
    std::optional<std::filesystem::path> pages;  // folder for the pages of cases that make one
};
int bench(const BenchCommand& command);

struct ListCommand {
    bool studies = false;   // those that come with the program
    bool statuses = false;  // how instances end, why, and what to change first
    std::optional<std::string> system;
    std::optional<std::filesystem::path> mechanism;
    std::optional<std::string> coordinates;  // of the mechanism, instead of the file's
    CountStep count_step;
    OutputFormat format = OutputFormat::human;
};
int list(const ListCommand& command);

struct CompileCommand {
    std::vector<std::filesystem::path> studies;
    std::filesystem::path into;
    std::string architecture = "sm_90";
};
int compile(const CompileCommand& command);

// Writes a study and a mechanism to begin with: <name>.json and <name>_mechanism.json.
int make_new(const std::filesystem::path& name);
int report(const std::filesystem::path& result);
int schema(const std::string& of);
int version(OutputFormat format);

}  // namespace myriad::program
