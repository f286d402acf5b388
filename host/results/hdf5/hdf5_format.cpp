// Results as HDF5 files.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "host/results/disk/disk_file.hpp"
#include "host/results/hdf5/hdf5_writer.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_format.hpp"

namespace myriad::results {

const ResultFormat& hdf5_format();

namespace {

// Runs `action` and turns HDF5's failures into those of a format.
template <class Action>
auto guarded(Action action) {
    prepare_hdf5();
    try {
        return action();
    } catch (const Hdf5Failure& failure) {
        throw WriteFailure(std::string("HDF5 says: ") + failure.what(), failure.error_number);
    }
}

// All bytes of a file but those of the values.
std::vector<Frame::Part> parts_around(const Places& places, const DiskFile& file) {
    std::vector<Piece> taken = places.columns;
    std::sort(taken.begin(), taken.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    taken.push_back({file.size(), 0});
    std::vector<Frame::Part> parts;
    std::uint64_t end = 0;
    for (const Piece& piece : taken) {
        if (piece.offset > end) {
            Frame::Part& part = parts.emplace_back(Frame::Part{end, std::vector<std::byte>(piece.offset - end)});
            if (!file.read_at(part.offset, {part.bytes})) throw std::logic_error("HDF5: a file ends before its end");
        }
        end = piece.offset + piece.bytes;
    }
    return parts;
}

class Hdf5Format final : public ResultFormat {
  public:
    std::string ending() const override { return ".h5"; }

    bool has_fixed_places(const Layout& layout) const override { return !is_compressed(layout); }

    // The file that HDF5 makes has gaps in place of the values, so it takes little memory.
    Frame frame(const Layout& layout, const std::vector<FixedDataset>& fixed, const Attributes& attributes,
                const std::filesystem::path& path, const std::string& then) const override {
        Layout plain = layout;
        plain.compression = 0;
        DiskFile file = DiskFile::in_memory(path, then);
        return guarded([&] {
            Frame frame;
            Hdf5Writer writer(file.descriptor_path(), Hdf5Writer::Into::memory);
            writer.create_columns(plain, {});
            frame.places = writer.places(plain);
            writer.describe(plain, fixed, attributes);
            try {
                writer.close();
            } catch (const Hdf5Failure&) {
                file.cut_to(writer.file_bytes());  // says why where HDF5 does not
                throw;
            }
            frame.file_bytes = file.size();
            frame.parts = parts_around(frame.places, file);
            return frame;
        });
    }

    void write(const std::filesystem::path& path, const ResultContent& content) const override {
        guarded([&] {
            const Layout& layout = content.source.layout();
            Hdf5Writer writer(path, content.links.empty() ? Hdf5Writer::Into::file : Hdf5Writer::Into::file_with_links);
            writer.create_columns(layout, content.links);
            writer.describe(layout, content.fixed, content.attributes);
            if (content.links.empty())
                for_each_block(content.source,
                               [&](InstanceRange rows, const std::vector<std::span<std::byte>>& values) {
                                   for (std::size_t c = 0; c < values.size(); ++c)
                                       writer.write_rows(layout.columns[c], rows, values[c].data());
                               });
            writer.close();
        });
    }

    // HDF5 writes the length of a file into its head (superblock 2) twice: that of an empty file first, the true one
    // last.
    bool may_have_left(const std::filesystem::path& path) const override {
        constexpr std::array<unsigned char, 8> signature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
        constexpr std::size_t length_at = 28;
        const DiskFile file(path);
        const std::uint64_t size = file.size();
        std::array<unsigned char, length_at + sizeof(std::uint64_t)> head{};
        file.read_at(0, {std::as_writable_bytes(std::span(head)).first(std::min<std::uint64_t>(size, head.size()))});
        if (std::all_of(head.begin(), head.end(), [](unsigned char byte) { return byte == 0; })) return true;
        if (!std::equal(signature.begin(), signature.end(), head.begin())) return false;
        std::uint64_t length;
        std::memcpy(&length, head.data() + length_at, sizeof length);
        return length != size || identity_of(path).has_value();
    }
};

}  // namespace

const ResultFormat& hdf5_format() {
    static const Hdf5Format format;
    return format;
}

}  // namespace myriad::results
