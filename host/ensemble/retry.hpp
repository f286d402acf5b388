// on_failure "retry": failed instances again with a smaller step, at last on the reference path.
//
// An instance's result must not depend on its neighbours, so each is retried by the same rule: step / 4 (adaptive
// methods: smallest step / 1000 and four times the attempts), then step / 16, then the reference path with the latter.
// Instances with invalid parameters are not retried: no step can help them.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "host/backends/backend.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// Replaces the failed instances of `chunk` by their retried selves and counts the runs of each. `varied` is
// [parameter][count]. False where `stop` was raised.
bool retry_failed(const study::Study& study, const std::string& backend, const backends::Settings& settings,
                  const std::vector<double>& varied, backends::Chunk& chunk, std::vector<std::int32_t>& runs,
                  const std::atomic<bool>& stop);

}  // namespace myriad::ensemble
