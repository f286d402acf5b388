// The kernel parameters of many instances that differ in the same numbers: only their dependents are computed.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

struct Dependents;

class VariedParameters {
  public:
    // `values` and `overridden` as in Mechanism::kernel_parameters; `varied` are the numbers (indices) that differ.
    VariedParameters(std::shared_ptr<const Mechanism> mechanism, std::span<const double> values,
                     std::span<const unsigned char> overridden, std::span<const std::size_t> varied);

    ~VariedParameters();

    // Those of the kernel that differ, in rising order.
    const std::vector<int>& parameters() const;
    // The numbers that differ, and all numbers of one instance.
    const std::vector<std::size_t>& varied() const { return varied_; }
    std::vector<double> numbers(std::span<const double> sampled) const;
    // The parameters of one instance: sampled [varied] to out [parameters()], with the bits that kernel_parameters
    // gives. `numbers` keeps its memory from call to call; it belongs to one thread.
    void compute(std::span<const double> sampled, std::vector<double>& numbers, double* out) const;
    // Of each of parameters(): the value that it has by generic numbers, such as the zero of a direction, or NaN where
    // it changes with them. Special numbers may give an instance another one.
    std::vector<double> common_values() const;

  private:
    void settle(std::span<const double> sampled, std::vector<double>& numbers) const;

    std::shared_ptr<const Mechanism> mechanism_;
    std::vector<double> values_, before_last_step_;
    std::vector<std::size_t> varied_;
    std::unique_ptr<const Dependents> dependents_;
};

}  // namespace myriad::mechanism
