#include "host/backends/compiled_kernels/kernel_cache.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <span>
#include <sstream>
#include <utility>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/traced/traced_kernel.hpp"
#include "host/text/program_folder.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends::cuda {

namespace {

// 12 warps with 168 registers each thread hide more latency than 8 warps with 255; a kernel that spills at 168 takes
// the second shape. Both numbers stand in the launch bounds: without the second one the assembler of CUDA 13.0 drops to
// 32 registers.
constexpr std::array<BlockShape, 2> block_shapes = {{{128, 3}, {64, 4}}};
// The texts of traced steps include nothing.
bool includes_headers(const std::string& source) { return source.find("#include") != std::string::npos; }
// The state of a mechanism fills the registers of a thread at once, and so does a step with contact in double precision
// (NVRTC 13.0: 177 registers at least): trying the first shape would only double the time that compiling takes. A
// traced step has the shape that its numbers ask for.
std::vector<BlockShape> shapes_of(const Task& task, KernelForm form, const std::string& source) {
    if (!includes_headers(source))
        return {traced_kernel(task, advance_kernel, form == KernelForm::others).value().block};
    const bool is_large = task.mechanism != nullptr || (task.precision == Precision::fp64 && has_contact(task));
    return {block_shapes.begin() + (is_large ? 1 : 0), block_shapes.end()};
}
// A start is taken once, but has the code of the assembly in it: a third of the compiler's time makes it a fifth
// slower. A source with the steps in it, too, is compiled for their speed.
bool is_quick(const std::string& source) {
    return source.find(begin_kernel) != std::string::npos && source.find(advance_kernel) == std::string::npos;
}
// Raised when an entry's meaning changes, so that older ones are not read.
constexpr const char* first_line = "myriad kernels 1";

std::string checksum_of(const std::string& head, const std::string& cubin) {
    ContentHash hash;
    hash.add(head);
    hash.add(cubin);
    return hash.text();
}

std::string head_of(const CompiledKernels& task) {
    std::ostringstream head;
    head << first_line << '\n' << task.key << '\n' << task.architecture << '\n' << task.compiler << '\n';
    head << task.block.threads << ' ' << task.block.blocks << ' ' << task.seconds << ' ' << task.figures.size() << ' '
         << task.cubin.size() << '\n';
    for (const KernelFigures& k : task.figures)
        head << k.kernel << ' ' << k.registers << ' ' << k.stack_bytes << ' ' << k.spill_store_bytes << ' '
             << k.spill_load_bytes << ' ' << k.instructions.fp64 << ' ' << k.instructions.fp32 << ' '
             << k.instructions.memory << ' ' << k.instructions.other << '\n';
    return head.str();
}

std::vector<std::string> options_of(const std::string& architecture, BlockShape block) {
    std::vector<std::string> options = kernel_options(architecture);
    options.push_back("-DMYRIAD_THREADS=" + std::to_string(block.threads));
    options.push_back("-DMYRIAD_BLOCKS=" + std::to_string(block.blocks));
    return options;
}

bool spills(const std::vector<KernelFigures>& kernels) {
    for (const KernelFigures& kernel : kernels)
        if (kernel.kernel == advance_kernel && kernel.spills()) return true;
    return false;
}

std::optional<CompiledKernels> kept_entry(const CacheFolders& folders, const std::string& key) {
    for (const std::filesystem::path& folder : folders.read_only)
        if (auto entry = read_entry(folder, key)) return entry;
    return folders.writable.empty() ? std::nullopt : read_entry(folders.writable, key);
}

CompiledKernels compiled(const RuntimeCompiler& compiler, const std::string& source, const std::string& architecture,
                         std::span<const BlockShape> shapes, const std::atomic<bool>* cancelled) {
    CompiledKernels result;
    result.key = kernel_key(source, architecture);
    result.architecture = architecture;
    result.compiler = compiler.version();
    for (const BlockShape block : shapes) {
        std::vector<std::string> options = options_of(architecture, block);
        if (is_quick(source) && compiler.can_be_quick()) options.emplace_back(quick_compilation);
        const CompiledSource code = compiler.compile(source, options, cancelled);
        result.block = block;
        result.figures = kernel_figures(code.log, code.ptx);
        result.seconds += code.seconds;
        result.cubin = code.cubin;
        if (!spills(result.figures)) break;
    }
    return result;
}

// A traced step for the assembler in the driver, which keeps what it has made itself.
CompiledKernels for_the_driver(const Task& task, KernelForm form, const std::string& key,
                               const std::string& architecture) {
    const char* const kernel = form == KernelForm::others ? others_kernel : advance_kernel;
    TracedKernel traced = traced_kernel(task, kernel, form == KernelForm::others, KernelLanguage::ptx).value();
    CompiledKernels result;
    result.key = key, result.architecture = architecture, result.compiler = "the driver's assembler";
    result.block = traced.block, result.figures = {{kernel, 0, 0, 0, 0, {}}};
    result.cubin = std::move(traced.text);
    return result;
}

// Where the kernels of a task are looked for by their keys, and where compiled ones are put, if anywhere; and whether a
// driver will load them.
struct Store {
    std::function<std::optional<CompiledKernels>(const std::string& key)> find;
    std::function<void(const CompiledKernels& compiled)> keep = {};
    bool has_driver = false;
};

// Held while kernels of this key are compiled: threads that want the same ones wait, and find them in the store.
std::mutex& mutex_of(const std::string& key) {
    static std::mutex guard;
    static std::map<std::string, std::mutex> of_keys;
    const std::lock_guard lock(guard);
    return of_keys[key];
}

// All sources of a task: those that the store does not have are compiled, side by side.
CompiledTask made(const Task& task, const std::string& architecture, KernelForm form, const Store& store,
                  const std::function<void()>& before_compiling = {}, const std::atomic<bool>* cancelled = nullptr) {
    const std::vector<std::string> sources = kernel_sources(task, form);
    CompiledTask result;
    result.parts.resize(sources.size());
    std::unique_ptr<RuntimeCompiler> compiler;
    std::vector<std::pair<std::size_t, std::future<CompiledKernels>>> compiling;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string key = kernel_key(sources[i], architecture);
        if (auto entry = store.find(key)) {
            result.parts[i] = *std::move(entry);
            continue;
        }
        std::string why;
        if (!compiler) compiler = RuntimeCompiler::open(why);
        if (!compiler && store.has_driver && !includes_headers(sources[i])) {
            result.parts[i] = for_the_driver(task, form, key, architecture);
            continue;
        }
        if (!compiler)
            throw UserError(
                ExitCode::device, "GPU kernels", why + ", and no compiled kernel fits this study",
                "install the toolkit of CUDA 12 or 13; or NVRTC alone, beside the Python package by `pip install "
                "nvidia-cuda-nvrtc` (nvidia-cuda-nvrtc-cu12 for a driver of CUDA 12), elsewhere with its library named "
                "in MYRIAD_CUDA_RUNTIME_COMPILER; or compile the study elsewhere with `myriad compile --into DIR` "
                "and put the files into " +
                    cache_folders().writable.string());
        if (before_compiling && compiling.empty()) before_compiling();
        compiling.emplace_back(i, std::async(std::launch::async, [&, i, key] {
                                   std::unique_lock<std::mutex> alone;
                                   if (store.keep) alone = std::unique_lock(mutex_of(key));
                                   if (auto entry = store.find(key)) return *std::move(entry);
                                   CompiledKernels part = compiled(*compiler, sources[i], architecture,
                                                                   shapes_of(task, form, sources[i]), cancelled);
                                   if (store.keep) store.keep(part);
                                   return part;
                               }));
    }
    for (auto& [i, part] : compiling) result.parts[i] = part.get();
    for (std::size_t i = 0; i < sources.size(); ++i) result.parts[i].is_traced = !includes_headers(sources[i]);
    return result;
}

}  // namespace

