// A shared library that is opened while the program runs, so that the program also starts where it is missing.
#pragma once
#include <optional>
#include <string>
#include <vector>

// Headers of CUDA rename functions to their present versions by macros: the symbol's name is what the macro gives.
#define MYRIAD_TEXT_OF(name) #name
#define MYRIAD_SYMBOL(name) MYRIAD_TEXT_OF(name)

namespace myriad::backends::cuda {

class DynamicLibrary {
  public:
    // The first of `candidates` (names or paths) that the loader takes. None where it takes none of them; `why` then
    // holds the loader's words about the first. A library stays open until the program ends: the driver and the
    // run-time compiler own threads and handlers that outlive any object.
    static std::optional<DynamicLibrary> open(const std::vector<std::string>& candidates, std::string& why);

    const std::string& name() const { return name_; }
    // The function of this name, or null where this version of the library has none.
    template <class Function>
    Function function(const char* symbol) const {
        return reinterpret_cast<Function>(address(symbol));
    }
    // Whether it has one, which `found` then is.
    template <class Function>
    bool take(const char* symbol, Function& found) const {
        found = function<Function>(symbol);
        return found != nullptr;
    }

  private:
    DynamicLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
    void* address(const char* symbol) const;

    void* handle_;
    std::string name_;
};

// `file` as the loader finds it by itself, then in the folders of CUDA that the build knew and the usual one.
std::vector<std::string> in_cuda_folders(const std::string& file);

}  // namespace myriad::backends::cuda
