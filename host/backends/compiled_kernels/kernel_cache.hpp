// Compiled kernels, and the folders that keep them.
//
// An entry holds the machine code of one source of a task's kernels for one architecture, in a file named after a
// 128-bit hash of everything it is made from: the source, every embedded header where it includes some, the options and
// the architecture. The version of the compiler is written inside but is no part of the name, so that kernels compiled
// elsewhere run where there is no compiler. An entry that is torn, or of another name, is passed over and written
// again, and so is one that somebody else than the user and root may have written, by its owner and mode or those of
// its folder, or that is a link. Folders, in the order they are searched: kernels/ beside the program, kernels/ of the
// shared folders (a package), and the user's ${XDG_CACHE_HOME:-~/.cache}/myriad/kernels, the only one that a run writes
// to.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/backends/compiled_kernels/embedded_files.hpp"
#include "host/backends/compiled_kernels/kept_files.hpp"
#include "host/backends/compiled_kernels/kernel_report.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/graph/text/cuda_text.hpp"
#include "host/study/task.hpp"

namespace myriad::backends::cuda {

using graph::BlockShape;

// What one source became.
struct CompiledKernels {
    std::string key, architecture, compiler;  // the compiler and its version
    BlockShape block;
    std::vector<KernelFigures> figures;
    double seconds = 0.0;  // that the compiler took
    std::string cubin;     // or PTX
    bool from_cache = false;
    bool is_traced = false;  // of the text of a traced step

    bool has(const std::string& kernel) const;
};
struct CompiledTask {
    std::vector<CompiledKernels> parts;  // one for each of its sources

    // The part that holds a kernel; the last one where none says so.
    const CompiledKernels& with(const std::string& kernel) const;
    bool has(const std::string& kernel) const;
    std::vector<KernelFigures> figures() const;
    double seconds() const;
    bool from_cache() const;  // all of it
};

struct CacheFolders {
    std::vector<std::filesystem::path> read_only;
    std::filesystem::path writable;  // empty: nothing is kept
};
CacheFolders cache_folders();

// Its hash as 32 hexadecimal digits. `headers` are those that it may include, else the embedded ones.
std::string kernel_key(const std::string& source, const std::string& architecture,
                       std::span<const EmbeddedFile> headers);
std::string kernel_key(const std::string& source, const std::string& architecture);

std::filesystem::path entry_path(const std::filesystem::path& folder, const std::string& key);
// None where there is no sound entry of this key.
std::optional<CompiledKernels> read_entry(const std::filesystem::path& folder, const std::string& key);
// False, and nothing changed, where the folder cannot be written to. The file appears whole or not at all.
bool write_entry(const std::filesystem::path& folder, const CompiledKernels& kernels,
                 CacheReaders readers = CacheReaders::user);

// Compiles without looking at any folder, sources side by side. Throws UserError (exit code 3) where there is no
// run-time compiler.
CompiledTask compile(const Task& task, const std::string& architecture, KernelForm form = KernelForm::compiled);
// From a folder, or else compiled and kept; without a compiler a traced step is left to the driver's assembler.
// `before_compiling` is called first then. Throws CompilationCancelled after `cancelled` was raised.
CompiledTask compiled_task(const Task& task, const std::string& architecture, const CacheFolders& folders,
                           const std::function<void()>& before_compiling = {}, KernelForm form = KernelForm::compiled,
                           const std::atomic<bool>* cancelled = nullptr);
// Whether a folder has all kernels of the task.
bool is_kept(const Task& task, const std::string& architecture, const CacheFolders& folders, KernelForm form);
// Each source of the task by itself: from the folder or else compiled and written there. Throws UserError where it
// cannot be written.
CompiledTask compile_into(const std::filesystem::path& folder, const Task& task, const std::string& architecture,
                          KernelForm form);

}  // namespace myriad::backends::cuda
