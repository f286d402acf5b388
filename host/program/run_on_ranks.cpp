#include "host/program/run_on_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>
#include <thread>

#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/ensemble/continuation.hpp"
#include "host/ensemble/merge.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/program/instance_selection.hpp"
#include "host/program/interruption.hpp"
#include "host/program/one_run.hpp"
#include "host/program/text/progress_of_ranks.hpp"
#include "host/ranks/mpi.hpp"
#include "host/text/checksum.hpp"
#include "host/text/failure.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

constexpr std::uint64_t most_listed = 8;  // shards, in a message
// A file that another machine has written may be seen this much later on a network's disk.
constexpr int longest_wait_for_a_file_s = 60;

// As a shell reads it back.
std::string shell_word(const std::string& word) {
    const auto is_plain = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) ||
               std::string_view("_-+=./:,%@").find(letter) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

// What a rank tells the others: how its part ended, and what it ran.
enum class Part : std::int64_t { well, failed, whole_is_there };
struct Report {
    Part part = Part::well;
    int exit_code = 0;
    std::uint64_t study = 0;

    ranks::World::Word word() const {
        return {static_cast<std::int64_t>(part) << 32 | exit_code, static_cast<std::int64_t>(study)};
    }
    static Report of(const ranks::World::Word& word) {
        return {static_cast<Part>(word[0] >> 32), static_cast<int>(word[0] & 0xffffffff),
                static_cast<std::uint64_t>(word[1])};
    }
};

