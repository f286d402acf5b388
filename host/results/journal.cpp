#include "host/results/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/results/journal_header.hpp"
#include "host/results/partial_file.hpp"
#include "host/results/reader.hpp"
#include "host/text/checksum.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

constexpr std::uint64_t record_magic = 0x0a64726f636572ffu;  // the bytes ff "record" newline
constexpr auto sync_interval = std::chrono::seconds(1);
const char* const promise_of_resuming = "then run again with --resume: what is finished is kept in the journal";

struct RecordHeader {
    std::uint64_t magic, first, count, payload_bytes, payload_checksum, header_checksum;
};

// The journal, once no other run holds it and the result can take its place at the end of hours of computing.
DiskFile open_locked(const std::filesystem::path& result_path) {
    const std::filesystem::path path = journal_path(result_path);
    // A second try is for the run that finishes and removes its journal while we open it.
    for (int attempt = 0; attempt < 2; ++attempt) {
        DiskFile file(path);
        if (!file.lock()) continue;
        try {
            refuse_a_foreign_partial(result_path);
        } catch (const UserError&) {
            std::error_code error;
            if (file.size() == 0) std::filesystem::remove(path, error);
            throw;
        }
        return file;
    }
    throw UserError(ExitCode::output, path.string(), "another run is writing this journal",
                    "wait until it has ended, or choose another --out");
}

