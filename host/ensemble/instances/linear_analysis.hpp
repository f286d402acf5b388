// Quantities of modes: each instance is linearised at the equilibrium that it starts in, on the host and in double
// precision whatever computes the motion, and its modes are those of host/mechanism/linear/modes.hpp. The reference
// path has its own (host/backends/reference/reference_modes.hpp).
#pragma once
#include <string>
#include <vector>

#include "host/study/study.hpp"
#include "host/study/task.hpp"

namespace myriad::ensemble {

struct LinearAnalysis {
    std::vector<double> quantities;       // [count][quantities of modes, in the order of the study]; NaN: undefined
    std::vector<std::int32_t> stability;  // [count], mechanism::Stability
};

// Of instances with these records, [field][count] as Backend::start takes them; empty where the study asks for no mode.
// An instance depends on its own record alone, whatever the number of threads (0: as many as the machine has).
LinearAnalysis analyse_linearly(const study::Study& study, const std::string& backend, std::uint64_t count,
                                const std::vector<double>& fields, int threads);

// Puts them among the quantities of a finished chunk of the same instances, where the study has them.
void add_modes(const study::Study& study, const LinearAnalysis& analysis, backends::Chunk& chunk);

}  // namespace myriad::ensemble
