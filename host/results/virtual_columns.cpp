#include "host/results/virtual_columns.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

namespace myriad::results {

namespace {

// In the name of a part "%b" would count blocks.
std::string with_percents_doubled(const std::string& path) {
    std::string doubled;
    for (const char letter : path) doubled += letter == '%' ? std::string("%%") : std::string(1, letter);
    return doubled;
}

void set_fill_value(hid_t creation, ElementType type) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::int64_t none = -1;
    if (type == ElementType::float64 || type == ElementType::float32)
        checked(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &nan));
    else
        checked(H5Pset_fill_value(creation, H5T_NATIVE_INT64, &none));
}

}  // namespace

void show_parts(hid_t creation, const Column& column, std::uint64_t instances, const std::vector<LinkedPart>& parts) {
    std::vector<std::uint64_t> shape{instances};
    shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
    set_fill_value(creation, column.type);
    for (const LinkedPart& part : parts) {
        const Handle all = hdf5_space(shape);
        std::vector<std::uint64_t> rows = shape;
        rows[0] = part.rows.count;
        const std::vector<hsize_t> count(rows.begin(), rows.end());
        std::vector<hsize_t> start(count.size(), 0);
        start[0] = part.rows.first;
        checked(H5Sselect_hyperslab(all, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
        checked(H5Pset_virtual(creation, all, with_percents_doubled(part.path).c_str(), column.path.c_str(),
                               hdf5_space(rows)));
    }
}

std::string path_of_part(const std::string& name) {
    std::string path;
    for (std::size_t i = 0; i < name.size(); ++i) {
        path += name[i];
        if (name[i] != '%') continue;
        if (i + 1 == name.size() || name[i + 1] != '%') return "";
        ++i;
    }
    return path == "." ? "" : path;
}

std::vector<std::string> parts_shown(hid_t dataset) {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (checked(H5Pget_layout(creation)) != H5D_VIRTUAL) return {};
    std::size_t count = 0;
    checked(H5Pget_virtual_count(creation, &count));
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < count; ++i) {
        const ssize_t length = H5Pget_virtual_filename(creation, i, nullptr, 0);
        if (length < 0) throw_hdf5_failure();
        std::string path(static_cast<std::size_t>(length) + 1, '\0');
        if (H5Pget_virtual_filename(creation, i, path.data(), path.size()) < 0) throw_hdf5_failure();
        path.pop_back();
        paths.push_back(path_of_part(path));
    }
    return paths;
}

std::string objection_to_part(const std::filesystem::path& folder, const std::string& path) {
    const std::filesystem::path part(path);
    if (path.empty() || part.is_absolute() || std::find(part.begin(), part.end(), "..") != part.end())
        return "is not in the folder of this file or below";
    std::error_code error;
    const auto real_folder = std::filesystem::canonical(folder.empty() ? "." : folder, error);
    const auto real_part = error ? real_folder : std::filesystem::canonical(real_folder / part, error);
    if (error) return "is not there";
    const auto inside = std::mismatch(real_folder.begin(), real_folder.end(), real_part.begin(), real_part.end());
    if (inside.first != real_folder.end()) return "leads out of the folder of this file";
    return "";
}

}  // namespace myriad::results
