// The head of a journal: which run it is of and which columns it has, with checksums. journal.hpp has the rest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "host/results/journal.hpp"
#include "host/text/checksum.hpp"

namespace myriad::results {

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}
// A head of the file or of a record ends with the checksum of what stands before.
template <class T>
std::uint64_t checksum_before_last_word(const T& value) {
    Checksum checksum;
    checksum.add(bytes_of(value).first(sizeof(T) - sizeof(std::uint64_t)));
    return checksum.value();
}

struct JournalHeader {
    RunIdentity identity;
    std::string layout_digest;
    IfPresent if_present;
    PartialName values;  // the file that holds them, and what stands for their places there
    std::uint64_t places_checksum;
    std::uint64_t bytes;
};

// Nothing when the file is empty or was cut off while its header was written: then it holds no instance. UserError
// (output) for a file that is no journal of this format, or is damaged.
std::optional<JournalHeader> read_journal_header(const DiskFile& file);
// Gives the length of the header. A description beyond a limit is cut.
std::uint64_t write_journal_header(DiskFile& file, Fingerprint& fingerprint, const Layout& layout, IfPresent if_present,
                                   const ValuesFile& values);

// "delete 'out.h5.journal'", for remedies.
std::string removal_of(const std::filesystem::path& path);
[[noreturn]] void refuse_journal(const std::filesystem::path& where, const std::string& what_is_wrong,
                                 const std::string& remedy);

}  // namespace myriad::results
