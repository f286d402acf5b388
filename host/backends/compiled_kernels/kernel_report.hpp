// The compiler's report on a GPU kernel: registers, stack and spills from the assembler's log, instructions from PTX.
#pragma once
#include <string>
#include <vector>

namespace myriad::backends::cuda {

// Counts of the whole kernel as text, not of a step. In PTX a division or a root is one instruction that the assembler
// expands. fp64 and fp32 count arithmetic and comparisons; moves, integers, addresses and branches are the rest.
struct InstructionCounts {
    int fp64 = 0, fp32 = 0, memory = 0, other = 0;
};

struct KernelFigures {
    std::string kernel;
    int registers = 0;
    int stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0;  // per thread
    InstructionCounts instructions;
    bool spills() const { return stack_bytes > 0 || spill_store_bytes > 0 || spill_load_bytes > 0; }
};

// One entry for each entry function named in the log, in its order; spills of functions that it calls are not counted,
// their stack is part of its own. `log` is what NVRTC or nvcc print with
// --ptxas-options=-v.
std::vector<KernelFigures> kernel_figures(const std::string& log, const std::string& ptx);

}  // namespace myriad::backends::cuda