class RankRun {
  public:
    RankRun(const RunCommand& command, const ranks::Launch& launch) : command_(command), launch_(launch) {
        command_.settings.rank_on_node = launch.rank_on_node;
        if (command_.settings.threads == 0)
            command_.settings.threads = ranks::threads_of_a_rank(
                launch, backends::hardware_threads(), static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))));
    }

    int run() {
        std::string why_alone;
        world_ = ranks::World::open(launch_, why_alone);
        const Failure failure = caught([&] { prepare(); });
        if (const auto ended = agreed(failure)) return *ended;
        if (is_first()) announce(why_alone);

        ensemble::RunSummary summary;
        ProgressOfRanks progress(world_.get(), launch_, world_ ? study_->instances : range(0).count);
        const OneOfSeveral one{shard_name(rank()), is_first(),
                               [&](std::uint64_t finished) { progress.set({finished}); },
                               [&](const ensemble::Progress& now) {
                                   progress.set({now.saved, now.chunk, now.share_of_chunk});
                               }};
        Failure of_shard = caught([&] { summary = run_shown(command_, *study_, range(rank()), part(rank()), &one); });
        if (of_shard.exit_code == 0 && summary.ending != ensemble::Ending::interrupted &&
            summary.ending != ensemble::Ending::stopped_on_failure)
            progress.set({range(rank()).count});
        progress.clear();
        catch_interruptions();  // a shard that was complete before has not done so
        if (summary.ending == ensemble::Ending::stopped_on_failure)
            of_shard = {static_cast<int>(ExitCode::too_many_failed), text_of_stop(summary)};
        if (of_shard.exit_code != 0) tell(shard_name(rank()) + ": " + of_shard.text);
        if (summary.ending == ensemble::Ending::interrupted) return stopped();
        return world_ ? ended_together(of_shard, progress) : ended_alone(of_shard);
    }

  private:
    int rank() const { return launch_.rank; }
    bool is_first() const { return rank() == 0; }
    std::string shard_name(int k) const { return "shard " + std::to_string(k) + "/" + std::to_string(launch_.ranks); }

    template <class Action>
    static Failure caught(Action action) {
        try {
            action();
            return {};
        } catch (...) {
            return failure_of(std::current_exception());
        }
    }
    static void tell(const std::string& text) {
        std::fprintf(stderr, "%s%s", text.c_str(), text.ends_with('\n') ? "" : "\n");
    }

    void prepare() {
        for (const auto& [option, given] : {std::pair("--shard ", command_.shard), {"--range ", command_.range}})
            if (given)
                refuse_at(
                    option + *given, "each of the processes that " + launch_.launcher + " started runs a shard",
                    "leave the option out; or start one process, or set MYRIAD_MPI=off where each is to run alone");
        study_ = read_study(command_, is_first());
        if (static_cast<std::uint64_t>(launch_.ranks) > study_->instances)
            refuse_at(
                launch_.launcher,
                "the study has " + std::to_string(study_->instances) + " instances, fewer than there are processes",
                "start at most one process for each instance");
        // One that is not there is found before any shard has begun.
        if (command_.backend != backends::names::automatic) backends::make_backend(command_.backend, command_.settings);
        out_ = result_path(command_, std::nullopt);
        if (is_first() && ensemble::is_merged(*study_, out_, command_.resume, command_.overwrite)) is_there_ = true;
    }

    results::InstanceRange range(int k) const {
        return *selected_instances(std::nullopt, std::to_string(k) + "/" + std::to_string(launch_.ranks),
                                   study_->instances);
    }
    std::filesystem::path part(int k) const { return part_beside(out_, range(k)); }
    // What is no result of this run is none.
    bool is_whole(int k) const try {
        return ensemble::is_complete(
            *study_, part(k),
            results::identity_of(ensemble::fingerprint_of_run(*study_), ensemble::result_layout(*study_, range(k))));
    } catch (const UserError&) {
        return false;
    }

    // An exit code where this rank or another cannot begin, or nothing is left to do.
    std::optional<int> agreed(const Failure& failure) {
        Report mine{is_there_           ? Part::whole_is_there
                    : failure.exit_code ? Part::failed
                                        : Part::well,
                    failure.exit_code, study_ ? number_of(ensemble::fingerprint_of_run(*study_).hash) : 0};
        if (!world_) {
            if (failure.exit_code != 0) tell("myriad: " + shard_name(rank()) + ": " + failure.text);
            if (is_there_) tell_all_is_there();
            return failure.exit_code != 0 || is_there_ ? std::optional(failure.exit_code) : std::nullopt;
        }
        const auto words = world_->words_of_all(mine.word(), interruption());
        if (!words) world_->abort(128 + interrupting_signal());
        const auto exit_code = told_before_the_shards(*words, mine, failure);
        if (exit_code) world_->end();
        return exit_code;
    }
    // The first rank that cannot begin decides, and has said why before any other ends: then mpirun ends all.
    std::optional<int> told_before_the_shards(const std::vector<ranks::World::Word>& words, const Report& mine,
                                              const Failure& failure) const {
        for (std::size_t k = 0; k < words.size(); ++k) {
            const Report theirs = Report::of(words[k]);
            if (theirs.part == Part::well && (theirs.study == mine.study || failure.exit_code != 0)) continue;
            if (theirs.part == Part::whole_is_there) {
                if (is_first()) tell_all_is_there();
                return 0;
            }
            if (theirs.part == Part::failed) {
                // The others' error is nearly always the same one.
                if (static_cast<int>(k) == rank()) tell("myriad: " + failure.text);
                return theirs.exit_code;
            }
            if (is_first())
                tell("myriad: " + launch_.launcher +
                     ": its processes run different studies, or different builds of Myriad\n"
                     "  start each study by an mpirun of its own");
            return static_cast<int>(ExitCode::usage_or_input);
        }
        return std::nullopt;
    }
    void tell_all_is_there() const {
        ensemble::RunSummary summary;
        summary.out = out_, summary.instances = study_->instances;
        tell_complete_before(summary, command_.format);
    }
    static std::uint64_t number_of(const std::string& text) {
        Checksum checksum;
        checksum.add(std::as_bytes(std::span(text)));
        return checksum.value();
    }

    void announce(const std::string& why_alone) const {
        if (!world_)
            tell("warning: " + printable(why_alone) + ": the " + std::to_string(launch_.ranks) +
                 " processes run their shards without a word to each other");
        tell(launch_.launcher + ": this is " + shard_name(0) +
             (world_ ? "; the progress is that of all" : ", whose progress stands for that of all"));
    }

    // By a signal, which the launcher or the batch system sends to all.
    int stopped() {
        const int exit_code = 128 + interrupting_signal();
        if (is_first())
            tell(
                "interrupted: each shard keeps what it has finished\n"
                "  go on with the same command and --resume" +
                rerun_text(unfinished()));
        if (world_) world_->abort(exit_code);
        return exit_code;
    }

    int ended_together(const Failure& failure, ProgressOfRanks& progress) {
        const auto words =
            world_->words_of_all(Report{failure.exit_code ? Part::failed : Part::well, failure.exit_code, 0}.word(),
                                 interruption(), [&] { progress.renew(); });
        progress.clear();
        if (!words) return stopped();
        int exit_code = 0;
        std::vector<int> missing;
        for (std::size_t k = 0; k < words->size(); ++k) {
            const Report theirs = Report::of((*words)[k]);
            if (theirs.part == Part::well) continue;
            missing.push_back(static_cast<int>(k));
            if (exit_code == 0) exit_code = theirs.exit_code;
        }
        if (is_first() && !missing.empty()) tell_missing(missing);
        // The others leave before the files are linked.
        world_->end();
        world_.reset();
        return missing.empty() && is_first() ? joined() : exit_code;
    }

    int ended_alone(const Failure& failure) {
        if (!is_first() || failure.exit_code != 0) return failure.exit_code;
        const std::vector<int> missing = unfinished();
        if (missing.empty()) return joined();
        tell(std::to_string(missing.size()) + " of " + std::to_string(launch_.ranks) +
             " shards are not complete yet. When the other processes have ended, link the files:\n  " + merge_text());
        return 0;
    }

    int joined() {
        for (int k = 0; k < launch_.ranks; ++k)
            for (int waited_s = 0; waited_s < longest_wait_for_a_file_s && !is_whole(k); ++waited_s)
                std::this_thread::sleep_for(std::chrono::seconds(1));
        std::vector<std::filesystem::path> parts;
        for (int k = 0; k < launch_.ranks; ++k) parts.push_back(part(k));
        const bool replaces = command_.overwrite;
        const ensemble::Merged merged = ensemble::merge_results(
            parts, out_, true, replaces ? results::IfPresent::replace : results::IfPresent::refuse);
        tell_summary(merged.study, merged.summary, command_.format);
        return judge_failures(*study_, merged.summary);
    }

    std::vector<int> unfinished() const {
        std::vector<int> missing;
        for (int k = 0; k < launch_.ranks; ++k)
            if (!is_whole(k)) missing.push_back(k);
        return missing;
    }

    void tell_missing(const std::vector<int>& missing) const {
        tell(std::to_string(missing.size()) + " of " + std::to_string(launch_.ranks) + " shards are not complete" +
             (static_cast<int>(missing.size()) < launch_.ranks ? "; the others are, and their files stay" : "") +
             rerun_text(missing) + "\n  when all are there: " + merge_text());
    }
    std::string rerun_text(const std::vector<int>& missing) const {
        std::string text;
        for (std::size_t i = 0; i < missing.size() && i < most_listed; ++i)
            text += "\n  " + shard_name(missing[i]) + " alone: " + rerun_command(missing[i]);
        if (missing.size() > most_listed) text += "\n  and " + std::to_string(missing.size() - most_listed) + " more";
        return text;
    }
    // The words that were given, with the shard in place of what only all together may have.
    std::string rerun_command(int k) const {
        std::string text = "myriad";
        for (std::size_t i = 0; i < command_.words.size(); ++i) {
            const std::string& word = command_.words[i];
            if (word == "--resume" || word == "--overwrite" || word.starts_with("--out=")) continue;
            if (word == "--out")
                ++i;
            else
                text += " " + shell_word(word);
        }
        text += " --shard " + std::to_string(k) + "/" + std::to_string(launch_.ranks) + " --resume";
        return command_.out ? text + " --out " + shell_word(part(k).string()) : text;
    }
    std::string merge_text() const {
        std::string text = "myriad merge --link";
        const std::filesystem::path all = out_.parent_path() / (out_.stem().string() + ".*-*.h5");
        if (static_cast<std::uint64_t>(launch_.ranks) > most_listed)
            text += " " + all.string();
        else
            for (int k = 0; k < launch_.ranks; ++k) text += " " + shell_word(part(k).string());
        return text + " --out " + shell_word(out_.string());
    }

    RunCommand command_;
    const ranks::Launch& launch_;
    std::unique_ptr<ranks::World> world_;
    std::optional<study::Study> study_;
    std::filesystem::path out_;
    bool is_there_ = false;  // the result of the whole study, complete
};

}  // namespace

int run_on_ranks(const RunCommand& command, const ranks::Launch& launch) { return RankRun(command, launch).run(); }

}  // namespace myriad::program
