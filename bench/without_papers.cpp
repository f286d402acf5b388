// What stands for papers/ in a build without it.
#include "bench/cases.hpp"
#include "bench/operations/operation_counts.hpp"

namespace myriad::bench {

std::span<const Case> paper_cases() { return {}; }

void count_operations_of_papers(std::vector<StepOperations>&) {}

}  // namespace myriad::bench
