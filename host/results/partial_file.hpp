// `<out>.partial`: the file into which a result is written before it takes the result's name.
//
// It is always a new file. The rest of a killed assembly is removed for it; anything else of that name is somebody's
// and stays. A file that is not published goes away with its owner, so a full disk gets its space back.
#pragma once
#include <filesystem>
#include <string>

#include "host/results/disk/disk_file.hpp"

namespace myriad::results {

// UserError (output) when a file stands where the partial file has to, and is not what a killed assembly leaves: empty,
// an HDF5 file of another length than its head says, or a whole result of Myriad.
void refuse_a_foreign_partial(const std::filesystem::path& result_path, const std::string& promise = "");

class PartialFile {
  public:
    // UserError (output) as above, or when the system refuses.
    PartialFile(const std::filesystem::path& result_path, const std::string& promise);
    ~PartialFile() { discard(); }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    const std::filesystem::path& path() const { return file_.path(); }
    // To be opened for writing: the same file, even where somebody puts a link in its place meanwhile.
    std::filesystem::path descriptor_path() const { return file_.descriptor_path(); }
    // Makes it durable and gives it the result's name in one step.
    void publish();
    // Gives its space back and removes it, unless it is published.
    void discard() noexcept;

  private:
    std::filesystem::path result_path_;
    std::string promise_;
    DiskFile file_;
    bool is_there_ = true;
};

}  // namespace myriad::results
