// Finished instances, column by column: the source of a result file and of statistics. Rows are counted from the first
// instance of the layout.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"

namespace myriad::results {

class InstanceSource {
  public:
    virtual ~InstanceSource() = default;
    virtual const Layout& layout() const = 0;
    // Rows: ascending, disjoint, neighbours merged.
    virtual std::vector<InstanceRange> finished() const = 0;
    // Values of one column, or of all columns (into[c]), for finished rows; into.size() is count * bytes per instance.
    virtual void read(std::size_t column, InstanceRange rows, std::span<std::byte> into) const = 0;
    virtual void read(InstanceRange rows, const std::vector<std::span<std::byte>>& into) const = 0;
};

}  // namespace myriad::results
