// A file that a user names, read once from its beginning, up to a stated size, so that neither an endless device nor a
// pipe that nobody writes to holds the program.
//
// Regular files, devices and pipes (`<(...)`, /dev/stdin, a FIFO) are read alike. A pipe may be slow, but a FIFO must
// have a writer within some seconds.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <streambuf>
#include <string>

namespace myriad {

struct InputKind {
    const char* name;  // "study or mechanism", as in "a study or mechanism has at most ..."
    std::uint64_t most_bytes;
    const char* remedy;  // where the file cannot be opened
};

class InputFile : public std::streambuf {
  public:
    // Here and while reading: UserError (usage_or_input) with the file's name.
    InputFile(const std::filesystem::path& file, const InputKind& kind);
    ~InputFile() override;
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::string rest();

  protected:
    int_type underflow() override;

  private:
    std::size_t read();  // into the buffer; 0 at the end
    [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const;
    [[noreturn]] void refuse_unreadable(int error) const;

    std::string name_;
    InputKind kind_;
    int descriptor_ = -1;
    bool is_pipe_ = false;
    std::uint64_t bytes_ = 0;  // read so far
    std::array<char, 65536> buffer_;
};

}  // namespace myriad
