#include "host/study/bundled_studies.hpp"

#include <algorithm>

#include "host/text/json_text.hpp"
#include "host/text/program_folder.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

constexpr const char* json_ending = ".json";

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == json_ending) names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

BundledStudy described(const std::filesystem::path& file) {
    const JsonText text = JsonText::read(file);
    const JsonValue root = text.root();
    BundledStudy study{.name = file.stem().string(), .title = {}, .simulates = {}, .path = file, .mechanism = {}};
    if (const auto title = root.find("title")) study.title = title->string();
    if (const auto system = root.find("system")) study.simulates = system->string();
    if (const auto mechanism = root.find("mechanism"); mechanism && !mechanism->is_object()) {
        study.mechanism = (file.parent_path() / mechanism->string()).lexically_normal();
        study.simulates = study.mechanism.stem().string();
    }
    return study;
}

}  // namespace

std::filesystem::path bundled_folder(const std::string& name) {
    std::error_code error;
    for (const std::filesystem::path& share : share_folders()) {
        const std::filesystem::path folder = share / "ensembles" / name;
        // Without links, because a build has one to the sources.
        if (std::filesystem::is_directory(folder, error)) return std::filesystem::canonical(folder);
    }
    return {};
}

std::vector<BundledStudy> bundled_studies() {
    const std::filesystem::path folder = bundled_folder("studies");
    if (folder.empty())
        refuse_at("the bundled studies", "they are not beside this program",
                  "keep the folders of the archive or wheel together: bin/ and share/myriad/");
    std::vector<BundledStudy> studies;
    for (const std::string& name : names_in(folder)) studies.push_back(described(folder / (name + json_ending)));
    return studies;
}

std::filesystem::path study_file(const std::filesystem::path& given) {
    std::error_code error;
    const auto kind = std::filesystem::status(given, error).type();
    if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::directory) return given;
    const std::filesystem::path folder = bundled_folder("studies");
    const std::vector<std::string> names = names_in(folder);
    if (std::find(names.begin(), names.end(), given.string()) != names.end())
        return folder / (given.string() + json_ending);
    if (kind == std::filesystem::file_type::directory) return given;
    const std::string meant = nearest(given.stem().string(), names);
    refuse_at(
        given.string(),
        std::string("there is no such file") +
            (given.has_parent_path() ? "" : " in this folder, and no bundled study has this name"),
        (meant.empty() ? "" : "did you mean the bundled study \"" + meant + "\"? ") +
            "`myriad list --studies` shows those that come with the program, `myriad new NAME` writes one to begin "
            "with");
}

}  // namespace myriad::study
