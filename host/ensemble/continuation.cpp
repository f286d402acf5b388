#include "host/ensemble/continuation.hpp"

#include "host/results/journal.hpp"
#include "host/results/reader.hpp"
#include "host/text/user_error.hpp"
#include "host/text/version.hpp"

namespace myriad::ensemble {

namespace {

constexpr std::size_t digits_of_study = 32;  // hexadecimal, before the program's part

std::string program() { return std::string("-") + program_version() + "-" + program_commit(); }

}  // namespace

bool is_of_this_build(const results::RunIdentity& run) { return run.fingerprint.hash.ends_with(program()); }

std::string build_of(const results::RunIdentity& run) {
    const std::string& hash = run.fingerprint.hash;
    return "myriad " + (hash.size() > digits_of_study ? hash.substr(digits_of_study + 1) : "of unknown version");
}

results::Fingerprint fingerprint_of_run(const study::Study& study) {
    return {study.fingerprint() + program(), study.file + " (" + std::to_string(study.instances) + " instances of " +
                                                 study.system->name + ", myriad " + program_version() + ", commit " +
                                                 program_commit() + ")"};
}

std::string objection_to_continuing(const study::Study& study, const results::RunIdentity& theirs,
                                    const results::RunIdentity& ours) {
    const std::uint64_t n = theirs.study_instances, wanted = ours.study_instances;
    if (!is_of_this_build(theirs))
        return "it was computed by another build, " + build_of(theirs) + ", this is " + build_of(ours) +
               ": their bits may differ";
    const auto with_theirs = study.fingerprint_with(n);
    if (!with_theirs || *with_theirs + program() != theirs.fingerprint.hash) {
        if (n != wanted && (study.design == "latin_hypercube" || study.design == "grid"))
            return "it is another run, of " + std::to_string(n) + " instances; a " +
                   (study.design == "grid" ? "grid" : "Latin hypercube") +
                   " has a fixed size and cannot be extended to " + std::to_string(wanted);
        if (n > wanted)
            return "it is another run, of " + std::to_string(n) + " instances, more than the " +
                   std::to_string(wanted) + " asked for: " + results::both_runs(theirs.fingerprint, ours.fingerprint);
        return "it is another run: " + results::both_runs(theirs.fingerprint, ours.fingerprint) +
               (study.design == "table" && n < wanted ? "; a table is extended where its first rows are those of the "
                                                        "earlier run"
                                                      : "");
    }
    if (n > wanted)
        return "it has " + std::to_string(n) + " instances, more than the " + std::to_string(wanted) +
               " asked for: a run only grows";
    if (n < wanted && !(theirs.is_whole_study() && ours.is_whole_study()))
        return "it has instances " + text_of(theirs.instances) + " of a study of " + std::to_string(n) +
               ": only whole studies grow, ranges do not";
    if (n == wanted && theirs.instances != ours.instances)
        return "it has instances " + text_of(theirs.instances) + ", this run has " + text_of(ours.instances);
    return "";
}

bool is_complete(const study::Study& study, const std::filesystem::path& out, const results::RunIdentity& ours) {
    const std::filesystem::path journal = results::journal_path(out);
    std::error_code error;
    const bool unfinished = std::filesystem::exists(journal, error) && std::filesystem::file_size(journal, error) > 0;
    const auto standing = unfinished ? std::nullopt : results::identity_of(out);
    if (!standing) return false;
    if (const std::string why = objection_to_continuing(study, *standing, ours); !why.empty())
        throw UserError(ExitCode::usage_or_input, out.string(), "this result cannot be gone on with: " + why,
                        "choose another --out, or replace it with --overwrite instead of --resume");
    return standing->instances == ours.instances;
}

void require_a_result_to_replace(const std::filesystem::path& out) {
    if (std::filesystem::is_regular_file(out) && !results::identity_of(out))
        throw UserError(ExitCode::output, out.string(), "this file is not a result of Myriad, so it is not replaced",
                        "choose another --out, or move the file away");
}

}  // namespace myriad::ensemble
