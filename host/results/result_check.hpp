// Whether a result holds the right content, before anything is computed from it. All functions throw UserError
// (usage_or_input) that names the dataset, its right form and its actual one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/results/layout/layout.hpp"
#include "host/results/reader.hpp"

namespace myriad::results {

// Number of instances; type and shape of every column.
void check_columns(const Reader& reader, const Layout& layout);

void check_shape(const Reader& reader, const std::string& dataset, const std::vector<std::uint64_t>& shape);

// All values of a dataset that must have this shape.
template <class T>
std::vector<T> read_shaped(const Reader& reader, const std::string& dataset, const std::vector<std::uint64_t>& shape) {
    check_shape(reader, dataset, shape);
    return reader.read<T>(dataset);
}

// One code for each of the instances [first, first + count), each from `lowest` to below `end`.
std::vector<std::int32_t> read_codes(const Reader& reader, const std::string& dataset, std::uint64_t first,
                                     std::uint64_t count, std::int32_t lowest, std::int32_t end);

// An attribute that is a list of texts.
std::vector<std::string> read_list(const Reader& reader, const std::string& object, const std::string& attribute);

}  // namespace myriad::results
