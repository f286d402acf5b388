// The operations of steps with contact, counted by running their real code on a counting number.
//
// Their number depends on the data: which contacts are closed, and how many iterations its problems take. Hence a count
// belongs to a run: to whole instances of a study, one after the other, each on its own. The work of a pack for lanes
// that have nothing to solve is not in it.
#pragma once
#include <string>
#include <vector>

#include "bench/operations/operation_counts.hpp"
#include "host/study/study.hpp"

namespace myriad::bench {

// Sums over the steps of one kind; `counted`: of the integrator alone, without the certificate.
struct CountedSteps {
    long long steps = 0;
    OperationCounts counted;
    double newton_iterations = 0.0, problems = 0.0, iterations = 0.0;  // of contact problems, and of all of them
};

struct ContactOperations {
    OperationCounts all;  // the sum over all steps, each with its acceptance and certificate
    // Without a closed contact; with one that neither opens an impact; with an impact, which counts above the study's
    // threshold.
    CountedSteps open, closed, impact;
    bool ended_ok = true;   // every instance that was counted
    int record_fields = 0;  // without varied parameters
    int bytes_unfused = 0;  // as in StepOperations

    long long steps() const { return open.steps + closed.steps + impact.steps; }
    double flops_per_step() const { return static_cast<double>(all.flops()) / static_cast<double>(steps()); }
};

// Counts the first `instances` of a study of a system with contact, or of a mechanism with a method of contact, on the
// chart rotation and in double precision. Throws std::invalid_argument for any other.
ContactOperations count_contact_steps(const study::Study& study, std::uint64_t instances);

}  // namespace myriad::bench
