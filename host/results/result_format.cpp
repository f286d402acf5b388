#include "host/results/result_format.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "host/results/disk/disk_file.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {

const ResultFormat& hdf5_format();

namespace {

constexpr std::uint64_t block_bytes = 64u << 20;  // written at once, all columns together

}  // namespace

const ResultFormat& format_of(const std::filesystem::path& result_path) {
    // The first is that of a name with another ending.
    static const ResultFormat* const formats[] = {
        &hdf5_format(),
    };
    for (const ResultFormat* format : formats)
        if (result_path.extension() == format->ending()) return *format;
    return *formats[0];
}

void throw_output_error(const std::filesystem::path& path, const WriteFailure& failure, std::uint64_t wanted_bytes,
                        const std::string& then) {
    if (failure.error_number != 0) throw_output_error(path, failure.error_number, wanted_bytes, then);
    throw UserError(ExitCode::output, path.string(), std::string("the result could not be written: ") + failure.what(),
                    "check the disk, " + then);
}

void for_each_block(const InstanceSource& source, const WriteRows& write) {
    const Layout& layout = source.layout();
    const std::uint64_t row_bytes = bytes_per_instance(layout);
    const std::uint64_t block =
        std::min(std::bit_floor(std::max<std::uint64_t>(1, block_bytes / row_bytes)), layout.instances);
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(block * row_bytes);
    for (std::uint64_t first = 0; first < layout.instances; first += block) {
        const InstanceRange rows{first, std::min(block, layout.instances - first)};
        std::vector<std::span<std::byte>> values;
        std::byte* next = buffer.get();
        for (const Column& column : layout.columns) {
            values.emplace_back(next, rows.count * bytes_per_instance(column));
            next += values.back().size();
        }
        source.read(rows, values);
        write(rows, values);
    }
}

}  // namespace myriad::results
