#include "host/text/program_folder.hpp"

#include <dlfcn.h>

#include <system_error>

namespace myriad {

std::filesystem::path program_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path() : program.parent_path();
}

// A relative path would name another folder wherever the program is run.
std::filesystem::path package_folder() {
    Dl_info own{};
    const bool known = ::dladdr(reinterpret_cast<const void*>(&package_folder), &own) != 0 && own.dli_fname;
    return known && *own.dli_fname == '/' ? std::filesystem::path(own.dli_fname).parent_path()
                                          : std::filesystem::path();
}

std::vector<std::filesystem::path> share_folders() {
    const std::filesystem::path share = "share/myriad", package = package_folder(), program = program_folder();
    std::vector<std::filesystem::path> folders;
    if (!package.empty()) folders.push_back(package / share);
    if (!program.empty()) {
        folders.push_back(program / share);
        folders.push_back(program.parent_path() / share);
    }
    return folders;
}

}  // namespace myriad
