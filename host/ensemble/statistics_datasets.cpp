#include "host/ensemble/statistics_datasets.hpp"

#include <cmath>

#include "host/statistics/no_value.hpp"
#include "host/statistics/reported_statistics.hpp"
#include "host/text/user_error.hpp"

namespace myriad::ensemble {

namespace {

const std::string folder = "/statistics/", quantity_path = folder + "quantity", parameter_path = folder + "parameter",
                  probabilities_path = folder + "quantile_probability";
constexpr const char* conservative = "conservative";

using Row = study::QuantityStatistics;

// The estimates of one statistic, row-major, as four datasets.
class EstimateDatasets {
  public:
    explicit EstimateDatasets(std::size_t size)
        : value_(size, study::no_value), low_(size, study::no_value), high_(size, study::no_value), remark_(size) {}

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

std::uint64_t whole(double number) { return number >= 0.0 ? static_cast<std::uint64_t>(number) : 0; }

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

// The datasets of one statistic after the other.
class StatisticsDatasets {
  public:
    StatisticsDatasets(const StatisticsReport& report, std::vector<results::FixedDataset>& datasets)
        : report_(report), datasets_(datasets) {}

    void add(const study::ReportedStatistic& statistic) {
        std::visit([&](auto member) { add(statistic.name, statistic.description, member); }, statistic.member);
    }
    void add(const study::ReportedStepError& statistic) {
        std::vector<double> values;
        for (const study::StepError& error : report_.step_errors)
            values.push_back(
                std::visit([&](auto member) { return static_cast<double>(error.*member); }, statistic.member));
        add_numbers(statistic.name, statistic.description, std::move(values));
    }

  private:
    void add(const std::string& name, const std::string& description, study::CountMember member) {
        add_numbers(name, description, numbers([&](const Row& row) { return static_cast<double>(row.*member); }));
    }
    void add(const std::string& name, const std::string& description, study::ExtremeMember member) {
        add_numbers(name, description,
                    numbers([&](const Row& row) { return row.*member ? (row.*member)->value : study::no_value; }));
        add_numbers(name + "_instance", "instance with the " + description, numbers([&](const Row& row) {
                        return row.*member ? static_cast<double>((row.*member)->instance) : study::no_value;
                    }));
    }
    void add(const std::string& name, const std::string& description, study::EstimateMember member) {
        EstimateDatasets estimates(report_.rows.size());
        for (std::size_t q = 0; q < report_.rows.size(); ++q)
            if (const auto& found = report_.rows[q].*member) estimates.put(q, *found);
        estimates.add_to(datasets_, name, description, {report_.rows.size()}, {quantity_path}, report_.confidence);
    }
    // Quantities without a value have no quantiles.
    void add(const std::string& name, const std::string& description, study::QuantilesMember member) {
        std::vector<double> probabilities;
        for (const Row& row : report_.rows)
            if ((row.*member).size() > probabilities.size()) {
                probabilities.clear();
                for (const study::Quantile& quantile : row.*member) probabilities.push_back(quantile.probability);
            }
        if (probabilities.empty()) return;
        const std::uint64_t rows = report_.rows.size(), columns = probabilities.size();
        datasets_.push_back({probabilities_path, {columns}, probabilities, {}, {}});
        EstimateDatasets estimates(rows * columns);
        for (std::size_t q = 0; q < rows; ++q)
            for (std::size_t p = 0; p < (report_.rows[q].*member).size(); ++p)
                estimates.put(q * columns + p, (report_.rows[q].*member)[p].estimate);
        estimates.add_to(datasets_, name, description, {rows, columns}, {quantity_path, probabilities_path},
                         report_.confidence);
    }
    template <class Value>
    std::vector<double> numbers(const Value& value) const {
        std::vector<double> values;
        for (const Row& row : report_.rows) values.push_back(value(row));
        return values;
    }
    void add_numbers(const std::string& name, const std::string& description, std::vector<double> values) {
        datasets_.push_back(
            {folder + name, {report_.rows.size()}, std::move(values), {{"description", description}}, {quantity_path}});
    }

    const StatisticsReport& report_;
    std::vector<results::FixedDataset>& datasets_;
};

// The same datasets, read into rows. Results of former versions may lack some.
class StatisticsRows {
  public:
    StatisticsRows(const results::Reader& reader, const StoredStatistics& stored, std::vector<Row>& rows)
        : reader_(reader), stored_(stored), rows_(rows) {}

    void read(const study::ReportedStatistic& statistic) {
        if (stored_.has(statistic.name))
            std::visit([&](auto member) { read(statistic.name, member); }, statistic.member);
    }

  private:
    void read(const std::string& name, study::CountMember member) {
        const std::vector<double> counts = stored_.numbers(name, rows_.size());
        for (std::size_t q = 0; q < rows_.size(); ++q) rows_[q].*member = whole(counts[q]);
    }
    void read(const std::string& name, study::ExtremeMember member) {
        if (!stored_.has(name + "_instance")) return;
        const std::vector<double> values = stored_.numbers(name, rows_.size()),
                                  instances = stored_.numbers(name + "_instance", rows_.size());
        for (std::size_t q = 0; q < rows_.size(); ++q)
            if (!std::isnan(instances[q])) rows_[q].*member = {values[q], whole(instances[q])};
    }
    void read(const std::string& name, study::EstimateMember member) {
        const std::vector<study::Estimate> estimates = stored_.estimates(name, rows_.size());
        for (std::size_t q = 0; q < rows_.size(); ++q)
            if (!std::isnan(estimates[q].value)) rows_[q].*member = estimates[q];
    }
    void read(const std::string& name, study::QuantilesMember member) {
        if (!reader_.has(probabilities_path)) return;
        const std::vector<double> probabilities = reader_.read<double>(probabilities_path);
        const std::vector<study::Estimate> estimates = stored_.estimates(name, rows_.size() * probabilities.size());
        for (std::size_t q = 0; q < rows_.size(); ++q)
            for (std::size_t p = 0; p < probabilities.size() && rows_[q].count > 0; ++p)
                (rows_[q].*member).push_back({probabilities[p], estimates[q * probabilities.size() + p]});
    }

    const results::Reader& reader_;
    const StoredStatistics& stored_;
    std::vector<Row>& rows_;
};

void read_step_errors(const StoredStatistics& stored, StatisticsReport& report) {
    if (!stored.has(study::reported_step_errors[0].name)) return;
    report.step_errors.resize(report.rows.size());
    for (const study::ReportedStepError& statistic : study::reported_step_errors) {
        const std::vector<double> values = stored.numbers(statistic.name, report.rows.size());
        for (std::size_t q = 0; q < values.size(); ++q) {
            study::StepError& error = report.step_errors[q];
            if (const auto* count = std::get_if<std::uint64_t study::StepError::*>(&statistic.member))
                error.** count = whole(values[q]);
            else
                error.*std::get<double study::StepError::*>(statistic.member) = values[q];
        }
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
    StatisticsDatasets all(report, datasets);
    for (const study::ReportedStatistic& statistic : study::reported_statistics) all.add(statistic);
    if (!report.step_errors.empty())
        for (const study::ReportedStepError& statistic : study::reported_step_errors) all.add(statistic);
    add_sensitivities(report, datasets);
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

    report.rows.resize(rows);
    StatisticsRows all(reader, stored, report.rows);
    for (const study::ReportedStatistic& statistic : study::reported_statistics) all.read(statistic);
    read_step_errors(stored, report);
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
