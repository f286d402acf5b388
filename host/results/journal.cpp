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

constexpr std::byte filler{'\n'};                  // in place of what no record is
constexpr std::uint64_t bytes_at_once = 1u << 20;  // read at once

struct Record {
    std::uint64_t magic, first, count, values_checksum, checksum;
    InstanceRange range() const { return {first, count}; }
};

// The rows of `range`, cut so that a column of `row_bytes` is read in blocks.
template <class Visit>
void for_each_block_of(InstanceRange range, std::uint64_t row_bytes, Visit visit) {
    const std::uint64_t block = std::max<std::uint64_t>(1, bytes_at_once / row_bytes);
    for (std::uint64_t first = range.first; first < range.end(); first += block)
        visit(InstanceRange{first, std::min(block, range.end() - first)});
}

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

void remove_journal(const DiskFile& file) {
    std::error_code error;
    if (!std::filesystem::remove(file.path(), error))
        throw_output_error(file.path(), error ? error.value() : ENOENT, 0,
                           "then " + removal_of(file.path()) + "; the result is complete");
    sync_folder_of(file.path());
}

[[noreturn]] void refuse_what_is_no_result(const std::filesystem::path& path) {
    std::string why = "it does not say which run it is of";
    try {
        const Reader reader(path);
    } catch (const UserError& error) {
        why = error.what_is_wrong();
    }
    refuse_journal(path, "there is no unfinished run, and what stands there cannot be gone on with: " + why,
                   "leave out --resume and choose another --out, or move the file away");
}

// What an earlier run left there; open_locked() has refused all else.
void remove_partial(const std::filesystem::path& result_path, PartialName name) {
    std::error_code error;
    std::filesystem::remove(partial_path(result_path, name), error);
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& result_path) {
    return result_path.string() + ".journal";
}

Journal::Journal(std::filesystem::path result_path, Fingerprint fingerprint, Layout layout, IfPresent if_present,
                 DiskFile file, ValuesFile values)
    : result_path_(std::move(result_path)),
      fingerprint_(std::move(fingerprint)),
      layout_(std::move(layout)),
      if_present_(if_present),
      file_(std::move(file)),
      values_(std::move(values)) {
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
    return begin(result_path, fingerprint, layout, if_present, std::move(file));
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
        if (!standing) refuse_what_is_no_result(result_path);
        refuse_journal(result_path, "there is no unfinished run; this file is there already",
                       "leave out --resume and choose another --out, or replace it with --overwrite");
    };
    if (result_is_there && !result_is_ours && !is_there(path)) refuse_a_finished_run();
    DiskFile file = open_locked(result_path);
    const auto header = read_journal_header(file);
    if (!header) {
        if (result_is_there && !result_is_ours) refuse_a_finished_run();
        return begin(result_path, fingerprint, layout, result_is_ours ? IfPresent::replace : IfPresent::refuse,
                     std::move(file));
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
    Layout stored = layout;
    stored.instances = theirs.instances.count, stored.study_instances = theirs.study_instances;
    ValuesFile values = ValuesFile::open(result_path, header->values, stored, promise_of_resuming);
    if (values.places_checksum() != header->places_checksum)
        throw UserError(ExitCode::usage_or_input, path.string(),
                        "the unfinished run (" + theirs.fingerprint.description +
                            ") has its values at other places than this program's version of HDF5 gives them",
                        remedy);
    // The header keeps the words of the first start, and with them its length: it is written over in one piece.
    Journal journal(result_path, {fingerprint.hash, theirs.fingerprint.description}, stored,
                    result_is_ours ? IfPresent::replace : header->if_present, std::move(file), std::move(values));
    journal.file_.set_promise(promise_of_resuming);
    journal.scan_records(header->bytes);
    if (theirs.instances.count != ours.instances.count) {
        if (theirs.fingerprint.hash.size() != fingerprint.hash.size())
            throw std::logic_error("journal: the fingerprint of a longer run has another length");
        journal.move_values_to(layout);
    }
    journal.fingerprint_.description = fingerprint.description;
    journal.layout_ = layout;
    remove_partial(result_path, other(journal.values_.name()));
    return journal;
}

