#include "host/results/foreign_file.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/results/virtual_columns.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

constexpr std::size_t deepest_folder = 16;       // a result's datasets stand three folders deep
constexpr std::uint64_t deflate_bound = 1032;    // deflate makes at most 1032 bytes of one
constexpr std::uint64_t most_parts = 1'000'000;  // of a virtual dataset
constexpr std::size_t longest_part_name = 4096;  // as long as a path may be

Handle opened_for_reading(const std::filesystem::path& path) {
    prepare_hdf5();
    return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
}

// "/a/b/c": "/a", "/a/b", "/a/b/c".
template <class Visit>
bool all_prefixes(const std::string& object, Visit visit) {
    for (std::size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
        const std::string prefix = object.substr(0, end);
        if (prefix.empty() || !visit(prefix)) return false;
        if (end == std::string::npos) return true;
    }
}

std::ptrdiff_t depth_of(const std::string& path) { return std::count(path.begin(), path.end(), '/'); }

template <class Read>
std::string text_read_by(Read read) {
    const auto length = static_cast<std::size_t>(checked(read(nullptr, 0)));
    std::string text(std::min(length, longest_part_name) + 1, '\0');
    checked(read(text.data(), text.size()));
    text.resize(text.size() - 1);
    return text;
}

bool is_in_the_folder_or_below(const std::filesystem::path& part, const std::filesystem::path& folder) {
    std::error_code error;
    const auto inside = std::filesystem::canonical(part, error), outside = std::filesystem::canonical(folder, error);
    return !error && std::mismatch(outside.begin(), outside.end(), inside.begin(), inside.end()).first == outside.end();
}

}  // namespace

std::uint64_t checked_product(const std::vector<std::uint64_t>& extents, std::uint64_t bytes,
                              const std::filesystem::path& path, const std::string& object) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t product = bytes;
    for (const std::uint64_t extent : extents) {
        if (extent != 0 && product > most / extent)
            throw UserError(ExitCode::usage_or_input, path.string() + ": " + object,
                            "its shape has more values than any memory holds: the file is damaged",
                            "run the study again");
        product *= extent;
    }
    return product;
}

ForeignFile::ForeignFile(const std::filesystem::path& path) : path_(path), file_(opened_for_reading(path)) {}

void ForeignFile::refuse(const std::string& object, const std::string& what_is_wrong) const {
    throw UserError(ExitCode::usage_or_input, path_.string() + ": " + object, what_is_wrong,
                    "do not trust the file; run the study again");
}

