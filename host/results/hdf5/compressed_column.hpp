// The values of a compressed column on their way into its dataset: chunks of whole instances, shuffled and deflated on
// all cores, as HDF5's own filters would do on one. Only the .cpp files of this folder include it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/results/hdf5_handle.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"

namespace myriad::results {

// One random instance is cheap to read, and many chunks are few to list.
constexpr std::uint64_t compressed_chunk_bytes = 64u << 10;
// How many instances a chunk takes: as many as fit into these bytes, a power of two, or one.
std::uint64_t instances_per_chunk(const Column& column, std::uint64_t instances);

class CompressedColumn {
  public:
    CompressedColumn(const Column& column, std::uint64_t instances, int level);

    // Rows that follow those of the last call, from the first row on. `dataset` has the filters shuffle and deflate.
    // Throws Hdf5Failure. The last instances may wait for the rest of their chunk until finish().
    void write(hid_t dataset, InstanceRange rows, const std::byte* values);
    void finish(hid_t dataset);

  private:
    void write_chunks(hid_t dataset, const std::vector<const std::byte*>& chunks);

    std::size_t axes_;
    std::uint64_t element_bytes_, row_bytes_, rows_, rows_per_chunk_;
    int level_;
    std::uint64_t next_row_ = 0, next_chunk_ = 0;
    std::vector<std::byte> waiting_;  // the beginning of the next chunk
};

}  // namespace myriad::results
