// Designs: where in the open unit cube (0, 1)^d the instances lie, one coordinate per parameter.
//
// A point is a pure function of the instance's number and of what the design was built from, so that any thread, chunk
// or machine finds the same one. Monte Carlo and Sobol give instance i the same point however many instances there are;
// a Latin hypercube and a grid have a fixed size. Values from a table are no points of a cube: see table.hpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/statistics/interval_basis.hpp"

namespace myriad::study {

class Design {
  public:
    virtual ~Design() = default;

    virtual std::size_t dimensions() const = 0;
    // The number of instances, where the design fixes it.
    virtual std::optional<std::uint64_t> fixed_size() const { return std::nullopt; }
    // How many instances the design can give at most.
    virtual std::uint64_t capacity() const = 0;
    virtual Intervals intervals() const = 0;
    // For reports: "sobol(seed 7, 16 replicates)".
    virtual std::string text() const = 0;

    // The point of instance `instance` < capacity(), into `point` [dimensions()]. Safe in many threads at once.
    virtual void unit_point(std::uint64_t instance, std::span<double> point) const = 0;
};

// Independent uniform points from counter-based random numbers.
class MonteCarlo final : public Design {
  public:
    MonteCarlo(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), seed_(seed) {}

    std::size_t dimensions() const override { return dimensions_; }
    std::uint64_t capacity() const override;
    Intervals intervals() const override { return {IntervalBasis::independent, 1}; }
    std::string text() const override;
    void unit_point(std::uint64_t instance, std::span<double> point) const override;

  private:
    std::size_t dimensions_;
    std::uint64_t seed_;
};

// Full factorial: level k of n lies at (k + 1/2) / n; the last parameter's level changes fastest.
class Grid final : public Design {
  public:
    // levels [d], each at least 1. Throws UserError when a level is 0 or their product exceeds 2^52.
    Grid(std::vector<std::uint64_t> levels, const std::string& where);

    std::size_t dimensions() const override { return levels_.size(); }
    std::optional<std::uint64_t> fixed_size() const override { return size_; }
    std::uint64_t capacity() const override { return size_; }
    Intervals intervals() const override { return {IntervalBasis::none, 1}; }
    std::string text() const override;
    void unit_point(std::uint64_t instance, std::span<double> point) const override;
    std::span<const std::uint64_t> levels() const { return levels_; }

  private:
    std::vector<std::uint64_t> levels_;
    std::uint64_t size_ = 1;
};

}  // namespace myriad::study
