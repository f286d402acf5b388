// A shared library that is opened while the program runs, so that the program also starts where it is missing.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace myriad::backends {

class DynamicLibrary {
  public:
    // Who else finds the library's symbols: nobody, or every library that is opened later, as plug-ins of its own need.
    enum class Symbols { hidden, shown };

    // The first of `candidates` (names or paths) that the loader takes. None where it takes none of them; `why` then
    // holds the loader's words about the first. A library stays open until the program ends: drivers, run-time
    // compilers and MPI own threads and handlers that outlive any object.
    static std::optional<DynamicLibrary> open(const std::vector<std::string>& candidates, std::string& why,
                                              Symbols symbols = Symbols::hidden);

    const std::string& name() const { return name_; }
    // The function or object of this name, or null where this version of the library has none.
    void* address(const char* symbol) const;
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

    void* handle_;
    std::string name_;
};

}  // namespace myriad::backends
