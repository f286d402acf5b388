// An HDF5 file that anybody may have made or damaged, opened for reading.
//
// HDF5 follows what a file says: links to other files, values kept in other files, extents beyond all memory. A result
// has none of these, so they are refused before HDF5 acts on them. The one exception: a virtual dataset whose parts lie
// in the file's folder or below it, and are themselves neither virtual nor kept elsewhere.
//
// All functions throw UserError (usage_or_input) for what a result may not hold, and Hdf5Failure where HDF5 fails.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/results/hdf5_handle.hpp"

namespace myriad::results {

// Extents times `bytes`; UserError where that is more than any memory.
std::uint64_t checked_product(const std::vector<std::uint64_t>& extents, std::uint64_t bytes,
                              const std::filesystem::path& path, const std::string& object);

class ForeignFile {
  public:
    explicit ForeignFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    hid_t id() const { return file_; }

    bool has(const std::string& object) const;
    // The datasets, each once, in alphabetical order; one with two names by that which stands deeper.
    std::vector<std::string> datasets() const;
    // An invalid handle where there is no dataset of this name.
    Handle dataset(const std::string& name) const;
    Handle object(const std::string& name) const;
    // Empty for one value. UserError for a space without values, or with more than the dataset has bytes for.
    std::vector<std::uint64_t> extents_of(hid_t dataset, const std::string& name) const;

  private:
    void refuse(const std::string& object, const std::string& what_is_wrong) const;
    void check_parts(hid_t creation, const std::string& name) const;

    std::filesystem::path path_;
    Handle file_;
    bool is_part_ = false;
    mutable std::map<std::string, ForeignFile> parts_;  // of virtual datasets, by their name in the file
};

}  // namespace myriad::results
