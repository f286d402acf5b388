// Writes a traced run as PTX: one kernel, as its frame says, for the assembler in NVIDIA's driver.
//
// A GPU's user needs no compiler for it. Numbers of a record that change only where the step is in `when` lie in shared
// memory. Others are in registers; if a step has too many, they lie in shared memory, too, and what it does not change
// is read from the record. Not handled: more than one instance of a thread.
#pragma once
#include <string>

#include "host/graph/text/kernel_frame.hpp"

namespace myriad::graph {

// The target is the oldest card: the driver takes it for all later ones, too.
std::string ptx_text(const KernelFrame& frame, const BlockShape& block);

}  // namespace myriad::graph
