// `<out>.partial` and `<out>.partial2`: files in which a result stands before it takes its name. A run keeps its values
// in one of them (values_file.hpp); where they move to other places, the other takes them.
//
// What a killed run left there is removed; anything else of these names is somebody's and stays. A PartialFile is a new
// file that is written at once: where it is not published it goes away with its owner, so a full disk gets its space
// back.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "host/results/disk/disk_file.hpp"

namespace myriad::results {

// Of two, so that one can take the place of the other.
enum class PartialName : std::uint32_t { first, second };
inline constexpr std::array partial_names = {PartialName::first, PartialName::second};
constexpr PartialName other(PartialName name) {
    return name == PartialName::first ? PartialName::second : PartialName::first;
}

std::filesystem::path partial_path(const std::filesystem::path& result_path, PartialName name);

// UserError (output) when a file stands where a partial file has to, and is not what a killed run leaves: without its
// head, of another length than its head says, or a whole result of Myriad.
void refuse_a_foreign_partial(const std::filesystem::path& result_path, const std::string& promise = "");

// A new file there, in place of what a killed run left.
DiskFile new_partial(const std::filesystem::path& result_path, PartialName name, const std::string& promise);

// Makes a partial file durable and gives it the result's name in one step.
void publish(DiskFile& file, const std::filesystem::path& result_path, const std::string& promise);
// Gives the space of a partial file back and removes it.
void discard(DiskFile& file) noexcept;

class PartialFile {
  public:
    // UserError (output) as above, or when the system refuses.
    PartialFile(const std::filesystem::path& result_path, PartialName name, const std::string& promise);
    ~PartialFile() { discard(); }
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    const std::filesystem::path& path() const { return file_.path(); }
    // To be opened for writing: the same file, even where somebody puts a link in its place meanwhile.
    std::filesystem::path descriptor_path() const { return file_.descriptor_path(); }
    void publish();
    // Unless it is published.
    void discard() noexcept;

  private:
    std::filesystem::path result_path_;
    std::string promise_;
    DiskFile file_;
    bool is_there_ = true;
};

}  // namespace myriad::results
