#include "host/backends/compiled_kernels/cuda_libraries.hpp"

#include <cuda.h>

#include <cstdlib>
#include <sstream>

#include "host/text/program_folder.hpp"

namespace myriad::backends::cuda {

std::optional<DynamicLibrary> open_driver(std::string& why) {
    const char* named = std::getenv("MYRIAD_CUDA_DRIVER");
    return DynamicLibrary::open({named && *named ? named : "libcuda.so.1"}, why);
}

int driver_version() {
    std::string why;
    int version = 0;
    decltype(&cuDriverGetVersion) tell = nullptr;
    const std::optional<DynamicLibrary> driver = open_driver(why);
    return driver && driver->take("cuDriverGetVersion", tell) && tell(&version) == CUDA_SUCCESS ? version : 0;
}

std::string tools_of(const std::string& compiler) {
    const int version = driver_version();
    return compiler + ", driver of CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<std::string> in_cuda_folders(const std::string& file) {
    std::vector<std::string> paths{file};
    // <site-packages>/myriad/ holds the library, its bin/ the program; nvidia/ is their neighbour.
    std::filesystem::path package = package_folder();
    if (package.filename() != "myriad") package = program_folder().parent_path();
    if (package.filename() == "myriad")
        for (const char* part : {"cu13", "cuda_nvrtc"})
            paths.push_back((package.parent_path() / "nvidia" / part / "lib" / file).string());
    std::istringstream folders(MYRIAD_CUDA_LIBRARY_DIRS);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty()) paths.push_back(folder + "/" + file);
    paths.push_back("/usr/local/cuda/lib64/" + file);
    return paths;
}

}  // namespace myriad::backends::cuda
