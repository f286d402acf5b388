#include "host/mechanism/varied_parameters.hpp"

#include <cmath>
#include <limits>

#include "host/mechanism/compiled.hpp"

namespace myriad::mechanism {

namespace {

// Numbers that differ by round-off alone, such as the length of a unit vector, differ in a share of the probes.
constexpr int probes = 64;

}  // namespace

VariedParameters::VariedParameters(std::shared_ptr<const Mechanism> mechanism, std::span<const double> values,
                                   std::span<const unsigned char> overridden, std::span<const std::size_t> varied)
    : mechanism_(std::move(mechanism)),
      values_(values.begin(), values.end()),
      varied_(varied.begin(), varied.end()),
      dependents_(std::make_unique<Dependents>(mechanism_->compiled_->dependents(varied, overridden))) {
    // Numbers that follow from the same numbers in every instance are settled here.
    const Mechanism::Compiled& compiled = *mechanism_->compiled_;
    for (const std::size_t number : compiled.order)
        if (overridden[number] == 0 && compiled.definitions[number].follows())
            values_[number] = compiled.definitions[number].value(values_);
    if (!dependents_->last_step) return;
    before_last_step_.resize(static_cast<std::size_t>(mechanism_->table.parameters));
    const Inputs inputs(values_, compiled.bodies);
    for (const Assignment& assignment : compiled.assignments)
        assignment.write(inputs, before_last_step_.data() + assignment.first);
}

VariedParameters::~VariedParameters() = default;

const std::vector<int>& VariedParameters::parameters() const { return dependents_->parameters; }

std::vector<double> VariedParameters::numbers(std::span<const double> sampled) const {
    std::vector<double> numbers;
    settle(sampled, numbers);
    return numbers;
}

void VariedParameters::settle(std::span<const double> sampled, std::vector<double>& numbers) const {
    numbers.assign(values_.begin(), values_.end());
    for (std::size_t k = 0; k < varied_.size(); ++k) numbers[varied_[k]] = sampled[k];
    for (const std::size_t number : dependents_->definitions)
        numbers[number] = mechanism_->compiled_->definitions[number].value(numbers);
}

void VariedParameters::compute(std::span<const double> sampled, std::vector<double>& numbers, double* out) const {
    const Mechanism::Compiled& compiled = *mechanism_->compiled_;
    settle(sampled, numbers);
    const Inputs inputs(numbers, compiled.bodies);
    if (dependents_->last_step) {
        std::vector<double> all = before_last_step_;
        for (const std::size_t a : dependents_->assignments)
            compiled.assignments[a].write(inputs, all.data() + compiled.assignments[a].first);
        compiled.last_step.change(mechanism_->table, inputs, all);
        for (const int parameter : dependents_->parameters) *out++ = all[static_cast<std::size_t>(parameter)];
        return;
    }
    for (const std::size_t a : dependents_->assignments) {
        compiled.assignments[a].write(inputs, out);
        out += compiled.assignments[a].count;
    }
}

std::vector<double> VariedParameters::common_values() const {
    std::vector<double> numbers, sampled(varied_.size()), common, now(parameters().size());
    for (int probe = 0; probe < probes; ++probe) {
        for (std::size_t k = 0; k < sampled.size(); ++k) {
            // Multiples of the golden ratio have generic fractions.
            const double turns =
                0.6180339887498949 * static_cast<double>(sampled.size() * static_cast<std::size_t>(probe) + k + 1);
            const double fraction = turns - std::floor(turns), value = values_[varied_[k]];
            sampled[k] = value + (0.1 + fraction) * (value == 0.0 ? 0.1 : 0.1 * value);
        }
        compute(sampled, numbers, now.data());
        if (probe == 0) common = now;
        for (std::size_t p = 0; p < now.size(); ++p)
            if (!(now[p] == common[p])) common[p] = std::numeric_limits<double>::quiet_NaN();
    }
    return common;
}

}  // namespace myriad::mechanism
