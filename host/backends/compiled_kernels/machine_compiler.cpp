#include "host/backends/compiled_kernels/machine_compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "host/backends/compiled_kernels/kept_files.hpp"
#include "host/text/user_error.hpp"

extern char** environ;

namespace myriad::backends {

namespace {

// Raised when the meaning of a kept file changes, so that older ones are not read.
constexpr const char* first_line = "myriad processor kernels 1";
constexpr std::chrono::milliseconds between_looks{20};
constexpr std::size_t most_log_bytes = 2000;  // that an error repeats

std::string key_of(const CompilerInput& input) {
    ContentHash hash;
    hash.add(first_line);
    hash.add(input.function);
    hash.add(input.source);
    for (const std::string& option : input.options) hash.add(option);
    if (const char* named = std::getenv("MYRIAD_COMPILER")) hash.add(named);
    return hash.text();
}

struct Kept {
    std::string compiler, library;
    double seconds = 0.0;
};
std::string name_of(const std::string& key) { return key + ".processor"; }
std::string checksum_of(const std::string& head, const std::string& library) {
    ContentHash hash;
    hash.add(head);
    hash.add(library);
    return hash.text();
}
std::string head_of(const std::string& key, const Kept& kept) {
    std::ostringstream head;
    head << first_line << '\n' << key << '\n' << kept.compiler << '\n' << kept.seconds << '\n';
    return head.str();
}
std::optional<Kept> read_kept(const std::string& key) {
    const std::filesystem::path folder = user_cache_folder();
    if (folder.empty()) return std::nullopt;
    std::istringstream file(trusted_bytes(folder, name_of(key)));
    Kept kept;
    std::string line, own_key, checksum;
    if (!std::getline(file, line) || line != first_line || !std::getline(file, own_key) || own_key != key ||
        !std::getline(file, kept.compiler) || !(file >> kept.seconds >> checksum))
        return std::nullopt;
    file.get();
    kept.library.assign(std::istreambuf_iterator<char>(file), {});
    if (checksum_of(head_of(key, kept), kept.library) != checksum) return std::nullopt;
    return kept;
}
void keep(const std::string& key, const Kept& kept) {
    const std::filesystem::path folder = user_cache_folder();
    if (folder.empty() || !is_our_place(folder)) return;
    const std::string head = head_of(key, kept);
    write_whole(folder, name_of(key), head + checksum_of(head, kept.library) + '\n' + kept.library, CacheReaders::user);
}

// A library stays loaded: threads may be inside it. The loader reads a file, here one that has no place in any folder.
// That stays open, too: the loader takes a path that it has seen for the library that it read there, and the number of
// a closed file is given to the next one.
std::optional<CompiledFunction> loaded(const std::string& key, const Kept& kept, const char* name) {
    static std::mutex guard;
    static std::map<std::string, CompiledFunction> of_keys;
    const std::lock_guard lock(guard);
    if (const auto found = of_keys.find(key); found != of_keys.end()) return found->second;
    const int file = ::memfd_create("myriad_kernels", MFD_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::size_t done = 0;
    while (done < kept.library.size()) {
        const ssize_t n = ::write(file, kept.library.data() + done, kept.library.size() - done);
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    void* const library = done == kept.library.size()
                              ? ::dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL)
                              : nullptr;
    void* const function = library ? ::dlsym(library, name) : nullptr;
    if (!function) {
        if (!library) ::close(file);
        return std::nullopt;
    }
    return of_keys[key] = {function, kept.compiler, kept.seconds};
}

// A folder of our own that is gone at the end.
class WorkFolder {
  public:
    WorkFolder() {
        std::error_code error;
        std::string path = (std::filesystem::temp_directory_path(error) / "myriad-XXXXXX").string();
        if (!error && ::mkdtemp(path.data())) path_ = path;
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    bool write(const std::string& name, const std::string& text) const {
        std::error_code error;
        std::filesystem::create_directories((path_ / name).parent_path(), error);
        return static_cast<bool>(std::ofstream(path_ / name, std::ios::binary) << text << std::flush);
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path path_;
};

// The beginnings of commands. Zig keeps files of its own in a folder, and is the last to be asked.
std::vector<std::vector<std::string>> compilers(const std::string& folder) {
    if (const char* named = std::getenv("MYRIAD_COMPILER"); named && *named) return {{named}};
    std::vector<std::vector<std::string>> commands{{"clang++"}};
    constexpr int newest_clang = 20, oldest_clang = 14;  // the first that packages of Debian and Ubuntu name so
    for (int version = newest_clang; version >= oldest_clang; --version)
        commands.push_back({"clang++-" + std::to_string(version)});
    for (const char* name : {"g++", "c++", "clang", "gcc", "cc"}) commands.push_back({name});
    // Without being told, it takes all instructions that this processor has, and tests of undefined operations.
    if (const char* zig = std::getenv("MYRIAD_ZIG"); zig && *zig)
        commands.push_back({"/usr/bin/env", "ZIG_GLOBAL_CACHE_DIR=" + folder, "ZIG_LOCAL_CACHE_DIR=" + folder, zig,
                            "cc", "-mcpu=baseline", "-fno-sanitize=undefined"});
    return commands;
}

// The exit status of a command of our own folder, its words in `log`; none where it could not be started.
std::optional<int> status_of(const std::vector<std::string>& command, const std::filesystem::path& log,
                             const std::atomic<bool>* cancelled) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    // A group of its own: the signal that ends a run is not for it, and ours reaches all of its parts.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return std::nullopt;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (cancelled && *cancelled) {
            ::kill(-child, SIGKILL);
            ::waitpid(child, &status, 0);
            throw CompilationCancelled{};
        }
        std::this_thread::sleep_for(between_looks);
    }
    return status;
}

Kept compiled(const CompilerInput& input, const std::atomic<bool>* cancelled) {
    const WorkFolder folder;
    const std::string name = "steps.c";
    const auto fail = [](const std::string& why, const std::string& remedy) {
        return UserError(ExitCode::device, "--kernels compiled", why, remedy);
    };
    if (folder.path().empty() || !folder.write(name, input.source))
        throw fail("the source for the compiler cannot be written to the folder for temporary files",
                   "name one with room in TMPDIR, or leave --kernels compiled out");
    std::string words;
    for (std::vector<std::string> command : compilers(folder.path().string())) {
        const std::string compiler = command.size() > 1 ? "zig" : command[0];
        const std::string library = (folder.path() / "steps.so").string();
        command.insert(command.end(), {"-x", "c"});  // an option may name another language
        command.insert(command.end(), input.options.begin(), input.options.end());
        command.insert(command.end(), {(folder.path() / name).string(), "-o", library});
        const auto started = std::chrono::steady_clock::now();
        const std::optional<int> status = status_of(command, folder.path() / "log", cancelled);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (status == 0)
            if (std::string code = folder.read("steps.so"); !code.empty()) return {compiler, std::move(code), seconds};
        const std::string log = folder.read("log");
        // A shell's 127: the loader did not find it.
        constexpr int not_found = 127;
        if (!status || (WIFEXITED(*status) && WEXITSTATUS(*status) == not_found && log.empty())) continue;
        if (words.empty()) words = compiler + ": " + log.substr(0, most_log_bytes);
    }
    if (words.empty())
        throw fail(std::string("there is no C compiler") +
                       (std::getenv("MYRIAD_COMPILER") ? " where MYRIAD_COMPILER says" : " in PATH"),
                   "install clang or g++, or name one in MYRIAD_COMPILER, or leave --kernels compiled out; the wheel's "
                   "extra `compiler` brings one");
    throw fail("the compiler refuses the source: " + words,
               "name clang or gcc in MYRIAD_COMPILER, or leave --kernels compiled out");
}

}  // namespace

std::vector<std::string> processor_options(int width) {
    std::vector<std::string> options{"-fPIC", "-ffp-contract=off", "-w", "-shared", "-nostdlib", "-fno-math-errno"};
    const auto add = [&](std::initializer_list<const char*> more) {
        options.insert(options.end(), more.begin(), more.end());
    };
#if defined(__x86_64__)
    // One instance at a time gains by them, too: without them each fma is a call.
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add({"-mavx2", "-mfma", "-mbmi", "-mbmi2", "-mlzcnt"});
    if (width == 8)
        add({"-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mavx512cd", "-mprefer-vector-width=512"});
#endif
    return options;
}

std::optional<CompiledFunction> kept_function(const CompilerInput& input) {
    const std::string key = key_of(input);
    const std::optional<Kept> kept = read_kept(key);
    return kept ? loaded(key, *kept, input.function) : std::nullopt;
}

CompiledFunction compiled_function(const CompilerInput& input, const std::atomic<bool>* cancelled) {
    const std::string key = key_of(input);
    if (const std::optional<Kept> kept = read_kept(key))
        if (const auto function = loaded(key, *kept, input.function)) return *function;
    const Kept kept = compiled(input, cancelled);
    keep(key, kept);
    if (const auto function = loaded(key, kept, input.function)) return *function;
    throw UserError(ExitCode::device, "--kernels compiled", "the loader refuses what " + kept.compiler + " made",
                    "name another compiler in MYRIAD_COMPILER, or leave --kernels compiled out");
}

}  // namespace myriad::backends
