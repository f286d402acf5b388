// The studies that come with the program: of a checkout, an archive or a wheel.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace myriad::study {

struct BundledStudy {
    std::string name;  // of its file, without ".json"
    std::string title;
    std::string simulates;  // the name of its system or mechanism
    std::filesystem::path path;
    std::filesystem::path mechanism;  // its file; empty for a system that is code
};

// The folder ensembles/NAME that comes with the program; empty where the program was copied without it.
std::filesystem::path bundled_folder(const std::string& name);

// Sorted by name. UserError (usage_or_input) where the program was copied without them.
std::vector<BundledStudy> bundled_studies();

// The file that `given` means: itself where there is such a file, else the bundled study of that name. UserError
// (usage_or_input), with the name that was probably meant, where there is neither.
std::filesystem::path study_file(const std::filesystem::path& given);

}  // namespace myriad::study
