// Texts of studies for tests: a small good one, and it with some keys replaced.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "host/study/study.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::study {

// The good study with the keys of `keys`, an object, put over its own; null takes a key away.
inline std::string changed(const std::string& keys) {
    auto study = nlohmann::json::parse(R"({"system": "heavy_top", "instances": 100,
        "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1}})");
    const auto other = nlohmann::json::parse(keys);
    for (const auto& [key, value] : other.items()) {
        if (value.is_null())
            study.erase(key);
        else
            study[key] = value;
    }
    return study.dump();
}

inline Study parsed(const std::string& text) { return parse_study(text, "study.json", ""); }
// The message about the good study with these keys.
inline std::string refused(const std::string& keys) {
    return refusal([&] { parsed(changed(keys)); });
}

// Gone when the tests of a process are through.
inline const std::filesystem::path& table_folder() {
    static const struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("myriad_tables_" + std::to_string(getpid()));
        Folder() { std::filesystem::create_directories(path); }
        ~Folder() { std::filesystem::remove_all(path); }
    } folder;
    return folder.path;
}
// Writes table.csv into table_folder().
inline std::string table_study(const std::string& csv, const std::string& design,
                               const std::string& parameters = "{}") {
    std::ofstream(table_folder() / "table.csv") << csv;
    return changed(R"({"instances": null, "design": )" + design + R"(, "parameters": )" + parameters + "}");
}

}  // namespace myriad::study
