// Results as HDF5 files.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "host/results/disk/disk_file.hpp"
#include "host/results/hdf5_handle.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_format.hpp"
#include "host/results/virtual_columns.hpp"

namespace myriad::results {

const ResultFormat& hdf5_format();

namespace {

// One random instance is cheap to read, and many chunks are few to list.
constexpr std::uint64_t chunk_bytes = 64u << 10;
constexpr std::uint64_t largest_chunk_bytes = 1u << 30;  // HDF5 takes less than 4 GiB

std::uint64_t power_of_two_at_most(std::uint64_t n) { return n == 0 ? 1 : std::bit_floor(n); }

// Below one chunk the list of chunks takes more than compression spares.
bool is_compressed(const Column& column, const Layout& layout) {
    return layout.compression > 0 && layout.instances * bytes_per_instance(column) >= chunk_bytes;
}
bool is_chunked(const Column& column, const Layout& layout) {
    return column.path.starts_with("/trajectory/") || is_compressed(column, layout);
}

// As many instances as fit into a chunk, at least one. Of an instance that is larger than any chunk slices along its
// leading axes.
std::vector<hsize_t> chunk_shape(const Column& column, std::uint64_t instances) {
    std::vector<hsize_t> shape{instances};
    shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
    std::uint64_t bytes = bytes_per_instance(column);
    const std::uint64_t most = std::min(std::max(bytes, chunk_bytes), largest_chunk_bytes);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (bytes <= most) {
            shape[axis] = std::min<hsize_t>(shape[axis], power_of_two_at_most(most / bytes));
            break;
        }
        shape[axis] = 1;
        bytes /= shape[axis + 1];
    }
    return shape;
}

Handle properties(hid_t type) { return Handle(H5Pcreate(type), H5Pclose); }

void write_strings(hid_t target, const std::vector<std::string>& texts, herr_t (*write)(hid_t, const char* const*)) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    if (!texts.empty()) checked(write(target, pointers.data()));  // HDF5 takes no null pointer for no texts
}

void write_attribute(hid_t object, const std::string& name, const Attribute& attribute) {
    const auto create = [&](hid_t type, const std::vector<std::uint64_t>& shape) {
        return Handle(H5Acreate2(object, name.c_str(), type, hdf5_space(shape), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    };
    const auto write_texts = [](hid_t target, const char* const* texts) {
        return H5Awrite(target, hdf5_string_type(), texts);
    };
    if (const auto* text = std::get_if<std::string>(&attribute))
        write_strings(create(hdf5_string_type(), {}), {*text}, write_texts);
    else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute))
        write_strings(create(hdf5_string_type(), {texts->size()}), *texts, write_texts);
    else if (const auto* real = std::get_if<double>(&attribute))
        checked(H5Awrite(create(H5T_IEEE_F64LE, {}), H5T_NATIVE_DOUBLE, real));
    else
        checked(H5Awrite(create(H5T_STD_I64LE, {}), H5T_NATIVE_INT64, &std::get<std::int64_t>(attribute)));
}

void write_attributes(hid_t object, const Attributes& attributes) {
    for (const auto& [name, attribute] : attributes) write_attribute(object, name, attribute);
}

