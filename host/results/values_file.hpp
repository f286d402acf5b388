// The values of a run while it goes on: a partial file (partial_file.hpp) in which they stand where the finished result
// has them. At the end the rest of the result is written around them, and the file takes the result's name. The values
// are never written again.
//
// The head of the file comes last, when all else is on the disk: without it a file is no result, whatever it holds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/results/disk/disk_file.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/layout/places.hpp"
#include "host/results/partial_file.hpp"
#include "host/results/result_format.hpp"

namespace myriad::results {

class ValuesFile {
  public:
    // Begins a new file, as large as it will be with all values, which take space when they come. UserError (output)
    // where it may not be so large.
    static ValuesFile create(const std::filesystem::path& result_path, PartialName name, const Layout& layout,
                             const std::string& promise);
    // One that is there. Where it has gone, an empty one takes its place, which lacks all values.
    static ValuesFile open(const std::filesystem::path& result_path, PartialName name, const Layout& layout,
                           const std::string& promise);

    PartialName name() const { return name_; }
    const std::filesystem::path& path() const { return file_.path(); }
    std::uint64_t rows() const { return rows_; }
    // Stands for the places, which another version of a library might choose otherwise.
    std::uint64_t places_checksum() const;
    void set_promise(const std::string& promise);

    // The values of a column for the rows. UserError (output) when the disk refuses: those of these rows are then
    // undefined.
    void write(std::size_t column, InstanceRange rows, std::span<const std::byte> values);
    // False where the file ends before.
    bool read(std::size_t column, InstanceRange rows, std::span<std::byte> into) const;
    void sync() { file_.sync(); }

    // With all values written: makes the file the result. UserError (output) when the disk refuses; the values stay as
    // they are and publish() may be tried again.
    void publish(const Frame& frame);
    void remove() noexcept { discard(file_); }

  private:
    ValuesFile(std::filesystem::path result_path, PartialName name, const Layout& layout, Places places,
               std::string promise, DiskFile file);
    std::uint64_t place_of(std::size_t column, InstanceRange rows) const;

    std::filesystem::path result_path_;
    PartialName name_;
    Places places_;
    std::uint64_t rows_;
    std::vector<std::uint64_t> bytes_per_row_;  // [column]
    std::string promise_;
    DiskFile file_;
};

}  // namespace myriad::results
