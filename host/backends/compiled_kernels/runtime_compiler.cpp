#include "host/backends/compiled_kernels/runtime_compiler.hpp"

#include <nvrtc.h>

#include <chrono>
#include <cstdlib>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/backends/compiled_kernels/embedded_files.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends::cuda {

namespace {

struct CompilerFunctions {
    decltype(&nvrtcVersion) version;
    decltype(&nvrtcGetErrorString) error_string;
    decltype(&nvrtcCreateProgram) create;
    decltype(&nvrtcDestroyProgram) destroy;
    decltype(&nvrtcCompileProgram) compile;
    decltype(&nvrtcGetProgramLogSize) log_size;
    decltype(&nvrtcGetProgramLog) log;
    decltype(&nvrtcGetPTXSize) ptx_size;
    decltype(&nvrtcGetPTX) ptx;
    decltype(&nvrtcGetCUBINSize) cubin_size;
    decltype(&nvrtcGetCUBIN) cubin;
    int (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*);  // null in older libraries
};

class Nvrtc final : public RuntimeCompiler {
  public:
    explicit Nvrtc(const CompilerFunctions& functions) : functions_(functions) { functions_.version(&major_, &minor_); }

    std::string version() const override { return "NVRTC " + std::to_string(major_) + "." + std::to_string(minor_); }
    bool can_be_interrupted() const override { return functions_.set_flow_callback != nullptr; }
    bool can_be_quick() const override { return major_ > 12 || (major_ == 12 && minor_ >= 9); }
    bool takes_cxx20() const { return major_ >= 12; }

    CompiledSource compile(const std::string& source, const std::vector<std::string>& options,
                           const std::atomic<bool>* cancelled) const override {
        const auto started = std::chrono::steady_clock::now();
        std::vector<const char*> names, texts, arguments;
        for (int i = 0; i < embedded_kernel_file_count; ++i) {
            names.push_back(embedded_kernel_files[i].name);
            texts.push_back(embedded_kernel_files[i].text);
        }
        for (const std::string& option : options) arguments.push_back(option.c_str());

        const Program program(functions_, source, texts, names);
        std::atomic<bool> seen = false;  // the library asks for the same answer from then on
        struct Flow {
            const std::atomic<bool>* cancelled;
            std::atomic<bool>& seen;
        } flow{cancelled, seen};
        if (cancelled && functions_.set_flow_callback)
            functions_.set_flow_callback(
                program.handle,
                [](void* given, void*) {
                    Flow& asked = *static_cast<Flow*>(given);
                    if (*asked.cancelled) asked.seen = true;
                    return asked.seen ? 1 : 0;
                },
                &flow);
        const nvrtcResult result =
            functions_.compile(program.handle, static_cast<int>(arguments.size()), arguments.data());
        if (cancelled && *cancelled) throw CompilationCancelled{};
        CompiledSource compiled;
        compiled.log = text(program.handle, functions_.log_size, functions_.log);
        if (result != NVRTC_SUCCESS)
            throw UserError(ExitCode::device, version() + ", compiling a GPU kernel",
                            std::string(functions_.error_string(result)) + "\n" + compiled.log,
                            "check that this version of the run-time compiler knows the GPU; this is else an error in "
                            "Myriad, please report it");
        compiled.ptx = text(program.handle, functions_.ptx_size, functions_.ptx);
        std::size_t bytes = 0;
        require(functions_.cubin_size(program.handle, &bytes));
        compiled.cubin.resize(bytes);
        require(functions_.cubin(program.handle, compiled.cubin.data()));
        compiled.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        return compiled;
    }

  private:
    struct Program {
        const CompilerFunctions& functions;
        nvrtcProgram handle = nullptr;
        Program(const CompilerFunctions& given, const std::string& source, const std::vector<const char*>& texts,
                const std::vector<const char*>& names)
            : functions(given) {
            const nvrtcResult result = functions.create(&handle, source.c_str(), "task.cu",
                                                        static_cast<int>(texts.size()), texts.data(), names.data());
            if (result != NVRTC_SUCCESS)
                throw UserError(ExitCode::device, "NVRTC, reading a GPU kernel", functions.error_string(result), "");
        }
        ~Program() { functions.destroy(&handle); }
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;
    };

    void require(nvrtcResult result) const {
        if (result != NVRTC_SUCCESS)
            throw UserError(ExitCode::device, version() + ", after compiling a GPU kernel",
                            functions_.error_string(result), "");
    }
    // A text that the library hands out with its closing zero.
    template <class Size, class Get>
    std::string text(nvrtcProgram program, Size size, Get get) const {
        std::size_t bytes = 0;
        require(size(program, &bytes));
        std::string result(bytes, '\0');
        require(get(program, result.data()));
        while (!result.empty() && result.back() == '\0') result.pop_back();
        return result;
    }

    CompilerFunctions functions_;
    int major_ = 0, minor_ = 0;
};

}  // namespace

std::unique_ptr<RuntimeCompiler> RuntimeCompiler::open(std::string& why) {
    std::vector<std::string> candidates;
    if (const char* path = std::getenv("MYRIAD_CUDA_RUNTIME_COMPILER"); path && *path) {
        candidates.emplace_back(path);
    } else {
        // A driver may refuse what the compiler of a later CUDA made.
        std::vector<const char*> files{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
        if (driver_version() / 1000 == 12) std::swap(files[0], files[1]);
        for (const char* file : files)
            for (std::string& candidate : in_cuda_folders(file)) candidates.push_back(std::move(candidate));
    }
    std::string said;
    const std::optional<DynamicLibrary> library = DynamicLibrary::open(candidates, said);
    if (!library) {
        why = "the run-time compiler NVRTC of CUDA 12 or 13 is not on this machine (" + said + ")";
        return nullptr;
    }
    CompilerFunctions f{};
    const bool complete =
        library->take("nvrtcVersion", f.version) && library->take("nvrtcGetErrorString", f.error_string) &&
        library->take("nvrtcCreateProgram", f.create) && library->take("nvrtcDestroyProgram", f.destroy) &&
        library->take("nvrtcCompileProgram", f.compile) && library->take("nvrtcGetProgramLogSize", f.log_size) &&
        library->take("nvrtcGetProgramLog", f.log) && library->take("nvrtcGetPTXSize", f.ptx_size) &&
        library->take("nvrtcGetPTX", f.ptx) && library->take("nvrtcGetCUBINSize", f.cubin_size) &&
        library->take("nvrtcGetCUBIN", f.cubin);
    if (!complete) {
        why = "the run-time compiler " + library->name() + " is too old; CUDA 12 or later is needed";
        return nullptr;
    }
    library->take("nvrtcSetFlowCallback", f.set_flow_callback);
    auto compiler = std::make_unique<Nvrtc>(f);
    if (!compiler->takes_cxx20()) {
        why = "the run-time compiler " + library->name() + " is " + compiler->version() + "; 12.0 or later is needed";
        return nullptr;
    }
    return compiler;
}

std::vector<std::string> kernel_options(const std::string& architecture) {
    return {"--std=c++20",       "--fmad=false", "--prec-div=true",
            "--prec-sqrt=true",  "--ftz=false",  "--gpu-architecture=" + architecture,
            "--ptxas-options=-v"};
}

}  // namespace myriad::backends::cuda