// One file while it is written; datasets by path.
class Writer {
  public:
    Writer(const std::filesystem::path& path, bool links) {
        // Attributes of a study's size and axes with thousands of datasets need the format of HDF5 1.8, virtual
        // datasets that of 1.10.
        const Handle access = properties(H5P_FILE_ACCESS);
        checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, links ? H5F_LIBVER_LATEST : H5F_LIBVER_V18));
        checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
        file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, without_times(H5P_FILE_CREATE), access), H5Fclose);
    }

    ~Writer() {
        // Nothing is left open after close(); before it, a write has failed.
        for (auto& [path, dataset] : datasets_) dataset.abandon();
        file_.abandon();
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    hid_t root() const { return file_; }

    void create(const Column& column, const Layout& layout, const std::vector<LinkedPart>& links) {
        const std::uint64_t instances = layout.instances;
        create_folders_of(column.path);
        const Handle creation = without_times(H5P_DATASET_CREATE);
        const Handle access = properties(H5P_DATASET_ACCESS);
        if (!links.empty())
            show_parts(creation, column, instances, links);
        else
            checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
        if (links.empty() && is_chunked(column, layout)) {
            const std::vector<hsize_t> chunk = chunk_shape(column, instances);
            checked(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
            if (is_compressed(column, layout)) {
                checked(H5Pset_shuffle(creation));
                checked(H5Pset_deflate(creation, static_cast<unsigned>(layout.compression)));
            }
            // A block may end inside a chunk: the chunk waits for its rest in memory.
            std::uint64_t bytes = bytes_per_element(column.type);
            for (const hsize_t extent : chunk) bytes *= extent;
            checked(H5Pset_chunk_cache(access, 1, 2 * bytes, 1.0));
        }
        std::vector<std::uint64_t> shape{instances};
        shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
        Handle& dataset = datasets_[column.path];
        dataset = Handle(H5Dcreate2(file_, column.path.c_str(), hdf5_type(column.type), hdf5_space(shape), H5P_DEFAULT,
                                    creation, access),
                         H5Dclose);
        write_attributes(dataset, column.attributes);
        name_again(dataset, column.also_at);
    }

    void write(const FixedDataset& fixed) {
        create_folders_of(fixed.path);
        const Handle creation = without_times(H5P_DATASET_CREATE);
        const Handle space = hdf5_space(fixed.shape);
        const auto create = [&](hid_t type) {
            return Handle(H5Dcreate2(file_, fixed.path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                          H5Dclose);
        };
        Handle& dataset = datasets_[fixed.path];
        if (const auto* texts = std::get_if<std::vector<std::string>>(&fixed.values)) {
            dataset = create(hdf5_string_type());
            write_strings(dataset, *texts, [](hid_t target, const char* const* pointers) {
                return H5Dwrite(target, hdf5_string_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers);
            });
        } else {
            // The alternatives of Values stand in the order of ElementType.
            const hid_t type = hdf5_type(static_cast<ElementType>(fixed.values.index()));
            const void* values =
                std::visit([](const auto& v) { return static_cast<const void*>(v.data()); }, fixed.values);
            dataset = create(type);
            checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        }
        write_attributes(dataset, fixed.attributes);
        name_again(dataset, fixed.also_at);
    }

    void write_rows(const Column& column, InstanceRange rows, const std::byte* values) {
        const hid_t dataset = datasets_.at(column.path);
        std::vector<std::uint64_t> count{rows.count};
        count.insert(count.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
        const std::vector<hsize_t> extents(count.begin(), count.end());
        std::vector<hsize_t> start(count.size(), 0);
        start[0] = rows.first;
        const Handle in_file(H5Dget_space(dataset), H5Sclose);
        checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr));
        checked(H5Dwrite(dataset, hdf5_type(column.type), hdf5_space(count), in_file, H5P_DEFAULT, values));
    }

    void name_dimension(const std::string& path, std::size_t axis, const std::string& label,
                        const std::string& scale_path) {
        const hid_t dataset = datasets_.at(path);
        const auto scale = datasets_.find(scale_path);
        const bool attached = scale != datasets_.end() && scale_path != path && rank(scale->second) == 1;
        if (attached) {
            if (checked(H5DSis_scale(scale->second)) == 0) checked(H5DSset_scale(scale->second, label.c_str()));
            checked(H5DSattach_scale(dataset, scale->second, static_cast<unsigned>(axis)));
        }
        checked(H5DSset_label(dataset, static_cast<unsigned>(axis), label.c_str()));
    }

    // The flush does all that a disk may refuse, so that the closes meet no failure.
    void close() {
        checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
        for (auto& [path, dataset] : datasets_) dataset.close();
        datasets_.clear();
        file_.close();
    }

  private:
    // With times of their own in it no two files would be alike.
    static Handle without_times(hid_t type) {
        Handle creation = properties(type);
        checked(H5Pset_obj_track_times(creation, false));
        return creation;
    }
    void name_again(hid_t dataset, const std::string& path) {
        if (!path.empty()) checked(H5Olink(dataset, file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    }
    void create_folders_of(const std::string& path) {
        for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
            if (folders_.insert(path.substr(0, end)).second)
                Handle(H5Gcreate2(file_, path.substr(0, end).c_str(), H5P_DEFAULT, without_times(H5P_GROUP_CREATE),
                                  H5P_DEFAULT),
                       H5Gclose);
    }
    static int rank(hid_t dataset) {
        const Handle space(H5Dget_space(dataset), H5Sclose);
        return checked(H5Sget_simple_extent_ndims(space));
    }

    Handle file_;
    std::set<std::string> folders_;
    std::map<std::string, Handle> datasets_;
};

void name_dimensions(Writer& writer, const Layout& layout, const std::vector<FixedDataset>& fixed) {
    const auto name_all = [&](const std::string& path, std::size_t first_axis, const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            writer.name_dimension(path, first_axis + i, names[i].substr(names[i].rfind('/') + 1), names[i]);
    };
    for (const Column& column : layout.columns) {
        writer.name_dimension(column.path, 0, "instance", "/instance/id");
        name_all(column.path, 1, column.dimension_names);
    }
    for (const FixedDataset& dataset : fixed) name_all(dataset.path, 0, dataset.dimension_names);
}

void write_content(const std::filesystem::path& path, const ResultContent& content) {
    const Layout& layout = content.source.layout();
    Writer writer(path, !content.links.empty());
    write_attributes(writer.root(), content.attributes);
    for (const Column& column : layout.columns) writer.create(column, layout, content.links);
    for (const FixedDataset& dataset : content.fixed) writer.write(dataset);
    name_dimensions(writer, layout, content.fixed);
    if (content.links.empty())
        for_each_block(content.source, [&](InstanceRange rows, const std::vector<std::span<std::byte>>& values) {
            for (std::size_t c = 0; c < values.size(); ++c)
                writer.write_rows(layout.columns[c], rows, values[c].data());
        });
    writer.close();
}

class Hdf5Format final : public ResultFormat {
  public:
    std::string ending() const override { return ".h5"; }

    void write(const std::filesystem::path& path, const ResultContent& content) const override {
        prepare_hdf5();
        try {
            write_content(path, content);
        } catch (const Hdf5Failure& failure) {
            throw WriteFailure(std::string("HDF5 says: ") + failure.what(), failure.error_number);
        }
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