bool Journal::remove_behind_result(const std::filesystem::path& result_path) {
    if (!is_there(journal_path(result_path)) || !is_there(result_path)) return false;
    const DiskFile file = open_locked(result_path);
    const auto header = read_journal_header(file);
    if (!header || is_there(partial_path(result_path, header->values))) return false;
    const auto standing = identity_of(result_path);
    if (!standing || !objection_to_another_run(header->identity, *standing).empty()) return false;
    remove_journal(file);
    return true;
}

// The values first: a header says that they are there.
Journal Journal::begin(const std::filesystem::path& result_path, const Fingerprint& fingerprint, const Layout& layout,
                       IfPresent if_present, DiskFile file) {
    const std::filesystem::path path = file.path();
    try {
        if (file.size() > 0) file.cut_to(0);
        for (const PartialName name : partial_names) remove_partial(result_path, name);
        ValuesFile values = ValuesFile::create(result_path, PartialName::first, layout, "then run again");
        Journal journal(result_path, fingerprint, layout, if_present, std::move(file), std::move(values));
        try {
            journal.end_ =
                write_journal_header(journal.file_, journal.fingerprint_, layout, if_present, journal.values_);
        } catch (const UserError&) {
            journal.values_.remove();
            throw;
        }
        sync_folder_of(path);
        journal.file_.set_promise(promise_of_resuming);
        journal.values_.set_promise(promise_of_resuming);
        return journal;
    } catch (const UserError&) {
        std::error_code error;
        std::filesystem::remove(path, error);
        throw;
    }
}

// What is no record, or one whose values do not match it, is written over: values that are computed again may match.
void Journal::scan_records(std::uint64_t begin) {
    std::vector<std::byte> log(file_.size() - begin);
    file_.read_at(begin, {log});
    const auto magic = bytes_of(record_magic);
    auto kept = log.begin();  // the end of the last record that counts
    const auto discard_until = [&](std::vector<std::byte>::iterator end) {
        const auto lost = (end - kept) - std::count(kept, end, filler);
        std::fill(kept, end, filler);
        discarded_.bytes += static_cast<std::uint64_t>(lost);
        return lost > 0;
    };
    bool is_changed = false;
    for (auto at = log.begin();;) {
        at = std::search(at, log.end(), magic.begin(), magic.end());
        if (log.end() - at < static_cast<std::ptrdiff_t>(sizeof(Record))) break;
        Record record;
        std::memcpy(&record, &*at, sizeof record);
        const InstanceRange range = record.range();
        const bool fits = record.checksum == checksum_before_last_word(record) && range.count > 0 &&
                          range.first < values_.rows() && range.count <= values_.rows() - range.first &&
                          !overlaps(range);
        if (!fits) {
            ++at;
            continue;
        }
        if (checksum_of(range) != record.values_checksum) {
            discarded_.bytes += range.count * bytes_before_column_.back();
            discarded_.is_damage = true;
            ++at;
            continue;
        }
        if (discard_until(at)) discarded_.is_damage = is_changed = true;
        records_[range.first] = range.count;
        at += sizeof record;
        kept = at;
    }
    end_ = begin + static_cast<std::uint64_t>(kept - log.begin());
    if (log.end() - kept >= static_cast<std::ptrdiff_t>(sizeof(Record))) discarded_.is_damage = true;
    discard_until(log.end());
    if (is_changed) file_.write_at(begin, {std::span<const std::byte>(log.begin(), kept)});
    if (file_.size() > end_) file_.cut_to(end_);
}

// A longer run has its values at other places: they are copied to a file of their own, and the header names that.
void Journal::move_values_to(const Layout& longer) {
    ValuesFile target = ValuesFile::create(result_path_, other(values_.name()), longer, promise_of_resuming);
    try {
        std::vector<std::byte> buffer;
        for (const InstanceRange& range : finished())
            for (std::size_t c = 0; c < layout_.columns.size(); ++c)
                for_each_block_of(range, bytes_per_instance(layout_.columns[c]), [&](InstanceRange rows) {
                    buffer.resize(rows.count * bytes_per_instance(layout_.columns[c]));
                    read(c, rows, buffer);
                    target.write(c, rows, buffer);
                });
        target.sync();
    } catch (const UserError&) {
        target.remove();
        throw;
    }
    write_journal_header(file_, fingerprint_, longer, if_present_, target);
    values_ = std::move(target);
}

