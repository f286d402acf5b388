#include "host/results/values_file.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "host/text/checksum.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

// What tells a result from any other file: without it nobody opens it.
constexpr std::uint64_t head_bytes = 64;

Places places_of(const std::filesystem::path& result_path, PartialName name, const Layout& layout,
                 const std::string& promise) {
    const std::filesystem::path path = partial_path(result_path, name);
    try {
        return format_of(result_path).frame(layout, {}, {}, path, promise).places;
    } catch (const WriteFailure& failure) {
        throw_output_error(path, failure, layout.instances * bytes_per_instance(layout), promise);
    }
}

}  // namespace

ValuesFile::ValuesFile(std::filesystem::path result_path, PartialName name, const Layout& layout, Places places,
                       std::string promise, DiskFile file)
    : result_path_(std::move(result_path)),
      name_(name),
      places_(std::move(places)),
      rows_(layout.instances),
      promise_(std::move(promise)),
      file_(std::move(file)) {
    for (const Column& column : layout.columns) bytes_per_row_.push_back(bytes_per_instance(column));
}

ValuesFile ValuesFile::create(const std::filesystem::path& result_path, PartialName name, const Layout& layout,
                              const std::string& promise) {
    Places places = places_of(result_path, name, layout, promise);
    const std::uint64_t end = places.end;
    ValuesFile values(result_path, name, layout, std::move(places), promise, new_partial(result_path, name, promise));
    try {
        values.file_.cut_to(end);
    } catch (const UserError&) {
        values.remove();
        throw;
    }
    return values;
}

ValuesFile ValuesFile::open(const std::filesystem::path& result_path, PartialName name, const Layout& layout,
                            const std::string& promise) {
    return ValuesFile(result_path, name, layout, places_of(result_path, name, layout, promise), promise,
                      DiskFile(partial_path(result_path, name), promise));
}

std::uint64_t ValuesFile::places_checksum() const {
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(places_.columns)));
    return checksum.value();
}

void ValuesFile::set_promise(const std::string& promise) {
    promise_ = promise;
    file_.set_promise(promise);
}

std::uint64_t ValuesFile::place_of(std::size_t column, InstanceRange rows) const {
    if (rows.end() > rows_) throw std::logic_error("values: a row outside of the file");
    return places_.columns.at(column).offset + rows.first * bytes_per_row_[column];
}

void ValuesFile::write(std::size_t column, InstanceRange rows, std::span<const std::byte> values) {
    file_.write_at(place_of(column, rows), {values.first(rows.count * bytes_per_row_[column])});
}

bool ValuesFile::read(std::size_t column, InstanceRange rows, std::span<std::byte> into) const {
    return file_.read_at(place_of(column, rows), {into.first(rows.count * bytes_per_row_[column])});
}

void ValuesFile::publish(const Frame& frame) {
    if (frame.places != places_) throw std::logic_error("values: the result has other places than its values");
    const std::array<std::byte, head_bytes> no_head{};
    const std::span<const std::byte> first = frame.parts.at(0).bytes;
    if (frame.parts[0].offset != 0 || first.size() < head_bytes) throw std::logic_error("values: no room for a head");
    file_.write_at(0, {no_head});
    file_.cut_to(frame.file_bytes);
    file_.write_at(head_bytes, {first.subspan(head_bytes)});
    for (std::size_t i = 1; i < frame.parts.size(); ++i) file_.write_at(frame.parts[i].offset, {frame.parts[i].bytes});
    file_.sync();
    file_.write_at(0, {first.first(head_bytes)});
    results::publish(file_, result_path_, promise_);
}

}  // namespace myriad::results
