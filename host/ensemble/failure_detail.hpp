// Where in its mechanism an instance failed: the constraint row, contact or freedom that /instance/detail names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/ensemble/result_columns.hpp"

namespace myriad::ensemble {

// Of a study with a mechanism, which outlives it.
class FailureDetail {
  public:
    explicit FailureDetail(const study::Study& study);
    // The place among detail_names, -1 for none. `told`: what the kernel left beside the constraint residual.
    std::int32_t of_instance(const FinishedInstances& finished, std::uint64_t i, double told) const;

  private:
    const study::Study& study_;
    std::int32_t rows_, contacts_;
};

// A method that stalls at a dead point knows no better than to ask for a smaller step: these instances get that reason.
// `varied`: as of FinishedInstances.
void name_dead_points(const study::Study& study, const std::vector<double>& varied, backends::Chunk& chunk);

// The names that /instance/detail of a mechanism counts: its constraint rows, its contacts, then the freedoms of its
// tree.
std::vector<std::string> detail_names(const mechanism::Mechanism& mechanism);

}  // namespace myriad::ensemble
