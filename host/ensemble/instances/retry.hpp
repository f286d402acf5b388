// on_failure "retry": failed instances again with a smaller step, on the cpu where its kernels take the task.
//
// An instance's result must not depend on its neighbours, so each is retried by the same rule: run 2 with step / 4, run
// 3 with step / 16. Adaptive methods are given 4 and 16 times the attempts, and a smallest step of a thousandth, but
// none that their clock cannot resolve. A run whose steps the precision cannot count is left out. Instances that no
// step can help (`can_be_helped` in the source) are not retried. The last failure is kept.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

constexpr std::int32_t last_run = 3;

// The task of an instance's run number `run` (1: the study's own), or none where that run is left out.
std::optional<backends::Task> task_of_run(const study::Study& study, std::int32_t run);

// Replaces the failed instances of `chunk` by their retried selves and counts the runs of each. `varied` is
// [parameter][count]. `doing` is told, now and then, what is tried. False where `stop` was raised.
bool retry_failed(const study::Study& study, const std::string& backend, const backends::Settings& settings,
                  const std::vector<double>& varied, backends::Chunk& chunk, std::vector<std::int32_t>& runs,
                  const std::function<void(const std::string&)>& doing, const std::atomic<bool>& stop);

}  // namespace myriad::ensemble
