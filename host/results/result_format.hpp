// Output formats: a format is a file of its own and its line in result_format.cpp.
//
// A result is written to its partial file first, whatever the format, and takes its name when it is whole
// (result_file.hpp). A run puts values where the finished file has them, and the rest of the file around them at its
// end; what comes from other files, or is compressed, is written at once. What goes on from a result, replays or merges
// it reads HDF5 (reader.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/results/layout/instance_source.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/layout/places.hpp"

namespace myriad::results {

// A result file whose rows another file shows as its own, by HDF5's virtual datasets.
struct LinkedPart {
    std::string path;  // relative to the folder of the file that shows them; in it or below
    InstanceRange rows;
};

// All that a result holds.
struct ResultContent {
    const InstanceSource& source;  // all of its rows are finished
    const std::vector<FixedDataset>& fixed;
    const Attributes& attributes;          // of the file
    const std::vector<LinkedPart>& links;  // where there are any, the columns show them and hold nothing
};

// A file but for the values of its columns.
struct Frame {
    struct Part {
        std::uint64_t offset;
        std::vector<std::byte> bytes;
    };
    Places places;            // of the values
    std::vector<Part> parts;  // all bytes beside them, from the head of the file on
    std::uint64_t file_bytes = 0;
};

// Why a file could not be written.
struct WriteFailure : std::runtime_error {
    explicit WriteFailure(const std::string& what, int system_error = 0)
        : std::runtime_error(what), error_number(system_error) {}
    int error_number;  // the system's, where the system refused; else 0
};

// As an error of the output; `then` is what a user does once the disk is right again.
[[noreturn]] void throw_output_error(const std::filesystem::path& path, const WriteFailure& failure,
                                     std::uint64_t wanted_bytes, const std::string& then);

class ResultFormat {
  public:
    virtual ~ResultFormat() = default;
    virtual std::string ending() const = 0;  // of the names of its files: ".h5"
    // Whether the places of values are known before the values: not where they are compressed.
    virtual bool has_fixed_places(const Layout& layout) const = 0;
    // In a file without compression, and what stands around the values there. No disk can refuse it. UserError (output)
    // where the file may not become so large, which tells of `path` and of what is to be done; else throws
    // WriteFailure.
    virtual Frame frame(const Layout& layout, const std::vector<FixedDataset>& fixed, const Attributes& attributes,
                        const std::filesystem::path& path, const std::string& then) const = 0;
    // Writes `path`, an empty file. Its bytes are a function of the content, not of how the source is cut, and those of
    // values in the frame of the same content. Throws WriteFailure.
    virtual void write(const std::filesystem::path& path, const ResultContent& content) const = 0;
    // Whether a file is what a killed run leaves, without its head or cut off, or a whole result: the next run removes
    // it.
    virtual bool may_have_left(const std::filesystem::path& path) const = 0;
};

// That of a result's name; HDF5 for a name with another ending.
const ResultFormat& format_of(const std::filesystem::path& result_path);

// For write(): the values of all columns, block by block. Blocks lie on multiples of a power of two that depends on the
// layout alone, so that a format gets the same calls in the same order however the run was cut. Holds some 64 MiB, or
// one instance, where that is more.
using WriteRows = std::function<void(InstanceRange rows, const std::vector<std::span<std::byte>>& columns)>;
void for_each_block(const InstanceSource& source, const WriteRows& write);

}  // namespace myriad::results
