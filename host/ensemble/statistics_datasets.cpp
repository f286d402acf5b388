#include "host/ensemble/statistics_datasets.hpp"

#include <cmath>
#include <limits>

#include "host/text/user_error.hpp"

namespace myriad::ensemble {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
const std::string folder = "/statistics/", quantity_path = folder + "quantity", parameter_path = folder + "parameter",
                  probabilities_path = folder + "quantile_probability";
constexpr const char* conservative = "conservative";

using Row = study::QuantityStatistics;

// The estimates of one statistic, row-major, as four datasets.
class EstimateDatasets {
  public:
    explicit EstimateDatasets(std::size_t size)
        : value_(size, none), low_(size, none), high_(size, none), remark_(size) {}

    void put(std::size_t index, const study::Estimate& estimate) {
        value_[index] = estimate.value;
        if (estimate.interval) low_[index] = estimate.interval->low, high_[index] = estimate.interval->high;
        remark_[index] = estimate.remark();
    }
    void add_to(std::vector<results::FixedDataset>& datasets, const std::string& name, const std::string& description,
                const std::vector<std::uint64_t>& shape, const std::vector<std::string>& axes, double confidence,
                results::Attributes attributes = {}) const {
        const std::string interval =
            std::to_string(100.0 * confidence).substr(0, 4) + " % confidence interval of " + name;
        attributes["description"] = description;
        datasets.push_back({folder + name, shape, value_, std::move(attributes), axes});
        datasets.push_back(
            {folder + name + "_low", shape, low_, {{"description", "lower end of the " + interval}}, axes});
        datasets.push_back(
            {folder + name + "_high", shape, high_, {{"description", "upper end of the " + interval}}, axes});
        datasets.push_back({folder + name + "_remark",
                            shape,
                            remark_,
                            {{"description", "what there is to say of the " + interval + ", or why there is none"}},
                            axes});
    }

  private:
    std::vector<double> value_, low_, high_;
    std::vector<std::string> remark_;
};

void add_sensitivities(const StatisticsReport& report, std::vector<results::FixedDataset>& datasets) {
    if (report.sensitivities.empty() || report.parameters.empty()) return;
    const std::uint64_t rows = report.names.size(), columns = report.parameters.size();
    datasets.push_back({parameter_path, {columns}, report.parameters, {}, {}});
    std::vector<double> rank_correlations;
    EstimateDatasets first_order(rows * columns);
    for (const auto& row : report.sensitivities)
        for (const study::Sensitivity& one : row) {
            first_order.put(rank_correlations.size(), one.first_order);
            rank_correlations.push_back(one.rank_correlation);
        }
    const std::vector<std::string> axes = {quantity_path, parameter_path};
    datasets.push_back({folder + "rank_correlation",
                        {rows, columns},
                        rank_correlations,
                        {{"unit", std::string("1")},
                         {"description", std::string("Spearman's rank correlation of quantity and parameter")}},
                        axes});
    results::Attributes attributes = {{"unit", std::string("1")}};
    if (!report.correlated.empty()) attributes["overlapping"] = report.correlated;
    first_order.add_to(datasets, "first_order", "share of the quantity's variance that the parameter explains alone",
                       {rows, columns}, axes, report.confidence, attributes);
}

// Datasets under /statistics, each of the size that the names of quantities, parameters and quantiles ask for.
class StoredStatistics {
  public:
    explicit StoredStatistics(const results::Reader& reader) : reader_(reader) {}

    bool has(const std::string& name) const { return reader_.has(folder + name); }
    std::vector<double> numbers(const std::string& name, std::size_t size) const {
        return checked(reader_.read<double>(folder + name), name, size);
    }
    std::vector<study::Estimate> estimates(const std::string& name, std::size_t size) const {
        const std::vector<double> value = numbers(name, size), low = numbers(name + "_low", size),
                                  high = numbers(name + "_high", size);
        // Results of former versions have no remarks.
        std::vector<std::string> remark(size);
        if (has(name + "_remark")) remark = checked(reader_.read_texts(folder + name + "_remark"), name, size);
        std::vector<study::Estimate> estimates;
        for (std::size_t i = 0; i < size; ++i) {
            study::Estimate& estimate = estimates.emplace_back(study::Estimate{value[i]});
            if (std::isnan(low[i]))
                estimate.no_interval = remark[i];
            else
                estimate.interval = study::Interval{low[i], high[i], remark[i] == conservative};
        }
        return estimates;
    }
    // An attribute that is a list of texts; empty where there is none.
    std::vector<std::string> list(const std::string& name, const std::string& attribute) const {
        const results::Attributes attributes = reader_.attributes(folder + name);
        const auto found = attributes.find(attribute);
        if (found == attributes.end()) return {};
        const auto* texts = std::get_if<std::vector<std::string>>(&found->second);
        if (texts == nullptr) refuse(name);
        return *texts;
    }
    template <class Values>
    Values checked(Values values, const std::string& name, std::size_t size) const {
        if (values.size() != size) refuse(name);
        return values;
    }
    [[noreturn]] void refuse(const std::string& name) const {
        throw UserError(ExitCode::usage_or_input, reader_.path().string() + ": " + folder + name,
                        "the dataset does not fit the quantities and parameters of the file",
                        "the file is damaged, or was changed by another program; run the study again");
    }

