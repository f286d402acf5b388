// Replays one instance of a result, with the same parameters: on the reference path, which is independent code, or step
// by step on the kernels themselves, for a debugger.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace myriad::ensemble {

struct Difference {
    std::string what, unit;  // "final position", "trajectory energy", "quantity largest_tilt_rad"
    double largest = 0.0;    // over components and rows; orientations up to the sign of the quaternion; may be NaN
    double of_size = 0.0;    // the largest value in the result that it was compared with
};

struct Replay {
    std::uint64_t instance = 0;
    std::string system, integrator, chart, precision;
    std::string other_build;  // "myriad 0.2.0-024317e0f033": that computed the result, where it is not this one
    std::int32_t run = 1;     // more after retries: the run that gave the result is the one that is replayed
    std::string status, reference_status;  // reference: of what repeats the instance
    double time_s = 0.0, reference_time_s = 0.0;
    std::int64_t steps = 0, reference_steps = 0;
    std::vector<std::pair<std::string, double>> parameters;  // the varied ones
    std::vector<Difference> differences;
};

enum class ReplayBy {
    reference,
    kernels,  // one instance on plain numbers of the study's precision, one trial step after the other, on this thread
};

// Throws UserError for a file that is no result, for an instance that it does not hold, and for a study of another
// build that this one does not take. Of another build's results the numbers that both builds have are compared.
Replay replay_instance(const std::filesystem::path& result, std::uint64_t instance, ReplayBy by = ReplayBy::reference);

}  // namespace myriad::ensemble
