// Writes a traced run as CUDA C: one kernel, as its frame says, for NVRTC or nvcc.
//
// The text includes nothing. Its macros MYRIAD_THREADS and MYRIAD_BLOCKS are the threads of a block, and the blocks
// that a multiprocessor is to hold at once. Numbers of a record that steps change are in registers; of a step in which
// many numbers are alive at once they lie in shared memory. Called functions are inlined. Not handled: more than one
// instance of a thread.
#pragma once
#include <string>

#include "host/graph/text/kernel_frame.hpp"

namespace myriad::graph {

std::string cuda_text(const KernelFrame& frame);

// The blocks with which the numbers of a step stay in registers or shared memory.
BlockShape block_shape(const Program& step);

}  // namespace myriad::graph
