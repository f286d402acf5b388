// Files of machine code that are kept from one run to the next, and what guards them.
//
// A file that is torn is written again. One that somebody else than the user and root may have written, by its owner
// and mode or those of its folder, or that is a link, is passed over: its author would decide what we compute.
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "host/text/checksum.hpp"

namespace myriad::backends {

// 128 bits of all texts that were added, as 32 hexadecimal digits.
class ContentHash {
  public:
    void add(const std::string& text);
    std::string text() const;

  private:
    std::array<Checksum, 2> sums_ = {Checksum(1), Checksum(2)};
};

// ${XDG_CACHE_HOME:-~/.cache}/myriad/kernels, the only folder that a run writes to; empty where there is no such place.
std::filesystem::path user_cache_folder();
// False where the folder that is there, or in which it would be made, is somebody else's: under sudo the user's.
bool is_our_place(std::filesystem::path folder);

inline constexpr std::size_t most_kept_bytes = std::size_t{1} << 28;  // of a file
// The bytes of a file that only we or root may have written; empty otherwise.
std::string trusted_bytes(const std::filesystem::path& folder, const std::string& name);

// The readers of a written file: the user alone, in his cache, or everybody, in a folder that is passed on.
enum class CacheReaders { user, everybody };
// False, and nothing changed, where the folder cannot be written to. The file appears whole or not at all.
bool write_whole(const std::filesystem::path& folder, const std::string& name, const std::string& bytes,
                 CacheReaders readers);

}  // namespace myriad::backends
