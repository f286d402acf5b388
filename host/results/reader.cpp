#include "host/results/reader.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "host/results/disk/trial_process.hpp"
#include "host/results/foreign_file.hpp"
#include "host/results/hdf5_handle.hpp"
#include "host/results/journal.hpp"
#include "host/results/result_file.hpp"
#include "host/results/virtual_columns.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

// Every value of `stored` is a value of `wanted`.
bool holds(ElementType wanted, ElementType stored) {
    if (wanted == stored) return true;
    switch (stored) {
        case ElementType::float32:
            return wanted == ElementType::float64;
        case ElementType::int32:
            return wanted == ElementType::float64 || wanted == ElementType::int64;
        default:
            return false;
    }
}

std::optional<ElementType> element_type(hid_t type) {
    for (const ElementType candidate :
         {ElementType::float64, ElementType::float32, ElementType::int64, ElementType::int32})
        if (checked(H5Tequal(type, hdf5_type(candidate))) > 0) return candidate;
    return {};
}

// `read` fills pointers to texts that HDF5 allocated.
template <class ReadTexts>
std::vector<std::string> texts_of(hid_t space, std::uint64_t count, ReadTexts read) {
    std::vector<char*> pointers(count);
    if (pointers.empty()) return {};
    const Handle type = hdf5_string_type();
    checked(read(type, pointers.data()));
    std::vector<std::string> texts;
    for (const char* text : pointers) texts.emplace_back(text ? text : "");
    checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data()));
    return texts;
}

// Nothing for what no attribute of a result is.
std::optional<Attribute> read_attribute(hid_t attribute) {
    constexpr hssize_t most_texts = 1 << 20;
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) return {};
    const bool scalar = checked(H5Sget_simple_extent_ndims(space)) == 0;
    if (H5Tget_class(type) == H5T_STRING && checked(H5Tis_variable_str(type)) > 0) {
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        if (count < 0 || count > most_texts) return {};
        auto texts = texts_of(space, static_cast<std::uint64_t>(count),
                              [&](hid_t memory, char** into) { return H5Aread(attribute, memory, into); });
        if (!scalar) return texts;
        return texts.at(0);
    }
    if (!scalar) return {};
    if (H5Tget_class(type) == H5T_FLOAT) {
        double value;
        checked(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value));
        return value;
    }
    if (H5Tget_class(type) == H5T_INTEGER) {
        std::int64_t value;
        checked(H5Aread(attribute, H5T_NATIVE_INT64, &value));
        return value;
    }
    return {};
}

void refuse(const std::filesystem::path& path, const std::string& what_is_wrong, const std::string& remedy) {
    throw UserError(ExitCode::usage_or_input, path.string(), what_is_wrong, remedy);
}

void refuse_what_cannot_be_a_result(const std::filesystem::path& path) {
    std::error_code error;
    const char* const remedy = "give the path of a result file";
    if (!std::filesystem::exists(path, error)) {
        if (std::filesystem::exists(journal_path(path), error))
            refuse(path, "the run is not finished: there is only its journal", "finish it with run --resume");
        refuse(path, "there is no such file", remedy);
    }
    if (std::filesystem::is_directory(path, error)) refuse(path, "this is a folder", remedy);
    if (!std::filesystem::is_regular_file(path, error)) refuse(path, "this is no regular file", remedy);
    prepare_hdf5();
    if (H5Fis_hdf5(path.c_str()) <= 0) refuse(path, "this is no HDF5 file, or it may not be read", remedy);
}

}  // namespace

struct Reader::Opened {
    ForeignFile file;
    std::uint64_t instances = 0;
    std::vector<std::string> parts;  // that have been looked at, sorted

    // Runs `action` and turns HDF5's failures into one error that names the object.
    template <class Action>
    auto guarded(const std::string& object, Action action) const {
        prepare_hdf5();
        try {
            return action();
        } catch (const Hdf5Failure& failure) {
            throw UserError(ExitCode::usage_or_input, file.path().string() + ": " + object,
                            std::string("it cannot be read: HDF5 says: ") + failure.what(), "run the study again");
        } catch (const std::bad_alloc&) {
            throw UserError(ExitCode::usage_or_input, file.path().string() + ": " + object,
                            "it has more values than fit into the memory", "read it on a machine with more memory");
        }
    }

    Handle dataset(const std::string& name) const {
        if (Handle found = file.dataset(name); found >= 0) {
            for (const std::string& part : parts_shown(found))
                if (!std::binary_search(parts.begin(), parts.end(), part))
                    refuse(file.path(), "dataset '" + name + "' shows rows of '" + part + "', which is no part of it",
                           "merge the parts again");
            return found;
        }
        throw UserError(ExitCode::usage_or_input, file.path().string(), "there is no dataset '" + name + "'",
                        "look at the names with report, or let the study observe it");
    }
};

