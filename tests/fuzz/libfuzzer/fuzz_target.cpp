// One reader under libFuzzer, which ends the process where there is an objection. `./dev check fuzz` builds and runs
// it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/readers.hpp"

namespace {

const myriad::fuzz::Reader& reader() {
    for (const myriad::fuzz::Reader& one : myriad::fuzz::MYRIAD_FUZZED_READERS())
        if (std::string_view(one.name) == MYRIAD_FUZZED_READER) return one;
    std::abort();
}

}  // namespace

// Writes the seeds into the first folder that is named, where libFuzzer keeps what it finds.
extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
    for (int i = 1; i < *count; ++i)
        if (const std::filesystem::path folder = (*words)[i]; std::filesystem::is_directory(folder)) {
            int number = 0;
            for (const std::string& seed : reader().seeds())
                std::ofstream(folder / ("seed_" + std::to_string(number++)), std::ios::binary) << seed;
            break;
        }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string objection = reader().objection_to({reinterpret_cast<const char*>(bytes), size});
    if (objection.empty()) return 0;
    std::fprintf(stderr, "%s: %s\n", MYRIAD_FUZZED_READER, objection.c_str());
    std::abort();
}
