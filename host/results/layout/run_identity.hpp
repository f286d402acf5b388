// The run that a journal or a result file belongs to, and whether another one may go on from there.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"

namespace myriad::results {

// `hash` (128 bits or more, as text) stands for everything that decides the bits of a run: study, mechanism, seed,
// version and commit of the program. `description` is what a person reads when two runs do not fit: "study
// heavy_top.json, seed 7, myriad 0.1.0".
struct Fingerprint {
    std::string hash, description;
};

struct RunIdentity {
    Fingerprint fingerprint;
    InstanceRange instances;  // those the file holds, or will hold, in the study's numbering
    std::uint64_t study_instances = 0;
    bool is_whole_study() const { return instances == InstanceRange{0, study_instances}; }
};

inline RunIdentity identity_of(const Fingerprint& fingerprint, const Layout& layout) {
    return {fingerprint,
            {layout.first_instance, layout.instances},
            layout.study_instances ? layout.study_instances : layout.instances};
}

// The reason why `ours` cannot go on from `theirs`; "" where it can: both are the same, or theirs are the first ones.
using Objection = std::function<std::string(const RunIdentity& theirs, const RunIdentity& ours)>;

// "that one is study.json (1000 instances of ...) [hash], this one ...": two runs that do not fit.
inline std::string both_runs(const Fingerprint& theirs, const Fingerprint& ours) {
    return "that one is " + theirs.description + " [" + theirs.hash + "], this one " + ours.description + " [" +
           ours.hash + "]";
}

// The strictest: only the same run goes on.
inline std::string objection_to_another_run(const RunIdentity& theirs, const RunIdentity& ours) {
    if (theirs.fingerprint.hash != ours.fingerprint.hash)
        return "the unfinished run is another one: " + both_runs(theirs.fingerprint, ours.fingerprint);
    if (theirs.instances == ours.instances && theirs.study_instances == ours.study_instances) return "";
    return "it has instances " + text_of(theirs.instances) + ", this run has " + text_of(ours.instances);
}

}  // namespace myriad::results