  private:
    const results::Reader& reader_;
};

std::uint64_t whole(double number) { return number >= 0.0 ? static_cast<std::uint64_t>(number) : 0; }

struct StepErrorColumn {
    const char *name, *description;
    double (*get)(const study::StepError&);
    void (*set)(study::StepError&, double);
};
constexpr StepErrorColumn step_error_columns[] = {
    {"step_error_count", "instances with a value at the given and at half the step",
     [](const study::StepError& error) { return static_cast<double>(error.count); },
     [](study::StepError& error, double x) { error.count = whole(x); }},
    {"step_error_without", "instances with a value at the given step and none at half of it",
     [](const study::StepError& error) { return static_cast<double>(error.without); },
     [](study::StepError& error, double x) { error.without = whole(x); }},
    {"step_error_95", "by how much 95 % of them change at most where the step is halved",
     [](const study::StepError& error) { return error.change_share_95; },
     [](study::StepError& error, double x) { error.change_share_95 = x; }},
    {"step_error_mean_shift", "by how much their mean changes where the step is halved",
     [](const study::StepError& error) { return error.mean_shift; },
     [](study::StepError& error, double x) { error.mean_shift = x; }},
    {"step_error_shrinkage",
     "how much smaller the changes are where the step is halved again: 2 to the minus order; above 0.75 they do not "
     "shrink; NaN where it is not known",
     [](const study::StepError& error) { return error.shrinkage; },
     [](study::StepError& error, double x) { error.shrinkage = x; }},
};

void add_step_errors(const StatisticsReport& report, std::vector<results::FixedDataset>& datasets) {
    if (report.step_errors.empty()) return;
    for (const StepErrorColumn& column : step_error_columns) {
        std::vector<double> values;
        for (const study::StepError& error : report.step_errors) values.push_back(column.get(error));
        datasets.push_back({folder + column.name,
                            {report.rows.size()},
                            values,
                            {{"description", std::string(column.description)}},
                            {quantity_path}});
    }
}

}  // namespace

StatisticsReport statistics_report(const study::Study& study, const RunSummary& summary) {
    StatisticsReport report;
    report.confidence = study.statistics.confidence;
    for (const study::Quantity& quantity : study.quantities) {
        report.names.push_back(quantity.name);
        report.units.push_back(quantity.unit);
        report.events.push_back(quantity.event ? text_of(*quantity.event) : "");
    }
    report.rows = summary.statistics;
    report.step_errors = summary.step_errors;
    report.sensitivities = summary.sensitivities;
    if (!report.sensitivities.empty())
        for (const study::VariedParameter& parameter : study.varied) report.parameters.push_back(parameter.address);
    report.correlated = summary.correlated;
    return report;
}

std::vector<results::FixedDataset> statistics_datasets(const StatisticsReport& report) {
    if (report.rows.empty()) return {};
    const std::uint64_t rows = report.rows.size();
    std::vector<results::FixedDataset> datasets;
    datasets.push_back({quantity_path,
                        {rows},
                        report.names,
                        {{"units", report.units}, {"confidence", report.confidence}, {"events", report.events}},
                        {}});
    const std::vector<std::string> axis = {quantity_path};
    const auto add = [&](const std::string& name, const std::string& description, auto&& value) {
        std::vector<double> values;
        for (const Row& row : report.rows) values.push_back(value(row));
        datasets.push_back({folder + name, {rows}, values, {{"description", description}}, axis});
    };
    const auto add_estimate = [&](const std::string& name, const std::string& description, auto&& estimate) {
        EstimateDatasets estimates(rows);
        for (std::size_t q = 0; q < rows; ++q)
            if (const std::optional<study::Estimate>& found = estimate(report.rows[q])) estimates.put(q, *found);
        estimates.add_to(datasets, name, description, {rows}, axis, report.confidence);
    };
    const auto number = [](std::uint64_t instance) { return static_cast<double>(instance); };
    add("count", "instances with a value", [&](const Row& row) { return number(row.count); });
    add("excluded", "failed instances, left out", [&](const Row& row) { return number(row.excluded); });
    add("undefined", "instances that ended ok without a finite value, left out",
        [&](const Row& row) { return number(row.undefined); });
    add("min", "smallest value", [](const Row& row) { return row.min ? row.min->value : none; });
    add("min_instance", "instance with the smallest value",
        [&](const Row& row) { return row.min ? number(row.min->instance) : none; });
    add("max", "largest value", [](const Row& row) { return row.max ? row.max->value : none; });
    add("max_instance", "instance with the largest value",
        [&](const Row& row) { return row.max ? number(row.max->instance) : none; });
    add_estimate("mean", "mean", [](const Row& row) { return row.mean; });
    add_estimate("standard_deviation", "standard deviation", [](const Row& row) { return row.standard_deviation; });
    add_estimate("probability",
                 "share of the instances that ended ok whose quantity lies above, or below, the threshold",
                 [](const Row& row) { return row.probability; });

    add_step_errors(report, datasets);
    add_sensitivities(report, datasets);
    std::vector<double> probabilities;
    for (const Row& row : report.rows)
        if (row.quantiles.size() > probabilities.size()) {
            probabilities.clear();
            for (const study::Quantile& quantile : row.quantiles) probabilities.push_back(quantile.probability);
        }
    if (probabilities.empty()) return datasets;
    const std::uint64_t columns = probabilities.size();
    datasets.push_back({probabilities_path, {columns}, probabilities, {}, {}});
    EstimateDatasets quantiles(rows * columns);
    for (std::size_t q = 0; q < rows; ++q)
        for (std::size_t p = 0; p < report.rows[q].quantiles.size(); ++p)
            quantiles.put(q * columns + p, report.rows[q].quantiles[p].estimate);
    quantiles.add_to(datasets, "quantile", "quantiles", {rows, columns}, {quantity_path, probabilities_path},
                     report.confidence);
    return datasets;
}

