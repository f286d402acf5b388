#include "host/results/journal_header.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

static_assert(std::endian::native == std::endian::little, "journal and result are written as the bytes lie in memory");

constexpr std::array<char, 8> header_magic = {'M', 'Y', 'R', 'I', 'A', 'D', 'J', '\n'};
constexpr std::uint32_t format_version = 3;
constexpr std::uint64_t longest_text_bytes = 1u << 20;

struct HeaderFront {
    std::array<char, 8> magic;
    std::uint32_t version, replace_result;
    std::uint64_t hash_bytes, description_bytes;
    std::uint64_t first_instance, instances, study_instances;
    std::uint64_t values, places_checksum;
    std::array<char, 32> layout_digest;
    std::uint64_t texts_checksum, front_checksum;
};

std::uint64_t checksum_of_texts(const Fingerprint& fingerprint) {
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(fingerprint.hash)));
    checksum.add(std::as_bytes(std::span(fingerprint.description)));
    return checksum.value();
}

}  // namespace

void refuse_journal(const std::filesystem::path& where, const std::string& what_is_wrong, const std::string& remedy) {
    throw UserError(ExitCode::output, where.string(), what_is_wrong, remedy);
}

std::string removal_of(const std::filesystem::path& path) { return "delete '" + path.string() + "'"; }

std::optional<JournalHeader> read_journal_header(const DiskFile& file) {
    const std::uint64_t size = file.size();
    HeaderFront front{};
    const auto front_bytes = std::as_writable_bytes(std::span(&front, 1));
    const std::size_t present = std::min<std::size_t>(size, sizeof front);
    file.read_at(0, {front_bytes.first(present)});
    if (!std::equal(header_magic.begin(), header_magic.begin() + std::min<std::ptrdiff_t>(8, std::ptrdiff_t(present)),
                    front.magic.begin()))
        refuse_journal(file.path(), "this file is not a journal of Myriad", "move it away or choose another --out");
    if (present < sizeof front) return {};
    const char* const anew = "; the run must begin anew: ";
    if (front.version != format_version)
        refuse_journal(file.path(),
                       "the journal has format " + std::to_string(front.version) + ", this program reads format " +
                           std::to_string(format_version),
                       "finish it with the version of Myriad that wrote it, or " + removal_of(file.path()));
    if (front.front_checksum != checksum_before_last_word(front) || front.hash_bytes > longest_text_bytes ||
        front.description_bytes > longest_text_bytes)
        refuse_journal(file.path(), std::string("the head of the journal is damaged") + anew, removal_of(file.path()));
    JournalHeader header{{{std::string(front.hash_bytes, '\0'), std::string(front.description_bytes, '\0')},
                          {front.first_instance, front.instances},
                          front.study_instances},
                         std::string(front.layout_digest.begin(), front.layout_digest.end()),
                         front.replace_result ? IfPresent::replace : IfPresent::refuse,
                         front.values == 0 ? PartialName::first : PartialName::second,
                         front.places_checksum,
                         sizeof front + front.hash_bytes + front.description_bytes};
    Fingerprint& fingerprint = header.identity.fingerprint;
    if (!file.read_at(sizeof front, {std::as_writable_bytes(std::span(fingerprint.hash)),
                                     std::as_writable_bytes(std::span(fingerprint.description))}))
        return {};
    if (front.texts_checksum != checksum_of_texts(fingerprint))
        refuse_journal(file.path(), std::string("the head of the journal is damaged") + anew, removal_of(file.path()));
    return header;
}

std::uint64_t write_journal_header(DiskFile& file, Fingerprint& fingerprint, const Layout& layout, IfPresent if_present,
                                   const ValuesFile& values) {
    HeaderFront front{};
    front.magic = header_magic;
    front.version = format_version;
    front.replace_result = if_present == IfPresent::replace;
    if (fingerprint.description.size() > longest_text_bytes) fingerprint.description.resize(longest_text_bytes);
    front.hash_bytes = fingerprint.hash.size();
    front.description_bytes = fingerprint.description.size();
    const RunIdentity identity = identity_of(fingerprint, layout);
    front.first_instance = identity.instances.first, front.instances = identity.instances.count;
    front.study_instances = identity.study_instances;
    front.values = static_cast<std::uint64_t>(values.name());
    front.places_checksum = values.places_checksum();
    const std::string layout_digest = digest(layout);
    std::copy(layout_digest.begin(), layout_digest.end(), front.layout_digest.begin());
    front.texts_checksum = checksum_of_texts(fingerprint);
    front.front_checksum = checksum_before_last_word(front);
    file.write_at(0, {bytes_of(front), std::as_bytes(std::span(fingerprint.hash)),
                      std::as_bytes(std::span(fingerprint.description))});
    file.sync();
    return sizeof front + front.hash_bytes + front.description_bytes;
}

}  // namespace myriad::results
