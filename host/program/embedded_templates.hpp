// The files that `myriad new` writes, as text inside the program, so that it can write them anywhere.
// The build writes the definitions (cmake/embed_files.cmake).
#pragma once
#include "host/backends/compiled_kernels/embedded_files.hpp"

namespace myriad {

extern const EmbeddedFile embedded_template_files[];  // names as in the project: "ensembles/templates/study.json"
extern const int embedded_template_file_count;

}  // namespace myriad
