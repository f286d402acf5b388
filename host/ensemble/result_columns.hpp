// Between a backend's chunk and a result file: which columns a study has, and the bytes of a chunk in their order.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"
#include "host/study/study.hpp"
#include "host/study/task.hpp"

namespace myriad::ensemble {

// The columns that a result of a range of this study's instances has. Numbers of an fp32 study are stored as float32,
// except parameters and times.
results::Layout result_layout(const study::Study& study, results::InstanceRange range);

// The axes and names that go with them: /trajectory/time and the component names.
std::vector<results::FixedDataset> result_axes(const study::Study& study);

// The bytes of a finished chunk, column by column, as Journal::append takes them. `varied` is [parameter][count] and
// `runs` says how often each instance was run ([count], 1 unless it was retried).
class ChunkColumns {
  public:
    explicit ChunkColumns(const study::Study& study) : study_(study) {}
    void fill(std::uint64_t first, const backends::Chunk& chunk, const std::vector<double>& varied,
              const std::vector<std::int32_t>& runs);
    std::vector<std::span<const std::byte>> spans() const;

  private:
    template <class Stored, class Value>
    void add(std::uint64_t count, std::uint64_t per_instance, const Value& value);
    template <class Value>
    void add_number(std::uint64_t count, std::uint64_t per_instance, const Value& value);

    const study::Study& study_;
    std::vector<std::vector<std::byte>> columns_;
    std::size_t next_ = 0;
};

// The names that /instance/detail of a mechanism counts: its constraint rows, then its contacts.
std::vector<std::string> detail_names(const mechanism::Mechanism& mechanism);

// The position of a column in the layout, by its path; the column exists.
std::size_t column_of(const results::Layout& layout, const std::string& path);

// "/instance/certificate/energy_drift", ".../angular_momentum_z_drift", ".../constraint_residual_largest",
// ".../newton_iterations"; of a drift also where it started, ".../energy_initial".
std::string certificate_path(const study::CertificateEntry& entry);
std::string initial_path(const study::CertificateEntry& entry);

}  // namespace myriad::ensemble
