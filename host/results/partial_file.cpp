#include "host/results/partial_file.hpp"

#include <system_error>

#include "host/results/result_format.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {

std::filesystem::path partial_path(const std::filesystem::path& result_path, PartialName name) {
    return result_path.string() + (name == PartialName::first ? ".partial" : ".partial2");
}

void refuse_a_foreign_partial(const std::filesystem::path& result_path, const std::string& promise) {
    for (const PartialName name : partial_names) {
        const std::filesystem::path path = partial_path(result_path, name);
        const std::string remedy =
            promise.empty() ? "move it away, or choose another --out" : "move it away, " + promise;
        refuse_what_is_no_file(path, remedy);
        std::error_code error;
        if (std::filesystem::exists(path, error) && !format_of(result_path).may_have_left(path))
            throw UserError(ExitCode::output, path.string(),
                            "this file is in the place where the result is to be written first, and is no result of "
                            "Myriad",
                            remedy);
    }
}

DiskFile new_partial(const std::filesystem::path& result_path, PartialName name, const std::string& promise) {
    refuse_a_foreign_partial(result_path, promise);
    const std::filesystem::path path = partial_path(result_path, name);
    std::error_code error;
    std::filesystem::remove(path, error);  // where it fails, creating the file says why
    return DiskFile(path, promise, DiskFile::Opening::new_only);
}

void publish(DiskFile& file, const std::filesystem::path& result_path, const std::string& promise) {
    file.sync();
    if (!file.is_at_its_path())
        throw UserError(ExitCode::output, file.path().string(), "another program has taken the place of this file",
                        "look who writes in this folder, " + promise);
    std::error_code error;
    std::filesystem::rename(file.path(), result_path, error);
    if (error) throw_output_error(result_path, error.value(), 0, promise);
    sync_folder_of(result_path);
}

// Cut first: HDF5 keeps a file open that it could not write, and removing its name alone would not give the space back.
void discard(DiskFile& file) noexcept {
    try {
        file.cut_to(0);
    } catch (const UserError&) {
        // The failure that led here is the one to report.
    }
    std::error_code error;
    if (file.is_at_its_path()) std::filesystem::remove(file.path(), error);
}

PartialFile::PartialFile(const std::filesystem::path& result_path, PartialName name, const std::string& promise)
    : result_path_(result_path), promise_(promise), file_(new_partial(result_path, name, promise)) {}

void PartialFile::publish() {
    results::publish(file_, result_path_, promise_);
    is_there_ = false;
}

void PartialFile::discard() noexcept {
    if (is_there_) results::discard(file_);
    is_there_ = false;
}

}  // namespace myriad::results