bool is_there(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

void refuse_what_is_no_result_path(const std::filesystem::path& path) {
    if (!path.has_filename()) throw_output_error(path, EISDIR, 0, "");
    refuse_what_is_no_file(path, "name a file with --out");
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& result_path) {
    return result_path.string() + ".journal";
}

Journal::Journal(std::filesystem::path result_path, Fingerprint fingerprint, Layout layout, IfPresent if_present,
                 DiskFile file)
    : result_path_(std::move(result_path)),
      fingerprint_(std::move(fingerprint)),
      layout_(std::move(layout)),
      if_present_(if_present),
      file_(std::move(file)) {
    std::uint64_t bytes = 0;
    for (const Column& column : layout_.columns) {
        bytes_before_column_.push_back(bytes);
        bytes += bytes_per_instance(column);
    }
    bytes_before_column_.push_back(bytes);
}

Journal::~Journal() {
    try {
        sync();
    } catch (const UserError&) {
        // A destructor has nobody to tell; append() and sync() tell of every failure before.
    }
}

Journal Journal::create(const std::filesystem::path& result_path, const Fingerprint& fingerprint, const Layout& layout,
                        IfPresent if_present) {
    check(layout, {});
    refuse_what_is_no_result_path(result_path);
    if (if_present == IfPresent::refuse && is_there(result_path))
        refuse_journal(result_path, "a file of this name is there already",
                       "choose another --out, or replace it with --overwrite");
    DiskFile file = open_locked(result_path);
    const auto header = read_journal_header(file);
    if (header && if_present == IfPresent::refuse && file.size() > header->bytes)
        refuse_journal(file.path(), "an unfinished run is there already: " + header->identity.fingerprint.description,
                       "finish it with --resume, choose another --out, or replace it with --overwrite");
    Journal journal(result_path, fingerprint, layout, if_present, std::move(file));
    journal.begin();
    return journal;
}

Journal Journal::resume(const std::filesystem::path& result_path, const Fingerprint& fingerprint, const Layout& layout,
                        const Objection& objection) {
    check(layout, {});
    refuse_what_is_no_result_path(result_path);
    const auto path = journal_path(result_path);
    const RunIdentity ours = identity_of(fingerprint, layout);
    const bool result_is_there = is_there(result_path);
    const auto standing = result_is_there ? identity_of(result_path) : std::nullopt;
    const bool result_is_ours = standing && objection(*standing, ours).empty();
    const auto refuse_a_finished_run = [&] {
        refuse_journal(result_path, "there is no unfinished run; this file is there already",
                       "leave out --resume and choose another --out, or replace it with --overwrite");
    };
    if (result_is_there && !result_is_ours && !is_there(path)) refuse_a_finished_run();
    DiskFile file = open_locked(result_path);
    const auto header = read_journal_header(file);
    if (!header) {
        if (result_is_there && !result_is_ours) refuse_a_finished_run();
        Journal journal(result_path, fingerprint, layout, result_is_ours ? IfPresent::replace : IfPresent::refuse,
                        std::move(file));
        journal.begin();
        return journal;
    }
    const RunIdentity& theirs = header->identity;
    const std::string remedy = "run it again as it was begun, choose another --out, or " + removal_of(path);
    if (const std::string why = objection(theirs, ours); !why.empty())
        throw UserError(ExitCode::usage_or_input, path.string(), why, remedy);
    if (header->layout_digest != digest(layout))
        throw UserError(ExitCode::usage_or_input, path.string(),
                        "the unfinished run (" + theirs.fingerprint.description + ") has other columns than this one",
                        remedy);
    if (header->if_present == IfPresent::refuse && result_is_there && !result_is_ours)
        refuse_journal(result_path, "a file of this name is there already, and is not the result of this run",
                       "move it away, then run again with --resume");
    // The header keeps the words of the first start, and with them its length: it is written over in one piece.
    Journal journal(result_path, {fingerprint.hash, theirs.fingerprint.description}, layout,
                    result_is_ours ? IfPresent::replace : header->if_present, std::move(file));
    journal.file_.set_promise(promise_of_resuming);
    if (theirs.instances.count != ours.instances.count) {
        if (theirs.fingerprint.hash.size() != fingerprint.hash.size())
            throw std::logic_error("journal: the fingerprint of a longer run has another length");
        write_journal_header(journal.file_, journal.fingerprint_, journal.layout_, journal.if_present_);
    }
    journal.fingerprint_.description = fingerprint.description;
    journal.scan_records(header->bytes);
    return journal;
}

void Journal::begin() {
    try {
        if (file_.size() > 0) file_.cut_to(0);
        end_ = write_journal_header(file_, fingerprint_, layout_, if_present_);
    } catch (const UserError&) {
        std::error_code error;
        std::filesystem::remove(file_.path(), error);
        throw;
    }
    sync_folder_of(file_.path());
    file_.set_promise(promise_of_resuming);
}

void Journal::scan_records(std::uint64_t begin) {
    const std::uint64_t size = file_.size();
    end_ = begin;
    std::uint64_t kept = begin;
    std::uint64_t torn = size;
    for (std::uint64_t at = next_record(begin); at + sizeof(RecordHeader) <= size;) {
        RecordHeader header;
        if (!file_.read_at(at, {std::as_writable_bytes(std::span(&header, 1))})) break;
        if (header.payload_bytes > size - at - sizeof header) torn = at;
        const std::uint64_t payload = at + sizeof header;
        const InstanceRange range{header.first, header.count};
        const bool fits = range.count > 0 && range.first < layout_.instances &&
                          range.count <= layout_.instances - range.first &&
                          header.payload_bytes == range.count * bytes_before_column_.back() &&
                          header.payload_bytes <= size - payload && !overlaps(range);
        if (!fits || checksum_of(payload, header.payload_bytes) != header.payload_checksum) {
            // Bytes may be missing from it: the next record is looked for from its head on.
            at = next_record(payload);
            continue;
        }
        discarded_.is_damage = discarded_.is_damage || at > end_;
        records_[range.first] = {range.count, payload};
        kept += sizeof header + header.payload_bytes;
        end_ = payload + header.payload_bytes;
        at = next_record(end_);
    }
    discarded_.bytes = size - kept;
    discarded_.is_damage = discarded_.is_damage || (size - end_ >= sizeof(RecordHeader) && torn != end_);
    if (size > end_) file_.cut_to(end_);
}

// Where the next head of a record with a right checksum begins; the end of the file where there is none.
std::uint64_t Journal::next_record(std::uint64_t from) const {
    const std::uint64_t size = file_.size();
    const auto magic = bytes_of(record_magic);
    std::vector<std::byte> buffer;
    while (from + sizeof(RecordHeader) <= size) {
        // Mostly it stands right there.
        const std::uint64_t bytes = buffer.empty() ? sizeof(RecordHeader) : std::uint64_t{1} << 20;
        buffer.resize(std::min(bytes, size - from));
        if (!file_.read_at(from, {buffer})) break;
        for (auto found = buffer.begin();; ++found) {
            found = std::search(found, buffer.end(), magic.begin(), magic.end());
            if (found == buffer.end()) break;
            RecordHeader header;
            const std::uint64_t at = from + static_cast<std::uint64_t>(found - buffer.begin());
            if (at + sizeof header > size) break;
            file_.read_at(at, {std::as_writable_bytes(std::span(&header, 1))});
            if (header.header_checksum == checksum_before_last_word(header)) return at;
        }
        // The magic may lie across the end of what was read.
        from += buffer.size() - (magic.size() - 1);
    }
    return size;
}

std::uint64_t Journal::checksum_of(std::uint64_t offset, std::uint64_t bytes) const {
    std::vector<std::byte> buffer(std::min<std::uint64_t>(bytes, 1u << 20));
    Checksum checksum;
    while (bytes > 0) {
        const std::span part = std::span(buffer).first(std::min<std::uint64_t>(bytes, buffer.size()));
        if (!file_.read_at(offset, {part})) break;
        checksum.add(part);
        offset += part.size();
        bytes -= part.size();
    }
    return checksum.value();
}

bool Journal::overlaps(InstanceRange range) const {
    const auto after = records_.lower_bound(range.end());
    if (after == records_.begin()) return false;
    const auto last = std::prev(after);
    return last->first + last->second.count > range.first;
}

std::vector<InstanceRange> Journal::finished() const {
    std::vector<InstanceRange> ranges;
    for (const auto& [first, record] : records_)
        if (!ranges.empty() && ranges.back().end() == first)
            ranges.back().count += record.count;
        else
            ranges.push_back({first, record.count});
    return ranges;
}

std::vector<InstanceRange> Journal::missing(std::uint64_t chunk) const {
    return missing_ranges(finished(), layout_.instances, chunk);
}

std::uint64_t Journal::finished_instances() const {
    std::uint64_t count = 0;
    for (const auto& [first, record] : records_) count += record.count;
    return count;
}

void Journal::append(std::uint64_t first, std::uint64_t count, const std::vector<std::span<const std::byte>>& columns) {
    const InstanceRange range{first, count};
    if (count == 0 || first >= layout_.instances || count > layout_.instances - first)
        throw std::logic_error("journal: instances outside of the layout");
    if (overlaps(range)) throw std::logic_error("journal: an instance is finished twice");
    if (columns.size() != layout_.columns.size()) throw std::logic_error("journal: wrong number of columns");
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c].size() != count * (bytes_before_column_[c + 1] - bytes_before_column_[c]))
            throw std::logic_error("journal: wrong number of bytes in column " + layout_.columns[c].path);
    RecordHeader header{record_magic, first, count, count * bytes_before_column_.back(), 0, 0};
    Checksum checksum;
    for (const auto& column : columns) checksum.add(column);
    header.payload_checksum = checksum.value();
    header.header_checksum = checksum_before_last_word(header);
    std::vector<std::span<const std::byte>> parts{bytes_of(header)};
    parts.insert(parts.end(), columns.begin(), columns.end());
    try {
        file_.write_at(end_, parts);
    } catch (const UserError&) {
        try {
            file_.cut_to(end_);
        } catch (const UserError&) {
            // The torn record stays at the end and resume() leaves it out; the first failure is the one to tell.
        }
        throw;
    }
    records_[first] = {count, end_ + sizeof header};
    end_ += sizeof header + header.payload_bytes;
    dirty_ = true;
    if (std::chrono::steady_clock::now() - last_sync_ >= sync_interval) sync();
}

