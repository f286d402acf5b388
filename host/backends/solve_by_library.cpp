#include "host/backends/solve_by_library.hpp"

#if defined(MYRIAD_HAS_CUDA_SOLVERS)
#include "host/backends/cuda/library_solvers.hpp"
#endif

namespace myriad::backends {

#if defined(MYRIAD_HAS_CUDA_SOLVERS)
std::optional<LibrarySolution> solve_by_library(LibraryMethod method, const SystemsView& systems, std::string& why) {
    const auto device = cuda::Device::open(why);
    if (!device) return std::nullopt;
    const auto solvers = cuda::LibrarySolvers::open(device, why);
    if (!solvers) return std::nullopt;
    return method == LibraryMethod::lu ? solvers->lu(systems) : solvers->cholesky(systems);
}
#else
std::optional<LibrarySolution> solve_by_library(LibraryMethod, const SystemsView&, std::string& why) {
    why = "this program was built without the headers of cuBLAS and cuSOLVER";
    return std::nullopt;
}
#endif

}  // namespace myriad::backends
