// The operations of one step of each member of the catalog, counted by running its real code on a counting number.
#pragma once
#include <string>
#include <vector>

#include "bench/operations/operation_kinds.hpp"

namespace myriad::bench {

struct StepOperations {
    std::string system, chart, integrator;
    bool adaptive = false;
    // One pass of the loop over steps, without quantities and rows: the attempt, then its acceptance and certificate.
    OperationCounts written, distinct;
    OperationCounts attempt_distinct;  // the integrator's part alone
    int record_fields = 0;             // without varied parameters
    int parameters = 0;
    // Bytes of fp64, per step, where every step is a launch of its own: record and parameters in, record and states
    // out. In a fused loop none is moved.
    int bytes_unfused = 0;
};

// In the order of the catalog, with those of papers/ at the end, in a build that has them.
std::vector<StepOperations> count_operations();
void count_operations_of_papers(std::vector<StepOperations>& members);
// Null for a member that is not counted: the steps of an implicit method depend on its iterations.
const StepOperations* find_operations(const std::string& system, const std::string& chart,
                                      const std::string& integrator);
// Throws std::out_of_range where find_operations finds none.
const StepOperations& operations_of(const std::string& system, const std::string& chart, const std::string& integrator);

}  // namespace myriad::bench
