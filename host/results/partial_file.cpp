#include "host/results/partial_file.hpp"

#include <system_error>

#include "host/results/result_format.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

std::filesystem::path partial_path(const std::filesystem::path& result_path) {
    return result_path.string() + ".partial";
}

std::filesystem::path emptied_place(const std::filesystem::path& result_path, const std::string& promise) {
    refuse_a_foreign_partial(result_path, promise);
    std::error_code error;
    std::filesystem::remove(partial_path(result_path), error);  // where it fails, creating the file says why
    return partial_path(result_path);
}

}  // namespace

void refuse_a_foreign_partial(const std::filesystem::path& result_path, const std::string& promise) {
    const std::filesystem::path path = partial_path(result_path);
    const std::string remedy = promise.empty() ? "move it away, or choose another --out" : "move it away, " + promise;
    refuse_what_is_no_file(path, remedy);
    std::error_code error;
    if (std::filesystem::exists(path, error) && !format_of(result_path).may_have_left(path))
        throw UserError(ExitCode::output, path.string(),
                        "this file is in the place where the result is to be written first, and is no result of Myriad",
                        remedy);
}

PartialFile::PartialFile(const std::filesystem::path& result_path, const std::string& promise)
    : result_path_(result_path),
      promise_(promise),
      file_(emptied_place(result_path, promise), promise, DiskFile::Opening::new_only) {}

void PartialFile::publish() {
    file_.sync();
    if (!file_.is_at_its_path())
        throw UserError(ExitCode::output, path().string(), "another program has taken the place of this file",
                        "look who writes in this folder, " + promise_);
    std::error_code error;
    std::filesystem::rename(path(), result_path_, error);
    if (error) throw_output_error(result_path_, error.value(), 0, promise_);
    is_there_ = false;
    sync_folder_of(result_path_);
}

// Cut first: HDF5 keeps a file open that it could not write, and removing its name alone would not give the space back.
void PartialFile::discard() noexcept {
    if (!is_there_) return;
    is_there_ = false;
    try {
        file_.cut_to(0);
    } catch (const UserError&) {
        // The failure that led here is the one to report.
    }
    std::error_code error;
    if (file_.is_at_its_path()) std::filesystem::remove(path(), error);
}

}  // namespace myriad::results
