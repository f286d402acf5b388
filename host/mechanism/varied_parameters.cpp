#include "host/mechanism/varied_parameters.hpp"

#include <algorithm>
#include <stdexcept>

#include "host/mechanism/compiled.hpp"

namespace myriad::mechanism {

VariedParameters::VariedParameters(std::shared_ptr<const Mechanism> mechanism, std::span<const double> values,
                                   std::span<const unsigned char> overridden, std::span<const std::size_t> varied)
    : mechanism_(std::move(mechanism)),
      values_(values.begin(), values.end()),
      varied_(varied.begin(), varied.end()),
      parameters_(mechanism_->dependent_parameters(varied)) {
    const Mechanism::Compiled& compiled = *mechanism_->compiled_;
    const auto follows = [&](std::size_t number) {
        return overridden[number] == 0 && compiled.definitions[number].follows();
    };
    // Numbers that follow from the same numbers in every instance are settled here.
    for (const std::size_t number : compiled.order)
        if (follows(number)) values_[number] = compiled.definitions[number].value(values_);

    std::vector<bool> changes(values_.size(), false);
    for (const std::size_t number : varied_) changes[number] = true;
    const auto any_changes = [&](const std::vector<std::size_t>& reads) {
        return std::any_of(reads.begin(), reads.end(), [&](std::size_t read) { return changes[read]; });
    };
    for (const std::size_t number : compiled.order)
        if (any_changes(compiled.definitions[number].reads) && follows(number)) {
            changes[number] = true;
            definitions_.push_back(number);
        }
    // A parameter that depends on a number only by way of one that the study gives stays as it is, but has its place.
    for (std::size_t a = 0; a < compiled.assignments.size(); ++a)
        if (std::binary_search(parameters_.begin(), parameters_.end(), compiled.assignments[a].first))
            assignments_.push_back(a);
    std::sort(assignments_.begin(), assignments_.end(), [&](std::size_t a, std::size_t b) {
        return compiled.assignments[a].first < compiled.assignments[b].first;
    });
    std::size_t places = 0;
    for (const std::size_t a : assignments_)
        for (int k = 0; k < compiled.assignments[a].count; ++k, ++places)
            if (places >= parameters_.size() || parameters_[places] != compiled.assignments[a].first + k)
                throw std::logic_error("mechanism: a parameter is assigned twice, or not at all");
}

void VariedParameters::compute(std::span<const double> sampled, std::vector<double>& numbers, double* out) const {
    const Mechanism::Compiled& compiled = *mechanism_->compiled_;
    numbers.assign(values_.begin(), values_.end());
    for (std::size_t k = 0; k < varied_.size(); ++k) numbers[varied_[k]] = sampled[k];
    for (const std::size_t number : definitions_) numbers[number] = compiled.definitions[number].value(numbers);
    const Inputs inputs(numbers, compiled.bodies);
    for (const std::size_t a : assignments_) {
        compiled.assignments[a].write(inputs, out);
        out += compiled.assignments[a].count;
    }
}

}  // namespace myriad::mechanism