CacheFolders cache_folders() {
    CacheFolders folders;
    if (const std::filesystem::path program = program_folder(); !program.empty())
        folders.read_only.push_back(program / "kernels");
    for (const std::filesystem::path& share : share_folders()) folders.read_only.push_back(share / "kernels");
    folders.writable = user_cache_folder();
    return folders;
}

std::string kernel_key(const std::string& source, const std::string& architecture,
                       std::span<const EmbeddedFile> headers) {
    ContentHash hash;
    hash.add(first_line);
    hash.add(source);
    if (includes_headers(source))
        for (const EmbeddedFile& header : headers) {
            hash.add(header.name);
            hash.add(header.text);
        }
    for (const BlockShape block : block_shapes)
        for (const std::string& option : options_of(architecture, block)) hash.add(option);
    if (is_quick(source)) hash.add(quick_compilation);
    return hash.text();
}
std::string kernel_key(const std::string& source, const std::string& architecture) {
    const auto count = static_cast<std::size_t>(embedded_kernel_file_count);
    return kernel_key(source, architecture, {embedded_kernel_files, count});
}

std::filesystem::path entry_path(const std::filesystem::path& folder, const std::string& key) {
    return folder / (key + ".kernels");
}

std::optional<CompiledKernels> read_entry(const std::filesystem::path& folder, const std::string& key) {
    std::istringstream file(trusted_bytes(folder, entry_path("", key).string()));
    CompiledKernels task;
    std::string line;
    std::size_t kernels = 0, bytes = 0;
    if (!std::getline(file, line) || line != first_line || !std::getline(file, task.key) || task.key != key)
        return std::nullopt;
    std::getline(file, task.architecture);
    std::getline(file, task.compiler);
    file >> task.block.threads >> task.block.blocks >> task.seconds >> kernels >> bytes;
    constexpr std::size_t most_kernels = 16;  // a torn head must not allocate
    if (!file || kernels > most_kernels || bytes > most_kept_bytes) return std::nullopt;
    task.figures.resize(kernels);
    for (KernelFigures& k : task.figures)
        file >> k.kernel >> k.registers >> k.stack_bytes >> k.spill_store_bytes >> k.spill_load_bytes >>
            k.instructions.fp64 >> k.instructions.fp32 >> k.instructions.memory >> k.instructions.other;
    std::string checksum;
    file >> checksum;
    file.get();
    task.cubin.resize(bytes);
    file.read(task.cubin.data(), static_cast<std::streamsize>(bytes));
    if (!file || checksum_of(head_of(task), task.cubin) != checksum) return std::nullopt;
    task.from_cache = true;
    return task;
}

