#include "host/backends/cuda/dynamic_library.hpp"

#include <dlfcn.h>

#include <sstream>
#include <utility>

namespace myriad::backends::cuda {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& candidates, std::string& why) {
    why.clear();
    for (const std::string& candidate : candidates) {
        if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle, candidate);
        const char* said = dlerror();
        if (why.empty()) why = said ? said : candidate + " cannot be opened";
    }
    return std::nullopt;
}

void* DynamicLibrary::address(const char* symbol) const { return dlsym(handle_, symbol); }

std::vector<std::string> in_cuda_folders(const std::string& file) {
    std::vector<std::string> paths{file};
    std::istringstream folders(MYRIAD_CUDA_LIBRARY_DIRS);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty()) paths.push_back(folder + "/" + file);
    paths.push_back("/usr/local/cuda/lib64/" + file);
    return paths;
}

}  // namespace myriad::backends::cuda
