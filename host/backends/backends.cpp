#include "host/backends/backend.hpp"
#include "host/backends/cpu.hpp"
#include "host/backends/reference.hpp"
#include "host/user_error.hpp"

namespace myriad::backends {

std::vector<Availability> backends() {
    return {{"cuda", false, "this program was built without CUDA"},
            {"cpu", true, cpu_description()},
            {"reference", true, "Eigen twins, one thread, for validation"}};
}

std::unique_ptr<Backend> make_backend(const std::string& name, const Settings& settings) {
    if (name == "auto" || name == "cpu") return make_cpu_backend(settings);
    if (name == "reference") return make_reference_backend(settings);
    throw UserError(ExitCode::device, "--backend " + name, "no such backend in this program", "use cpu");
}

}  // namespace myriad::backends
