// The kernels of bench/by_hand/ as text inside the program, for the run-time compiler. The build writes the definitions
// (cmake/embed_files.cmake).
#pragma once
#include "host/backends/compiled_kernels/embedded_files.hpp"

namespace myriad {

extern const EmbeddedFile embedded_by_hand_files[];
extern const int embedded_by_hand_file_count;

}  // namespace myriad