Reader::Reader(const std::filesystem::path& path) {
    refuse_what_cannot_be_a_result(path);
    // HDF5 1.10 crashes over some damaged files and loops in others: a child process meets them first.
    constexpr TrialLimits limits{.processor_seconds = 3, .wall_seconds = 15};
    const TrialEnd end = try_in_child(limits, [&] { Reader(path, Untried{}).read_a_little_of_everything(); });
    if (end != TrialEnd::by_itself)
        refuse(path,
               std::string("the file is damaged, so that HDF5 ") +
                   (end == TrialEnd::crashed ? "crashes" : "does not come to an end") + " reading it",
               "run the study again");
    open(path);
}

Reader::Reader(const std::filesystem::path& path, Untried) { open(path); }

void Reader::open(const std::filesystem::path& path) {
    try {
        opened_.reset(new Opened{ForeignFile(path), 0, {}});
    } catch (const Hdf5Failure& failure) {
        refuse(path, std::string("the file is damaged: HDF5 says: ") + failure.what(), "run the study again");
    }
    const Attributes root = attributes();
    const auto text = root.find(format_attribute), version = root.find(schema_version_attribute),
               count = root.find(instances_attribute);
    const auto* format = text == root.end() ? nullptr : std::get_if<std::string>(&text->second);
    if (!format || *format != format_name)
        refuse(path, "this HDF5 file is not a result of Myriad", "give the path of a result file");
    const auto* number = version == root.end() ? nullptr : std::get_if<std::int64_t>(&version->second);
    if (!number || *number != schema_version)
        refuse(path,
               "the file has schema version " + (number ? std::to_string(*number) : "unknown") +
                   ", this program reads version " + std::to_string(schema_version),
               "read it with the version of Myriad that wrote it, or run the study again");
    const auto* instances = count == root.end() ? nullptr : std::get_if<std::int64_t>(&count->second);
    if (!instances || *instances < 1) refuse(path, "the number of instances is missing", "run the study again");
    opened_->instances = static_cast<std::uint64_t>(*instances);
    if (const auto parts = root.find(parts_attribute); parts != root.end())
        if (const auto* paths = std::get_if<std::vector<std::string>>(&parts->second)) look_at_parts(*paths);
}

// The parts of a linked file: each there, of the same run, with its own values, one behind the other.
void Reader::look_at_parts(const std::vector<std::string>& paths) {
    const std::filesystem::path folder = path().parent_path();
    const RunIdentity ours = identity();
    std::uint64_t next = ours.instances.first;
    for (const std::string& part_path : paths) {
        const auto refuse_part = [&](const std::string& why) {
            refuse(path(), "its part '" + part_path + "' " + why,
                   "put the part back where it was, or merge the parts again");
        };
        if (const std::string why = objection_to_part(folder, part_path); !why.empty()) refuse_part(why);
        const Reader part(folder / part_path, Untried{});
        if (part.attributes().contains(parts_attribute)) refuse_part("shows values of other files itself");
        const RunIdentity theirs = part.identity();
        if (theirs.fingerprint.hash != ours.fingerprint.hash) refuse_part("is of another run by now");
        if (theirs.instances.first != next || theirs.instances.end() > ours.instances.end())
            refuse_part("holds instances " + text_of(theirs.instances) + " by now, not those from " +
                        std::to_string(next) + " on");
        next = theirs.instances.end();
    }
    if (next != ours.instances.end())
        refuse(path(), "its parts end before instance " + std::to_string(next), "merge the parts again");
    opened_->parts = paths;
    std::sort(opened_->parts.begin(), opened_->parts.end());
}

void Reader::read_a_little_of_everything() const {
    for (const std::string& name : datasets()) {
        try {
            attributes(name);
            dimensions(name);
            if (!type(name))
                read_texts(name);
            else if (const auto extents = shape(name); extents.empty() || extents[0] > 0)
                read_rows<double>(name, 0, 1);
        } catch (const UserError&) {
            // Whoever needs this dataset meets the error again.
        }
    }
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;

std::uint64_t Reader::instances() const { return opened_->instances; }

const std::filesystem::path& Reader::path() const { return opened_->file.path(); }

std::vector<std::string> Reader::datasets() const {
    return opened_->guarded("/", [&] { return opened_->file.datasets(); });
}

bool Reader::has(const std::string& dataset) const {
    return opened_->guarded(dataset, [&] { return opened_->file.has(dataset); });
}

std::vector<std::uint64_t> Reader::shape(const std::string& dataset) const {
    return opened_->guarded(dataset, [&] { return opened_->file.extents_of(opened_->dataset(dataset), dataset); });
}

std::optional<ElementType> Reader::type(const std::string& dataset) const {
    return opened_->guarded(dataset,
                            [&] { return element_type(Handle(H5Dget_type(opened_->dataset(dataset)), H5Tclose)); });
}

std::vector<Dimension> Reader::dimensions(const std::string& name) const {
    return opened_->guarded(name, [&] {
        const Handle dataset = opened_->dataset(name);
        std::vector<Dimension> dimensions(opened_->file.extents_of(dataset, name).size());
        for (unsigned axis = 0; axis < dimensions.size(); ++axis) {
            std::array<char, 256> label{};
            checked(H5DSget_label(dataset, axis, label.data(), label.size()));
            dimensions[axis].name = label.data();
            const auto take_path = [](hid_t, unsigned, hid_t scale, void* into) -> herr_t {
                std::array<char, 1024> path{};
                if (H5Iget_name(scale, path.data(), path.size()) < 0) return -1;
                *static_cast<std::string*>(into) = path.data();
                return 1;
            };
            if (checked(H5DSget_num_scales(dataset, axis)) > 0)
                checked(H5DSiterate_scales(dataset, axis, nullptr, take_path, &dimensions[axis].scale));
        }
        return dimensions;
    });
}

Attributes Reader::attributes(const std::string& object) const {
    if (object != "/" && !has(object)) opened_->dataset(object);
    return opened_->guarded(object, [&] {
        const Handle opened = opened_->file.object(object);
        std::vector<std::string> names;
        const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* into) -> herr_t {
            static_cast<std::vector<std::string>*>(into)->push_back(name);
            return 0;
        };
        checked(H5Aiterate2(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names));
        Attributes attributes;
        for (const std::string& name : names) {
            if (name == "CLASS" || name == "NAME" || name.starts_with("DIMENSION_")) continue;
            const Handle attribute(H5Aopen(opened, name.c_str(), H5P_DEFAULT), H5Aclose);
            if (auto value = read_attribute(attribute)) attributes[name] = std::move(*value);
        }
        return attributes;
    });
}

