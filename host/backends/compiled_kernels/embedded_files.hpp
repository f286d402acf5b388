// The kernel headers as text inside the program, which the run-time compiler of the GPU includes. The build writes the
// definitions from kernels/ and ensembles/ (cmake/embed_files.cmake).
#pragma once

namespace myriad {

struct EmbeddedFile {
    const char* name;  // as an #include line spells it: "kernels/math/real.hpp"
    const char* text;
};

extern const EmbeddedFile embedded_kernel_files[];
extern const int embedded_kernel_file_count;

}  // namespace myriad
