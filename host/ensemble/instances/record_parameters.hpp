// The parameters in the records of a backend, from those that a study varies.
//
// For a system of the catalog they are the same. For a mechanism the varied numbers of its file are put among the
// others, the kernel's parameters follow from all of them, and those that can differ between instances are kept. The
// varied numbers stand behind them: the reference path reads the file and not the table.
#pragma once
#include <cstdint>
#include <vector>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// `sampled` is [study.varied][count]; the result is [field][count], then `sampled`, as Backend::start takes it. An
// instance's values depend on its own sample alone, whatever the number of threads (0: as many as the machine has).
std::vector<double> record_parameters(const study::Study& study, std::uint64_t count,
                                      const std::vector<double>& sampled, int threads = 0);

}  // namespace myriad::ensemble
