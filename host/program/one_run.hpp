// The pieces of `run` that one process and each of several take: a study or a part of it is run, and what is said of
// it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "host/ensemble/run.hpp"
#include "host/program/commands.hpp"

namespace myriad::program {

study::Study read_study(const RunCommand& command, bool tells_warnings);

// Where the result goes that has these instances of the study, or all: `--out`, or `<study>.A-B.h5` in this folder.
std::filesystem::path result_path(const RunCommand& command, const std::optional<results::InstanceRange>& range);

// How one of several processes that run a study together shows its part.
struct OneOfSeveral {
    std::string name;  // behind which the warnings stand of one that does not speak
    bool speaks;       // for all: what is run, and on what
    std::function<void(std::uint64_t finished)> begun;
    std::function<void(const ensemble::Progress&)> progress;
};

// Shows what is run and its progress; of `several`, as these say.
ensemble::RunSummary run_shown(const RunCommand& command, const study::Study& study,
                               const std::optional<results::InstanceRange>& range, const std::filesystem::path& out,
                               const OneOfSeveral* several = nullptr);

void tell_summary(const study::Study& study, const ensemble::RunSummary& summary, OutputFormat format);
void tell_complete_before(const ensemble::RunSummary& summary, OutputFormat format);
// Of a run that an instance's failure has stopped.
std::string text_of_stop(const ensemble::RunSummary& summary);
// The exit code, said aloud where more failed than the study allows.
int judge_failures(const study::Study& study, const ensemble::RunSummary& summary);

}  // namespace myriad::program
