#include "host/text/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/text/user_error.hpp"

namespace myriad {

namespace {

constexpr int longest_wait_for_a_writer_s = 5;

void wait_for_input(int descriptor, int longest_ms) {
    pollfd asked{descriptor, POLLIN, 0};
    poll(&asked, 1, longest_ms);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file, const InputKind& kind) : name_(file.string()), kind_(kind) {
    if (name_.find('\0') != std::string::npos) refuse("a path holds no NUL", kind_.remedy);
    // Without waiting: opening a FIFO would last until somebody writes to it.
    descriptor_ = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) refuse_unreadable(errno);
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) {
        const int error = errno;
        close(descriptor_);
        refuse_unreadable(error);
    }
    if (S_ISDIR(status.st_mode)) {
        close(descriptor_);
        refuse("this is a folder", kind_.remedy);
    }
    is_pipe_ = S_ISFIFO(status.st_mode);
}

InputFile::~InputFile() { close(descriptor_); }

std::string InputFile::rest() {
    std::string text;
    while (underflow() != traits_type::eof()) {
        text.append(gptr(), egptr());
        setg(eback(), egptr(), egptr());
    }
    return text;
}

InputFile::int_type InputFile::underflow() {
    if (gptr() == egptr()) {
        const std::size_t count = read();
        setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
        if (count == 0) return traits_type::eof();
    }
    return traits_type::to_int_type(*gptr());
}

std::size_t InputFile::read() {
    bool has_waited = false;
    for (;;) {
        const ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
        if (count > 0) {
            bytes_ += static_cast<std::uint64_t>(count);
            if (bytes_ > kind_.most_bytes)
                refuse("there are more than " + std::to_string(kind_.most_bytes) + " bytes",
                       "a " + std::string(kind_.name) + " has at most " + std::to_string(kind_.most_bytes) +
                           " bytes; is this the right file?");
            return static_cast<std::size_t>(count);
        }
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            wait_for_input(descriptor_, -1);  // somebody has it open for writing
        } else if (count == 0 && is_pipe_ && bytes_ == 0 && !has_waited) {
            wait_for_input(descriptor_, 1000 * longest_wait_for_a_writer_s);
            has_waited = true;
        } else if (count == 0 && is_pipe_ && bytes_ == 0) {
            refuse("nobody has written to this pipe for " + std::to_string(longest_wait_for_a_writer_s) + " s",
                   "start what writes to it first, or give a file");
        } else if (count == 0) {
            return 0;
        } else {
            refuse_unreadable(errno);
        }
    }
}

void InputFile::refuse(const std::string& what, const std::string& remedy) const {
    throw UserError(ExitCode::usage_or_input, name_, what, remedy);
}

void InputFile::refuse_unreadable(int error) const {
    refuse(std::string("the file cannot be read: ") + std::strerror(error), kind_.remedy);
}

}  // namespace myriad