template <class T>
std::vector<T> Reader::read(const std::string& dataset) const {
    const auto extents = shape(dataset);
    return read_rows<T>(dataset, 0, extents.empty() ? 1 : extents[0]);
}

template <class T>
std::vector<T> Reader::read_rows(const std::string& name, std::uint64_t first, std::uint64_t count) const {
    return opened_->guarded(name, [&] {
        const Handle dataset = opened_->dataset(name);
        const Handle in_file(H5Dget_space(dataset), H5Sclose);
        auto extents = opened_->file.extents_of(dataset, name);
        const auto stored = element_type(Handle(H5Dget_type(dataset), H5Tclose));
        if (!stored || !holds(element_type_of<T>, *stored))
            refuse(path(), "dataset '" + name + "' has values of another type than is asked for",
                   "read it with the version of Myriad that wrote it");
        const std::uint64_t rows = extents.empty() ? 1 : extents[0];
        if (first > rows || count > rows - first)
            refuse(path(),
                   "dataset '" + name + "' has " + std::to_string(rows) + " rows, and no row " +
                       std::to_string(count == 0 ? first : first + count - 1),
                   "ask for an instance that is there");
        if (!extents.empty()) {
            extents[0] = count;
            const std::vector<hsize_t> selected(extents.begin(), extents.end());
            std::vector<hsize_t> start(extents.size(), 0);
            start[0] = first;
            checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, selected.data(), nullptr));
        }
        std::vector<T> values(checked_product(extents, 1, path(), name));
        if (!values.empty())
            checked(H5Dread(dataset, hdf5_type(element_type_of<T>), hdf5_space(extents), in_file, H5P_DEFAULT,
                            values.data()));
        return values;
    });
}

std::vector<std::string> Reader::read_texts(const std::string& name) const {
    return opened_->guarded(name, [&] {
        const Handle dataset = opened_->dataset(name);
        const Handle type(H5Dget_type(dataset), H5Tclose);
        if (H5Tget_class(type) != H5T_STRING || checked(H5Tis_variable_str(type)) == 0)
            refuse(path(), "dataset '" + name + "' holds numbers, not text", "read it as numbers");
        const std::uint64_t count = checked_product(opened_->file.extents_of(dataset, name), 1, path(), name);
        return texts_of(Handle(H5Dget_space(dataset), H5Sclose), count, [&](hid_t memory, char** into) {
            return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, into);
        });
    });
}

#define MYRIAD_READ(T)                                              \
    template std::vector<T> Reader::read(const std::string&) const; \
    template std::vector<T> Reader::read_rows(const std::string&, std::uint64_t, std::uint64_t) const;
MYRIAD_READ(double)
MYRIAD_READ(float)
MYRIAD_READ(std::int64_t)
MYRIAD_READ(std::int32_t)
#undef MYRIAD_READ

RunIdentity Reader::identity() const {
    const Attributes root = attributes();
    const auto text = [&](const char* name) {
        const auto found = root.find(name);
        const auto* value = found == root.end() ? nullptr : std::get_if<std::string>(&found->second);
        return value ? *value : std::string();
    };
    const auto number = [&](const char* name, std::uint64_t otherwise) {
        const auto found = root.find(name);
        const auto* value = found == root.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
        return value && *value >= 0 ? static_cast<std::uint64_t>(*value) : otherwise;
    };
    return {{text(fingerprint_attribute), text(description_attribute)},
            {number(first_instance_attribute, 0), instances()},
            number(study_instances_attribute, instances())};
}

std::optional<RunIdentity> identity_of(const std::filesystem::path& path) {
    try {
        RunIdentity identity = Reader(path).identity();
        if (!identity.fingerprint.hash.empty()) return identity;
    } catch (const UserError&) {
        // Not a result that this program reads, so not one of this run.
    }
    return {};
}

}  // namespace myriad::results
