#include "host/results/hdf5/compressed_column.hpp"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <stdexcept>
#include <thread>

namespace myriad::results {
namespace {

// The first bytes of all elements, then the second ones: HDF5's filter "shuffle".
void shuffle(const std::byte* values, std::uint64_t elements, std::uint64_t element_bytes, std::byte* shuffled) {
    for (std::uint64_t byte = 0; byte < element_bytes; ++byte)
        for (std::uint64_t i = 0; i < elements; ++i) *shuffled++ = values[i * element_bytes + byte];
}

std::vector<std::byte> deflated(const std::vector<std::byte>& bytes, int level) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::vector<std::byte> result(size);
    if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), level) != Z_OK)
        throw std::bad_alloc();  // the only failure that is left
    result.resize(size);
    return result;
}

}  // namespace

std::uint64_t instances_per_chunk(const Column& column, std::uint64_t instances) {
    const std::uint64_t fit = std::min(instances, compressed_chunk_bytes / bytes_per_instance(column));
    return std::max<std::uint64_t>(1, std::bit_floor(fit));
}

CompressedColumn::CompressedColumn(const Column& column, std::uint64_t instances, int level)
    : axes_(1 + column.shape_per_instance.size()),
      element_bytes_(bytes_per_element(column.type)),
      row_bytes_(bytes_per_instance(column)),
      rows_(instances),
      rows_per_chunk_(instances_per_chunk(column, instances)),
      level_(level) {}

void CompressedColumn::write(hid_t dataset, InstanceRange rows, const std::byte* values) {
    if (rows.first != next_row_) throw std::logic_error("compressed column: rows out of turn");
    next_row_ = rows.end();
    const std::byte* const end = values + rows.count * row_bytes_;
    const std::uint64_t whole = rows_per_chunk_ * row_bytes_;
    std::vector<const std::byte*> chunks;
    if (!waiting_.empty()) {
        const std::uint64_t lacking = whole - waiting_.size();
        const std::byte* const first = values;
        values += std::min<std::uint64_t>(lacking, static_cast<std::uint64_t>(end - values));
        waiting_.insert(waiting_.end(), first, values);
        if (waiting_.size() < whole) return;
        chunks.push_back(waiting_.data());
    }
    for (; static_cast<std::uint64_t>(end - values) >= whole; values += whole) chunks.push_back(values);
    write_chunks(dataset, chunks);
    waiting_.assign(values, end);
}

void CompressedColumn::finish(hid_t dataset) {
    if (next_row_ != rows_) throw std::logic_error("compressed column: rows are missing");
    if (waiting_.empty()) return;
    waiting_.resize(rows_per_chunk_ * row_bytes_);
    write_chunks(dataset, {waiting_.data()});
    waiting_.clear();
}

void CompressedColumn::write_chunks(hid_t dataset, const std::vector<const std::byte*>& chunks) {
    const std::uint64_t bytes = rows_per_chunk_ * row_bytes_;
    std::vector<std::vector<std::byte>> packed(chunks.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> has_failed = false;
    const auto work = [&] {
        try {
            std::vector<std::byte> shuffled(bytes);
            for (std::size_t i = next++; i < chunks.size() && !has_failed; i = next++) {
                shuffle(chunks[i], bytes / element_bytes_, element_bytes_, shuffled.data());
                packed[i] = deflated(shuffled, level_);
            }
        } catch (const std::bad_alloc&) {
            has_failed = true;
        }
    };
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min(cores, chunks.size()); ++i) helpers.emplace_back(work);
    work();
    helpers.clear();
    if (has_failed) throw std::bad_alloc();
    std::vector<hsize_t> at(axes_, 0);
    for (const std::vector<std::byte>& chunk : packed) {
        at[0] = next_chunk_++ * rows_per_chunk_;
        checked(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at.data(), chunk.size(), chunk.data()));
    }
}

}  // namespace myriad::results
