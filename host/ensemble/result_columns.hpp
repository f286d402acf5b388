// Between a backend's chunk and a result file: which columns a study has, and the bytes of a chunk in their order.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"
#include "host/study/study.hpp"
#include "host/study/task.hpp"

namespace myriad::ensemble {

// Finished instances as a backend gives them, and what the run knows of them beside that.
struct FinishedInstances {
    std::uint64_t first;  // its number in the study
    const backends::Chunk& chunk;
    const std::vector<double>& varied;      // [parameter][chunk.count]
    const std::vector<std::int32_t>& runs;  // how often each was run: 1 unless it was retried
};

// A column of a result beside how it is filled: `fill` writes its bytes for all instances of a chunk.
struct ResultColumn {
    results::Column column;
    std::function<void(const FinishedInstances&, std::byte* out)> fill;
};

// The columns of this study's results that it keeps, in their order; `study` outlives them. Numbers of an fp32 study
// are stored as float32, except parameters, times and the certificate; trajectories as the study asks.
std::vector<ResultColumn> result_columns(const study::Study& study);

// The layout of a result with a range of the study's instances.
results::Layout result_layout(const study::Study& study, results::InstanceRange range);

// The axes that go with them: /trajectory/time, and the names of bodies and components.
std::vector<results::FixedDataset> result_axes(const study::Study& study);

// The bytes of a finished chunk, column by column, as Journal::append takes them.
class ChunkColumns {
  public:
    explicit ChunkColumns(const study::Study& study) : columns_(result_columns(study)), bytes_(columns_.size()) {}
    void fill(const FinishedInstances& finished);
    std::vector<std::span<const std::byte>> spans() const { return {bytes_.begin(), bytes_.end()}; }

  private:
    std::vector<ResultColumn> columns_;
    std::vector<std::vector<std::byte>> bytes_;
};

bool has_column(const results::Layout& layout, const std::string& path);
// Names of the codes of /instance/detail, as the layout has them; none where it has no such column.
std::vector<std::string> stored_detail_names(const results::Layout& layout);
// The position of a column in the layout, by its path; the column exists.
std::size_t column_of(const results::Layout& layout, const std::string& path);

// "/instance/certificate/energy_drift", ".../angular_momentum_z_drift", ".../constraint_residual_largest",
// ".../newton_iterations"; of a drift also where it started, ".../energy_initial".
std::string certificate_path(const study::CertificateEntry& entry);
std::string initial_path(const study::CertificateEntry& entry);

}  // namespace myriad::ensemble
