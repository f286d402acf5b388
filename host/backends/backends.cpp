#include "host/backends/backends.hpp"

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/reference/reference.hpp"
#include "host/text/user_error.hpp"

#if defined(MYRIAD_HAS_CUDA)
#include "host/backends/cuda/cuda.hpp"
#endif

namespace myriad::backends {

#if !defined(MYRIAD_HAS_CUDA)
namespace {

constexpr const char* built_without_cuda =
    "this program was built without CUDA; build it where the headers of CUDA 12 or 13 are";

Availability cuda_availability() { return {"cuda", false, built_without_cuda}; }
std::unique_ptr<Backend> make_cuda_backend(const Settings&) {
    throw UserError(ExitCode::device, "--backend cuda", built_without_cuda, "use --backend cpu");
}

}  // namespace
#endif

std::vector<Availability> backends() {
    return {cuda_availability(),
            {"cpu", true, cpu_description()},
            {"reference", true, "independent implementation with Eigen, one thread, for validation"}};
}

std::unique_ptr<Backend> make_backend(const std::string& name, const Settings& settings) {
    if (name == "cuda" || (name == "auto" && cuda_availability().available)) return make_cuda_backend(settings);
    if (name == "cpu" || name == "auto") return make_cpu_backend(settings);
    if (name == "reference") return make_reference_backend(settings);
    throw UserError(ExitCode::usage_or_input, "--backend " + name, "there is no backend of this name",
                    "use auto, cuda, cpu or reference");
}

}  // namespace myriad::backends