bool write_entry(const std::filesystem::path& folder, const CompiledKernels& task, CacheReaders readers) {
    const std::string head = head_of(task);
    return write_whole(folder, entry_path("", task.key).string(),
                       head + checksum_of(head, task.cubin) + '\n' + task.cubin, readers);
}

bool CompiledKernels::has(const std::string& kernel) const {
    return std::any_of(figures.begin(), figures.end(), [&](const KernelFigures& k) { return k.kernel == kernel; });
}

const CompiledKernels& CompiledTask::with(const std::string& kernel) const {
    for (const CompiledKernels& part : parts)
        if (part.has(kernel)) return part;
    return parts.back();
}
bool CompiledTask::has(const std::string& kernel) const {
    return std::any_of(parts.begin(), parts.end(), [&](const CompiledKernels& part) { return part.has(kernel); });
}
std::vector<KernelFigures> CompiledTask::figures() const {
    std::vector<KernelFigures> all;
    for (const CompiledKernels& part : parts) all.insert(all.end(), part.figures.begin(), part.figures.end());
    return all;
}
double CompiledTask::seconds() const {
    double sum = 0.0;
    for (const CompiledKernels& part : parts) sum += part.seconds;
    return sum;
}
bool CompiledTask::from_cache() const {
    return std::all_of(parts.begin(), parts.end(), [](const CompiledKernels& part) { return part.from_cache; });
}

CompiledTask compile(const Task& task, const std::string& architecture, KernelForm form) {
    return made(task, architecture, form, {[](const auto&) { return std::nullopt; }});
}

CompiledTask compiled_task(const Task& task, const std::string& architecture, const CacheFolders& folders,
                           const std::function<void()>& before_compiling, KernelForm form,
                           const std::atomic<bool>* cancelled) {
    Store store{[&](const std::string& key) { return kept_entry(folders, key); }};
    store.has_driver = true;
    if (!folders.writable.empty() && is_our_place(folders.writable))
        store.keep = [&](const CompiledKernels& part) { write_entry(folders.writable, part, CacheReaders::user); };
    return made(task, architecture, form, store, before_compiling, cancelled);
}

bool is_kept(const Task& task, const std::string& architecture, const CacheFolders& folders, KernelForm form) {
    const std::vector<std::string> sources = kernel_sources(task, form);
    return std::all_of(sources.begin(), sources.end(), [&](const std::string& source) {
        return kept_entry(folders, kernel_key(source, architecture)).has_value();
    });
}

CompiledTask compile_into(const std::filesystem::path& folder, const Task& task, const std::string& architecture,
                          KernelForm form) {
    return made(task, architecture, form,
                {[&](const std::string& key) { return read_entry(folder, key); },
                 [&](const CompiledKernels& part) {
                     if (write_entry(folder, part, CacheReaders::everybody)) return;
                     throw UserError(ExitCode::output, folder.string(),
                                     "compiled kernels cannot be written to this folder",
                                     "check that it can be created and written to, and that the disk has room");
                 }});
}

}  // namespace myriad::backends::cuda
