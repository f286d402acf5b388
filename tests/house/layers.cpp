#include "tests/house/layers.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace myriad {
namespace {

struct Door {
    const char* library;
    std::vector<std::string_view> headers;  // beginnings of header names
    std::vector<std::string_view> folders;  // beginnings of the paths that may include them
};

// Tests may read what the program writes and check it with the library that made it; the parts that start threads and
// devices stay behind their doors even there.
const std::vector<Door>& doors() {
    static const std::vector<Door> all = {
        {"Eigen", {"Eigen/", "unsupported/Eigen/", "eigen3/"}, {"host/reference/", "host/mechanism/linear/", "tests/"}},
        {"Kokkos", {"Kokkos_", "omp.h"}, {"host/backends/cpu/cpu.cpp"}},
        {"CUDA",
         {"cuda", "nvrtc", "thrust/", "cub/", "cusolver", "cublas", "nvJitLink", "nvml", "cooperative_groups"},
         {"host/backends/", "tests/cuda/mock/"}},
        {"HDF5", {"hdf5", "H5"}, {"host/results/", "tests/"}},
        {"zlib", {"zlib"}, {"host/results/hdf5/"}},
        {"nlohmann JSON", {"nlohmann/"}, {"host/text/", "host/study/", "host/mechanism/", "host/program/", "tests/"}},
        {"CLI11", {"CLI/"}, {"host/program/"}},
        {"Boost", {"boost/"}, {"host/statistics/", "host/study/", "tests/"}},
        {"Random123", {"Random123/"}, {"host/study/", "tests/"}},
        {"MPFR", {"mpfr", "gmp.h", "gmpxx.h"}, {"tests/"}},
        {"nanobind", {"nanobind/", "Python.h"}, {"python/extension/"}},
        {"GoogleTest", {"gtest/", "gmock/"}, {"tests/"}},
    };
    return all;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](auto beginning) { return text.starts_with(beginning); });
}

bool is_standard_header(std::string_view name) { return name.find_first_of("./") == std::string_view::npos; }

bool is_system_header(std::string_view name) {
    static const std::vector<std::string_view> of_the_system = {
        "sys/",   "unistd.h", "dlfcn.h", "fcntl.h",  "signal.h", "poll.h",  "sched.h",
        "time.h", "cpuid.h",  "glob.h",  "dirent.h", "cxxabi.h", "spawn.h", "pthread.h"};
    return starts_with_any(name, of_the_system);
}

// The rooms of kernels/ and host/ in the order in which they may use each other: a file includes files of its own
// folder and of folders that stand before it.
constexpr std::array<std::string_view, 62> rooms = {"kernels/math",
                                                    "kernels/orientation",
                                                    "kernels/system",
                                                    "kernels/tree",
                                                    "kernels/lagrangian",
                                                    "kernels/contact",
                                                    "kernels/mechanism",
                                                    "kernels/mechanism/energy_momentum",
                                                    "kernels/joint_coordinates",
                                                    "kernels/integrators",
                                                    "kernels/integrators/mechanism",
                                                    "kernels/integrators/contact",
                                                    "kernels/systems",
                                                    "kernels/run",
                                                    "host/text",
                                                    "host/statistics",
                                                    "host/mechanism/keys",
                                                    "host/mechanism/expression",
                                                    "host/mechanism/elimination",
                                                    "host/mechanism/model",
                                                    "host/mechanism",
                                                    "host/mechanism/tree",
                                                    "host/mechanism/assembly",
                                                    "host/mechanism/linear",
                                                    "host/mechanism/file",
                                                    "host/graph",
                                                    "host/graph/text",
                                                    "host/catalog",
                                                    "host/study/sampling",
                                                    "host/study",
                                                    "host/reference/mathematics",
                                                    "host/reference/formulation",
                                                    "host/reference/tree",
                                                    "host/reference/mechanism",
                                                    "host/reference/explicit",
                                                    "host/reference/implicit",
                                                    "host/reference/joint",
                                                    "host/reference/contact",
                                                    "host/reference/energy_momentum",
                                                    "host/reference/systems",
                                                    "host/reference",
                                                    "host/backends/interface",
                                                    "host/backends/reference",
                                                    "host/backends/cpu_variants",
                                                    "host/backends/traced",
                                                    "host/backends/compiled_kernels",
                                                    "host/backends/cpu",
                                                    "host/backends/cuda",
                                                    "host/backends",
                                                    "host/results/layout",
                                                    "host/results/disk",
                                                    "host/results",
                                                    "host/results/hdf5",
                                                    "host/ensemble/instances",
                                                    "host/ensemble/warnings",
                                                    "host/ensemble",
                                                    "host/validation/runs",
                                                    "host/validation",
                                                    "host/ranks",
                                                    "host/program/text",
                                                    "host/program",
                                                    "host/program/list"};

std::string_view folder_of(std::string_view file) { return file.substr(0, file.rfind('/')); }

std::optional<std::size_t> room_of(std::string_view file) {
    const auto found = std::find(rooms.begin(), rooms.end(), folder_of(file));
    if (found == rooms.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rooms.begin());
}

bool is_in_a_room_before(std::string_view file, std::string_view included) {
    const auto own = room_of(file), other = room_of(included);
    if (!own || !other || *other > *own) return false;
    if (included.starts_with("kernels/")) return file.starts_with("kernels/");
    // The reference path is independent of the rest, but for the errors that it throws and for what files define.
    return !file.starts_with("host/reference/") || included.starts_with("host/reference/") ||
           included == "host/mechanism/model/model.hpp" || included == "host/text/user_error.hpp";
}

