#include "host/backends/compiled_kernels/kept_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>

namespace myriad::backends {

namespace {

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    operator int() const { return number_; }

  private:
    int number_;
};

// Machine code is taken from the user and from root alone: any other writer would decide what we compute.
bool belongs_to_us(const struct stat& status) { return status.st_uid == 0 || status.st_uid == ::geteuid(); }
bool only_we_may_write(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && belongs_to_us(status) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Descriptor opened_folder(const std::filesystem::path& folder) {
    return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool wrote_all(int descriptor, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

// Makes it where it is not there. A folder of ours that others may write to is closed to them.
Descriptor folder_for_writing(const std::filesystem::path& folder, CacheReaders readers) {
    std::error_code error;
    std::filesystem::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), readers == CacheReaders::user ? 0700 : 0755) != 0 && errno != EEXIST)
        return Descriptor(-1);
    Descriptor opened = opened_folder(folder);
    struct stat status {};
    if (opened >= 0 && ::fstat(opened, &status) == 0 && status.st_uid == ::geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        ::fchmod(opened, status.st_mode & 07777 & ~mode_t{S_IWGRP | S_IWOTH});
    return opened;
}

}  // namespace

void ContentHash::add(const std::string& text) {
    const std::string sized = std::to_string(text.size()) + ":" + text;
    for (Checksum& sum : sums_) sum.add(std::as_bytes(std::span(sized)));
}
std::string ContentHash::text() const {
    std::array<char, 33> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(sums_[0].value()),
                  static_cast<unsigned long long>(sums_[1].value()));
    return digits.data();
}

std::filesystem::path user_cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    // The XDG specification says to ignore a relative path. It would name another folder wherever the program is run.
    if (cache && *cache == '/') return std::filesystem::path(cache) / "myriad/kernels";
    if (home && *home == '/') return std::filesystem::path(home) / ".cache/myriad/kernels";
    return {};
}

bool is_our_place(std::filesystem::path folder) {
    struct stat status {};
    while (::stat(folder.c_str(), &status) != 0) {
        if (!folder.has_relative_path()) return false;
        folder = folder.parent_path();
    }
    return belongs_to_us(status);
}

std::string trusted_bytes(const std::filesystem::path& folder, const std::string& name) {
    const Descriptor in = opened_folder(folder);
    if (in < 0 || !only_we_may_write(in)) return "";
    // A pipe in the place of a file must not keep us waiting.
    const Descriptor file(::openat(in, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file < 0 || !only_we_may_write(file) || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > static_cast<off_t>(most_kept_bytes))
        return "";
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::read(file, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return "";
        done += static_cast<std::size_t>(n);
    }
    return bytes;
}

bool write_whole(const std::filesystem::path& folder, const std::string& name, const std::string& bytes,
                 CacheReaders readers) {
    const Descriptor in = folder_for_writing(folder, readers);
    if (in < 0) return false;
    const std::string whole = name + "." + std::to_string(::getpid()) + ".partial";
    const mode_t mode = readers == CacheReaders::user ? 0600 : 0644;
    const auto create = [&] {
        return ::openat(in, whole.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    };
    int created = create();
    if (created < 0 && errno == EEXIST && ::unlinkat(in, whole.c_str(), 0) == 0) created = create();
    const Descriptor file(created);
    if (file < 0) return false;
    if (wrote_all(file, bytes) && ::renameat(in, whole.c_str(), in, name.c_str()) == 0) return true;
    ::unlinkat(in, whole.c_str(), 0);
    return false;
}

}  // namespace myriad::backends
