// The instances of finished result files as a source of new ones.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "host/results/layout/instance_source.hpp"
#include "host/results/reader.hpp"

namespace myriad::results {

// The layout of a result as its file has it, whichever build wrote it, and its datasets beside columns and statistics:
// the axes.
Layout layout_of(const Reader& reader);
std::vector<FixedDataset> axes_of(const Reader& reader);

class StoredInstances final : public InstanceSource {
  public:
    struct Part {
        std::filesystem::path file;
        InstanceRange instances;  // in the study's numbering, inside of the layout's
    };
    // `parts` by rising instances, none twice. UserError (usage_or_input) where a file lacks a column of the layout or
    // has it with another type or shape.
    StoredInstances(Layout layout, std::vector<Part> parts);

    const Layout& layout() const override { return layout_; }
    std::vector<InstanceRange> finished() const override;
    void read(std::size_t column, InstanceRange rows, std::span<std::byte> into) const override;
    void read(InstanceRange rows, const std::vector<std::span<std::byte>>& into) const override;

  private:
    const Reader& reader(std::size_t part) const;
    void check_columns(std::size_t part) const;

    Layout layout_;
    std::vector<Part> parts_;
    mutable std::map<std::size_t, Reader> open_;  // by part: no more than the system gives file handles for
};

}  // namespace myriad::results
