#include "host/backends/interface/dynamic_library.hpp"

#include <dlfcn.h>

namespace myriad::backends {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& candidates, std::string& why,
                                                   Symbols symbols) {
    why.clear();
    const int mode = RTLD_NOW | (symbols == Symbols::shown ? RTLD_GLOBAL : RTLD_LOCAL);
    for (const std::string& candidate : candidates) {
        if (void* handle = dlopen(candidate.c_str(), mode)) return DynamicLibrary(handle, candidate);
        const char* said = dlerror();
        if (why.empty()) why = said ? said : candidate + " cannot be opened";
    }
    return std::nullopt;
}

void* DynamicLibrary::address(const char* symbol) const { return dlsym(handle_, symbol); }

}  // namespace myriad::backends
