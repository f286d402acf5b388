#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/ensemble/run.hpp"
#include "host/program/instance_selection.hpp"
#include "host/program/interruption.hpp"
#include "host/program/one_run.hpp"
#include "host/program/run_on_ranks.hpp"
#include "host/program/run_text.hpp"
#include "host/program/text/json_output.hpp"
#include "host/program/text/progress_bar.hpp"
#include "host/program/text/text_table.hpp"
#include "host/results/result_format.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

// Names that other programs would take for another kind of file.
void require_name_of_a_format(const std::filesystem::path& out) {
    constexpr std::array<std::string_view, 12> others{".csv", ".tsv", ".txt", ".json",    ".xls", ".xlsx",
                                                      ".mat", ".npy", ".npz", ".parquet", ".zip", ".zarr"};
    const std::string extension = out.extension().string();
    if (extension != results::format_of(out).ending() &&
        std::find(others.begin(), others.end(), extension) != others.end())
        throw UserError(ExitCode::usage_or_input, "--out " + out.string(),
                        "a result is an HDF5 file, and " + extension + " names another kind",
                        "write --out " + std::filesystem::path(out).replace_extension(".h5").string() +
                            "; h5py, pandas and MATLAB read it");
}

}  // namespace

std::filesystem::path result_path(const RunCommand& command, const std::optional<results::InstanceRange>& range) {
    if (command.out) {
        require_name_of_a_format(*command.out);
        return *command.out;
    }
    const std::filesystem::path whole = command.study.stem().string() + ".h5";
    return range ? part_beside(whole, *range) : whole;
}

study::Study read_study(const RunCommand& command, bool tells_warnings) {
    study::Study study = study::read_study(command.study, command.overrides);
    if (tells_warnings)
        for (const std::string& warning : study.warnings)
            std::fprintf(stderr, "warning: %s\n", printable(warning).c_str());
    return study;
}

ensemble::RunSummary run_shown(const RunCommand& command, const study::Study& study,
                               const std::optional<results::InstanceRange>& range, const std::filesystem::path& out,
                               const OneOfSeveral* several) {
    const bool speaks = !several || several->speaks;
    const std::atomic<bool>& stop = interruption();
    ensemble::RunOptions options;
    options.backend = command.backend;
    options.settings = command.settings;
    if (speaks)
        options.settings.notice = [](const std::string& text) {
            std::fprintf(stderr, "%s\n", printable(text).c_str());
        };
    options.out = out;
    options.resume = command.resume;
    options.overwrite = command.overwrite;
    options.range = range;
    if (command.check_step) options.check_stride = ensemble::check_stride(*command.check_step);
    ProgressBar bar;
    options.warning = [&](const std::string& text) {
        std::fprintf(stderr, "%swarning: %s\n", speaks ? "" : (several->name + ": ").c_str(), printable(text).c_str());
    };
    options.started = [&](const std::string& device, const backends::MemoryPlan& plan, std::uint64_t finished) {
        // Only now, because all reading that could keep the program waiting is done.
        catch_interruptions();
        if (speaks)
            std::fprintf(
                stderr, "%s%s",
                opening_text(study, options.range, device, plan, command.settings.chunk != 0, finished).c_str(),
                command.resume && finished == 0 ? "  no finished instances to go on from: all anew\n" : "");
        if (several)
            several->begun(finished);
        else
            bar.begin_with(finished);
    };
    options.progress = [&](const ensemble::Progress& progress) {
        several ? several->progress(progress) : bar.show(progress);
    };
    return ensemble::run_study(study, options, stop);
}

void tell_summary(const study::Study& study, const ensemble::RunSummary& summary, OutputFormat format) {
    if (format == OutputFormat::json)
        std::printf("%s\n", json_text(summary_json(study, summary)).c_str());
    else
        std::printf("%s", summary_text(study, summary).c_str());
    std::fflush(stdout);
}

void tell_complete_before(const ensemble::RunSummary& summary, OutputFormat format) {
    if (format == OutputFormat::json)
        std::printf("%s\n", nlohmann::ordered_json{{"ending", "complete_before"},
                                                   {"instances", summary.instances},
                                                   {"result", summary.out.string()}}
                                .dump(2)
                                .c_str());
    else
        std::printf("%s is complete with its %s instances: nothing is left to do\n", summary.out.string().c_str(),
                    grouped(summary.instances).c_str());
}

std::string text_of_stop(const ensemble::RunSummary& summary) {
    return "stopped: an instance failed and the study says on_failure: stop; " + grouped(summary.finished) + " of " +
           grouped(summary.instances) + " instances are kept in " + printable(summary.journal.string()) +
           "\n  go on with --resume and -o on_failure=continue\n";
}

int judge_failures(const study::Study& study, const ensemble::RunSummary& summary) {
    if (summary.failed_share() <= study.allowed_failed_share) return 0;
    std::fprintf(stderr,
                 "%s of %s instances failed, more than the study allows (allowed_failed_share %s); the result is "
                 "complete all the same\n",
                 grouped(summary.failed).c_str(), grouped(summary.instances).c_str(),
                 significant(study.allowed_failed_share).c_str());
    return static_cast<int>(ExitCode::too_many_failed);
}

int run(const RunCommand& command) {
    const auto launch = ranks::launch_of_this_process();
    const bool numbers_its_own = launch && launch->is_step_of_slurm && (command.range || command.shard);
    if (launch && !numbers_its_own) return run_on_ranks(command, *launch);
    const study::Study study = read_study(command, true);
    const auto range = selected_instances(command.range, command.shard, study.instances);
    const ensemble::RunSummary summary = run_shown(command, study, range, result_path(command, range));

    if (summary.ending == ensemble::Ending::complete_before) {
        tell_complete_before(summary, command.format);
        return 0;
    }
    tell_summary(study, summary, command.format);
    if (summary.ending == ensemble::Ending::interrupted) {
        std::fprintf(stderr,
                     "interrupted: %s of %s instances are finished and kept in %s\n"
                     "  go on with the same command and --resume\n",
                     grouped(summary.finished).c_str(), grouped(summary.instances).c_str(),
                     printable(summary.journal.string()).c_str());
        return 128 + interrupting_signal();
    }
    if (summary.ending == ensemble::Ending::stopped_on_failure) {
        std::fprintf(stderr, "%s", text_of_stop(summary).c_str());
        return static_cast<int>(ExitCode::too_many_failed);
    }
    return judge_failures(study, summary);
}

}  // namespace myriad::program
