// The identity of a run: the study, the range of its instances, and the earlier runs that it can go on from.
#pragma once
#include <filesystem>
#include <string>

#include "host/results/layout/run_identity.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// The fingerprint of a run: the study's, then version and commit of this program. Another program may give other bits,
// so it finishes no run of this one.
results::Fingerprint fingerprint_of_run(const study::Study& study);

bool is_of_this_build(const results::RunIdentity& run);
// "myriad 0.2.0-024317e0f033": version and commit of the program that began the run.
std::string build_of(const results::RunIdentity& run);

// "" where `theirs` is the run `ours` of this study, or holds the first instances of the whole study while `ours` is
// all of it; else the reason, as a sentence without its end.
std::string objection_to_continuing(const study::Study& study, const results::RunIdentity& theirs,
                                    const results::RunIdentity& ours);

// Whether the result of the run `ours` stands at `out`, with nothing to add: no, also where the journal of an
// unfinished run is beside it. UserError (usage_or_input) where a result stands there that `ours` cannot go on from.
bool is_complete(const study::Study& study, const std::filesystem::path& out, const results::RunIdentity& ours);

// UserError (output) where a file stands at `out` that is not a result, and is therefore not to be replaced.
void require_a_result_to_replace(const std::filesystem::path& out);

}  // namespace myriad::ensemble
