// Samples: the parameters of any instance, from distributions, a design and correlations, or from a table.
//
// A sample is a pure function of the instance's number; drawing is const and safe in many threads at once. Parameter k
// of the list is coordinate k of the design, constants included, so that turning a spread into a constant (or a
// standard deviation into 0) leaves the other parameters' samples alone; inserting a parameter moves those behind it.
// Samples are drawn on the host for all backends. Their last bits are those of the C library's exp and log, which may
// differ between two machines; within one run they never do. Columns of a table are addresses and row i is instance i;
// there are no intervals for it: nobody knows how its rows were chosen, and a guess would look like knowledge.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/study/sampling/copula.hpp"
#include "host/study/sampling/design.hpp"
#include "host/study/sampling/distribution.hpp"
#include "host/text/table.hpp"

namespace myriad::study {

struct Parameter {
    std::string address;
    Distribution distribution;
};

class Sampler {
  public:
    // Throws UserError for an address given twice, or a correlation in a grid.
    Sampler(std::vector<Parameter> parameters, std::shared_ptr<const Design> design, Copula copula,
            const std::string& where);
    // The table's columns come first, then `constants`, the parameters that are the same in all rows. Throws UserError
    // for an address given twice and for a parameter that is neither a column nor constant.
    // `independent`: the rows are independent samples of the parameters.
    Sampler(CsvTable table, std::vector<Parameter> constants, const std::string& where, bool independent = false);

    const std::vector<std::string>& addresses() const { return addresses_; }
    std::optional<std::uint64_t> fixed_size() const;
    Intervals intervals() const;
    std::string text() const;
    // Whether parameters may depend on each other.
    bool may_be_correlated() const { return table_ || !copula_.empty(); }

    // Throws UserError unless the design can give `instances` instances: exactly its size for a Latin hypercube and a
    // grid, at most the rows of a table, at least 1.
    void require_instances(std::uint64_t instances, const std::string& where) const;

    // The middle of each parameter's spread: the median; for a table the first row.
    std::vector<double> middle() const;
    // Instances first ... first + count - 1 into out [parameter][count]: out[k * count + j] is parameter k of instance
    // first + j. The instances exist (require_instances).
    void sample(std::uint64_t first, std::uint64_t count, double* out) const;
    double value(std::uint64_t instance, std::size_t parameter) const;

  private:
    std::vector<std::string> addresses_;
    std::vector<Distribution> distributions_;  // of all parameters, or of the constants behind the table's columns
    std::shared_ptr<const Design> design_;     // null with a table
    std::optional<CsvTable> table_;
    bool independent_rows_ = false;
    Copula copula_;
    std::vector<bool> correlated_;
};

// The levels of a Grid over these parameters. `requested` [parameters]: the number of levels, 0 where none is given. A
// constant has one level and a discrete parameter one per value. Throws UserError where levels are missing, where they
// contradict the values, and for weights, which a grid has no use for.
std::vector<std::uint64_t> grid_levels(std::span<const Parameter> parameters, std::span<const std::uint64_t> requested,
                                       const std::string& where);

}  // namespace myriad::study
