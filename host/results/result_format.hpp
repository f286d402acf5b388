// Output formats: a format is a file of its own and its line in result_format.cpp.
//
// A result is written to its partial file first, whatever the format, and takes its name when it is whole
// (result_file.hpp). What goes on from a result, replays or merges it reads HDF5 (reader.hpp).
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/results/layout/instance_source.hpp"
#include "host/results/layout/layout.hpp"

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

// Why a file could not be written.
struct WriteFailure : std::runtime_error {
    explicit WriteFailure(const std::string& what, int system_error = 0)
        : std::runtime_error(what), error_number(system_error) {}
    int error_number;  // the system's, where the system refused; else 0
};

class ResultFormat {
  public:
    virtual ~ResultFormat() = default;
    virtual std::string ending() const = 0;  // of the names of its files: ".h5"
    // Writes `path`, an empty file. Its bytes are a function of the content, not of how the source is cut. Throws
    // WriteFailure.
    virtual void write(const std::filesystem::path& path, const ResultContent& content) const = 0;
    // Whether a file is what write() leaves when it is killed, or a whole result: the next run removes it.
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
