// Writes a traced run as PTX: one kernel, as its frame says, for the assembler in NVIDIA's driver.
//
// A GPU's user needs no compiler for it. Numbers of a record that change only where the step is in `when` lie in shared
// memory. Others are in registers; if a step has too many, they lie in shared memory, too, and what it does not change
// is read from the record. Not handled: more than one instance of a thread.
#pragma once
#include <string>

#include "host/graph/text/kernel_frame.hpp"

namespace myriad::graph {

struct PtxForm {
    int threads = 64, blocks = 1;  // of a block; that a multiprocessor is to hold at once
    const char* target = "sm_70";  // the driver takes it for all later cards, too
};
std::string ptx_text(const KernelFrame& frame, const PtxForm& form = {});

}  // namespace myriad::graph