std::optional<StatisticsReport> read_statistics(const results::Reader& reader) {
    if (!reader.has(quantity_path)) return std::nullopt;
    const StoredStatistics stored(reader);
    StatisticsReport report;
    report.names = reader.read_texts(quantity_path);
    const std::size_t rows = report.names.size();
    report.units = stored.checked(stored.list("quantity", "units"), "quantity", rows);
    report.events = stored.list("quantity", "events");
    report.events.resize(rows);
    const results::Attributes attributes = reader.attributes(quantity_path);
    if (const auto found = attributes.find("confidence"); found != attributes.end())
        if (const auto* confidence = std::get_if<double>(&found->second)) report.confidence = *confidence;

    const auto numbers = [&](const std::string& name) {
        return stored.has(name) ? stored.numbers(name, rows) : std::vector<double>(rows, none);
    };
    const auto estimates = [&](const std::string& name) {
        return stored.has(name) ? stored.estimates(name, rows)
                                : std::vector<study::Estimate>(rows, study::Estimate{none});
    };
    const auto count = numbers("count"), excluded = numbers("excluded"), undefined = numbers("undefined"),
               min = numbers("min"), min_instance = numbers("min_instance"), max = numbers("max"),
               max_instance = numbers("max_instance");
    const auto mean = estimates("mean"), deviation = estimates("standard_deviation"),
               probability = estimates("probability");
    std::vector<double> probabilities;
    std::vector<study::Estimate> quantiles;
    if (reader.has(probabilities_path)) {
        probabilities = reader.read<double>(probabilities_path);
        quantiles = stored.estimates("quantile", rows * probabilities.size());
    }
    const auto if_known = [](const study::Estimate& estimate) {
        return std::isnan(estimate.value) ? std::nullopt : std::optional(estimate);
    };
    for (std::size_t q = 0; q < rows; ++q) {
        Row row;
        row.count = whole(count[q]), row.excluded = whole(excluded[q]), row.undefined = whole(undefined[q]);
        row.mean = if_known(mean[q]), row.standard_deviation = if_known(deviation[q]);
        row.probability = if_known(probability[q]);
        if (!std::isnan(min_instance[q])) row.min = {min[q], whole(min_instance[q])};
        if (!std::isnan(max_instance[q])) row.max = {max[q], whole(max_instance[q])};
        for (std::size_t p = 0; p < probabilities.size() && row.count > 0; ++p)
            row.quantiles.push_back({probabilities[p], quantiles[q * probabilities.size() + p]});
        report.rows.push_back(std::move(row));
    }
    if (stored.has(step_error_columns[0].name)) {
        report.step_errors.resize(rows);
        for (const StepErrorColumn& column : step_error_columns) {
            const std::vector<double> values = stored.numbers(column.name, rows);
            for (std::size_t q = 0; q < rows; ++q) column.set(report.step_errors[q], values[q]);
        }
    }
    if (!reader.has(parameter_path)) return report;
    report.parameters = reader.read_texts(parameter_path);
    const std::size_t columns = report.parameters.size();
    const auto first_order = stored.estimates("first_order", rows * columns);
    const auto rank_correlation = stored.numbers("rank_correlation", rows * columns);
    report.sensitivities.resize(rows);
    for (std::size_t i = 0; i < rows * columns; ++i)
        report.sensitivities[i / columns].push_back({rank_correlation[i], first_order[i]});
    report.correlated = stored.list("first_order", "overlapping");
    return report;
}

}  // namespace myriad::ensemble