// Members for comparisons with papers, which a run-time device compiler sees beside the product's catalog.
bool is_kernel_of_papers(std::string_view file) {
    return file == "papers/catalog.hpp" ||
           (file.starts_with("papers/") && file.find("/kernels/") != std::string_view::npos);
}

// The folders of the project that a layer may include. The program runs the benches through a declaration of its own.
std::vector<std::string_view> layers_below(std::string_view file) {
    if (file.starts_with("kernels/")) return {};
    if (file.starts_with("ensembles/")) return {"kernels/", "ensembles/"};
    if (file.starts_with("host/reference/") || file.starts_with("host/mechanism/model/")) return {};
    if (file.starts_with("host/")) return {"kernels/", "ensembles/"};
    if (file.starts_with("bench/")) return {"kernels/", "ensembles/", "host/", "bench/"};
    if (file.starts_with("papers/"))
        return is_kernel_of_papers(file)
                   ? std::vector<std::string_view>{"kernels/", "ensembles/"}
                   : std::vector<std::string_view>{"kernels/", "ensembles/", "host/", "bench/", "papers/"};
    if (file.starts_with("tests/"))
        return {"kernels/", "ensembles/", "host/", "bench/", "papers/", "tests/", "generated/"};
    if (file.starts_with("python/")) return {"kernels/", "ensembles/", "host/", "python/"};
    return {};
}

bool is_variant(std::string_view file) { return file.find("/cpu_variants/") != std::string_view::npos; }

std::string_view without_delimiters(std::string_view include) { return include.substr(1, include.size() - 2); }

}  // namespace

std::vector<std::string> includes_of(std::string_view source_text) {
    const auto skip_blanks = [](std::string_view& line) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    const auto take = [&](std::string_view& line, std::string_view word) {
        skip_blanks(line);
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    std::vector<std::string> found;
    while (!source_text.empty()) {
        const std::size_t end = std::min(source_text.find('\n'), source_text.size());
        std::string_view line = source_text.substr(0, end);
        source_text.remove_prefix(std::min(end + 1, source_text.size()));
        if (!take(line, "#") || !take(line, "include")) continue;
        skip_blanks(line);
        if (line.empty() || (line[0] != '<' && line[0] != '"')) continue;
        const std::size_t close = line.find(line[0] == '<' ? '>' : '"', 1);
        if (close != std::string_view::npos) found.emplace_back(line.substr(0, close + 1));
    }
    return found;
}

std::string broken_rule(std::string_view file, std::string_view include) {
    const std::string_view name = without_delimiters(include);
    const bool written_by_the_build =
        (file == "host/text/version.cpp" && name == "program_commit.hpp") ||
        (file == "host/validation/runs/reference_values.hpp" && name == "generated/reference_values.hpp");
    if (include.front() == '"') {
        if (starts_with_any(name, layers_below(file)) || written_by_the_build) return "";
        if (is_in_a_room_before(file, name)) return "";
        if (is_kernel_of_papers(file) && is_kernel_of_papers(name)) return "";
        if (name.starts_with(file.substr(0, file.find('/') + 1)) && !room_of(file))
            return "its folder is not in the order of the rooms";
        return "its layer or room must not include this file, or the path does not start at the project's root";
    }
    if (file.starts_with("kernels/") || file.starts_with("ensembles/") || is_kernel_of_papers(file))
        return "a run-time device compiler has no library headers";
    if (is_standard_header(name)) return "";
    for (const Door& door : doors()) {
        if (!starts_with_any(name, door.headers)) continue;
        if (!starts_with_any(file, door.folders)) return std::string("not the door of ") + door.library;
        if (file.starts_with("host/reference/") && door.library != std::string_view("Eigen"))
            return "the reference uses Eigen and the standard library only";
        return "";
    }
    if (is_system_header(name) && !file.starts_with("host/reference/")) return "";
    return "no door is known for this header";
}

std::string broken_variant_rule(const std::string& file,
                                const std::map<std::string, std::vector<std::string>>& includes) {
    if (!is_variant(file)) return "";
    static const std::set<std::string_view> without_functions = {"cstddef", "cstdint", "limits", "type_traits",
                                                                 "concepts"};
    std::set<std::string> seen = {file};
    std::vector<std::string> open = {file};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        const auto lines = includes.find(next);
        if (lines == includes.end()) continue;
        for (const std::string& include : lines->second) {
            const std::string name(without_delimiters(include));
            if (include.front() == '<' && !without_functions.contains(name))
                return next + " includes " + include +
                       ": the linker may keep this variant's copy of a library function, which other processors cannot "
                       "run";
            if (include.front() == '"' && seen.insert(name).second) open.push_back(name);
        }
    }
    return "";
}

std::map<std::string, std::vector<std::string>> includes_of_all_files(const std::filesystem::path& root) {
    static const std::array<const char*, 7> layers = {"kernels", "ensembles", "host",  "bench",
                                                      "papers",  "tests",     "python"};
    static const std::set<std::string> kinds = {".hpp", ".cpp", ".h", ".cu", ".cuh"};
    std::map<std::string, std::vector<std::string>> all;
    for (const char* layer : layers) {
        if (!std::filesystem::is_directory(root / layer)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / layer)) {
            if (!entry.is_regular_file() || !kinds.contains(entry.path().extension().string())) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
            all[entry.path().lexically_relative(root).generic_string()] = includes_of(text);
        }
    }
    return all;
}

}  // namespace myriad