bool ForeignFile::has(const std::string& object) const {
    if (object.size() < 2 || object.front() != '/') return false;
    // HDF5 fails, rather than denying, when a dataset is asked for its children.
    return all_prefixes(object, [&](const std::string& prefix) {
        if (H5Lexists(file_, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
        H5L_info_t link;
        checked(H5Lget_info(file_, prefix.c_str(), &link, H5P_DEFAULT));
        if (link.type != H5L_TYPE_HARD) refuse(prefix, "it is a link to another place or file, and is not followed");
        return true;
    });
}

std::vector<std::string> ForeignFile::datasets() const {
    struct Folder {
        std::string path;
        std::size_t depth;
    };
    const auto take_name = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
        static_cast<std::vector<std::string>*>(into)->emplace_back(name);
        return 0;
    };
    std::vector<std::string> paths;
    std::vector<Folder> folders{{"", 0}};
    std::map<haddr_t, std::size_t> seen;  // where among the paths a dataset stands
    while (!folders.empty()) {
        const Folder folder = std::move(folders.back());
        folders.pop_back();
        std::vector<std::string> names;
        checked(H5Literate(object(folder.path.empty() ? "/" : folder.path), H5_INDEX_NAME, H5_ITER_INC, nullptr,
                           take_name, &names));
        for (const std::string& name : names) {
            const std::string path = folder.path + '/' + name;
            if (!has(path)) continue;
            H5O_info_t info;
            checked(H5Oget_info_by_name(file_, path.c_str(), &info, H5P_DEFAULT));
            const auto [found, is_new] = seen.emplace(info.addr, paths.size());
            if (!is_new) {
                // A dataset with a second name in the root is told by that in its folder.
                if (info.type == H5O_TYPE_DATASET && depth_of(path) > depth_of(paths[found->second]))
                    paths[found->second] = path;
                continue;
            }
            if (info.type == H5O_TYPE_DATASET) paths.push_back(path);
            if (info.type != H5O_TYPE_GROUP) continue;
            if (folder.depth + 1 > deepest_folder)
                refuse(path, "folders stand deeper in each other than in any result");
            folders.push_back({path, folder.depth + 1});
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

Handle ForeignFile::object(const std::string& name) const {
    return Handle(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
}

Handle ForeignFile::dataset(const std::string& name) const {
    if (!has(name)) return {};
    {
        const Handle opened = object(name);
        if (H5Iget_type(opened) != H5I_DATASET) return {};
    }
    Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (checked(H5Pget_external_count(creation)) > 0)
        refuse(name, "its values are kept in other files, which are not read");
    if (checked(H5Pget_layout(creation)) == H5D_VIRTUAL) {
        if (is_part_) refuse(name, "it is a virtual dataset within another one, which is not followed");
        check_parts(creation, name);
    }
    return dataset;
}

void ForeignFile::check_parts(hid_t creation, const std::string& name) const {
    std::size_t count = 0;
    checked(H5Pget_virtual_count(creation, &count));
    if (count > most_parts) refuse(name, "it has more parts than any result");
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    for (std::size_t i = 0; i < count; ++i) {
        const std::string file = path_of_part(text_read_by(
            [&](char* text, std::size_t size) { return H5Pget_virtual_filename(creation, i, text, size); }));
        const std::string source = text_read_by(
            [&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(creation, i, text, size); });
        const std::filesystem::path part = file;
        const bool leads_out = std::find(part.begin(), part.end(), "..") != part.end();
        // HDF5 takes "%b" for a number.
        if (file.empty() || part.is_absolute() || leads_out || source.find('%') != source.npos)
            refuse(name, "a part of it is the file '" + file + "', which is not in the folder of this file or below");
        auto known = parts_.find(file);
        if (known == parts_.end()) {
            std::error_code error;
            if (!std::filesystem::exists(folder / part, error))
                throw UserError(ExitCode::usage_or_input, path_.string() + ": " + name,
                                "a part of it, the file '" + (folder / part).string() + "', is not there",
                                "put it back");
            if (!std::filesystem::is_regular_file(folder / part, error) ||
                !is_in_the_folder_or_below(folder / part, folder))
                refuse(name,
                       "a part of it is the file '" + file + "', which leads out of the folder or is no regular file");
            known = parts_.emplace(file, ForeignFile(folder / part)).first;
            known->second.is_part_ = true;
        }
        const ForeignFile& opened = known->second;
        const Handle values = opened.dataset(source.starts_with('/') ? source : '/' + source);
        if (values < 0) refuse(name, "a part of it, '" + source + "' in the file '" + file + "', is not there");
        opened.extents_of(values, source);
    }
}

std::vector<std::uint64_t> ForeignFile::extents_of(hid_t dataset, const std::string& name) const {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (checked(H5Sget_simple_extent_type(space)) == H5S_NULL) refuse(name, "it holds no values");
    std::vector<hsize_t> extents(static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space))));
    checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    const std::vector<std::uint64_t> shape(extents.begin(), extents.end());
    const Handle type(H5Dget_type(dataset), H5Tclose), creation(H5Dget_create_plist(dataset), H5Pclose);
    const std::uint64_t bytes = checked_product(shape, std::max<std::uint64_t>(H5Tget_size(type), 1), path_, name);
    if (checked(H5Pget_layout(creation)) == H5D_VIRTUAL) return shape;
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    const bool is_filtered = checked(H5Pget_nfilters(creation)) > 0;
    if (stored < (is_filtered ? bytes / deflate_bound : bytes))
        refuse(name, "its shape has more values than the file holds: " + std::to_string(bytes) + " bytes in " +
                         std::to_string(stored));
    return shape;
}

}  // namespace myriad::results
