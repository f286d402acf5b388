// What a run has finished, kept so that a killed run goes on from it: the values in a partial file, at the places where
// the result will have them (values_file.hpp), and the journal `<out>.journal`, an append-only file that says which
// they are. A header (the study, the columns, the file of values) is followed by records. A record names a range of
// instances; it follows their values, counts only when it is complete, and only when its checksum matches the values.
// So a kill at any moment loses nothing that append() had accepted. After a power failure what was appended since the
// last sync (at every append that comes a second or more after the one before) may be missing.
//
// One thread at a time uses a Journal; a lock ensures that one process at a time has it open.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/results/disk/disk_file.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/instance_source.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/layout/run_identity.hpp"
#include "host/results/values_file.hpp"

namespace myriad::results {

// Whether a result or an unfinished run of the same name may be replaced. The old result stays until the new is
// complete.
enum class IfPresent { refuse, replace };

std::filesystem::path journal_path(const std::filesystem::path& result_path);

// What resume() could not use of a journal and its values; the instances are missing again.
struct Discarded {
    std::uint64_t bytes = 0;
    bool is_damage = false;  // more than the last record, which a kill cuts off: a sign of a bad disk
};

class Journal final : public InstanceSource {
  public:
    // Begins an empty journal. UserError (output) when the path cannot be written, when a result or a journal with
    // finished instances is there and must not be replaced, when another run writes it.
    static Journal create(const std::filesystem::path& result_path, const Fingerprint& fingerprint,
                          const Layout& layout, IfPresent if_present);
    // Goes on with a journal, or begins one where none is (a run may be killed before its first instance). A journal of
    // the first instances of this run becomes one of all of them. UserError (usage_or_input) where `objection` has one;
    // (output) where a result is there that it objects to.
    static Journal resume(const std::filesystem::path& result_path, const Fingerprint& fingerprint,
                          const Layout& layout, const Objection& objection = objection_to_another_run);
    // Removes the journal of a run that was killed when its values had become the result already. False where there is
    // nothing to remove. UserError (output) as above.
    static bool remove_behind_result(const std::filesystem::path& result_path);
    Journal(Journal&&) noexcept = default;
    Journal& operator=(Journal&&) = delete;
    ~Journal() override;

    const Layout& layout() const override { return layout_; }
    const Fingerprint& fingerprint() const { return fingerprint_; }
    const std::filesystem::path& result_path() const { return result_path_; }
    IfPresent if_present() const { return if_present_; }
    PartialName values_name() const { return values_.name(); }

    std::vector<InstanceRange> finished() const override;
    std::vector<InstanceRange> missing(std::uint64_t chunk) const;
    std::uint64_t finished_instances() const;
    const Discarded& discarded() const { return discarded_; }

    // columns[c] holds the values of layout().columns[c] for rows [first, first + count), row-major. Throws
    // std::logic_error when sizes do not fit or an instance is there already, UserError when the disk refuses; the
    // journal then ends with its last whole record and append() may be tried again.
    void append(std::uint64_t first, std::uint64_t count, const std::vector<std::span<const std::byte>>& columns);
    void read(std::size_t column, InstanceRange range, std::span<std::byte> into) const override;
    void read(InstanceRange range, const std::vector<std::span<std::byte>>& into) const override;

    void sync();
    // Of a journal with all instances: its values become the result. As ValuesFile::publish.
    void publish(const Frame& frame);
    // Deletes the journal, and the values that were not published: the result is complete. Nothing but destruction may
    // follow.
    void remove();

  private:
    Journal(std::filesystem::path result_path, Fingerprint fingerprint, Layout layout, IfPresent if_present,
            DiskFile file, ValuesFile values);
    static Journal begin(const std::filesystem::path& result_path, const Fingerprint& fingerprint, const Layout& layout,
                         IfPresent if_present, DiskFile file);
    void scan_records(std::uint64_t begin);
    void move_values_to(const Layout& longer);
    std::uint64_t checksum_of(InstanceRange range) const;
    bool overlaps(InstanceRange range) const;
    bool is_finished(InstanceRange range) const;

    std::filesystem::path result_path_;
    Fingerprint fingerprint_;
    Layout layout_;
    IfPresent if_present_;
    DiskFile file_;
    ValuesFile values_;
    std::vector<std::uint64_t> bytes_before_column_;  // per instance; the last entry is bytes_per_instance(layout)
    std::map<std::uint64_t, std::uint64_t> records_;  // numbers of instances, by the first
    std::uint64_t end_ = 0;                           // where the next record begins
    Discarded discarded_;
    std::chrono::steady_clock::time_point last_sync_ = std::chrono::steady_clock::now();
    bool dirty_ = false, published_ = false;
};

}  // namespace myriad::results
