// One HDF5 file while it is written; datasets by path. All functions throw Hdf5Failure. Only the .cpp files of this
// folder include it.
//
// Columns are created first, so that the places of their values are a function of paths, types and shapes alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/results/hdf5/compressed_column.hpp"
#include "host/results/hdf5_handle.hpp"
#include "host/results/layout/places.hpp"
#include "host/results/result_format.hpp"

namespace myriad::results {

// Whether any column is.
bool is_compressed(const Layout& layout);

class Hdf5Writer {
  public:
    // A file in the memory has no path that the usual driver of HDF5 takes.
    enum class Into { file, file_with_links, memory };
    Hdf5Writer(const std::filesystem::path& path, Into into);
    ~Hdf5Writer();
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    // The datasets of all columns, with room for their values where that is not compressed, but no values.
    void create_columns(const Layout& layout, const std::vector<LinkedPart>& links);
    // After create_columns, of a layout that is not compressed.
    Places places(const Layout& layout) const;
    // All that a file holds beside the values of its columns.
    void describe(const Layout& layout, const std::vector<FixedDataset>& fixed, const Attributes& attributes);
    std::uint64_t file_bytes() const;
    // Blocks of rows follow one another.
    void write_rows(const Column& column, InstanceRange rows, const std::byte* values);
    // The flush does all that a disk may refuse, so that the closes meet no failure.
    void close();

  private:
    void create(const Column& column, const Layout& layout, const std::vector<LinkedPart>& links);
    void write(const FixedDataset& fixed);
    void name_dimension(const std::string& path, std::size_t axis, const std::string& label,
                        const std::string& scale_path);
    void name_again(hid_t dataset, const std::string& path);
    void create_folders_of(const std::string& path);

    Handle file_;
    std::set<std::string> folders_;
    std::map<std::string, Handle> datasets_;
    std::map<std::string, CompressedColumn> compressed_;
};

}  // namespace myriad::results
