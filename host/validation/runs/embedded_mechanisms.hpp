// The mechanisms of ensembles/mechanisms/ as text inside the program, so that validation and benches run anywhere. The
// build writes the definitions (cmake/embed_files.cmake).
#pragma once
#include "host/backends/compiled_kernels/embedded_files.hpp"

namespace myriad {

extern const EmbeddedFile embedded_mechanism_files[];  // names as in the project: "ensembles/mechanisms/pendulum.json"
extern const int embedded_mechanism_file_count;

}  // namespace myriad
