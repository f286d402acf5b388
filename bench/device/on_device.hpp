// An ensemble on the first device, timed: kernels alone, and with the copies around them.
#pragma once
#include <optional>

#include "bench/measurement.hpp"

namespace myriad::bench {

// What the device calls itself. None where there is no device: the report then gets a row that says why.
std::optional<std::string> device_of(program::BenchReport& report, const std::string& bench,
                                     const std::string& subject);

// What kernels are compiled for where nothing runs them: H100 and H200.
inline constexpr const char* architecture_without_device = "sm_90";

struct OnDevice {
    program::BenchRow row;  // with rates of the kernels alone
    Finished finished;      // of the last repetition
    std::vector<double> wall_seconds;
};
// The first run compiles the kernels or finds them kept, and is not timed. Throws UserError where the backend does.
OnDevice measure_on_device(const std::string& bench, const std::string& subject, const study::SystemDescription& system,
                           const Ensemble& ensemble, const std::string& hardware);
// A row that says why there is no rate.
program::BenchRow row_not_measured(const std::string& bench, const std::string& subject, const std::string& hardware,
                                   const std::string& why);

}  // namespace myriad::bench
