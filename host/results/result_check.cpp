#include "host/results/result_check.hpp"

#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

void refuse(const Reader& reader, const std::string& object, const std::string& what_is_wrong) {
    throw UserError(ExitCode::usage_or_input, reader.path().string() + ": " + object,
                    what_is_wrong + ": the file is damaged", "run the study again");
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (const std::uint64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return shape.empty() ? "one value" : text;
}

const char* text_of(std::optional<ElementType> type) {
    if (!type) return "text";
    switch (*type) {
        case ElementType::float64:
            return "float64";
        case ElementType::float32:
            return "float32";
        case ElementType::int64:
            return "int64";
        case ElementType::int32:
            return "int32";
    }
    return "";
}

}  // namespace

void check_shape(const Reader& reader, const std::string& dataset, const std::vector<std::uint64_t>& shape) {
    const std::vector<std::uint64_t> stored = reader.shape(dataset);
    if (stored != shape) refuse(reader, dataset, "its shape is " + text_of(stored) + " instead of " + text_of(shape));
}

void check_columns(const Reader& reader, const Layout& layout) {
    if (reader.instances() != layout.instances)
        refuse(reader, "/",
               "it says that it has " + std::to_string(reader.instances()) + " instances, and its study has " +
                   std::to_string(layout.instances));
    for (const Column& column : layout.columns) {
        const std::optional<ElementType> type = reader.type(column.path);
        if (type != column.type)
            refuse(reader, column.path,
                   std::string("it holds values of type ") + text_of(type) + " instead of " + text_of(column.type));
        std::vector<std::uint64_t> shape{layout.instances};
        shape.insert(shape.end(), column.shape_per_instance.begin(), column.shape_per_instance.end());
        check_shape(reader, column.path, shape);
    }
}

std::vector<std::int32_t> read_codes(const Reader& reader, const std::string& dataset, std::uint64_t first,
                                     std::uint64_t count, std::int32_t lowest, std::int32_t end) {
    check_shape(reader, dataset, {reader.instances()});
    std::vector<std::int32_t> codes = reader.read_rows<std::int32_t>(dataset, first, count);
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (codes[i] < lowest || codes[i] >= end)
            refuse(reader, dataset,
                   "instance " + std::to_string(first + i) + " has the code " + std::to_string(codes[i]) +
                       ", and codes go from " + std::to_string(lowest) + " to " + std::to_string(end - 1));
    return codes;
}

std::vector<std::string> read_list(const Reader& reader, const std::string& object, const std::string& attribute) {
    const Attributes attributes = reader.attributes(object);
    const auto found = attributes.find(attribute);
    const auto* texts = found == attributes.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->second);
    if (!texts) refuse(reader, object, "its attribute '" + attribute + "' is no list of texts");
    return *texts;
}

}  // namespace myriad::results
