#include "host/backends/cuda/kernel_cache.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>

#include "host/backends/cuda/embedded_files.hpp"
#include "host/backends/cuda/kernel_source.hpp"
#include "host/backends/cuda/runtime_compiler.hpp"
#include "host/results/checksum.hpp"
#include "host/user_error.hpp"

namespace myriad::backends::cuda {

namespace {

// 12 warps with 168 registers each thread hide more latency than 8 warps with 255; a kernel that spills at 168 takes
// the second shape. Both numbers stand in the launch bounds: without the second one the assembler of CUDA 13.0 drops to
// 32 registers.
constexpr std::array<BlockShape, 2> block_shapes = {{{128, 3}, {64, 4}}};
// The state of a mechanism fills the registers of a thread at once, and so does a step with contact in double precision
// (NVRTC 13.0: 177 registers at least): trying the first shape would only double the time that compiling takes.
std::span<const BlockShape> shapes_of(const Task& task) {
    const bool is_large = task.system == mechanism_system || (task.precision == Precision::fp64 && has_contact(task));
    return is_large ? std::span(block_shapes).last(1) : std::span(block_shapes);
}
// Raised when an entry's meaning changes, so that older ones are not read.
constexpr const char* first_line = "myriad kernels 1";

class Hash {
  public:
    void add(const std::string& text) {
        const std::string sized = std::to_string(text.size()) + ":" + text;
        for (results::Checksum& sum : sums_) sum.add(std::as_bytes(std::span(sized)));
    }
    std::string text() const {
        std::array<char, 33> digits{};
        std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(sums_[0].value()),
                      static_cast<unsigned long long>(sums_[1].value()));
        return digits.data();
    }

  private:
    std::array<results::Checksum, 2> sums_ = {results::Checksum(1), results::Checksum(2)};
};

std::string checksum_of(const std::string& head, const std::string& cubin) {
    Hash hash;
    hash.add(head);
    hash.add(cubin);
    return hash.text();
}

std::string head_of(const CompiledTask& task) {
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

}  // namespace

CacheFolders cache_folders() {
    CacheFolders folders;
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        folders.read_only.push_back(program.parent_path() / "kernels");
        folders.read_only.push_back(program.parent_path().parent_path() / "share/myriad/kernels");
    }
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache && *cache)
        folders.writable = std::filesystem::path(cache) / "myriad/kernels";
    else if (home && *home)
        folders.writable = std::filesystem::path(home) / ".cache/myriad/kernels";
    return folders;
}

std::string kernel_key(const std::string& source, const std::string& architecture) {
    Hash hash;
    hash.add(first_line);
    hash.add(source);
    for (int i = 0; i < embedded_kernel_file_count; ++i) {
        hash.add(embedded_kernel_files[i].name);
        hash.add(embedded_kernel_files[i].text);
    }
    for (const BlockShape block : block_shapes)
        for (const std::string& option : options_of(architecture, block)) hash.add(option);
    return hash.text();
}

std::filesystem::path entry_path(const std::filesystem::path& folder, const std::string& key) {
    return folder / (key + ".kernels");
}

std::optional<CompiledTask> read_entry(const std::filesystem::path& folder, const std::string& key) {
    std::ifstream file(entry_path(folder, key), std::ios::binary);
    if (!file) return std::nullopt;
    CompiledTask task;
    std::string line;
    std::size_t kernels = 0, bytes = 0;
    if (!std::getline(file, line) || line != first_line || !std::getline(file, task.key) || task.key != key)
        return std::nullopt;
    std::getline(file, task.architecture);
    std::getline(file, task.compiler);
    file >> task.block.threads >> task.block.blocks >> task.seconds >> kernels >> bytes;
    constexpr std::size_t most_kernels = 16, most_bytes = std::size_t{1} << 28;  // a torn head must not allocate
    if (!file || kernels > most_kernels || bytes > most_bytes) return std::nullopt;
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

bool write_entry(const std::filesystem::path& folder, const CompiledTask& task) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return false;
    const std::filesystem::path path = entry_path(folder, task.key);
    const std::filesystem::path whole = path.string() + "." + std::to_string(getpid()) + ".partial";
    const std::string head = head_of(task);
    std::ofstream file(whole, std::ios::binary);
    file << head << checksum_of(head, task.cubin) << '\n';
    file.write(task.cubin.data(), static_cast<std::streamsize>(task.cubin.size()));
    file.close();
    if (file) std::filesystem::rename(whole, path, error);
    if (file && !error) return true;
    std::filesystem::remove(whole, error);
    return false;
}

CompiledTask compile(const Task& task, const std::string& architecture) {
    std::string why;
    const std::unique_ptr<RuntimeCompiler> compiler = RuntimeCompiler::open(why);
    if (!compiler)
        throw UserError(ExitCode::device, "GPU kernels", why + ", and no compiled kernel fits this study",
                        "install the toolkit of CUDA 12 or 13, or NVRTC alone and name its library in "
                        "MYRIAD_CUDA_RUNTIME_COMPILER; or compile the study elsewhere with `myriad compile --into DIR` "
                        "and put the files into " +
                            cache_folders().writable.string());
    const std::string source = kernel_source(task);
    CompiledTask result;
    result.key = kernel_key(source, architecture);
    result.architecture = architecture;
    result.compiler = compiler->version();
    for (const BlockShape block : shapes_of(task)) {
        const CompiledSource compiled = compiler->compile(source, options_of(architecture, block));
        result.block = block;
        result.figures = kernel_figures(compiled.log, compiled.ptx);
        result.seconds += compiled.seconds;
        result.cubin = compiled.cubin;
        if (!spills(result.figures)) break;
    }
    return result;
}

CompiledTask compiled_task(const Task& task, const std::string& architecture, const CacheFolders& folders,
                           const std::function<void()>& before_compiling) {
    const std::string key = kernel_key(kernel_source(task), architecture);
    for (const std::filesystem::path& folder : folders.read_only)
        if (auto entry = read_entry(folder, key)) return *entry;
    if (!folders.writable.empty())
        if (auto entry = read_entry(folders.writable, key)) return *entry;
    if (before_compiling) before_compiling();
    CompiledTask compiled = compile(task, architecture);
    if (!folders.writable.empty()) write_entry(folders.writable, compiled);
    return compiled;
}

}  // namespace myriad::backends::cuda
