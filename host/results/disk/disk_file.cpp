#include "host/results/disk/disk_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::string free_bytes_at(const std::filesystem::path& path) {
    std::error_code error;
    const auto space = std::filesystem::space(folder_of(path), error);
    return error ? "" : " (" + std::to_string(space.available) + " bytes are free there)";
}

int open_retrying(const std::filesystem::path& path, int flags) {
    int descriptor;
    do descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

// Moves all parts by as many calls as the system needs; false when a call moves nothing or fails.
template <class Part, class MoveSome>
bool transfer(std::uint64_t offset, const std::vector<Part>& parts, MoveSome move_some) {
    constexpr std::size_t most_pieces = 64;
    std::size_t part = 0, done_of_part = 0;
    while (true) {
        while (part < parts.size() && done_of_part >= parts[part].size()) done_of_part -= parts[part++].size();
        if (part == parts.size()) return true;
        std::array<iovec, most_pieces> pieces;
        std::size_t count = 0;
        for (std::size_t i = part, skip = done_of_part; i < parts.size() && count < most_pieces; ++i, skip = 0)
            // An iovec points to mutable bytes, and pwritev does not write to them.
            pieces[count++] = {const_cast<std::byte*>(parts[i].data()) + skip, parts[i].size() - skip};
        const ssize_t bytes = move_some(pieces.data(), static_cast<int>(count), static_cast<off_t>(offset));
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) return false;
        offset += static_cast<std::uint64_t>(bytes);
        done_of_part += static_cast<std::size_t>(bytes);
    }
}

}  // namespace

void throw_output_error(const std::filesystem::path& path, int error_number, std::uint64_t wanted_bytes,
                        const std::string& promise) {
    const std::string folder = "'" + folder_of(path).string() + "'";
    const std::string reason = std::strerror(error_number);
    const std::string wanted = wanted_bytes == 0 ? "" : " for " + std::to_string(wanted_bytes) + " bytes";
    std::string wrong, remedy;
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
            wrong = "no space is left" + wanted + free_bytes_at(path) + ": " + reason;
            remedy = "free space";
            break;
        case EFBIG:
            wrong = "the file may not grow" + wanted + ": " + reason;
            remedy = "raise the limit on file sizes (ulimit -f) or of the file system";
            break;
        case EROFS:
        case EACCES:
        case EPERM:
            wrong = "writing in the folder " + folder + " is not permitted: " + reason;
            remedy = "allow it or choose another --out";
            break;
        case ENOENT:
        case ENOTDIR:
            wrong = "the folder " + folder + " does not exist: " + reason;
            remedy = "create it or choose another --out";
            break;
        case EISDIR:
            wrong = "this is a folder";
            remedy = "name a file with --out";
            break;
        default:
            wrong = "the system could not write" + wanted + ": " + reason;
            remedy = "check the disk";
    }
    throw UserError(ExitCode::output, path.string(), wrong, remedy + (promise.empty() ? "" : ", " + promise));
}

void refuse_what_is_no_file(const std::filesystem::path& path, const std::string& remedy) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
    std::error_code error;
    const std::string kind = S_ISDIR(status.st_mode) ? "a folder"
                             : S_ISLNK(status.st_mode)
                                 ? "a symbolic link to '" + std::filesystem::read_symlink(path, error).string() +
                                       "', and nothing is written through a link"
                             : S_ISFIFO(status.st_mode) ? "a pipe"
                             : S_ISSOCK(status.st_mode) ? "a socket"
                                                        : "a device";
    throw UserError(ExitCode::output, path.string(), "this is " + kind, remedy);
}

DiskFile::DiskFile(std::filesystem::path path, std::string promise, Opening opening)
    : path_(std::move(path)), promise_(std::move(promise)) {
    const char* const remedy = "remove it, or choose another --out";
    refuse_what_is_no_file(path_, remedy);
    // Another kind of file may have taken the place since then: it must not keep us waiting.
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    descriptor_ = open_retrying(path_, opening == Opening::new_only ? flags | O_EXCL : flags);
    if (descriptor_ < 0) throw_output_error(path_, errno, 0, promise_);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        throw UserError(ExitCode::output, path_.string(), "this is no regular file", remedy);
    }
}

DiskFile::DiskFile(std::filesystem::path path, std::string promise, int descriptor)
    : path_(std::move(path)), promise_(std::move(promise)), descriptor_(descriptor) {}

DiskFile DiskFile::in_memory(std::filesystem::path path, std::string promise) {
    const int descriptor = ::memfd_create("myriad", MFD_CLOEXEC);
    if (descriptor < 0) throw_output_error(path, errno, 0, promise);
    return DiskFile(std::move(path), std::move(promise), descriptor);
}

DiskFile::~DiskFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

DiskFile::DiskFile(DiskFile&& other) noexcept
    : path_(std::move(other.path_)),
      promise_(std::move(other.promise_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(promise_, other.promise_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

bool DiskFile::lock() {
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR)
            throw UserError(
                ExitCode::output, path_.string(),
                std::string("the file system gives no lock that keeps two runs apart: ") + std::strerror(errno),
                "write to another file system with --out, and copy the result afterwards");
    }
    // The run that held the lock before may have finished and removed the file between our open and our lock.
    return is_at_its_path();
}

bool DiskFile::is_at_its_path() const {
    struct stat opened {};
    struct stat named {};
    return ::fstat(descriptor_, &opened) == 0 && ::lstat(path_.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

std::filesystem::path DiskFile::descriptor_path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

std::uint64_t DiskFile::size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw_output_error(path_, errno, 0, promise_);
    return static_cast<std::uint64_t>(status.st_size);
}

void DiskFile::write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& parts) {
    std::uint64_t wanted = 0;
    for (const auto& part : parts) wanted += part.size();
    const auto write_some = [this](const iovec* pieces, int count, off_t at) {
        return ::pwritev(descriptor_, pieces, count, at);
    };
    if (!transfer(offset, parts, write_some)) throw_output_error(path_, errno, wanted, promise_);
}

bool DiskFile::read_at(std::uint64_t offset, const std::vector<std::span<std::byte>>& parts) const {
    bool at_end = false;
    const auto read_some = [&](const iovec* pieces, int count, off_t at) {
        const ssize_t bytes = ::preadv(descriptor_, pieces, count, at);
        at_end = bytes == 0;
        return bytes;
    };
    if (transfer(offset, parts, read_some)) return true;
    if (!at_end)
        throw UserError(ExitCode::output, path_.string(),
                        std::string("the system could not read it: ") + std::strerror(errno),
                        "check the disk" + (promise_.empty() ? "" : ", " + promise_));
    return false;
}

void DiskFile::cut_to(std::uint64_t size) {
    while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
        if (errno != EINTR) throw_output_error(path_, errno, 0, promise_);
}

void DiskFile::sync() {
    while (::fdatasync(descriptor_) != 0)
        if (errno != EINTR) throw_output_error(path_, errno, 0, promise_);
}

void sync_folder_of(const std::filesystem::path& path) {
    // Some file systems cannot sync a folder; the files themselves are safe by then.
    const int descriptor = open_retrying(folder_of(path), O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace myriad::results
