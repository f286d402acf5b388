// A file whose every failure is a UserError with ExitCode::output: the path, the bytes wanted, the system's reason, and
// a remedy that begins with the answer to the reason ("free space") and ends with the owner's promise ("then run again
// with --resume"). It is a regular file: a symbolic link in its place is never followed, because anybody who may write
// in a shared folder could lead us to any file of ours, and devices and pipes hold no results.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace myriad::results {

// `wanted_bytes` is 0 where no writing of bytes failed; `promise` may be empty.
[[noreturn]] void throw_output_error(const std::filesystem::path& path, int error_number, std::uint64_t wanted_bytes,
                                     const std::string& promise);

// UserError (output) when something else than a regular file is at `path`: a folder, a symbolic link, a device, a pipe.
void refuse_what_is_no_file(const std::filesystem::path& path, const std::string& remedy);

class DiskFile {
  public:
    enum class Opening { any, new_only };
    // Opens for reading and writing, creates the file where there is none, never cuts what is there. With `new_only` it
    // must not be there.
    explicit DiskFile(std::filesystem::path path, std::string promise = "", Opening opening = Opening::any);
    // A file in the memory, without a name: only bytes that are written take memory, not the gaps between them. Its
    // failures are told as those of `path`.
    static DiskFile in_memory(std::filesystem::path path, std::string promise);
    ~DiskFile();
    DiskFile(DiskFile&&) noexcept;
    DiskFile& operator=(DiskFile&&) noexcept;

    const std::filesystem::path& path() const { return path_; }
    void set_promise(std::string promise) { promise_ = std::move(promise); }

    // False when another process holds the lock, or when the path no longer names the file that was opened.
    bool lock();
    // False when the path no longer names the file that was opened.
    bool is_at_its_path() const;
    // A name under which this process opens the same file, whatever has become of its path.
    std::filesystem::path descriptor_path() const;
    std::uint64_t size() const;
    // All parts one after the other at `offset`.
    void write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& parts);
    // Consecutive bytes from `offset`, one part after the other; false at the end of the file before all are full.
    bool read_at(std::uint64_t offset, const std::vector<std::span<std::byte>>& parts) const;
    void cut_to(std::uint64_t size);
    // Returns when the bytes (not necessarily the times of the file) are on the disk.
    void sync();

  private:
    DiskFile(std::filesystem::path path, std::string promise, int descriptor);

    std::filesystem::path path_;
    std::string promise_;
    int descriptor_ = -1;
};

// Makes a creation, renaming or removal in the folder of `path` durable.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace myriad::results
