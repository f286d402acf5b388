#include "host/results/stored_instances.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "host/text/user_error.hpp"

namespace myriad::results {

namespace {

constexpr std::size_t most_open_files = 200;
// Datasets that the root has by a second name.
constexpr std::pair<std::string_view, const char*> second_names[] = {{"/instance/id", "/id"},
                                                                     {"/trajectory/time", "/time"}};

template <class T>
void copy_rows(const Reader& reader, const std::string& dataset, InstanceRange rows, std::span<std::byte> into) {
    const std::vector<T> values = reader.read_rows<T>(dataset, rows.first, rows.count);
    if (values.size() * sizeof(T) != into.size()) throw std::logic_error("stored instances: wrong number of bytes");
    std::memcpy(into.data(), values.data(), into.size());
}

void copy_rows(const Reader& reader, const Column& column, InstanceRange rows, std::span<std::byte> into) {
    switch (column.type) {
        case ElementType::float64:
            return copy_rows<double>(reader, column.path, rows, into);
        case ElementType::float32:
            return copy_rows<float>(reader, column.path, rows, into);
        case ElementType::int64:
            return copy_rows<std::int64_t>(reader, column.path, rows, into);
        case ElementType::int32:
            return copy_rows<std::int32_t>(reader, column.path, rows, into);
    }
}

bool is_of_instances(const Reader& reader, const std::string& path) {
    for (const char* folder : {"/instance/", "/parameters/", "/state/", "/quantities/", "/trajectory/"}) {
        if (!path.starts_with(folder)) continue;
        const std::vector<Dimension> dimensions = reader.dimensions(path);
        return !dimensions.empty() && dimensions.front().name == "instance";
    }
    return false;
}

std::string second_name(const std::string& path) {
    for (const auto& [name, second] : second_names)
        if (path == name) return second;
    return "";
}

// HDF5 gives a scale either of its names.
std::string first_name(const std::string& path) {
    for (const auto& [name, second] : second_names)
        if (path == second) return std::string(name);
    return path;
}

std::vector<std::string> names_of(const std::vector<Dimension>& dimensions, std::size_t first) {
    std::vector<std::string> names;
    bool is_named = false;
    for (std::size_t axis = first; axis < dimensions.size(); ++axis) {
        const Dimension& dimension = dimensions[axis];
        names.push_back(dimension.scale.empty() ? dimension.name : first_name(dimension.scale));
        is_named = is_named || !names.back().empty();
    }
    return is_named ? names : std::vector<std::string>();
}

FixedDataset::Values values_of(const Reader& reader, const std::string& path) {
    const std::optional<ElementType> type = reader.type(path);
    if (!type) return reader.read_texts(path);
    switch (*type) {
        case ElementType::float64:
            return reader.read<double>(path);
        case ElementType::float32:
            return reader.read<float>(path);
        case ElementType::int64:
            return reader.read<std::int64_t>(path);
        case ElementType::int32:
            return reader.read<std::int32_t>(path);
    }
    return {};
}

}  // namespace

Layout layout_of(const Reader& reader) {
    const RunIdentity identity = reader.identity();
    Layout layout{identity.instances.count, {}, identity.instances.first, identity.study_instances};
    for (const std::string& path : reader.datasets()) {
        const std::optional<ElementType> type = reader.type(path);
        if (!type || !is_of_instances(reader, path)) continue;
        const std::vector<std::uint64_t> shape = reader.shape(path);
        layout.columns.push_back({path,
                                  *type,
                                  {shape.begin() + 1, shape.end()},
                                  reader.attributes(path),
                                  names_of(reader.dimensions(path), 1),
                                  second_name(path)});
    }
    return layout;
}

std::vector<FixedDataset> axes_of(const Reader& reader) {
    std::vector<FixedDataset> axes;
    for (const std::string& path : reader.datasets())
        if (!is_of_instances(reader, path) && !path.starts_with("/statistics/") && !path.starts_with("/check_step"))
            axes.push_back({path, reader.shape(path), values_of(reader, path), reader.attributes(path),
                            names_of(reader.dimensions(path), 0), second_name(path)});
    return axes;
}

StoredInstances::StoredInstances(Layout layout, std::vector<Part> parts)
    : layout_(std::move(layout)), parts_(std::move(parts)) {
    for (std::size_t part = 0; part < parts_.size(); ++part) check_columns(part);
}

void StoredInstances::check_columns(std::size_t part) const {
    const Reader& file = reader(part);
    const auto refuse = [&](const std::string& what) {
        throw UserError(ExitCode::usage_or_input, parts_[part].file.string(), what,
                        "use the version of Myriad that wrote it, or run the study again");
    };
    if (file.identity().instances != parts_[part].instances) refuse("it holds other instances by now");
    for (const Column& column : layout_.columns) {
        std::vector<std::uint64_t> shape{parts_[part].instances.count};
        shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
        if (file.type(column.path) != column.type || file.shape(column.path) != shape)
            refuse("dataset '" + column.path + "' has another type or shape than this program gives it");
    }
}

const Reader& StoredInstances::reader(std::size_t part) const {
    const auto found = open_.find(part);
    if (found != open_.end()) return found->second;
    if (open_.size() >= most_open_files) open_.clear();
    return open_.emplace(part, Reader(parts_[part].file)).first->second;
}

std::vector<InstanceRange> StoredInstances::finished() const {
    std::vector<InstanceRange> ranges;
    for (const Part& part : parts_) {
        const InstanceRange rows{part.instances.first - layout_.first_instance, part.instances.count};
        if (!ranges.empty() && ranges.back().end() == rows.first)
            ranges.back().count += rows.count;
        else
            ranges.push_back(rows);
    }
    return ranges;
}

void StoredInstances::read(std::size_t column, InstanceRange rows, std::span<std::byte> into) const {
    const std::uint64_t bytes = bytes_per_instance(layout_.columns.at(column));
    if (into.size() != rows.count * bytes) throw std::logic_error("stored instances: wrong number of bytes");
    const std::uint64_t first = layout_.first_instance + rows.first;
    const auto ends_behind = [&](const Part& part) { return part.instances.end() > first; };
    auto part = std::find_if(parts_.begin(), parts_.end(), ends_behind);
    for (std::uint64_t done = 0; done < rows.count; ++part) {
        const std::uint64_t next = first + done;
        if (part == parts_.end() || part->instances.first > next)
            throw std::logic_error("stored instances: an instance that is not there is read");
        const std::uint64_t count = std::min(rows.count - done, part->instances.end() - next);
        copy_rows(reader(static_cast<std::size_t>(part - parts_.begin())), layout_.columns[column],
                  {next - part->instances.first, count}, into.subspan(done * bytes, count * bytes));
        done += count;
    }
}

void StoredInstances::read(InstanceRange rows, const std::vector<std::span<std::byte>>& into) const {
    for (std::size_t column = 0; column < layout_.columns.size(); ++column) read(column, rows, into.at(column));
}

}  // namespace myriad::results
