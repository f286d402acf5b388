// The content of a result file: columns (one value or array per instance) and fixed datasets (axes, statistics), each
// with its attributes. Bytes are little-endian and row-major everywhere; a column of n instances has the shape [n,
// shape...].
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace myriad::results {

enum class ElementType : std::uint8_t { float64, float32, int64, int32 };

constexpr std::uint64_t bytes_per_element(ElementType type) {
    switch (type) {
        case ElementType::float64:
        case ElementType::int64:
            return 8;
        case ElementType::float32:
        case ElementType::int32:
            return 4;
    }
    return 0;
}

template <class T>
constexpr ElementType element_type_of = [] {
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::int32_t>);
    if (std::is_same_v<T, double>) return ElementType::float64;
    if (std::is_same_v<T, float>) return ElementType::float32;
    return std::is_same_v<T, std::int64_t> ? ElementType::int64 : ElementType::int32;
}();

using Attribute = std::variant<std::string, double, std::int64_t, std::vector<std::string>>;
using Attributes = std::map<std::string, Attribute>;

// A dimension name that is the path of a one-dimensional dataset of the same file ("/trajectory/time") attaches that
// dataset as the axis' dimension scale and labels the axis with the last part of the path; any other name is a label.
struct Column {
    std::string path;  // "/state/final/position"
    ElementType type = ElementType::float64;
    std::vector<std::uint64_t> shape_per_instance = {};  // empty: one number per instance
    Attributes attributes = {};
    std::vector<std::string> dimension_names = {};  // of shape_per_instance, or empty; the first axis is the instance
    std::string also_at = {};                       // another path of the same dataset: "/id"
};

struct FixedDataset {
    using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                                std::vector<std::int32_t>, std::vector<std::string>>;
    std::string path;
    std::vector<std::uint64_t> shape;  // empty: one value
    Values values;
    Attributes attributes = {};
    std::vector<std::string> dimension_names = {};
    std::string also_at = {};
};

// A file may hold a range of a study's instances: row r of every column is then instance first_instance + r.
struct Layout {
    std::uint64_t instances = 0;  // rows
    std::vector<Column> columns;
    std::uint64_t first_instance = 0;
    std::uint64_t study_instances = 0;  // of the whole study; 0: as many as rows
    int compression = 0;                // of the columns in a file that can: 0, none, to 9
};

std::uint64_t bytes_per_instance(const Column& column);
std::uint64_t bytes_per_instance(const Layout& layout);

// Throws UserError when a path is malformed, used twice, or would make a dataset a folder (paths carry names that a
// user chose), and std::logic_error when an extent is zero or does not fit the values. `fixed` may be empty.
void check(const Layout& layout, const std::vector<FixedDataset>& fixed);

// Text of 32 hexadecimal digits over everything that decides the bytes of an instance: paths, types, shapes.
std::string digest(const Layout& layout);

}  // namespace myriad::results
