#include "host/study/sampling/sampler.hpp"

#include <algorithm>

#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

void require_distinct(std::vector<std::string> addresses, const std::string& where) {
    std::sort(addresses.begin(), addresses.end());
    const auto twice = std::adjacent_find(addresses.begin(), addresses.end());
    if (twice != addresses.end()) refuse_at(where, "the parameter " + *twice + " is given twice", "give it once");
}

}  // namespace

Sampler::Sampler(std::vector<Parameter> parameters, std::shared_ptr<const Design> design, Copula copula,
                 const std::string& where)
    : design_(std::move(design)), copula_(std::move(copula)), correlated_(parameters.size(), false) {
    for (Parameter& parameter : parameters) {
        addresses_.push_back(std::move(parameter.address));
        distributions_.push_back(std::move(parameter.distribution));
    }
    require_distinct(addresses_, where);
    if (design_->dimensions() != addresses_.size())
        throw std::invalid_argument("a design has one dimension per parameter");
    if (!copula_.empty() && design_->intervals().basis == IntervalBasis::none)
        refuse_at(where, "correlations have no meaning in " + design_->text() + ", which draws nothing at random",
                  "leave the correlations out, or use \"monte_carlo\", \"latin_hypercube\" or \"sobol\"");
    for (const std::size_t k : copula_.members()) correlated_[k] = true;
}

Sampler::Sampler(CsvTable table, std::vector<Parameter> constants, const std::string& where, bool independent)
    : addresses_(table.columns()), table_(std::move(table)), independent_rows_(independent) {
    for (Parameter& constant : constants) {
        if (constant.distribution.standard_deviation() > 0.0)
            refuse_at(
                where,
                constant.address + " is " + constant.distribution.text() + ", but is not a column of " + table_->text(),
                "add the column to the table, or make the parameter constant");
        addresses_.push_back(std::move(constant.address));
        distributions_.push_back(std::move(constant.distribution));
    }
    require_distinct(addresses_, where);
}

std::optional<std::uint64_t> Sampler::fixed_size() const { return table_ ? std::nullopt : design_->fixed_size(); }

Intervals Sampler::intervals() const {
    if (!table_) return design_->intervals();
    return {independent_rows_ ? IntervalBasis::independent : IntervalBasis::undeclared, 1};
}

std::string Sampler::text() const { return table_ ? table_->text() : design_->text(); }

void Sampler::require_instances(std::uint64_t instances, const std::string& where) const {
    if (instances == 0) refuse_at(where, "the study has no instances", "give at least 1");
    const auto size = fixed_size();
    if (size && *size != instances)
        refuse_at(
            where,
            "instances is " + std::to_string(instances) + ", but " + text() + " has exactly " + std::to_string(*size),
            "leave instances out, or give " + std::to_string(*size));
    const std::uint64_t capacity = table_ ? table_->rows() : design_->capacity();
    if (instances > capacity)
        refuse_at(where,
                  "instances is " + std::to_string(instances) + ", but " + text() + " gives at most " +
                      std::to_string(capacity),
                  table_ ? "add rows to the table, or give fewer instances" : "give fewer instances");
}

std::vector<double> Sampler::middle() const {
    std::vector<double> values(addresses_.size());
    if (table_) {
        sample(0, 1, values.data());
        return values;
    }
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = distributions_[k].quantile(0.5);
    return values;
}

void Sampler::sample(std::uint64_t first, std::uint64_t count, double* out) const {
    const std::size_t columns = table_ ? table_->columns().size() : 0;
    for (std::size_t column = 0; column < columns; ++column)
        for (std::uint64_t j = 0; j < count; ++j) out[column * count + j] = table_->value(first + j, column);
    if (table_) {
        for (std::size_t k = 0; k < distributions_.size(); ++k)
            std::fill_n(out + (columns + k) * count, count, distributions_[k].mean());
        return;
    }
    std::vector<double> point(distributions_.size()), scratch(copula_.members().size());
    for (std::uint64_t j = 0; j < count; ++j) {
        design_->unit_point(first + j, point);
        copula_.to_scores(point, scratch);
        for (std::size_t k = 0; k < point.size(); ++k)
            out[k * count + j] =
                correlated_[k] ? distributions_[k].quantile_at_score(point[k]) : distributions_[k].quantile(point[k]);
    }
}

double Sampler::value(std::uint64_t instance, std::size_t parameter) const {
    std::vector<double> all(addresses_.size());
    sample(instance, 1, all.data());
    return all[parameter];
}

std::vector<std::uint64_t> grid_levels(std::span<const Parameter> parameters, std::span<const std::uint64_t> requested,
                                       const std::string& where) {
    std::vector<std::uint64_t> levels;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const auto& [address, distribution] = parameters[k];
        const std::uint64_t values = distribution.value_count();
        if (distribution.is_weighted())
            refuse_at(where, "the values of " + address + " have weights, which a grid has no use for",
                      "leave the weights out, or use a random design");
        if (values == 0 && requested[k] == 0)
            refuse_at(where, "the grid has no levels for " + address,
                      "give its number of levels, or list its values as \"discrete\"");
        if (values != 0 && requested[k] != 0 && requested[k] != values)
            refuse_at(where,
                      address + " has " + std::to_string(values) + " values, but " + std::to_string(requested[k]) +
                          " levels are asked for",
                      "leave its levels out: a grid takes each value once");
        levels.push_back(values != 0 ? values : requested[k]);
    }
    return levels;
}

}  // namespace myriad::study
