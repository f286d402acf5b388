#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "host/program/commands.hpp"
#include "host/program/embedded_templates.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

constexpr const char *name_of_study = "study.json", *name_of_mechanism = "mechanism.json", *name_of_script = "study.py",
                     *name_of_plots = "study.svg";

struct NewFile {
    std::filesystem::path path;
    std::string text;
    const char* meaning;
};

std::string template_text(std::string_view name) {
    for (int i = 0; i < embedded_template_file_count; ++i)
        if (std::string_view(embedded_template_files[i].name).ends_with("/" + std::string(name)))
            return embedded_template_files[i].text;
    throw std::logic_error("no template " + std::string(name));
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
    return text;
}

// Kept to what JSON, shells and messages take as it is.
bool is_plain(const std::string& name) {
    return !name.empty() && name.front() != '-' && name.front() != '.' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
               std::string::npos;
}

void write(const std::filesystem::path& path, const std::string& text) {
    // Created here or not at all, whoever else makes a file of this name meanwhile.
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST)
        throw UserError(ExitCode::output, path.string(), "there is a file of this name already",
                        "give another name, or move that file away");
    const bool is_written =
        descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (is_written) return;
    if (descriptor >= 0) unlink(path.c_str());
    throw UserError(ExitCode::output, path.string(), std::string("the file cannot be written: ") + std::strerror(error),
                    "give a name in a folder that can be written");
}

}  // namespace

int make_new(const std::filesystem::path& given) {
    const std::filesystem::path whole = given.extension() == ".json" ? given.parent_path() / given.stem() : given;
    const std::string name = whole.filename().string();
    if (!is_plain(name))
        refuse_at("\"" + given.string() + "\"", "this is no name for a study",
                  "take letters, digits, _, - and dots, as in `myriad new crank`");
    const std::string study = name + ".json", mechanism = name + "_mechanism.json", script = name + ".py";
    const std::array<NewFile, 3> files = {
        NewFile{whole.parent_path() / study, template_text(name_of_study), "the study: method, tolerances, quantities"},
        NewFile{whole.parent_path() / mechanism, template_text(name_of_mechanism),
                "the mechanism: bodies, joints, forces"},
        NewFile{whole.parent_path() / script, template_text(name_of_script),
                "the same in Python, with histograms and what matters"}};
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::string text = files[i].text;
        for (const auto& [old, by] : {std::pair{name_of_mechanism, mechanism},
                                      {name_of_plots, name + ".svg"},
                                      {name_of_script, script},
                                      {name_of_study, study}})
            text = replaced(text, old, by);
        try {
            write(files[i].path, text);
        } catch (...) {
            // Some alone would be in the way of the next trial.
            while (i > 0) unlink(files[--i].path.c_str());
            throw;
        }
    }
    for (const NewFile& file : files) std::printf("%s   %s\n", printable(file.path.string()).c_str(), file.meaning);
    std::printf("run it with: myriad run %s\n", printable(files[0].path.string()).c_str());
    return 0;
}

}  // namespace myriad::program