// Of the values of a range in the file, column by column; of what is not there none that a record would have.
std::uint64_t Journal::checksum_of(InstanceRange range) const {
    Checksum checksum;
    std::vector<std::byte> buffer;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
        const std::uint64_t row_bytes = bytes_per_instance(layout_.columns[c]);
        for_each_block_of(range, row_bytes, [&](InstanceRange rows) {
            buffer.resize(rows.count * row_bytes);
            if (values_.read(c, rows, buffer)) checksum.add(buffer);
        });
    }
    return checksum.value();
}

bool Journal::overlaps(InstanceRange range) const {
    const auto after = records_.lower_bound(range.end());
    if (after == records_.begin()) return false;
    const auto last = std::prev(after);
    return last->first + last->second > range.first;
}

std::vector<InstanceRange> Journal::finished() const {
    std::vector<InstanceRange> ranges;
    for (const auto& [first, instances] : records_)
        if (!ranges.empty() && ranges.back().end() == first)
            ranges.back().count += instances;
        else
            ranges.push_back({first, instances});
    return ranges;
}

std::vector<InstanceRange> Journal::missing(std::uint64_t chunk) const {
    return missing_ranges(finished(), layout_.instances, chunk);
}

std::uint64_t Journal::finished_instances() const {
    std::uint64_t count = 0;
    for (const auto& [first, instances] : records_) count += instances;
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
    Record record{record_magic, first, count, 0, 0};
    Checksum checksum;
    for (const auto& column : columns) checksum.add(column);
    record.values_checksum = checksum.value();
    record.checksum = checksum_before_last_word(record);
    dirty_ = true;
    for (std::size_t c = 0; c < columns.size(); ++c) values_.write(c, range, columns[c]);
    try {
        file_.write_at(end_, {bytes_of(record)});
    } catch (const UserError&) {
        try {
            file_.cut_to(end_);
        } catch (const UserError&) {
            // The torn record stays at the end and resume() leaves it out; the first failure is the one to tell.
        }
        throw;
    }
    records_[first] = count;
    end_ += sizeof record;
    if (std::chrono::steady_clock::now() - last_sync_ >= sync_interval) sync();
}

bool Journal::is_finished(InstanceRange range) const {
    auto record = records_.upper_bound(range.first);
    if (record != records_.begin()) --record;
    for (std::uint64_t at = range.first; at < range.end(); ++record) {
        if (record == records_.end() || record->first > at || record->first + record->second <= at) return false;
        at = record->first + record->second;
    }
    return true;
}

void Journal::read(std::size_t column, InstanceRange range, std::span<std::byte> into) const {
    const std::uint64_t bytes = bytes_before_column_.at(column + 1) - bytes_before_column_[column];
    if (into.size() != range.count * bytes) throw std::logic_error("journal: wrong number of bytes to read into");
    if (!is_finished(range)) throw std::logic_error("journal: an instance that is not finished is read");
    if (!values_.read(column, range, into))
        refuse_journal(values_.path(), "the file has become shorter while it is in use", promise_of_resuming);
}

void Journal::read(InstanceRange range, const std::vector<std::span<std::byte>>& into) const {
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) read(c, range, into.at(c));
}

void Journal::sync() {
    if (!dirty_) return;
    values_.sync();
    file_.sync();
    dirty_ = false;
    last_sync_ = std::chrono::steady_clock::now();
}

void Journal::publish(const Frame& frame) {
    values_.publish(frame);
    published_ = true;
}

void Journal::remove() {
    dirty_ = false;
    if (!published_) values_.remove();
    remove_journal(file_);
}

}  // namespace myriad::results
