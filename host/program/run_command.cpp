#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/ensemble/run.hpp"
#include "host/printable.hpp"
#include "host/program/commands.hpp"
#include "host/program/interruption.hpp"
#include "host/program/json_output.hpp"
#include "host/program/run_text.hpp"
#include "host/program/text_table.hpp"
#include "host/results/reader.hpp"
#include "host/user_error.hpp"

namespace myriad::program {

namespace {

// A bar on a terminal, one line each tenth elsewhere.
class ProgressBar {
  public:
    void show(std::uint64_t finished, std::uint64_t before, std::uint64_t instances, double seconds) {
        const double share = static_cast<double>(finished) / static_cast<double>(instances);
        const double rate = static_cast<double>(finished - before) / std::max(seconds, 1e-9);
        const double left = rate > 0.0 ? static_cast<double>(instances - finished) / rate : 0.0;
        if (!terminal_) {
            const int tenth = static_cast<int>(10.0 * share);
            if (tenth <= last_tenth_) return;
            last_tenth_ = tenth;
            std::fprintf(stderr, "%3.0f %%  %s of %s instances, %s left\n", 100.0 * share, grouped(finished).c_str(),
                         grouped(instances).c_str(), seconds_text(left).c_str());
            return;
        }
        constexpr int width = 40;
        const auto full = static_cast<std::size_t>(share * width);
        const std::string bar = std::string(full, '#') + std::string(width - full, '.');
        std::fprintf(stderr, "\r[%s] %3.0f %%  %s instances/s, %s left  \x1b[K", bar.c_str(), 100.0 * share,
                     with_prefix(rate).c_str(), seconds_text(left).c_str());
        shown_ = true;
    }
    // Leaves the terminal's line empty, also when an error ends the run.
    void clear() {
        if (shown_) std::fprintf(stderr, "\r\x1b[K");
        shown_ = false;
    }
    ~ProgressBar() { clear(); }

  private:
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool shown_ = false;
    int last_tenth_ = 0;
};

// Names by which other programs would take the file for something else.
void require_hdf5_name(const std::filesystem::path& out) {
    constexpr std::array<std::string_view, 12> others{".csv", ".tsv", ".txt", ".json",    ".xls", ".xlsx",
                                                      ".mat", ".npy", ".npz", ".parquet", ".zip", ".zarr"};
    const std::string extension = out.extension().string();
    if (std::find(others.begin(), others.end(), extension) != others.end())
        throw UserError(ExitCode::usage_or_input, "--out " + out.string(),
                        "a result is an HDF5 file, and " + extension + " names another kind",
                        "write --out " + std::filesystem::path(out).replace_extension(".h5").string() +
                            "; h5py, pandas and MATLAB read it");
}

std::filesystem::path result_path(const RunCommand& command) {
    if (command.out) {
        require_hdf5_name(*command.out);
        return *command.out;
    }
    return command.study.stem().string() + ".h5";
}

}  // namespace

int run(const RunCommand& command) {
    const study::Study study = study::read_study(command.study, command.overrides);
    for (const std::string& warning : study.warnings) std::fprintf(stderr, "warning: %s\n", printable(warning).c_str());

    // Only now: a study that is read from a pipe may keep the program waiting, and a signal then simply ends it.
    const std::atomic<bool>& stop = interruption();
    const std::filesystem::path out = result_path(command);
    if (command.overwrite && std::filesystem::is_regular_file(out) && !results::fingerprint_of(out))
        throw UserError(ExitCode::output, out.string(), "this file is not a result of Myriad, so it is not replaced",
                        "choose another --out, or move the file away");
    ensemble::RunOptions options;
    options.backend = command.backend;
    options.settings = command.settings;
    options.settings.notice = [](const std::string& text) { std::fprintf(stderr, "%s\n", printable(text).c_str()); };
    options.out = out;
    options.resume = command.resume;
    options.overwrite = command.overwrite;
    ProgressBar bar;
    std::uint64_t before = 0;
    options.warning = [](const std::string& text) { std::fprintf(stderr, "warning: %s\n", printable(text).c_str()); };
    options.started = [&](const std::string& device, const backends::MemoryPlan& plan, std::uint64_t finished) {
        before = finished;
        std::fprintf(stderr, "%s", opening_text(study, device, plan, finished).c_str());
        if (command.resume && finished == 0) std::fprintf(stderr, "  no finished instances to go on from: all anew\n");
    };
    options.progress = [&](std::uint64_t finished, std::uint64_t instances, double seconds) {
        bar.show(finished, before, instances, seconds);
    };
    const ensemble::RunSummary summary = ensemble::run_study(study, options, stop);
    bar.clear();

    if (command.format == Format::json)
        std::printf("%s\n", json_text(summary_json(study, summary)).c_str());
    else
        std::printf("%s", summary_text(study, summary).c_str());
    std::fflush(stdout);
    if (summary.ending == ensemble::Ending::interrupted) {
        std::fprintf(stderr,
                     "interrupted: %s of %s instances are finished and kept in %s\n"
                     "  go on with the same command and --resume\n",
                     grouped(summary.finished).c_str(), grouped(summary.instances).c_str(),
                     summary.journal.string().c_str());
        return 128 + interrupting_signal();
    }
    if (summary.ending == ensemble::Ending::stopped_on_failure) {
        std::fprintf(stderr,
                     "stopped: an instance failed and the study says on_failure: stop; %s of %s instances are kept in "
                     "%s\n  go on with --resume and -o on_failure=continue\n",
                     grouped(summary.finished).c_str(), grouped(summary.instances).c_str(),
                     summary.journal.string().c_str());
        return static_cast<int>(ExitCode::too_many_failed);
    }
    if (summary.failed_share() > study.allowed_failed_share) {
        std::fprintf(stderr,
                     "%s of %s instances failed, more than the study allows (allowed_failed_share %s); the result is "
                     "complete all the same\n",
                     grouped(summary.failed).c_str(), grouped(summary.instances).c_str(),
                     significant(study.allowed_failed_share).c_str());
        return static_cast<int>(ExitCode::too_many_failed);
    }
    return 0;
}

}  // namespace myriad::program
