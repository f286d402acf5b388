#include "host/results/layout/layout.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <span>
#include <stdexcept>

#include "host/text/checksum.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

void refuse(const std::string& path, const std::string& what_is_wrong) {
    throw UserError(ExitCode::usage_or_input, "result dataset '" + path + "'", what_is_wrong,
                    "rename the parameter, channel or quantity that it is made from");
}

void check_path(const std::string& path) {
    if (path.size() < 2 || path.front() != '/') refuse(path, "the path must begin with '/' and name a dataset");
    std::size_t begin = 1;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = std::string_view(path).substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..")
            refuse(path, "the part '" + std::string(part) + "' between slashes is no name");
        begin = end + 1;
    }
}

std::string hexadecimal(std::uint64_t bits) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
    return text;
}

}  // namespace

std::uint64_t bytes_per_instance(const Column& column) {
    std::uint64_t bytes = bytes_per_element(column.type);
    for (const std::uint64_t extent : column.shape_per_instance) bytes *= extent;
    return bytes;
}

std::uint64_t bytes_per_instance(const Layout& layout) {
    std::uint64_t bytes = 0;
    for (const Column& column : layout.columns) bytes += bytes_per_instance(column);
    return bytes;
}

void check(const Layout& layout, const std::vector<FixedDataset>& fixed) {
    if (layout.instances == 0 || layout.columns.empty()) throw std::logic_error("a result needs instances and columns");
    for (const Column& column : layout.columns)
        if (bytes_per_instance(column) == 0 ||
            (!column.dimension_names.empty() && column.dimension_names.size() != column.shape_per_instance.size()))
            throw std::logic_error("column " + column.path + ": an empty extent, or names that do not fit the shape");
    for (const FixedDataset& dataset : fixed) {
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : dataset.shape) elements *= extent;
        const std::size_t given = std::visit([](const auto& values) { return values.size(); }, dataset.values);
        if (elements == 0 || elements != given ||
            (!dataset.dimension_names.empty() && dataset.dimension_names.size() != dataset.shape.size()))
            throw std::logic_error("dataset " + dataset.path + ": values or names that do not fit the shape");
    }

    std::set<std::string> paths;
    const auto add = [&](const std::string& path) {
        check_path(path);
        if (!paths.insert(path).second) refuse(path, "two datasets have this path");
    };
    const auto add_both = [&](const auto& dataset) {
        add(dataset.path);
        if (!dataset.also_at.empty()) add(dataset.also_at);
    };
    for (const Column& column : layout.columns) add_both(column);
    for (const FixedDataset& dataset : fixed) add_both(dataset);
    for (const std::string& path : paths)
        for (std::size_t slash = path.rfind('/'); slash > 0; slash = path.rfind('/', slash - 1))
            if (paths.count(path.substr(0, slash)))
                refuse(path, "'" + path.substr(0, slash) + "' is a dataset and cannot be a folder as well");
}

std::string digest(const Layout& layout) {
    std::string text;
    for (const Column& column : layout.columns) {
        text += column.path + '\n' + std::to_string(static_cast<int>(column.type));
        for (const std::uint64_t extent : column.shape_per_instance) text += ' ' + std::to_string(extent);
        text += '\n';
    }
    Checksum low(1), high(2);
    low.add(std::as_bytes(std::span(text)));
    high.add(std::as_bytes(std::span(text)));
    return hexadecimal(high.value()) + hexadecimal(low.value());
}

}  // namespace myriad::results
