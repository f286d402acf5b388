// The operations of one step of a mechanism, counted by running the kernels' own code on a counting number.
#pragma once
#include "host/study/study.hpp"

namespace myriad::bench {

struct MechanismOperations {
    // Per step, its Newton iterations and its share of the certificate included: an fma is two flops, one instruction.
    long long flops = 0, instructions = 0;
    int record_fields = 0;
};

// The mean over 16 steps (one period of the certificate) of the study's first instance with nominal numbers, after as
// many others. For implicit methods, the kinematic analysis and rk4 on the chart `rotation`; std::invalid_argument
// otherwise.
MechanismOperations count_mechanism_step(const study::Study& study);

}  // namespace myriad::bench
