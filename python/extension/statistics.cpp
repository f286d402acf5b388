// Statistics of values that Python holds, by the engine's own definitions and with its intervals.
#include "host/statistics/statistics.hpp"

#include <algorithm>

#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/ensemble/memory_need.hpp"
#include "host/statistics/no_value.hpp"
#include "host/statistics/sensitivity.hpp"
#include "host/statistics/student.hpp"
#include "host/study/study.hpp"
#include "python/extension/nanobind.hpp"

namespace myriad::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// 0 where an instance failed.
using Included = nb::ndarray<const unsigned char, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Value, low and high end of its interval, remark; NaN where there is no interval.
using EstimateTuple = std::tuple<double, double, double, std::string>;

EstimateTuple tuple_of(const study::Estimate& estimate) {
    const study::Interval interval = estimate.interval.value_or(study::Interval{study::no_value, study::no_value});
    return {estimate.value, interval.low, interval.high, estimate.remark()};
}

std::optional<EstimateTuple> tuple_of(const std::optional<study::Estimate>& estimate) {
    if (!estimate) return std::nullopt;
    return tuple_of(*estimate);
}

template <class Array>
std::span<typename Array::Scalar> span_of(const Array& array) {
    return {array.data(), array.size()};
}

study::StatisticsSettings settings_of(std::vector<double> quantiles, double confidence) {
    study::StatisticsSettings settings{std::move(quantiles), confidence};
    study::require_valid(settings, "statistics");
    return settings;
}

// The share is that of the values above 1/2, among the instances that did not fail.
nb::dict statistics_of(const Values& values, const Included& included, const study::Intervals& intervals,
                       double confidence, std::vector<double> quantiles, bool share) {
    const study::StatisticsSettings settings = settings_of(std::move(quantiles), confidence);
    if (values.size() != included.size()) throw nb::value_error("values and included differ in size");
    const study::QuantityStatistics row = [&] {
        const Computing computing;
        return study::quantity_statistics(span_of(values), span_of(included), intervals, settings, study::sorted_sample,
                                          share ? std::optional(study::Event{true, 0.5}) : std::nullopt);
    }();
    nb::dict statistics;
    statistics["count"] = row.count, statistics["failed"] = row.excluded, statistics["undefined"] = row.undefined;
    statistics["mean"] = tuple_of(row.mean);
    statistics["standard_deviation"] = tuple_of(row.standard_deviation);
    statistics["share"] = tuple_of(row.probability);
    std::vector<EstimateTuple> estimates;
    for (const study::Quantile& quantile : row.quantiles) estimates.push_back(tuple_of(quantile.estimate));
    statistics["quantiles"] = estimates;
    return statistics;
}

// Of each row of parameters [parameter, instance]: Spearman's rank correlation and the first-order index.
std::vector<std::pair<double, EstimateTuple>> sensitivities_of(const Columns& parameters, const Values& values,
                                                               const Included& included,
                                                               const study::Intervals& intervals, double confidence) {
    settings_of({}, confidence);
    if (values.size() != included.size() || parameters.shape(1) != values.size())
        throw nb::value_error("parameters, values and included differ in size");
    const Computing computing;
    std::vector<std::pair<double, EstimateTuple>> all(parameters.shape(0));
    const auto compute = [&](std::uint64_t k) {
        const std::span<const double> parameter(parameters.data() + k * values.size(), values.size());
        const study::Sensitivity one =
            study::sensitivity(parameter, span_of(values), span_of(included), intervals, confidence);
        all[k] = {one.rank_correlation, tuple_of(one.first_order)};
    };
    ensemble::visit_instances(all.size(), 1, ensemble::statistics_threads, [&] { return compute; });
    return all;
}

// Of each row [row, instance] among its own numbers.
auto mean_ranks_of(const Columns& rows) {
    const std::size_t size = rows.shape(1);
    std::vector<double> all(rows.size());
    {
        const Computing computing;
        const auto rank = [&](std::uint64_t row) {
            const std::vector<double> ranks = study::mean_ranks({rows.data() + row * size, size});
            std::copy(ranks.begin(), ranks.end(), all.begin() + static_cast<std::ptrdiff_t>(row * size));
        };
        ensemble::visit_instances(rows.shape(0), 1, ensemble::statistics_threads, [&] { return rank; });
    }
    return array_of(std::move(all), {rows.shape(0), size});
}

std::vector<std::pair<std::size_t, std::size_t>> correlated_pairs_of(const Columns& parameters,
                                                                     const Included& included) {
    if (parameters.shape(1) != included.size()) throw nb::value_error("parameters and included differ in size");
    const Computing computing;
    std::vector<std::vector<double>> columns;
    for (std::size_t k = 0; k < parameters.shape(0); ++k) {
        const double* const first = parameters.data() + k * included.size();
        columns.emplace_back(first, first + included.size());
    }
    return study::correlated_pairs(columns, span_of(included));
}

}  // namespace

void bind_statistics(nb::module_& module) {
    nb::class_<study::Intervals>(module, "Intervals", "The conclusions that a design allows about errors of sampling.")
        .def_static("independent",
                    [] {
                        return study::Intervals{study::IntervalBasis::independent, 1};
                    })
        .def_static(
            "of_study",
            [](const std::string& text, const std::string& where) {
                return study::parse_study(text, where, ".", {}, study::Purpose::statistics).intervals();
            },
            "text"_a, "where"_a)
        .def_ro("replicates", &study::Intervals::replicates)
        .def_prop_ro("is_independent",
                     [](const study::Intervals& self) { return self.basis == study::IntervalBasis::independent; })
        .def_prop_ro("is_replicated",
                     [](const study::Intervals& self) { return self.basis == study::IntervalBasis::replicated; })
        .def_prop_ro("no_interval_reason", [](const study::Intervals& self) -> std::optional<std::string> {
            const char* const reason = study::no_interval_reason(self.basis);
            return reason ? std::optional<std::string>(reason) : std::nullopt;
        });
    module.def("statistics", &statistics_of, "values"_a, "included"_a, "intervals"_a, "confidence"_a, "quantiles"_a,
               "share"_a);
    module.def("sensitivities", &sensitivities_of, "parameters"_a, "values"_a, "included"_a, "intervals"_a,
               "confidence"_a);
    module.def("correlated_pairs", &correlated_pairs_of, "parameters"_a, "included"_a);
    module.def("mean_ranks", &mean_ranks_of, "rows"_a);
    module.def(
        "fewest_for_quantile",
        [](double probability, double confidence) {
            settings_of({probability}, confidence);
            return study::fewest_for_quantile(probability, confidence);
        },
        "probability"_a, "confidence"_a);
    module.def("student_t", &study::student_t, "degrees_of_freedom"_a, "confidence"_a);
}

}  // namespace myriad::python