template <class Visit>
void Journal::for_each_record_in(InstanceRange range, Visit visit) const {
    auto record = records_.upper_bound(range.first);
    if (record != records_.begin()) --record;
    while (range.count > 0) {
        if (record == records_.end() || record->first > range.first ||
            record->first + record->second.count <= range.first)
            throw std::logic_error("journal: an instance that is not finished is read");
        const std::uint64_t end = std::min(range.end(), record->first + record->second.count);
        visit(InstanceRange{range.first, end - range.first}, range.first - record->first, record->second);
        range = {end, range.end() - end};
        ++record;
    }
}

void Journal::read(std::size_t column, InstanceRange range, std::span<std::byte> into) const {
    const std::uint64_t bytes = bytes_before_column_.at(column + 1) - bytes_before_column_[column];
    if (into.size() != range.count * bytes) throw std::logic_error("journal: wrong number of bytes to read into");
    for_each_record_in(range, [&](InstanceRange part, std::uint64_t skipped, const Record& record) {
        const std::uint64_t offset =
            record.payload_offset + record.count * bytes_before_column_[column] + skipped * bytes;
        if (!file_.read_at(offset, {into.subspan((part.first - range.first) * bytes, part.count * bytes)}))
            refuse_journal(file_.path(), "the journal has become shorter while it is in use", promise_of_resuming);
    });
}

void Journal::read(InstanceRange range, const std::vector<std::span<std::byte>>& into) const {
    std::vector<std::span<std::byte>> parts(layout_.columns.size());
    for_each_record_in(range, [&](InstanceRange part, std::uint64_t, const Record& record) {
        for (std::size_t c = 0; c < parts.size(); ++c) {
            const std::uint64_t bytes = bytes_before_column_[c + 1] - bytes_before_column_[c];
            parts[c] = into.at(c).subspan((part.first - range.first) * bytes, part.count * bytes);
        }
        if (part.count == record.count) {
            if (!file_.read_at(record.payload_offset, parts))
                refuse_journal(file_.path(), "the journal has become shorter while it is in use", promise_of_resuming);
        } else {
            for (std::size_t c = 0; c < parts.size(); ++c) read(c, part, parts[c]);
        }
    });
}

void Journal::sync() {
    if (!dirty_) return;
    file_.sync();
    dirty_ = false;
    last_sync_ = std::chrono::steady_clock::now();
}

void Journal::remove() {
    std::error_code error;
    if (!std::filesystem::remove(file_.path(), error))
        throw_output_error(file_.path(), error ? error.value() : ENOENT, 0,
                           "then " + removal_of(file_.path()) + "; the result is complete");
    dirty_ = false;
    sync_folder_of(file_.path());
}

}  // namespace myriad::results
