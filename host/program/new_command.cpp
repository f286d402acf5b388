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

constexpr const char *name_of_study = "study.json", *name_of_mechanism = "mechanism.json";

struct NewFile {
    std::filesystem::path path;
    std::string text;
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

void write(const NewFile& file) {
    // Created here or not at all, whoever else makes a file of this name meanwhile.
    const int descriptor = open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST)
        throw UserError(ExitCode::output, file.path.string(), "there is a file of this name already",
                        "give another name, or move that file away");
    const bool is_written = descriptor >= 0 && ::write(descriptor, file.text.data(), file.text.size()) ==
                                                   static_cast<ssize_t>(file.text.size());
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (is_written) return;
    if (descriptor >= 0) unlink(file.path.c_str());
    throw UserError(ExitCode::output, file.path.string(),
                    std::string("the file cannot be written: ") + std::strerror(error),
                    "give a name in a folder that can be written");
}

}  // namespace

int make_new(const std::filesystem::path& given) {
    const std::filesystem::path whole = given.extension() == ".json" ? given.parent_path() / given.stem() : given;
    const std::string name = whole.filename().string();
    if (!is_plain(name))
        refuse_at("\"" + given.string() + "\"", "this is no name for a study",
                  "take letters, digits, _, - and dots, as in `myriad new crank`");
    const std::string study = name + ".json", mechanism = name + "_mechanism.json";
    std::array<NewFile, 2> files = {NewFile{whole.parent_path() / mechanism, template_text(name_of_mechanism)},
                                    NewFile{whole.parent_path() / study, template_text(name_of_study)}};
    for (NewFile& file : files)
        file.text = replaced(replaced(file.text, name_of_mechanism, mechanism), name_of_study, study);
    write(files[0]);
    try {
        write(files[1]);
    } catch (...) {
        unlink(files[0].path.c_str());  // one alone would be in the way of the next trial
        throw;
    }
    std::printf(
        "%s   the study: method, tolerances, quantities\n%s   the mechanism: bodies, joints, forces\n"
        "run it with: myriad run %s\n",
        printable(files[1].path.string()).c_str(), printable(files[0].path.string()).c_str(),
        printable(files[1].path.string()).c_str());
    return 0;
}

}  // namespace myriad::program
