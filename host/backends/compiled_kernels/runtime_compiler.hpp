// NVRTC, NVIDIA's run-time compiler: source text to the machine code of one GPU architecture. No GPU is needed.
//
// The library is looked for when it is first needed: at the path in the environment variable
// MYRIAD_CUDA_RUNTIME_COMPILER where that is set, else as libnvrtc.so.13, .12 or .so (.12 first for a driver of CUDA
// 12) where the loader, pip or the build knows it. Kernels include the headers embedded in the program, never files.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace myriad::backends::cuda {

struct CompiledSource {
    std::string cubin, ptx, log;  // the log holds what the assembler says of registers, stack and spills
    double seconds = 0.0;
};

struct CompilationCancelled {};

class RuntimeCompiler {
  public:
    // None where the library is missing or too old; `why` then says so in a sentence.
    static std::unique_ptr<RuntimeCompiler> open(std::string& why);
    virtual ~RuntimeCompiler() = default;

    virtual std::string version() const = 0;  // "NVRTC 13.0"
    virtual bool can_be_interrupted() const = 0;
    // Whether it knows quick_compilation.
    virtual bool can_be_quick() const = 0;
    // Throws UserError (exit code 3) with the compiler's log where the source does not compile, and
    // CompilationCancelled soon after `cancelled` was raised, or at the end where the library cannot be interrupted.
    virtual CompiledSource compile(const std::string& source, const std::vector<std::string>& options,
                                   const std::atomic<bool>* cancelled = nullptr) const = 0;
};

// The options every kernel is compiled with: C++20, no contraction (an instance must have the same bits as on a CPU),
// correctly rounded divisions and roots and no flushing of subnormals (NVRTC's defaults, spelled out).
std::vector<std::string> kernel_options(const std::string& architecture);

// Optimizes less where that takes the compiler long; the results keep their bits.
inline constexpr const char* quick_compilation = "--Ofast-compile=min";

}  // namespace myriad::backends::cuda
