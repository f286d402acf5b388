#include "host/ensemble/statistics_datasets.hpp"

#include <limits>

namespace myriad::ensemble {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string confidence_text(const study::Study& study) {
    return std::to_string(100.0 * study.statistics.confidence).substr(0, 4) + " % confidence interval";
}

void add_sensitivities(const study::Study& study, const std::vector<std::vector<study::Sensitivity>>& sensitivities,
                       std::vector<results::FixedDataset>& datasets) {
    std::vector<std::string> addresses;
    for (const study::VariedParameter& parameter : study.varied) addresses.push_back(parameter.address);
    if (sensitivities.empty() || addresses.empty()) return;
    const std::uint64_t rows = sensitivities.size(), columns = addresses.size();
    datasets.push_back({"/statistics/parameter", {columns}, addresses, {}, {}});
    const auto add = [&](const std::string& name, const std::string& description, double study::Sensitivity::*member) {
        std::vector<double> values;
        for (const auto& row : sensitivities)
            for (const study::Sensitivity& sensitivity : row) values.push_back(sensitivity.*member);
        datasets.push_back({"/statistics/" + name,
                            {rows, columns},
                            values,
                            {{"unit", std::string("1")}, {"description", description}},
                            {"/statistics/quantity", "/statistics/parameter"}});
    };
    add("rank_correlation", "Spearman's rank correlation of quantity and parameter",
        &study::Sensitivity::rank_correlation);
    add("first_order", "share of the quantity's variance that the parameter explains alone",
        &study::Sensitivity::first_order);
}

}  // namespace

std::vector<results::FixedDataset> statistics_datasets(
    const study::Study& study, const std::vector<study::QuantityStatistics>& statistics,
    const std::vector<std::vector<study::Sensitivity>>& sensitivities) {
    if (statistics.empty()) return {};
    const std::uint64_t rows = statistics.size(), quantiles = study.statistics.quantiles.size();
    std::vector<results::FixedDataset> datasets;
    std::vector<std::string> names, units;
    for (const study::Quantity& quantity : study.quantities) {
        names.push_back(quantity.name);
        units.push_back(quantity.unit);
    }
    datasets.push_back({"/statistics/quantity", {rows}, names, {{"units", units}}, {}});

    const auto add = [&](const std::string& name, const std::string& description, auto&& value) {
        std::vector<double> values;
        for (const study::QuantityStatistics& row : statistics) values.push_back(value(row));
        datasets.push_back(
            {"/statistics/" + name, {rows}, values, {{"description", description}}, {"/statistics/quantity"}});
    };
    const auto add_estimate = [&](const std::string& name, const std::string& description, auto&& estimate) {
        add(name, description, [&](const study::QuantityStatistics& row) {
            const std::optional<study::Estimate> found = estimate(row);
            return found ? found->value : none;
        });
        add(name + "_low", "lower end of its " + confidence_text(study), [&](const study::QuantityStatistics& row) {
            const std::optional<study::Estimate> found = estimate(row);
            return found && found->interval ? found->interval->low : none;
        });
        add(name + "_high", "upper end of its " + confidence_text(study), [&](const study::QuantityStatistics& row) {
            const std::optional<study::Estimate> found = estimate(row);
            return found && found->interval ? found->interval->high : none;
        });
    };
    using Row = study::QuantityStatistics;
    add("count", "instances with a value", [](const Row& row) { return static_cast<double>(row.count); });
    add("excluded", "failed instances, left out", [](const Row& row) { return static_cast<double>(row.excluded); });
    add("undefined", "instances that ended ok without a finite value, left out",
        [](const Row& row) { return static_cast<double>(row.undefined); });
    add("min", "smallest value", [](const Row& row) { return row.min ? row.min->value : none; });
    add("max", "largest value", [](const Row& row) { return row.max ? row.max->value : none; });
    add_estimate("mean", "mean", [](const Row& row) { return row.mean; });
    add_estimate("standard_deviation", "standard deviation", [](const Row& row) { return row.standard_deviation; });

    add_sensitivities(study, sensitivities, datasets);
    if (quantiles == 0) return datasets;
    datasets.push_back({"/statistics/quantile_probability", {quantiles}, study.statistics.quantiles, {}, {}});
    std::vector<double> value, low, high;
    for (const Row& row : statistics)
        for (std::uint64_t p = 0; p < quantiles; ++p) {
            const study::Estimate* estimate = p < row.quantiles.size() ? &row.quantiles[p].estimate : nullptr;
            value.push_back(estimate ? estimate->value : none);
            low.push_back(estimate && estimate->interval ? estimate->interval->low : none);
            high.push_back(estimate && estimate->interval ? estimate->interval->high : none);
        }
    const std::vector<std::string> axes = {"/statistics/quantity", "/statistics/quantile_probability"};
    const auto add_quantiles = [&](const std::string& name, const std::string& description,
                                   std::vector<double> values) {
        datasets.push_back(
            {"/statistics/" + name, {rows, quantiles}, std::move(values), {{"description", description}}, axes});
    };
    add_quantiles("quantile", "quantiles", value);
    add_quantiles("quantile_low", "lower end of their " + confidence_text(study), low);
    add_quantiles("quantile_high", "upper end of their " + confidence_text(study), high);
    return datasets;
}

}  // namespace myriad::ensemble
