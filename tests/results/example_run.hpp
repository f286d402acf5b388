// A run of made-up numbers: every element type and rank that the layout of a result has, values that are a
// pure function of (column, instance, element), a folder that goes away.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "host/results/journal.hpp"
#include "host/results/result_file.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results::example {

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "myriad_results_XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline const Fingerprint fingerprint{"00112233445566778899aabbccddeeff", "study example.json, seed 7, myriad 0.1.0"};

constexpr std::uint64_t times = 5, bodies = 2;

inline Layout layout(std::uint64_t instances) {
    return {instances,
            {{"/instance/id", ElementType::int64},
             {"/instance/status", ElementType::int32, {}, {{"names", std::vector<std::string>{"ok", "not_run"}}}},
             {"/instance/certificate/newton_iterations_max", ElementType::int32},
             {"/parameters/bodies.top.mass", ElementType::float64, {}, {{"unit", "kg"}}},
             {"/state/final/position",
              ElementType::float64,
              {bodies, 3},
              {{"unit", "m"}, {"frame", "world"}},
              {"/axes/body", "component"}},
             {"/quantities/reach_m", ElementType::float32},
             {"/trajectory/position",
              ElementType::float64,
              {times, bodies, 3},
              {{"unit", "m"}},
              {"/trajectory/time", "/axes/body", "component"}},
             {"/trajectory/energy", ElementType::float32, {times}, {}, {"/trajectory/time"}}}};
}

inline std::vector<FixedDataset> fixed() {
    return {{"/trajectory/time", {times}, std::vector<double>{0, 0.25, 0.5, 0.75, 1}, {{"unit", "s"}}},
            {"/axes/body", {bodies}, std::vector<std::string>{"top", "größe"}},
            {"/statistics/reach_m/quantiles", {2, 2}, std::vector<double>{0.05, 1.5, 0.95, 2.5}},
            {"/statistics/excluded", {}, std::vector<std::int64_t>{3}}};
}

inline Attributes attributes() {
    return {{"seed", std::int64_t{7}},
            {"wall_time_s", 1.5},
            {"study", std::string(100'000, 'x')},
            {"device", ""},
            {"warnings", std::vector<std::string>{}}};
}

// Bits without pattern, NaN and infinity among them: what is read back must be these bits, not these values.
inline std::uint64_t bits(std::uint64_t column, std::uint64_t instance, std::uint64_t element) {
    std::uint64_t x = column * 0x9e3779b97f4a7c15u + instance * 0xbf58476d1ce4e5b9u + element * 0x94d049bb133111ebu + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline std::vector<std::byte> values(const Layout& of, std::size_t column, InstanceRange range) {
    const std::uint64_t size = bytes_per_element(of.columns[column].type);
    const std::uint64_t elements = bytes_per_instance(of.columns[column]) / size;
    std::vector<std::byte> bytes(range.count * elements * size);
    std::byte* next = bytes.data();
    for (std::uint64_t i = range.first; i < range.end(); ++i)
        for (std::uint64_t e = 0; e < elements; ++e, next += size) {
            const std::uint64_t word = of.columns[column].path == "/instance/id" ? i : bits(column, i, e);
            std::memcpy(next, &word, size);
        }
    return bytes;
}

inline void append(Journal& journal, InstanceRange range) {
    std::vector<std::vector<std::byte>> columns;
    for (std::size_t c = 0; c < journal.layout().columns.size(); ++c)
        columns.push_back(values(journal.layout(), c, range));
    journal.append(range.first, range.count, {columns.begin(), columns.end()});
}

inline void append_all_missing(Journal& journal, std::uint64_t chunk) {
    for (const InstanceRange& range : journal.missing(chunk)) append(journal, range);
}

inline std::vector<char> bytes_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// "" for two equal files, else how many bytes differ and where the first is.
inline std::string difference(const std::vector<char>& a, const std::vector<char>& b) {
    std::size_t differing = 0, first = 0;
    for (std::size_t i = std::min(a.size(), b.size()); i-- > 0;)
        if (a[i] != b[i]) {
            ++differing;
            first = i;
        }
    if (differing == 0 && a.size() == b.size()) return "";
    return std::to_string(a.size()) + " and " + std::to_string(b.size()) + " bytes, " + std::to_string(differing) +
           " of them differ, first at " + std::to_string(first);
}

// The whole file of an undisturbed run in one chunk.
inline std::vector<char> undisturbed_result(std::uint64_t instances) {
    const Folder folder;
    Journal journal = Journal::create(folder / "out.h5", fingerprint, layout(instances), IfPresent::refuse);
    append(journal, {0, instances});
    assemble(journal, fixed(), attributes());
    return bytes_of_file(folder / "out.h5");
}

// The message of the UserError of `action` after its exit code ("4 out.h5: ..."); "no error" if there is none.
template <class Action>
std::string error_of(Action action) {
    try {
        action();
    } catch (const UserError& error) {
        return std::to_string(static_cast<int>(error.exit_code())) + " " + error.what();
    }
    return "no error";
}

}  // namespace myriad::results::example
