#include "host/results/hdf5/hdf5_writer.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "host/results/virtual_columns.hpp"

namespace myriad::results {
namespace {

constexpr std::uint64_t largest_chunk_bytes = 1u << 30;  // HDF5 takes less than 4 GiB

// A column of less than a chunk gains nothing. Other columns stand in one piece, in which an instance has its place by
// its number: HDF5's list of many chunks takes time that grows with their square.
bool is_compressed(const Column& column, const Layout& layout) {
    const std::uint64_t bytes = bytes_per_instance(column);
    return layout.compression > 0 && layout.instances * bytes >= compressed_chunk_bytes && bytes <= largest_chunk_bytes;
}

std::vector<std::uint64_t> shape_of(const Column& column, std::uint64_t instances) {
    std::vector<std::uint64_t> shape{instances};
    shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
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

// With times of their own in it no two files would be alike.
Handle without_times(hid_t type) {
    Handle creation = properties(type);
    checked(H5Pset_obj_track_times(creation, false));
    return creation;
}

int rank(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    return checked(H5Sget_simple_extent_ndims(space));
}

}  // namespace

bool is_compressed(const Layout& layout) {
    return std::any_of(layout.columns.begin(), layout.columns.end(),
                       [&](const Column& column) { return is_compressed(column, layout); });
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path, Into into) {
    // Attributes of a study's size and axes with thousands of datasets need the format of HDF5 1.8, virtual
    // datasets that of 1.10.
    const Handle access = properties(H5P_FILE_ACCESS);
    checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18,
                                 into == Into::file_with_links ? H5F_LIBVER_LATEST : H5F_LIBVER_V18));
    if (into == Into::memory) checked(H5Pset_fapl_stdio(access));
    checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
    file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, without_times(H5P_FILE_CREATE), access), H5Fclose);
}

Hdf5Writer::~Hdf5Writer() {
    // Nothing is left open after close(); before it, a write has failed.
    for (auto& [path, dataset] : datasets_) dataset.abandon();
    file_.abandon();
}

void Hdf5Writer::create_columns(const Layout& layout, const std::vector<LinkedPart>& links) {
    for (const Column& column : layout.columns) create(column, layout, links);
}

void Hdf5Writer::create(const Column& column, const Layout& layout, const std::vector<LinkedPart>& links) {
    const std::uint64_t instances = layout.instances;
    create_folders_of(column.path);
    const Handle creation = without_times(H5P_DATASET_CREATE);
    if (!links.empty()) {
        show_parts(creation, column, instances, links);
    } else {
        checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
        if (!is_compressed(column, layout)) checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
    }
    if (links.empty() && is_compressed(column, layout)) {
        const std::vector<std::uint64_t> chunk = shape_of(column, instances_per_chunk(column, instances));
        const std::vector<hsize_t> extents(chunk.begin(), chunk.end());
        checked(H5Pset_chunk(creation, static_cast<int>(extents.size()), extents.data()));
        checked(H5Pset_shuffle(creation));
        checked(H5Pset_deflate(creation, static_cast<unsigned>(layout.compression)));
        compressed_.emplace(column.path, CompressedColumn(column, instances, layout.compression));
    }
    datasets_[column.path] =
        Handle(H5Dcreate2(file_, column.path.c_str(), hdf5_type(column.type), hdf5_space(shape_of(column, instances)),
                          H5P_DEFAULT, creation, H5P_DEFAULT),
               H5Dclose);
}

Places Hdf5Writer::places(const Layout& layout) const {
    Places places;
    for (const Column& column : layout.columns) {
        const haddr_t offset = H5Dget_offset(datasets_.at(column.path));
        if (offset == HADDR_UNDEF) throw_hdf5_failure();
        places.columns.push_back({offset, layout.instances * bytes_per_instance(column)});
        places.end = std::max(places.end, offset + places.columns.back().bytes);
    }
    return places;
}

void Hdf5Writer::describe(const Layout& layout, const std::vector<FixedDataset>& fixed, const Attributes& attributes) {
    write_attributes(file_, attributes);
    for (const Column& column : layout.columns) {
        const Handle& dataset = datasets_.at(column.path);
        write_attributes(dataset, column.attributes);
        name_again(dataset, column.also_at);
    }
    for (const FixedDataset& dataset : fixed) write(dataset);
    const auto name_all = [&](const std::string& path, std::size_t first_axis, const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            name_dimension(path, first_axis + i, names[i].substr(names[i].rfind('/') + 1), names[i]);
    };
    for (const Column& column : layout.columns) {
        name_dimension(column.path, 0, "instance", "/instance/id");
        name_all(column.path, 1, column.dimension_names);
    }
    for (const FixedDataset& dataset : fixed) name_all(dataset.path, 0, dataset.dimension_names);
}

void Hdf5Writer::write(const FixedDataset& fixed) {
    create_folders_of(fixed.path);
    const Handle creation = without_times(H5P_DATASET_CREATE);
    const Handle space = hdf5_space(fixed.shape);
    const auto create = [&](hid_t type) {
        return Handle(H5Dcreate2(file_, fixed.path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
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
        const void* values = std::visit([](const auto& v) { return static_cast<const void*>(v.data()); }, fixed.values);
        dataset = create(type);
        checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    write_attributes(dataset, fixed.attributes);
    name_again(dataset, fixed.also_at);
}

std::uint64_t Hdf5Writer::file_bytes() const {
    hsize_t bytes = 0;
    checked(H5Fget_filesize(file_, &bytes));
    return bytes;
}

void Hdf5Writer::write_rows(const Column& column, InstanceRange rows, const std::byte* values) {
    const hid_t dataset = datasets_.at(column.path);
    if (const auto compressed = compressed_.find(column.path); compressed != compressed_.end())
        return compressed->second.write(dataset, rows, values);
    const std::vector<std::uint64_t> count = shape_of(column, rows.count);
    const std::vector<hsize_t> extents(count.begin(), count.end());
    std::vector<hsize_t> start(count.size(), 0);
    start[0] = rows.first;
    const Handle in_file(H5Dget_space(dataset), H5Sclose);
    checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr));
    checked(H5Dwrite(dataset, hdf5_type(column.type), hdf5_space(count), in_file, H5P_DEFAULT, values));
}

void Hdf5Writer::name_dimension(const std::string& path, std::size_t axis, const std::string& label,
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

void Hdf5Writer::close() {
    for (auto& [path, column] : compressed_) column.finish(datasets_.at(path));
    checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    for (auto& [path, dataset] : datasets_) dataset.close();
    datasets_.clear();
    file_.close();
}

void Hdf5Writer::name_again(hid_t dataset, const std::string& path) {
    if (!path.empty()) checked(H5Olink(dataset, file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT));
}

void Hdf5Writer::create_folders_of(const std::string& path) {
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
        if (folders_.insert(path.substr(0, end)).second)
            Handle(H5Gcreate2(file_, path.substr(0, end).c_str(), H5P_DEFAULT, without_times(H5P_GROUP_CREATE),
                              H5P_DEFAULT),
                   H5Gclose);
}

}  // namespace myriad::results
