// A finished result file, read. It may be anybody's, and damaged: its content is checked before it is believed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/results/layout/layout.hpp"
#include "host/results/layout/run_identity.hpp"

namespace myriad::results {

struct Dimension {
    std::string name;   // "" where the axis has none
    std::string scale;  // path of the dataset that numbers or names the axis; "" where there is none
    friend bool operator==(const Dimension&, const Dimension&) = default;
};

// All functions throw UserError (usage_or_input) when the file or the dataset is not what it should be.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& path);
    ~Reader();
    Reader(Reader&&) noexcept;

    const std::filesystem::path& path() const;
    std::uint64_t instances() const;  // rows
    // The run, and the range of its instances that the rows are.
    RunIdentity identity() const;
    // Paths in alphabetical order.
    std::vector<std::string> datasets() const;
    bool has(const std::string& dataset) const;
    std::vector<std::uint64_t> shape(const std::string& dataset) const;
    // Nothing for text.
    std::optional<ElementType> type(const std::string& dataset) const;
    std::vector<Dimension> dimensions(const std::string& dataset) const;
    // Attributes of the file ("/"), a folder or a dataset; those that HDF5 keeps for dimension scales are left out.
    Attributes attributes(const std::string& object = "/") const;

    // Values row-major. T: double, float, int64, int32; the stored type or a wider one that holds it exactly.
    template <class T>
    std::vector<T> read(const std::string& dataset) const;
    // Rows [first, first + count) along the first axis, for a column: instances.
    template <class T>
    std::vector<T> read_rows(const std::string& dataset, std::uint64_t first, std::uint64_t count) const;
    std::vector<std::string> read_texts(const std::string& dataset) const;

  private:
    void look_at_parts(const std::vector<std::string>& paths);

    struct Opened;
    struct Untried {};
    Reader(const std::filesystem::path& path, Untried);
    void open(const std::filesystem::path& path);
    // All that tells HDF5 where values are, and one row of each dataset.
    void read_a_little_of_everything() const;

    std::unique_ptr<Opened> opened_;
};

// Nothing where there is no result file that this program reads.
std::optional<RunIdentity> identity_of(const std::filesystem::path& path);

}  // namespace myriad::results
